"""Which texts of a segment a search looks at: told from their names, before any of them is searched."""

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from bridge.index.globs import Glob
from bridge.index.path_list import PathList
from bridge.index.segments import Segment, View
from bridge.index.walk_order import walk_key

Excludes = Callable[[str], bool]
"""Whether a path is left out. The same object always answers the same."""

GAP = 8 * 1024
"""Bytes between two texts that are rather searched for nothing than made the end of a range."""
REMEMBERED = 8
"""Choices remembered for each segment."""


@dataclass(frozen=True, slots=True)
class Selected:
    """Some texts of a segment.

    Attributes:
        view: The segment.
        chosen: Their places in it, in order.
        ranges: First and behind the last of each row of texts to search, with small gaps included.
    """

    view: View
    chosen: Sequence[int]
    ranges: tuple[tuple[int, int], ...]

    @property
    def first(self) -> str:
        """The first path."""
        return self.view.segment.paths[self.chosen[0]]

    def count_until(self, key: str | None) -> int:
        """How many of the texts a walk has met when it is at a place, or at its end."""
        if key is None:
            return len(self.chosen)
        return bisect_left(self.chosen, bisect_right(self.view.segment.paths, key, key=walk_key))

    def chosen_of(self, places: list[int]) -> list[int]:
        """Those of some places, by offsets in the segment and in order, that do not lie in a gap."""
        if isinstance(self.chosen, range):
            return places
        starts = self.view.segment.starts
        kept: list[int] = []
        behind, wanted = 0, False
        for at in places:
            if at >= behind:
                index = bisect_right(starts, at) - 1
                behind = starts[index + 1]
                place = bisect_left(self.chosen, index)
                wanted = place < len(self.chosen) and self.chosen[place] == index
            if wanted:
                kept.append(at)
        return kept


class Selection:
    """Chooses texts, and remembers what was chosen of a segment. Any number of threads may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lists: WeakKeyDictionary[Segment, PathList] = WeakKeyDictionary()
        self._chosen: WeakKeyDictionary[Segment, dict[object, Sequence[int]]] = WeakKeyDictionary()

    def of(self, view: View, glob: Glob | None, excludes: Sequence[Excludes]) -> Selected:
        """What to search of a segment.

        Args:
            view: The segment.
            glob: Which texts; None for all.
            excludes: Each tells paths to leave out.
        """
        chosen = self._remembered(view.segment, glob, tuple(excludes))
        if view.dead:
            chosen = [index for index in chosen if index not in view.dead]
        return Selected(view, chosen, tuple(_ranges(view.segment, chosen)))

    def _remembered(self, segment: Segment, glob: Glob | None, excludes: tuple[Excludes, ...]) -> Sequence[int]:
        if glob is None and not excludes:
            return range(len(segment.paths))
        key = (glob, excludes)
        with self._lock:
            known = self._chosen.setdefault(segment, {})
            if key in known:
                return known[key]
        chosen = self._choose(segment, glob, excludes)
        with self._lock:
            while len(known) >= REMEMBERED:
                del known[next(iter(known))]
            known[key] = chosen
        return chosen

    def _choose(self, segment: Segment, glob: Glob | None, excludes: tuple[Excludes, ...]) -> Sequence[int]:
        chosen: Sequence[int] = range(len(segment.paths))
        if glob is not None:
            with self._lock:
                paths = self._lists.get(segment)
            if paths is None:
                paths = PathList(segment.paths)
                with self._lock:
                    self._lists[segment] = paths
            chosen = paths.matching(glob)
        for excluded in excludes:
            chosen = [index for index in chosen if not excluded(segment.paths[index])]
        return chosen


def _ranges(segment: Segment, chosen: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Rows of texts, with small gaps included."""
    if isinstance(chosen, range):
        yield from [(chosen.start, chosen.stop)] if chosen else []
        return
    starts = segment.starts
    first = behind = -1
    for index in chosen:
        if behind >= 0 and starts[index] - starts[behind] <= GAP:
            behind = index + 1
            continue
        if behind >= 0:
            yield first, behind
        first, behind = index, index + 1
    if behind >= 0:
        yield first, behind
