"""The full-text index: what is found, in which order, and what is no longer found."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import DeadlineExceeded
from bridge.index.store import fulltext
from bridge.index.store.fulltext import FullText, phrase, words


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(_open()) as connection:
        yield connection


def _open() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    FullText(connection).create()
    return connection


def _found(connection: sqlite3.Connection, expression: str) -> list[int]:
    return [document for document, _score in FullText(connection).ranked(expression)]


def test_creating_twice_keeps_what_is_there(connection: sqlite3.Connection) -> None:
    FullText(connection).put(1, name="One", text="alpha")
    key = FullText(connection).key()
    FullText(connection).create()
    assert _found(connection, phrase("alpha")) == [1]
    assert FullText(connection).key() == key


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("Café au lait", "cafe", True),
        ("Cafe\u0301", "CAFÉ", True),
        ("Die Straße", "straße", True),
        ("ΟΔΟΣ", "οδος", True),
        ("e-mail", "e mail", True),
        ("mail e", "e mail", False),
        ("underscore_word", "underscore", True),
        ("日本語の文章", "日本語", True),
        ("broken \udcff byte", "byte", True),
        ("with\0null", "null", True),
        ("x", "y", False),
    ],
)
def test_words_are_found_whatever_their_case_and_accents(
    connection: sqlite3.Connection, text: str, asked: str, found: bool
) -> None:
    FullText(connection).put(7, name="Note", text=text)
    assert _found(connection, phrase(asked)) == ([7] if found else [])


def test_a_prefix_finds_longer_words(connection: sqlite3.Connection) -> None:
    FullText(connection).put(1, name="Note", text="日本語の文章 timelines")
    assert _found(connection, phrase("timel", prefix=True)) == [1]
    assert _found(connection, phrase("日本", prefix=True)) == [1]
    assert _found(connection, phrase("lines", prefix=True)) == []


def test_a_name_counts_more_than_an_alias_a_heading_and_the_text(connection: sqlite3.Connection) -> None:
    filling = "some other words " * 5
    FullText(connection).put(1, name="Note", text=f"garden {filling}")
    FullText(connection).put(2, name="Note", headings=["Garden"], text=f"garden {filling}")
    FullText(connection).put(3, name="Note", aliases=["Garden"], text=f"garden {filling}")
    FullText(connection).put(4, name="Garden", text=f"garden {filling}")
    for number in range(5, 20):
        FullText(connection).put(number, name="Else", text=filling)
    assert _found(connection, phrase("garden")) == [4, 3, 2, 1]


def test_a_search_can_be_limited_to_columns(connection: sqlite3.Connection) -> None:
    FullText(connection).put(1, name="Garden", text="shed")
    FullText(connection).put(2, name="Shed", text="garden")
    assert _found(connection, phrase("garden", columns="name aliases")) == [1]


def test_of_equals_the_newest_comes_first(connection: sqlite3.Connection) -> None:
    for number in (1, 2, 3):
        FullText(connection).put(number, name="Note", text="alpha")
    assert _found(connection, phrase("alpha")) == [3, 2, 1]
    assert [document for document, _score in FullText(connection).ranked(phrase("alpha"), limit=2)] == [3, 2]


def test_a_discarded_version_is_in_no_answer(connection: sqlite3.Connection) -> None:
    FullText(connection).put(1, name="Note", text="old words")
    FullText(connection).discard(1)
    FullText(connection).discard(1)
    FullText(connection).put(2, name="Note", text="new words")
    assert _found(connection, phrase("words")) == [2]
    assert FullText(connection).matching(phrase("words")) == [2]
    assert FullText(connection).matching(phrase("old")) == []
    assert FullText(connection).count(phrase("words")) == 2


def test_an_index_is_worn_when_most_of_it_is_discarded(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "MANY_DISCARDED", 2)
    for number in range(1, 7):
        FullText(connection).put(number, name="Note", text="alpha")
    for number in (1, 2, 3):
        FullText(connection).discard(number)
    assert not FullText(connection).worn()
    FullText(connection).discard(4)
    assert FullText(connection).worn()
    key = FullText(connection).key()
    FullText(connection).clear()
    assert FullText(connection).key() != key
    assert not FullText(connection).worn()
    FullText(connection).put(1, name="Note", text="alpha")
    assert _found(connection, phrase("alpha")) == [1]


def test_what_a_transaction_takes_back_was_never_there(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN")
    FullText(connection).put(1, name="Note", text="alpha")
    connection.execute("ROLLBACK")
    assert _found(connection, phrase("alpha")) == []


def test_merging_comes_to_an_end_and_loses_nothing(connection: sqlite3.Connection) -> None:
    for number in range(1, 60):
        FullText(connection).put(number, name=f"Note {number}", text=f"alpha w{number}")
    while FullText(connection).merge(50):
        pass
    assert len(_found(connection, phrase("alpha"))) == 59


def test_a_search_ends_when_its_time_is_over(connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "CHECK_EVERY", 10)
    for number in range(1, 300):
        FullText(connection).put(number, name="Note", text="alpha")
    with pytest.raises(DeadlineExceeded):
        FullText(connection).ranked(phrase("alpha"), expired=lambda: True)
    assert len(_found(connection, phrase("alpha"))) == 299


@given(st.text(max_size=40))
@settings(max_examples=150, deadline=None)
def test_no_text_is_syntax(text: str) -> None:
    with closing(_open()) as connection:
        FullText(connection).put(1, name="Note", text=f"before {text} after")
        if words(text):
            FullText(connection).ranked(phrase(text))
            FullText(connection).matching(phrase(text, prefix=True))
