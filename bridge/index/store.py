"""What is known of notes, in SQLite: one transaction puts what was read, and asking touches no note."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from bridge.index.connections import Connections
from bridge.index.document import Document, packed_facts, packed_link, stored_facts, stored_link
from bridge.index.fulltext import FullText
from bridge.index.knowledge import IndexedFile, NoteFacts, StoredLink, TagCount
from bridge.index.packing import pack_text, unpack_text
from bridge.index.schema import MAX_PLACES, PLACE_BITS
from bridge.notes.names import link_key, split_link
from bridge.notes.reference import note_name
from bridge.vault.spelling import fold

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


class Store:
    """The index's tables. Every method may be called from any thread.

    Args:
        folder: Where the index's file lies; None keeps it in memory.
        vault: The vault's real path.

    Raises:
        OSError: The folder cannot be used.
        sqlite3.Error: The file cannot be made. Every other method raises it too, when the disk fails.
    """

    def __init__(self, folder: Path | None, vault: str) -> None:
        self._connections = Connections(folder, vault)
        self.in_memory = self._connections.in_memory

    def close(self) -> None:
        """Close the file."""
        self._connections.close()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection to ask, for searches with tables of their own; hold it only briefly."""
        return self._connections.reading()

    @contextmanager
    def writing(self) -> Iterator["Writing"]:
        """A transaction: all that is done in it is seen afterwards, or nothing."""
        with self._connections.writing() as connection:
            yield Writing(connection)

    def checkpoint(self) -> None:
        """Bring what was written into the file itself. It may wait for the disk."""
        self._connections.checkpoint()

    def tidy(self) -> bool:
        """Do a part of what makes searches fast again after many changes.

        Returns:
            Whether there may be more to do.
        """
        with self._connections.writing() as connection:
            return FullText.merge(connection)

    def clear_worn(self) -> bool:
        """Empty the full-text index when most of it is discarded.

        Returns:
            Whether it was emptied: then every note must be put anew.
        """
        with self._connections.writing() as connection:
            if not FullText.worn(connection):
                return False
            FullText.clear(connection)
            connection.execute(
                "INSERT OR REPLACE INTO meta SELECT 'cleared', coalesce(max(document), 0) FROM documents"
            )
            return True

    # -- asking -------------------------------------------------------------------------------------------------

    def files(self) -> list[IndexedFile]:
        """Every file as it was when it was taken in, by path."""
        found: list[IndexedFile] = []
        with self.reading() as connection:
            rows = connection.execute("SELECT path, size, mtime_ns, created_ns, changed_ns FROM files")
            while page := rows.fetchmany(_PAGE):
                found.extend(map(IndexedFile._make, page))
        return found

    def unsettled(self) -> list[str]:
        """The files whose bytes are perhaps not those that were read."""
        with self.reading() as connection:
            return [path for (path,) in connection.execute("SELECT path FROM files WHERE NOT settled")]

    def folders(self) -> list[str]:
        """Every folder."""
        with self.reading() as connection:
            return [path for (path,) in connection.execute("SELECT path FROM folders")]

    def facts(self, path: str) -> NoteFacts | None:
        """What is known of one note."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT facts FROM files JOIN documents USING(document) WHERE files.path = ?", (_text(path),)
            ).fetchone()
        return None if row is None or row[0] is None else stored_facts(path, row[0])

    def facts_after(self, path: str) -> list[tuple[str, NoteFacts | None]]:
        """A page of files, by path, with what is known of those that are notes; an empty one is the last.

        Args:
            path: Where the page before ended.
        """
        with self.reading() as connection:
            page = connection.execute(
                "SELECT files.path, facts FROM files LEFT JOIN documents USING(document) WHERE files.path > ? "
                "ORDER BY files.path LIMIT ?",
                (path, _PAGE),
            ).fetchall()
        return [(path, None if facts is None else stored_facts(path, facts)) for path, facts in page]

    def links_from(self, path: str) -> list[StoredLink]:
        """The links in one note or canvas, in order."""
        with self.reading() as connection:
            row = connection.execute("SELECT document FROM files WHERE path = ?", (_text(path),)).fetchone()
            if row is None or row[0] is None:
                return []
            rows = connection.execute(
                "SELECT link FROM links WHERE id BETWEEN ? AND ? ORDER BY id", _places(row[0])
            ).fetchall()
        return [stored_link(path, link) for (link,) in rows]

    def links_named(self, keys: Iterable[str]) -> list[StoredLink]:
        """Every link with one of these keys, by source and place."""
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
        """The notes that call themselves so."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT path FROM aliases JOIN documents ON document = id >> ? WHERE folded = ? ORDER BY path",
                (PLACE_BITS, pack_text(fold(alias))),
            ).fetchall()
        return [path for (path,) in rows]

    def tagged(self, tag: str) -> list[str]:
        """The notes with a tag or one nested in it, by path."""
        folded = pack_text(folded_tag(tag))
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT path FROM tags JOIN documents ON document = id >> ? "
                "WHERE folded = ? OR (folded > ? AND folded < ?) ORDER BY path",
                (PLACE_BITS, folded, folded + b"/", folded + b"0"),  # "0" comes next after "/"
            ).fetchall()
        return [path for (path,) in rows]

    def tag_counts(self) -> list[TagCount]:
        """Every tag, the most used first, then by name; spelled as in the first note by path that has it."""
        with self.reading() as connection:
            # Of the columns that are not aggregated, SQLite takes the values of the row with the minimum.
            rows = connection.execute(
                "SELECT tag, sum(uses) AS used, count(*), min(path) FROM tags JOIN documents ON document = id >> ? "
                "GROUP BY folded ORDER BY used DESC, folded",
                (PLACE_BITS,),
            ).fetchall()
        return [TagCount(unpack_text(tag), uses, notes) for tag, uses, notes, _first in rows]

    def tag_uses(self) -> Iterator[TagUse]:
        """Every tag of every note, by path and place."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT path, folded, tag, uses FROM tags JOIN documents ON document = id >> ? ORDER BY path, id",
                (PLACE_BITS,),
            )
            while page := rows.fetchmany(_PAGE):
                for path, folded, tag, uses in page:
                    yield TagUse(path, unpack_text(folded), unpack_text(tag), uses)


class Writing:
    """The changes that one transaction makes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        row = connection.execute("SELECT value FROM meta WHERE name = 'cleared'").fetchone()
        self._cleared = int(row[0]) if row else 0
        """Documents up to this number are not in the full-text index: it was emptied after them."""

    def put(self, file: IndexedFile, document: Document | None, *, settled: bool) -> None:
        """A file as it is now, in place of what was known of it.

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
        """A file's state, where its bytes are as they were."""
        self._connection.execute(
            "UPDATE files SET size = ?, mtime_ns = ?, created_ns = ?, changed_ns = ?, settled = ? WHERE path = ?",
            (*file[1:], settled, file.path),
        )

    def discard(self, path: str) -> None:
        """A file went. Nothing happens when it is not known."""
        row = self._connection.execute("DELETE FROM files WHERE path = ? RETURNING document", (path,)).fetchone()
        if row is None or row[0] is None:
            return
        number = row[0]
        places = _places(number)
        for table in ("links", "tags", "aliases"):
            self._connection.execute(f"DELETE FROM {table} WHERE id BETWEEN ? AND ?", places)  # noqa: S608 - constants
        (facts,) = self._connection.execute(
            "DELETE FROM documents WHERE document = ? RETURNING facts", (number,)
        ).fetchone()
        if facts is not None and number > self._cleared:
            FullText.discard(self._connection, number)

    def put_folder(self, path: str) -> None:
        """A folder appeared."""
        self._connection.execute("INSERT OR IGNORE INTO folders VALUES(?)", (path,))

    def discard_folder(self, path: str) -> None:
        """A folder went."""
        self._connection.execute("DELETE FROM folders WHERE path = ?", (path,))

    def _put_document(self, path: str, document: Document) -> int:
        execute, many = self._connection.execute, self._connection.executemany
        facts = document.facts
        row = None if facts is None else packed_facts(facts)
        number = int(execute("INSERT INTO documents(path, facts) VALUES(?, ?)", (path, row)).lastrowid or 0)
        first = number << PLACE_BITS
        links = islice(enumerate(document.links, first), MAX_PLACES)
        many(
            "INSERT INTO links VALUES(?, ?, ?)",
            ((place, pack_text(link_key(split_link(link.link)[0])), packed_link(link)) for place, link in links),
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
    """What tags are compared by (rule 63), with `#`."""
    return "#" + fold(tag.removeprefix("#"))


def _tag_rows(first: int, tags: Sequence[str]) -> Iterator[tuple[int, bytes, bytes, int]]:
    uses: dict[str, list[str]] = {}
    for tag in tags:
        uses.setdefault(folded_tag(tag), []).append(tag)
    for place, (folded, spelled) in enumerate(uses.items(), first):
        yield place, pack_text(folded), pack_text(spelled[0]), len(spelled)


def _places(document: int) -> tuple[int, int]:
    """The numbers that rows of a document may have."""
    return document << PLACE_BITS, (document + 1 << PLACE_BITS) - 1


def _text(path: str) -> str:
    """A path that a caller gave, as SQLite takes it: what is no Unicode is the path of no file."""
    return path.encode("utf-8", "replace").decode()
