"""Small files of our own, replaced whole: at any moment the old or the new content is there."""

import contextlib
import secrets
from collections.abc import Mapping

from bridge.vault.folder import Folder


def write_atomic(folder: Folder, name: str, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file and make it durable before it takes the name.

    Args:
        folder: Where.
        name: The file's name; an old file of this name is replaced.
        data: All of its bytes.
        mode: Its permissions.

    Raises:
        OSError: The disk is full or failed; the old file is untouched.
    """
    write_all(folder, {name: data}, mode=mode)


def write_all(folder: Folder, files: Mapping[str, bytes], *, mode: int = 0o600) -> None:
    """Write files that belong together: all are durable before the first one takes its name.

    Args:
        folder: Where.
        files: All bytes of each, by its name; old files of these names are replaced.
        mode: Their permissions.

    Raises:
        OSError: The disk is full or failed. Where there was no room for all of them, the old files are untouched.
    """
    temporary = {name: f".{name}.{secrets.token_hex(4)}.tmp" for name in files}
    try:
        for name, data in files.items():
            folder.create(temporary[name], data, mode=mode, sync=True)
        for name in files:
            folder.replace(temporary[name], folder, name)
    except OSError:
        for left in temporary.values():
            with contextlib.suppress(OSError):
                folder.unlink(left)
        raise
    folder.sync()
