"""Finding the lines of a long text that match: the ways there are, each over any part of it that is whole lines.

A text here is one or many files back to back, each line ended by a line feed. A part of it is searched in place, by
offsets, and spans are offsets in the whole text.
"""

import mmap
from bisect import bisect_left
from itertools import accumulate
from typing import Protocol

from bridge.index.hyper import HyperPattern
from bridge.index.linear import NOWHERE, Compiled, first_span
from bridge.index.patterns import QUICK_WORK, LineSearch, Pattern
from bridge.index.pieces import PIECE
from bridge.index.scan import Span

Text = bytes | mmap.mmap

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

    def spans(self, text: Text, start: int, end: int, limit: int) -> list[Span]:
        """The first match of each matching line between two line starts, at most `limit` lines."""
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

    def spans(self, text: Text, start: int, end: int, limit: int) -> list[Span]:
        """See `Finder`."""
        if end - start > self._longest:
            return piecewise(self._lines, text, start, end, limit)
        spans: list[Span] = []
        search, find = self._search, text.find
        while len(spans) < limit and start < end:
            span = search(text, start, end)
            if span == NOWHERE or span[0] == end:
                break  # an empty match behind the last line lies in no line
            spans.append(span)
            start = find(b"\n", span[0], end) + 1
            if not start:
                break
        return spans


class HyperFinder:
    """Hyperscan for the lines to look at, RE2 to say whether and where they match.

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

    def spans(self, text: Text, start: int, end: int, limit: int) -> list[Span]:
        """See `Finder`."""
        spans: list[Span] = []
        while len(spans) < limit and start < end:
            wanted = limit - len(spans)
            with memoryview(text) as view, view[start:end] as part:
                most = wanted if self._pattern.one_a_line else PLACES_A_LINE * wanted + 16
                found = self._pattern.scan(part, min(most, MANY))
            base, looked_at = start, 0
            for place in found.ends:
                at = base + place
                if at < start or at >= end:
                    continue  # the line was looked at, or it is none
                line_start = text.rfind(b"\n", base, at) + 1 or base
                line_end = text.find(b"\n", at, end)
                start = line_end + 1 or end
                looked_at += 1
                span = self._verified(text, line_start, start - 1)
                if span is not None:
                    spans.append(span)
                    if len(spans) >= limit:
                        return spans
            if not found.halted:
                break
            if looked_at * PLACES_A_LINE < len(found.ends):
                return spans + self._dense(text, start, end, limit - len(spans))
        return spans

    def _verified(self, text: Text, start: int, end: int) -> Span | None:
        """Where a line matches, if RE2 says that it does."""
        if end - start > self._longest:
            found = self._lines.spans(text[start:end] + b"\n", 1)
            return (start + found[0][0], start + found[0][1]) if found else None
        span = self._search(text, start, end)
        return None if span == NOWHERE else span

    def _dense(self, text: Text, start: int, end: int, limit: int) -> list[Span]:
        """The rest of a part in which nearly everything matches."""
        spans: list[Span] = []
        while start < end and len(spans) < limit:
            stop = line_break(text, start, end, self._linear.chunk)
            spans += self._linear.spans(text, start, stop, limit - len(spans))
            start = stop
        return spans


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

    def spans(self, text: Text, start: int, end: int, limit: int) -> list[Span]:
        """See `Finder`."""
        if self._relaxed is None:
            return piecewise(self._lines, text, start, end, limit)
        spans: list[Span] = []
        gathered: list[tuple[int, bytes]] = []
        size = 0
        for match_start, _match_end in self._relaxed.spans(text, start, end, end - start):
            line_start = text.rfind(b"\n", start, match_start) + 1 or start
            line = text[line_start : text.find(b"\n", match_start, end) + 1 or end]
            gathered.append((line_start, line))
            size += len(line)
            if size >= PIECE:
                spans += self._asked(gathered, limit - len(spans))
                gathered, size = [], 0
                if len(spans) >= limit:
                    return spans
        return spans + self._asked(gathered, limit - len(spans))

    def _asked(self, gathered: list[tuple[int, bytes]], limit: int) -> list[Span]:
        """Those of some lines that match."""
        if not gathered:
            return []
        starts = list(accumulate((len(line) for _place, line in gathered), initial=0))
        found: list[Span] = []
        for start, end in self._lines.spans(b"".join(line for _place, line in gathered), limit):
            which = bisect_left(starts, start + 1) - 1
            place = gathered[which][0] - starts[which]
            found.append((place + start, place + end))
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


def piecewise(lines: LineSearch, text: Text, start: int, end: int, limit: int) -> list[Span]:
    """Spans in a part of a text, by a `LineSearch`, a piece after the other."""
    spans: list[Span] = []
    while start < end and len(spans) < limit:
        stop = line_break(text, start, end, PIECE)
        spans += [(start + a, start + b) for a, b in lines.spans(text[start:stop], limit - len(spans))]
        start = stop
    return spans


def line_break(text: Text, start: int, end: int, most: int) -> int:
    """Where a part ends that begins at `start`, is whole lines, and has about `most` bytes: more if its line has."""
    if end - start <= most:
        return end
    return text.rfind(b"\n", start, start + most) + 1 or text.find(b"\n", start, end) + 1 or end
