"""What a search gathers while the files go by: hits with the lines around them, or only how many lines match."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

from bridge.index.excerpts import Excerpts, Hit
from bridge.index.matching_lines import Run, hits_without_context
from bridge.index.scan import Span

MOST_TEXT = 1_000_000
"""Characters of hits and context that one search tells at most."""


@dataclass(slots=True)
class Found:
    """What a search found.

    Attributes:
        hits: In the order of the walk.
        counts: Where hits are only counted: each file with matching lines, and how many, in the order of the walk.
        files: How many files were searched.
        more: Whether there are hits beyond the limit.
        full: Whether the hits grew too long to tell more.
        size: Characters of the hits.
        indexing: Whether files were read from the disk because the index did not know all of them yet.
    """

    hits: list[Hit] = field(default_factory=list)
    counts: list[tuple[str, int]] = field(default_factory=list)
    files: int = 0
    more: bool = False
    full: bool = False
    size: int = 0
    indexing: bool = False

    @property
    def enough(self) -> bool:
        """Whether no other file need be searched."""
        return self.more or self.full


class Gathering(Protocol):
    """Is given one file after the other, each in pieces of whole lines."""

    @property
    def found(self) -> Found:
        """All so far."""
        ...

    @property
    def limit(self) -> int:
        """The most hits of all files together."""
        ...

    @property
    def wanted(self) -> int:
        """How many matching lines of the rest of this file are of use; not more than 0: none."""
        ...

    @property
    def complete(self) -> bool:
        """Whether nothing more of this file is of use once no line of it is wanted."""
        ...

    def begin(self, path: str) -> None:
        """A file."""
        ...

    def add(self, piece: bytes, spans: list[Span]) -> None:
        """The next piece of it, with the first match of each matching line."""
        ...

    def end(self) -> None:
        """The file is done. Without this, nothing of it is told."""
        ...

    def take(self, run: Run) -> int:
        """Files whose text is held. Returns the last place of the run that was of use."""
        ...


class Hits:
    """Gathers hits with the lines around them.

    Args:
        limit: The most hits.
        around: Lines of context on each side.
    """

    def __init__(self, limit: int, around: int) -> None:
        self.found = Found()
        self.limit = limit
        self._around = around
        self._excerpts = Excerpts("", around, MOST_TEXT)

    @property
    def wanted(self) -> int:
        """One hit beyond the limit is looked for, to know whether there are more."""
        if self._excerpts.full:
            return 0
        return self.limit + 1 - len(self.found.hits) - len(self._excerpts.hits)

    @property
    def complete(self) -> bool:
        """Whether every hit has the lines after it."""
        return self._excerpts.complete

    def begin(self, path: str) -> None:
        """See `Gathering`."""
        self._excerpts = Excerpts(path, self._around, MOST_TEXT - self.found.size)

    def add(self, piece: bytes, spans: Iterable[Span]) -> None:
        """See `Gathering`."""
        self._excerpts.add(piece, spans)

    def take(self, run: Run) -> int:
        """See `Gathering`."""
        self.begin("")
        places = run.places[: self.wanted]
        run = run._replace(places=places)
        if self._around:
            taken = sum(self._with_context(run, *file) for file in run.files() if not self.found.full)
        else:
            hits, size = hits_without_context(run)
            size += self.found.size
            if size > MOST_TEXT:
                sizes = list(accumulate((hit.size for hit in hits), initial=self.found.size))
                del hits[bisect_right(sizes, MOST_TEXT) :]
                size = sizes[len(hits)]
            taken = len(hits)
            self._append(hits, size)
        return places[taken - 1]

    def end(self) -> None:
        """See `Gathering`."""
        self._append(self._excerpts.hits, self.found.size + self._excerpts.size)

    def _with_context(self, run: Run, index: int, first: int, behind: int) -> int:
        """Take one file of a run. Returns how many hits it gave."""
        start = run.segment.starts[index]
        places = [(place - start, place - start) for place in run.places[first:behind]]
        self.begin(run.segment.paths[index])
        text = bytes(run.segment.view(index))
        self._excerpts.add(text, places, locate=lambda place: run.locate(start + place) - start)
        self.end()
        return len(self._excerpts.hits)

    def _append(self, hits: list[Hit], size: int) -> None:
        """Add hits, which have this size with all before."""
        found = self.found
        found.hits += hits
        found.size = size
        found.full |= size > MOST_TEXT
        if len(found.hits) > self.limit:
            found.more = True
            del found.hits[self.limit :]


class Counts:
    """Gathers how many lines of each file match.

    Args:
        limit: The most lines counted in all.
    """

    complete = True

    def __init__(self, limit: int) -> None:
        self.found = Found()
        self.limit = limit
        self._path = ""
        self._count = 0
        self._total = 0

    @property
    def wanted(self) -> int:
        """One line beyond the limit is looked for, to know whether there are more."""
        return self.limit + 1 - self._total - self._count

    def begin(self, path: str) -> None:
        """See `Gathering`."""
        self._path, self._count = path, 0

    def add(self, piece: bytes, spans: list[Span]) -> None:  # noqa: ARG002 - the shape of a gathering
        """See `Gathering`."""
        self._count += len(spans)

    def take(self, run: Run) -> int:
        """See `Gathering`."""
        self._count = 0
        places = run.places[: self.wanted]
        for index, first, behind in run._replace(places=places).files():
            self._path, self._count = run.segment.paths[index], behind - first
            self.end()
        return places[-1]

    def end(self) -> None:
        """See `Gathering`."""
        self._total += self._count
        self.found.more = self._total > self.limit
        counted = self._count - self.found.more
        counts = self.found.counts
        if counted and counts and counts[-1][0] == self._path:
            counted += counts.pop()[1]  # of a file that two runs share
        if counted:
            counts.append((self._path, counted))
        self._count = 0
