"""Searching the text of the vault's files: in memory where the corpus knows them, else file by file from the disk."""

import heapq
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO, Protocol

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ExecutionFailed, InvalidParameters, ToolFailure
from bridge.index.corpus import Corpus
from bridge.index.excerpts import Excerpts, Hit
from bridge.index.finders import finders
from bridge.index.globs import Glob
from bridge.index.ordered_search import Job, Matching, search_in_order
from bridge.index.patterns import LineSearch, Pattern, Patterns
from bridge.index.pieces import PIECE, pieces
from bridge.index.pool import WorkerPool
from bridge.index.segments import Stamp
from bridge.index.selection import Excludes, Selection
from bridge.index.walk_order import walk_key
from bridge.vault.files import FileStat, VaultFiles, WalkedFolder
from bridge.vault.kinds import is_binary
from bridge.vault.paths import parse_path

MOST_TEXT = 1_000_000
"""Characters of hits and context that one search tells at most."""
TELL_EVERY = 500
"""Files between two reports of progress."""
THREADS = min(4, os.cpu_count() or 1)
"""Threads that scan segments, for all searches together."""


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
        named = self.glob is None or self.glob.matches(path)
        return named and not any(excluded(path) for excluded in self.excludes)


@dataclass(slots=True)
class Found:
    """What a search found.

    Attributes:
        hits: In the order of the walk.
        files: How many files were searched.
        more: Whether there are hits beyond the limit.
        full: Whether the hits grew too long to tell more.
        size: Characters of the hits.
        indexing: Whether files were read from the disk because the index did not know all of them yet.
    """

    hits: list[Hit] = field(default_factory=list)
    files: int = 0
    more: bool = False
    full: bool = False
    size: int = 0
    indexing: bool = False

    def add(self, excerpts: Excerpts, limit: int) -> None:
        """Add what was found in one more file."""
        self.hits += excerpts.hits
        self.size += excerpts.size
        self.full |= excerpts.full
        self.more |= len(self.hits) > limit
        del self.hits[limit:]


class Grep:
    """Searches the files of one vault. Its methods block; call them in a worker thread.

    Args:
        files: The vault's files.
        clock: What deadlines are measured with.
        source: The index's texts; None to read every file from the disk each time.
    """

    def __init__(self, files: VaultFiles, clock: Clock, source: TextSource | None = None) -> None:
        self._files = files
        self._clock = clock
        self._source = source
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
        """Search the vault.

        Binary files and files that cannot be read are passed over; bytes that are not UTF-8 are shown as U+FFFD.

        Raises:
            DeadlineExceeded: It did not end in time; says how to narrow it.
            InvalidParameters: The pattern backtracks without end on some line.
        """
        found = Found()
        try:
            with self._patterns.search(query.pattern, query.deadline) as lines:
                if self._source is not None and self._source.ready:
                    self._search_corpus(self._source.corpus, query, lines, found)
                else:
                    found.indexing = self._source is not None
                    self._walk(query, lines, found)
        except DeadlineExceeded:
            raise self._too_slow(query, found) from None
        return found

    def close(self) -> None:
        """End the threads and the worker processes."""
        self._pool.close()
        with self._lock:
            if self._threads is not None:
                self._threads.shutdown(cancel_futures=True)

    # -- from the disk ------------------------------------------------------------------------------------------

    def _walk(self, query: Query, lines: LineSearch, found: Found) -> None:
        """Every file as the disk has it, in the order of a walk. A text is not read when the corpus has the same."""
        for walked in self._files.walk_folders():
            for file in walked.files:
                self._check(query)
                if query.wants(str(file.path)):
                    self._search_walked(walked, file, query, lines, found)
                if found.more or found.full:
                    return

    def _search_walked(
        self, walked: WalkedFolder, file: FileStat, query: Query, lines: LineSearch, found: Found
    ) -> None:
        path = str(file.path)
        held = self._source.corpus.document(path) if self._source is not None else None
        if held is not None and held.stamp == Stamp(file.size, file.mtime_ns):
            self._search_pieces(path, pieces(b"", BytesIO(held.text)), query, lines, found)
            return
        try:
            with walked.folder.open(file.path.name) as stream:
                self._search_stream(path, stream, query, lines, found)
        except OSError:
            return  # it went, or may not be read: as if it were not there

    def _search_stream(self, path: str, stream: BinaryIO, query: Query, lines: LineSearch, found: Found) -> None:
        """Search an open file, unless it is binary."""
        head = stream.read(PIECE)
        if not is_binary(head):
            self._search_pieces(path, pieces(head, stream), query, lines, found)

    def _search_pieces(self, path: str, text: Iterator[bytes], query: Query, lines: LineSearch, found: Found) -> None:
        """Search one file, adding to what was found. What it raises leaves nothing added."""
        excerpts = Excerpts(path, query.around, MOST_TEXT - found.size)
        for piece in text:
            self._check(query)
            # One hit beyond the limit is looked for, to know whether there are more.
            wanted = query.limit + 1 - len(found.hits) - len(excerpts.hits)
            enough = wanted <= 0 or excerpts.full
            excerpts.add(piece, [] if enough else lines.spans(piece, wanted))
            if enough and excerpts.complete:
                break
        found.add(excerpts, query.limit)
        found.files += 1
        if found.files % TELL_EVERY == 0:
            query.progress(found.files)

    # -- from memory --------------------------------------------------------------------------------------------

    def _search_corpus(self, corpus: Corpus, query: Query, lines: LineSearch, found: Found) -> None:
        """Every text of the corpus, in the order of a walk, and between them the files too large for it."""
        snapshot = corpus.snapshot()
        selected = [self._selection.of(view, query.glob, query.excludes) for view in snapshot.views]
        finder, fallback = finders(query.pattern, lines)
        job = Job(finder, fallback, query.limit + 1, lambda: self._check(query))
        several = len(selected) > 1 and query.pattern.compiled is not None
        small = search_in_order(selected, job, self._executor() if several else None)
        large = (Matching(walk_key(path), path, None, []) for path in snapshot.large if query.wants(path))
        passed = None
        for matching in heapq.merge(small, large, key=lambda matching: matching.key):
            self._check(query)
            if matching.text is None:
                self._search_large(matching.path, query, lines, found)
            else:
                excerpts = Excerpts(matching.path, query.around, MOST_TEXT - found.size)
                excerpts.add(matching.text, matching.spans[: job.limit - len(found.hits)])
                found.add(excerpts, query.limit)
            if found.more or found.full:
                passed = matching.key
                break
        found.files += sum(part.count_until(passed) for part in selected)

    def _search_large(self, path: str, query: Query, lines: LineSearch, found: Found) -> None:
        try:
            with self._files.open(parse_path(path)) as stream:
                self._search_stream(path, stream, query, lines, found)
        except (DeadlineExceeded, InvalidParameters, ExecutionFailed):
            raise
        except (OSError, ToolFailure):
            return  # it went, or may not be read: as if it were not there

    def _executor(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="grep")
            return self._threads

    # -- both ---------------------------------------------------------------------------------------------------

    def _check(self, query: Query) -> None:
        if self._clock.monotonic() > query.deadline:
            raise DeadlineExceeded("")

    def _too_slow(self, query: Query, found: Found) -> DeadlineExceeded:
        return DeadlineExceeded(
            f"The search for {query.pattern.text!r} was stopped at its deadline after {found.files} files. "
            "Search fewer files with filePattern (for example 'Projects/**/*.md'), or use a more specific pattern",
            data={"filesSearched": found.files},
        )
