"""Finding files by a half-remembered name, in stages, each tried only when the one before found nothing.

1. Every word of the query is in the path. 2. The letters of the query are in the name in order. 3. Every word is
nearly a word of the path (typing errors), or the whole query is nearly the name. 4. The letters of the query are in
the path in order. Within a stage the best likeness of name or path comes first.

The names of the vault's files are made ready for this once, and kept until they change.
"""

import heapq
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import re2

from bridge.index.knowledge import IndexedFile, Knowledge
from bridge.index.store.fulltext import plain
from bridge.index.texts.globs import Glob
from bridge.index.texts.line_patterns import TextLines, re2_options
from bridge.vault.paths import nfc
from bridge.vault.text import NOTE_EXTENSION

WORD_LIKENESS = 72.0
"""Percent from which a word counts as a misspelling of another."""
NAME_LIKENESS = 60.0
"""Percent from which a whole query counts as a misspelling of a name."""
WORDS_BEGUN = 50.0
"""Bonus when the query's words begin words of the path, rather than lie inside them."""
NAME_BEGUN = 10.0
"""Bonus when the name begins with the query's first letter."""
CHUNK = 20_000
"""Texts compared in one call, which holds the interpreter for some milliseconds."""
CLOSELY = 1000
"""Paths compared one by one; of more, those whose words are only in the middle of words come last."""
MOST_LETTERS = 64
"""Letters of a query looked for in order. A longer query is no abbreviation."""

_SEPARATORS = str.maketrans(dict.fromkeys("/-_.,()[]", " "))
_WORD = re.compile(r"[^\W_]+")
Check = Callable[[], None]
"""Raises when the time is over."""
ScoredPath = tuple[float, int]
"""A candidate's score, and its number."""
Ignored = Callable[[str], bool]
"""Returns whether to skip a path. The same object always answers the same."""
MOST = 3
_LONGEST = 200


class FuzzyPath(NamedTuple):
    """A path made ready for comparing.

    Attributes:
        path: As it is.
        folded: The path without case and accents.
        spaced: Of that, every word after a space.
        name: Of the folded path, the file's name without its extension.
    """

    path: str
    folded: str
    spaced: str
    name: str


class FuzzyPaths:
    """Paths that are found by what people remember of them. It never changes; any number of threads may ask.

    Args:
        paths: Vault paths.
        known: Earlier paths; those that are still the same are reused.
    """

    def __init__(self, paths: Sequence[str], known: "FuzzyPaths | None" = None) -> None:
        before = known.by_path if known is not None else {}
        self._candidates = [before.get(path) or _fuzzy_path(path) for path in paths]
        self._folded = [candidate.folded for candidate in self._candidates]
        self._names = [candidate.name for candidate in self._candidates]

    @cached_property
    def by_path(self) -> dict[str, FuzzyPath]:
        """Return the candidates by their paths."""
        return {candidate.path: candidate for candidate in self._candidates}

    def rank(self, query: str, check: Check = lambda: None) -> list[int]:
        """Return the paths a query may mean, the likeliest first.

        Args:
            query: Words, parts of words, a name with typing errors, or a part of a path.
            check: Called often; what it raises ends the search.

        Returns:
            The places in the list of every path of the first stage that found any.
        """
        words = fold(query).split()
        if not words:
            return []
        whole, letters = " ".join(words), "".join(words)
        stages: tuple[Callable[[], list[ScoredPath]], ...] = (
            lambda: self._scored(whole, words, self._with_words(words, check), check),
            lambda: self._scored(whole, words, _with_letters(letters, self._name_lines), check),
            lambda: self._with_typos(whole, words, check),
            lambda: self._scored(whole, words, _with_letters(letters, self._path_lines), check),
        )
        for stage in stages:
            check()
            found = stage()
            if found:
                found.sort(key=lambda scored: (-scored[0], self._candidates[scored[1]].path))
                return [place for _score, place in found]
        return []

    def _with_words(self, words: Sequence[str], check: Check) -> list[int]:
        """Return the candidates whose path contains every word."""
        first, *others = sorted(words, key=len, reverse=True)
        found = [place for place, folded in enumerate(self._folded) if first in folded]
        for word in others:
            check()
            found = [place for place in found if word in self._folded[place]]
        return found

    def _scored(self, whole: str, words: Sequence[str], places: Sequence[int], check: Check) -> list[ScoredPath]:
        """Return the scores: percent of likeness of name or path, plus a bonus where the query's words begin words."""
        from rapidfuzz import fuzz  # noqa: PLC0415 - a start is faster without

        begins = [f" {word}" for word in words]
        far: list[ScoredPath] = []
        if len(places) > CLOSELY:
            begun = [p for p in places if all(begin in self._candidates[p].spaced for begin in begins)] or places
            near = _near(whole, [self._names[place] for place in begun], 0.0, check)
            close = {begun[index] for _score, index in heapq.nlargest(CLOSELY, near)}
            far = [(-1.0, place) for place in places if place not in close]
            places = list(close)
        scored = far
        for place in places:
            candidate = self._candidates[place]
            score = max(fuzz.ratio(whole, candidate.name), fuzz.ratio(whole, candidate.folded))
            score += WORDS_BEGUN * sum(begin in candidate.spaced for begin in begins) / len(begins)
            if candidate.name.startswith(whole[0]):
                score += NAME_BEGUN
            scored.append((score, place))
        return scored

    @cached_property
    def _name_lines(self) -> TextLines:
        return TextLines(self._names)

    @cached_property
    def _path_lines(self) -> TextLines:
        return TextLines(self._folded)

    @cached_property
    def _vocabulary(self) -> dict[str, list[int]]:
        """Return every word of the paths, and in which it is."""
        places: dict[str, list[int]] = {}
        for place, folded in enumerate(self._folded):
            for word in set(_WORD.findall(folded)):
                places.setdefault(word, []).append(place)
        return places

    def _with_typos(self, whole: str, words: Sequence[str], check: Check) -> list[ScoredPath]:
        """Return the candidates in which every word is nearly a word, or whose name is nearly the whole query."""
        vocabulary, known = self._vocabulary, list(self._vocabulary)
        totals: dict[int, float] | None = None
        for word in words:
            best: dict[int, float] = {}
            for score, near in _near(word, known, WORD_LIKENESS, check):
                for place in vocabulary[known[near]]:
                    if score > best.get(place, 0.0):
                        best[place] = score
            best.update((place, 100.0) for place, folded in enumerate(self._folded) if word in folded)
            if totals is None:
                totals = best
            else:
                totals = {place: total + best[place] for place, total in totals.items() if place in best}
        scores = {place: total / len(words) for place, total in (totals or {}).items()}
        for score, place in _near(whole, self._names, NAME_LIKENESS, check):
            scores[place] = max(scores.get(place, 0.0), score)
        likeness = self._scored(whole, words, list(scores), check)
        return [(scores[place] + score / 100, place) for score, place in likeness]


