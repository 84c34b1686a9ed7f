"""The vault's files and folders as they were seen last, in memory, in the order of a walk; and as the disk has them.

A sweep compares the disk with them by the files' states alone: nothing is opened. Files that differ are read once, for
everything that the index makes of them.

Rules are those of docs/obsidian.md.
"""

import errno
import hashlib
import os
import stat
import threading
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from operator import itemgetter
from typing import Literal, NamedTuple

from bridge.errors import ToolFailure
from bridge.index.knowledge import IndexedFile, NoteFacts
from bridge.index.texts.arena import LARGEST as LARGEST_TEXT
from bridge.index.texts.arena import Stamp
from bridge.notes.canvas import parse_canvas
from bridge.notes.frontmatter import aliases, all_tags
from bridge.notes.markdown import mentions_base, parse_note
from bridge.notes.note import Link, TooMuchWork, Work
from bridge.vault.files import HAS_CHANGE_TIME, FileStat, VaultFiles, file_stat
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, known_path, unsafe_name
from bridge.vault.root import VaultRoot
from bridge.vault.text import HEAD, is_note, is_text

_Key = tuple[str, ...]
_by_path = itemgetter(0)
States = list[tuple[str, os.stat_result]]
"""The files in a folder by name, hidden ones too."""
LARGEST_NOTE = 64 << 20
"""Notes with more bytes are known by their names only."""
RACY_SECONDS = 2.0
"""A file that changed so shortly before it was read may have changed again since, with the same time."""
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ESTALE}


