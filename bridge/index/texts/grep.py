"""Searching the text of the vault's files: in memory where the index knows them, else file by file from the disk.

The results are collected file by file: hits with the lines around them, or counts of matching lines.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO, NamedTuple, Protocol

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ExecutionFailed, InvalidParameters, ToolFailure
from bridge.index.knowledge import ClosedRules
from bridge.index.texts.arena import LARGE, Chunk, Excludes, Stamp, TextArena
from bridge.index.texts.globs import Glob
from bridge.index.texts.line_patterns import PIECE, Span, pieces
from bridge.index.texts.patterns import LineSearch, Pattern, Patterns, pattern_workers
from bridge.vault.files import FileStat, VaultFiles, WalkedFolder
from bridge.vault.paths import nfc, parse_path
from bridge.vault.text import is_text

MOST_TEXT = 1_000_000
"""Characters of hits and context that one search returns at most."""
WIDTH = 500
"""Bytes shown of a line; a longer one is cut around its match."""
CUT = "…"
PROGRESS_EVERY = 500
"""Files between two reports of progress."""


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


class HitCollector:
    """A collector of hits with the lines around them. It gets one file after the other, each in pieces of whole lines.

    Args:
        limit: The most hits.
        context_lines: Lines of context on each side.
        skip: Hits to leave out before the first.
    """

    def __init__(self, limit: int, context_lines: int, skip: int = 0) -> None:
        self.result = GrepResult()
        self._limit = limit
        self._context_lines = context_lines
        self._skip = skip
        self.begin("")

    @property
    def wanted(self) -> int:
        """Return how many more lines are wanted: one hit beyond the limit, to know whether there are more."""
        if self._size > MOST_TEXT:
            return 0
        return self._skip_here + self._limit + 1 - len(self.result.hits) - len(self._hits)

    @property
    def complete(self) -> bool:
        """Return whether every hit has the lines after it: then no more of a file is needed once no line is wanted."""
        return not self._open

    def begin(self, path: str) -> None:
        """Begin a file."""
        self._path, self._skip_here = path, self._skip
        self._hits: list[GrepHit] = []
        self._size = self.result.size
        """Characters of all hits, those of this file included."""
        self._line = 1
        self._last: list[str] = []
        self._open: list[list[str]] = []

    def add(self, piece: bytes, spans: list[Span], rest: int = 0) -> None:
        """Add the next piece of it, with the first match of each matching line.

        Args:
            piece: Whole lines, each ended by a line feed alone; a line that is too long comes in several pieces.
            spans: The matches.
            rest: How many bytes of it belong to the line that the piece before ended in.
        """
        if self._open and rest < len(piece):
            self._continue(piece[rest:])
        context_lines, line, counted = self._context_lines, self._line, 0
        earlier = self._last[:-1] if rest else self._last
        for start, _end in spans[self._skip_here :]:
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
                hit = GrepHit(self._path, line, text, (earlier[-missing:] + before) if missing else before, after)
            else:
                hit = GrepHit(self._path, line, text)
            self._hits.append(hit)
            self._size += hit.size
            if self._size > MOST_TEXT:
                break
        self._skip_here = max(self._skip_here - len(spans), 0)
        self._line = line + piece.count(b"\n", counted)
        if context_lines:
            own = piece[rest:] if rest else piece
            self._last = (self._last + _lines_before(own, len(own), context_lines))[-context_lines:]

    def end(self) -> None:
        """End the file. Without this, nothing of it is in the result."""
        result, self._skip = self.result, self._skip_here
        result.hits += self._hits
        result.size = self._size
        result.full |= result.size > MOST_TEXT
        if len(result.hits) > self._limit:
            result.more = True
            del result.hits[self._limit :]
        self.begin("")

    def _continue(self, piece: bytes) -> None:
        """Give the hits of the piece before the lines they still miss."""
        first = _lines_after(piece, -1, self._context_lines)
        for after in self._open:
            after.extend(first[: self._context_lines - len(after)])
        self._open = [after for after in self._open if len(after) < self._context_lines]


class CountCollector:
    """A counter of the lines of each file that match. It has the members of `HitCollector`.

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
        """See `HitCollector`."""
        self._path, self._count = path, 0

    def add(self, piece: bytes, spans: list[Span], rest: int = 0) -> None:  # noqa: ARG002 - the shape of a collector
        """See `HitCollector`."""
        self._count += len(spans)

    def end(self) -> None:
        """See `HitCollector`."""
        self._total += self._count
        self.result.more = self._total > self._limit
        counted = self._count - self.result.more
        if counted:
            self.result.counts.append((self._path, counted))
        self._count = 0


Collector = HitCollector | CountCollector


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


class TextSource(Protocol):
    """The source of texts in memory: the index."""

    @property
    def texts(self) -> TextArena:
        """Return the texts."""

    @property
    def ready(self) -> bool:
        """Return whether every file is known, as it is on the disk."""


