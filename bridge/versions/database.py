"""The file in which it all is: SQLite, in the user's state folder, compressed, content-addressed, within its budget.

One transaction holds a file's bytes, what is known of it and what became of it, so a kill or a torn end leaves either
all of that or nothing, and the next look at the vault finds what is missing.
"""

import contextlib
import hashlib
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from backports import zstd

from bridge.versions.states import Effect, Known, Origin, Side, TimedEffect, Unknown

NAME = "versions.db"
MEGABYTE = 1 << 20
_PAGE = 4096
_LEVEL = 1
_SCHEMA_VERSION = 2
_RESERVE = 5
"""The share of the budget that is left to SQLite's log: one in so many."""
_AT_ONCE = 16
"""Contents that are let go in one transaction, at most: each is overwritten, and so is in the log."""

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE contents (digest BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, packed INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, changed_ns INTEGER, digest BLOB, seen REAL,
    is_foreign INTEGER, file_id TEXT) WITHOUT ROWID;
CREATE INDEX files_digest ON files (digest);
CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, began REAL, ended REAL, unattended INTEGER,
    origin TEXT);
CREATE TABLE effects (entry INTEGER, path TEXT, was BLOB, became BLOB, began REAL, ended REAL,
    file_id TEXT, PRIMARY KEY (entry, path)) WITHOUT ROWID;
CREATE INDEX effects_file ON effects (entry, file_id) WHERE file_id IS NOT NULL;
CREATE INDEX effects_path ON effects (path);
CREATE INDEX effects_was ON effects (was);
CREATE INDEX effects_became ON effects (became);
CREATE TABLE versions (id INTEGER PRIMARY KEY, path TEXT, digest BLOB, since REAL, until REAL, is_between INTEGER,
    is_foreign INTEGER);
CREATE INDEX versions_path ON versions (path);
CREATE INDEX versions_digest ON versions (digest);
CREATE INDEX versions_until ON versions (until);
"""
_FROM_FIRST = """
ALTER TABLE effects ADD COLUMN began REAL;
ALTER TABLE effects ADD COLUMN ended REAL;
ALTER TABLE effects ADD COLUMN file_id TEXT;
CREATE INDEX effects_file ON effects (entry, file_id) WHERE file_id IS NOT NULL;
ALTER TABLE files ADD COLUMN file_id TEXT;
ALTER TABLE entries ADD COLUMN origin TEXT;
UPDATE effects SET began = (SELECT began FROM entries WHERE number = entry),
    ended = (SELECT ended FROM entries WHERE number = entry);
"""
"""Makes a file of the first version into one of this."""
_UNUSED_BEFORE = (
    "WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.digest = contents.digest)"
    " AND NOT EXISTS (SELECT 1 FROM versions WHERE versions.digest = contents.digest)"
    " AND NOT EXISTS (SELECT 1 FROM effects WHERE effects.was = contents.digest)"
)
_UNUSED = f"{_UNUSED_BEFORE} AND NOT EXISTS (SELECT 1 FROM effects WHERE effects.became = contents.digest)"  # noqa: S608 - ours
_DROP_IF_UNUSED = f"DELETE FROM contents {_UNUSED} AND digest = ? RETURNING digest"  # noqa: S608 - no text of others
_MADE = (
    "(is_foreign OR EXISTS (SELECT 1 FROM effects JOIN entries ON entries.number = effects.entry"  # noqa: S608 - ours
    " WHERE effects.path = versions.path AND effects.became = versions.digest AND effects.began <= versions.since"
    f" AND entries.origin = '{Origin.PROGRAM.value}'))"
)
"""SQL condition for versions that another program made, and that are not the person's own."""
_UNKNOWN = b"?"
"""As a hash: there was a file, and its bytes are not known."""


class Content(NamedTuple):
    """Bytes, ready to be kept.

    Attributes:
        digest: SHA-256 of them.
        size: How many they are.
        packed: Whether `data` is compressed.
        data: What is written.
    """

    digest: bytes
    size: int
    packed: bool
    data: bytes


