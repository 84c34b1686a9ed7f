"""The words of every note, in SQLite's full-text index (FTS5).

The index holds words and their places, not the texts (`content=''`). SQLite before 3.43 cannot take a text out of such
an index without being given that text again, so nothing is taken out: each version of a note is a document with a
number of its own, and an old one is noted as discarded and left out of the answers. When many are, `worn` says so, and
the owner of the connection fills a cleared index anew.

Whoever owns the connection also owns its transactions: nothing here begins or ends one.
"""

import sqlite3
import threading
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import orjson

from bridge.errors import DeadlineExceeded
from bridge.index.store.letters import asked, indexed

COLUMNS = ("name", "headings", "aliases", "tags", "text")
WEIGHTS = (8.0, 3.0, 6.0, 3.0, 1.0)
"""Weights of a word in a note's name, headings, aliases and tags, relative to its text."""
MANY_DISCARDED = 2_000
"""Discarded documents that are always tolerated."""
CHECK_EVERY = 20_000
"""Steps of SQLite's machine between two looks at the deadline: some milliseconds."""

_TOKENIZER = "unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''"
"""With the signs on letters, of which the words of Indian scripts and of Thai cannot be bereft."""


T = TypeVar("T")
_FEW_UNKNOWN = 500
"""Unknown documents up to which each is looked up by itself."""


class Ask(Protocol):
    """The way to query the index's tables: `VaultIndex.search`."""

    def __call__(self, question: Callable[[sqlite3.Connection], T], /) -> T:
        """Return the answer."""
        ...


class Scored(NamedTuple):
    """One document that matches, the better the higher its score."""

    document: int
    score: float


class FullText:
    """The tables, as functions of the connection that holds them."""

    @staticmethod
    def create(connection: sqlite3.Connection) -> None:
        """Make the tables, if there are none yet."""
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS fulltext USING fts5({', '.join(COLUMNS)}, content='', "
            f"tokenize='{_TOKENIZER}')"
        )
        connection.execute("CREATE TABLE IF NOT EXISTS fulltext_discarded(document INTEGER PRIMARY KEY)")
        connection.execute("CREATE TABLE IF NOT EXISTS fulltext_made(key BLOB NOT NULL)")
        connection.execute(
            "INSERT INTO fulltext_made SELECT randomblob(16) WHERE NOT EXISTS (SELECT * FROM fulltext_made)"
        )

    @staticmethod
    def clear(connection: sqlite3.Connection) -> None:
        """Empty the tables, to be filled anew; numbers may be used again."""
        connection.execute("INSERT INTO fulltext(fulltext) VALUES('delete-all')")
        connection.execute("DELETE FROM fulltext_discarded")
        connection.execute("UPDATE fulltext_made SET key = randomblob(16)")

    @staticmethod
    def key(connection: sqlite3.Connection) -> bytes:
        """Return a value that differs for each filling of the tables: under one key, a number is always one version."""
        (key,) = connection.execute("SELECT key FROM fulltext_made").fetchone()
        return bytes(key)

    @staticmethod
    def put(
        connection: sqlite3.Connection,
        document: int,
        *,
        name: str,
        headings: Iterable[str] = (),
        aliases: Iterable[str] = (),
        tags: Iterable[str] = (),
        text: str,
    ) -> None:
        """Add one version of one note.

        Args:
            connection: In a transaction.
            document: Its number, never used before (`AUTOINCREMENT`), not even for another version of the note.
            name: Its file's name, without `.md`.
            headings: The texts of its headings.
            aliases: Other names it gives itself.
            tags: Its tags.
            text: All of its text; surrogate escapes are indexed as question marks.
        """
        row = (name, "\n".join(headings), "\n".join(aliases), "\n".join(tags), text)
        connection.execute(
            f"INSERT INTO fulltext(rowid, {', '.join(COLUMNS)}) VALUES(?, ?, ?, ?, ?, ?)",
            (document, *(indexed(_storable(text)) for text in row)),
        )

    @staticmethod
    def discard(connection: sqlite3.Connection, document: int) -> None:
        """Leave a version of a note out of every answer from now on."""
        connection.execute("INSERT OR IGNORE INTO fulltext_discarded VALUES(?)", (document,))

    @staticmethod
    def worn(connection: sqlite3.Connection) -> bool:
        """Return whether so much is discarded that it pays to `clear` the index and fill it anew."""
        (discarded,) = connection.execute("SELECT count(*) FROM fulltext_discarded").fetchone()
        if discarded <= MANY_DISCARDED:
            return False
        (all_of_them,) = connection.execute("SELECT count(*) FROM fulltext_docsize").fetchone()
        return bool(discarded * 2 > all_of_them)

    @staticmethod
    def merge(connection: sqlite3.Connection, pages: int = 500) -> bool:
        """Do a part of the tidying that makes searches fast after many changes.

        Args:
            connection: In a transaction.
            pages: How much to write at most; 500 take some milliseconds.

        Returns:
            Whether there may be more to do.
        """
        before = connection.total_changes
        connection.execute("INSERT INTO fulltext(fulltext, rank) VALUES('merge', ?)", (pages,))
        return connection.total_changes - before > 1

    @staticmethod
    def ranked(
        connection: sqlite3.Connection,
        expression: str,
        *,
        limit: int = -1,
        expired: Callable[[], bool] = lambda: False,
    ) -> list[Scored]:
        """Return the documents that match, best first; of equals, the newest version first.

        The time goes into weighing: every place of every word of the expression is looked at in every document that
        matches. So leave words that are everywhere to `matching`.

        Args:
            connection: Used by nobody else meanwhile.
            expression: In FTS5's language; see `phrase`.
            limit: Maximum number; -1 for all.
            expired: Asked now and then whether to give up.

        Raises:
            DeadlineExceeded: `expired` said so.
        """
        weights = ", ".join(map(str, WEIGHTS))
        rows = _select(
            connection,
            f"SELECT rowid, -bm25(fulltext, {weights}) AS score FROM fulltext WHERE fulltext MATCH ? "  # noqa: S608
            "AND rowid NOT IN (SELECT document FROM fulltext_discarded) ORDER BY score DESC, rowid DESC LIMIT ?",
            (expression, limit),
            expired,
        )
        return [Scored(document, score) for document, score in rows]

    @staticmethod
    def matching(
        connection: sqlite3.Connection, expression: str, *, expired: Callable[[], bool] = lambda: False
    ) -> list[int]:
        """Return every document that matches, by number. Raises what `ranked` raises, and is much cheaper."""
        # All in one row: to take thousands of rows from SQLite takes longer than to find them.
        ((numbers,),) = _select(
            connection,
            "SELECT group_concat(rowid) FROM fulltext WHERE fulltext MATCH ? "
            "AND rowid NOT IN (SELECT document FROM fulltext_discarded)",
            (expression,),
            expired,
        )
        found: list[int] = orjson.loads(f"[{numbers or ''}]")
        return found

    @staticmethod
    def count(connection: sqlite3.Connection, expression: str, *, expired: Callable[[], bool] = lambda: False) -> int:
        """Return how many documents match, even discarded ones; the cheapest query. Raises what `ranked` raises."""
        rows = _select(connection, "SELECT count(*) FROM fulltext WHERE fulltext MATCH ?", (expression,), expired)
        return int(rows[0][0])


