"""Finding the lines of a long text that match: the ways there are, each over any part of it that is whole lines.

A text here is one or many files back to back, each line ended by a line feed. A part of it is searched in place, by
offsets, and places are offsets in the whole text.
"""

from bisect import bisect_left
from itertools import accumulate
from typing import Protocol

from bridge.index.hyper import Candidates, HyperPattern
from bridge.index.linear import Compiled, first_span
from bridge.index.patterns import QUICK_WORK, LineSearch, Pattern
from bridge.index.pieces import PIECE
from bridge.index.segments import Text

LONGEST_SCAN = 4 * 1024 * 1024
"""Bytes searched between two looks at the clock, where the engine is quick enough for them."""
PLACES_A_LINE = 4
"""Of the places hyperscan tells, how many may lie in one line before RE2 alone is the better way."""
MANY = 100_000


class Finder(Protocol):
    """One pattern in use."""

    @property
    def chunk(self) -> int:
        """About how many bytes to search at once."""
        ...

    @property
    def utf8_only(self) -> bool:
        """Whether the text must be valid UTF-8."""
        ...

    def places(self, text: Text, start: int, end: int, limit: int) -> list[int]:
        """A place in each matching line between two line starts, at most `limit` lines. It may be a line's end."""
        ...

    def locate(self, text: Text, place: int) -> int:
        """Where the first match begins in the line in which a place is that `places` told."""
        ...


class LinearFinder:
    """RE2 in this process.

    Args:
        compiled: The pattern, whose `scan` is `scan_whole`.
        lines: For what is too long for RE2 in this process.
    """

    utf8_only = False

    def __init__(self, compiled: Compiled, lines: LineSearch) -> None:
        self._search = first_span(compiled.regex)
        self._lines = lines
        self._longest = QUICK_WORK // max(compiled.size, 1)
        self.chunk = min(LONGEST_SCAN, self._longest)

    def places(self, text: Text, start: int, end: int, limit: int) -> list[int]:
        """See `Finder`. Where the first match begins."""
        if end - start > self._longest:
            return piecewise(self._lines, text, start, end, limit)
        places: list[int] = []
        search, find = self._search, text.find
        while len(places) < limit and start < end:
            place = search(text, start, end)[0]
            if place < 0 or place == end:
                break  # an empty match behind the last line lies in no line
            places.append(place)
            start = find(b"\n", place, end) + 1
            if not start:
                break
        return places

    def locate(self, text: Text, place: int) -> int:  # noqa: ARG002 - the shape of a finder
        """See `Finder`."""
        return place


class HyperFinder:
    """Hyperscan for the lines, RE2 to say where in them.

    Where hyperscan tells one place a line, all its lines match, as nothing said to it matches a line break. Where it
    tells many, RE2 says which match.

    Args:
        pattern: For hyperscan.
        compiled: For RE2.
        lines: For lines too long for RE2 in this process.
    """

    utf8_only = True
    chunk = LONGEST_SCAN

    def __init__(self, pattern: HyperPattern, compiled: Compiled, lines: LineSearch) -> None:
        self._pattern = pattern
        self._search = first_span(compiled.regex)
        self._longest = QUICK_WORK // max(compiled.size, 1)
        self._lines = lines
        self._linear = LinearFinder(compiled, lines)

    def places(self, text: Text, start: int, end: int, limit: int) -> list[int]:
        """See `Finder`."""
        return (self._ends if self._pattern.one_a_line else self._verified)(text, start, end, limit)

    def locate(self, text: Text, place: int) -> int:
        """See `Finder`."""
        start = text.rfind(b"\n", 0, place) + 1
        found = self._first(text, start, text.find(b"\n", place))
        return place if found < 0 else found

    def _ends(self, text: Text, start: int, end: int, limit: int) -> list[int]:
        """The ends of the lines that match."""
        places: list[int] = []
        while len(places) < limit and start < end:
            found = self._scan(text, start, end, limit - len(places))
            places += [start + place for place in found.ends]
            if not found.halted:
                break
            start = places[-1] + 1
        return places

    def _verified(self, text: Text, start: int, end: int, limit: int) -> list[int]:
        """Where the first match begins of lines that hyperscan tells and RE2 confirms."""
        places: list[int] = []
        while len(places) < limit and start < end:
            found = self._scan(text, start, end, PLACES_A_LINE * (limit - len(places)) + 16)
            base, looked_at = start, 0
            for place in found.ends:
                at = base + place
                if at < start or at >= end:
                    continue  # the line was looked at, or it is none
                line_start = text.rfind(b"\n", base, at) + 1 or base
                line_end = text.find(b"\n", at, end)
                start = line_end + 1 or end
                looked_at += 1
                first = self._first(text, line_start, start - 1)
                if first >= 0:
                    places.append(first)
                    if len(places) >= limit:
                        return places
            if not found.halted:
                break
            if looked_at * PLACES_A_LINE < len(found.ends):
                return places + self._dense(text, start, end, limit - len(places))
        return places

    def _scan(self, text: Text, start: int, end: int, most: int) -> Candidates:
        with memoryview(text) as view, view[start:end] as part:
            return self._pattern.scan(part, min(most, MANY))

    def _first(self, text: Text, start: int, end: int) -> int:
        """Where a line's first match begins; less than 0 where it does not match."""
        if end - start > self._longest:
            found = self._lines.spans(text[start:end] + b"\n", 1)
            return start + found[0][0] if found else -1
        return self._search(text, start, end)[0]

    def _dense(self, text: Text, start: int, end: int, limit: int) -> list[int]:
        """The rest of a part in which nearly everything matches."""
        places: list[int] = []
        while start < end and len(places) < limit:
            stop = line_break(text, start, end, self._linear.chunk)
            places += self._linear.places(text, start, stop, limit - len(places))
            start = stop
        return places


