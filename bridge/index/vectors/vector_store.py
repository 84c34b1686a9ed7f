"""The vectors of all notes, passage by passage: kept in files, and the nearest of them found.

SQLite has which passage is in which row, with the signs of its numbers; the numbers, in half precision, are in matrix
files that are mapped and not read as a whole. All signs are in memory: the rows whose signs agree best with those of
the query are candidates, and only for them is the product worked out.

What SQLite says is written after the numbers it speaks of. Should a crash of the machine lose some of those all the
same, their signs do not fit: such a row is left out of answers, and its note is embedded again. Whatever else is wrong
with the files, they are rebuilt.
"""

import contextlib
import hashlib
import logging
import mmap
import shutil
import sqlite3
import sys
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bridge.index.knowledge import IndexedFile
from bridge.index.search.passages import NearPassage
from bridge.index.store.database import connect
from bridge.index.texts.line_patterns import Span

logger = logging.getLogger(__name__)

VERSION = 1
SEGMENT = 8192
"""Rows of one matrix file. A file has its whole size at once, because a mapped one cannot grow everywhere."""
CANDIDATES = 1000
"""Rows whose products are worked out for a query."""

_INDEX = "passages.sqlite"
_SECURE = "secure_delete = ON"
_FREE = -1
_BLOCK = 8
"""Signs are compared in blocks of so many bytes."""

Stamp = tuple[int, int]
"""A file's size and time of change."""
Vectors: TypeAlias = "NDArray[np.float32]"
Vector: TypeAlias = "NDArray[np.float32]"
Halves: TypeAlias = "NDArray[np.float16]"
Signs: TypeAlias = "NDArray[np.uint64]"
Rows: TypeAlias = "NDArray[np.int64]"


class StoreKey(NamedTuple):
    """The identity of stored vectors. Vectors with another one are thrown away.

    Attributes:
        vault: The vault's real path.
        model: The model that made them.
        dimensions: The length of each.
    """

    vault: str
    model: str
    dimensions: int


class EmbeddedNote(NamedTuple):
    """The passages of a note as vectors.

    Attributes:
        path: The note.
        stamp: Of the text that was embedded.
        spans: Where the passages are, in characters.
        vectors: Their vectors, in as many rows.
    """

    path: str
    stamp: Stamp
    spans: Sequence[Span]
    vectors: Vectors


class _Table(NamedTuple):
    """The state of the rows, which never changes, so that searches need no lock.

    Attributes:
        notes: The notes, by number; None if a number is free.
        stamps: The stamp of each note.
        note: The number of each row's note; -1 where a row is free.
        spans: The location of each row's passage.
        signs: The signs of each row's numbers.
    """

    notes: Sequence[str | None]
    stamps: Sequence[Stamp]
    note: NDArray[np.int32]
    spans: NDArray[np.int32]
    signs: Signs


