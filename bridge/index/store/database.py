"""The index's file: its tables, how it is opened (as it is when it fits, else rebuilt), and who may use it when.

One connection writes and a few read, each used by one thread at a time.

A note's links, tags and aliases are numbered `document << PLACE_BITS | place`, so that those of one note lie together
and are found and removed without an index of their own.

Every file and folder is also in a few rows (`file_list`), so that a start need not read them one by one. Whatever
writes to the index takes these rows away in the same transaction, so they are never older than the tables they were
made from; when they are missing or damaged, those tables say the same, only more slowly.
"""

import contextlib
import os
import queue
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import orjson

from bridge.index.knowledge import IndexedFile
from bridge.index.store.fulltext import FullText
from bridge.index.texts.arena import portions

FILE_LIST = (
    "CREATE TABLE file_list(part INTEGER PRIMARY KEY, parts INTEGER NOT NULL, crc INTEGER NOT NULL, content BLOB);"
)
_PART = 5000
"""Files in a row: making or reading one takes a few milliseconds."""
_PAGE = 500
"""Rows of a table fetched at once."""
VERSION = 8
"""Of everything that is stored: also to be raised when the parser learns to see something else in a note."""
FILE = "index.sqlite"
FULLTEXT_SEGMENTS = 16
"""Parts of the full-text index before some are made one while something waits; a first build takes half as long."""
READERS = 4
"""More would not be faster: SQLite's work is short, and there are few cores."""
_PRAGMAS = ("temp_store = MEMORY", "wal_autocheckpoint = 0")
"""Checkpoints wait for the disk: they are made when nobody waits for us."""
PLACE_BITS = 24
MAX_PLACES = 1 << PLACE_BITS
_TABLES = f"""
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE folders(path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE files(
  path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, changed_ns INTEGER NOT NULL,
  created_ns INTEGER NOT NULL, document INTEGER, settled INTEGER NOT NULL
) WITHOUT ROWID;
{FILE_LIST}
CREATE TABLE documents(document INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, facts BLOB);
CREATE TABLE links(id INTEGER PRIMARY KEY, key BLOB NOT NULL, link BLOB NOT NULL);
CREATE TABLE tags(id INTEGER PRIMARY KEY, folded BLOB NOT NULL, tag BLOB NOT NULL, uses INTEGER NOT NULL);
CREATE TABLE aliases(id INTEGER PRIMARY KEY, folded BLOB NOT NULL);
CREATE INDEX links_by_key ON links(key);
CREATE INDEX tags_by_name ON tags(folded);
CREATE INDEX aliases_by_name ON aliases(folded);
"""


class Connections:
    """The index's file, open; or an index in memory, which readers and the writer take turns at.

    The readers are opened at once, so that a file that is deleted while it is used loses nothing.

    Args:
        folder: The folder of the file; None keeps everything in memory.
        vault: The vault's real path.

    Raises:
        OSError: The folder cannot be used.
        sqlite3.Error: The file cannot be made.
    """

    def __init__(self, folder: Path | None, vault: str) -> None:
        self.in_memory = folder is None
        self._turn = threading.RLock()
        self._readers: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._all: list[sqlite3.Connection] = []
        if folder is None:
            self._writer = connect(":memory:", *_PRAGMAS)
            self._all.append(self._writer)
            make_tables(self._writer, vault)
            return
        self._writer = open_file(folder, vault)
        self._all.append(self._writer)
        try:
            for _ in range(READERS):
                self._all.append(connect(folder / FILE, *_PRAGMAS))
                self._readers.put(self._all[-1])
        except sqlite3.Error:
            self.close()
            raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Provide a connection for queries. What was committed before is seen; hold it only briefly."""
        if self.in_memory:
            with self._turn:
                yield self._writer
            return
        connection = self._readers.get()
        try:
            yield connection
        finally:
            try:
                if connection.in_transaction:  # raises where it was closed meanwhile
                    connection.execute("ROLLBACK")
            finally:
                self._readers.put(connection)  # whoever waits for it fails too, and ends

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Provide a transaction: all of it is seen afterwards, or nothing."""
        with self._turn:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._writer.execute("ROLLBACK")
                raise

    def checkpoint(self) -> None:
        """Bring what was written from SQLite's log into the file itself. It may wait for the disk."""
        with self.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def copy_to(self, folder: Path) -> None:
        """Write everything into the file of another folder, which only this user can read. Others may go on meanwhile.

        Args:
            folder: The other folder; what is there of an index is replaced.
        """
        remove_file(folder / FILE)
        with self.reading() as connection:
            target = connect_private(folder / FILE, *_PRAGMAS)
            with contextlib.closing(target):
                connection.backup(target)

    def close(self) -> None:
        """Close everything, when nobody asks any more."""
        with self._turn:
            for connection in reversed(self._all):
                connection.close()


