"""The hash of a file on disk, whatever its size."""

import hashlib
import os

from bridge.vault.folder import Folder

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
    with folder.open(name) as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno())


def hash_or_none(folder: Folder, name: str) -> str | None:
    """The sha256 of a regular file; None when there is nothing of that name."""
    try:
        return file_hash(folder, name)[0]
    except FileNotFoundError:
        return None
