"""Searching a snapshot of the corpus in walk order, no further than needed, several segments at once.

Texts are in walk order inside a segment, and most segments follow one another. So a segment is scanned only when the
walk comes to its first file, the next ones are scanned meanwhile, and what segments found is merged.
"""

import heapq
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from bridge.index.finders import Finder, line_break
from bridge.index.scan import Span
from bridge.index.segments import NOT_UTF8, UNENDED, Segment
from bridge.index.selection import Selected
from bridge.index.walk_order import walk_key

AHEAD = 2
"""Segments that are scanned, or wait to be, while the walk is at one."""
BATCH = 512
"""Lines found in a segment before the scan waits until they are asked for."""


class Matching(NamedTuple):
    """A file in which lines match.

    Attributes:
        key: Its place in the walk.
        path: Which file.
        text: As it is searched; None where it is not held.
        spans: The first match of each matching line, by offsets in the text.
    """

    key: str
    path: str
    text: bytes | None
    spans: list[Span]


@dataclass(frozen=True, slots=True)
class Job:
    """What is looked for.

    Attributes:
        finder: The pattern.
        fallback: What searches texts that are not UTF-8, where the finder cannot.
        limit: How many lines are enough.
        check: Called often; raises when the time is over.
    """

    finder: Finder
    fallback: Finder
    limit: int
    check: Callable[[], None]


def search_in_order(selected: list[Selected], job: Job, executor: Executor | None) -> Iterator[Matching]:
    """The files with matching lines, in walk order.

    Args:
        selected: What to search of each segment.
        job: What to look for.
        executor: Begins segments ahead; None: each is scanned when its turn comes.

    Yields:
        Files, until the caller has enough. In no segment more than `limit` lines are looked for, so a file behind the
        `limit`-th line may be missing or miss lines.
    """
    waiting = deque(sorted((part for part in selected if part.chosen), key=lambda part: walk_key(part.first)))
    firsts = [walk_key(part.first) for part in waiting]
    planned = deque(waiting)
    begun: deque[_Begun] = deque()
    merging: list[tuple[str, int, Matching, Iterator[Matching]]] = []
    try:
        while waiting or merging:
            while waiting and (not merging or firsts[-len(waiting)] <= merging[0][0]):
                while planned and len(begun) <= (AHEAD if executor else 0):
                    begun.append(_Begun(planned.popleft(), job, executor))
                waiting.popleft()
                _push(merging, len(waiting), begun.popleft().matching())
            if not merging:
                continue
            matching, number, rest = merging[0][2], merging[0][1], merging[0][3]
            yield matching
            following = next(rest, None)
            if following is None:
                heapq.heappop(merging)
            elif len(merging) == 1:
                merging[0] = following.key, number, following, rest
            else:
                heapq.heapreplace(merging, (following.key, number, following, rest))
    finally:
        for scan in begun:
            scan.cancel()


def _push(
    merging: list[tuple[str, int, Matching, Iterator[Matching]]], number: int, stream: Iterator[Matching]
) -> None:
    """Let a segment's next file take part in the merge."""
    matching = next(stream, None)
    if matching is not None:
        heapq.heappush(merging, (matching.key, number, matching, stream))


class _Begun:
    """The scan of one segment, its first batch perhaps in another thread."""

    def __init__(self, part: Selected, job: Job, executor: Executor | None) -> None:
        self._segment = part.view.segment
        self._batches = scan(part, job)
        nothing: list[Span] = []
        self._first = executor.submit(next, self._batches, nothing) if executor else None

    def matching(self) -> Iterator[Matching]:
        """The files in which lines match."""
        segment = self._segment
        index = behind = -1
        spans: list[Span] = []
        for span in chain.from_iterable(chain([self._first.result()] if self._first else [], self._batches)):
            if span[0] >= behind:
                if spans:
                    yield _matching(segment, index, spans)
                index = bisect_right(segment.starts, span[0]) - 1
                behind = segment.starts[index + 1]
                spans = []
            spans.append(span)
        if spans:
            yield _matching(segment, index, spans)

    def cancel(self) -> None:
        """Its result is not needed."""
        if self._first:
            self._first.cancel()


def _matching(segment: Segment, index: int, spans: list[Span]) -> Matching:
    start = segment.starts[index]
    text = bytes(segment.text[start : segment.starts[index + 1]])
    path = segment.paths[index]
    return Matching(walk_key(path), path, text, [(a - start, b - start) for a, b in spans])


def scan(part: Selected, job: Job) -> Iterator[list[Span]]:
    """The first match of each matching line of a segment, in batches, by offsets in the segment."""
    text = part.view.segment.text
    missing = job.limit
    batch: list[Span] = []
    for first, behind in part.ranges:
        for start, end, finder in _parts(part.view.segment, first, behind, job):
            at = start
            while at < end and missing:
                job.check()
                stop = line_break(text, at, end, finder.chunk)
                wanted = min(missing, BATCH)
                spans = finder.spans(text, at, stop, wanted)
                # There may be more when there are as many as were wanted.
                at = stop if len(spans) < wanted else text.find(b"\n", spans[-1][0], stop) + 1 or stop
                spans = part.chosen_of(spans)
                missing -= len(spans)
                batch += spans
                if len(batch) >= BATCH:
                    yield batch
                    batch = []
    if batch:
        yield batch


def _parts(segment: Segment, first: int, behind: int, job: Job) -> Iterator[tuple[int, int, Finder]]:
    """A row of texts, from where to where, taken apart where another finder must search them."""
    starts = segment.starts
    if not job.finder.utf8_only or not any(flags in segment.flags for flags in (NOT_UTF8, NOT_UTF8 | UNENDED)):
        yield starts[first], starts[behind], job.finder
        return
    low = first
    while low < behind:
        valid = not segment.flags[low] & NOT_UTF8
        high = low + 1
        while high < behind and bool(segment.flags[high] & NOT_UTF8) is not valid:
            high += 1
        yield starts[low], starts[high], job.finder if valid else job.fallback
        low = high
