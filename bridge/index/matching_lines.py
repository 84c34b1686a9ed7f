"""The lines of a segment that match, with file, number and text: many at once, as little Python as can be for each."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

from bridge.index.excerpts import WIDTH, Hit, shown
from bridge.index.segments import Segment

BLOCK = 512
"""Bytes between two places whose line is remembered."""
MANY = 128
"""Lines of a segment from which it is worth to count all its line breaks, once."""


class Run(NamedTuple):
    """Files of a segment that follow one another in the walk, as far as lines match in them.

    Attributes:
        segment: The segment.
        places: One in each matching line, its end included, by offsets in the segment.
        locate: Tells of such a place where the line's first match begins.
    """

    segment: Segment
    places: list[int]
    locate: Callable[[int], int]

    def path_at(self, place: int) -> str:
        """Whose text a place is in."""
        return self.segment.paths[bisect_right(self.segment.starts, place) - 1]

    def files(self) -> Iterator[tuple[int, int, int]]:
        """Each file's place in the segment, and the first and behind the last of its places in `places`."""
        starts, places = self.segment.starts, self.places
        at = 0
        while at < len(places):
            index = bisect_right(starts, places[at]) - 1
            behind = bisect_left(places, starts[index + 1], at)
            yield index, at, behind
            at = behind


def hits_without_context(run: Run) -> list[Hit]:
    """The lines of a run as hits."""
    text, paths = run.segment.text, run.segment.paths
    begins = [text.rfind(b"\n", 0, place) + 1 for place in run.places]
    ends = [text.find(b"\n", place) for place in run.places]
    files: list[str] = []
    for index, first, behind in run.files():
        files += [paths[index]] * (behind - first)
    # Decoded together; a line too long to be shown whole is left out, and shown by itself.
    lines = [text[begin:end] if end - begin <= WIDTH else b"" for begin, end in zip(begins, ends, strict=True)]
    told = b"\n".join(lines).decode(errors="replace").split("\n")
    for place, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        if end - begin > WIDTH:
            told[place] = shown(text, begin, end, run.locate(run.places[place]))
    return list(map(Hit, files, _numbers(run, begins), told))


def _numbers(run: Run, begins: list[int]) -> list[int]:
    """The number of each line, in its file."""
    segment = run.segment
    text, starts = segment.text, segment.starts
    numbers: list[int] = []
    if len(begins) < MANY and not segment.breaks:
        for index, first, behind in run.files():
            counted, number = starts[index], 1
            for begin in begins[first:behind]:
                number += text[counted:begin].count(b"\n")
                counted = begin
                numbers.append(number)
        return numbers
    breaks = _breaks(segment)
    for index, first, behind in run.files():
        start = starts[index]
        before = breaks[start // BLOCK] + text[start // BLOCK * BLOCK : start].count(b"\n") - 1
        numbers += [
            breaks[begin // BLOCK] + text[begin // BLOCK * BLOCK : begin].count(b"\n") - before
            for begin in begins[first:behind]
        ]
    return numbers


def _breaks(segment: Segment) -> "array[int]":
    """How many line breaks stand before each block."""
    if not segment.breaks:
        text = segment.text
        counts = (text[at : at + BLOCK].count(b"\n") for at in range(0, segment.size, BLOCK))
        # Two threads may do this at once: then there are two equal ones.
        segment.breaks.append(array("I", accumulate(counts, initial=0)))
    return segment.breaks[0]
