"""The knowledge about notes, in SQLite: one transaction stores what was read, and queries read no note."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from bridge.index.knowledge import NoteFacts, StoredLink, TagCount
from bridge.index.store import file_list
from bridge.index.store.database import PLACE_BITS, Connections, copy_file
from bridge.index.store.file_list import FileList
from bridge.index.store.fulltext import FullText
from bridge.index.store.writer import StoreWriter, folded_tag, pack_text, places, stored_facts, stored_link, unpack_text
from bridge.vault.paths import fold

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
        folder: The folder of the index's file; None keeps it in memory.
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
        """Return a connection to ask, for searches with tables of their own; hold it only briefly."""
        return self._connections.reading()

    @contextmanager
    def writing(self) -> Iterator["StoreWriter"]:
        """Provide a transaction: all that is done in it is seen afterwards, or nothing."""
        with self._connections.writing() as connection:
            yield StoreWriter(connection)

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

    def copy_to(self, folder: Path) -> None:
        """Write another file with all of this into a folder. Others may read and write meanwhile."""
        with self.reading() as connection:
            copy_file(connection, folder)

    def keep_files(self) -> None:
        """Make the next start fast, which must know every file; it is in vain when anything is written afterwards."""
        with self._connections.writing() as connection:
            file_list.keep(connection)

    # -- asking -------------------------------------------------------------------------------------------------

    def files(self) -> FileList:
        """Return every file and folder, as it was when it was taken in."""
        with self.reading() as connection:
            return file_list.read(connection)

    def facts(self, path: str) -> NoteFacts | None:
        """Return what is known about one note."""
        with self.reading() as connection:
            row = connection.execute(
                "SELECT facts FROM files JOIN documents USING(document) WHERE files.path = ?", (_text(path),)
            ).fetchone()
        return None if row is None or row[0] is None else stored_facts(path, row[0])

    def without_document(self) -> list[str]:
        """Return the notes and canvases that are only known by name, by path."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT path FROM files WHERE document IS NULL AND (path LIKE '%.md' OR path LIKE '%.canvas') "
                "ORDER BY path"
            ).fetchall()
        return [path for (path,) in rows]

    def with_text(self, extension: str) -> frozenset[str]:
        """Return the files with an extension that are found by a text which was read of them.

        Args:
            extension: As `.pdf`; case does not matter.
        """
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT path FROM files WHERE path LIKE '%' || ? AND document > coalesce("
                "(SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'cleared'), 0)",
                (extension,),
            ).fetchall()
        return frozenset(path for (path,) in rows)

    def facts_after(self, path: str) -> list[tuple[str, NoteFacts | None]]:
        """Return a page of files, by path, with what is known of those that are notes; an empty one is the last.

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
        """Return the links in one note or canvas, in order."""
        with self.reading() as connection:
            row = connection.execute("SELECT document FROM files WHERE path = ?", (_text(path),)).fetchone()
            if row is None or row[0] is None:
                return []
            rows = connection.execute(
                "SELECT link FROM links WHERE id BETWEEN ? AND ? ORDER BY id", places(row[0])
            ).fetchall()
        return [stored_link(path, link) for (link,) in rows]

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
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT path FROM aliases JOIN documents ON document = id >> ? WHERE folded = ? ORDER BY path",
                (PLACE_BITS, pack_text(fold(alias))),
            ).fetchall()
        return [path for (path,) in rows]

    def tagged(self, tag: str) -> list[str]:
        """Return the notes with a tag or one nested in it, by path."""
        folded = pack_text(folded_tag(tag))
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT path FROM tags JOIN documents ON document = id >> ? "
                "WHERE folded = ? OR (folded > ? AND folded < ?) ORDER BY path",
                (PLACE_BITS, folded, folded + b"/", folded + b"0"),  # "0" comes next after "/"
            ).fetchall()
        return [path for (path,) in rows]

    def tag_counts(self) -> list[TagCount]:
        """Return every tag, the most used first, then by name; spelled as in the first note by path that has it."""
        with self.reading() as connection:
            # Of the columns that are not aggregated, SQLite takes the values of the row with the minimum.
            rows = connection.execute(
                "SELECT tag, sum(uses) AS used, count(*), min(path) FROM tags JOIN documents ON document = id >> ? "
                "GROUP BY folded ORDER BY used DESC, folded",
                (PLACE_BITS,),
            ).fetchall()
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


def _text(path: str) -> str:
    """Return a path that a caller gave, as SQLite takes it: what is no Unicode is the path of no file."""
    return path.encode("utf-8", "replace").decode()
