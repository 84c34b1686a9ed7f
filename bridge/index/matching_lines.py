"""The lines of a segment that match, with file, number and text: many at once, as little Python as can be for each."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, repeat
from typing import NamedTuple

from bridge.index.excerpts import WIDTH, Hit, shown
from bridge.index.segments import Breaks, Segment, Text

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


def hits_without_context(run: Run) -> tuple[list[Hit], int]:
    """The lines of a run as hits, and their size together."""
    segment, places = run.segment, run.places
    text, paths = segment.text, segment.paths
    begins = [text.rfind(b"\n", 0, place) + 1 for place in places]
    ends = [text.find(b"\n", place) for place in places]
    # Decoded together; a line too long to be shown whole is left out, and shown by itself.
    lines = [text[begin:end] if end - begin <= WIDTH else b"" for begin, end in zip(begins, ends, strict=True)]
    told = b"\n".join(lines).decode(errors="replace").split("\n")
    for at, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        if end - begin > WIDTH:
            told[at] = shown(text, begin, end, run.locate(places[at]))
    files: list[str] = []
    before: list[int] = []
    count = _counted(segment) if segment.breaks or len(places) >= MANY else None
    for index, first, behind in run.files():
        files += [paths[index]] * (behind - first)
        if count is not None:
            before += [count.files[index]] * (behind - first)
    numbers = _looked_up(text, count.blocks, begins, before) if count is not None else _numbers(run, begins)
    hits = list(map(Hit._make, zip(files, numbers, told, repeat(()), repeat(()), strict=False)))
    return hits, sum(map(len, files)) + 2 * sum(map(len, told))


def _numbers(run: Run, begins: list[int]) -> Iterator[int]:
    """The number of each line in its file, by counting from the line before it."""
    text, starts = run.segment.text, run.segment.starts
    for index, first, behind in run.files():
        counted, number = starts[index], 1
        for begin in begins[first:behind]:
            number += text[counted:begin].count(b"\n")
            counted = begin
            yield number


def _looked_up(text: Text, blocks: "array[int]", begins: list[int], before: list[int]) -> list[int]:
    """The same, by what was counted before."""
    return [
        blocks[begin // BLOCK] + text[begin // BLOCK * BLOCK : begin].count(b"\n") + 1 - lines
        for begin, lines in zip(begins, before, strict=True)
    ]


def _counted(segment: Segment) -> Breaks:
    """The line breaks of a segment."""
    if not segment.breaks:
        text = segment.text
        counts = (text[at : at + BLOCK].count(b"\n") for at in range(0, segment.size, BLOCK))
        blocks = array("I", accumulate(counts, initial=0))
        starts = list(segment.starts)
        files = array("I", (number - 1 for number in _looked_up(text, blocks, starts, [0] * len(starts))))
        # Two threads may do this at once: then there are two equal ones.
        segment.breaks.append(Breaks(blocks, files))
    return segment.breaks[0]
