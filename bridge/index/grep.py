"""Searching the text of every note, file by file, within a deadline."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded
from bridge.index.excerpts import Excerpts, Hit
from bridge.index.globs import Glob
from bridge.index.patterns import LineSearch, Pattern, Patterns
from bridge.index.pieces import PIECE, pieces
from bridge.index.pool import WorkerPool
from bridge.vault.files import FileStat, VaultFiles, WalkedFolder
from bridge.vault.kinds import is_binary
from bridge.vault.paths import VaultPath

MOST_TEXT = 1_000_000
"""Characters of hits and context that one search tells at most."""
TELL_EVERY = 500
"""Files between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Query:
    """What to search.

    Attributes:
        pattern: From `Grep.compile`.
        glob: Which files; None for all.
        ignored: Which of them to pass over.
        around: Lines of context on each side of a hit.
        limit: The most hits.
        deadline: `Clock.monotonic()` value.
        progress: Told how many files are done.
    """

    pattern: Pattern
    glob: Glob | None
    ignored: Callable[[VaultPath], bool]
    around: int
    limit: int
    deadline: float
    progress: Callable[[int], None] = lambda _files: None


@dataclass(slots=True)
class Found:
    """What a search found.

    Attributes:
        hits: In the order of the walk.
        files: How many files were searched.
        more: Whether there are hits beyond the limit.
        full: Whether the hits grew too long to tell more.
        size: Characters of the hits.
    """

    hits: list[Hit] = field(default_factory=list)
    files: int = 0
    more: bool = False
    full: bool = False
    size: int = 0

    def add(self, excerpts: Excerpts, limit: int) -> None:
        """Add what was found in one more file."""
        self.files += 1
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
    """

    def __init__(self, files: VaultFiles, clock: Clock) -> None:
        self._files = files
        self._clock = clock
        self._pool = WorkerPool(clock)
        self._patterns = Patterns(self._pool)

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
                for walked in self._files.walk_folders():
                    for file in walked.files:
                        self._check(query)
                        if (query.glob is None or query.glob.matches(str(file.path))) and not query.ignored(file.path):
                            self._search_file(walked, file, query, lines, found)
                        if found.more or found.full:
                            return found
        except DeadlineExceeded:
            raise self._too_slow(query, found) from None
        return found

    def close(self) -> None:
        """End the worker processes."""
        self._pool.close()

    def _search_file(self, walked: WalkedFolder, file: FileStat, query: Query, lines: LineSearch, found: Found) -> None:
        """Search one file, adding to what was found."""
        excerpts = Excerpts(str(file.path), query.around, MOST_TEXT - found.size)
        try:
            with walked.folder.open(file.path.name) as stream:
                head = stream.read(PIECE)
                if is_binary(head):
                    return
                for piece in pieces(head, stream):
                    self._check(query)
                    # One hit beyond the limit is looked for, to know whether there are more.
                    wanted = query.limit + 1 - len(found.hits) - len(excerpts.hits)
                    enough = wanted <= 0 or excerpts.full
                    excerpts.add(piece, [] if enough else lines.spans(piece, wanted))
                    if enough and excerpts.complete:
                        break
        except OSError:
            return  # it went, or may not be read: as if it were not there
        found.add(excerpts, query.limit)
        if found.files % TELL_EVERY == 0:
            query.progress(found.files)

    def _check(self, query: Query) -> None:
        if self._clock.monotonic() > query.deadline:
            raise DeadlineExceeded("")

    def _too_slow(self, query: Query, found: Found) -> DeadlineExceeded:
        return DeadlineExceeded(
            f"The search for {query.pattern.text!r} was stopped at its deadline after {found.files} files. "
            "Search fewer files with filePattern (for example 'Projects/**/*.md'), or use a more specific pattern",
            data={"filesSearched": found.files},
        )
