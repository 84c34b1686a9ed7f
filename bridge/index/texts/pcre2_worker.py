"""The worker process: searches that must be killable run here, asked over a pipe.

It has RE2 with more memory, and PCRE2 for look-around, back-references and what else RE2 refuses, within a fixed
number of steps. PCRE2 holds the interpreter for a whole match, so only this process imports it.

A request has `pattern`, and to search also `limit` and the text; the answer has `spans`, or `invalid` with `at`, or
`refused`. The process ends when its standard input does, so it never outlives the bridge.
"""

import codecs
from functools import lru_cache
from typing import Any

import pcre2

from bridge.index.texts.line_patterns import LinePattern, compile_re2, scan_lines
from bridge.workers.frames import answer_requests, limit_address_space

LINEAR_MEMORY = 16 * 1024 * 1024
ADDRESS_SPACE = 2 * 1024 * 1024 * 1024
"""Bytes the process may ask the system for, if the system can be asked to see to it."""

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
    """Return text with `?` for each byte that is not part of a character, so that offsets stay right."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "?" * (error.end - error.start), error.end


codecs.register_error("bridge.question", _question_marks)


class PatternInvalid(Exception):
    """The failure that no engine takes the pattern.

    Args:
        reason: What is wrong with it.
        position: Where, in characters from its start.
    """

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class TooManySteps(Exception):
    """The failure that the pattern exceeded its limit on some line."""


def compile_backtracking(pattern: str) -> LinePattern:
    """Make a pattern ready for PCRE2.

    Raises:
        PatternInvalid: PCRE2 refuses it too.
    """
    return LinePattern(_Bounded(pattern.encode()), scan_lines, 0)


class _Bounded:
    """A PCRE2 pattern that accepts any text, and gives up instead of running forever."""

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
        """Return the first match in a line, or None.

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


def main() -> None:
    """Answer requests until there are no more."""
    limit_address_space(ADDRESS_SPACE)
    answer_requests(lambda header, text: (answer(header, text), b""))


def answer(header: dict[str, Any], text: bytes) -> dict[str, Any]:
    """Return the answer to one request."""
    try:
        compiled = _compile(header["pattern"])
        spans = compiled.scan(compiled.regex, text, header.get("limit", 0)) if text else []
    except PatternInvalid as error:
        return {"invalid": error.reason, "at": error.position}
    except TooManySteps:
        return {"refused": True}
    return {"spans": spans}


@lru_cache(maxsize=32)
def _compile(pattern: str) -> LinePattern:
    return compile_re2(pattern, LINEAR_MEMORY) or compile_backtracking(pattern)


if __name__ == "__main__":
    main()
