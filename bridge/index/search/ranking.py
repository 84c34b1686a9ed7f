"""Which notes a few words mean, and which of them most.

A note that holds all the words comes before one that holds some. A word of more than three letters may go on
(`project` finds `projects`); where no note holds all words so, and in scripts that put no spaces between words, they
may also lie inside of others. Notes that hold all of them are in the order of BM25 (`fulltext.py`), lifted where the
name or an alias holds them all, or where they stand side by side; a note that is called so comes first. Of nearly
equal ones the newest comes first.
"""

import heapq
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bridge.index.knowledge import IndexedFile, Knowledge
from bridge.index.search.note_text import Needle, folded
from bridge.index.search.text_session import TextSession, has_text
from bridge.index.store.fulltext import COLUMNS, StoredWords, phrase, words
from bridge.vault.file_types import note_name

MOST_WORDS = 64
"""Different words of a query that are looked for."""
FEW = 10
"""Notes with all words below which notes with some of them follow."""
LEAST_WEIGHT = 0.25
"""A word that weighs less than this, beside the weightiest, does not decide the order: it is nearly everywhere."""
SMALL = 100
"""Notes of a vault in which every word counts."""
FEW_TEXTS = 50
"""Notes that are rather looked into one by one than found by going through all texts."""

LIFTED = 200
"""Notes, the best by their words, whose order the following may change."""
OFTEN = 4
"""Of words that are all in more than one note of so many, it is not asked where they stand side by side."""
NAMED = 1.0
SIDE_BY_SIDE = 0.5
_STEP = 50
"""Scores that differ by less than a fiftieth are nearly equal."""
_LEAST = 1e-9
_SHORT = 3
_EDGES = " \t\n.,;:!?'\"()[]{}<>/\\|…“”‘’«»„‚–—、。，！？：；「」『』（）・"  # noqa: RUF001
_SYMBOL = re.compile(r"[^\w\s" + re.escape(_EDGES) + r"\-_*~`=^]")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class RankedWord:
    """One word.

    Attributes:
        text: As it is looked for in texts.
        any: FTS5's expression for it; empty when the index holds no such words.
        scored: The same, so that the word itself weighs more than one that only begins so.
        literal: Whether it has signs that the index leaves out (`C++`), so that texts must be asked too.
        unspaced: Whether its script puts no spaces between words.
    """

    text: str
    any: str
    scored: str
    literal: bool
    unspaced: bool


@dataclass(frozen=True, slots=True)
class RankedNotes:
    """The notes found.

    Attributes:
        paths: Those that were wanted of them, in order.
        total: How many there are.
        with_all: How many of them, the first, hold all words.
    """

    paths: tuple[str, ...]
    total: int
    with_all: int


def make_terms(texts: Iterable[str]) -> list[RankedWord]:
    """The different words of a query, without the punctuation around them."""
    found: dict[str, RankedWord] = {}
    for text in texts:
        word = text.strip(_EDGES).removeprefix("#")
        key = folded(word)
        if not word or key in found or len(found) >= MOST_WORDS:
            continue
        literal = _SYMBOL.search(word) is not None
        unspaced = _UNSPACED.search(word) is not None
        if words(word):
            longer = not literal and (len(word) > _SHORT or unspaced)
            whole, begun = phrase(word), phrase(word, prefix=longer)
            found[key] = RankedWord(word, begun, f"({whole} OR {begun})" if longer else whole, literal, unspaced)
        elif literal:
            found[key] = RankedWord(word, "", "", literal=True, unspaced=False)
    return list(found.values())