class _Compressors(threading.local):
    """One for each thread: making one takes longer than compressing a note."""

    def __init__(self) -> None:
        self._compressor = zstd.ZstdCompressor(level=_LEVEL)

    def compress(self, data: bytes) -> bytes:
        """Return the bytes compressed, as a frame of their own."""
        return self._compressor.compress(data, zstd.ZstdCompressor.FLUSH_FRAME)


_compressors = _Compressors()


def content_of(data: bytes, digest: bytes | None = None) -> Content:
    """Return bytes as they are kept: compressed, where that makes them fewer."""
    digest = digest or hashlib.sha256(data).digest()
    packed = _compressors.compress(data)
    smaller = len(packed) < len(data)
    return Content(digest, len(data), packed=smaller, data=packed if smaller else data)


class VersionRow(NamedTuple):
    """A state that a file had, as it is kept."""

    path: str
    digest: bytes
    since: float
    until: float
    between: bool
    foreign: bool


class Summary(NamedTuple):
    """The number of files, kept contents and entries in a database.

    Attributes:
        files: Files that are known.
        whole: Those of them whose bytes are kept.
        entries: Entries.
    """

    files: int
    whole: int
    entries: int


def summary_of(path: Path) -> Summary:
    """Return the counts in a database that a bridge may be using. Changes nothing. Raises `sqlite3.Error`.

    Args:
        path: The file.
    """
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        row = database.execute(
            "SELECT (SELECT COUNT(*) FROM files), (SELECT COUNT(*) FROM files JOIN contents USING (digest)),"
            " (SELECT COUNT(*) FROM entries)"
        ).fetchone()
    return Summary(*row)