class WorkerFinder:
    """A worker process, which is given the lines that may match; without a way to tell them, all lines.

    Args:
        lines: The pattern.
        relaxed: What finds every line of valid UTF-8 that may match.
    """

    def __init__(self, lines: LineSearch, relaxed: Finder | None) -> None:
        self._lines = lines
        self._relaxed = relaxed
        self.utf8_only = relaxed is not None
        self.chunk = PIECE if relaxed is None else relaxed.chunk

    def places(self, text: Text, start: int, end: int, limit: int) -> list[int]:
        """See `Finder`."""
        if self._relaxed is None:
            return piecewise(self._lines, text, start, end, limit)
        places: list[int] = []
        gathered: list[tuple[int, bytes]] = []
        size = 0
        for place in self._relaxed.places(text, start, end, end - start):
            line_start = text.rfind(b"\n", start, place) + 1 or start
            line = text[line_start : text.find(b"\n", place, end) + 1 or end]
            gathered.append((line_start, line))
            size += len(line)
            if size >= PIECE:
                places += self._asked(gathered, limit - len(places))
                gathered, size = [], 0
                if len(places) >= limit:
                    return places
        return places + self._asked(gathered, limit - len(places))

    def locate(self, text: Text, place: int) -> int:  # noqa: ARG002 - the shape of a finder
        """See `Finder`."""
        return place

    def _asked(self, gathered: list[tuple[int, bytes]], limit: int) -> list[int]:
        """Where those of some lines match that do."""
        if not gathered:
            return []
        starts = list(accumulate((len(line) for _place, line in gathered), initial=0))
        found: list[int] = []
        for start, _end in self._lines.spans(b"".join(line for _place, line in gathered), limit):
            which = bisect_left(starts, start + 1) - 1
            found.append(gathered[which][0] - starts[which] + start)
        return found


def finders(pattern: Pattern, lines: LineSearch) -> tuple[Finder, Finder]:
    """What searches with a pattern: texts of valid UTF-8, and all others."""
    if pattern.compiled is not None:
        linear = LinearFinder(pattern.compiled, lines)
        return (HyperFinder(pattern.hyper, pattern.compiled, lines) if pattern.hyper else linear), linear
    worker = WorkerFinder(lines, None)
    if pattern.relaxed is None:
        return worker, worker
    return WorkerFinder(lines, finders(pattern.relaxed, lines)[0]), worker


def piecewise(lines: LineSearch, text: Text, start: int, end: int, limit: int) -> list[int]:
    """Where lines match in a part of a text, by a `LineSearch`, a piece after the other."""
    places: list[int] = []
    while start < end and len(places) < limit:
        stop = line_break(text, start, end, PIECE)
        places += [start + at for at, _end in lines.spans(text[start:stop], limit - len(places))]
        start = stop
    return places


def line_break(text: Text, start: int, end: int, most: int) -> int:
    """Where a part ends that begins at `start`, is whole lines, and has about `most` bytes: more if its line has."""
    if end - start <= most:
        return end
    return text.rfind(b"\n", start, start + most) + 1 or text.find(b"\n", start, end) + 1 or end
