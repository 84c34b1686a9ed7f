"""Searching a snapshot of the corpus in walk order, no further than needed, several segments at once.

Texts are in walk order inside a segment, and most segments follow one another. So a segment is scanned only when the
walk comes to its first file, the next ones are scanned meanwhile, and what segments found is merged.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import NamedTuple

from bridge.index.finders import Finder, line_break
from bridge.index.scan import Span
from bridge.index.segments import NOT_UTF8, UNENDED, Segment, View
from bridge.index.selection import Selected
from bridge.index.walk_order import walk_key

AHEAD = 2
"""Segments that are scanned, or wait to be, while the walk is at one."""


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
        executor: Scans segments ahead; None: each is scanned when its turn comes.

    Yields:
        Files, until the caller has enough. In no segment more than `limit` lines are looked for, so a file behind the
        `limit`-th line may be missing or miss lines.
    """
    waiting = deque(sorted((part for part in selected if part.chosen), key=lambda part: walk_key(part.first)))
    ahead: deque[Future[list[tuple[int, list[Span]]]]] = deque()
    planned = deque(waiting)

    def scanned(part: Selected) -> list[tuple[int, list[Span]]]:
        if executor is None:
            return scan(part, job)
        while planned and len(ahead) < AHEAD:
            ahead.append(executor.submit(scan, planned.popleft(), job))
        return ahead.popleft().result()

    merging: list[tuple[str, int, Matching, Iterator[Matching]]] = []
    try:
        while waiting or merging:
            while waiting and (not merging or walk_key(waiting[0].first) <= merging[0][0]):
                part = waiting.popleft()
                _push(merging, len(waiting), _matching(part.view, scanned(part)))
            if merging:
                _key, number, matching, rest = heapq.heappop(merging)
                yield matching
                _push(merging, number, rest)
    finally:
        for future in ahead:
            future.cancel()


def _push(
    merging: list[tuple[str, int, Matching, Iterator[Matching]]], number: int, stream: Iterator[Matching]
) -> None:
    """Let a segment's next file take part in the merge."""
    matching = next(stream, None)
    if matching is not None:
        heapq.heappush(merging, (matching.key, number, matching, stream))


def _matching(view: View, found: list[tuple[int, list[Span]]]) -> Iterator[Matching]:
    segment = view.segment
    for index, spans in found:
        start = segment.starts[index]
        text = bytes(segment.text[start : segment.starts[index + 1]])
        path = segment.paths[index]
        yield Matching(walk_key(path), path, text, [(a - start, b - start) for a, b in spans])


def scan(part: Selected, job: Job) -> list[tuple[int, list[Span]]]:
    """Every text of a segment in which lines match: its place, and the spans by offsets in the segment."""
    segment = part.view.segment
    found: list[tuple[int, list[Span]]] = []
    missing = job.limit
    for first, behind in part.ranges:
        for low, high, finder in _parts(segment, first, behind, job):
            start, end = segment.starts[low], segment.starts[high]
            while start < end and missing:
                job.check()
                stop = line_break(segment.text, start, end, finder.chunk)
                spans = finder.spans(segment.text, start, stop, missing)
                full = len(spans) == missing  # perhaps some of them in a gap
                missing -= part.take(spans, found)
                start = (segment.text.find(b"\n", spans[-1][0], stop) + 1 or stop) if full and missing else stop
    return found


def _parts(segment: Segment, first: int, behind: int, job: Job) -> Iterator[tuple[int, int, Finder]]:
    """A row of texts, taken apart where another finder must search them."""
    if not job.finder.utf8_only or not any(flags in segment.flags for flags in (NOT_UTF8, NOT_UTF8 | UNENDED)):
        yield first, behind, job.finder
        return
    low = first
    while low < behind:
        valid = not segment.flags[low] & NOT_UTF8
        high = low + 1
        while high < behind and bool(segment.flags[high] & NOT_UTF8) is not valid:
            high += 1
        yield low, high, job.finder if valid else job.fallback
        low = high
