"""Ranking of the notes that match a few words or a question.

A note that holds all the words comes before one that holds some. A word of more than three letters may go on
(`project` finds `projects`); if no note holds all words so, and in scripts that put no spaces between words, they
may also lie inside of others. Notes that hold all of them are in the order of BM25 (`fulltext.py`), lifted if the
name or an alias holds them all, or if they stand side by side; a note of that name comes first. Of nearly
equal ones the newest comes first.

Where few notes hold all words, those with some, or with other forms of them, and those near in meaning come right
after the ones that have the words in one passage: a long note has any two words somewhere.

A longer query is a question, for which hardly any note contains all words, least of all the one meant. Words that say
nothing are left out (`words.py`), other forms of the words count too, and the order is that of BM25, the best
passage and the opening together (`passages.py`). Where there is a model, what is near the question in meaning counts
as well.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from bridge.index.knowledge import IndexedFile, Knowledge
from bridge.index.search.passages import (
    FOUND_NEAR,
    MOST_TEXT,
    NEAR,
    SIZE,
    Near,
    NearPassage,
    Passage,
    WeightedWord,
    body_start,
    cut,
    is_scattered,
    readable,
    weigh,
)
from bridge.index.search.text_session import Needle, NoteText, TextSession
from bridge.index.search.words import QueryWords, RankedWord
from bridge.index.store.fulltext import COLUMNS, StoredWords, phrase
from bridge.vault.text import note_name

FEW = 10
"""Notes with all words below which notes with some of them follow."""
LEAST_WEIGHT = 0.25
"""A word that weighs less than this, beside the weightiest, does not decide the order: it is nearly everywhere."""
SMALL = 100
"""Notes of a vault in which every word counts."""
FEW_TEXTS = 50
"""Notes that are rather looked into one by one than found by going through all texts."""

WEIGHED = 20
"""Notes, the best by their words, whose passages are weighed for a question."""
WEIGHED_NEAR = 30
"""The same, where what is near in meaning counts too: it may lift a note that is further behind."""
LENGTH = 0.08
"""Power of a note's length, in passages, by which its BM25 is divided: long notes have any words, about anything."""

ENOUGH = 4 * MOST_TEXT
"""Bytes that have as many characters as are weighed, at the least."""

LIFTED = 200
"""Notes, the best by their words, whose order the following may change."""
OFTEN = 4
"""Of words that are all in more than one note of so many, it is not asked where they stand side by side."""
NAMED = 1.0
SIDE_BY_SIDE = 0.5
AS_ASKED = 0.5
"""Bonus for a note in which the words are spelled as they were asked for."""
_STEP = 50
"""Scores that differ by less than a fiftieth are nearly equal."""
_LEAST = 1e-9
_ALIKE = 0.99
_NOTHING_NEAR = Near()
WEIGHT = 3.5
"""Score of a note with the question's meaning, relative to one that has all its words once.

This holds if no passage contains any of the words. The more of them the best one contains, the less meaning counts.
"""
OPENING_WEIGHT = 1.5
"""Weight of the likeness of a note's name and opening, relative to that of its nearest passage."""


class RankedNotes(NamedTuple):
    """The notes found.

    Attributes:
        paths: Those that were wanted of them, in order.
        total: Number of all results.
        with_all: How many of them hold all words: the first, but for a question.
        weighed: Of those that were looked into, the text and its passages with any of the words.
        by_meaning: Whether notes were also found by what they mean.
        mixed: Whether notes with all words come behind others, because theirs stand in different places.
    """

    paths: tuple[str, ...]
    total: int
    with_all: int
    weighed: Mapping[str, "WeighedNote"] = {}
    by_meaning: bool = False
    mixed: bool = False


class WeighedNote(NamedTuple):
    """A note with its score for the words of a query.

    Attributes:
        note: Its text.
        score: Its score.
        passages: The passages that contain any of the words, in order.
    """

    note: NoteText
    score: float
    passages: Sequence[Passage]


