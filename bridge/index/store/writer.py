"""Writes of one transaction of the store, and the conversion of values to rows and back.

orjson is fast but refuses what a note may well hold: bytes that are no UTF-8 (as lone surrogates), integers of more
than 64 bits, NaN. Python's own json takes those.

Rules are those of docs/obsidian.md.
"""

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import orjson

from bridge.index.file_reading import ParsedFile
from bridge.index.knowledge import IndexedFile, NoteFacts, StoredLink
from bridge.index.store.database import MAX_PLACES, PLACE_BITS
from bridge.index.store.fulltext import FullText
from bridge.notes.names import link_key
from bridge.notes.note import Heading, Link
from bridge.pdf.document import is_pdf
from bridge.pictures.scaling import is_picture
from bridge.vault.paths import fold
from bridge.vault.text import note_name

_SLOW = b"\x00"
"""Prefix of bytes that orjson did not write; JSON never begins with it."""


class StoreWriter:
    """The changes that one transaction makes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
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
            FullText.put(self._connection, number, name=name, text=text)
        self._connection.execute("UPDATE files SET document = ? WHERE path = ?", (number, path))

    def _discard_document(self, path: str, number: int) -> None:
        (facts,) = self._connection.execute(
            "DELETE FROM documents WHERE document = ? RETURNING facts", (number,)
        ).fetchone()
        if (facts is not None or is_pdf(path) or is_picture(path)) and number > self._cleared:
            FullText.discard(self._connection, number)

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
        links = islice(enumerate(document.links, first), MAX_PLACES)
        many(
            "INSERT INTO links VALUES(?, ?, ?)",
            ((place, pack_text(link_key(link.linkpath)), packed_link(link)) for place, link in links),
        )
        if facts is None:
            return number
        if facts.tags:
            many("INSERT INTO tags VALUES(?, ?, ?, ?)", _tag_rows(first, facts.tags))
        if facts.aliases:
            folded = dict.fromkeys(pack_text(fold(alias)) for alias in facts.aliases)
            many("INSERT INTO aliases VALUES(?, ?)", enumerate(folded, first))
        FullText.put(
            self._connection,
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


def packed_link(link: Link) -> bytes:
    """Return a link, to be stored."""
    row = (link.link, link.original, link.display, link.start, link.embed, link.markdown, link.key, link.kind)
    return pack(row)


def stored_link(source: str, data: bytes) -> StoredLink:
    """Return a link, as it was stored."""
    return StoredLink(source, *unpack(data))
