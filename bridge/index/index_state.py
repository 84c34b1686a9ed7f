"""All that the index knows, kept in step: files, names and texts in memory, what notes say in SQLite."""

import contextlib
import errno
import gc
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress
from operator import itemgetter, ne
from pathlib import Path
from typing import TypeVar

from bridge.index.knowledge import IndexedFile
from bridge.index.store.database import FILE, remove_file
from bridge.index.store.store import Store
from bridge.index.texts.arena import CHUNK, TextArena, text_entry
from bridge.index.tree import FileReading, Tree
from bridge.notes.names import Names
from bridge.vault.text import is_note

T = TypeVar("T")

logger = logging.getLogger(__name__)

_path, _stamp = itemgetter(0), itemgetter(1, 2)
_TEXTS = "text"
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
_FAILED = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


@contextlib.contextmanager
def made_to_stay() -> Iterator[None]:
    """Make objects that stay without garbage collection, which would take as long again.

    They are still freed when nothing refers to them; only cycles of references are not.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was:
            gc.enable()


class IndexState:
    """The content of the index. Any thread may ask; changes are made under `lock`.

    Args:
        folder: The folder for it between starts; None keeps it in memory.
        vault: The vault's real path.
        on_lost: Called when the stored content of notes is lost and they must be read again.

    Attributes:
        lock: Held while anything changes.
        tree: Files and folders.
        texts: The text of every file.
        store: The content of notes. It may be replaced by another: use `ask`.
        closed: Whether nothing can be asked any more.
        version: Changes whenever the content of notes may have changed.
        unread_notes: Number of notes whose content is not known yet.
    """

    def __init__(self, folder: Path | None, vault: str, on_lost: Callable[[], None]) -> None:
        self.lock = threading.RLock()
        self.tree = Tree()
        self._names: Names | None = None
        with made_to_stay():
            self.texts = TextArena(folder / _TEXTS if folder is not None else None)
        self._folder = folder
        self._vault = vault
        self._on_lost = on_lost
        self._discarded: list[Store] = []
        self.closed = False
        self._unread: set[str] = set()
        self.unread_notes = 0
        self.version = 0
        self.store = _open(folder, vault)

    # -- asking -------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Names:
        """Return the files by name. This is made at the first request: not every start needs it at once."""
        names = self._names
        if names is None:
            with self.lock:
                names = self._names = self._names or Names(file.path for file in self.tree.files())
        return names

    @property
    def unread(self) -> frozenset[str]:
        """Return the files whose content is not known yet."""
        with self.lock:
            return frozenset(self._unread)

    def differs(self, file: IndexedFile) -> bool:
        """Return whether a file's state differs from the one whose content is known."""
        known = self.tree.get(file.path)
        if known is None or file.path in self._unread:
            return True
        return file._replace(created_ns=known.created_ns) != known

    def is_unread(self, path: str) -> bool:
        """Return whether a file's content is not known yet."""
        return path in self._unread

    @property
    def is_whole(self) -> bool:
        """Return whether the content of every file is known."""
        return not self._unread

    def ask(self, question: Callable[[Store], T]) -> T:
        """Return an answer from the store. If its file turns out to be lost, a new one answers, as it fills."""
        while True:
            store = self.store
            try:
                return question(store)
            except sqlite3.Error as error:
                if store.in_memory or self.closed or not _is_of_the_file(error):
                    raise
                self.lose(store, error)

    # -- starting and stopping ----------------------------------------------------------------------------------

    @made_to_stay()
    def load(self) -> bool:
        """Take up what was kept from the last time.

        Returns:
            Whether there was anything.
        """
        listed = self.ask(Store.files)
        texts = self.texts.stamps()
        with self.lock:
            self.tree.fill(listed.folders)
            self._names = None
            self._mark_unread(listed.unsettled)
            files = list(chain.from_iterable(listed.folders.values()))
            paths = list(map(_path, files))
            stale = list(compress(paths, map(ne, map(texts.get, paths), map(_stamp, files))))
            self._mark_unread(stale)
            if stale or len(texts) > len(paths):
                for path in texts.keys() - paths:
                    self.texts.discard(path)
        return bool(files)

    def lose(self, store: Store, error: sqlite3.Error) -> None:
        """Replace a store whose file fails with a new one, in memory if need be, and have everything read again."""
        with self.lock:
            if self.store is not store:
                return
            logger.warning("The index's file failed (%s); the notes are read again", error)
            damaged = _code(error) in _DAMAGED
            self._discarded.append(store)
            folder = self._folder if damaged and len(self._discarded) == 1 else None
            if folder is not None:
                with contextlib.suppress(OSError):
                    remove_file(folder / FILE)
            self.store = _open(folder, self._vault)
            self.version += 1
            self._mark_unread(file.path for file in self.tree.files())
        self._on_lost()

    def checkpoint(self) -> None:
        """Bring what notes say from SQLite's log into its file, before the log grows large. Waits for the disk."""
        self.ask(Store.checkpoint)

    def tidy(self, may_go_on: Callable[[], bool]) -> None:
        """Make searches fast again after many changes, bit by bit."""
        with self.lock:
            if self.ask(Store.clear_worn):
                self._mark_unread(file.path for file in self.tree.files() if is_note(file.path))
                self._on_lost()
                return
        while may_go_on() and self.ask(Store.tidy):
            pass

    def save(self, *, least_text: int = CHUNK) -> None:
        """Keep what is not kept yet. Waits for the disk.

        Args:
            least_text: Bytes of new text for which its chunks are written again.
        """
        try:
            self.texts.save(least_text)
        except OSError as error:
            logger.warning("The vault's texts cannot be kept (%s); the next start reads them again", error.strerror)
        self.checkpoint()

    def copy_to(self, folder: Path) -> None:
        """Write what is known into another folder, in the form that `load` takes up. Raises OSError."""
        try:
            self.ask(lambda store: store.copy_to(folder))
        except sqlite3.Error as error:
            raise OSError(errno.EIO, f"the index cannot be copied ({error})") from error
        self.texts.copy_to(folder / _TEXTS)

    def close(self) -> None:
        """Make the next start fast and close the files, when nobody asks any more."""
        if not self.store.in_memory:
            with contextlib.suppress(sqlite3.Error):
                self.store.keep_files()
        self.closed = True
        for store in (*self._discarded, self.store):
            with contextlib.suppress(sqlite3.Error):
                store.close()

    # -- changing; called with the lock held -----------------------------------------------------------------------

    def see(self, file: IndexedFile) -> None:
        """Record that a file is there; its content is not known yet."""
        known = self.tree.get(file.path)
        born = file.created_ns if known is None else min(file.created_ns, known.created_ns)
        self.tree.put(file._replace(created_ns=born))
        self.names.add(file.path)
        self._mark_unread((file.path,))

    def see_folder(self, folder: str, files: Sequence[IndexedFile], *, changed: Iterable[str]) -> None:
        """Record all that lies in a folder itself, by name; the content of `changed` files is not known yet."""
        known, seen = {file.path for file in self.tree.inside(folder)}, {file.path for file in files}
        self.tree.set_folder(folder, files)
        for path in seen - known:
            self.names.add(path)
        self._mark_unread(changed)
        for path in known - seen:
            self._drop(path)

    def commit(self, readings: Sequence[FileReading], gone: Sequence[str]) -> None:
        """Take in files that were read, and forget files that are no more, in one transaction."""

        def write(store: Store) -> None:
            with store.change() as writing:
                for path in gone:
                    writing.discard(path)
                for reading in readings:
                    if reading.same:
                        writing.touch(reading.file, settled=reading.settled)
                    else:
                        writing.put(reading.file, reading.document, settled=reading.settled)

        self.ask(write)
        for path in gone:
            self.tree.discard(path)
            self._drop(path)
            self.texts.discard(path)
        for reading in readings:
            path = reading.file.path
            if self.tree.get(path) != reading.file:
                self.tree.put(reading.file)
                self.names.add(path)
            held = self.texts.entry(path)
            if not reading.same or held is None or held.stamp != reading.stamp:
                self.texts.put(text_entry(path, reading.data, reading.stamp))
            self._mark_read(path)
        self.version += 1

    def put_text(self, file: IndexedFile, text: str | None) -> bool:
        """Make a file that is no note findable by a text.

        Args:
            file: The file as it was when the text was read.
            text: What was read of it; None if it is found by its name alone again.

        Returns:
            Whether the file is still as it was.
        """
        if self.tree.get(file.path) != file or self.is_unread(file.path):
            return False

        def write(store: Store) -> None:
            with store.change() as writing:
                writing.put_text(file.path, text)

        self.ask(write)
        self.version += 1
        return True

    def set_folders(self, come: Sequence[str], gone: Sequence[str]) -> None:
        """Record folders that appeared, and folders that went; their files are given to `commit`."""
        if not come and not gone:
            return

        def write(store: Store) -> None:
            with store.change() as writing:
                for path in come:
                    writing.put_folder(path)
                for path in gone:
                    writing.discard_folder(path)

        self.ask(write)
        for path in come:
            self.tree.add_folder(path)
        for path in gone:
            self.tree.discard_folder(path)

    def _mark_unread(self, paths: Iterable[str]) -> None:
        for path in paths:
            if path not in self._unread:
                self._unread.add(path)
                self.unread_notes += is_note(path)

    def _mark_read(self, path: str) -> None:
        if path in self._unread:
            self._unread.discard(path)
            self.unread_notes -= is_note(path)

    def _drop(self, path: str) -> None:
        self.names.discard(path)
        self._mark_read(path)


def _open(folder: Path | None, vault: str) -> Store:
    """Return the store in its folder; in memory when that cannot be used."""
    if folder is not None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return Store(folder, vault)
        except (OSError, sqlite3.Error) as error:
            logger.warning("The index cannot be kept (%s); it is made anew at every start", error)
    return Store(None, vault)


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _is_of_the_file(error: sqlite3.Error) -> bool:
    """Return whether the file failed, and not the query."""
    return _code(error) in _DAMAGED - {sqlite3.SQLITE_ERROR} | _FAILED or "no such " in str(error)
