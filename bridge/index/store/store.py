"""The knowledge about notes, in SQLite: one transaction stores what was read, and queries read no note.

Values are stored as JSON. orjson is fast but refuses what a note may well hold: bytes that are no UTF-8 (as lone
surrogates), integers of more than 64 bits, NaN. Python's own json takes those.

Rules are those of docs/obsidian.md.
"""

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import orjson

from bridge.index.knowledge import IndexedFile, NoteFacts, StoredLink, TagCount
from bridge.index.store.database import MAX_PLACES, PLACE_BITS, Connections, FileList, keep_files, read_files
from bridge.index.store.fulltext import FullText
from bridge.index.tree import ParsedFile
from bridge.notes.names import link_key
from bridge.notes.note import Heading
from bridge.pdf.document import is_pdf
from bridge.pictures.scaling import is_picture
from bridge.vault.paths import fold
from bridge.vault.text import note_name

_link_row = attrgetter(*StoredLink._fields[1:])
"""What is stored of a link: all but the file that it is in."""
_SLOW = b"\x00"
"""Prefix of bytes that orjson did not write; JSON never begins with it."""
_PAGE = 500
"""Rows fetched at once: some milliseconds at most."""


class TagUse(NamedTuple):
    """One tag of one note.

    Attributes:
        path: The note.
        folded: The tag, folded, with `#`.
        tag: As the note spells it first.
        uses: How often it is there.
    """

    path: str
    folded: str
    tag: str
    uses: int


class Store(Connections):
    """The index's tables. Every method may be called from any thread.

    Args:
        folder: The folder of the index's file; None keeps it in memory.
        vault: The vault's real path.

    Raises:
        OSError: The folder cannot be used.
        sqlite3.Error: The file cannot be made. Every other method raises it too, when the disk fails.
    """

    @contextmanager
    def change(self) -> Iterator["StoreWriter"]:
        """Provide a transaction: all that is done in it is seen afterwards, or nothing."""
        with self.writing() as connection:
            yield StoreWriter(connection)

    def tidy(self) -> bool:
        """Do a part of what makes searches fast again after many changes.

        Returns:
            Whether there may be more to do.
        """
        with self.writing() as connection:
            return FullText(connection).merge()

    def clear_worn(self) -> bool:
        """Empty the full-text index when most of it is discarded.

        Returns:
            Whether it was emptied: then every note must be put again.
        """
        with self.writing() as connection:
            if not (words := FullText(connection)).worn():
                return False
            words.clear()
            connection.execute(
                "INSERT OR REPLACE INTO meta SELECT 'cleared', coalesce(max(document), 0) FROM documents"
            )
            return True

    def keep_files(self) -> None:
        """Make the next start fast, which must know every file. Any later write undoes this."""
        with self.writing() as connection:
            keep_files(connection)

    # -- asking -------------------------------------------------------------------------------------------------

    def files(self) -> FileList:
        """Return every file and folder, as it was when it was taken in."""
        with self.reading() as connection:
            return read_files(connection)

    def facts(self, path: str) -> NoteFacts | None:
        """Return what is known about one note."""
        rows = self._rows("SELECT facts FROM files JOIN documents USING(document) WHERE files.path = ?", _text(path))
        return stored_facts(path, rows[0][0]) if rows and rows[0][0] is not None else None

    def without_document(self) -> list[str]:
        """Return the notes and canvases that are only known by name, by path."""
        return self._paths(
            "SELECT path FROM files WHERE document IS NULL AND (path LIKE '%.md' OR path LIKE '%.canvas') ORDER BY path"
        )

    def with_text(self, extension: str) -> frozenset[str]:
        """Return the files with an extension that are found by a text which was read of them.

        Args:
            extension: As `.pdf`; case does not matter.
        """
        query = "SELECT path FROM files WHERE path LIKE '%' || ? AND document > coalesce("
        query += "(SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'cleared'), 0)"
        return frozenset(self._paths(query, extension))

    def facts_after(self, path: str) -> list[tuple[str, NoteFacts | None]]:
        """Return a page of files, by path, with what is known of those that are notes; an empty one is the last.

        Args:
            path: Where the page before ended.
        """
        query = "SELECT files.path, facts FROM files LEFT JOIN documents USING(document) WHERE files.path > ? "
        page = self._rows(query + "ORDER BY files.path LIMIT ?", path, _PAGE)
        return [(path, None if facts is None else stored_facts(path, facts)) for path, facts in page]

    def links_from(self, path: str) -> list[StoredLink]:
        """Return the links in one note or canvas, in order."""
        with self.reading() as connection:
            row = connection.execute("SELECT document FROM files WHERE path = ?", (_text(path),)).fetchone()
            if row is None or row[0] is None:
                return []
            rows = connection.execute("SELECT link FROM links WHERE id BETWEEN ? AND ? ORDER BY id", places(row[0]))
            return [stored_link(path, link) for (link,) in rows.fetchall()]

    def all_links(self) -> list[StoredLink]:
        """Return every link, by source and place."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT path, link FROM documents JOIN links ON id BETWEEN document << ?1 AND (document + 1 << ?1) - 1 "
                "ORDER BY path, id",
                (PLACE_BITS,),
            )
            found: list[StoredLink] = []
            while page := rows.fetchmany(_PAGE):
                found.extend(stored_link(path, link) for path, link in page)
        return found

    def links_named(self, keys: Iterable[str]) -> list[StoredLink]:
        """Return every link with one of these keys, by source and place."""
        found: list[tuple[str, int, bytes]] = []
        with self.reading() as connection:
            for key in dict.fromkeys(keys):
                rows = connection.execute(
                    "SELECT path, id, link FROM links JOIN documents ON document = id >> ? WHERE key = ?",
                    (PLACE_BITS, pack_text(key)),
                )
                while page := rows.fetchmany(_PAGE):
                    found.extend(page)
        found.sort(key=itemgetter(0, 1))
        return [stored_link(path, link) for path, _id, link in found]

    def with_alias(self, alias: str) -> list[str]:
        """Return the notes with this alias."""
        query = "SELECT DISTINCT path FROM aliases JOIN documents ON document = id >> ? WHERE folded = ? ORDER BY path"
        return self._paths(query, PLACE_BITS, pack_text(fold(alias)))

    def tagged(self, tag: str) -> list[str]:
        """Return the notes with a tag or one nested in it, by path."""
        folded = pack_text(folded_tag(tag))
        query = "SELECT DISTINCT path FROM tags JOIN documents ON document = id >> ? "
        query += "WHERE folded = ? OR (folded > ? AND folded < ?) ORDER BY path"
        return self._paths(query, PLACE_BITS, folded, folded + b"/", folded + b"0")  # "0" comes next after "/"

    def tag_counts(self) -> list[TagCount]:
        """Return every tag, the most used first, then by name; spelled as in the first note by path that has it."""
        # Of the columns that are not aggregated, SQLite takes the values of the row with the minimum.
        query = "SELECT tag, sum(uses) AS used, count(*), min(path) FROM tags JOIN documents ON document = id >> ? "
        rows = self._rows(query + "GROUP BY folded ORDER BY used DESC, folded", PLACE_BITS)
        return [TagCount(unpack_text(tag), uses, notes) for tag, uses, notes, _first in rows]

    def tag_uses(self) -> Iterator[TagUse]:
        """Yield every tag of every note, by path and place."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT path, folded, tag, uses FROM tags JOIN documents ON document = id >> ? ORDER BY path, id",
                (PLACE_BITS,),
            )
            while page := rows.fetchmany(_PAGE):
                for path, folded, tag, uses in page:
                    yield TagUse(path, unpack_text(folded), unpack_text(tag), uses)

    def _rows(self, query: str, *values: str | bytes | int) -> list[Any]:
        with self.reading() as connection:
            return connection.execute(query, values).fetchall()

    def _paths(self, query: str, *values: str | bytes | int) -> list[str]:
        return [path for (path,) in self._rows(query, *values)]


