"""Collectors of a search's results, file by file: hits with the lines around them, or counts of matching lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from bridge.index.texts.line_patterns import Span

MOST_TEXT = 1_000_000
"""Characters of hits and context that one search returns at most."""
WIDTH = 500
"""Bytes shown of a line; a longer one is cut around its match."""
CUT = "…"


class GrepHit(NamedTuple):
    """A line that matches.

    Attributes:
        file: The file's vault path.
        line: The line's number, from 1.
        match: Its text, without the line ending.
        before: The lines before it, as many as wished and there.
        after: The lines after it.
    """

    file: str
    line: int
    match: str
    before: Sequence[str] = ()
    after: Sequence[str] = ()

    @property
    def context(self) -> str:
        """Return the line with the lines around it."""
        return "\n".join([*self.before, self.match, *self.after])

    @property
    def size(self) -> int:
        """Return about how many characters it takes to show."""
        beside = sum(map(len, self.before)) + sum(map(len, self.after)) if self.before or self.after else 0
        return len(self.file) + 2 * len(self.match) + beside


class FileHits:
    """The hits of one file. Give it every piece in order, with the matches in it.

    Args:
        file: The file's vault path.
        context_lines: Lines of context on each side.
        most_size: Characters the hits may have together.
    """

    def __init__(self, file: str, context_lines: int, most_size: int) -> None:
        self.hits: list[GrepHit] = []
        self.size = 0
        self._most_size = most_size
        self._file = file
        self._context_lines = context_lines
        self._line = 1
        self._last: list[str] = []
        self._open: list[list[str]] = []

    @property
    def complete(self) -> bool:
        """Return whether every hit has the lines after it."""
        return not self._open

    @property
    def full(self) -> bool:
        """Return whether the hits exceed their limit."""
        return self.size > self._most_size

    def add(self, piece: bytes, spans: Iterable[Span], rest: int = 0) -> None:
        """Add the next piece of the file, and where in it lines match.

        Args:
            piece: Whole lines, each ended by a line feed alone; a line that is too long comes in several pieces.
            spans: The first match of each matching line.
            rest: How many bytes of it belong to the line that the piece before ended in.
        """
        if self._open and rest < len(piece):
            self._continue(piece[rest:])
        context_lines, line, counted = self._context_lines, self._line, 0
        earlier = self._last[:-1] if rest else self._last
        for start, _end in spans:
            line_start = piece.rfind(b"\n", 0, start) + 1
            line_end = piece.find(b"\n", start)
            if line_end < 0:
                line_end = len(piece)
            line += piece.count(b"\n", counted, line_start)
            counted = line_start
            text = shown(piece, line_start, line_end, start)
            if context_lines:
                before = _lines_before(piece, line_start, context_lines)
                missing = context_lines - len(before)
                after = _lines_after(piece, line_end, context_lines)
                if len(after) < context_lines:
                    self._open.append(after)
                hit = GrepHit(self._file, line, text, (earlier[-missing:] + before) if missing else before, after)
            else:
                hit = GrepHit(self._file, line, text)
            self.hits.append(hit)
            self.size += hit.size
            if self.size > self._most_size:
                break
        self._line = line + piece.count(b"\n", counted)
        if context_lines:
            own = piece[rest:] if rest else piece
            self._last = (self._last + _lines_before(own, len(own), context_lines))[-context_lines:]

    def _continue(self, piece: bytes) -> None:
        """Give the hits of the piece before the lines they still miss."""
        if not self._open:
            return
        first = _lines_after(piece, -1, self._context_lines)
        for after in self._open:
            after.extend(first[: self._context_lines - len(after)])
        self._open = [after for after in self._open if len(after) < self._context_lines]


@dataclass(slots=True)
class GrepResult:
    """The result of a search.

    Attributes:
        hits: The hits, in the order of the walk.
        counts: If hits are only counted: each file with matching lines, and how many, in the order of the walk.
        files: Number of files that were searched.
        more: Whether there are hits beyond the limit.
        full: Whether the hits grew too long to return more.
        size: Characters of the hits.
        indexing: Whether files were read from the disk because the index did not know all of them yet.
    """

    hits: list[GrepHit] = field(default_factory=list)
    counts: list[tuple[str, int]] = field(default_factory=list)
    files: int = 0
    more: bool = False
    full: bool = False
    size: int = 0
    indexing: bool = False

    @property
    def enough(self) -> bool:
        """Return whether no other file need be searched."""
        return self.more or self.full


class Collector(Protocol):
    """A receiver of one file after the other, each in pieces of whole lines."""

    @property
    def result(self) -> GrepResult:
        """Return all so far."""
        ...

    @property
    def wanted(self) -> int:
        """Return how many more matching lines of this file are of use; 0 or less for none."""
        ...

    @property
    def complete(self) -> bool:
        """Return whether nothing more of this file is needed once no line of it is wanted."""
        ...

    def begin(self, path: str) -> None:
        """Begin a file."""
        ...

    def add(self, piece: bytes, spans: list[Span], rest: int = 0) -> None:
        """Add the next piece of it, with the first match of each matching line.

        Args:
            piece: Whole lines, but for one that is too long.
            spans: The matches.
            rest: How many bytes of it belong to the line that the piece before ended in.
        """
        ...

    def end(self) -> None:
        """End the file. Without this, nothing of it is in the result."""
        ...


class HitCollector:
    """A collector of hits with the lines around them.

    Args:
        limit: The most hits.
        context_lines: Lines of context on each side.
        skip: Hits to leave out before the first.
    """

    def __init__(self, limit: int, context_lines: int, skip: int = 0) -> None:
        self.result = GrepResult()
        self._limit = limit
        self._context_lines = context_lines
        self._skip = self._skip_here = skip
        self._file = FileHits("", context_lines, MOST_TEXT)

    @property
    def wanted(self) -> int:
        """Return how many more lines are wanted: one hit beyond the limit, to know whether there are more."""
        if self._file.full:
            return 0
        return self._skip_here + self._limit + 1 - len(self.result.hits) - len(self._file.hits)

    @property
    def complete(self) -> bool:
        """Return whether every hit has the lines after it."""
        return self._file.complete

    def begin(self, path: str) -> None:
        """See `Collector`."""
        self._skip_here = self._skip
        self._file = FileHits(path, self._context_lines, MOST_TEXT - self.result.size)

    def add(self, piece: bytes, spans: list[Span], rest: int = 0) -> None:
        """See `Collector`."""
        self._file.add(piece, spans[self._skip_here :], rest)
        self._skip_here = max(self._skip_here - len(spans), 0)

    def end(self) -> None:
        """See `Collector`."""
        result, self._skip = self.result, self._skip_here
        result.hits += self._file.hits
        result.size += self._file.size
        result.full |= result.size > MOST_TEXT
        if len(result.hits) > self._limit:
            result.more = True
            del result.hits[self._limit :]
        self._file = FileHits("", self._context_lines, MOST_TEXT - result.size)


class CountCollector:
    """A counter of the lines of each file that match.

    Args:
        limit: The most lines counted in all.
    """

    complete = True

    def __init__(self, limit: int) -> None:
        self.result = GrepResult()
        self._limit = limit
        self._path = ""
        self._count = 0
        self._total = 0

    @property
    def wanted(self) -> int:
        """Return how many more lines are wanted: one beyond the limit, to know whether there are more."""
        return self._limit + 1 - self._total - self._count

    def begin(self, path: str) -> None:
        """See `Collector`."""
        self._path, self._count = path, 0

    def add(self, piece: bytes, spans: list[Span], rest: int = 0) -> None:  # noqa: ARG002 - the shape of a collector
        """See `Collector`."""
        self._count += len(spans)

    def end(self) -> None:
        """See `Collector`."""
        self._total += self._count
        self.result.more = self._total > self._limit
        counted = self._count - self.result.more
        if counted:
            self.result.counts.append((self._path, counted))
        self._count = 0


def shown(text: bytes, start: int, end: int, at: int) -> str:
    """Return a line as text, cut to `WIDTH` bytes around a place in it.

    Args:
        text: What it lies in.
        start: The beginning of the line.
        end: Its end.
        at: The place that must be seen.
    """
    if end - start <= WIDTH:
        return text[start:end].decode(errors="replace")
    low = max(start, min(at - WIDTH // 5, end - WIDTH))
    high = min(low + WIDTH, end)
    # Not in the middle of a character, which has at most three bytes after its first.
    for _ in range(3):
        low -= low > start and _inside_character(text[low])
        high -= high < end and _inside_character(text[high])
    cut = text[low:high].decode(errors="replace")
    return f"{CUT if low > start else ''}{cut}{CUT if high < end else ''}"


def _inside_character(byte: int) -> bool:
    """Return whether a byte continues a character of UTF-8."""
    return byte & 0xC0 == 0x80  # noqa: PLR2004 - the two marker bits


def _lines_before(piece: bytes, start: int, count: int) -> list[str]:
    """Return up to `count` lines of a piece that end before the line beginning at `start`."""
    if not start:
        return []
    end = start - 1 if piece[start - 1] == ord("\n") else start
    first = end
    for _ in range(count):
        first = piece.rfind(b"\n", 0, first)
        if first < 0:
            break
    return _lines(piece, first + 1, end)


def _lines_after(piece: bytes, end: int, count: int) -> list[str]:
    """Return up to `count` lines of a piece that follow the line ending at `end`."""
    start = end + 1
    if start >= len(piece):
        return []
    for _ in range(count):
        end = piece.find(b"\n", end + 1)
        if end < 0 or end + 1 == len(piece):
            break
    return _lines(piece, start, end if end >= 0 else len(piece))


def _lines(piece: bytes, start: int, end: int) -> list[str]:
    """Return the lines between the beginning of one and the end of another, decoded at once if none can be too long."""
    if end - start <= WIDTH:
        return piece[start:end].decode(errors="replace").split("\n")
    lines: list[str] = []
    while start <= end:
        stop = piece.find(b"\n", start, end)
        stop = end if stop < 0 else stop
        lines.append(shown(piece, start, stop, start))
        start = stop + 1
    return lines
