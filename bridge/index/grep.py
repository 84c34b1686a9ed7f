"""Searching the text of the vault's files: in memory where the corpus knows them, else file by file from the disk."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from typing import BinaryIO, Protocol

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ExecutionFailed, InvalidParameters, ToolFailure
from bridge.index.corpus import Corpus
from bridge.index.finders import LinearFinder, finders
from bridge.index.gathering import Counts, Found, Gathering, Hits
from bridge.index.globs import Glob
from bridge.index.ordered_search import Job, search_in_order
from bridge.index.patterns import LineSearch, Pattern, Patterns
from bridge.index.pieces import PIECE, pieces
from bridge.index.pool import WorkerPool
from bridge.index.segments import Stamp
from bridge.index.selection import Excludes, Selection
from bridge.index.walk_order import walk_key
from bridge.vault.file_types import is_binary
from bridge.vault.files import FileStat, VaultFiles, WalkedFolder
from bridge.vault.name_folding import nfc
from bridge.vault.paths import parse_path

TELL_EVERY = 500
"""Files between two reports of progress."""
THREADS = min(4, os.cpu_count() or 1)
"""Threads that scan segments, for all searches together."""

Closed = Callable[[], Callable[[str], object | None] | None]
"""What tells why a path may not be read, None for one that may; or None where everything may."""


class TextSource(Protocol):
    """Where the corpus comes from: the index."""

    @property
    def corpus(self) -> Corpus:
        """The texts."""
        ...

    @property
    def ready(self) -> bool:
        """Whether the corpus knows every file, as it is on the disk."""
        ...


@dataclass(frozen=True, slots=True)
class Query:
    """What to search.

    Attributes:
        pattern: From `Grep.compile`.
        glob: Which files; None for all.
        excludes: Each tells which of them to pass over.
        around: Lines of context on each side of a hit.
        limit: The most hits.
        deadline: `Clock.monotonic()` value.
        progress: Told how many files are done.
    """

    pattern: Pattern
    glob: Glob | None
    excludes: tuple[Excludes, ...]
    around: int
    limit: int
    deadline: float
    progress: Callable[[int], None] = lambda _files: None

    def wants(self, path: str) -> bool:
        """Whether a file is to be searched, by its name."""
        named = self.glob is None or self.glob.matches(nfc(path))
        return named and not any(excluded(path) for excluded in self.excludes)


class Grep:
    """Searches the files of one vault. Its methods block; call them in a worker thread.

    Args:
        files: The vault's files.
        clock: What deadlines are measured with.
        source: The index's texts; None to read every file from the disk each time.
        closed: What the user has closed for reading, which is never searched: the rules as they are now.
    """

    def __init__(
        self, files: VaultFiles, clock: Clock, source: TextSource | None = None, closed: Closed = lambda: None
    ) -> None:
        self._files = files
        self._clock = clock
        self._source = source
        self._closed = closed
        self._pool = WorkerPool(clock)
        self._patterns = Patterns(self._pool)
        self._selection = Selection()
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None

    def compile(self, pattern: str, deadline: float) -> Pattern:
        """Check a pattern and choose its engine.

        Raises:
            InvalidParameters: It is invalid; says where and why.
            DeadlineExceeded: It could not be told in time.
        """
        return self._patterns.compile(pattern, deadline)

    def search(self, query: Query) -> Found:
        """Find the lines that match.

        Binary files and files that cannot be read are passed over; bytes that are not UTF-8 are shown as U+FFFD.

        Raises:
            DeadlineExceeded: It did not end in time; says how to narrow it.
            InvalidParameters: The pattern backtracks without end on some line.
        """
        return self._run(query, Hits(query.limit, query.around))

    def count(self, query: Query) -> Found:
        """Count the lines that match, of each file. Raises what `search` raises."""
        return self._run(query, Counts(query.limit))

    def search_files(self, query: Query, paths: Iterable[str]) -> Iterator[Found]:
        """Find the lines that match in each of some files, up to the limit in each. Raises what `search` raises."""
        query = self._without_closed(query)
        with self._lines(query, Found()) as lines:
            for path in paths:
                hits = Hits(query.limit, query.around)
                if query.wants(path):
                    held = self._source.corpus.document(path) if self._source is not None else None
                    if held is not None:
                        self._search_pieces(path, pieces(b"", BytesIO(held.text)), query, lines, hits)
                    else:
                        self._search_on_disk(path, query, lines, hits)
                yield hits.found

    def close(self) -> None:
        """End the threads and the worker processes."""
        self._pool.close()
        with self._lock:
            if self._threads is not None:
                self._threads.shutdown(cancel_futures=True)

    def _run(self, query: Query, gathering: Gathering) -> Found:
        query = self._without_closed(query)
        found = gathering.found
        with self._lines(query, found) as lines:
            if self._source is not None and self._source.ready:
                self._search_corpus(self._source.corpus, query, lines, gathering)
            else:
                found.indexing = self._source is not None
                self._walk(query, lines, gathering)
        return found

    @contextmanager
    def _lines(self, query: Query, found: Found) -> Iterator[LineSearch]:
        """The pattern in use, until the deadline."""
        try:
            with self._patterns.search(query.pattern, query.deadline) as lines:
                yield lines
        except DeadlineExceeded:
            raise DeadlineExceeded(
                f"The search for {query.pattern.text!r} was stopped at its deadline after {found.files} files. "
                "Search fewer files with filePattern (for example 'Projects/**/*.md'), or use a more specific pattern",
                data={"filesSearched": found.files},
            ) from None

    def _without_closed(self, query: Query) -> Query:
        denial = self._closed()
        return query if denial is None else replace(query, excludes=(*query.excludes, _Closing(denial)))

    def _check(self, query: Query) -> None:
        if self._clock.monotonic() > query.deadline:
            raise DeadlineExceeded("")

    # -- from the disk ------------------------------------------------------------------------------------------

    def _walk(self, query: Query, lines: LineSearch, gathering: Gathering) -> None:
        """Every file as the disk has it, in the order of a walk."""
        for walked in self._files.walk_folders():
            for file in walked.files:
                self._check(query)
                if query.wants(str(file.path)):
                    self._search_walked(walked, file, query, lines, gathering)
                if gathering.found.enough:
                    return

    def _search_walked(
        self, walked: WalkedFolder, file: FileStat, query: Query, lines: LineSearch, gathering: Gathering
    ) -> None:
        """Search one file. Its text is not read when the corpus has the same."""
        path = str(file.path)
        held = self._source.corpus.document(path) if self._source is not None else None
        if held is not None and held.stamp == Stamp(file.size, file.mtime_ns):
            self._search_pieces(path, pieces(b"", BytesIO(held.text)), query, lines, gathering)
            return
        try:
            with walked.folder.open(file.path.name) as stream:
                self._search_stream(path, stream, query, lines, gathering)
        except OSError:
            return  # it went, or may not be read: as if it were not there

    def _search_on_disk(self, path: str, query: Query, lines: LineSearch, gathering: Gathering) -> None:
        try:
            with self._files.open(parse_path(path)) as stream:
                self._search_stream(path, stream, query, lines, gathering)
        except (DeadlineExceeded, InvalidParameters, ExecutionFailed):
            raise
        except (OSError, ToolFailure):
            return  # it went, or may not be read: as if it were not there

    def _search_stream(
        self, path: str, stream: BinaryIO, query: Query, lines: LineSearch, gathering: Gathering
    ) -> None:
        """Search an open file, unless it is binary."""
        head = stream.read(PIECE)
        if not is_binary(head):
            self._search_pieces(path, pieces(head, stream), query, lines, gathering)

    def _search_pieces(
        self, path: str, text: Iterator[bytes], query: Query, lines: LineSearch, gathering: Gathering
    ) -> None:
        """Search one file. What it raises leaves nothing gathered of it."""
        gathering.begin(path)
        for piece in text:
            self._check(query)
            wanted = gathering.wanted
            gathering.add(piece, lines.spans(piece, wanted) if wanted > 0 else [])
            if wanted <= 0 and gathering.complete:
                break
        gathering.end()
        gathering.found.files += 1
        if gathering.found.files % TELL_EVERY == 0:
            query.progress(gathering.found.files)

    # -- from memory --------------------------------------------------------------------------------------------

    def _search_corpus(self, corpus: Corpus, query: Query, lines: LineSearch, gathering: Gathering) -> None:
        """Every text of the corpus, in the order of a walk, and between them the files too large for it."""
        snapshot, found = corpus.snapshot(), gathering.found
        selected = [self._selection.of(view, query.glob, query.excludes) for view in snapshot.views]
        finder, fallback = finders(query.pattern, lines)
        job = Job(finder, fallback, query.limit + 1, lambda: self._check(query))
        executor = self._executor() if isinstance(finder, LinearFinder) else None
        large = filter(query.wants, snapshot.large)
        passed: str | None = ""
        try:
            for run in search_in_order(selected, large, job, executor):
                if isinstance(run, str):
                    self._search_on_disk(run, query, lines, gathering)
                    passed = walk_key(run)
                else:
                    passed = walk_key(run.path_at(gathering.take(run)))
                if found.enough:
                    break
            else:
                passed = None
        finally:
            found.files += sum(part.count_until(passed) for part in selected)

    def _executor(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="grep")
            return self._threads


@dataclass(frozen=True, slots=True)
class _Closing:
    """Excludes what is closed, by its own path or its folder's, as a walk does."""

    denial: Callable[[str], object | None]

    def __call__(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        return self.denial(path) is not None or (bool(folder) and self.denial(folder) is not None)