class StoredWords:
    """The full-text index by path. Any thread may ask; the methods raise what those of `FullText` raise.

    A document's number stands for one version of one note, so whose it is need be looked up only once.

    Args:
        ask: Asks the tables, among which is `documents(document, path)`.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._key = b""
        self._paths: dict[int, str] = {}

    def count(self, expression: str, expired: Callable[[], bool]) -> int:
        """Return about how many notes match."""
        return self._ask(lambda connection: FullText.count(connection, expression, expired=expired))

    def matching(self, expression: str, expired: Callable[[], bool]) -> Sequence[str]:
        """Return the paths of all notes that match."""

        def question(connection: sqlite3.Connection) -> list[str]:
            found = FullText.matching(connection, expression, expired=expired)
            return list(filter(None, map(self._known(connection, found).get, found)))

        return self._ask(question)

    def ranked(self, expression: str, limit: int, expired: Callable[[], bool]) -> Sequence[tuple[str, float]]:
        """Return the paths of the notes that match best with their scores, best first; -1 for all."""

        def question(connection: sqlite3.Connection) -> list[tuple[str, float]]:
            found = FullText.ranked(connection, expression, limit=limit, expired=expired)
            paths = self._known(connection, [document for document, _score in found])
            return [(paths[document], score) for document, score in found if document in paths]

        return self._ask(question)

    def _known(self, connection: sqlite3.Connection, documents: Sequence[int]) -> dict[int, str]:
        """Return the paths of at least these documents, but for those that are gone by now."""
        key = FullText.key(connection)
        with self._lock:
            if key != self._key:
                self._key, self._paths = key, {}
            paths = self._paths
        missing = set(documents).difference(paths)
        if len(missing) > _FEW_UNKNOWN:
            paths.update(connection.execute("SELECT document, path FROM documents"))
            return paths
        for document in missing:
            paths.update(connection.execute("SELECT document, path FROM documents WHERE document = ?", (document,)))
        return paths


def words(text: str) -> bool:
    """Return whether a text has anything that the index holds as a word: a letter or a digit."""
    return any(character.isalnum() or unicodedata.category(character)[0] in "LN" for character in text)


def phrase(text: str, *, prefix: bool = False, columns: str = "") -> str:
    """Return FTS5's expression for words that follow each other; nothing in them counts as syntax.

    Args:
        text: The words; `words(text)` must hold, for FTS5 finds nothing by a phrase without words.
        prefix: Whether the last of them may go on.
        columns: Such as `name aliases`; empty for all.
    """
    wanted, begun = asked(_storable(text))
    quoted = '"' + wanted.replace("\0", " ").replace('"', '""') + '"'
    if prefix or begun:
        quoted += " *"
    return f"{{{columns}}} : {quoted}" if columns else quoted


def _storable(text: str) -> str:
    """Return text that SQLite takes: half surrogates stand for bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _select(
    connection: sqlite3.Connection, sql: str, values: tuple[str | int, ...], expired: Callable[[], bool]
) -> list[Any]:
    """Return all rows of a query that may take long. SQLite lets other threads run meanwhile."""
    connection.set_progress_handler(expired, CHECK_EVERY)
    try:
        return connection.execute(sql, values).fetchall()
    except sqlite3.OperationalError as error:
        if str(error) == "interrupted":
            raise DeadlineExceeded("The search did not end in time; use rarer or longer words") from None
        raise
    finally:
        connection.set_progress_handler(None, 0)
