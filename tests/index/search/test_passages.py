"""Cutting notes into passages, and which of them says most."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bridge.index.search.passages import LEAST, MOST_PLACES, SIZE, Passage, WeightedWord, cut, heading_at, weigh
from bridge.index.search.text_session import NoteText
from bridge.index.search.words import make_terms
from bridge.notes.note import Heading

LINE = "quite other matters of no interest\n"


def weighed(text: str, question: str, name: str = "Note") -> tuple[float, list[Passage]]:
    return weigh(NoteText(text), [WeightedWord(term, 1.0) for term in make_terms(question.split())], name)


def best(text: str, question: str) -> str:
    passage = max(weighed(text, question)[1], key=lambda passage: passage.score)
    return text[passage.start : passage.end]


@given(st.text(alphabet="ab \n#é", max_size=5000), st.integers(0, 50))
def test_passages_are_the_whole_text_and_never_too_long(text: str, start: int) -> None:
    spans = list(cut(text, start))
    assert "".join(text[low:high] for low, high in spans) == text[start:]
    assert all(0 < high - low <= SIZE for low, high in spans)
    assert all(high - low >= LEAST for low, high in spans[:-1])


def test_a_passage_ends_at_a_heading() -> None:
    text = LINE * 12 + "## Second\n" + LINE * 12
    assert [text[low : low + 9] for low, _high in cut(text)] == ["quite oth", "## Second"]


def test_a_passage_ends_at_a_paragraph_rather_than_within_a_line() -> None:
    text = LINE * 20 + "\n" + LINE * 20
    assert [text[low:high] for low, high in cut(text)] == [LINE * 20 + "\n", LINE * 20]


def test_the_passage_with_most_of_the_words_is_the_best() -> None:
    text = "the boiler\n\n" + LINE * 30 + "\nthe pressure of the boiler falls\n\n" + LINE * 30
    assert "pressure of the boiler" in best(text, "boiler pressure")


def test_a_word_again_and_again_counts_less_than_another_word() -> None:
    text = "boiler " * 60 + "\n\n" + LINE * 30 + "\nboiler, pressure\n\n" + LINE * 30
    assert "pressure" in best(text, "boiler pressure")


def test_a_word_that_only_begins_so_counts_less_than_the_word() -> None:
    assert weighed("boilers", "boiler")[0] < weighed("boiler", "boiler")[0]
    assert weighed("reboiler", "boiler") == (0.0, [])


def test_words_of_the_name_and_of_the_opening_count() -> None:
    late = LINE * 30 + "boiler"
    assert weighed(late, "boiler")[0] < weighed(late, "boiler", "Boiler")[0]
    assert weighed(late, "boiler")[0] < weighed("boiler " + LINE * 30, "boiler")[0]


def test_neighbouring_words_that_stand_near_each_other_count_more_than_apart() -> None:
    apart, together = "boiler " + LINE * 3 + "pressure", "boiler pressure " + LINE * 3
    assert weighed(apart, "boiler pressure")[0] < weighed(together, "boiler pressure")[0]
    assert weighed(apart, "boiler valve pressure")[0] == weighed(together, "boiler valve pressure")[0]


def test_pieces_of_a_word_without_spaces_count_no_more_for_standing_together() -> None:
    apart, together = "予算" + LINE * 3 + "算会", "予算会" + LINE * 3
    assert weighed(apart, "予算 算会")[0] == weighed(together, "予算 算会")[0]


def test_a_note_of_one_word_a_million_times_is_not_looked_through_to_its_end() -> None:
    _score, passages = weighed("a" * 1_000_000 + " a" * 1_000_000, "a")
    assert sum(len(places) for passage in passages for places in passage.places) <= MOST_PLACES


def test_properties_are_no_passage() -> None:
    assert weighed("---\nboiler: new\n---\nnothing else\n", "boiler") == (0.0, [])


def test_accents_need_not_be_written() -> None:
    score, passages = weighed("die Kälte\n", "kalte")
    assert score
    assert passages[0].places == [[(4, 9)]]


def test_a_place_is_under_the_last_heading_before_it() -> None:
    headings: Any = [Heading(10, 20, 1, "One"), Heading(50, 60, 2, "Two")]
    assert [heading_at(headings, place) for place in (5, 10, 49, 50, 999)] == ["", "One", "One", "Two", "Two"]