class Ranking:
    """The ranking of the notes of one search.

    Args:
        index: The full-text index.
        session: The texts.
        knowledge: Names and aliases.
        files: The files that may be found.
    """

    def __init__(
        self, index: StoredWords, session: TextSession, knowledge: Knowledge, files: Mapping[str, IndexedFile]
    ) -> None:
        self._index = index
        self._session = session
        self._knowledge = knowledge
        self._files = files
        self._held: dict[str, set[str]] = {}

    def find(
        self, query: QueryWords, first: int, count: int, near: Callable[[], Near | None] = lambda: None
    ) -> RankedNotes:
        """Return the notes that hold the words.

        Args:
            query: At least one word.
            first: Number of results to skip.
            count: Number of results to return.
            near: Returns what is nearest to the query in meaning; asked where few notes hold all of its words.
        """
        if query.question and any(term.any for term in query.terms):
            return self._answering(query, first, count, near())
        terms, wanted = query.terms, first + count
        indexed = [term for term in terms if term.any]
        chosen = self._weighty(indexed)
        found = self._with_all(terms, indexed)
        best = self._best(found, terms, self._scoring(" AND ", chosen), max(wanted, FEW), query.whole)
        inside: set[str] = set()
        if not found:
            inside = self._inside(terms) - found
            best += self._by_name(inside, terms)[: max(wanted - len(best), 0)]
        with_all = total = len(found) + len(inside)
        if with_all >= FEW:
            return RankedNotes(tuple(best[first:wanted]), total, with_all)
        if len(terms) > 1 or [term.any for term in query.forms] != [term.any for term in terms]:
            asked = query._replace(terms=[term._replace(scored=term.any) for term in query.forms])
            other = self._answering(asked, 0, wanted, near() if len(terms) > 1 else None)
            words = [WeightedWord(term, 1) for term in indexed]

            def is_together(path: str) -> bool:
                note = self._note(path, other.weighed) if path in found else None
                return note is None or not is_scattered(note, words, note_name(path))

            together = list(filter(is_together, best))
            mixed = len(together) < len(best)
            paths = tuple(dict.fromkeys([*together, *other.paths, *best]))[first:wanted]
            return other._replace(paths=paths, total=max(total, other.total), with_all=with_all, mixed=mixed)
        return RankedNotes(tuple(best[first:wanted]), total, with_all)

    def weigh(self, paths: Iterable[str], terms: Sequence[RankedWord]) -> dict[str, WeighedNote]:
        """Return notes with their scores for some words, by path; those without text are left out."""
        words = [WeightedWord(term, self._weight(term)) for term in terms]
        found: dict[str, WeighedNote] = {}
        for path in paths:
            note = self._text(path)
            if note is not None:
                found[path] = WeighedNote(note, *weigh(note, words, note_name(path)))
        return found

    def order(self, paths: Collection[str], terms: Sequence[RankedWord], wanted: int) -> list[str]:
        """Return the best of files that were found otherwise, those first that contain most of some words."""
        chosen = self._weighty([term for term in terms if term.any]) if len(paths) > 1 else []
        return self._best(paths, terms, self._scoring(" OR ", chosen), wanted)

    def _answering(self, query: QueryWords, first: int, count: int, close: Near | None) -> RankedNotes:
        """Return the notes that contain any of the words or are near the question, the best answers first."""
        near = close or _NOTHING_NEAR
        wanted = first + count
        indexed = [term for term in query.terms if term.any]
        chosen = self._weighty(indexed)
        some = set().union(*map(self._with, self._telling(indexed)))
        looked_into = WEIGHED_NEAR if near.passages or near.openings else WEIGHED
        scores = self._scored(some, self._scoring(" OR ", chosen), max(wanted, looked_into)) if chosen else []
        called = [path for path in self._called(query.whole) if path in self._files]
        by_words = dict(scores[:looked_into])
        by_note: dict[str, list[NearPassage]] = {}
        for passage in _told_apart(near.passages, NEAR):
            by_note.setdefault(passage.path, []).append(passage)
        likeness = {path: passages[0].likeness for path, passages in by_note.items()}
        for opening in _told_apart(near.openings, 1):
            likeness[opening.path] = likeness.get(opening.path, 0.0) + OPENING_WEIGHT * opening.likeness
            by_note.setdefault(opening.path, [opening])
        weighed = self.weigh(by_words, chosen)
        weight = WEIGHT * self._sought(query.terms)
        if query.question:  # a passage may hold two or three words by chance
            weight *= 1 - _covered(weighed.values(), len(query.terms))
        totals = {path: _total(score, weighed.get(path)) for path, score in by_words.items()}
        for path, alike in likeness.items():
            totals[path] = totals.get(path, 0.0) + weight * alike

        def key(path: str) -> tuple[bool, int, int, str]:
            return path not in called, _rounded(totals[path]), *self._newest(path)

        found_near = heapq.nlargest(FOUND_NEAR, likeness, key=likeness.__getitem__)
        best = sorted({*by_words, *found_near}, key=key)
        best = list(dict.fromkeys([*called, *best, *(path for path, _score in scores[looked_into:])]))
        some |= {*called, *found_near}
        if len(best) < min(wanted, len(some)):
            best += heapq.nsmallest(wanted - len(best), some.difference(best), key=self._newest)
        chosen_notes = tuple(best[first:wanted])
        for path in chosen_notes:
            if path in by_note:
                note = self._note(path, weighed)
                if note is not None:
                    weighed[path] = _with_near(weighed.get(path) or WeighedNote(note, 0.0, ()), by_note[path], weight)
        with_all = len(self._with_all(query.terms, indexed)) if query.question else 0  # else they are known
        return RankedNotes(chosen_notes, len(some), with_all, weighed, by_meaning=close is not None)

    def _note(self, path: str, weighed: Mapping[str, WeighedNote]) -> NoteText | None:
        """Return the same as `_text`, without reading it again where it has been weighed."""
        return weighed[path].note if path in weighed else self._text(path)

    def _text(self, path: str) -> NoteText | None:
        """Return a note's text, as far as it is weighed; None when it has none."""
        self._session.check()
        beginning = self._session.note(path, ENOUGH)
        note = readable(beginning)
        if beginning is not None and note is not None and len(note.text) <= MOST_TEXT <= len(beginning.text):
            note = readable(self._session.note(path))  # its letters are written as several characters each
        return NoteText(note.text[:MOST_TEXT]) if note is not None and len(note.text) > MOST_TEXT else note

    # -- finding ------------------------------------------------------------------------------------------------

    def _with_all(self, terms: Sequence[RankedWord], indexed: Sequence[RankedWord]) -> set[str]:
        """Return the notes that hold all words, as far as the index knows words."""
        if not indexed:
            return set()
        first, *others = sorted(map(self._with, indexed), key=len)
        found = set(first).intersection(*others)
        for term in terms:
            if term.literal and found:
                found &= self._holding(term.text, found)
        return found

    def _with(self, term: RankedWord) -> AbstractSet[str]:
        """Return the notes that hold a word that the index knows."""
        if term.any not in self._held:
            found = self._index.matching(term.any, self._session.expired)
            self._held[term.any] = set(filter(self._files.__contains__, found))
        return self._held[term.any]

    def _inside(self, terms: Sequence[RankedWord]) -> set[str]:
        """Return the files whose texts or names contain all words, even inside other words."""
        found: set[str] | None = None
        for term in sorted(terms, key=lambda term: -len(term.text)):
            found = self._holding(term.text, found)
            if not found:
                break
        return found or set()

    def _holding(self, text: str, among: set[str] | None) -> set[str]:
        """Return the files whose text or name contains a word, among some files or all."""
        needle = Needle(text)
        if among is not None and len(among) <= FEW_TEXTS:
            return {path for path in among if self._holds(path, needle)}
        held = self._session.holding(needle)
        found = {path for path in held.perhaps if path in self._files}
        found = {path for path in found if path in held.sure or self._holds(path, needle)}
        has_text = self._session.has_text
        found |= {path for path in self._files if has_text(path) and needle.is_in(path)}
        return {path for path in found if has_text(path)} if among is None else found & among

    def _holds(self, path: str, needle: Needle) -> bool:
        self._session.check()
        if needle.is_in(path):
            return True
        note = self._session.note(path)
        return note is not None and note.find(needle, note.whole) is not None

    # -- ranking ------------------------------------------------------------------------------------------------

    def _weighty(self, terms: Sequence[RankedWord]) -> list[RankedWord]:
        """Return the words that decide the order: the rare ones. Those that no note holds decide nothing."""
        weights = [self._weight(term) for term in terms]
        least = LEAST_WEIGHT * max(weights, default=0.0)
        return [term for term, weight in zip(terms, weights, strict=True) if weight and weight >= least]

    def _weight(self, term: RankedWord) -> float:
        """Return the weight of a word: the rarer, the higher; 0 if no note has it."""
        everything, count = max(len(self._files), 1), self._count(term) if term.any else 1
        return math.log(1 + (everything - count + 0.5) / (count + 0.5)) if count else 0.0

    def _sought(self, terms: Iterable[RankedWord]) -> float:
        """Return how much all words together say, one that no note holds as much as the rarest."""
        rarest = math.log(1 + (len(self._files) + 0.5) / 0.5)
        return sum(self._weight(term) or rarest for term in terms)

    def _telling(self, terms: Sequence[RankedWord]) -> Sequence[RankedWord]:
        """Return the words of which one is enough for a match: not those in most notes of a large vault."""
        most = max(len(self._files) // 2, SMALL)
        return [term for term in terms if self._count(term) <= most] or terms

    def _scoring(self, joint: str, terms: Sequence[RankedWord]) -> str:
        """Return the expression whose scores decide the order.

        Words that are in most notes distinguish them only where they are more than words of the text. Weighing all
        their places would take long, too.
        """
        expression = joint.join(term.scored for term in terms)
        if terms and min(map(self._count, terms)) * 2 > len(self._files):
            return f"{{{' '.join(COLUMNS[:-1])}}} : ({expression})"
        return expression

    def _count(self, term: RankedWord) -> int:
        return len(self._with(term))

    def _best(
        self, paths: Collection[str], terms: Sequence[RankedWord], expression: str, wanted: int, whole: str = ""
    ) -> list[str]:
        """Return the first of some files: those that match best, then the newest."""
        if not paths or not wanted:
            return []
        if len(paths) == 1:
            return list(paths)
        scored = self._scored(paths, expression, max(wanted, LIFTED)) if expression else []
        best = self._lifted(dict(scored[:LIFTED]), terms, whole) + [path for path, _score in scored[LIFTED:]]
        if len(best) < min(wanted, len(paths)):
            left = set(paths).difference(best)
            best += heapq.nsmallest(wanted - len(best), left, key=self._newest)
        return best[:wanted]

    def _scored(self, paths: Collection[str], expression: str, wanted: int) -> list[tuple[str, float]]:
        """Return at least as many of some files as are wanted, if there are, with their scores."""
        found: list[tuple[str, float]] = []
        for limit in (2 * wanted, -1):
            rows = self._index.ranked(expression, limit, self._session.expired)
            found = [row for row in rows if row[0] in paths]
            if len(found) >= min(wanted, len(paths)) or len(rows) < limit:
                break
        return found

    def _lifted(self, scores: Mapping[str, float], terms: Sequence[RankedWord], whole: str) -> list[str]:
        """Return notes in their order: by score, and by what lifts them."""
        whole = whole or " ".join(term.text for term in terms)
        called = self._called(whole)
        named = close = frozenset[str]()
        indexed = [term for term in terms if term.any]
        if indexed:
            inside = " AND ".join(term.any for term in indexed)
            named = frozenset(self._index.matching(f"{{name aliases}} : ({inside})", self._session.expired))
        if len(indexed) > 1 and min(map(self._count, indexed)) * OFTEN <= len(self._files):
            together = phrase(whole)
            close = frozenset(self._index.matching(together, self._session.expired))

        written = self._written_so(list(scores)[:FEW_TEXTS], terms)

        def key(path: str) -> tuple[bool, int, int, str]:
            lift = NAMED * (path in named) + SIDE_BY_SIDE * (path in close) + AS_ASKED * (path in written)
            return path not in called, _rounded(scores[path] * (1 + lift)), *self._newest(path)

        return sorted(scores, key=key)

    def _written_so(self, paths: Iterable[str], terms: Sequence[RankedWord]) -> set[str]:
        """Return those notes that contain each word as it was asked for, if words have other forms."""
        if not any(term.spellings or not term.text.isascii() for term in terms):
            return set()
        needles = [Needle(term.text) for term in terms]
        return {path for path in paths if all(self._holds(path, needle) for needle in needles)}

    def _called(self, whole: str) -> set[str]:
        """Return the notes whose name or alias is the whole query."""
        return {*self._knowledge.names.candidates(whole), *self._knowledge.with_alias(whole)}

    def _newest(self, path: str) -> tuple[int, str]:
        return -self._files[path].mtime_ns, path

    def _by_name(self, paths: Collection[str], terms: Sequence[RankedWord]) -> list[str]:
        """Return the paths whose names contain the most words first, then the newest."""
        needles = [Needle(term.text) for term in terms]

        def key(path: str) -> tuple[int, int, str]:
            name = note_name(path)
            return -sum(needle.is_in(name) for needle in needles), *self._newest(path)

        return sorted(paths, key=key)


def _total(score: float, weighed: WeighedNote | None) -> float:
    """Return the score of a note for a question by its words, given its BM25."""
    if weighed is None:
        return score
    return score / math.pow(max(len(weighed.note.text) / SIZE, 1.0), LENGTH) + weighed.score


def _covered(weighed: Iterable[WeighedNote], words: int) -> float:
    """Return the share of a question's words that one passage contains; if it is all, nothing needs to be guessed."""
    most = max((len(passage.places) for note in weighed for passage in note.passages), default=0)
    return most / words if words else 0.0


def _told_apart(near: Sequence[NearPassage], least: int) -> Iterator[NearPassage]:
    """Yield the nearest passages with what sets them apart from the last of them, whatever the model's scale.

    Models differ in how alike they think two texts that have nothing to do with each other.

    Args:
        near: The passages, the nearest first.
        least: With fewer, it is not known that the last one hardly counts.
    """
    floor = min(near[-1].likeness, _ALIKE) if len(near) >= least else 0.0
    for passage in near:
        yield NearPassage(passage.path, passage.start, passage.end, (passage.likeness - floor) / (1 - floor))


def _with_near(weighed: WeighedNote, near: Sequence[NearPassage], weight: float) -> WeighedNote:
    """Return a note weighed by its words and by its meaning.

    Args:
        weighed: The note weighed by its words.
        near: Passages of it that are near the question, the nearest first.
        weight: The weight of the greatest likeness.
    """
    spans = list(cut(weighed.note.text, body_start(weighed.note.text)))
    starts = [start for start, _end in spans]
    passages = {passage.start: passage for passage in weighed.passages}
    for passage in near:
        at = bisect_right(starts, passage.start) - 1
        if at < 0 or passage.start >= spans[at][1]:
            continue
        known = passages.get(starts[at]) or Passage(*spans[at], 0.0, [[(passage.start, passage.start)]])
        if not known.likeness:
            score = known.score + weight * passage.likeness
            passages[starts[at]] = known._replace(score=score, likeness=passage.likeness)
    return weighed._replace(passages=[passage for _start, passage in sorted(passages.items())])


def _rounded(score: float) -> int:
    """Return a sort key for a score, the best first; the same for nearly equal ones."""
    return -math.floor(math.log(max(score, _LEAST)) * _STEP)
