"""Texts of the person's: files that the command line names, and their own editor."""

import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from bridge.cli.arguments import BadArguments
from bridge.cli.printer import fail
from bridge.errors import BridgeError


def text_of(file: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises BadArguments."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise BadArguments(f"Cannot read {file!r}: {error.strerror or type(error).__name__}") from None
    except UnicodeDecodeError as error:
        raise BadArguments(f"{file!r} is not UTF-8 (byte {error.start})") from None


@contextlib.contextmanager
def new_file(file: Path) -> Iterator[BinaryIO]:
    """Provide a new file that only this user can read; end the command if it is there or cannot be written."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    place = file.expanduser()
    made = False
    try:
        with os.fdopen(os.open(place, flags, 0o600), "wb") as target:
            made = True
            yield target
    except OSError as error:
        if made:
            place.unlink()
        elif isinstance(error, FileExistsError):
            fail(f"{file} exists already. Name another file")
        fail(f"{file} cannot be written: {error.strerror}")


def parse_json(text: str) -> Any:
    """Return what a text says as JSON. Raises BadArguments."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadArguments(f"This is not JSON: {error}") from None
    except RecursionError:
        raise BadArguments("This is nested too deep") from None


VARIABLES: Final = ("VISUAL", "EDITOR")
NO_EDITOR: Final = (
    "No editor is set. Set VISUAL or EDITOR to yours before you start this, such as `export EDITOR=nano`; "
    "on Windows `set EDITOR=notepad`."
)


class NotEdited(BridgeError):
    """The text could not be edited; the message says why."""


def edit(text: str, name: str = "proposal.md") -> str:
    """Open a text in the editor that `VISUAL` or `EDITOR` names, and wait until it is closed.

    The file is in a folder that only the person can read, and gone afterwards, with whatever the editor left beside it.

    Args:
        text: Lines that end in line feeds.
        name: What the file is called, by which editors know what it is.

    Returns:
        The text as it was saved.

    Raises:
        NotEdited: No editor is set, it failed, or what it saved is no UTF-8.
    """
    editor = next((found for name in VARIABLES if (found := os.environ.get(name, "").strip())), None)
    if editor is None:
        raise NotEdited(NO_EDITOR)
    with tempfile.TemporaryDirectory(prefix="vault-bridge-", ignore_cleanup_errors=True) as folder:
        file = Path(folder, name)
        try:
            file.write_text(text, encoding="utf-8")
            subprocess.run(_command(editor, str(file)), check=True)  # noqa: S603 - the person's own command
            return file.read_text(encoding="utf-8-sig")
        except subprocess.CalledProcessError as failure:
            raise NotEdited(f"{editor!r} ended with exit code {failure.returncode}. Nothing was changed") from failure
        except (OSError, ValueError) as failure:
            raise NotEdited(f"The text cannot be edited with {editor!r}: {failure}") from failure


def _command(editor: str, file: str) -> str | list[str]:
    """Return the editor with its own arguments, as people write them in the variable, and the file."""
    if sys.platform == "win32":  # where a command is one text, and backslashes are no escapes
        return f"{editor} {subprocess.list2cmdline([file])}"
    return [*shlex.split(editor), file]
