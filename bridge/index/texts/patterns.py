r"""A user's regular expression: which engines take it, and one search's use of it.

RE2 first (linear, in this process), led by hyperscan where it is installed. What RE2 refuses, and what could keep it
busy for long, goes to a worker process, which has RE2 with more memory and then PCRE2, and which is killed at the
deadline.

Hyperscan is several times faster than RE2, and as linear. It reports every place where a match ends, and there can be
one at each byte. So a pattern is led on to the end of its line (`(?:...)[^\n]*$`), which gives one report a line, and
only for lines that match. A pattern that hyperscan does not take so, because of an anchor inside, is left to RE2.
"""

import contextlib
import importlib
import threading
from bisect import bisect_right
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, InvalidParameters
from bridge.index.texts.line_patterns import (
    MEMORY,
    PROBE_MEMORY,
    LinePattern,
    Span,
    Text,
    compile_re2,
    first_span,
    line_break,
    scan_whole,
)
from bridge.policy.redaction import hide_secrets
from bridge.workers.pool import WORKERS, Job, Worker, WorkerPool

hyperscan: Any = None
with contextlib.suppress(ImportError):
    hyperscan = importlib.import_module("hyperscan")

MAX_LENGTH = 8192
"""Characters a pattern may have."""
QUICK_LENGTH = 500
"""Characters up to which a pattern is compiled here: a longer one could hold the interpreter too long."""
QUICK_WORK = 100_000_000
"""Program size times text length up to which RE2 runs here: some tenths of a second at worst."""
LONGEST_SCAN = 4 * 1024 * 1024
"""Bytes searched between two looks at the clock, where the engine is quick enough for them."""
MOST_PROGRAM = 300
"""Instructions of RE2's program beyond which hyperscan is not asked: it could compile for seconds."""
ASKED_AT_ONCE = 256 * 1024
"""Bytes that the worker is given at once."""
CACHE_SIZE = 64
SEARCHING = Job("bridge.index.texts.pcre2_worker", "search", "use a simpler pattern")


class Pattern(NamedTuple):
    """A pattern known to be valid.

    Attributes:
        text: As the user wrote it.
        compiled: For RE2 in this process; None when it needs a worker.
        hyperscan: For hyperscan, which finds the lines in which RE2 then finds the match; None if RE2 is alone.
        prefilter: One that finds every line which this one, that needs a worker, may find; None if none is known.
    """

    text: str
    compiled: LinePattern | None
    hyperscan: "HyperscanPattern | None" = None
    prefilter: "Pattern | None" = None


def pattern_workers(clock: Clock, workers: int = WORKERS) -> WorkerPool:
    """Return the processes for patterns that must be killable.

    Args:
        clock: The one that deadlines are given in.
        workers: Maximum number.
    """
    return WorkerPool(clock, SEARCHING, hide_secrets, workers)


class Patterns:
    """A compiler of patterns that remembers those used last.

    Args:
        pool: Where the worker processes are.
    """

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._recent: dict[str, Pattern] = {}

    def compile(self, text: str, deadline: float) -> Pattern:
        """Find the engine for a pattern.

        Args:
            text: RE2's syntax; look-around and back-references too.
            deadline: `Clock.monotonic()` value.

        Raises:
            InvalidParameters: It is invalid; says where and why.
            DeadlineExceeded: It could not be compiled in time.
        """
        pattern = self._recent.get(text) or self._compile(text, deadline)
        with self._lock:
            self._recent.pop(text, None)
            self._recent[text] = pattern  # behind all others, as the one used last
            if len(self._recent) > CACHE_SIZE:
                del self._recent[next(iter(self._recent))]
        return pattern

    def search(self, pattern: Pattern, deadline: float) -> "LineSearch":
        """Begin to search with a pattern; use it in `with`."""
        return LineSearch(pattern, self._pool, deadline)

    def _compile(self, text: str, deadline: float) -> Pattern:
        _check(text)
        probed = compile_re2(text, PROBE_MEMORY) if len(text) <= QUICK_LENGTH else None
        if probed and probed.scan is scan_whole:
            return _linear(text)
        if probed:
            return Pattern(text, None)  # a step in Python for every line is for the worker to take
        with self._pool.lend(deadline) as worker:
            answer, _ = worker.ask({"pattern": text})
        if "invalid" in answer:
            raise _invalid(text, answer["invalid"], answer["at"])
        return Pattern(text, None, prefilter=_prefilter(text))


