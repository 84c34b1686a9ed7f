"""Passages of notes, of about a thousand characters: how much one says on a question, and which are near in meaning."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from bridge.index.knowledge import IndexedFile
from bridge.index.search.text_session import NoteText, folded
from bridge.index.search.words import LEAST_BEGINNING, RankedWord
from bridge.index.store.fulltext import bare, spellings
from bridge.index.texts.line_patterns import Span
from bridge.notes.frontmatter import find_frontmatter
from bridge.notes.note import Heading
from bridge.vault.paths import nfc

SIZE = 1000
"""Characters of a passage, at most."""
LEAST = 300
"""Characters after which a passage ends at the next heading or paragraph."""
MOST_TEXT = 1 << 18
"""Characters of a note that passages are cut from."""
OPENING = 400
"""Characters of a note that say what it is about: some fifty words."""

BEGUN = 0.5
"""Weight of a word that only begins like the one asked for, relative to the word itself."""
OTHERWISE = 0.9
"""Weight of a word in another spelling, relative to the word as it was asked for."""
ONCE = 0.5
"""Saturation of repeated words: the k1 of BM25, without a penalty for length."""
IN_OPENING = 0.5
"""Bonus for a word in a note's opening, relative to the same word in its best passage."""
TOGETHER = 0.5
"""Bonus for neighbouring words of the question that stand near each other, relative to the commoner of the two."""
APART = 50
"""Characters from the beginning of one to that of the other, at most."""
MOST_PLACES = 2000
"""Maximum number of places of one word in one note, those inside other words included."""

_HEADING = re.compile(r"\n#{1,6}[ \t]")

Occurrence = tuple[int, int, float]
"""The beginning, the end and the weight of an occurrence."""
NEAR = 400
"""Passages, the nearest to a question in meaning, that count where their note also has some of its words."""
FOUND_NEAR = 50
"""Notes, the nearest to a question, that are found by that alone; and openings that count."""


class Form(NamedTuple):
    """The form of a word to look for in a folded text.

    Attributes:
        whole: The word.
        beginning: The shared beginning of it and its other forms.
        may_go_on: Whether other words that begin so count.
        inside: Whether it may also be inside other words.
    """

    whole: str
    beginning: str
    may_go_on: bool
    inside: bool


class WeightedWord:
    """A word, and how much it says.

    Args:
        word: The word.
        weight: Its inverse document frequency.
    """

    def __init__(self, word: RankedWord, weight: float) -> None:
        self.weight = weight
        form = Form(folded(word.text), word.beginning, word.may_go_on, word.literal or word.unspaced)
        self.form = form
        self.otherwise = [form._replace(whole=bare(form.whole), beginning=bare(form.beginning))]
        for each in map(bare, _spelt_otherwise(word)):
            self.otherwise.append(Form(each, each, form.may_go_on and len(each) >= LEAST_BEGINNING, inside=False))

    def places(self, note: NoteText, start: int) -> list[Occurrence]:
        """Return the occurrences of the word in a note: as it was asked for, or else in other spellings."""
        found = _places(note.folded_text, self.form, start)
        if not found and (len(self.otherwise) > 1 or not note.text.isascii()):
            other = sorted(place for form in self.otherwise for place in _places(note.bare_text, form, start))
            found = [(begin, end, OTHERWISE * worth) for begin, end, worth in other]
        return found


class Passage(NamedTuple):
    """A piece of a note.

    Attributes:
        start: Its beginning, in characters.
        end: Its end.
        score: How much it says on the question; 0 when nothing.
        places: Where in it words are, for each word that is there.
        likeness: How near it is to the question in meaning; 0 if that was not compared.
    """

    start: int
    end: int
    score: float
    places: Sequence[Sequence[Span]]
    likeness: float = 0.0


