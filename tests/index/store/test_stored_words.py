"""The full-text index by path."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from bridge.index.store import fulltext
from bridge.index.store.fulltext import FullText, StoredWords, phrase


def _never() -> bool:
    return False


class Tables:
    """The index's tables, as far as this needs them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.execute("CREATE TABLE documents(document INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL)")
        FullText(connection).create()
        self.words = StoredWords(lambda question: question(connection))

    def put(self, path: str, text: str) -> int:
        number = int(self.connection.execute("INSERT INTO documents(path) VALUES(?)", (path,)).lastrowid or 0)
        FullText(self.connection).put(number, name=path, text=text)
        return number

    def drop(self, number: int) -> None:
        self.connection.execute("DELETE FROM documents WHERE document = ?", (number,))
        FullText(self.connection).discard(number)


@pytest.fixture
def tables() -> Iterator[Tables]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        yield Tables(connection)


def test_answers_are_paths(tables: Tables) -> None:
    tables.put("A.md", "alpha")
    tables.put("B.md", "alpha alpha alpha")
    tables.put("C.md", "beta")
    assert tables.words.count(phrase("alpha"), _never) == 2
    assert set(tables.words.matching(phrase("alpha"), _never)) == {"A.md", "B.md"}
    assert [path for path, _score in tables.words.ranked(phrase("alpha"), -1, _never)] == ["B.md", "A.md"]
    assert [path for path, _score in tables.words.ranked(phrase("alpha"), 1, _never)] == ["B.md"]


@pytest.mark.parametrize("few", [0, 500])
def test_a_note_that_moved_is_found_by_its_new_path(tables: Tables, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(fulltext, "_FEW_UNKNOWN", few)
    old = tables.put("Old.md", "alpha")
    assert tables.words.matching(phrase("alpha"), _never) == ["Old.md"]
    tables.drop(old)
    tables.put("New.md", "alpha")
    assert tables.words.matching(phrase("alpha"), _never) == ["New.md"]


def test_numbers_that_are_given_again_after_a_new_beginning_are_looked_up_again(tables: Tables) -> None:
    tables.put("Old.md", "alpha")
    assert tables.words.matching(phrase("alpha"), _never) == ["Old.md"]
    FullText(tables.connection).clear()
    tables.connection.execute("DELETE FROM documents")
    tables.connection.execute("DELETE FROM sqlite_sequence")
    assert tables.put("New.md", "alpha") == 1
    assert tables.words.matching(phrase("alpha"), _never) == ["New.md"]