class VectorStore:
    """The store of vectors. One thread changes it; any may ask.

    Args:
        folder: The folder in which it is kept, for this alone; None keeps it in memory.
        key: What the vectors are of.
    """

    def __init__(self, folder: Path | None, key: StoreKey) -> None:
        self.key = key
        self._lock = threading.Lock()
        self._folder = folder
        self._segments: list[Halves] = []
        self._seen: dict[bool, tuple[_Table, object, NDArray[np.bool_]]] = {}
        self._torn: set[str] = set()
        self._connection, self._table = self._open()
        self._numbers = {path: number for number, path in enumerate(self._table.notes) if path is not None}

    # -- asking -------------------------------------------------------------------------------------------------

    def stamps(self) -> dict[str, Stamp]:
        """Return the notes that are embedded, with the stamps of their texts; without those that were found damaged."""
        table = self._table
        return {
            path: stamp
            for path, stamp in zip(table.notes, table.stamps, strict=True)
            if path is not None and path not in self._torn
        }

    def nearest(
        self, vector: Vectors, files: Mapping[str, IndexedFile], count: int, *, openings: bool = False
    ) -> list[NearPassage]:
        """Return the passages nearest to a vector, the nearest first.

        Args:
            vector: Of length 1.
            files: The files that may be found, as they are now: of a note that has changed since, no passage is.
            count: Maximum number.
            openings: Whether only the first passage of each note is compared.
        """
        table = self._table
        usable = self._usable(table, files, openings=openings)
        rows = np.flatnonzero(usable)
        if len(rows) > CANDIDATES:
            asked = signs_of(vector[None, :])[0]
            apart = np.bitwise_count(table.signs ^ asked).sum(axis=1, dtype=np.uint16)
            apart[~usable] = np.iinfo(np.uint16).max
            rows = np.sort(np.argpartition(apart, CANDIDATES - 1)[:CANDIDATES])
        rows, numbers = self._numbers_of(table, rows)
        products = numbers @ vector
        best = np.argsort(-products, kind="stable")[:count]
        found = []
        for at in best:
            row = rows[at]
            path = table.notes[table.note[row]]
            if path is not None:
                start, end = map(int, table.spans[row])
                found.append(NearPassage(path, start, end, float(products[at])))
        return found

    def vectors_of(self, path: str) -> Vectors:
        """Return the vectors of one note's passages."""
        table = self._table
        number = self._numbers.get(path)
        rows = np.flatnonzero(table.note == number) if number is not None else np.zeros(0, np.int64)
        return self._numbers_of(table, rows)[1]

    def usual(self, vector: Vector, least: int) -> tuple[float, float]:
        """Return the usual likeness of this store's passages to a vector: mean and standard deviation.

        Args:
            vector: Of length 1.
            least: With fewer passages both are 0, since they would say nothing.
        """
        table = self._table
        rows = np.flatnonzero(table.note != _FREE)
        if len(rows) < least:
            return 0.0, 0.0
        rows, numbers = self._numbers_of(table, rows[:: max(len(rows) // CANDIDATES, 1)])
        likeness = numbers @ vector
        return (float(likeness.mean()), float(likeness.std())) if len(rows) else (0.0, 0.0)

    @property
    def is_torn(self) -> bool:
        """Return whether some note's vectors were found damaged, so that it must be embedded again."""
        return bool(self._torn)

    @property
    def passages(self) -> int:
        """Return how many passages are embedded."""
        return int(np.count_nonzero(self._table.note != _FREE))

    @property
    def size(self) -> int:
        """Return the size of all files in bytes, or of the memory if there are none."""
        size: int = sum(segment.nbytes for segment in self._segments)
        if self._folder is not None:
            with contextlib.suppress(OSError):
                size += (self._folder / _INDEX).stat().st_size
        return size

    # -- changing -----------------------------------------------------------------------------------------------

    def put(self, notes: Iterable[EmbeddedNote]) -> None:
        """Keep the vectors of some notes, in place of older ones of theirs.

        Raises:
            OSError: They cannot be kept.
            sqlite3.Error: The same.
        """
        self._change([], list(notes))

    def discard(self, paths: Iterable[str]) -> None:
        """Forget some notes. Raises as `put` does."""
        known = [path for path in paths if path in self._numbers]
        if known:
            self._change(known, [])

    def close(self) -> None:
        """Close the files. Nobody may ask afterwards."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._connection.close()

    def _change(self, gone: Collection[str], come: Sequence[EmbeddedNote]) -> None:
        """Forget some notes and keep others, in one transaction: the numbers first, then what speaks of them."""
        with self._lock:
            table = self._table
            changed = [*gone, *(each.path for each in come)]
            note, spans, signs = table.note.copy(), table.spans.copy(), table.signs.copy()
            names, stamps, numbers = list(table.notes), list(table.stamps), dict(self._numbers)
            left = {numbers.pop(path) for path in changed if path in numbers}
            for number in left:
                names[number] = None
            gaps = len(numbers) < len(names)
            free_notes = [number for number, name in enumerate(names) if name is None] if gaps else []
            # Rows that are given up now keep their numbers until it is committed that they are free.
            free_rows = np.flatnonzero(note == _FREE)
            freed = np.flatnonzero(np.isin(note, list(left))) if left else np.zeros(0, np.int64)
            wanted = sum(len(each.spans) for each in come)
            while len(self._segments) * SEGMENT - len(note) + len(free_rows) < wanted:
                self._add_segment()
            if new := len(self._segments) * SEGMENT - len(note):
                note = np.concatenate([note, np.full(new, _FREE, np.int32)])
                spans = np.concatenate([spans, np.zeros((new, 2), np.int32)])
                signs = np.concatenate([signs, np.zeros((new, signs.shape[1]), np.uint64)])
                free_rows = np.flatnonzero(note == _FREE)
            note[freed] = _FREE
            noted: list[tuple[int, str, int, int]] = []
            for each in come:
                number = free_notes.pop() if free_notes else len(names)
                if number == len(names):
                    names.append(None)
                    stamps.append((0, 0))
                names[number], stamps[number], numbers[each.path] = each.path, each.stamp, number
                noted.append((number, each.path, *each.stamp))
            added: list[tuple[int, int, int, int, bytes]] = []
            if wanted:
                rows = free_rows[:wanted]
                halves = np.concatenate([each.vectors for each in come]).astype(np.float16)
                # One write for all: the mapping is let go after each, and nobody else runs meanwhile.
                self._write(rows, halves)
                note[rows] = np.repeat([entry[0] for entry in noted], [len(each.spans) for each in come])
                spans[rows] = np.asarray([span for each in come for span in each.spans], np.int32)
                signs[rows] = signs_of(halves)
                columns = zip(rows.tolist(), note[rows].tolist(), spans[rows].tolist(), signs[rows], strict=True)
                added = [(row, number, *span, bits.tobytes()) for row, number, span, bits in columns]
            with self._connection as connection:
                connection.execute("BEGIN")
                connection.executemany("DELETE FROM passages WHERE row = ?", ((int(row),) for row in freed))
                connection.executemany("DELETE FROM notes WHERE number = ?", ((number,) for number in left))
                connection.executemany("INSERT INTO notes VALUES(?, ?, ?, ?)", noted)
                connection.executemany("INSERT INTO passages VALUES(?, ?, ?, ?, ?)", added)
            self._table = _Table(names, stamps, note, spans, signs)
            self._numbers = numbers
            self._torn.difference_update(changed)
            if len(freed):  # nothing of a note that was deleted or closed stays
                self._write(freed, np.zeros((len(freed), self.key.dimensions), np.float16))

    # -- within -------------------------------------------------------------------------------------------------

    def _usable(self, table: _Table, files: Mapping[str, IndexedFile], *, openings: bool) -> "NDArray[np.bool_]":
        """Return the rows of unchanged notes that may be found; cached until the table or the files change."""
        seen = self._seen.get(openings)
        if seen is not None and seen[0] is table and seen[1] is files:
            return seen[2]
        current = np.zeros(len(table.notes) + 1, bool)  # the last one is for free rows
        for number, (path, stamp) in enumerate(zip(table.notes, table.stamps, strict=True)):
            file = files.get(path) if path is not None else None
            current[number] = file is not None and (file.size, file.mtime_ns) == stamp
        usable = current[table.note]
        if openings:
            rows = np.flatnonzero(usable)
            usable = np.zeros_like(usable)
            usable[_first_of_each(table.note[rows], table.spans[rows, 0], rows)] = True
        self._seen[openings] = table, files, usable
        return usable

    def _numbers_of(self, table: _Table, rows: Rows) -> tuple[Rows, Vectors]:
        """Return those of some rows whose vectors are undamaged, and their vectors."""
        numbers = np.zeros((len(rows), self.key.dimensions), np.float16)
        for which, segment in enumerate(self._segments):
            here = rows // SEGMENT == which
            if here.any():
                numbers[here] = segment[rows[here] % SEGMENT]
                _release(segment)
        whole = (signs_of(numbers) == table.signs[rows]).all(axis=1)
        if not whole.all() and table is self._table:
            self._torn.update(path for row in rows[~whole] if (path := table.notes[table.note[row]]) is not None)
        return rows[whole], numbers[whole].astype(np.float32)

    def _write(self, rows: Rows, halves: Halves) -> None:
        for which in np.unique(rows // SEGMENT):
            here = rows // SEGMENT == which
            segment = self._segments[int(which)]
            segment[rows[here] % SEGMENT] = halves[here]
            # Not flushed: Python would hold everything else meanwhile, and what a crash of the machine loses is
            # noticed by its signs.
            _release(segment)

    def _add_segment(self) -> None:
        shape = SEGMENT, self.key.dimensions
        if self._folder is None:
            self._segments.append(np.zeros(shape, np.float16))
        else:
            path = self._folder / _segment_name(len(self._segments))
            self._segments.append(np.memmap(path, np.float16, mode="w+", shape=shape))

    def _open(self) -> tuple[sqlite3.Connection, _Table]:
        """Return the stored vectors, or a new store, in memory if need be."""
        for attempt in range(2):
            if self._folder is None:
                break
            try:
                # Each by itself: parents that `mkdir` makes along the way would be open to others.
                for folder in (self._folder.parent, self._folder):
                    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                return self._load(self._folder)
            except (OSError, sqlite3.Error, ValueError, TypeError) as error:
                if attempt or not isinstance(error, OSError):
                    logger.warning("The vectors that were kept cannot be used (%s); they are made anew", error)
                self._segments = []
                shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None
        connection = connect(":memory:", _SECURE)
        _create(connection, self.key)
        return connection, _empty(self.key)

    def _load(self, folder: Path) -> tuple[sqlite3.Connection, _Table]:
        connection = connect(folder / _INDEX, _SECURE)
        try:
            if _kept_key(connection) is None:
                _create(connection, self.key)
            return connection, self._read(connection, folder)
        except BaseException:
            connection.close()
            raise

    def _read(self, connection: sqlite3.Connection, folder: Path) -> _Table:
        if _kept_key(connection) != (VERSION, *self.key):
            raise ValueError("they are of something else")
        shape = SEGMENT, self.key.dimensions
        while (path := folder / _segment_name(len(self._segments))).exists():
            if path.stat().st_size != SEGMENT * self.key.dimensions * np.dtype(np.float16).itemsize:
                raise ValueError("a file has another size")
            self._segments.append(np.memmap(path, np.float16, mode="r+", shape=shape))
        table = _empty(self.key, len(self._segments) * SEGMENT)
        rows = connection.execute("SELECT row, note, start, stop, signs FROM passages").fetchall()
        listed = connection.execute("SELECT number, path, size, mtime FROM notes").fetchall()
        names: list[str | None] = [None] * (max((number for number, *_ in listed), default=-1) + 1)
        stamps: list[Stamp] = [(0, 0)] * len(names)
        for number, name, size, mtime in listed:
            names[number], stamps[number] = name, (size, mtime)
        if rows:
            places = np.array([row[:4] for row in rows], np.int64)
            if places.min() < 0 or places[:, 0].max() >= len(table.note) or places[:, 1].max() >= len(names):
                raise ValueError("rows are missing")
            table.note[places[:, 0]], table.spans[places[:, 0]] = places[:, 1], places[:, 2:]
            signs = np.frombuffer(b"".join(row[4] for row in rows), np.uint64)
            table.signs[places[:, 0]] = signs.reshape(len(rows), -1)
        return table._replace(notes=names, stamps=stamps)


def signs_of(vectors: "NDArray[np.floating]") -> Signs:
    """Return which numbers of each vector are above zero, as bits."""
    # A number above zero is one as a whole number too, and those are compared many times as fast as halves are.
    packed = np.packbits(vectors.view(f"i{vectors.itemsize}") > 0, axis=1)
    padding = -packed.shape[1] % _BLOCK
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, padding)))).view(np.uint64)


def _first_of_each(notes: "NDArray[Any]", starts: "NDArray[Any]", rows: Rows) -> Rows:
    """Return the row of the first passage of each note.

    Args:
        notes: The number of each row's note.
        starts: Where each row's passage begins.
        rows: The rows.
    """
    order = np.lexsort((starts, notes))
    first = np.ones(len(order), bool)
    first[1:] = notes[order][1:] != notes[order][:-1]
    return np.sort(rows[order[first]])


def folder_of(place: Path, key: StoreKey) -> Path:
    """Return the folder of a model's vectors, where those of all models are."""
    return place / hashlib.sha256(f"{key.model} {key.dimensions}".encode()).hexdigest()[:16]


def kept_store(place: Path, vault: str) -> tuple[Path, StoreKey] | None:
    """Return the folder of vectors that are kept of a vault, whichever model made them; None if there is none.

    Args:
        place: Where the folders are.
        vault: The vault's real path.
    """
    with contextlib.suppress(OSError, sqlite3.Error, ValueError, TypeError):
        for folder in place.iterdir():
            if not (folder / _INDEX).is_file():
                continue
            with contextlib.closing(connect(folder / _INDEX, _SECURE)) as connection:
                kept = _kept_key(connection)
            if kept is not None and kept[:2] == (VERSION, vault):
                return folder, StoreKey(*kept[1:])
    return None


def remove_others(kept: Path) -> None:
    """Remove the folders of other models, beside the one that is kept, as far as the system lets go of them."""
    with contextlib.suppress(OSError):
        for folder in kept.parent.iterdir():
            if folder != kept:
                shutil.rmtree(folder, ignore_errors=True)


def _release(segment: Halves) -> None:
    """Let go of the memory of a file, if it is a mapped one; what is read of it is mapped again, from the cache."""
    mapped: object = segment.base
    if sys.platform != "win32" and isinstance(mapped, mmap.mmap):
        mapped.madvise(mmap.MADV_DONTNEED)


def _kept_key(connection: sqlite3.Connection) -> tuple[int, str, str, int] | None:
    """Return the stored key of the file's vectors; None if the file is new."""
    if not connection.execute("SELECT name FROM sqlite_schema WHERE name = 'made_for'").fetchone():
        return None
    found: tuple[int, str, str, int] | None = connection.execute("SELECT * FROM made_for").fetchone()
    return found or (0, "", "", 0)


def _create(connection: sqlite3.Connection, key: StoreKey) -> None:
    with connection:
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE made_for(version INTEGER, vault TEXT, model TEXT, dimensions INTEGER)")
        connection.execute("CREATE TABLE notes(number INTEGER PRIMARY KEY, path TEXT, size INTEGER, mtime INTEGER)")
        connection.execute(
            "CREATE TABLE passages(row INTEGER PRIMARY KEY, note INTEGER, start INTEGER, stop INTEGER, signs BLOB)"
        )
        connection.execute("INSERT INTO made_for VALUES(?, ?, ?, ?)", (VERSION, *key))


def _empty(key: StoreKey, rows: int = 0) -> _Table:
    blocks = signs_of(np.zeros((1, key.dimensions), np.float32)).shape[1]
    return _Table(
        [], [], np.full(rows, _FREE, np.int32), np.zeros((rows, 2), np.int32), np.zeros((rows, blocks), np.uint64)
    )


def _segment_name(number: int) -> str:
    return f"vectors-{number}.f16"
