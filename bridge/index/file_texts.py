"""The texts of files that are not notes: kept in a file of their own, and used by searches and tools.

They are kept by the hash of what they were read from: a file that is moved or copied, or of which only the time
changes, is not read again; nor is one that could not be read.
"""

import contextlib
import hashlib
import json
import logging
import sqlite3
import threading
import zlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from bridge.index.store.database import connect_private, remove_file
from bridge.pdf.document import FileText
from bridge.vault.files import FileStat

logger = logging.getLogger(__name__)

VERSION: Final = 2
"""Version of the format, and of how a page becomes text; a file of another version is replaced."""
_TABLES: Final = """
CREATE TABLE texts(digest BLOB PRIMARY KEY, count INTEGER NOT NULL, why TEXT NOT NULL, pages BLOB NOT NULL)
  WITHOUT ROWID;
CREATE TABLE files(path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, digest BLOB NOT NULL)
  WITHOUT ROWID;
"""


class KnownText(NamedTuple):
    """A file whose text is known: its size and time when it was read, and the hash of its bytes."""

    size: int
    mtime_ns: int
    digest: bytes


class FileTextStore:
    """Keeps texts. Any thread may ask.

    Args:
        place: The file; None keeps everything in memory.

    Attributes:
        files: The files whose text is known, by path. It changes: copy it before you go through it.
    """

    def __init__(self, place: Path | None) -> None:
        self._lock = threading.Lock()
        self._connection = _open(place)
        with self._lock:
            rows = self._connection.execute("SELECT path, size, mtime_ns, digest FROM files").fetchall()
        self.files = {path: KnownText(size, mtime_ns, bytes(digest)) for path, size, mtime_ns, digest in rows}

    def known(self, path: str, size: int, mtime_ns: int) -> KnownText | None:
        """Return what is known of a file; None if it is not as it was when it was read."""
        known = self.files.get(path)
        return known if known is not None and known[:2] == (size, mtime_ns) else None

    def text(self, digest: bytes) -> FileText | None:
        """Return what was read of a file with this hash; None where it was not read."""
        with self._lock:
            row = self._connection.execute("SELECT count, why, pages FROM texts WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            return None
        count, why, pages = row
        return FileText(tuple(json.loads(zlib.decompress(pages))), count, why)

    def put_text(self, digest: bytes, text: FileText) -> None:
        """Keep what was read of a file with this hash."""
        pages = zlib.compress(json.dumps(text.pages, ensure_ascii=False).encode(), 6)
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO texts VALUES(?, ?, ?, ?)", (digest, text.count, text.why, pages)
            )

    def put_file(self, path: str, known: KnownText) -> None:
        """Note which text a file has."""
        with self._lock:
            self._connection.execute("INSERT OR REPLACE INTO files VALUES(?, ?, ?, ?)", (path, *known))
            self.files[path] = known

    def keep_only(self, paths: Collection[str]) -> None:
        """Forget all files but these; their texts stay until `tidy`, as a file may have another name now."""
        gone = set(self.files).difference(paths)
        if not gone:
            return
        with self._lock:
            self._connection.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in gone))
            self.files = {path: known for path, known in self.files.items() if path not in gone}

    def tidy(self) -> None:
        """Forget the texts that no file has any more."""
        with self._lock:
            self._connection.execute("DELETE FROM texts WHERE digest NOT IN (SELECT digest FROM files)")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def digest_of(data: bytes) -> bytes:
    """Return the hash that a file's text is kept by."""
    return hashlib.blake2b(data, digest_size=16).digest()


def _open(place: Path | None) -> sqlite3.Connection:
    """Return the open file. One that does not fit is replaced; if that fails, the store is in memory."""
    if place is not None:
        for _attempt in range(2):
            try:
                return _opened(place)
            except (OSError, sqlite3.Error) as error:
                logger.warning("The texts in %s cannot be opened (%s); they are read anew", place.name, error)
                with contextlib.suppress(OSError):
                    remove_file(place)
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(_TABLES)
    return connection


def _opened(place: Path) -> sqlite3.Connection:
    connection = connect_private(place)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            connection.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
        elif version != VERSION:
            raise sqlite3.DatabaseError(f"form {version} instead of {VERSION}")
        connection.execute("SELECT count(*) FROM files JOIN texts USING(digest)").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class FileTexts(Protocol):
    """The texts of some kinds of files. Any thread may ask."""

    def reads(self, path: str) -> bool:
        """Return whether a file is of these kinds, by its name."""

    def known(self) -> Mapping[str, KnownText]:
        """Return the files whose text is known, by path, as they were when they were read."""

    def text(self, path: str) -> str | None:
        """Return the text of all pages, as `FileText.text` joins them; None where it is not known."""

    def read(self, file: FileStat, load: Callable[[], bytes], deadline: float) -> FileText:
        """Return the pages of a file, which are read now if they are not known yet. Blocks.

        Args:
            file: The file as it is now.
            load: Returns its bytes; called where they are needed.
            deadline: `Clock.monotonic()` value.

        Raises:
            ExecutionFailed: The process that reads cannot start.
        """


class AllFileTexts:
    """The texts of all kinds of files that are read: of none before the first is added. It is a `FileTexts`."""

    def __init__(self) -> None:
        self._kinds: tuple[FileTexts, ...] = ()

    def add(self, kind: FileTexts) -> None:
        """Know those of a further kind, too."""
        self._kinds = (*self._kinds, kind)

    def reads(self, path: str) -> bool:
        """See `FileTexts`."""
        return any(kind.reads(path) for kind in self._kinds)

    def known(self) -> Mapping[str, KnownText]:
        """See `FileTexts`."""
        return {path: known for kind in self._kinds for path, known in kind.known().items()}

    def text(self, path: str) -> str | None:
        """See `FileTexts`."""
        return next((kind.text(path) for kind in self._kinds if kind.reads(path)), None)

    def read(self, file: FileStat, load: Callable[[], bytes], deadline: float) -> FileText:
        """See `FileTexts`."""
        for kind in self._kinds:
            if kind.reads(str(file.path)):
                return kind.read(file, load, deadline)
        return FileText(why="Files of this kind are not read here")