def cut(text: str, start: int = 0) -> Iterator[Span]:
    """Yield the passages of a text: they end at headings and paragraphs, else lines, else words.

    Args:
        text: The note.
        start: Where to begin: behind the properties.
    """
    end = len(text)
    while start < end:
        stop = _stop(text, start, end)
        yield start, stop
        start = stop


def body_start(text: str) -> int:
    """Return where a note's text begins: after its properties."""
    block = find_frontmatter(text)
    return block.end if block else 0


def weigh(note: NoteText, words: Sequence[WeightedWord], name: str) -> tuple[float, list[Passage]]:
    """Return how well a note answers a question.

    Args:
        note: The note; see `readable`.
        words: The question's words.
        name: The note's name, which counts in every passage.

    Returns:
        The score of its best passage with its opening, and the passages that hold any of the words, in order.
    """
    body = body_start(note.text)
    found = [each.places(note, body) for each in words]
    if not any(found):
        return 0.0, []
    title = NoteText(nfc(name))
    named = [_most(each.places(title, 0)) for each in words]
    passages = _weighed(list(cut(note.text, body)), words, found, named)
    opening = sum(
        each.weight * _most([place for place in places if place[0] < body + OPENING])
        for each, places in zip(words, found, strict=True)
    )
    return max(passage.score for passage in passages) + IN_OPENING * opening, passages


def is_scattered(note: NoteText, words: Sequence[WeightedWord], name: str) -> bool:
    """Return whether a note's text contains all of some words, but no passage of it, with the note's name, does.

    Args:
        note: The note; see `readable`.
        words: The words.
        name: The note's name.
    """
    body = body_start(note.text)
    starts = [start for start, _end in cut(note.text, body)]
    title = NoteText(nfc(name))
    holding: set[int] | None = None
    for each in words:
        places = each.places(note, body)
        if not places:  # it is in the name or the properties, which are about the whole note
            return False
        if not each.places(title, 0):
            passages = {bisect_right(starts, place[0]) - 1 for place in places}
            holding = passages if holding is None else holding & passages
    return holding is not None and not holding


def readable(note: NoteText | None) -> NoteText | None:
    """Return a note in the form for comparing words; the same object if it has that form already."""
    if note is None or note.text.isascii():
        return note
    composed = nfc(note.text)
    return note if composed == note.text else NoteText(composed)


def heading_at(headings: Sequence[Heading], place: int) -> str:
    """Return the heading above a place; empty before the first one."""
    at = bisect_right([heading.start for heading in headings], place) - 1
    return headings[at].heading if at >= 0 else ""


def _spelt_otherwise(word: RankedWord) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*word.spellings, *(spellings(word.beginning) if word.spellings else ()))))


def _weighed(
    spans: Sequence[Span], words: Sequence[WeightedWord], found: Sequence[Sequence[Occurrence]], named: Sequence[float]
) -> list[Passage]:
    """Return the passages that contain any of the words, in order."""
    starts = [start for start, _end in spans]
    held: dict[int, dict[int, list[Occurrence]]] = {}
    for which, places in enumerate(found):
        for place in places:
            held.setdefault(bisect_right(starts, place[0]) - 1, {}).setdefault(which, []).append(place)
    by_name = sum(each.weight * _often(worth) for each, worth in zip(words, named, strict=True))
    passages: list[Passage] = []
    for index, hits in sorted(held.items()):
        score = by_name
        for which, places in hits.items():
            worth = named[which]
            often = worth + sum([place[2] for place in places])
            score += words[which].weight * (_often(often) - _often(worth))
            # The pieces of a word without spaces overlap, so that they always stand near each other.
            if which + 1 in hits and not words[which].form.inside and _are_near(places, hits[which + 1]):
                score += TOGETHER * min(words[which].weight, words[which + 1].weight)
        passages.append(Passage(*spans[index], score, [[place[:2] for place in places] for places in hits.values()]))
    return passages


