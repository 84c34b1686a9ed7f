"""Cutting notes into passages of about a thousand characters, and weighing what a passage says on a question."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bridge.index.search.note_text import NoteText, folded
from bridge.index.search.words import LEAST_BEGINNING, RankedWord
from bridge.index.store.letters import bare, spellings
from bridge.index.texts.line_patterns import Span
from bridge.notes.frontmatter import find_frontmatter
from bridge.notes.note import Heading
from bridge.vault.name_folding import nfc

SIZE = 1000
"""Characters of a passage, at most."""
LEAST = 300
"""Characters after which a passage ends at the next heading or paragraph."""
MOST_TEXT = 1 << 18
"""Characters of a note that passages are cut from."""
OPENING = 400
"""Characters of a note that say what it is about: some fifty words."""

BEGUN = 0.5
"""What a word that only begins like the one asked for counts, beside the word itself."""
OTHERWISE = 0.9
"""What a word in another spelling counts, beside the word as it was asked for."""
ONCE = 0.5
"""How much less each further place of a word counts (the k1 of BM25, without a punishment for length)."""
IN_OPENING = 0.5
"""What a word in a note's opening adds, beside the same word in its best passage."""
MOST_PLACES = 2000
"""Places of one word in one note that are looked at, those inside of other words too."""

_HEADING = re.compile(r"\n#{1,6}[ \t]")

Place = tuple[int, int, float]
"""Where a word begins and ends, and how much it is there."""


class Form(NamedTuple):
    """How a word is looked for in a folded text.

    Attributes:
        whole: The word.
        beginning: What it and its other forms begin with.
        may_go_on: Whether other words that begin so count.
        inside: Whether it is also looked for inside of others.
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

    def places(self, note: NoteText, start: int) -> list[Place]:
        """Where the word is in a note: as it was asked for, or else in other letters."""
        found = _places(note.folded_text, self.form, start)
        if not found and (len(self.otherwise) > 1 or not note.text.isascii()):
            other = sorted(place for form in self.otherwise for place in _places(note.bare_text, form, start))
            found = [(begin, end, OTHERWISE * worth) for begin, end, worth in other]
        return found


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a note.

    Attributes:
        start: Where it begins, in characters.
        end: Where it ends.
        score: How much it says on the question; 0 when nothing.
        places: Where in it words are, for each word that is there.
        likeness: How near it is to the question in meaning; 0 where that was not compared.
    """

    start: int
    end: int
    score: float
    places: Sequence[Sequence[Span]]
    likeness: float = 0.0


def cut(text: str, start: int = 0) -> Iterator[Span]:
    """The passages of a text: they end at headings and paragraphs, else lines, else words.

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
    """Where a note's text begins: behind its properties."""
    block = find_frontmatter(text)
    return block.end if block else 0


def weigh(note: NoteText, words: Sequence[WeightedWord], name: str) -> tuple[float, list[Passage]]:
    """What a note says on a question.

    Args:
        note: The note; see `readable`.
        words: The question's.
        name: The note's: what it says counts in every passage.

    Returns:
        The score of its best passage with its opening, and the passages that hold any of the words, in order.
    """
    body = body_start(note.text)
    found = [each.places(note, body) for each in words]
    if not any(found):
        return 0.0, []
    title = NoteText(name)
    named = [_most(each.places(title, 0)) for each in words]
    passages = _weighed(list(cut(note.text, body)), words, found, named)
    opening = sum(
        each.weight * _most([place for place in places if place[0] < body + OPENING])
        for each, places in zip(words, found, strict=True)
    )
    return max(passage.score for passage in passages) + IN_OPENING * opening, passages


def readable(note: NoteText | None) -> NoteText | None:
    """A note in the form in which words are compared; itself when it is in that form."""
    if note is None or note.text.isascii():
        return note
    composed = nfc(note.text)
    return note if composed == note.text else NoteText(composed)


def heading_at(headings: Sequence[Heading], place: int) -> str:
    """The heading under which a place is; empty before the first."""
    at = bisect_right([heading.start for heading in headings], place) - 1
    return headings[at].heading if at >= 0 else ""


def _spelt_otherwise(word: RankedWord) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*word.spellings, *(spellings(word.beginning) if word.spellings else ()))))


def _weighed(
    spans: Sequence[Span], words: Sequence[WeightedWord], found: Sequence[Sequence[Place]], named: Sequence[float]
) -> list[Passage]:
    """The passages in which any of the words is, in order."""
    starts = [start for start, _end in spans]
    held: dict[int, dict[int, list[Place]]] = {}
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
        passages.append(Passage(*spans[index], score, [[place[:2] for place in places] for places in hits.values()]))
    return passages


def _often(worth: float) -> float:
    """What a word counts that is there so often: each time less."""
    return worth * (1 + ONCE) / (worth + ONCE)


def _most(places: Sequence[Place]) -> float:
    return max([place[2] for place in places], default=0.0)


def _stop(text: str, start: int, end: int) -> int:
    """Where the passage that begins at a place ends."""
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


def _places(text: str, word: Form, start: int) -> list[Place]:
    """Where a word begins in a folded text, and how much it is there: 1, or less where only its beginning is."""
    found: list[Place] = []
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
