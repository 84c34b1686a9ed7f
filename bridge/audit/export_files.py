"""Where exports go: `.vault-bridge/exports/`, new files only, named by whoever asks."""

import contextlib
import re
import secrets
from collections.abc import Iterator
from typing import Final

from bridge.errors import Conflict, InvalidParameters
from bridge.vault.folder import Folder
from bridge.vault.os_errors import as_failure

FOLDER: Final = "exports"
PLACE: Final = f".vault-bridge/{FOLDER}/"

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,98}[A-Za-z0-9_-])?")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
"""Names that Windows takes for devices."""


def export_name(path: str) -> str:
    """The name of the file that a path means.

    Raises:
        InvalidParameters: It is not a plain name, or leads elsewhere.
    """
    name = path.removeprefix(PLACE)
    if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
        raise InvalidParameters(
            f"'path' is the name of a new file in {PLACE}, of letters, digits, '.', '-' and '_', not {path!r}"
        )
    return name


def write_export(state: Folder, name: str, text: Iterator[str]) -> str:
    """Write an export, whole or not at all.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
        name: From `export_name`.
        text: Piece by piece.

    Returns:
        Its path in the vault.

    Raises:
        Conflict: There is such a file already.
        ExecutionFailed: The disk is full or failed.
    """
    temporary = f".{name}.{secrets.token_hex(4)}.tmp"
    try:
        with _folder(state) as folder:
            try:
                folder.create(temporary, (memoryview(piece.encode()) for piece in text), sync=True)
                folder.move_new(temporary, folder, name)
            except BaseException:
                with contextlib.suppress(OSError):
                    folder.unlink(temporary)
                raise
            folder.sync()
    except FileExistsError:
        raise Conflict(f"{PLACE}{name} is there already; choose another name", code="exists") from None
    except OSError as error:
        raise as_failure(error, f"{PLACE}{name}") from error
    return f"{PLACE}{name}"


def _folder(state: Folder) -> Folder:
    with contextlib.suppress(FileExistsError):
        state.mkdir(FOLDER, mode=0o700)
    return state.child(FOLDER)