class Database:
    """The file. Used by one thread at a time. Every method raises `sqlite3.Error` and `OSError` if the disk fails.

    Args:
        folder: Where it lies, for this user only.
        megabytes: The budget.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.path = folder / NAME
        # Made by us, so that SQLite takes its mode over for the files beside it.
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600))
        if os.name == "posix":
            self.path.chmod(0o600)
        self._db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(megabytes)
        except BaseException:
            self._db.close()
            raise

    def _prepare(self, megabytes: int) -> None:
        run = self._db.execute
        if not run("PRAGMA page_count").fetchone()[0]:
            run(f"PRAGMA page_size={_PAGE}")
            run("PRAGMA auto_vacuum=INCREMENTAL")
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=NORMAL")
        run("PRAGMA secure_delete=ON")
        run("PRAGMA temp_store=MEMORY")
        version = run("PRAGMA user_version").fetchone()[0]
        if not 0 <= version <= _SCHEMA_VERSION:
            raise sqlite3.DatabaseError(f"{NAME} is of another version of Vault Bridge")
        self._page = int(run("PRAGMA page_size").fetchone()[0])
        self.set_budget(megabytes)
        if version < _SCHEMA_VERSION:
            with self.writing():
                for statement in (_FROM_FIRST if version else _SCHEMA).strip().split(";"):
                    run(statement)
                run(f"PRAGMA user_version={_SCHEMA_VERSION}")
        self.held: set[bytes] = {
            digest for (digest,) in run("SELECT digest FROM contents ORDER BY digest")
        }  # by the index alone

    def close(self) -> None:
        """Close it, with everything on the disk."""
        with contextlib.suppress(sqlite3.Error):
            self.checkpoint()
        self._db.close()

    # -- the budget ---------------------------------------------------------------------------------------------

    def set_budget(self, megabytes: int) -> None:
        """Say how much of the disk it may take, with SQLite's log."""
        self.budget = megabytes * MEGABYTE
        self.limit = self.budget - self.budget // _RESERVE
        self._db.execute(f"PRAGMA journal_size_limit={self.budget // _RESERVE}")
        # A log of an eighth of its share is brought into the file; what a transaction adds to it fits into the rest.
        self._db.execute(f"PRAGMA wal_autocheckpoint={max(64, self.budget // _RESERVE // 8 // self._page)}")
        # SQLite itself refuses to let the file grow beyond this. It may be larger only until it has been made smaller.
        self._db.execute(f"PRAGMA max_page_count={self.limit // self._page}")

    @property
    def largest(self) -> int:
        """Return the size limit of one stored content: the log has room for it, and for what is removed for it."""
        return self.budget // _RESERVE // 6

    @property
    def used(self) -> int:
        """Return the number of bytes used in the file."""
        pages, free = (self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count"))
        return int(pages - free) * self._page

    @property
    def on_disk(self) -> int:
        """Return the size of all its files on disk, in bytes."""
        return sum(file.stat().st_size for file in self.path.parent.glob(f"{NAME}*"))

    def fits(self, size: int) -> bool:
        """Return whether this many more bytes are within the budget, with what SQLite needs besides."""
        return self.used + size + size // 16 + 64 * self._page <= self.limit

    def shrink(self) -> None:
        """Give the disk back what is no longer used, bit by bit, as it all goes through the log."""
        free = self._free
        while free:
            # `execute` would give back a single page.
            self._db.executescript(f"PRAGMA incremental_vacuum({max(64, self.largest // self._page)})")
            self.checkpoint(truncate=True)
            before, free = free, self._free
            if free >= before:
                break
        self.checkpoint(truncate=True)

    @property
    def _free(self) -> int:
        return int(self._db.execute("PRAGMA freelist_count").fetchone()[0])

    def checkpoint(self, *, truncate: bool = False) -> None:
        """Make everything durable, in the file itself."""
        self._db.execute(f"PRAGMA wal_checkpoint({'TRUNCATE' if truncate else 'PASSIVE'})").fetchall()

    # -- writing ------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Provide one transaction: all that is written within it, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        self._added: set[bytes] = set()
        self._removed: set[bytes] = set()
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            if self._added or self._removed:
                self.held = (self.held - self._added) | self._removed
            raise

    def put_content(self, content: Content) -> None:
        """Keep bytes, once however often they are found."""
        if content.digest not in self.held:
            self._db.execute("INSERT INTO contents VALUES (?, ?, ?, ?)", content)
            self.held.add(content.digest)
            self._added.add(content.digest)

    def drop_unused(self, digests: Iterable[bytes]) -> None:
        """Let those of some contents go that nothing refers to (any more)."""
        for digest in digests:
            self._are_gone(self._db.execute(_DROP_IF_UNUSED, (digest,)).fetchall())

    def put_file(self, path: str, known: Known) -> None:
        """Store what is known of a file."""
        self._db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (path, *known))

    def drop_file(self, path: str) -> None:
        """Remove a file that no longer exists or is no longer recorded."""
        self._db.execute("DELETE FROM files WHERE path = ?", (path,))

    def drop_files(self) -> None:
        """Remove all files."""
        self._db.execute("DELETE FROM files")

    def new_entry(self, moment: float, *, unattended: bool, origin: Origin = Origin.PROGRAM) -> int:
        """Add an entry; return its number."""
        row = self._db.execute(
            "INSERT INTO entries (began, ended, unattended, origin) VALUES (?, ?, ?, ?)",
            (moment, moment, unattended, origin.value),
        )
        return int(row.lastrowid or 0)

    def set_origin(self, number: int, origin: Origin) -> None:
        """Set who made the changes of an entry, once it is known."""
        self._db.execute("UPDATE entries SET origin = ? WHERE number = ?", (origin.value, number))

    def extend_entry(self, number: int, moment: float) -> None:
        """Add one more change to an entry."""
        self._db.execute("UPDATE entries SET ended = ? WHERE number = ?", (moment, number))

    def put_effect(self, number: int, effect: Effect, now: float) -> None:
        """Store what an entry has done to a file so far, replacing what was stored before."""
        self._db.execute(
            "INSERT INTO effects (entry, path, was, became, began, ended, file_id) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)"
            " ON CONFLICT (entry, path) DO UPDATE SET was = ?3, became = ?4, ended = ?5, file_id = ?6",
            (number, effect.path, _to_column(effect.before), _to_column(effect.after), now, effect.file_id),
        )

    def complete_effect(self, number: int, path: str, digest: bytes) -> None:
        """Store the content that an entry left in a file, which was unknown until now."""
        self._db.execute("UPDATE effects SET became = ? WHERE entry = ? AND path = ?", (digest, number, path))

    def drop_effect(self, number: int, path: str) -> None:
        """Remove an effect because the file is as it was before; an entry without effects goes too."""
        self._db.execute("DELETE FROM effects WHERE entry = ? AND path = ?", (number, path))
        self._db.execute(
            "DELETE FROM entries WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM effects WHERE entry = ?1)", (number,)
        )

    def put_version(self, row: VersionRow) -> None:
        """Add a state that a file had."""
        self._db.execute(
            "INSERT INTO versions (path, digest, since, until, is_between, is_foreign) VALUES (?, ?, ?, ?, ?, ?)", row
        )

    def drop_version(self, path: str, until: float) -> None:
        """Remove the states of a file that ended at a moment, which were put into the wrong place."""
        self._db.execute("DELETE FROM versions WHERE path = ? AND until = ?", (path, until))

    def set_meta(self, key: str, value: str | float | None) -> None:
        """Set a value of the database's own."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    # -- letting go ---------------------------------------------------------------------------------------------

    def _are_gone(self, rows: Iterable[tuple[bytes]]) -> None:
        for (digest,) in rows:
            self.held.discard(digest)
            self._removed.add(digest)

    def drop_oldest(self, *, between: bool, foreign: bool | None, before: float, most: int) -> bool:
        """Let the oldest versions of a kind go.

        Args:
            between: Whether those that no entry began with.
            foreign: Whether those of files that another program made; None: of any.
            before: Only those that were seen to end before.
            most: How many.

        Returns:
            Whether there were any.
        """
        return self._drop_versions(
            "is_between = ?1 AND (?2 IS NULL OR is_foreign = ?2) AND until < ?3 ORDER BY until LIMIT ?4",
            (between, foreign, before, most),
            between=between,
            before=before,
        )

    def drop_oldest_made(self, *, before: float) -> bool:
        """Let go what another program had made: the oldest such version of the file that has most bytes of them.

        So a program that writes and writes lets its own versions go.

        Args:
            before: Only those that were seen to end before.

        Returns:
            Whether there was any.
        """
        row = self._db.execute(
            f"SELECT versions.path, max(length(data)) FROM versions JOIN contents USING (digest)"  # noqa: S608 - ours
            f" WHERE until < ? AND {_MADE} GROUP BY versions.path ORDER BY sum(length(data)) DESC LIMIT 1",
            (before,),
        ).fetchone()
        if row is None:
            return False
        path, largest = row
        most = max(1, min(_AT_ONCE, self.largest // max(1, largest)))  # for as many as the log has room
        which = f"path = ?1 AND until < ?2 AND {_MADE} ORDER BY until LIMIT ?3"
        return self._drop_versions(which, (path, before, most), between=False, before=before)

    def _drop_versions(self, which: str, given: tuple[object, ...], *, between: bool, before: float) -> bool:
        rows = self._db.execute(f"SELECT id, path, digest FROM versions WHERE {which}", given).fetchall()  # noqa: S608 - ours
        for number, path, digest in rows:
            self._db.execute("DELETE FROM versions WHERE id = ?", (number,))
            if not between:
                self._db.execute(
                    "UPDATE effects SET was = ? WHERE path = ? AND was = ? AND entry IN"
                    " (SELECT number FROM entries WHERE ended < ?)",
                    (_UNKNOWN, path, digest, before),
                )
        self.drop_unused({digest for _, _, digest in rows})
        return bool(rows)

    def drop_afterwards(self) -> bool:
        """Let some bytes go that entries left and that are no file's any more: only their diffs are lost with them.

        Returns:
            Whether there were any.
        """
        return self._drop_some(f"{_UNUSED_BEFORE} LIMIT {_AT_ONCE}")

    def drop_some_unused(self) -> bool:
        """Let some contents go that nothing refers to (any more).

        Returns:
            Whether there were any.
        """
        return self._drop_some(f"{_UNUSED} LIMIT {_AT_ONCE}")

    def drop_largest(self) -> bool:
        """Let the largest content go, whatever refers to it.

        Returns:
            Whether there was any.
        """
        return self._drop_some("ORDER BY length(data) DESC LIMIT 1")

    def _drop_some(self, which: str) -> bool:
        """Let contents go, as many as the log has room for."""
        size, digests = 0, list[bytes]()
        found = self._db.execute(f"SELECT digest, length(data) FROM contents {which}").fetchall()  # noqa: S608 - ours
        for digest, length in found:
            if not digests or size + length <= self.largest:
                size += length
                digests.append(digest)
        for digest in digests:
            self._db.execute("DELETE FROM contents WHERE digest = ?", (digest,))
        self._are_gone([(digest,) for digest in digests])
        return bool(digests)

    def drop_before(self, moment: float) -> None:
        """Let everything go that ended before a moment. Its bytes are unused then."""
        self._db.execute("DELETE FROM versions WHERE until < ?", (moment,))
        self._db.execute("DELETE FROM effects WHERE entry IN (SELECT number FROM entries WHERE ended < ?)", (moment,))
        self._db.execute("DELETE FROM entries WHERE ended < ?", (moment,))

    def forget(self, path: str) -> bool:
        """Let all earlier versions of a file or of what lies in a folder go, and what entries say of it.

        Their bytes are unused then.

        Returns:
            Whether there was anything.
        """
        found = sum(
            self._db.execute(statement, (path,)).rowcount
            for statement in (
                "DELETE FROM versions WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/'",
                "DELETE FROM effects WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/'",
            )
        )
        self._db.execute("DELETE FROM entries WHERE number NOT IN (SELECT entry FROM effects)")
        return found > 0

    # -- reading ------------------------------------------------------------------------------------------------

    def meta(self, key: str) -> Any:
        """Return a value of the database's own; None if there is none."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def files(self) -> dict[str, Known]:
        """Return every file that is known."""
        rows = self._db.execute("SELECT path, size, mtime_ns, changed_ns, digest, seen, is_foreign, file_id FROM files")
        return {
            path: Known(size, mtime_ns, changed_ns, digest, seen, bool(foreign), file_id)
            for path, size, mtime_ns, changed_ns, digest, seen, foreign, file_id in rows
        }

    def content(self, digest: bytes) -> bytes | None:
        """Return stored bytes; None if they are not kept, or are not what they were."""
        row = self._db.execute("SELECT size, packed, data FROM contents WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            return None
        size, packed, data = row
        try:
            found = zstd.decompress(data) if packed else bytes(data)
        except zstd.ZstdError:
            return None
        return found if len(found) == size and hashlib.sha256(found).digest() == digest else None

    def size(self, digest: bytes) -> int | None:
        """Return the size of stored content in bytes; None if it is not kept."""
        row = self._db.execute("SELECT size FROM contents WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else int(row[0])

    def entries(self) -> list[tuple[int, float, float, bool, Origin]]:
        """Return entries, newest first: number, beginning, end, whether nobody looked, and who made the changes."""
        rows = self._db.execute("SELECT number, began, ended, unattended, origin FROM entries ORDER BY number DESC")
        return [
            (number, began, ended, bool(unattended), Origin(origin or Origin.PROGRAM.value))
            for number, began, ended, unattended, origin in rows
        ]

    def effects(self, number: int) -> list[Effect]:
        """Return the effects of an entry, by path."""
        rows = self._db.execute(
            "SELECT path, was, became, file_id FROM effects WHERE entry = ? ORDER BY path", (number,)
        )
        return [_effect(*row) for row in rows]

    def effect(self, number: int, path: str) -> Effect | None:
        """Return what an entry did to one file."""
        row = self._db.execute(
            "SELECT path, was, became, file_id FROM effects WHERE entry = ? AND path = ?", (number, path)
        ).fetchone()
        return None if row is None else _effect(*row)

    def same_file(self, number: int, effect: Effect) -> Effect | None:
        """Return the other end of a move within an entry: where this file came from, or where it went."""
        row = self._db.execute(
            "SELECT path, was, became, file_id FROM effects WHERE entry = ? AND file_id = ? AND path <> ?"
            " AND CASE WHEN ? THEN was ELSE became END IS NULL",
            (number, effect.file_id, effect.path, effect.after is None),
        ).fetchone()
        return None if row is None else _effect(*row)

    def effects_since(self, moment: float, *, typed: bool) -> list[TimedEffect]:
        """Return what was done to files after a moment, in the order of entries.

        Args:
            moment: The time, in seconds since 1970.
            typed: Whether to include what a person typed.
        """
        rows = self._db.execute(
            "SELECT path, was, became, began, ended FROM effects WHERE ended > ? AND entry NOT IN"
            " (SELECT number FROM entries WHERE origin = ?) ORDER BY entry, path",
            (moment, "" if typed else Origin.TYPED.value),
        )
        return [
            TimedEffect(_effect(path, before, after, None), began, ended) for path, before, after, began, ended in rows
        ]

    def last_entry(self, path: str) -> int | None:
        """Return the last entry that did something to a file."""
        row = self._db.execute("SELECT MAX(entry) FROM effects WHERE path = ?", (path,)).fetchone()
        return None if row is None or row[0] is None else int(row[0])

    def versions(self, path: str) -> list[tuple[float, float, bytes]]:
        """Return the states that a file had, newest first: since when, until when, and the hash."""
        rows = self._db.execute(
            "SELECT since, until, digest FROM versions WHERE path = ? ORDER BY until DESC, id DESC", (path,)
        )
        return rows.fetchall()

    def paths(self) -> set[str]:
        """Return every path that has an earlier version."""
        return {path for (path,) in self._db.execute("SELECT DISTINCT path FROM versions")}


def _effect(path: str, before: bytes | None, after: bytes | None, file_id: str | None) -> Effect:
    return Effect(path, _from_column(before), _from_column(after), file_id=file_id)


def _to_column(side: Side) -> bytes | None:
    return _UNKNOWN if isinstance(side, Unknown) else side


def _from_column(value: bytes | None) -> Side:
    return Unknown.BYTES if value == _UNKNOWN else value


logger = logging.getLogger(__name__)

MADE_SECONDS = 3600.0
"""Seconds for which another program's versions are kept if anything but the person's own can go instead."""

SAFE_SECONDS = 24 * 3600.0
"""Seconds for which the state before an entry is kept whatever the space, if it is the person's."""

SHORT = (
    "The space for earlier versions is used up (setting 'outsideVersionsMegabytes'), so of some files they are not kept"
)


class Retention:
    """The keeping of bytes within the budget, for which older ones go.

    Args:
        now: The time, in seconds since 1970.

    Attributes:
        short: Whether some bytes were not kept for want of space.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.short = False

    def keep(self, database: Database, content: Content) -> None:
        """Keep bytes, making room for them; if there is none, their hash alone is known."""
        size = len(content.data)
        if size > database.largest:
            return
        while not database.fits(size):
            if not self._let_something_go(database):
                if not self.short:
                    logger.warning("%s", SHORT)
                self.short = True
                return
        database.put_content(content)

    def resize(self, database: Database, megabytes: int) -> None:
        """Apply another budget: what is too much goes, and the file is made as small as its content."""
        database.set_budget(megabytes)
        self.short = False
        while database.used > database.limit:
            with database.writing():  # one for each, as all of it goes through the log
                if not self._let_something_go(database):
                    self.short = True  # not even what the files are now fits: the largest go first
                    if not database.drop_largest():
                        break
        database.shrink()
        database.set_budget(megabytes)

    @staticmethod
    def clear(database: Database) -> None:
        """Let the bytes go that nothing refers to any more, and give the disk back what they took."""
        more = True
        while more:
            with database.writing():
                more = database.drop_some_unused()
        database.shrink()

    def look_again(self, database: Database) -> None:
        """Check for free space again after much has gone."""
        self.short = self.short and not database.fits(database.largest)

    def _let_something_go(self, database: Database) -> bool:
        """Let one thing go, what matters least first; returns whether there was anything that may go."""
        now = self._now()
        return (
            database.drop_oldest(between=True, foreign=None, before=now + 1, most=1)
            or database.drop_oldest(between=False, foreign=True, before=now - MADE_SECONDS, most=1)
            or database.drop_afterwards()
            or database.drop_oldest_made(before=now - SAFE_SECONDS)
            or database.drop_oldest_made(before=now + 1)
            or database.drop_oldest(between=False, foreign=None, before=now - SAFE_SECONDS, most=1)
        )
