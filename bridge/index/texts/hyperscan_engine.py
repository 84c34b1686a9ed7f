r"""Finding lines with hyperscan, where it is installed: several times faster than RE2, and as linear.

Hyperscan reports every place where a match ends, and there can be one at each byte. So a pattern is led on to the end
of its line (`(?:...)[^\n]*$`), which gives one report a line, and only for lines that match. A pattern that hyperscan
does not take so, because of an anchor inside, is left to RE2.
"""

import contextlib
import importlib
import threading
from dataclasses import dataclass, field
from typing import Any

from bridge.index.texts.hyperscan_translate import to_hyperscan
from bridge.index.texts.line_patterns import LinePattern, scan_whole

hyperscan: Any = None
with contextlib.suppress(ImportError):
    hyperscan = importlib.import_module("hyperscan")

MOST_PROGRAM = 300
"""Instructions of RE2's program beyond which hyperscan is not asked: it could compile for seconds."""


def available() -> bool:
    """Whether hyperscan is installed."""
    return hyperscan is not None


@dataclass(frozen=True, slots=True)
class HyperscanPattern:
    """A pattern made ready for hyperscan. Any number of threads may scan with it."""

    _database: Any
    _scratches: list[Any] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def line_ends(self, text: bytes | memoryview, limit: int) -> list[int]:
        """Where the lines end that match, in order.

        Args:
            text: Whole lines of valid UTF-8.
            limit: How many lines at most.
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
        None where hyperscan is missing, would not be faster, or could miss a line that RE2 finds.
    """
    if hyperscan is None or compiled.size > MOST_PROGRAM or compiled.scan is not scan_whole:
        return None
    if compiled.regex.search(b"") is not None:
        return None  # every line matches
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
    return HyperscanPattern(database)
