"""The vault's files and folders as they were seen last, in memory, in the order of a walk; and what differs from them.

A sweep compares the disk with them by the files' states alone: nothing is opened.
"""

import os
import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter

from bridge.index.knowledge import IndexedFile
from bridge.vault.files import HAS_CHANGE_TIME, FileStat, VaultFiles, file_stat
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, unsafe_name
from bridge.vault.text import is_note

_Key = tuple[str, ...]
_by_path = itemgetter(0)
States = list[tuple[str, os.stat_result]]
"""The files in a folder by name, hidden ones too."""


class Tree:
    """Files by folder. Readers may be in other threads than the writers; what they are given never changes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, IndexedFile] = {}
        self._folders: dict[str, tuple[IndexedFile, ...]] = {"": ()}
        self._order: list[_Key] = [()]
        self._notes = 0
        self._snapshot: tuple[IndexedFile, ...] | None = ()
        self._folder_snapshot: tuple[str, ...] | None = ()

    # -- asking -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._files)

    @property
    def notes(self) -> int:
        """Return how many of the files are notes."""
        return self._notes

    def get(self, path: str) -> IndexedFile | None:
        """Return one file, by its exact path."""
        return self._files.get(path)

    def has_folder(self, path: str) -> bool:
        """Return whether a folder is known; the vault itself always is."""
        return path in self._folders

    def files(self) -> tuple[IndexedFile, ...]:
        """Return every file, in the order of a walk."""
        found = self._snapshot
        if found is None:
            with self._lock:
                found = self._snapshot = tuple(chain.from_iterable(self._folders["/".join(key)] for key in self._order))
        return found

    def folders(self) -> tuple[str, ...]:
        """Return every folder but the vault itself, in the order of a walk."""
        found = self._folder_snapshot
        if found is None:
            with self._lock:
                found = self._folder_snapshot = tuple("/".join(key) for key in self._order[1:])
        return found

    def inside(self, folder: str) -> tuple[IndexedFile, ...]:
        """Return the files that lie in a folder itself, by name."""
        return self._folders.get(folder, ())

    def below(self, folder: str) -> list[str]:
        """Return the folder and all those inside it, in the order of a walk; nothing when it is not known."""
        if folder not in self._folders:
            return []
        start = _key(folder)
        with self._lock:
            first = bisect_left(self._order, start)
            return ["/".join(key) for key in self._within(first, start)]

    # -- changing -----------------------------------------------------------------------------------------------

    def fill(self, folders: Mapping[str, Sequence[IndexedFile]]) -> None:
        """Replace all that was known: every folder, with the files that lie in it itself, by name."""
        by_path = {file.path: file for files in folders.values() for file in files}
        notes = sum(path.endswith(".md") or is_note(path) for path in by_path)
        with self._lock:
            self._files, self._notes = by_path, notes
            self._folders, self._order = {}, []
            for folder, files in {"": (), **folders}.items():
                self._add_folder(folder)
                self._folders[folder] = tuple(files)
            self._snapshot = self._folder_snapshot = None

    def put(self, file: IndexedFile) -> None:
        """Add or update a file. The folders it lies in become known."""
        folder = parent(file.path)
        with self._lock:
            self._add_folder(folder)
            held = self._folders[folder]
            at = bisect_left(held, file.path, key=_by_path)
            replaced = at < len(held) and held[at].path == file.path
            self._folders[folder] = (*held[:at], file, *held[at + replaced :])
            self._files[file.path] = file
            self._notes += is_note(file.path) and not replaced
            self._snapshot = None

    def discard(self, path: str) -> None:
        """Remove a file. Does nothing if it is not known."""
        with self._lock:
            if self._files.pop(path, None) is None:
                return
            folder = parent(path)
            held = self._folders[folder]
            at = bisect_left(held, path, key=_by_path)
            self._folders[folder] = (*held[:at], *held[at + 1 :])
            self._notes -= is_note(path)
            self._snapshot = None

    def set_folder(self, folder: str, files: Iterable[IndexedFile]) -> None:
        """Set what lies in a folder itself, by name; known files that are not among it are removed."""
        now = tuple(files)
        with self._lock:
            self._add_folder(folder)
            for gone in self._folders[folder]:
                self._files.pop(gone.path, None)
                self._notes -= is_note(gone.path)
            self._folders[folder] = now
            for file in now:
                self._files[file.path] = file
                self._notes += is_note(file.path)
            self._snapshot = None

    def add_folder(self, folder: str) -> None:
        """Add a folder, and those it lies in."""
        with self._lock:
            self._add_folder(folder)

    def discard_folder(self, folder: str) -> None:
        """Remove a folder, with the folders and files in it. Does nothing if it is not known."""
        if not folder:
            return
        start = _key(folder)
        with self._lock:
            if folder not in self._folders:
                return
            first = bisect_left(self._order, start)
            gone = list(self._within(first, start))
            del self._order[first : first + len(gone)]
            for key in gone:
                for file in self._folders.pop("/".join(key)):
                    self._files.pop(file.path, None)
                    self._notes -= is_note(file.path)
            self._snapshot = self._folder_snapshot = None

    def _within(self, first: int, start: _Key) -> Iterator[_Key]:
        for at in range(first, len(self._order)):
            key = self._order[at]
            if key[: len(start)] != start:
                return
            yield key

    def _add_folder(self, folder: str) -> None:
        while folder not in self._folders:
            self._folders[folder] = ()
            insort(self._order, _key(folder))
            self._folder_snapshot = None
            if not folder:
                return
            folder = parent(folder)


def parent(path: str) -> str:
    """Return the folder that a path lies in; empty for the vault itself."""
    return path.rpartition("/")[0]


def walk_key(path: str) -> str:
    """Return a key that sorts paths as `VaultFiles.walk` meets them: a folder's files first, then its folders.

    Names hold no control characters, so these can mark what kind of name follows and where it ends.
    """
    folder, slash, name = path.rpartition("/")
    before = "\x01" + folder.replace("/", "\x00\x01") + "\x00" if slash else ""
    return f"{before}\x00{name}"


def _key(folder: str) -> _Key:
    return tuple(folder.split("/")) if folder else ()


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
    """The folders that a sweep found.

    Attributes:
        folders: Every existing folder.
        come: Those of them that are new, outermost first.
    """

    folders: set[str] = field(default_factory=set)
    come: list[str] = field(default_factory=list)


def indexed(path: str, state: FileStat) -> IndexedFile:
    """Return a file's state as the index keeps it."""
    return IndexedFile(path, state.size, state.mtime_ns, state.created_ns, state.changed_ns)


def sweep(
    files: VaultFiles, tree: Tree, start: VaultPath, found: SweptFolders, stop: Callable[[], bool]
) -> Iterator[ChangedFolder]:
    """Yield every folder that is not as it is known.

    Args:
        files: The vault.
        tree: What is known so far.
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
    """Return whether a folder is unchanged, which is the usual case and must be fast."""
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
