"""Finding files by a name half remembered, in stages, each tried only when the one before found nothing.

1. Every word of the query is in the path. 2. The letters of the query are in the path in order. 3. Every word is
nearly a word of the path (typing errors), or the whole query is nearly the name. Within a stage the best likeness of
name or path comes first.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

WORD_LIKENESS = 72.0
"""Percent from which a word counts as a misspelling of another."""
NAME_LIKENESS = 60.0
"""Percent from which a whole query counts as a misspelling of a name."""
WORDS_BEGUN = 50.0
"""What it adds to a likeness that the query's words begin words of the path, rather than lie inside them."""
NAME_BEGUN = 10.0
"""What it adds that the name begins with the query's first letter."""
CHUNK = 20_000
"""Words compared in one call, which holds the interpreter for some milliseconds."""

_SEPARATORS = str.maketrans(dict.fromkeys("/-_.,()[]", " "))
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path made ready for comparing.

    Attributes:
        path: As it is.
        folded: The path without case and accents.
        name: Of that, the file's name without its extension.
    """

    path: str
    folded: str
    name: str


Check = Callable[[], None]
"""Raises when the time is over."""
Scored = tuple[float, Candidate]


def rank(query: str, paths: Iterable[str], check: Check = lambda: None) -> list[str]:
    """The paths a query may mean, the likeliest first.

    Args:
        query: Words, parts of words, a name with typing errors, or a part of a path.
        paths: Vault paths.
        check: Called often; what it raises ends the search.

    Returns:
        Every path of the first stage that found any.
    """
    folded = fold(query)
    words = folded.split()
    if not words:
        return []
    candidates = [_candidate(path, check) for path in paths]
    for stage in (_with_words, _with_letters, _with_typos):
        found = stage(" ".join(words), words, candidates, check)
        if found:
            found.sort(key=lambda scored: (-scored[0], scored[1].path))
            return [candidate.path for _score, candidate in found]
    return []


def fold(text: str) -> str:
    """A text without what people do not type: case, accents, width."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()


def _candidate(path: str, check: Check) -> Candidate:
    check()
    folded = fold(path)
    name = folded.rpartition("/")[2]
    stem, _dot, _extension = name.rpartition(".")
    return Candidate(path, folded, stem or name)


def _likeness(query: str, words: Sequence[str], candidate: Candidate) -> float:
    """How well a path fits: percent of likeness, of name or path, and more where the query's words begin words."""
    spaced = " " + candidate.folded.translate(_SEPARATORS)
    begun = sum(f" {word}" in spaced for word in words) / len(words)
    named = candidate.name.startswith(query[0])
    return (
        max(fuzz.ratio(query, candidate.name), fuzz.ratio(query, candidate.folded))
        + WORDS_BEGUN * begun
        + NAME_BEGUN * named
    )


def _with_words(query: str, words: Sequence[str], candidates: Sequence[Candidate], check: Check) -> list[Scored]:
    """Stage 1."""
    check()
    return [
        (_likeness(query, words, candidate), candidate)
        for candidate in candidates
        if all(word in candidate.folded for word in words)
    ]


def _with_letters(query: str, words: Sequence[str], candidates: Sequence[Candidate], check: Check) -> list[Scored]:
    """Stage 2: in a name, or else somewhere in a path."""
    letters = "".join(words)
    for part in ("name", "folded"):
        check()
        found = [candidate for candidate in candidates if _in_order(letters, getattr(candidate, part))]
        if found:
            return [(_likeness(query, words, candidate), candidate) for candidate in found]
    return []


def _in_order(letters: str, text: str) -> bool:
    """Whether a text has these letters in this order."""
    position = 0
    for letter in letters:
        position = text.find(letter, position) + 1
        if not position:
            return False
    return True


def _with_typos(query: str, words: Sequence[str], candidates: Sequence[Candidate], check: Check) -> list[Scored]:
    """Stage 3."""
    places: dict[str, set[int]] = {}
    for index, candidate in enumerate(candidates):
        for word in _WORD.findall(candidate.folded):
            places.setdefault(word, set()).add(index)
    known = list(places)
    totals: dict[int, float] = dict.fromkeys(range(len(candidates)), 0.0)
    for word in words:
        best: dict[int, float] = {}
        for near, score in _near(word, known, WORD_LIKENESS, check):
            for index in places[near] & totals.keys():
                best[index] = max(best.get(index, 0.0), score)
        totals = {
            index: total + best[index] if index in best else total + 100.0
            for index, total in totals.items()
            if index in best or word in candidates[index].folded
        }
    scores = {index: total / len(words) for index, total in totals.items()}
    names: dict[str, list[int]] = {}
    for index, candidate in enumerate(candidates):
        names.setdefault(candidate.name, []).append(index)
    for name, score in _near(query, list(names), NAME_LIKENESS, check):
        for index in names[name]:
            scores[index] = max(scores.get(index, 0.0), score)
    return [
        (score + _likeness(query, words, candidates[index]) / 100, candidates[index]) for index, score in scores.items()
    ]


def _near(text: str, choices: Sequence[str], cutoff: float, check: Check) -> Iterable[tuple[str, float]]:
    """The choices that are like a text, and how much."""
    for start in range(0, len(choices), CHUNK):
        check()
        part = choices[start : start + CHUNK]
        for choice, score, _index in process.extract(text, part, scorer=fuzz.ratio, score_cutoff=cutoff, limit=None):
            yield choice, score