class GrepQuery(NamedTuple):
    """A query with its limits.

    Attributes:
        pattern: The pattern, from `Grep.compile`.
        glob: The files to search; None for all.
        excludes: Rules for files to skip.
        context_lines: Lines of context on each side of a hit.
        limit: Maximum number of hits.
        deadline: `Clock.monotonic()` value.
        progress: Called with the number of files done.
        skip: Hits to leave out before the first.
    """

    pattern: Pattern
    glob: Glob | None
    excludes: tuple[Excludes, ...]
    context_lines: int
    limit: int
    deadline: float
    progress: Callable[[int], None] = lambda _files: None
    skip: int = 0

    def wants(self, path: str) -> bool:
        """Return whether a file is to be searched, by its name."""
        named = self.glob is None or self.glob.matches(nfc(path))
        return named and not any(excluded(path) for excluded in self.excludes)


class Grep:
    """The search in the files of one vault. Its methods block; call them in a worker thread.

    Args:
        files: The vault's files.
        clock: The clock for deadlines.
        source: The index's texts; None to read every file from the disk each time.
        closed: What the user has closed for reading, which is never searched: the rules as they are now.
    """

    def __init__(
        self, files: VaultFiles, clock: Clock, source: TextSource | None = None, closed: ClosedRules = lambda: None
    ) -> None:
        self._files = files
        self._clock = clock
        self._source = source
        self._closed = closed
        self._pool = pattern_workers(clock)
        self._patterns = Patterns(self._pool)

    def compile(self, pattern: str, deadline: float) -> Pattern:
        """Check a pattern and choose its engine.

        Args:
            pattern: As the user wrote it: RE2's syntax, and look-around and back-references.
            deadline: `Clock.monotonic()` value.

        Raises:
            InvalidParameters: It is invalid; says where and why.
            DeadlineExceeded: It could not be compiled in time.
        """
        return self._patterns.compile(pattern, deadline)

    def search(self, query: GrepQuery) -> GrepResult:
        """Find the lines that match.

        Binary files and files that cannot be read are skipped; bytes that are not UTF-8 are shown as U+FFFD.

        Args:
            query: The pattern, the files and the bounds.

        Returns:
            The hits, in the order of a walk.

        Raises:
            DeadlineExceeded: It did not end in time; says how to narrow it.
            InvalidParameters: The pattern backtracks without end on some line.
        """
        return self._run(query, HitCollector(query.limit, query.context_lines, query.skip))

    def count(self, query: GrepQuery) -> GrepResult:
        """Count the lines that match, of each file. Raises what `search` raises.

        Args:
            query: Its `limit` is of lines counted in all.

        Returns:
            `counts` has the files with matching lines, in the order of a walk; there are no hits.
        """
        return self._run(query, CountCollector(query.limit))

    def search_files(self, query: GrepQuery, paths: Iterable[str]) -> Iterator[GrepResult]:
        """Find the lines that match in each of some files, up to the limit in each. Raises what `search` raises.

        Args:
            query: What to search; files that it does not mean have no hits.
            paths: The files.

        Yields:
            A result for each of the files, in their order.
        """
        query = self._without_closed(query)
        with self._lines(query, GrepResult()) as lines:
            for path in paths:
                hits = HitCollector(query.limit, query.context_lines)
                if query.wants(path):
                    held = self._source.texts.entry(path) if self._source is not None else None
                    if held is not None and held.is_held:
                        self._search_pieces(path, pieces(b"", BytesIO(held.text)), query, lines, hits)
                    else:
                        self._search_on_disk(path, query, lines, hits)
                yield hits.result

    def close(self) -> None:
        """End the worker processes."""
        self._pool.close()

    def _run(self, query: GrepQuery, collector: Collector) -> GrepResult:
        query = self._without_closed(query)
        found = collector.result
        with self._lines(query, found) as lines:
            if self._source is not None and self._source.ready:
                self._search_texts(self._source.texts, query, lines, collector)
            else:
                found.indexing = self._source is not None
                self._walk(query, lines, collector)
        return found

    @contextmanager
    def _lines(self, query: GrepQuery, found: GrepResult) -> Iterator[LineSearch]:
        """Provide the pattern, until the deadline."""
        try:
            with self._patterns.search(query.pattern, query.deadline) as lines:
                yield lines
        except DeadlineExceeded:
            raise DeadlineExceeded(
                f"The search for {query.pattern.text!r} was stopped at its deadline after {found.files} files. "
                "Search fewer files with filePattern (for example 'Projects/**/*.md'), or use a more specific pattern",
                data={"filesSearched": found.files},
            ) from None

    def _without_closed(self, query: GrepQuery) -> GrepQuery:
        denial = self._closed()
        return query if denial is None else query._replace(excludes=(*query.excludes, _Closed(denial)))

    def _check(self, query: GrepQuery) -> None:
        if self._clock.monotonic() > query.deadline:
            raise DeadlineExceeded("")

    # -- from the disk ------------------------------------------------------------------------------------------

    def _walk(self, query: GrepQuery, lines: LineSearch, collector: Collector) -> None:
        """Search every file as the disk has it, in the order of a walk."""
        for walked in self._files.walk_folders():
            for file in walked.files:
                self._check(query)
                if query.wants(str(file.path)):
                    self._search_walked(walked, file, query, lines, collector)
                if collector.result.enough:
                    return

    def _search_walked(
        self, walked: WalkedFolder, file: FileStat, query: GrepQuery, lines: LineSearch, collector: Collector
    ) -> None:
        """Search one file. Its text is not read when the same is in memory."""
        path = str(file.path)
        held = self._source.texts.entry(path) if self._source is not None else None
        if held is not None and held.is_held and held.stamp == Stamp(file.size, file.mtime_ns):
            self._search_pieces(path, pieces(b"", BytesIO(held.text)), query, lines, collector)
            return
        try:
            with walked.folder.open(file.path.name) as stream:
                self._search_stream(path, stream, query, lines, collector)
        except OSError:
            return  # it went, or may not be read: as if it were not there

    def _search_on_disk(self, path: str, query: GrepQuery, lines: LineSearch, collector: Collector) -> None:
        try:
            with self._files.open(parse_path(path)) as stream:
                self._search_stream(path, stream, query, lines, collector)
        except (DeadlineExceeded, InvalidParameters, ExecutionFailed):
            raise
        except (OSError, ToolFailure):
            return  # it went, or may not be read: as if it were not there

    def _search_stream(
        self, path: str, stream: BinaryIO, query: GrepQuery, lines: LineSearch, collector: Collector
    ) -> None:
        """Search an open file, unless it is binary."""
        head = stream.read(PIECE)
        if is_text(head):
            self._search_pieces(path, pieces(head, stream), query, lines, collector)

    def _search_pieces(
        self, path: str, text: Iterator[bytes], query: GrepQuery, lines: LineSearch, collector: Collector
    ) -> None:
        """Search one file. What it raises leaves nothing gathered of it."""
        collector.begin(path)
        inside = matched = False  # whether a piece goes on with a line that is too long, and whether that has matched
        for piece in text:
            self._check(query)
            wanted = collector.wanted
            spans = lines.spans(piece, wanted + matched) if wanted > 0 else []
            rest = (piece.find(b"\n") + 1 or len(piece)) if inside else 0
            if matched and spans and spans[0][0] < rest:
                del spans[0]
            collector.add(piece, spans, rest=rest)
            last = piece.rfind(b"\n") + 1
            matched = last < len(piece) and (any(start >= last for start, _end in spans) or (matched and not last))
            inside = last < len(piece)
            if wanted <= 0 and collector.complete:
                break
        collector.end()
        collector.result.files += 1
        if collector.result.files % PROGRESS_EVERY == 0:
            query.progress(collector.result.files)

    # -- from memory --------------------------------------------------------------------------------------------

    def _search_texts(self, texts: TextArena, query: GrepQuery, lines: LineSearch, collector: Collector) -> None:
        """Search every text in memory, in the order of a walk, and between them the files too large for it."""
        for chunk in texts.chunks():
            for run in chunk.runs(query.glob, query.excludes):
                self._check(query)
                if chunk.flags[run[0]] & LARGE:
                    self._search_on_disk(chunk.paths[run[0]], query, lines, collector)
                else:
                    collector.result.files += search_run(chunk, run, lines, collector)
                if collector.result.enough:
                    return


def search_run(chunk: Chunk, run: Sequence[int], lines: LineSearch, collector: Collector) -> int:
    """Search files whose texts lie side by side. Returns how many of them were searched until there was enough."""
    starts = chunk.starts
    places = lines.places(chunk.text, starts[run[0]], starts[run[-1] + 1], max(collector.wanted, 1), utf8=chunk.is_utf8)
    at = 0
    while at < len(places):
        index = bisect_right(starts, places[at]) - 1
        start, end = starts[index], starts[index + 1]
        behind = bisect_left(places, end, at)
        collector.begin(chunk.paths[index])
        collector.add(chunk.text[start:end], [(place - start, place - start) for place in places[at:behind]])
        collector.end()
        if collector.result.enough:
            return bisect_left(run, index) + 1
        at = behind
    return len(run)


@dataclass(frozen=True, slots=True)
class _Closed:
    """A rule that excludes what is closed, by its own path or its folder's, as a walk does."""

    denial: Callable[[str], object | None]

    def __call__(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        return self.denial(path) is not None or (bool(folder) and self.denial(folder) is not None)
