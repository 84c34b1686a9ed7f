"""Every file and folder in a few rows, so that a start need not read them one by one.

Whatever writes to the index takes these rows away in the same transaction, so they are never older than the tables they
were made from; when they are missing or damaged, those tables say the same, only more slowly.
"""

import sqlite3
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from bridge.index.knowledge import IndexedFile

TABLE = "CREATE TABLE file_list(part INTEGER PRIMARY KEY, parts INTEGER NOT NULL, crc INTEGER NOT NULL, content BLOB);"
_PART = 5000
"""Files in a row: making or reading one takes a few milliseconds."""
_PAGE = 500
"""Rows of a table fetched at once."""


class FileList(NamedTuple):
    """The files and folders that the index knows to be on the disk.

    Attributes:
        folders: Every folder, with the files that lie in it itself, by name.
        unsettled: The files whose bytes may differ from those that were read.
    """

    folders: dict[str, list[IndexedFile]]
    unsettled: list[str]


def read(connection: sqlite3.Connection) -> FileList:
    """Return every file and folder, as it was when it was taken in."""
    try:
        kept = _kept(connection)
    except (ValueError, TypeError, LookupError):
        kept = None  # damaged
    return _from_tables(connection) if kept is None else kept


def keep(connection: sqlite3.Connection) -> None:
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
    part, size = [], 0
    for piece in pieces:
        part.append(piece)
        size += len(piece[1])
        if size >= _PART:
            yield part
            part, size = [], 0
    yield part


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
        _take(listed, *orjson.loads(content))
    return listed if rows else None


def _take(listed: FileList, counts: list[tuple[str, int]], columns: list[list[Any]], unsettled: list[str]) -> None:
    files = list(map(IndexedFile._make, zip(*columns, strict=True)))
    start = 0
    for folder, count in counts:
        listed.folders.setdefault(folder, []).extend(files[start : start + count])
        start += count
    listed.unsettled.extend(unsettled)
