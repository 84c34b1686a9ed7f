"""Questions are answered by words and meaning together, where there is a model; all else is as without."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.index.knowledge import IndexedFile
from bridge.index.search.note_search import FoundPassage, NoteQuery, NoteSearch, NoteSearchResult
from bridge.index.search.passages import NEAR, MeaningState, NearPassage
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

QUESTION = "which laundry appliance loses water every morning"
FILLING = "quite other matters of no interest whatsoever\n" * 4


class Given:
    """Says that some passages are near, whatever is asked."""

    def __init__(self, *near: NearPassage) -> None:
        self.near: Sequence[NearPassage] | None = near
        self.beginnings: Sequence[NearPassage] | None = None
        self.said = MeaningState("given", 3)
        self.asked: list[str] = []

    def state(self) -> MeaningState:
        return self.said

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int
    ) -> Sequence[NearPassage] | None:
        self.asked.append(str(asked))
        return None if self.near is None else [near for near in self.near if near.path in files][:count]

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> Sequence[NearPassage] | None:
        assert question == self.asked[-1]
        return None if self.beginnings is None else [near for near in self.beginnings if near.path in files]

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> Sequence[NearPassage] | None:
        return self.nearest(path, files, count)


class Place:
    """A vault, and what searches it with a model and without."""

    def __init__(self, folder: Path, index: Any, meaning: Given, texts: SearchTexts) -> None:
        self.folder, self.meaning = folder, meaning
        self.search = NoteSearch(index, StoredWords(index.search), texts, lambda: meaning)
        self.plain = NoteSearch(index, StoredWords(index.search), texts)

    def put(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def ask(self, query: str, *, plain: bool = False, **asked: Any) -> NoteSearchResult:
        search = self.plain if plain else self.search
        return search.search(NoteQuery(query, SystemClock().monotonic() + PATIENCE, **asked))

    def passages(self, query: str) -> list[FoundPassage]:
        return self.search.passages(query, SystemClock().monotonic() + PATIENCE)


@pytest.fixture
def place(notes: Path, indexed: Any, clock: SystemClock) -> Any:
    index = indexed(notes)
    with VaultRoot(notes) as root:
        texts = SearchTexts(index.texts, VaultFiles(root), clock)
        yield Place(notes, index, Given(), texts)
        texts.close()


def test_a_note_without_any_of_the_words_is_found_by_what_it_means(place: Place) -> None:
    place.put("Machine.md", FILLING + "The drum of it drips at dawn.")
    place.put("Other.md", "every morning " + FILLING)
    place.meaning.near = [NearPassage("Machine.md", 0, 200, 0.9)]
    found = place.ask(QUESTION)
    excerpts = {result.path: result.excerpt for result in found.results}
    assert excerpts.keys() == {"Machine.md", "Other.md"}
    assert (found.total, found.by_meaning, found.question) == (2, True, True)
    assert "quite other matters" in excerpts["Machine.md"]


def test_what_holds_the_words_and_means_the_same_comes_first(place: Place) -> None:
    place.put("Both.md", f"{QUESTION}\n{FILLING}")
    place.put("Words.md", f"{QUESTION}\n{FILLING}")  # newer, so it came first without
    place.put("Meaning.md", "The drum drips at dawn.")
    place.meaning.near = [NearPassage("Both.md", 0, 100, 0.8), NearPassage("Meaning.md", 0, 23, 0.7)]
    assert place.ask(QUESTION).results[0].path == "Both.md"


@pytest.mark.parametrize("query", ["laundry", '"laundry appliance"', "path:Machine water"])
def test_a_few_words_and_operators_are_answered_as_without_a_model(place: Place, query: str) -> None:
    place.put("Machine.md", "laundry appliance water morning")
    place.put("Other.md", FILLING)
    place.meaning.near = [NearPassage("Other.md", 0, 20, 0.9)]
    assert place.ask(query) == place.ask(query, plain=True)
    assert place.meaning.asked == []


def test_where_two_or_three_words_find_little_what_is_near_follows(place: Place) -> None:
    place.put("Machine.md", "laundry water")
    place.put("Near.md", FILLING)
    place.meaning.near = [NearPassage("Near.md", 0, 20, 0.9)]
    found = place.ask("laundry water")
    assert [result.path for result in found.results] == ["Machine.md", "Near.md"]
    assert found.matching == 1
    assert place.ask("gemstone jewellery").results[0].path == "Near.md"


def test_notes_with_the_words_far_apart_come_after_what_is_near(place: Place) -> None:
    far = f"laundry\n{FILLING * 10}\n\nwater\n"
    place.put("Far.md", far)
    place.put("Laundry far.md", far)
    place.put("Property far.md", f"---\nplace: laundry\n---\n{FILLING * 10}\n\nwater\n")
    place.put("Together.md", f"{FILLING * 10}\n\nlaundry water\n")
    place.put("Near.md", FILLING)
    place.meaning.near = [NearPassage("Near.md", 0, 20, 0.9)]
    found = place.ask("laundry water")
    paths = [result.path for result in found.results]
    assert set(paths[:3]) == {"Laundry far.md", "Property far.md", "Together.md"}
    assert paths[3:] == ["Near.md", "Far.md"]
    assert (found.matching, found.question) == (4, True)
    pages = [place.ask("laundry water", first=first, count=1) for first in range(5)]
    assert [page.results[0].path for page in pages] == paths
    assert place.ask("laundry water", plain=True).results[-1].path == "Far.md"


def test_where_meaning_cannot_be_compared_now_words_decide(place: Place) -> None:
    place.put("Machine.md", "laundry appliance water")
    place.meaning.near = None
    assert place.ask(QUESTION) == place.ask(QUESTION, plain=True)


def test_a_note_that_is_called_so_stays_first(place: Place) -> None:
    place.put(f"{QUESTION}.md", "")
    place.put("Near.md", "The drum drips at dawn.")
    place.meaning.near = [NearPassage("Near.md", 0, 23, 1.0)]
    assert place.ask(QUESTION).results[0].path == f"{QUESTION}.md"


def test_pages_of_an_answer_hold_each_note_once(place: Place) -> None:
    for number in range(40):
        place.put(f"Words {number}.md", f"laundry {number} " + "water " * number)
    for number in range(30):
        place.put(f"Near {number}.md", f"The drum number {number} drips.")
    near = [NearPassage(f"Near {number}.md", 0, 20, 0.9 - number / 100) for number in range(30)]
    place.meaning.near = [*near, NearPassage("Words 3.md", 0, 10, 0.3)]
    pages = [place.ask(QUESTION, first=first) for first in range(0, 80, 10)]
    found = [result.path for page in pages for result in page.results]
    assert len(found) == len(set(found)) == pages[0].total == 70


def test_excluded_notes_are_not_found_by_meaning_either(place: Place) -> None:
    place.put("Near.md", "The drum drips at dawn.")
    place.put("Other.md", "laundry")
    place.meaning.near = [NearPassage("Near.md", 0, 23, 1.0)]
    found = place.ask(QUESTION, excludes=(lambda path: path == "Near.md",))
    assert [result.path for result in found.results] == ["Other.md"]


def test_a_passage_that_is_near_is_returned_with_its_heading_and_lines(place: Place) -> None:
    place.put("Near.md", "# House\n" + FILLING * 3 + "\n# Drum\nIt drips at dawn.\n")
    text = (place.folder / "Near.md").read_text(encoding="utf-8")
    place.meaning.near = [NearPassage("Near.md", text.index("# Drum"), len(text), 0.8)]
    (found,) = place.passages(QUESTION)
    assert (found.path, found.heading, found.text) == ("Near.md", "Drum", "# Drum\nIt drips at dawn.")
    assert found.likeness == 0.8
    assert text.splitlines()[found.lines[0] - 1] == "# Drum"


@pytest.mark.parametrize(("start", "end"), [(5000, 6000), (3, 9999), (0, 0), (22, 23)])
def test_places_that_a_note_no_longer_has_do_no_harm(place: Place, start: int, end: int) -> None:
    place.put("Near.md", "The drum drips at dawn.")
    place.meaning.near = [NearPassage("Near.md", start, end, 0.9)]
    assert [result.path for result in place.ask(QUESTION).results] == ["Near.md"]
    assert len(place.passages(QUESTION)) <= 1


def test_meaning_takes_no_place_from_a_note_that_is_clearly_first_by_its_words(place: Place) -> None:
    place.put("Words.md", "the laundry appliance loses water, and water again\n")
    place.put("Meaning.md", "The drum drips at dawn.")
    place.put("Other.md", "every morning\n" + FILLING)
    place.meaning.near = [NearPassage("Meaning.md", 0, 23, 1.0)]
    assert [result.path for result in place.ask(QUESTION).results][:2] == ["Words.md", "Meaning.md"]


def test_the_more_of_the_words_a_passage_holds_the_less_meaning_counts(place: Place) -> None:
    for name, words in (("Most.md", "laundry appliance water morning"), ("Few.md", "laundry")):
        place.put(name, f"{words}\n{FILLING}")
    place.put("Also few.md", "laundry " * 3)
    place.meaning.near = [NearPassage("Few.md", 0, 100, 0.6)]
    scores = {found.path: found.score for found in place.passages(QUESTION)}
    place.put("Most.md", "nothing of it")
    assert scores["Few.md"] < {found.path: found.score for found in place.passages(QUESTION)}["Few.md"]


@pytest.mark.parametrize("usual", [0.0, 0.7])
def test_only_what_sets_passages_apart_counts_whatever_the_models_scale(place: Place, usual: float) -> None:
    place.put("Near.md", "laundry " + FILLING)
    place.put("Far.md", "laundry " + FILLING)  # newer, so it came first without
    others = [NearPassage("Far.md", 0, 10, usual) for _ in range(NEAR - 1)]
    place.meaning.near = [NearPassage("Near.md", 0, 10, usual + (1 - usual) * 0.5), *others]
    found = {passage.path: passage for passage in place.passages(QUESTION)}
    assert found["Near.md"].likeness == pytest.approx(0.5)
    assert found["Far.md"].likeness == 0
    assert place.ask(QUESTION).results[0].path == "Near.md"


def test_where_meaning_should_be_compared_and_cannot_that_is_said(place: Place) -> None:
    place.put("Machine.md", "laundry appliance water")
    place.meaning.near, place.meaning.said = None, MeaningState("given", 3, "it is away", is_fault=True)
    assert place.ask(QUESTION).words_only == "it is away"
    assert place.ask("laundry").words_only == "", "a few words are always found by words"
    place.meaning.said = MeaningState(why_not="no model is installed")
    assert place.ask(QUESTION).words_only == ""


def test_a_note_is_found_by_what_it_is_about(place: Place) -> None:
    place.put("Liternum.md", f"A town where a general lived, far from Rome.\n\n{FILLING * 9}")
    for number in range(3):
        place.put(f"Filling {number}.md", FILLING)
    place.meaning.near = None
    place.meaning.beginnings = [NearPassage("Liternum.md", 0, 46, 0.6), NearPassage("Filling 0.md", 0, 40, 0.2)]
    found = place.ask("which place did the victor choose for his exile")
    assert found.by_meaning
    assert found.results[0].path == "Liternum.md"
    assert found.results[0].excerpt.startswith("A town where a general lived")


def test_a_passage_and_an_opening_that_are_near_count_together(place: Place) -> None:
    for name in ("Both", "Passage", "Opening"):
        place.put(f"{name}.md", FILLING)
    place.meaning.near = [NearPassage("Passage.md", 0, 40, 0.5), NearPassage("Both.md", 0, 40, 0.45)]
    place.meaning.beginnings = [
        NearPassage("Opening.md", 0, 40, 0.5),
        NearPassage("Both.md", 0, 40, 0.45),
        NearPassage("Passage.md", 0, 40, 0.1),
    ]
    assert place.ask("which place did the victor choose for his exile").results[0].path == "Both.md"


@pytest.mark.parametrize("usual", [0.0, 0.4, 0.8])
def test_only_what_sets_openings_apart_counts_whatever_the_models_scale(place: Place, usual: float) -> None:
    place.put("Near.md", FILLING)
    place.put("Words.md", f"The victor chose a town for his exile.\n\n{FILLING}")
    place.meaning.beginnings = [NearPassage("Near.md", 0, 40, usual), NearPassage("Words.md", 0, 40, usual)]
    assert place.ask("which town did the victor choose for his exile").results[0].path == "Words.md"