def open_file(folder: Path, vault: str) -> sqlite3.Connection:
    """Return the index of a vault, whatever is found in its place: what does not fit is rebuilt.

    Args:
        folder: The folder of the file; it must be there.
        vault: The vault's real path: an index of another vault does not fit.

    Raises:
        OSError: The folder cannot be used.
        sqlite3.Error: The file cannot be made, because the disk is full or fails.
    """
    with contextlib.suppress(sqlite3.Error):
        connection = connect_private(folder / FILE, *_PRAGMAS)
        try:
            if _fits(connection, vault):
                return connection
        except sqlite3.Error:
            connection.close()
            raise
        connection.close()
    remove_file(folder / FILE)
    connection = connect_private(folder / FILE, *_PRAGMAS)
    try:
        make_tables(connection, vault)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def remove_file(place: Path) -> None:
    """Take a file away, with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        place.with_name(place.name + suffix).unlink(missing_ok=True)


def make_tables(connection: sqlite3.Connection, vault: str) -> None:
    """Make an empty index."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    FullText(connection).create()
    connection.execute("INSERT INTO fulltext(fulltext, rank) VALUES('automerge', ?)", (FULLTEXT_SEGMENTS,))
    connection.executemany("INSERT INTO meta VALUES(?, ?)", _identity(vault).items())
    connection.execute("COMMIT")


def connect(place: str | Path, *pragmas: str) -> sqlite3.Connection:
    """Return a connection that any thread may use, one at a time; transactions are begun and ended by hand.

    Nothing waits for the disk: after a crash of the machine the file is whole, and may lack what came last.

    Args:
        place: The file.
        pragmas: How the connection is used, beyond that.
    """
    connection = sqlite3.connect(place, timeout=10, isolation_level=None, check_same_thread=False)
    try:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", *pragmas):
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_private(place: Path, *pragmas: str) -> sqlite3.Connection:
    """Return a connection to a file, readable for this user only. Anything but a plain file is removed first."""
    if place.is_symlink():
        remove_file(place)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    os.close(os.open(place, flags, 0o600))
    place.chmod(0o600)  # what SQLite puts beside it takes its permissions
    return connect(place, *pragmas)


def _fits(connection: sqlite3.Connection, vault: str) -> bool:
    """Return whether this is an index of this vault, in this format."""
    return _identity(vault).items() <= dict(connection.execute("SELECT name, value FROM meta")).items()


def _identity(vault: str) -> dict[str, str]:
    return {"version": str(VERSION), "vault": ascii(vault), "places": str(PLACE_BITS)}


class FileList(NamedTuple):
    """The files and folders that the index knows to be on the disk.

    Attributes:
        folders: Every folder, with the files that lie in it itself, by name.
        unsettled: The files whose bytes may differ from those that were read.
    """

    folders: dict[str, list[IndexedFile]]
    unsettled: list[str]


def read_files(connection: sqlite3.Connection) -> FileList:
    """Return every file and folder, as it was when it was taken in."""
    try:
        kept = _kept(connection)
    except (ValueError, TypeError, LookupError):
        kept = None  # damaged
    return _from_tables(connection) if kept is None else kept


def keep_files(connection: sqlite3.Connection) -> None:
    """Make the rows, if they are missing, in the transaction that is under way."""
    if connection.execute("SELECT 1 FROM file_list").fetchone() is None:
        contents = _contents(_from_tables(connection))
        connection.executemany(
            "INSERT INTO file_list VALUES(?, ?, ?, ?)",
            ((part, len(contents), zlib.crc32(content), content) for part, content in enumerate(contents)),
        )


def _from_tables(connection: sqlite3.Connection) -> FileList:
    folders: dict[str, list[IndexedFile]] = {"": []}
    folders |= {path: [] for (path,) in connection.execute("SELECT path FROM folders ORDER BY path")}
    rows = connection.execute("SELECT path, size, mtime_ns, created_ns, changed_ns FROM files ORDER BY path")
    while page := rows.fetchmany(_PAGE):
        for file in map(IndexedFile._make, page):
            folders.setdefault(file.path.rpartition("/")[0], []).append(file)
    return FileList(folders, [path for (path,) in connection.execute("SELECT path FROM files WHERE NOT settled")])


def _contents(listed: FileList) -> list[bytes]:
    """Return the files in parts: how many of them lie in each folder, and a column of each attribute."""
    contents: list[bytes] = []
    for part in _parts(listed.folders):
        counts = [(folder, len(files)) for folder, files in part]
        columns = list(zip(*(file for _folder, files in part for file in files), strict=True))
        contents.append(orjson.dumps((counts, columns, listed.unsettled if not contents else ())))
    return contents


def _parts(folders: dict[str, list[IndexedFile]]) -> Iterator[list[tuple[str, list[IndexedFile]]]]:
    """Yield the folders with their files, some thousand files at a time; a large folder is in several parts."""
    pieces = (
        (folder, files[start : start + _PART])
        for folder, files in folders.items()
        for start in range(0, len(files) or 1, _PART)
    )
    return portions(pieces, lambda piece: len(piece[1]), _PART)


def _kept(connection: sqlite3.Connection) -> FileList | None:
    """Return the list in the rows; None if there are none, or not all of them.

    Raises:
        ValueError, TypeError, LookupError: They are damaged.
    """
    listed = FileList({}, [])
    rows = connection.execute("SELECT parts, crc, content FROM file_list ORDER BY part").fetchall()
    for parts, crc, content in rows:
        if parts != len(rows) or zlib.crc32(content) != crc:
            return None
        counts, columns, unsettled = orjson.loads(content)
        files = map(IndexedFile._make, zip(*columns, strict=True))
        for folder, count in counts:
            listed.folders.setdefault(folder, []).extend(islice(files, count))
        listed.unsettled.extend(unsettled)
    return listed if rows else None
