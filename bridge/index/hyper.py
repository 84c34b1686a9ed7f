r"""Finding lines with hyperscan, where it is installed: several times faster than RE2, and as linear.

Hyperscan tells every place where a match ends, and there can be one at each byte. So a pattern is led on to the end of
its line, which gives one call a line, and just for the lines that match. Where that cannot be, a scan is halted when it
tells too much, and RE2 has the last word on each line.
"""

import contextlib
import importlib
import threading
from dataclasses import dataclass, field
from typing import Any

from bridge.index.dialect import to_hyperscan
from bridge.index.linear import Compiled
from bridge.index.scan import scan_whole

hyperscan: Any = None
with contextlib.suppress(ImportError):
    hyperscan = importlib.import_module("hyperscan")

MOST_PROGRAM = 300
"""Instructions of RE2's program beyond which hyperscan is not asked: it could compile for seconds."""


def available() -> bool:
    """Whether hyperscan is installed."""
    return hyperscan is not None


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a scan told.

    Attributes:
        ends: Places in lines that may match, in order.
        halted: Whether there may be more behind the last of them.
    """

    ends: list[int]
    halted: bool


@dataclass(frozen=True, slots=True)
class HyperPattern:
    """A pattern made ready for hyperscan. Any number of threads may scan with it.

    Attributes:
        one_a_line: Whether at most one place is told of each line, its end.
    """

    one_a_line: bool
    _database: Any
    _scratches: list[Any] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def scan(self, text: memoryview, most: int) -> Candidates:
        """Where lines may match.

        Args:
            text: Whole lines of valid UTF-8.
            most: After how many places to halt.
        """
        ends: list[int] = []
        append = ends.append

        def told(_id: int, _start: int, end: int, _flags: int, _context: object) -> bool:
            append(end)
            return len(ends) >= most

        with self._lock:
            scratch = self._scratches.pop() if self._scratches else None
        scratch = scratch or hyperscan.Scratch(self._database)
        try:
            self._database.scan(text, match_event_handler=told, scratch=scratch)
        except hyperscan.ScanTerminated:
            return Candidates(ends, halted=True)
        finally:
            with self._lock:
                self._scratches.append(scratch)
        return Candidates(ends, halted=False)


def compile_hyper(pattern: str, compiled: Compiled) -> HyperPattern | None:
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
    said = to_hyperscan(pattern)
    if said is None:
        return None
    for source, one_a_line in ((rf"(?:{said})[^\x0a]*$", True), (said, False)):
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        try:
            database.compile(
                expressions=[source.encode()],
                ids=[0],
                elements=1,
                flags=[hyperscan.HS_FLAG_UTF8 | hyperscan.HS_FLAG_MULTILINE],
            )
        except hyperscan.error:
            continue  # such as an anchor before the end
        return HyperPattern(one_a_line, database)
    return None