class Tree:
    """Files by folder. Readers may be in other threads than the writers; what they are given never changes.

    Attributes:
        notes: How many of the files are notes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, IndexedFile] = {}
        self._folders: dict[str, tuple[IndexedFile, ...]] = {"": ()}
        self._order: list[_Key] = [()]
        self.notes = 0
        self._snapshot: tuple[IndexedFile, ...] | None = ()
        self._folder_snapshot: tuple[str, ...] | None = ()

    # -- asking -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._files)

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
            self._files, self.notes = by_path, notes
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
            self.notes += is_note(file.path) and not replaced
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
            self.notes -= is_note(path)
            self._snapshot = None

    def set_folder(self, folder: str, files: Iterable[IndexedFile]) -> None:
        """Set what lies in a folder itself, by name; known files that are not among it are removed."""
        now = tuple(files)
        with self._lock:
            self._add_folder(folder)
            for gone in self._folders[folder]:
                self._files.pop(gone.path, None)
                self.notes -= is_note(gone.path)
            self._folders[folder] = now
            for file in now:
                self._files[file.path] = file
                self.notes += is_note(file.path)
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
                    self.notes -= is_note(file.path)
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


class NotAFile(Enum):
    """The possible states of a path without a file."""

    FOLDER = "folder"
    NOTHING = "nothing"


class ParsedFile(NamedTuple):
    """The content of a note or canvas.

    Attributes:
        facts: The facts of a note; None for a canvas.
        links: Its links, in order.
        text: Its text, for the full-text search; empty for a canvas, and for a note that is not text.
    """

    facts: NoteFacts | None
    links: tuple[Link, ...]
    text: str


class FileReading(NamedTuple):
    """One file, read.

    Attributes:
        file: As it was when it was read.
        document: What it says; None when it is no note or canvas, cannot be read, or is too much to be understood.
        data: Its bytes, as far as they are wanted for searching; None when they could not be read.
        digest: Of its bytes; shows whether they are still the same.
        settled: Whether its bytes are surely still those.
        same: Whether its bytes are those that were read before; then there is no document.
    """

    file: IndexedFile
    document: ParsedFile | None
    data: bytes | None
    digest: bytes
    settled: bool
    same: bool = False

    @property
    def stamp(self) -> Stamp:
        """Return the stamp by which the texts identify it."""
        return Stamp(self.file.size, self.file.mtime_ns)


def is_visible(path: str) -> bool:
    """Return whether the index may know a path: neither hidden nor in a dot-folder, and nameable (rule 2)."""
    return all(part and not part.startswith(".") and unsafe_name(part) is None for part in path.split("/"))


def open_folder(root: VaultRoot, path: str) -> Folder | None:
    """Return a folder, held open; None when there is none or it cannot be entered. Links are not followed."""
    try:
        return root.folder(known_path(path), follow=False)
    except (ToolFailure, OSError):
        return None


def look(folder: Folder, name: str) -> FileStat | NotAFile:
    """Return the current state of a name in a folder. The index ignores links, pipes and devices."""
    try:
        state = folder.stat(name)
    except (OSError, ValueError):
        return NotAFile.NOTHING
    if stat.S_ISDIR(state.st_mode):
        return NotAFile.FOLDER
    return file_stat(folder.path.child(name), state) if stat.S_ISREG(state.st_mode) else NotAFile.NOTHING


def read(
    folder: Folder, path: str, *, now_ns: int, known: bytes | None = None
) -> FileReading | Literal[NotAFile.NOTHING]:
    """Read a file once, for everything that the index makes of it.

    Args:
        folder: What it lies in.
        path: Its vault path.
        now_ns: The time, in nanoseconds since 1970.
        known: The digest of what is known of it.

    Returns:
        What it says; a file that is there but cannot be read says nothing, and is not settled.
    """
    name = path.rpartition("/")[2]
    try:
        data, state, whole = _wanted(folder, name, path)
    except OSError as error:
        if error.errno in _GONE:
            return NotAFile.NOTHING
        found = look(folder, name)
        if isinstance(found, NotAFile):
            return NotAFile.NOTHING
        return FileReading(indexed(path, found), None, None, b"", settled=False)
    file = indexed(path, file_stat(folder.path.child(name), state))
    digest = hashlib.blake2b(data, digest_size=16).digest()
    same = digest == known
    readable = not same and is_parsed(path, file.size)
    settled = whole and abs(now_ns - file.mtime_ns) > RACY_SECONDS * 1e9
    return FileReading(file, parse_file(path, data) if readable else None, data, digest, settled, same)


def _wanted(folder: Folder, name: str, path: str) -> tuple[bytes, os.stat_result, bool]:
    """Return the bytes that are wanted of a file: all of a note and of any text that is not too large, else the first.

    The last of the three is whether they are all that is wanted, and not of a file that grew while it was read.
    """
    largest = LARGEST_NOTE if is_parsed(path, 0) else LARGEST_TEXT
    if not is_parsed(path, 0):
        head, state = folder.read_with_state(name, limit=HEAD)
        if state.st_size <= HEAD or state.st_size > largest or not is_text(head):
            return head, state, len(head) == min(state.st_size, HEAD)
    data, state = folder.read_with_state(name, limit=largest + 1)
    if len(data) > largest:
        return data[:HEAD], state, state.st_size > largest
    return data, state, len(data) == state.st_size


def is_canvas(path: str) -> bool:
    """Return whether a file is a canvas, which has links too (rule 58)."""
    return path[-7:].lower() == ".canvas"


def is_parsed(path: str, size: int) -> bool:
    """Return whether a file is one that `parse_file` reads."""
    return size <= LARGEST_NOTE and (is_note(path) or is_canvas(path))


def parse_file(path: str, data: bytes) -> ParsedFile | None:
    """Return the content of a note or canvas; None if it is too complex. Invalid UTF-8 becomes surrogates.

    Args:
        path: Its path.
        data: Its bytes.
    """
    text = data.decode("utf-8", "surrogateescape")
    work = Work.of_one_note()
    try:
        if is_canvas(path):
            return ParsedFile(None, tuple(parse_canvas(text, work)), "")
        note = parse_note(text, outline=False, work=work)
    except TooMuchWork:
        return None
    properties, blocks = note.frontmatter or {}, tuple(block.id for block in note.blocks)
    names, tags = tuple(aliases(properties)), tuple(all_tags(note))
    facts = NoteFacts(path, properties, names, tags, note.headings, blocks, mentions_base(text))
    return ParsedFile(facts, note.all_links, text if is_text(data) else "")
