"""Searching the text of the vault's files: in memory where the index knows them, else file by file from the disk."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from typing import BinaryIO, Protocol

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ExecutionFailed, InvalidParameters, ToolFailure
from bridge.index.knowledge import ClosedRules
from bridge.index.texts.arena import LARGE, Chunk, Excludes, Stamp, TextArena
from bridge.index.texts.collectors import Collector, CountCollector, GrepResult, HitCollector
from bridge.index.texts.globs import Glob
from bridge.index.texts.patterns import LineSearch, Pattern, Patterns, pattern_workers
from bridge.index.texts.pieces import PIECE, pieces
from bridge.vault.files import FileStat, VaultFiles, WalkedFolder
from bridge.vault.paths import nfc, parse_path
from bridge.vault.text import is_text

PROGRESS_EVERY = 500
"""Files between two reports of progress."""


class TextSource(Protocol):
    """The source of texts in memory: the index."""

    @property
    def texts(self) -> TextArena:
        """Return the texts."""
        ...

    @property
    def ready(self) -> bool:
        """Return whether every file is known, as it is on the disk."""
        ...


@dataclass(frozen=True, slots=True)
class GrepQuery:
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
        return query if denial is None else replace(query, excludes=(*query.excludes, _Closed(denial)))

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
            rest = _rest_of_line(piece) if inside else 0
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


def _rest_of_line(piece: bytes) -> int:
    """Return how many bytes of a piece, including a line break, belong to a line that began before it."""
    return piece.find(b"\n") + 1 or len(piece)


@dataclass(frozen=True, slots=True)
class _Closed:
    """A rule that excludes what is closed, by its own path or its folder's, as a walk does."""

    denial: Callable[[str], object | None]

    def __call__(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        return self.denial(path) is not None or (bool(folder) and self.denial(folder) is not None)
