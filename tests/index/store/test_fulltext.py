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
    FullText.create(connection)
    return connection


def _found(connection: sqlite3.Connection, expression: str) -> list[int]:
    return [found.document for found in FullText.ranked(connection, expression)]


def test_creating_twice_keeps_what_is_there(connection: sqlite3.Connection) -> None:
    FullText.put(connection, 1, name="One", text="alpha")
    key = FullText.key(connection)
    FullText.create(connection)
    assert _found(connection, phrase("alpha")) == [1]
    assert FullText.key(connection) == key


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
    FullText.put(connection, 7, name="Note", text=text)
    assert _found(connection, phrase(asked)) == ([7] if found else [])


def test_a_prefix_finds_longer_words(connection: sqlite3.Connection) -> None:
    FullText.put(connection, 1, name="Note", text="日本語の文章 timelines")
    assert _found(connection, phrase("timel", prefix=True)) == [1]
    assert _found(connection, phrase("日本", prefix=True)) == [1]
    assert _found(connection, phrase("lines", prefix=True)) == []


def test_a_name_counts_more_than_an_alias_a_heading_and_the_text(connection: sqlite3.Connection) -> None:
    filling = "some other words " * 5
    FullText.put(connection, 1, name="Note", text=f"garden {filling}")
    FullText.put(connection, 2, name="Note", headings=["Garden"], text=f"garden {filling}")
    FullText.put(connection, 3, name="Note", aliases=["Garden"], text=f"garden {filling}")
    FullText.put(connection, 4, name="Garden", text=f"garden {filling}")
    for number in range(5, 20):
        FullText.put(connection, number, name="Else", text=filling)
    assert _found(connection, phrase("garden")) == [4, 3, 2, 1]


def test_a_search_can_be_limited_to_columns(connection: sqlite3.Connection) -> None:
    FullText.put(connection, 1, name="Garden", text="shed")
    FullText.put(connection, 2, name="Shed", text="garden")
    assert _found(connection, phrase("garden", columns="name aliases")) == [1]


def test_of_equals_the_newest_comes_first(connection: sqlite3.Connection) -> None:
    for number in (1, 2, 3):
        FullText.put(connection, number, name="Note", text="alpha")
    assert _found(connection, phrase("alpha")) == [3, 2, 1]
    assert [found.document for found in FullText.ranked(connection, phrase("alpha"), limit=2)] == [3, 2]


def test_a_discarded_version_is_in_no_answer(connection: sqlite3.Connection) -> None:
    FullText.put(connection, 1, name="Note", text="old words")
    FullText.discard(connection, 1)
    FullText.discard(connection, 1)
    FullText.put(connection, 2, name="Note", text="new words")
    assert _found(connection, phrase("words")) == [2]
    assert FullText.matching(connection, phrase("words")) == [2]
    assert FullText.matching(connection, phrase("old")) == []
    assert FullText.count(connection, phrase("words")) == 2


def test_an_index_is_worn_when_most_of_it_is_discarded(
    connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "MANY_DISCARDED", 2)
    for number in range(1, 7):
        FullText.put(connection, number, name="Note", text="alpha")
    for number in (1, 2, 3):
        FullText.discard(connection, number)
    assert not FullText.worn(connection)
    FullText.discard(connection, 4)
    assert FullText.worn(connection)
    key = FullText.key(connection)
    FullText.clear(connection)
    assert FullText.key(connection) != key
    assert not FullText.worn(connection)
    FullText.put(connection, 1, name="Note", text="alpha")
    assert _found(connection, phrase("alpha")) == [1]


def test_what_a_transaction_takes_back_was_never_there(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN")
    FullText.put(connection, 1, name="Note", text="alpha")
    connection.execute("ROLLBACK")
    assert _found(connection, phrase("alpha")) == []


def test_merging_comes_to_an_end_and_loses_nothing(connection: sqlite3.Connection) -> None:
    for number in range(1, 60):
        FullText.put(connection, number, name=f"Note {number}", text=f"alpha w{number}")
    while FullText.merge(connection, 50):
        pass
    assert len(_found(connection, phrase("alpha"))) == 59


def test_a_search_ends_when_its_time_is_over(connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "CHECK_EVERY", 10)
    for number in range(1, 300):
        FullText.put(connection, number, name="Note", text="alpha")
    with pytest.raises(DeadlineExceeded):
        FullText.ranked(connection, phrase("alpha"), expired=lambda: True)
    assert len(_found(connection, phrase("alpha"))) == 299


@given(st.text(max_size=40))
@settings(max_examples=150, deadline=None)
def test_no_text_is_syntax(text: str) -> None:
    with closing(_open()) as connection:
        FullText.put(connection, 1, name="Note", text=f"before {text} after")
        if words(text):
            FullText.ranked(connection, phrase(text))
            FullText.matching(connection, phrase(text, prefix=True))
