"""Whether the vault is still the one that was recorded, and whether a file is surely gone from it."""

import stat
from collections.abc import Iterable

from bridge.vault.root import VaultRoot

_SAMPLE = 200
"""Files that are looked for when the vault's folder is another than it was."""


def identity(root: VaultRoot) -> str:
    """What tells this folder from another in the same place. Raises OSError where there is none."""
    state = root.path.stat()
    return f"{state.st_dev}:{state.st_ino}"


def is_another(root: VaultRoot, before: str | None, now: str, known: Iterable[str]) -> bool:
    """Whether another vault lies here now: another folder, in which most files are not that should be there.

    Args:
        root: The vault.
        before: What the folder's identity was; None where it was never asked for.
        now: What it is.
        known: The files that should be there.
    """
    paths = sorted(known)
    if before is None or before == now or not paths:
        return False
    sample = paths[:: max(1, len(paths) // _SAMPLE)]
    there = sum(not is_gone(root, path) for path in sample)
    return there * 2 < len(sample)


def is_gone(root: VaultRoot, path: str) -> bool:
    """Whether a file is surely not there: what cannot be looked at is not gone, nor what a cloud has moved out.

    Where a folder or a link has its name now, the file is gone.
    """
    place = root.path / path
    try:
        return not stat.S_ISREG(place.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return not place.with_name(f".{place.name}.icloud").exists()
    except OSError:
        return False
