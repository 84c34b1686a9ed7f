"""The likely place of a hunk that fits nowhere: for the failure's message, never for the change."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bridge.vault.paths import nfc
from bridge.vault.text import Lines

MOST_BYTES = 8 << 20
"""Of a longer file the beginning is searched."""
MOST_LINES = 200
"""Lines of a hunk that are looked for."""
LIKENESS = 60.0
"""Percent from which a line counts as nearly another."""

_MOST_PLACES = 50
_LONGEST = 500
_SPACE = re.compile(r"\s+")
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2026": "..."}
)


class NearestPlace(NamedTuple):
    """The place, and the first line in which it differs.

    Attributes:
        first: The number of the place's first line.
        line: The number of the line that differs.
        there: What the file has in it; None behind its end.
        wanted: What was looked for.
    """

    first: int
    line: int
    there: str | None
    wanted: str


def nearest_place(lines: Lines, wanted: Sequence[str], check: Callable[[], None]) -> NearestPlace | None:
    """Return the place of a file that is most like some lines; None when none is like them, or one is them.

    Args:
        lines: The file.
        wanted: The lines.
        check: Called now and then; raises when the time is over.
    """
    data = lines.data[len(lines.bom) : MOST_BYTES]
    there = [line.removesuffix("\r") for line in data.removesuffix(b"\n").decode(errors="replace").split("\n")]
    check()
    folded = list(map(_folded, there))
    check()
    sought = list(map(_folded, wanted[:MOST_LINES]))
    first = _by_votes(folded, sought)
    if first is None:
        first = _by_likeness(folded, sought)
    if first is None:
        return None
    for offset, text in enumerate(wanted):
        found = there[first + offset] if first + offset < len(there) else None
        if found != text:
            return NearestPlace(first + 1, first + offset + 1, found, text)
    return None


def _by_votes(there: Sequence[str], sought: Sequence[str]) -> int | None:
    """Return where most lines stand as they do in the hunk, but for quotes, case and spaces."""
    places: dict[str, list[int]] = defaultdict(list)
    wanted = {text for text in sought if text}
    for number, text in enumerate(there):
        if text in wanted and len(places[text]) < _MOST_PLACES:
            places[text].append(number)
    votes = Counter(number - offset for offset, text in enumerate(sought) for number in places.get(text, ()))
    return max(max(votes, key=lambda first: (votes[first], -first)), 0) if votes else None


def _by_likeness(there: Sequence[str], sought: Sequence[str]) -> int | None:
    """Return where a line is most like the longest one of the hunk."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - a start is faster without

    offset, longest = max(enumerate(sought), key=lambda each: len(each[1]), default=(0, ""))
    if not longest:
        return None
    best = process.extractOne(longest, there, scorer=fuzz.ratio, score_cutoff=LIKENESS)
    return None if best is None else max(best[2] - offset, 0)


def _folded(text: str) -> str:
    """Return a line without what differs when a model repeats it."""
    return _SPACE.sub(" ", nfc(text[:_LONGEST]).translate(_PLAIN)).strip().casefold()
