"""Checks that the vault is still the one that was recorded, and that a file is really gone from it."""

import stat
from collections.abc import Iterable

from bridge.vault.root import VaultRoot
from bridge.versions.states import Seen

_SAMPLE = 200
"""Files that are looked for when the vault's folder is another than it was."""


def identity(root: VaultRoot) -> str:
    """Return what tells this folder from another at the same path. Raises OSError if there is none."""
    state = root.path.stat()
    return f"{state.st_dev}:{state.st_ino}"


def is_another(root: VaultRoot, before: str | None, now: str, known: Iterable[str]) -> bool:
    """Return whether another vault lies here now: another folder that lacks most of the expected files.

    Args:
        root: The vault.
        before: What the folder's identity was; None if it was never read.
        now: What it is.
        known: The files that should be there.
    """
    paths = sorted(known)
    if before is None or before == now or not paths:
        return False
    sample = paths[:: max(1, len(paths) // _SAMPLE)]
    there = sum(not is_gone(root, path) for path in sample)
    return there * 2 < len(sample)


def file_id(root: VaultRoot, seen: Seen) -> str | None:
    """Return the system's id for a file, which survives renaming; None if the file has changed since it was read."""
    try:
        state = (root.path / seen.path).lstat()
    except OSError:
        return None
    same = (state.st_size, state.st_mtime_ns) == (seen.size, seen.mtime_ns)
    return f"{state.st_dev:x}:{state.st_ino:x}" if same and state.st_ino else None


def is_gone(root: VaultRoot, path: str) -> bool:
    """Return whether a file is certainly gone: an unreadable file is not, nor one that a cloud has moved out.

    If a folder or a link has its name now, the file is gone.
    """
    place = root.path / path
    try:
        return not stat.S_ISREG(place.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return not place.with_name(f".{place.name}.icloud").exists()
    except OSError:
        return False
