"""Which notes a few words mean, and in which order."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.index.search.note_search import FoundPassage, NoteQuery, NoteSearch, NoteSearchResult
from bridge.index.search.ranking import WEIGHED
from bridge.index.search.text_session import SearchTexts
from bridge.index.search.words import make_terms
from bridge.index.store.fulltext import StoredWords
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

Search = Callable[..., NoteSearchResult]
FILLING = "quite other matters of no interest whatsoever\n" * 4


class Place:
    """A vault, and what searches it."""

    def __init__(self, folder: Path, index: Any, search: NoteSearch) -> None:
        self.folder = folder
        self.index = index
        self._search = search

    def put(self, name: str, text: str = "", modified: float = 1_700_000_000) -> None:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        os.utime(place, (modified, modified))

    def search(self, query: str, **asked: Any) -> NoteSearchResult:
        return self._search.search(NoteQuery(query, SystemClock().monotonic() + PATIENCE, **asked))

    def passages(self, question: str) -> list[FoundPassage]:
        return self._search.passages(question, SystemClock().monotonic() + PATIENCE)

    def paths(self, query: str, **asked: Any) -> list[str]:
        return [result.path for result in self.search(query, **asked).results]


@pytest.fixture
def place(notes: Path, indexed: Any, clock: SystemClock) -> Any:
    index = indexed(notes)
    with VaultRoot(notes) as root:
        texts = SearchTexts(index.texts, VaultFiles(root), clock)
        yield Place(notes, index, NoteSearch(index, StoredWords(index.search), texts))
        texts.close()


def test_notes_with_all_words_come_before_notes_with_some(place: Place) -> None:
    place.put("Often.md", "project " * 50)
    place.put("Both.md", FILLING * 9 + "the project has a timeline")
    place.put("None.md", FILLING)
    found = place.search("project timeline")
    assert [result.path for result in found.results] == ["Both.md", "Often.md"]
    assert (found.total, found.matching, found.exact) == (2, 1, False)


def test_a_note_with_all_words_far_apart_comes_after_one_that_says_more_of_them(place: Place) -> None:
    place.put("Far.md", f"project\n{FILLING * 10}\n\ntimeline\n")
    place.put("Timelines.md", "project? timeline")
    place.put("Project.md", "project " * 9)
    found = place.search("project timeline")
    assert [result.path for result in found.results] == ["Timelines.md", "Project.md", "Far.md"]
    assert (found.total, found.matching, found.question) == (3, 2, True)


def test_where_few_notes_hold_the_words_other_forms_of_them_follow(place: Place) -> None:
    place.put("Lakes.md", "scottish lochs in the rain")
    place.put("Loch.md", "the largest scottish loch")
    place.put("Other.md", FILLING)
    assert place.paths("scottish lochs") == ["Lakes.md", "Loch.md"]
    assert place.paths("lochs") == ["Lakes.md", "Loch.md"]


def test_the_forms_are_those_of_the_language_that_is_written_in_these_letters(place: Place) -> None:
    for number in range(9):
        place.put(f"English {number}.md", "the rain of the day and the wind")
    for number in range(3):
        place.put(f"Russian {number}.md", "Он и она не знали, что это дождь")
    place.put("Поезд.md", "Он и она ехали в Москву, и не что иное")
    assert place.paths("москва") == ["Поезд.md"]
    assert place.paths("поезда") == ["Поезд.md"]


def test_ten_notes_with_all_words_are_enough(place: Place) -> None:
    for number in range(12):
        place.put(f"Both {number}.md", "project timeline")
    place.put("One.md", "project")
    found = place.search("project timeline")
    assert (found.total, found.matching, len(found.results)) == (12, 12, 10)


def test_a_name_an_alias_and_words_side_by_side_lift_a_note(place: Place) -> None:
    text = "garden and plan\n" + FILLING
    place.put("Apart.md", text)
    place.put("Together.md", "the garden plan, and\n" + FILLING)
    place.put("Calling.md", f"---\naliases: [My garden plan]\n---\n{text}")
    place.put("Garden plan.md", text)
    place.put("Old garden plans of ours.md", text)
    for number in range(20):
        place.put(f"Other {number}.md", FILLING)
    order = place.paths("garden plan")
    assert order[0] == "Garden plan.md"
    assert set(order[1:3]) == {"Calling.md", "Old garden plans of ours.md"}
    assert order[3:] == ["Together.md", "Apart.md"]


def test_of_equals_the_newest_comes_first_then_the_path_decides(place: Place) -> None:
    place.put("B.md", "alpha", 1_700_000_000)
    place.put("A.md", "alpha", 1_700_000_000)
    place.put("C.md", "alpha", 1_700_000_500)
    assert place.paths("alpha") == ["C.md", "A.md", "B.md"]


def test_longer_words_are_found_by_their_beginning_and_come_later(place: Place) -> None:
    place.put("Longer.md", "timelines")
    place.put("Exact.md", "timeline")
    place.put("Short.md", "those cats")
    assert place.paths("timeline") == ["Exact.md", "Longer.md"]
    assert place.paths("cat") == ["Short.md"]  # only because no note has the word itself


def test_a_word_inside_another_is_found_when_nothing_else_is(place: Place) -> None:
    place.put("Inside.md", "the metalogic of ink")
    place.put("Board.canvas", '{"nodes": [{"type": "text", "text": "metalogic"}]}')
    assert set(place.paths("logic ink")) == {"Inside.md"}
    assert set(place.paths("talogic")) == {"Inside.md", "Board.canvas"}
    place.put("Whole.md", "logic ink")
    assert place.paths("logic ink")[0] == "Whole.md"


def test_scripts_without_spaces_are_found_wherever(place: Place) -> None:
    place.put("A.md", "これは日本語の文章です")
    place.put("B.md", "文章だけ")
    place.put("C.md", "ภาษาไทยง่าย")
    assert set(place.paths("文章")) == {"A.md", "B.md"}
    assert place.paths("日本語 文章")[0] == "A.md"
    assert place.paths("ไทย") == ["C.md"]


def test_signs_that_are_no_words_count(place: Place) -> None:
    place.put("C.md", "we write c code")
    place.put("Plus.md", "we write C++ code")
    place.put("Emoji.md", "party 🎉 time")
    assert place.paths("C++") == ["Plus.md"]
    assert place.paths("🎉") == ["Emoji.md"]
    assert place.paths("party 🎉") == ["Emoji.md"]
    assert place.paths("code?") == ["C.md", "Plus.md"]


def test_case_accents_and_unicode_forms_do_not_matter(place: Place) -> None:
    place.put("A.md", "Un caf\u00e9")
    place.put("B.md", "un cafe\u0301")
    assert set(place.paths("CAFE")) == {"A.md", "B.md"}
    assert all("caf" in result.excerpt.lower() for result in place.search("cafe").results)


def test_pages_follow_each_other_without_gap_or_repetition(place: Place) -> None:
    for number in range(23):
        place.put(f"All {number:02}.md", f"alpha beta {'beta ' * (number % 5)}")
    for number in range(7):
        place.put(f"Some {number}.md", "alpha")
    whole = place.paths("alpha beta", count=100)
    assert len(whole) == 23
    pages = [place.paths("alpha beta", first=first, count=10) for first in (0, 10, 20)]
    assert [path for page in pages for path in page] == whole


def test_pages_go_on_from_all_words_to_some(place: Place) -> None:
    for number in range(5):
        place.put(f"All {number}.md", "alpha beta")
    for number in range(9):
        place.put(f"Some {number}.md", f"alpha {'alpha ' * number}")
    whole = place.paths("alpha beta", count=100)
    assert (len(whole), place.search("alpha beta").matching) == (14, 5)
    assert place.paths("alpha beta", count=8) + place.paths("alpha beta", first=8, count=8) == whole


def test_what_is_excluded_is_in_no_answer_and_no_number(place: Place) -> None:
    for number in range(6):
        place.put(f"Open {number}.md", "alpha beta")
        place.put(f"Shut/{number}.md", "alpha beta alpha")
    excludes = (lambda path: path.startswith("Shut/"),)
    found = place.search("alpha beta", excludes=excludes)
    assert found.total == 6
    assert all(result.path.startswith("Open") for result in found.results)
    assert place.search("alph", excludes=excludes).total == 6
    assert place.search("lph", excludes=excludes).total == 6
    assert place.search('"alpha beta"', excludes=excludes).total == 6


def test_words_in_most_notes_are_found_too(place: Place) -> None:
    for number in range(30):
        place.put(f"Note {number}.md", "the of and", 1_700_000_000 + number)
    place.put("The.md", "the of and")
    found = place.search("the of")
    assert found.total == 31
    assert found.results[0].path == "Note 29.md"
    assert place.paths("the")[0] == "The.md"


def test_an_exact_search_is_ranked_too(place: Place) -> None:
    place.put("Once.md", f"{FILLING * 5} the plan b")
    place.put("Plan b.md", "the plan b, the plan b")
    place.put("Not.md", "plan for b")
    found = place.search('"plan b"')
    assert [result.path for result in found.results] == ["Plan b.md", "Once.md"]
    assert found.exact


def test_changes_are_found_at_once(place: Place) -> None:
    place.put("A.md", "alpha")
    assert place.paths("alpha") == ["A.md"]
    place.put("A.md", "beta", 1_700_000_900)
    assert place.paths("alpha") == []
    assert place.paths("beta") == ["A.md"]
    (place.folder / "A.md").unlink()
    assert place.paths("beta") == []


def test_the_words_of_a_query_are_those_that_differ() -> None:
    assert [term.text for term in make_terms(["The", "the", "(plan),", "#work", "...", "C#", "-", "e-mail"])] == [
        "The",
        "plan",
        "work",
        "C#",
        "e-mail",
    ]
    assert len(make_terms(str(number) for number in range(1000))) == 64


@given(query=st.text(min_size=1, max_size=60))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_asked_is_answered(place: Place, query: str) -> None:
    if not (place.folder / "A.md").exists():
        place.put("A.md", "alpha * NEAR \" ' : beta")
    found = place.search(query)
    assert found.total <= 1


@pytest.mark.parametrize(
    "query", ["NEAR(a b)", "name:alpha", "alpha*", '"', "alpha AND NOT beta", "^alpha", "a\0b", "{a b}:c"]
)
def test_the_index_s_own_syntax_is_text(place: Place, query: str) -> None:
    place.put("A.md", "alpha")
    place.search(query)


def test_a_query_of_very_many_words_is_answered(place: Place) -> None:
    place.put("A.md", "w1 w2 w3 alpha")
    assert place.paths(" ".join(f"w{number}" for number in range(1500))) == ["A.md"]


QUESTION = "How do I bleed the radiators when air stays in the loop?"


def test_a_question_finds_the_note_that_answers_it_and_not_the_long_one_with_all_words(place: Place) -> None:
    place.put("Boiler.md", "Bleed the radiators upstairs, otherwise air stays in there.\n" + FILLING)
    place.put("Long.md", "".join(f"{word}\n{FILLING * 9}" for word in QUESTION.split()))
    for number in range(30):
        place.put(f"{number}.md", "the boiler and how I do it, when it stays in the house\n" + FILLING)
    found = place.search(QUESTION)
    assert [result.path for result in found.results][:2] == ["Boiler.md", "Long.md"]
    assert found.matching == 1
    assert "radiators" in found.results[0].excerpt


def test_of_two_notes_that_say_about_as_much_the_shorter_one_answers_a_question(place: Place) -> None:
    for number in range(30):
        place.put(f"Other {number}.md", FILLING * 10)
    said = "boiler pressure falls\n\n" + FILLING * 8
    place.put("Short.md", said)
    place.put("Long.md", said + (FILLING * 9 + "boiler valve pressure falls\n\n") * 30, modified=1_800_000_000)
    assert place.paths("why does the pressure of the old boiler fall")[:2] == ["Short.md", "Long.md"]


def test_a_question_finds_other_forms_of_its_words(place: Place) -> None:
    place.put("One.md", "a peasant near the river sang an old sermon and a hymn\n")
    place.put("Other.md", "the peas, the permission and him\n" + FILLING)
    assert place.paths("Which peasants near rivers wrote sermons and hymns?")[0] == "One.md"
    assert place.paths("what about sermons") == ["One.md"]


def test_a_note_that_is_called_like_the_question_comes_first(place: Place) -> None:
    place.put("Why do radiators lose so much water every single winter.md", FILLING)
    place.put("Boiler.md", "radiators lose much water every single winter " * 9)
    asked = "Why do radiators lose so much water every single winter?"
    assert place.paths(asked)[0] == "Why do radiators lose so much water every single winter.md"


def test_the_pages_of_a_question_have_every_note_once(place: Place) -> None:
    for number in range(70):
        place.put(f"{number}.md", f"radiators bleed {'air loop ' * (number % 7)}\n")
    found = place.search(QUESTION)
    pages = [place.paths(QUESTION, first=first) for first in range(0, found.total, 10)]
    assert sorted(path for page in pages for path in page) == sorted(f"{number}.md" for number in range(70))


def test_each_note_that_answers_a_question_has_its_passage(place: Place) -> None:
    for number in range(WEIGHED + 5):
        place.put(f"{number}.md", f"{FILLING}\nradiators bleed {'air loop ' * (number % 7)}\n")
    passages = place.passages(QUESTION)
    assert sorted(passage.path for passage in passages) == sorted(f"{number}.md" for number in range(WEIGHED + 5))
    assert all("radiators" in passage.text for passage in passages)


def test_a_question_of_nothing_but_function_words_is_asked_as_it_is(place: Place) -> None:
    place.put("Who.md", "to be or not to be\n")
    assert place.paths("to be or not to be") == ["Who.md"]
