"""The bridge's own files outside the vault, which hold its tokens and keys: whether they are still for one user only.

A program without a sandbox can open them to others, or lock us out of them.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bridge.client.token_storage import config_folder
from bridge.records.folder import cache_place, place, state_folder

OF_THE_USER: Final = ("tokens", "keys", "tools.json", "tools-approved.json", "mcp.json", "mcp-approved.json")
"""The bridge's files in the folder of the user's configuration, which may hold other programs' files as well."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def private_places(vault: Path) -> Iterator[Path]:
    """Yield the folders of one vault's bridge, the files in them but for what programs write, and tokens and keys.

    Args:
        vault: The vault's real path.
    """
    state = state_folder()
    kinds = sorted(state.iterdir()) if state.is_dir() else []
    for folder in dict.fromkeys([*(place(vault, kind=kind.name) for kind in kinds), cache_place(vault)]):
        if folder.parent.name != "programs" and folder.is_dir() and not folder.is_symlink():
            yield from (folder.parent, folder)
            with contextlib.suppress(OSError):
                yield from sorted(folder.iterdir())
    config = config_folder()
    for name in OF_THE_USER:
        if (config / name).exists():
            yield config / name
            yield from sorted((config / name).rglob("*"))


def make_private(vault: Path) -> list[str]:
    """Give those back their permissions that have others now. Returns their names, for people. Blocks.

    Args:
        vault: The vault's real path.
    """
    if os.name != "posix":
        return []
    found: list[str] = []
    tops = (state_folder(), config_folder(), cache_place(vault).parents[1])
    for path in private_places(vault):
        with contextlib.suppress(OSError):
            state = path.lstat()
            wanted = stat.S_IRWXU if stat.S_ISDIR(state.st_mode) else stat.S_IRUSR | stat.S_IWUSR
            mode = stat.S_IMODE(state.st_mode)
            if not stat.S_ISLNK(state.st_mode) and (mode & _OTHERS or mode & wanted != wanted):
                path.chmod(wanted)
                found.append(f"{path.relative_to(next(top for top in tops if path.is_relative_to(top)))} ({mode:o})")
    return found
