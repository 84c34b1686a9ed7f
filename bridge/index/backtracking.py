"""Patterns for PCRE2: look-around, back-references and what else RE2 refuses, within a fixed number of steps.

PCRE2 holds the interpreter for a whole match, so only the worker process imports this.
"""

import codecs
from typing import Any

import pcre2

from bridge.index.linear import Compiled
from bridge.index.scan import scan_lines

MATCH_LIMIT = 1_000_000
"""Steps PCRE2 may take for one line: a few milliseconds."""
DEPTH_LIMIT = 250_000
HEAP_LIMIT_KIB = 64 * 1024

# A pattern cannot lift these: of several settings PCRE2 takes the lowest.
_PREFIX = f"(*LF)(*LIMIT_MATCH={MATCH_LIMIT})(*LIMIT_DEPTH={DEPTH_LIMIT})(*LIMIT_HEAP={HEAP_LIMIT_KIB})".encode()
# UTF-8, but `\d`, `\w`, `\s` and `\b` of ASCII, as RE2 has them.
_FLAGS = pcre2.RegexFlag.UNICODE | pcre2.RegexFlag.ASCII
_NOT_UTF8 = range(-28, -2)
"""PCRE2's codes for text that is not UTF-8."""
_JIT_STACK_FULL = -46


def _question_marks(error: UnicodeError) -> tuple[str, int]:
    """Each byte that is no part of a character as one `?`, so that offsets stay right."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "?" * (error.end - error.start), error.end


codecs.register_error("bridge.question", _question_marks)


class PatternInvalid(Exception):
    """No engine takes the pattern.

    Args:
        reason: What is wrong with it.
        position: Where, in characters from its start.
    """

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class TooManySteps(Exception):
    """On some line the pattern went over its bound."""


def compile_backtracking(pattern: str) -> Compiled:
    """Make a pattern ready for PCRE2.

    Raises:
        PatternInvalid: PCRE2 refuses it too.
    """
    return Compiled(_Bounded(pattern.encode()), scan_lines, 0)


class _Bounded:
    """A PCRE2 pattern that takes every text, and gives up rather than go on for ever."""

    def __init__(self, pattern: bytes) -> None:
        try:
            self._interpreted = pcre2.compile(_PREFIX + pattern, _FLAGS, jit=False)
        except pcre2.PatternError as error:
            before = pattern[: max(error.pos - len(_PREFIX), 0)]
            raise PatternInvalid(str(error).partition("; ")[2], len(before.decode(errors="ignore"))) from None
        try:
            self._fast = pcre2.compile(_PREFIX + pattern, _FLAGS)
        except pcre2.LibraryError:
            self._fast = self._interpreted  # the system allows no machine code made at run time

    def search(self, line: bytes) -> Any:
        """The first match in a line, or None.

        Raises:
            TooManySteps: It went over a bound.
        """
        try:
            return self._search(line)
        except pcre2.LibraryError as error:
            if error.code not in _NOT_UTF8:
                raise TooManySteps from None
        return self.search(line.decode("utf-8", "bridge.question").encode())

    def _search(self, line: bytes) -> Any:
        try:
            return self._fast.search(line)
        except pcre2.LibraryError as error:
            if error.code != _JIT_STACK_FULL:
                raise
        return self._interpreted.search(line)