def _are_near(places: Sequence[Occurrence], others: Sequence[Occurrence]) -> bool:
    """Return whether a word stands near another one anywhere."""
    starts = [other[0] for other in others]
    nearest = ((place[0], bisect_left(starts, place[0] - APART)) for place in places)
    return any(at < len(starts) and starts[at] <= start + APART for start, at in nearest)


def _often(worth: float) -> float:
    """Return the weight of repeated occurrences of a word, each adding less."""
    return worth * (1 + ONCE) / (worth + ONCE)


def _most(places: Sequence[Occurrence]) -> float:
    return max([place[2] for place in places], default=0.0)


def _stop(text: str, start: int, end: int) -> int:
    """Return where the passage that begins at an offset ends."""
    most = min(start + SIZE, end)
    heading = _HEADING.search(text, start + LEAST, most)
    if heading is not None:
        return heading.start() + 1
    if most == end:
        return end
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark, start + LEAST, most)
        if at >= 0:
            return at + len(mark)
    return most


def _places(text: str, word: Form, start: int) -> list[Occurrence]:
    """Return a word's occurrences in a folded text, with weight 1, or less where only its beginning matches."""
    found: list[Occurrence] = []
    end = start
    for _ in range(MOST_PLACES):
        at = text.find(word.beginning, end)
        if at < 0:
            break
        end = at + len(word.beginning)
        if word.inside or at == 0 or not text[at - 1].isalnum():
            exact = text.startswith(word.whole, at)
            if exact:
                end = at + len(word.whole)
                exact = word.inside or end >= len(text) or not text[end].isalnum()
            if exact or word.may_go_on:
                found.append((at, end, 1.0 if exact else BEGUN))
    return found


class NearPassage(NamedTuple):
    """A passage that is near something in meaning.

    Attributes:
        path: Its note.
        start: Its beginning, in characters.
        end: Its end.
        likeness: How near it is: 1 is the same.
    """

    path: str
    start: int
    end: int
    likeness: float


class Near(NamedTuple):
    """The passages nearest to a question in meaning.

    Attributes:
        passages: The nearest passages, the nearest first.
        openings: The nearest openings of notes, each the first passage of one, the nearest first.
    """

    passages: Sequence[NearPassage] = ()
    openings: Sequence[NearPassage] = ()


class MeaningState(NamedTuple):
    """The availability of search by meaning.

    Attributes:
        model: The model; empty if there is none.
        dimensions: Length of its vectors; 0 if not known.
        why_not: The reason why only words are compared, as the end of a sentence; empty if meaning is compared too.
        is_fault: Whether the reason is a fault.
    """

    model: str = ""
    dimensions: int = 0
    why_not: str = ""
    is_fault: bool = False

    @property
    def fault(self) -> str:
        """Return the fault because of which only words are compared; empty if there is none."""
        return self.why_not if self.is_fault else ""


NO_MODEL = MeaningState(why_not="no model for search by meaning is installed")


class Meaning(Protocol):
    """The comparison by meaning, which `VectorIndex` implements."""

    def state(self) -> MeaningState:
        """Return whether meaning can be compared."""

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int
    ) -> Sequence[NearPassage] | None:
        """Return the passages that are nearest to a text or a vector, the nearest first.

        Args:
            asked: A question, or a vector of the same model.
            files: The files that may be found, as they are now.
            count: Maximum number.

        Returns:
            None if meaning cannot be compared now.

        Raises:
            InvalidParameters: The vector is none of the model's.
        """

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> Sequence[NearPassage] | None:
        """Return the notes whose names and openings are nearest to a question, `FOUND_NEAR` at most, the nearest first.

        Args:
            question: The question.
            files: The files that may be found, as they are now.

        Returns:
            The first passage of each; None if openings cannot be compared now.
        """

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> Sequence[NearPassage] | None:
        """Return the nearest passage of each of the notes nearest to a note; the nearest first.

        Args:
            path: The note, which is not among them.
            files: The files that may be found, as they are now.
            count: Maximum number.

        Returns:
            None if meaning cannot be compared now.
        """