class StoreWriter:
    """The changes that one transaction makes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._words = FullText(connection)
        connection.execute("DELETE FROM file_list")  # it was made of the tables as they were
        row = connection.execute("SELECT value FROM meta WHERE name = 'cleared'").fetchone()
        self._cleared = int(row[0]) if row else 0
        """Documents up to this number are not in the full-text index: it was emptied after them."""

    def put(self, file: IndexedFile, document: ParsedFile | None, *, settled: bool) -> None:
        """Store a file as it is now, in place of what was known of it.

        Args:
            file: The file.
            document: What it says; None when it is no note or canvas, or cannot be read.
            settled: Whether its bytes are surely those that were read.
        """
        self.discard(file.path)
        number = None if document is None else self._put_document(file.path, document)
        self._connection.execute(
            "INSERT INTO files(path, size, mtime_ns, created_ns, changed_ns, settled, document) "
            "VALUES(?, ?, ?, ?, ?, ?, ?)",
            (*file, settled, number),
        )

    def touch(self, file: IndexedFile, *, settled: bool) -> None:
        """Store a file's state when its bytes have not changed."""
        self._connection.execute(
            "UPDATE files SET size = ?, mtime_ns = ?, created_ns = ?, changed_ns = ?, settled = ? WHERE path = ?",
            (*file[1:], settled, file.path),
        )

    def discard(self, path: str) -> None:
        """Remove a file. Does nothing if it is not known."""
        row = self._connection.execute("DELETE FROM files WHERE path = ? RETURNING document", (path,)).fetchone()
        if row is None or row[0] is None:
            return
        number = row[0]
        rows = places(number)
        for table in ("links", "tags", "aliases"):
            self._connection.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", rows)  # noqa: S608 - constants
        self._discard_document(path, number)

    def put_text(self, path: str, text: str | None) -> None:
        """Make a file that is no note findable by a text; a file that is not known stays unknown.

        Args:
            path: The file.
            text: What was read of it; None if it is found by its name alone again.
        """
        row = self._connection.execute("SELECT document FROM files WHERE path = ?", (path,)).fetchone()
        if row is None:
            return
        if row[0] is not None:
            self._discard_document(path, row[0])
        number = None
        if text is not None:
            made = self._connection.execute("INSERT INTO documents(path, facts) VALUES(?, NULL)", (path,))
            number = int(made.lastrowid or 0)
            # What a picture is called says little: most are pasted, and the program that did that named them.
            name = "" if is_picture(path) else note_name(path)
            self._words.put(number, name=name, text=text)
        self._connection.execute("UPDATE files SET document = ? WHERE path = ?", (number, path))

    def _discard_document(self, path: str, number: int) -> None:
        (facts,) = self._connection.execute(
            "DELETE FROM documents WHERE document = ? RETURNING facts", (number,)
        ).fetchone()
        if (facts is not None or is_pdf(path) or is_picture(path)) and number > self._cleared:
            self._words.discard(number)

    def put_folder(self, path: str) -> None:
        """Add a folder."""
        self._connection.execute("INSERT OR IGNORE INTO folders VALUES(?)", (path,))

    def discard_folder(self, path: str) -> None:
        """Remove a folder."""
        self._connection.execute("DELETE FROM folders WHERE path = ?", (path,))

    def _put_document(self, path: str, document: ParsedFile) -> int:
        execute, many = self._connection.execute, self._connection.executemany
        facts = document.facts
        row = None if facts is None else packed_facts(facts)
        number = int(execute("INSERT INTO documents(path, facts) VALUES(?, ?)", (path, row)).lastrowid or 0)
        first = number << PLACE_BITS
        rows = (
            (place, pack_text(link_key(link.linkpath)), pack(_link_row(link)))
            for place, link in islice(enumerate(document.links, first), MAX_PLACES)
        )
        many("INSERT INTO links VALUES(?, ?, ?)", rows)
        if facts is None:
            return number
        if facts.tags:
            many("INSERT INTO tags VALUES(?, ?, ?, ?)", _tag_rows(first, facts.tags))
        if facts.aliases:
            folded = dict.fromkeys(pack_text(fold(alias)) for alias in facts.aliases)
            many("INSERT INTO aliases VALUES(?, ?)", enumerate(folded, first))
        self._words.put(
            number,
            name=note_name(path),
            headings=[heading.heading for heading in facts.headings],
            aliases=facts.aliases,
            tags=facts.tags,
            text=document.text,
        )
        return number


