"""Comparing the disk with what is known, by the files' states alone: nothing is opened."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bridge.index.file_reading import indexed
from bridge.index.knowledge import IndexedFile
from bridge.index.tree import Tree
from bridge.vault.files import HAS_CHANGE_TIME, VaultFiles, file_stat
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, unsafe_name

States = list[tuple[str, os.stat_result]]
"""The files in a folder by name, hidden ones too."""


@dataclass(slots=True)
class ChangedFolder:
    """One folder that is not as it was known.

    Attributes:
        path: The folder.
        files: All that lies in it itself, by name.
        changed: Those of them that are new or changed.
        gone: What lay in it.
    """

    path: str
    files: list[IndexedFile]
    changed: list[IndexedFile]
    gone: list[str]


@dataclass(slots=True)
class SweptFolders:
    """What a sweep found beside that.

    Attributes:
        folders: Every folder that is there.
        come: Those of them that are new, outermost first.
    """

    folders: set[str] = field(default_factory=set)
    come: list[str] = field(default_factory=list)


def sweep(
    files: VaultFiles, tree: Tree, start: VaultPath, found: SweptFolders, stop: Callable[[], bool]
) -> Iterator[ChangedFolder]:
    """Every folder that is not as it is known.

    Args:
        files: The vault.
        tree: What is known.
        start: Where to begin.
        found: Filled on the way.
        stop: Whether to give up.
    """
    for folder, states in files.walk_states(start):
        if stop():
            return
        path = str(folder.path)
        found.folders.add(path)
        if not tree.has_folder(path):
            found.come.append(path)
        known = tree.inside(path)
        if not _is_as_known(path, states, known):
            different = _compare(folder, states, known)
            if different.changed or different.gone:
                yield different


def _is_as_known(folder: str, states: States, known: tuple[IndexedFile, ...]) -> bool:
    """Whether nothing is to be done, which is so nearly always and should be found out fast."""
    if len(states) != len(known):
        return False
    start = len(folder) + 1 if folder else 0
    for (name, state), (path, size, mtime_ns, _created_ns, changed_ns) in zip(states, known, strict=True):
        if state.st_mtime_ns != mtime_ns or state.st_size != size or path[start:] != name:
            return False
        if HAS_CHANGE_TIME and state.st_ctime_ns != changed_ns:
            return False
    return True


def _compare(folder: Folder, states: States, known: tuple[IndexedFile, ...]) -> ChangedFolder:
    was = {file.path: file for file in known}
    files, changed = [], []
    for name, state in states:
        if name.startswith(".") or unsafe_name(name) is not None:
            continue
        place = folder.path.child(name)
        file = indexed(str(place), file_stat(place, state))
        old = was.pop(file.path, None)
        if old is not None:
            file = file._replace(created_ns=min(file.created_ns, old.created_ns))
        if file != old:
            changed.append(file)
        files.append(file)
    return ChangedFolder(str(folder.path), files, changed, list(was))