class LineSearch(ExitStack):
    """One search's use of a pattern. It holds a worker from the first text that needs one until the search's end.

    Args:
        pattern: From `Patterns.compile`.
        pool: Lends the worker.
        deadline: `Clock.monotonic()` value.
    """

    def __init__(self, pattern: Pattern, pool: WorkerPool, deadline: float) -> None:
        super().__init__()
        self._pattern = pattern
        self._pool = pool
        self._deadline = deadline
        self._worker: Worker | None = None
        self._prefilter: LineSearch | None = None
        if pattern.prefilter is not None:
            self._prefilter = self.enter_context(LineSearch(pattern.prefilter, pool, deadline))

    def spans(self, piece: bytes, limit: int) -> list[Span]:
        """Return the first match of each matching line.

        Args:
            piece: Whole lines, each ended by a line feed alone.
            limit: Maximum number of lines.

        Raises:
            InvalidParameters: The pattern backtracks without end on some line of it.
            WorkerGone: The worker was killed; leaving the `with` turns this into the failure to show.
        """
        compiled = self._pattern.compiled
        if compiled and compiled.size * len(piece) <= QUICK_WORK:
            return compiled.scan(compiled.regex, piece, limit)
        if not piece:
            return []
        if self._worker is None:
            self._worker = self.enter_context(self._pool.lend(self._deadline))
        return _spans(self._pattern.text, self._worker.ask({"pattern": self._pattern.text, "limit": limit}, piece)[0])

    def places(self, text: Text, start: int, end: int, limit: int, *, utf8: bool) -> list[int]:
        """Return where the first match of each matching line begins in a part of a long text.

        Args:
            text: One or many files back to back, each line ended by a line feed.
            start: The beginning of the part's first line.
            end: The end of its last line, after the line feed.
            limit: Maximum number of lines.
            utf8: Whether all of the part is valid UTF-8.

        Returns:
            Offsets in the whole text, in order.

        Raises:
            DeadlineExceeded: The time is over.
            InvalidParameters, WorkerGone: As `spans` does.
        """
        find, most = self._engine(utf8=utf8)
        places: list[int] = []
        while start < end and len(places) < limit:
            self._check()
            stop = line_break(text, start, end, most)
            places += find(text, start, stop, limit - len(places))
            start = stop
        return places

    def _engine(self, *, utf8: bool) -> tuple[Any, int]:
        """Return the function that finds lines, and how many bytes to give it at once."""
        compiled = self._pattern.compiled
        if compiled is None:
            if self._prefilter is not None and utf8:
                return partial(self._ask_about_candidates, self._prefilter), ASKED_AT_ONCE
            return self._ask_about_all, ASKED_AT_ONCE
        if self._pattern.hyperscan is not None and utf8:
            return partial(self._with_hyperscan, self._pattern.hyperscan), LONGEST_SCAN
        return partial(self._with_re2, compiled), min(LONGEST_SCAN, _quick(compiled))

    def _with_re2(self, compiled: LinePattern, text: Text, start: int, end: int, limit: int) -> list[int]:
        if end - start > _quick(compiled):
            return self._ask_about_all(text, start, end, limit)
        return compiled.places(text, limit, start, end)

    def _with_hyperscan(self, pattern: "HyperscanPattern", text: Text, start: int, end: int, limit: int) -> list[int]:
        """Find lines with hyperscan. Its patterns never match a line feed, so every line that it reports matches."""
        with memoryview(text) as view, view[start:end] as part:
            ends = pattern.line_ends(part, limit)
        first, quick = first_span(pattern.compiled.regex), _quick(pattern.compiled)
        places: list[int] = []
        for line_end in ends:
            stop = start + line_end
            begin = text.rfind(b"\n", start, stop) + 1 or start
            if stop - begin > quick:
                places += self._ask_about_all(text, begin, stop, 1)
            else:
                places.append(max(first(text, begin, stop)[0], begin))
        return places

    def _ask_about_all(self, text: Text, start: int, end: int, limit: int) -> list[int]:
        return [start + at for at, _end in self.spans(text[start:end], limit)]

    def _ask_about_candidates(self, prefilter: "LineSearch", text: Text, start: int, end: int, limit: int) -> list[int]:
        """Give the worker the lines alone that may match."""
        begins: list[int] = []
        lines: list[bytes] = []
        for place in prefilter.places(text, start, end, end - start, utf8=True):
            begins.append(text.rfind(b"\n", start, place) + 1 or start)
            lines.append(text[begins[-1] : text.find(b"\n", place, end) + 1 or end])
        offsets = list(accumulate(map(len, lines), initial=0))
        places: list[int] = []
        for at, _end in self.spans(b"".join(lines), limit):
            which = bisect_right(offsets, at) - 1
            places.append(begins[which] + at - offsets[which])
        return places

    def _check(self) -> None:
        if self._pool.clock.monotonic() > self._deadline:
            raise DeadlineExceeded("The search did not end before its deadline; use a more specific pattern")


