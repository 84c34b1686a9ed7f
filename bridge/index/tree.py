"""The vault's files and folders as they were seen last, in memory, in the order of a walk."""

import threading
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter

from bridge.index.knowledge import IndexedFile
from bridge.vault.text import is_note

_Key = tuple[str, ...]
_by_path = itemgetter(0)


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
        """How many of the files are notes."""
        return self._notes

    def get(self, path: str) -> IndexedFile | None:
        """One file, by its exact path."""
        return self._files.get(path)

    def has_folder(self, path: str) -> bool:
        """Whether a folder is known; the vault itself always is."""
        return path in self._folders

    def files(self) -> tuple[IndexedFile, ...]:
        """Every file, in the order of a walk."""
        found = self._snapshot
        if found is None:
            with self._lock:
                found = self._snapshot = tuple(chain.from_iterable(self._folders["/".join(key)] for key in self._order))
        return found

    def folders(self) -> tuple[str, ...]:
        """Every folder but the vault itself, in the order of a walk."""
        found = self._folder_snapshot
        if found is None:
            with self._lock:
                found = self._folder_snapshot = tuple("/".join(key) for key in self._order[1:])
        return found

    def inside(self, folder: str) -> tuple[IndexedFile, ...]:
        """The files that lie in a folder itself, by name."""
        return self._folders.get(folder, ())

    def below(self, folder: str) -> list[str]:
        """The folder and all those inside it, in the order of a walk; nothing when it is not known."""
        if folder not in self._folders:
            return []
        start = _key(folder)
        with self._lock:
            first = bisect_left(self._order, start)
            return ["/".join(key) for key in self._within(first, start)]

    # -- changing -----------------------------------------------------------------------------------------------

    def fill(self, folders: Mapping[str, Sequence[IndexedFile]]) -> None:
        """All there is, in place of what was known: every folder, with the files that lie in it itself, by name."""
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
        """A file appeared or changed. The folders it lies in become known."""
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
        """A file went. Nothing happens when it is not known."""
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
        """All that lies in a folder itself, by name; what was known to lie there and is not among it, went."""
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
        """A folder appeared, and those it lies in."""
        with self._lock:
            self._add_folder(folder)

    def discard_folder(self, folder: str) -> None:
        """A folder went, with the folders and files in it. Nothing happens when it is not known."""
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
    """The folder that a path lies in; empty for the vault itself."""
    return path.rpartition("/")[0]


def walk_key(path: str) -> str:
    """Sorts vault paths as `VaultFiles.walk` meets them: a folder's files by name, then its folders by name.

    Names hold no control characters, so these can mark what kind of name follows and where it ends.
    """
    folder, slash, name = path.rpartition("/")
    before = "\x01" + folder.replace("/", "\x00\x01") + "\x00" if slash else ""
    return f"{before}\x00{name}"


def _key(folder: str) -> _Key:
    return tuple(folder.split("/")) if folder else ()
