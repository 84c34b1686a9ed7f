"""The full-text index of a vault, by path."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from bridge.index.store.fulltext import FullText

T = TypeVar("T")
_FEW = 500
"""Unknown documents up to which each is looked up by itself."""


class Ask(Protocol):
    """How the index's tables are asked: `VaultIndex.search`."""

    def __call__(self, question: Callable[[sqlite3.Connection], T], /) -> T:
        """The answer."""
        ...


class StoredWords:
    """Implements `fulltext.Words`. Any thread may ask.

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
        """About how many notes match."""
        return self._ask(lambda connection: FullText.count(connection, expression, expired=expired))

    def matching(self, expression: str, expired: Callable[[], bool]) -> Sequence[str]:
        """The paths of all notes that match."""

        def question(connection: sqlite3.Connection) -> list[str]:
            found = FullText.matching(connection, expression, expired=expired)
            paths = self._known(connection, found)
            return [paths[document] for document in found if document in paths]

        return self._ask(question)

    def ranked(self, expression: str, limit: int, expired: Callable[[], bool]) -> Sequence[tuple[str, float]]:
        """The paths of the notes that match best with their scores, best first; -1 for all."""

        def question(connection: sqlite3.Connection) -> list[tuple[str, float]]:
            found = FullText.ranked(connection, expression, limit=limit, expired=expired)
            paths = self._known(connection, [document for document, _score in found])
            return [(paths[document], score) for document, score in found if document in paths]

        return self._ask(question)

    def _known(self, connection: sqlite3.Connection, documents: Sequence[int]) -> dict[int, str]:
        """The paths of at least these documents, but for those that are gone by now."""
        key = FullText.key(connection)
        with self._lock:
            if key != self._key:
                self._key, self._paths = key, {}
            paths = self._paths
        missing = [document for document in documents if document not in paths]
        if len(missing) > _FEW:
            paths.update(connection.execute("SELECT document, path FROM documents"))
            return paths
        for document in missing:
            paths.update(connection.execute("SELECT document, path FROM documents WHERE document = ?", (document,)))
        return paths