def _quick(compiled: LinePattern) -> int:
    """Return the size in bytes up to which RE2 runs in this process."""
    return QUICK_WORK // max(compiled.size, 1)


def _linear(text: str) -> Pattern:
    """Return a pattern that RE2 takes in this process."""
    compiled = compile_re2(text, MEMORY)
    return Pattern(text, compiled, compile_hyperscan(text, compiled) if compiled else None)


def _prefilter(text: str) -> Pattern | None:
    """Return a filter for a pattern that needs a worker: it finds the lines to ask about; None if it is no help."""
    from bridge.index.texts.pattern_translation import relax  # noqa: PLC0415 - its own patterns take a hundredth of a start

    wider = relax(text) if len(text) <= QUICK_LENGTH else None
    probed = compile_re2(wider, PROBE_MEMORY) if wider is not None else None
    if wider is None or probed is None or probed.scan is not scan_whole or probed.regex.search(b"") is not None:
        return None
    return _linear(wider)


def _check(text: str) -> None:
    """Refuse what no engine should see."""
    if not text:
        raise InvalidParameters("The pattern is empty; give a regular expression, such as 'TODO|FIXME'")
    if len(text) > MAX_LENGTH:
        raise InvalidParameters(f"The pattern has {len(text)} characters; at most {MAX_LENGTH} are allowed")
    for position, character in enumerate(text):
        if "\ud800" <= character <= "\udfff":
            raise _invalid(text, "half of a surrogate pair", position)
        if character == "\n":
            raise _invalid(text, "a line break, and no line holds one", position)


def _invalid(text: str, reason: str, position: int) -> InvalidParameters:
    return InvalidParameters(
        f"Invalid pattern at position {position}: {reason}. To search for special characters, escape them with '\\'",
        data={"position": position, "pattern": text},
    )


def _spans(text: str, answer: dict[str, Any]) -> list[Span]:
    if "spans" not in answer:
        raise InvalidParameters(
            f"The pattern {text!r} backtracks too much: it was stopped on one line after a fixed number of steps. "
            "Avoid repetitions inside repetitions, or leave out look-around and back-references"
        )
    return [(start, end) for start, end in answer["spans"]]


@dataclass(frozen=True, slots=True)
class HyperscanPattern:
    """A pattern made ready for hyperscan. Any number of threads may scan with it.

    Attributes:
        compiled: The same for RE2, which finds the match in a line.
    """

    compiled: LinePattern
    _database: Any
    _scratches: list[Any] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def line_ends(self, text: bytes | memoryview, limit: int) -> list[int]:
        """Return where the matching lines end, in order.

        Args:
            text: Whole lines of valid UTF-8.
            limit: Maximum number of lines.
        """
        ends: list[int] = []
        append = ends.append

        def report(_id: int, _start: int, end: int, _flags: int, _context: object) -> bool:
            append(end)
            return len(ends) >= limit

        with self._lock:
            scratch = self._scratches.pop() if self._scratches else None
        scratch = scratch or hyperscan.Scratch(self._database)
        try:
            with contextlib.suppress(hyperscan.ScanTerminated):
                self._database.scan(text, match_event_handler=report, scratch=scratch)
        finally:
            with self._lock:
                self._scratches.append(scratch)
        return ends


def compile_hyperscan(pattern: str, compiled: LinePattern) -> HyperscanPattern | None:
    """Make a pattern ready for hyperscan.

    Args:
        pattern: As the user wrote it.
        compiled: The same for RE2, which has taken it.

    Returns:
        None if hyperscan is missing, would not be faster, or could miss a line that RE2 finds.
    """
    if hyperscan is None or compiled.size > MOST_PROGRAM or compiled.scan is not scan_whole:
        return None
    if compiled.regex.search(b"") is not None:
        return None  # every line matches
    from bridge.index.texts.pattern_translation import to_hyperscan  # noqa: PLC0415 - the same

    translated = to_hyperscan(pattern)
    if translated is None:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(
            expressions=[rf"(?:{translated})[^\x0a]*$".encode()],
            ids=[0],
            elements=1,
            flags=[hyperscan.HS_FLAG_UTF8 | hyperscan.HS_FLAG_MULTILINE],
        )
    except hyperscan.error:
        return None  # such as an anchor before the end
    return HyperscanPattern(compiled, database)
