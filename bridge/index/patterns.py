"""A user's regular expression: which engine takes it, and one search's use of it.

RE2 first (linear, in this process); what RE2 refuses, and what could keep it busy for long, goes to a worker process,
which has RE2 with more memory and then PCRE2, and which is killed at the deadline.
"""

import threading
from collections import OrderedDict
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from bridge.errors import InvalidParameters
from bridge.index.hyper import HyperPattern, compile_hyper
from bridge.index.linear import MEMORY, PROBE_MEMORY, Compiled, compile_linear
from bridge.index.pool import Worker, WorkerPool
from bridge.index.relaxed import relax
from bridge.index.scan import Span, scan_whole

MAX_LENGTH = 8192
"""Characters a pattern may have."""
QUICK_LENGTH = 500
"""Characters up to which a pattern is compiled here: a longer one could hold the interpreter too long."""
QUICK_WORK = 100_000_000
"""Program size times text length up to which RE2 runs here: some tenths of a second at worst."""
CACHE_SIZE = 64


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern known to be valid.

    Attributes:
        text: As the user wrote it.
        compiled: For RE2 in this process; None when it needs a worker.
        hyper: For hyperscan, which finds the lines that RE2 then looks at; None where RE2 is alone.
        relaxed: One that finds every line which this one, that needs a worker, may find; None where none is known.
    """

    text: str
    compiled: Compiled | None
    hyper: HyperPattern | None = None
    relaxed: "Pattern | None" = None


class Patterns:
    """Compiles patterns, and remembers those used last.

    Args:
        pool: Where the worker processes are.
    """

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._recent: OrderedDict[str, Pattern] = OrderedDict()

    def compile(self, text: str, deadline: float) -> Pattern:
        """Find the engine for a pattern.

        Args:
            text: RE2's syntax; look-around and back-references too.
            deadline: `Clock.monotonic()` value.

        Raises:
            InvalidParameters: It is invalid; says where and why.
            DeadlineExceeded: It could not be told in time.
        """
        with self._lock:
            if text in self._recent:
                self._recent.move_to_end(text)
                return self._recent[text]
        pattern = self._compile(text, deadline)
        with self._lock:
            self._recent[text] = pattern
            while len(self._recent) > CACHE_SIZE:
                self._recent.popitem(last=False)
        return pattern

    def search(self, pattern: Pattern, deadline: float) -> "LineSearch":
        """Begin to search with a pattern; use it in `with`."""
        return LineSearch(pattern, self._pool, deadline)

    def _compile(self, text: str, deadline: float) -> Pattern:
        _check(text)
        probed = compile_linear(text, PROBE_MEMORY) if len(text) <= QUICK_LENGTH else None
        if probed and probed.scan is scan_whole:
            return _linear(text)
        if probed:
            return Pattern(text, None)  # a step in Python for every line is for the worker to take
        with self._pool.lend(deadline) as worker:
            answer = worker.ask(text)
        if "invalid" in answer:
            raise _invalid(text, answer["invalid"], answer["at"])
        return Pattern(text, None, relaxed=_relaxed(text))


class LineSearch:
    """One search's use of a pattern. It holds a worker from the first piece that needs one until the search's end.

    Several threads of the search may use it; where it needs the worker, one after the other.
    """

    def __init__(self, pattern: Pattern, pool: WorkerPool, deadline: float) -> None:
        self._pattern = pattern
        self._pool = pool
        self._deadline = deadline
        self._lock = threading.Lock()
        self._held = ExitStack()
        self._worker: Worker | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._held.__exit__(kind, error, trace)

    def spans(self, piece: bytes, limit: int) -> list[Span]:
        """The first match of each matching line.

        Args:
            piece: Whole lines, each ended by a line feed alone.
            limit: How many lines at most.

        Raises:
            InvalidParameters: The pattern backtracks without end on some line of it.
            WorkerGone: The worker was killed; leaving the `with` turns this into the failure to show.
        """
        compiled = self._pattern.compiled
        if compiled and compiled.size * len(piece) <= QUICK_WORK:
            return compiled.scan(compiled.regex, piece, limit)
        if not piece:
            return []
        with self._lock:
            if self._worker is None:
                self._worker = self._held.enter_context(self._pool.lend(self._deadline))
            answer = self._worker.ask(self._pattern.text, piece, limit)
        return _spans(self._pattern.text, answer)


def _linear(text: str) -> Pattern:
    """A pattern that RE2 takes in this process."""
    compiled = compile_linear(text, MEMORY)
    return Pattern(text, compiled, compile_hyper(text, compiled) if compiled else None)


def _relaxed(text: str) -> Pattern | None:
    """For a pattern that needs a worker, the one that finds the lines it must be asked about, if that is any help."""
    wider = relax(text) if len(text) <= QUICK_LENGTH else None
    probed = compile_linear(wider, PROBE_MEMORY) if wider is not None else None
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
