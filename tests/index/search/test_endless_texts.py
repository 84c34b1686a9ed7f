"""Texts without an end, and names that no text can hold: searches stay quick, and everything else is found."""

import os
import random
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.errors import InvalidParameters
from bridge.index.search.note_search import NoteQuery, NoteSearch
from bridge.index.search.passages import MOST_TEXT, readable
from bridge.index.search.ranking import ENOUGH, Ranking
from bridge.index.search.text_session import SearchTexts
from bridge.index.search.words import make_terms
from bridge.index.store.fulltext import StoredWords
from bridge.index.texts.arena import LARGEST as LARGEST_HELD
from bridge.vault.files import VaultFiles
from tests.index.index_world import World
from tests.patience import PATIENCE

LONG = 1_000_000
"""Characters without a space."""
_chance = random.Random(1)  # noqa: S311 - the same texts in every run

TEXTS = {
    "Latin.md": "".join(_chance.choices("abcdefghij", k=LONG)) + "zebra",
    "One letter.md": "a" * LONG,
    "Japanese.md": "予算会議" + "".join(_chance.choices("日本語漢字東京", k=LONG)) + "酒店",
    "Thai.md": "".join(_chance.choices("กขคงจ", k=LONG)) + "ประชุม",
    "Marks.md": "x" + "\u0301" * LONG,
    "Emoji.md": "😀" * LONG,
    "Both ways.md": "english \u202eשלום\u202c مرحبا \u2067mixed\u2069",  # noqa: RUF001 - Hebrew
    "Plain.md": "An ordinary note about a giraffe.",
}


@pytest.fixture
def search(tmp_path: Path) -> Iterator[NoteSearch]:
    (tmp_path / "vault").mkdir()
    world = World(tmp_path / "vault", tmp_path / "cache")
    for name, text in TEXTS.items():
        world.write(name, text)
    world.index.refresh()
    texts = SearchTexts(world.index.texts, VaultFiles(world.root), SystemClock())
    yield NoteSearch(world.index, StoredWords(world.index.search), texts)
    texts.close()
    world.close()


def test_what_is_in_endless_texts_is_found_in_time_with_short_excerpts(search: NoteSearch) -> None:
    for query, path in (
        ("giraffe", "Plain.md"),
        ("予算会議", "Japanese.md"),
        ("予算会議 はいつでしたか", "Japanese.md"),
        ("酒店", "Japanese.md"),
        ("ประชุม", "Thai.md"),
        ("/zebra$/", "Latin.md"),
        ("שלום", "Both ways.md"),
        ("english مرحبا", "Both ways.md"),
        ("mixed", "Both ways.md"),
    ):
        found = search.search(NoteQuery(query, SystemClock().monotonic() + PATIENCE)).results
        assert path in [result.path for result in found], query
        assert all(len(result.excerpt) < 1_000 for result in found), query
    passages = search.passages("予算会議 はいつ", SystemClock().monotonic() + PATIENCE)
    assert passages[0].path == "Japanese.md"
    assert all(len(passage.text) <= 1_000 for passage in passages)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "alpha and other words\n",
        "alpha 😀😀😀\n",
        "alpha 가나다라\n",
        "alpha ệệệ\r\n",
        "alpha \udcff\udce9\n",
        "alpha é ",
    ],
    ids=ascii,
)
def test_of_a_large_note_what_is_weighed_is_read_and_is_what_the_whole_begins_with(tmp_path: Path, line: str) -> None:
    (tmp_path / "vault").mkdir()
    world = World(tmp_path / "vault", tmp_path / "cache")
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, line).encode("utf-8", "surrogateescape")
        (tmp_path / "vault" / f"{form}.md").write_bytes(text * (LARGEST_HELD // len(text)))
    world.index.refresh()
    texts = SearchTexts(world.index.texts, VaultFiles(world.root), SystemClock())
    with texts.session(SystemClock().monotonic() + PATIENCE) as session:
        files = {file.path: file for file in world.index.files()}
        ranking = Ranking(StoredWords(world.index.search), session, world.index, files)
        for path, weighed in ranking.weigh(files, make_terms(["alpha"])).items():
            whole = readable(session.note(path))
            assert whole is not None
            assert weighed.note.text == whole.text[:MOST_TEXT]
        beginning = session.note("NFC.md", ENOUGH)
        assert beginning is not None
        assert len(beginning.text) <= ENOUGH
    texts.close()
    world.close()


def test_an_endless_question_is_refused_at_once(search: NoteSearch) -> None:
    for letter in ("a", "予", "ป", "\u0301", "\u202e"):
        with pytest.raises(InvalidParameters, match="at most 10000 are allowed"):
            search.search(NoteQuery(letter * LONG, SystemClock().monotonic() + PATIENCE))


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="names there are always text")
def test_a_name_that_is_no_text_hides_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    world = World(tmp_path / "vault", tmp_path / "cache")
    world.write("Plain.md", TEXTS["Plain.md"])
    for name in (b"caf\xe9.md", b"half \xed\xa0\x80.md"):
        Path(os.fsdecode(os.path.join(os.fsencode(world.folder), name))).write_text("giraffe", encoding="utf-8")  # noqa: PTH118 - bytes
    world.index.refresh()
    texts = SearchTexts(world.index.texts, VaultFiles(world.root), SystemClock())
    search = NoteSearch(world.index, StoredWords(world.index.search), texts)
    found = search.search(NoteQuery("giraffe", SystemClock().monotonic() + PATIENCE)).results
    assert [result.path for result in found] == ["Plain.md"]
    texts.close()
    world.close()


def test_the_excerpt_of_a_large_note_shows_a_word_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    world = World(tmp_path / "vault", tmp_path / "cache")
    world.write("Large.md", "Some plain words in a line.\n" * (ENOUGH // 20) + "A giraffe at the end.\n")
    world.index.refresh()
    texts = SearchTexts(world.index.texts, VaultFiles(world.root), SystemClock())
    search = NoteSearch(world.index, StoredWords(world.index.search), texts)
    [found] = search.search(NoteQuery("giraffe", SystemClock().monotonic() + PATIENCE)).results
    assert "giraffe" in found.excerpt
    texts.close()
    world.close()
