"""The bridge's own files outside the vault, which hold its tokens and keys: whether they are still for one user only.

A program without a sandbox can open them to others, or lock us out of them.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from bridge.records.folder import place, state_folder

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def private_places(vault: Path) -> Iterator[Path]:
    """Yield the folders of one vault's bridge, and the files in them, but for what programs write.

    Args:
        vault: The vault's real path.
    """
    state = state_folder()
    for kind in sorted(state.iterdir()) if state.is_dir() else ():
        folder = place(vault, kind=kind.name)
        if kind.name != "programs" and folder.is_dir() and not folder.is_symlink():
            yield from (kind, folder)
            with contextlib.suppress(OSError):
                yield from sorted(folder.iterdir())


def make_private(vault: Path) -> list[str]:
    """Give those back their permissions that have others now. Returns their names, for people. Blocks.

    Args:
        vault: The vault's real path.
    """
    if os.name != "posix":
        return []
    found: list[str] = []
    for path in private_places(vault):
        with contextlib.suppress(OSError):
            state = path.lstat()
            wanted = stat.S_IRWXU if stat.S_ISDIR(state.st_mode) else stat.S_IRUSR | stat.S_IWUSR
            mode = stat.S_IMODE(state.st_mode)
            if not stat.S_ISLNK(state.st_mode) and (mode & _OTHERS or mode & wanted != wanted):
                path.chmod(wanted)
                found.append(f"{path.relative_to(state_folder())} ({mode:o})")
    return found
