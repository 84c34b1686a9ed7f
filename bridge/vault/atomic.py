"""Small files of our own, replaced whole: at any moment the old or the new content is there."""

import contextlib
import secrets

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
    temporary = f".{name}.{secrets.token_hex(4)}.tmp"
    try:
        folder.create(temporary, data, mode=mode, sync=True)
        folder.replace(temporary, folder, name)
    except OSError:
        with contextlib.suppress(OSError):
            folder.unlink(temporary)
        raise
    folder.sync()
