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
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, cast

from backports import zstd

from bridge.versions.states import Effect, KnownState, Origin, Side, TimedEffect, Unknown

NAME = "versions.db"
MEGABYTE = 1 << 20
_PAGE = 4096
_LEVEL = 1
_SCHEMA_VERSION = 2
_RESERVE = 5
"""The share of the budget that is left to SQLite's log: one in so many."""
_AT_ONCE = 16
"""Contents that are let go in one transaction, at most: each is overwritten, and so is in the log."""

logger = logging.getLogger(__name__)

MADE_SECONDS = 3600.0
"""Seconds for which another program's versions are kept if anything but the person's own can go instead."""

SAFE_SECONDS = 24 * 3600.0
"""Seconds for which the state before an entry is kept whatever the space, if it is the person's."""

SHORT = (
    "The space for earlier versions is used up (setting 'outsideVersionsMegabytes'), so of some files they are not kept"
)

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

    Attributes:
        held: The hashes of the contents that are kept.
        short: Whether some bytes were not kept for want of space.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.short = False
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
        if not self._value("PRAGMA page_count"):
            run(f"PRAGMA page_size={_PAGE}")
            run("PRAGMA auto_vacuum=INCREMENTAL")
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=NORMAL")
        run("PRAGMA secure_delete=ON")
        run("PRAGMA temp_store=MEMORY")
        version = self._value("PRAGMA user_version")
        if not 0 <= version <= _SCHEMA_VERSION:
            raise sqlite3.DatabaseError(f"{NAME} is of another version of Vault Bridge")
        self._page = int(self._value("PRAGMA page_size"))
        self.set_budget(megabytes)
        if version < _SCHEMA_VERSION:
            with self.writing():
                for statement in (_FROM_FIRST if version else _SCHEMA).strip().split(";"):
                    run(statement)
                run(f"PRAGMA user_version={_SCHEMA_VERSION}")
        # By the index alone, as it is ordered.
        self.held: set[bytes] = {digest for (digest,) in run("SELECT digest FROM contents ORDER BY digest")}

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
        return int(self._value("PRAGMA page_count") - self._free) * self._page

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
        return int(self._value("PRAGMA freelist_count"))

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
            self._note(content.digest, self._added, self._removed)

    def drop_unused(self, digests: Iterable[bytes]) -> None:
        """Let those of some contents go that nothing refers to (any more)."""
        for digest in digests:
            self._are_gone(self._db.execute(_DROP_IF_UNUSED, (digest,)).fetchall())

    def put_file(self, path: str, known: KnownState) -> None:
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

    # -- keeping within the budget ------------------------------------------------------------------------------

    def keep(self, content: Content, now: float) -> None:
        """Keep bytes, making room for them; if there is none, their hash alone is known."""
        size = len(content.data)
        if size > self.largest:
            return
        while not self.fits(size):
            if not self._let_something_go(now):
                if not self.short:
                    logger.warning("%s", SHORT)
                self.short = True
                return
        self.put_content(content)

    def resize(self, megabytes: int, now: float) -> None:
        """Apply another budget: what is too much goes, and the file is made as small as its content."""
        self.set_budget(megabytes)
        self.short = False
        while self.used > self.limit:
            with self.writing():  # one for each, as all of it goes through the log
                if not self._let_something_go(now):
                    self.short = True  # not even what the files are now fits: the largest go first
                    if not self._drop_some("ORDER BY length(data) DESC LIMIT 1"):
                        break
        self.shrink()
        self.set_budget(megabytes)

    def clear(self) -> None:
        """Let the bytes go that nothing refers to any more, and give the disk back what they took."""
        more = True
        while more:
            with self.writing():
                more = self._drop_some(f"{_UNUSED} LIMIT {_AT_ONCE}")
        self.shrink()

    def look_again(self) -> None:
        """Check for free space again after much has gone."""
        self.short = self.short and not self.fits(self.largest)

    def _let_something_go(self, now: float) -> bool:
        """Let one thing go, what matters least first; returns whether there was anything that may go.

        With bytes that entries left and that are no file's any more, only the diffs of the entries are lost.
        """
        return (
            self._drop_oldest(between=True, foreign=None, before=now + 1)
            or self._drop_oldest(between=False, foreign=True, before=now - MADE_SECONDS)
            or self._drop_some(f"{_UNUSED_BEFORE} LIMIT {_AT_ONCE}")
            or self._drop_oldest_made(before=now - SAFE_SECONDS)
            or self._drop_oldest_made(before=now + 1)
            or self._drop_oldest(between=False, foreign=None, before=now - SAFE_SECONDS)
        )

    # -- letting go ---------------------------------------------------------------------------------------------

    def _are_gone(self, rows: Iterable[tuple[bytes]]) -> None:
        for (digest,) in rows:
            self.held.discard(digest)
            self._note(digest, self._removed, self._added)

    @staticmethod
    def _note(digest: bytes, done: set[bytes], undone: set[bytes]) -> None:
        """Note what a transaction has done, for the case that it fails: what it has also undone is as before."""
        if digest in undone:
            undone.remove(digest)
        else:
            done.add(digest)

    def _drop_oldest(self, *, between: bool, foreign: bool | None, before: float) -> bool:
        """Let the oldest version of a kind go.

        Args:
            between: Whether those that no entry began with.
            foreign: Whether those of files that another program made; None: of any.
            before: Only those that were seen to end before.

        Returns:
            Whether there was any.
        """
        which = "is_between = ?1 AND (?2 IS NULL OR is_foreign = ?2) AND until < ?3 ORDER BY until LIMIT 1"
        return self._drop_versions(which, (between, foreign, before), between=between, before=before)

    def _drop_oldest_made(self, *, before: float) -> bool:
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

    def _value(self, query: str, *given: object) -> Any:
        row = self._db.execute(query, given).fetchone()
        return None if row is None else row[0]

    def meta(self, key: str) -> Any:
        """Return a value of the database's own; None if there is none."""
        return self._value("SELECT value FROM meta WHERE key = ?", key)

    def files(self) -> dict[str, KnownState]:
        """Return every file that is known."""
        rows = self._db.execute("SELECT path, size, mtime_ns, changed_ns, digest, seen, is_foreign, file_id FROM files")
        return {
            path: KnownState(size, mtime_ns, changed_ns, digest, seen, bool(foreign), file_id)
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
        return cast("int | None", self._value("SELECT size FROM contents WHERE digest = ?", digest))

    def entries(self) -> list[tuple[int, float, float, bool, Origin]]:
        """Return entries, newest first: number, beginning, end, whether nobody looked, and who made the changes."""
        rows = self._db.execute("SELECT number, began, ended, unattended, origin FROM entries ORDER BY number DESC")
        return [
            (number, began, ended, bool(unattended), Origin(origin or Origin.PROGRAM.value))
            for number, began, ended, unattended, origin in rows
        ]

    def effects(self, number: int) -> list[Effect]:
        """Return the effects of an entry, by path."""
        return self._effects("entry = ? ORDER BY path", number)

    def effect(self, number: int, path: str) -> Effect | None:
        """Return what an entry did to one file."""
        return next(iter(self._effects("entry = ? AND path = ?", number, path)), None)

    def same_file(self, number: int, effect: Effect) -> Effect | None:
        """Return the other end of a move within an entry: where this file came from, or where it went."""
        which = "entry = ? AND file_id = ? AND path <> ? AND CASE WHEN ? THEN was ELSE became END IS NULL"
        found = self._effects(which, number, effect.file_id, effect.path, effect.after is None)
        return next(iter(found), None)

    def _effects(self, which: str, *given: object) -> list[Effect]:
        query = f"SELECT path, was, became, file_id FROM effects WHERE {which}"  # noqa: S608 - ours
        return [_effect(*row) for row in self._db.execute(query, given)]

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
        return cast("int | None", self._value("SELECT MAX(entry) FROM effects WHERE path = ?", path))

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