def folded_tag(tag: str) -> str:
    """Return the form in which tags are compared (rule 63), with `#`."""
    return "#" + fold(tag.removeprefix("#"))


def places(document: int) -> tuple[int, int]:
    """Return the numbers that rows of a document may have."""
    return document << PLACE_BITS, (document + 1 << PLACE_BITS) - 1


def _tag_rows(first: int, tags: Sequence[str]) -> Iterator[tuple[int, bytes, bytes, int]]:
    uses: dict[str, list[str]] = {}
    for tag in tags:
        uses.setdefault(folded_tag(tag), []).append(tag)
    for place, (folded, spelled) in enumerate(uses.items(), first):
        yield place, pack_text(folded), pack_text(spelled[0]), len(spelled)


def pack(value: Any, *, odd: bool = False) -> bytes:
    """Return a value of JSON as bytes. Tuples become lists.

    Args:
        value: The value.
        odd: What `has_odd_number` says of it.
    """
    if odd:
        return _SLOW + json.dumps(value).encode("ascii")
    try:
        return orjson.dumps(value)
    except TypeError:
        return _SLOW + json.dumps(value, default=str, skipkeys=True).encode("ascii")


def unpack(data: bytes) -> Any:
    """Return the value again."""
    return json.loads(data[1:]) if data.startswith(_SLOW) else orjson.loads(data)


def pack_text(text: str) -> bytes:
    """Return a text in the form for looking up rows."""
    return text.encode("utf-8", "surrogatepass")


def unpack_text(data: bytes) -> str:
    """Return the text again."""
    return data.decode("utf-8", "surrogatepass")


def has_odd_number(value: Any) -> bool:
    """Return whether a value holds a number that orjson would write as `null`."""
    if isinstance(value, str):
        return False
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, Mapping):
        return any(map(has_odd_number, value.values()))
    return isinstance(value, list | tuple) and any(map(has_odd_number, value))


def packed_facts(facts: NoteFacts) -> bytes:
    """Return a note's facts, to be stored."""
    headings = [tuple(heading) for heading in facts.headings]
    properties = dict(facts.properties)
    row = [properties, facts.aliases, facts.tags, headings, facts.block_ids, facts.has_base]
    return pack(row, odd=has_odd_number(properties))


def stored_facts(path: str, data: bytes) -> NoteFacts:
    """Return a note's facts, as they were stored."""
    properties, names, tags, headings, ids, has_base = unpack(data)
    titles = tuple(Heading(*row) for row in headings)
    return NoteFacts(path, properties, tuple(names), tuple(tags), titles, tuple(ids), has_base)


def stored_link(source: str, data: bytes) -> StoredLink:
    """Return a link, as it was stored."""
    return StoredLink(source, *unpack(data))


def _text(path: str) -> str:
    """Return a path that a caller gave, as SQLite takes it: what is no Unicode is the path of no file."""
    return path.encode("utf-8", "replace").decode()
