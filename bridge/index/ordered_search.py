"""Searching a snapshot of the corpus in walk order, no further than needed, several segments at once.

Texts are in walk order inside a segment, and most segments follow one another. So a segment is scanned only when the
walk comes to its first file, the next ones are scanned meanwhile, and what segments found is merged.
"""

import heapq
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

from bridge.index.finders import Finder, line_break
from bridge.index.matching_lines import Run
from bridge.index.segments import NOT_UTF8, UNENDED, Segment
from bridge.index.selection import Selected
from bridge.index.walk_order import walk_key

AHEAD = 2
"""Segments that are scanned, or wait to be, while the walk is at one."""
BATCH = 512
"""Lines found in a segment before the scan waits until they are asked for."""


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


def search_in_order(
    selected: list[Selected], large: Iterable[str], job: Job, executor: Executor | None
) -> Iterator[Run | str]:
    """The files with matching lines, in walk order.

    Args:
        selected: What to search of each segment.
        large: Files whose text is not held, in walk order.
        job: What to look for.
        executor: Begins segments ahead; None: each is scanned when its turn comes.

    Yields:
        Runs of files, and the paths of large ones, until the caller has enough. In no segment more than `limit` lines
        are looked for, so a file behind the `limit`-th line may be missing or miss lines.
    """
    waiting = deque(sorted((part for part in selected if part.chosen), key=lambda part: walk_key(part.first)))
    firsts = deque(walk_key(part.first) for part in waiting)
    planned = deque(waiting)
    begun: deque[_Begun] = deque()
    merging: list[tuple[str, int, _Begun | _Large]] = []
    _push(merging, -1, _Large(large))
    try:
        while firsts or merging:
            while firsts and (not merging or firsts[0] <= merging[0][0]):
                while planned and len(begun) <= (AHEAD if executor else 0):
                    begun.append(_Begun(planned.popleft(), job, executor))
                firsts.popleft()
                _push(merging, len(firsts), begun.popleft())
            if merging:
                _key, number, stream = heapq.heappop(merging)
                yield stream.take(min([key for key, *_ in merging[:1]] + [*firsts][:1], default=None))
                _push(merging, number, stream)
    finally:
        for scan in begun:
            scan.cancel()


def _push(merging: "list[tuple[str, int, _Begun | _Large]]", number: int, stream: "_Begun | _Large") -> None:
    """Let what a stream has next take part in the merge."""
    key = stream.key()
    if key is not None:
        heapq.heappush(merging, (key, number, stream))


class _Large:
    """Files whose text is not held."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = deque(paths)

    def key(self) -> str | None:
        """The place in the walk of the next; None at the end."""
        return walk_key(self._paths[0]) if self._paths else None

    def take(self, _bound: str | None) -> str:
        """The next."""
        return self._paths.popleft()


class _Begun:
    """The scan of one segment, its first batch perhaps in another thread."""

    def __init__(self, part: Selected, job: Job, executor: Executor | None) -> None:
        self._segment = part.view.segment
        self._locate = partial(job.finder.locate, self._segment.text)
        self._batches = scan(part, job)
        nothing: list[int] = []
        self._first = executor.submit(next, self._batches, nothing) if executor else None
        self._places: list[int] = []

    def key(self) -> str | None:
        """The place in the walk of the next file with matching lines; None at the end."""
        if not self._places:
            first, self._first = self._first, None
            self._places = first.result() if first else next(self._batches, [])
        if not self._places:
            return None
        return walk_key(self._segment.paths[bisect_right(self._segment.starts, self._places[0]) - 1])

    def take(self, bound: str | None) -> Run:
        """The next files, until one at or behind a place in the walk."""
        segment, places = self._segment, self._places
        stop = len(places)
        if bound is not None and bound <= walk_key(segment.paths[-1]):
            behind = segment.starts[bisect_left(segment.paths, bound, key=walk_key)]
            stop = max(bisect_left(places, behind), 1)
        self._places = places[stop:]
        return Run(segment, places[:stop], self._locate)

    def cancel(self) -> None:
        """Its result is not needed."""
        if self._first:
            self._first.cancel()


def scan(part: Selected, job: Job) -> Iterator[list[int]]:
    """A place in each matching line of a segment, in batches, by offsets in the segment."""
    text = part.view.segment.text
    missing = job.limit
    batch: list[int] = []
    for first, behind in part.ranges:
        for start, end, finder in _parts(part.view.segment, first, behind, job):
            at = start
            while at < end and missing:
                job.check()
                stop = line_break(text, at, end, finder.chunk)
                wanted = min(missing, BATCH)
                places = finder.places(text, at, stop, wanted)
                # There may be more when there are as many as were wanted.
                at = stop if len(places) < wanted else text.find(b"\n", places[-1], stop) + 1 or stop
                places = part.chosen_of(places)
                missing -= len(places)
                batch += places
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