def fold(text: str) -> str:
    """Return a text reduced to what people type: without case, accents, width, and variants of letters."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return plain("".join(letter for letter in decomposed if not unicodedata.combining(letter))).casefold()


def _fuzzy_path(path: str) -> FuzzyPath:
    folded = fold(path)
    name = folded.rpartition("/")[2]
    stem, _dot, _extension = name.rpartition(".")
    return FuzzyPath(path, folded, " " + folded.translate(_SEPARATORS), stem or name)


def _with_letters(letters: str, lines: TextLines) -> list[int]:
    """Return the texts with these letters in this order."""
    if len(letters) > MOST_LETTERS:
        return []
    options = re2_options(never_nl=True)
    return lines.matching(re2.compile(".*".join(map(re2.escape, letters)), options))


def _near(text: str, choices: Sequence[str], cutoff: float, check: Check) -> Iterator[ScoredPath]:
    """Yield the choices that resemble a text: the likeness, and the number."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - a start is faster without

    for start in range(0, len(choices), CHUNK):
        check()
        part = choices[start : start + CHUNK]
        for _choice, score, index in process.extract(text, part, scorer=fuzz.ratio, score_cutoff=cutoff, limit=None):
            yield score, start + index


class Listing:
    """Some files, by path. It never changes.

    Args:
        files: All there are.
        ignored: Rules for what to leave out.
        before: An earlier listing; what is still the same is reused.
    """

    def __init__(self, files: Sequence[IndexedFile], ignored: Ignored | None, before: "Listing | None" = None) -> None:
        self.all = files
        self.ignored = ignored
        known = before.verdicts if before is not None and before.ignored is ignored else {}
        self.verdicts: dict[str, bool] = {}
        if ignored is not None:
            for file in files:
                verdict = known.get(file.path)
                self.verdicts[file.path] = ignored(file.path) if verdict is None else verdict
            files = [file for file in files if not self.verdicts[file.path]]
        self.files = sorted(files)
        self._paths = [file.path for file in self.files]
        self._before = before.fuzzy_if_asked if before is not None else None

    def matching(self, glob: Glob) -> list[IndexedFile]:
        """Return the files that a glob means, by path.

        Args:
            glob: From `compile_glob`.
        """
        return [self.files[place] for place in self._lines.matching(glob.lines_regex)]

    def ranked(self, query: str, check: Check) -> list[IndexedFile]:
        """Return the files that a few words may mean, the likeliest first.

        Args:
            query: Words, parts of words, or a name with typing errors.
            check: Called often; what it raises ends the search.
        """
        return [self.files[place] for place in self._fuzzy.rank(query, check)]

    @property
    def fuzzy_if_asked(self) -> FuzzyPaths | None:
        """Return what is ready for fuzzy search, if that was ever asked for."""
        return self.__dict__.get("_fuzzy", self._before)

    @cached_property
    def _lines(self) -> TextLines:
        return TextLines(list(map(nfc, self._paths)))

    @cached_property
    def _fuzzy(self) -> FuzzyPaths:
        made = FuzzyPaths(self._paths, self._before)
        self._before = None
        return made


class Listings:
    """The listing made last. Any number of threads may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: Listing | None = None

    def of(self, files: Sequence[IndexedFile], ignored: Ignored | None) -> Listing:
        """Return the listing of some files, rebuilt when they or the rules are others than last time.

        Args:
            files: A snapshot that never changes.
            ignored: Rules for what to leave out.
        """
        with self._lock:
            last = self._last
            if last is None or last.all is not files or last.ignored is not ignored:
                last = self._last = Listing(files, ignored, last)
            return last


class NearestNames:
    """A search for files by a name that is nearly theirs, for `find`.

    Args:
        knowledge: What is known of the files that may be named.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._listings = Listings()

    def __call__(self, wanted: str) -> Sequence[str]:
        """Return the paths of the nearest files, the likeliest first; none when nothing is like it.

        Args:
            wanted: A path, a note's name, or a wikilink.
        """
        text = wanted.strip().strip("![]/").removesuffix(NOTE_EXTENSION)[:_LONGEST]
        listing = self._listings.of(self._knowledge.files(), None)
        for query in dict.fromkeys([text.replace("/", " "), text.rpartition("/")[2]]):
            found = listing.ranked(query, lambda: None)[:MOST]
            if found:
                return [file.path for file in found]
        return []