class Ranking:
    """Ranks the notes of one search.

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
        self._counts: dict[str, int] = {}

    def find(self, terms: Sequence[RankedWord], first: int, count: int) -> RankedNotes:
        """The notes that hold the words.

        Args:
            terms: At least one.
            first: How many to pass over.
            count: How many to return.
        """
        wanted = first + count
        indexed = [term for term in terms if term.any]
        chosen = self._weighty(indexed)
        found = self._with_all(terms, indexed)
        best = self._best(found, terms, self._scoring(" AND ", chosen), wanted)
        inside: set[str] = set()
        if not found or any(term.unspaced for term in terms):
            inside = self._inside(terms) - found
            best += self._by_name(inside, terms)[: max(wanted - len(best), 0)]
        with_all = total = len(found) + len(inside)
        if with_all < FEW and len(terms) > 1 and chosen:
            some = self._matching(" OR ".join(term.any for term in self._telling(indexed))) - found - inside
            best += self._best(some, terms, self._scoring(" OR ", chosen), max(wanted - with_all, 0))
            total += len(some)
        return RankedNotes(tuple(best[first:wanted]), total, with_all)

    def order(self, paths: Collection[str], terms: Sequence[RankedWord], wanted: int) -> list[str]:
        """The first of files that were found otherwise, those in front that hold most of some words."""
        chosen = self._weighty([term for term in terms if term.any]) if len(paths) > 1 else []
        return self._best(paths, terms, self._scoring(" OR ", chosen), wanted)

    # -- finding ------------------------------------------------------------------------------------------------

    def _with_all(self, terms: Sequence[RankedWord], indexed: Sequence[RankedWord]) -> set[str]:
        """The notes that hold all words, as far as the index knows words."""
        if not indexed:
            return set()
        found = self._matching(" AND ".join(term.any for term in indexed))
        for term in terms:
            if term.literal and found:
                found &= self._holding(term.text, found)
        return found

    def _inside(self, terms: Sequence[RankedWord]) -> set[str]:
        """The files in whose texts or names all words are, also inside of other words."""
        found: set[str] | None = None
        for term in sorted(terms, key=lambda term: -len(term.text)):
            found = self._holding(term.text, found)
            if not found:
                break
        return found or set()

    def _holding(self, text: str, among: set[str] | None) -> set[str]:
        """The files in whose text or name a word is; of some files, or of all."""
        needle = Needle(text)
        if among is not None and len(among) <= FEW_TEXTS:
            return {path for path in among if self._holds(path, needle)}
        held = self._session.holding(needle)
        found = {path for path in held.sure if path in self._files}
        found |= {path for path in held.unsure if path in self._files and self._holds(path, needle)}
        found |= {path for path in self._files if has_text(path) and needle.is_in(path)}
        return {path for path in found if has_text(path)} if among is None else found & among

    def _holds(self, path: str, needle: Needle) -> bool:
        self._session.check()
        if needle.is_in(path):
            return True
        note = self._session.note(path)
        return note is not None and note.find(needle, note.whole) is not None

    def _matching(self, expression: str) -> set[str]:
        return {path for path in self._index.matching(expression, self._session.expired) if path in self._files}

    # -- ranking ------------------------------------------------------------------------------------------------

    def _weighty(self, terms: Sequence[RankedWord]) -> list[RankedWord]:
        """The words that decide the order: the rare ones. Those that no note holds decide nothing."""
        everything = max(len(self._files), 1)
        weights = []
        for term in terms:
            count = self._count(term)
            weights.append(math.log(1 + (everything - min(count, everything) + 0.5) / (count + 0.5)) if count else 0.0)
        least = LEAST_WEIGHT * max(weights, default=0.0)
        return [term for term, weight in zip(terms, weights, strict=True) if weight and weight >= least]

    def _telling(self, terms: Sequence[RankedWord]) -> Sequence[RankedWord]:
        """The words of which one is enough to be found: not those that are in most notes of a large vault."""
        most = max(len(self._files) // 2, SMALL)
        return [term for term in terms if self._count(term) <= most] or terms

    def _scoring(self, joint: str, terms: Sequence[RankedWord]) -> str:
        """The expression whose scores decide the order.

        Words that are in most notes distinguish them only where they are more than words of the text. Weighing all
        their places would take long, too.
        """
        expression = joint.join(term.scored for term in terms)
        if terms and min(map(self._count, terms)) * 2 > len(self._files):
            return f"{{{' '.join(COLUMNS[:-1])}}} : ({expression})"
        return expression

    def _count(self, term: RankedWord) -> int:
        if term.any not in self._counts:
            self._counts[term.any] = self._index.count(term.any, self._session.expired)
        return self._counts[term.any]

    def _best(self, paths: Collection[str], terms: Sequence[RankedWord], expression: str, wanted: int) -> list[str]:
        """The first of some files: those that match best, then the newest."""
        if not paths or not wanted:
            return []
        if len(paths) == 1:
            return list(paths)
        scored = self._scored(paths, expression, max(wanted, LIFTED)) if expression else []
        best = self._lifted(dict(scored[:LIFTED]), terms) + [path for path, _score in scored[LIFTED:]]
        if len(best) < min(wanted, len(paths)):
            left = set(paths).difference(best)
            best += heapq.nsmallest(wanted - len(best), left, key=self._newest)
        return best[:wanted]

    def _scored(self, paths: Collection[str], expression: str, wanted: int) -> list[tuple[str, float]]:
        """At least as many of some files as are wanted, as far as there are, with their scores."""
        found: list[tuple[str, float]] = []
        for limit in (2 * wanted, -1):
            rows = self._index.ranked(expression, limit, self._session.expired)
            found = [row for row in rows if row[0] in paths]
            if len(found) >= min(wanted, len(paths)) or len(rows) < limit:
                break
        return found

    def _lifted(self, scores: Mapping[str, float], terms: Sequence[RankedWord]) -> list[str]:
        """Notes in their order: by score, and by what lifts them."""
        whole = " ".join(term.text for term in terms)
        called = {*self._knowledge.names.candidates(whole), *self._knowledge.with_alias(whole)}
        named = close = frozenset[str]()
        indexed = [term for term in terms if term.any]
        if indexed:
            inside = " AND ".join(term.any for term in indexed)
            named = frozenset(self._index.matching(f"{{name aliases}} : ({inside})", self._session.expired))
        if len(indexed) > 1 and min(map(self._count, indexed)) * OFTEN <= len(self._files):
            together = phrase(" ".join(term.text for term in indexed))
            close = frozenset(self._index.matching(together, self._session.expired))

        def key(path: str) -> tuple[bool, int, int, str]:
            score = scores[path] * (1 + NAMED * (path in named) + SIDE_BY_SIDE * (path in close))
            return path not in called, -math.floor(math.log(max(score, _LEAST)) * _STEP), *self._newest(path)

        return sorted(scores, key=key)

    def _newest(self, path: str) -> tuple[int, str]:
        return -self._files[path].mtime_ns, path

    def _by_name(self, paths: Collection[str], terms: Sequence[RankedWord]) -> list[str]:
        """Those first whose names hold the most of the words, then the newest."""
        needles = [Needle(term.text) for term in terms]

        def key(path: str) -> tuple[int, int, str]:
            name = note_name(path)
            return -sum(needle.is_in(name) for needle in needles), *self._newest(path)

        return sorted(paths, key=key)
