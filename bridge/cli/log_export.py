"""`vault-bridge log --export`: the whole log, or what of it was asked for, on standard output or in a file."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal

import typer

from bridge.cli.connection import look
from bridge.cli.exit_codes import fail
from bridge.cli.output import Output
from bridge.client import find_vault

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def export_log(vault: Path | None, form: Literal["json", "csv"], file: Path | None, params: dict[str, Any]) -> None:
    """Write the records that fit.

    The bridge writes them into its own folder, whatever their number, and from there they are brought along.

    Args:
        vault: The vault's folder, where it was named.
        form: As what.
        file: Where to; it must not exist. None: standard output.
        params: The filters.
    """
    folder = find_vault(vault)
    name = f"log-{secrets.token_hex(8)}.{form}"
    answer = look(folder, lambda bridge: bridge.request("audit.export", format=form, path=name, **params))
    written = folder / answer["path"]
    try:
        with written.open("rb") as source, _target(file) as target:
            shutil.copyfileobj(source, target)
    finally:
        written.unlink(missing_ok=True)
    Output().say(f"{answer['records']:,} records" + (f" are in {file}" if file else ""))


@contextmanager
def _target(file: Path | None) -> Iterator[BinaryIO]:
    if file is None:
        yield typer.get_binary_stream("stdout")
        return
    try:
        target = os.fdopen(os.open(file, _NEW, 0o600), "wb")
    except FileExistsError:
        fail(f"{file} exists already. Name another file")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")
    with target:
        yield target
