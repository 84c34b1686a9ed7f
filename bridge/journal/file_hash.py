"""The hash of a file on disk, whatever its size."""

import errno
import hashlib
import os

from bridge.vault.folder import Folder

OTHER = "other"
"""Stands for the hash of what is no regular file: never what anybody expects."""
_NOT_REGULAR = {errno.ELOOP, errno.EISDIR, errno.ENXIO}
_WHOLE = 1 << 20
"""Up to this many bytes a file is read in one go."""


def file_hash(folder: Folder, name: str) -> tuple[str, os.stat_result]:
    """The sha256 of a regular file, in hex, and the state of the very file that was hashed.

    Raises:
        OSError: It is not there, no regular file, or cannot be read.
    """
    data, state = folder.read_with_state(name, limit=_WHOLE)
    if len(data) < _WHOLE:
        return hashlib.sha256(data).hexdigest(), state
    digest = hashlib.sha256()
    with folder.open(name) as file:
        while piece := file.read(_WHOLE):
            digest.update(piece)
        return digest.hexdigest(), os.fstat(file.fileno())


def hash_or_none(folder: Folder, name: str) -> str | None:
    """The sha256 of a file, `OTHER` for a link, a folder or a device, and None when nothing has the name.

    Raises:
        OSError: It cannot be read.
    """
    try:
        return file_hash(folder, name)[0]
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _NOT_REGULAR:
            return OTHER
        raise
