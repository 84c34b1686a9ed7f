r"""Finding the lines of a text that match: RE2, and what its patterns and PCRE2's have in common.

Runs in the bridge and in the worker process alike. RE2's time grows only with the text, and it lets other threads run
meanwhile. A text here is whole lines, each ended by `\n` alone, the last one perhaps by nothing.
"""

import mmap
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import re2

Text = bytes | mmap.mmap
Span = tuple[int, int]
"""Where a line's first match begins and ends, in bytes."""

PROBE_MEMORY = 256 * 1024
"""Bytes for a first look at a pattern. A program that fits is compiled in milliseconds."""
MEMORY = 2 * 1024 * 1024
"""Bytes for a pattern's program and its automaton."""

NOWHERE = (-1, -1)
_LINE_FEED = ord("\n")

# `\A`, `\z`, `\C` and a switched-off `m` make a pattern see more of the text than its line.
_SEES_BEYOND_LINE = re.compile(r"\\[AzC]|\(\?[A-Za-z]*-[A-Za-z]*m")


class LineRegex(Protocol):
    """What RE2's and PCRE2's compiled patterns have in common."""

    def search(self, text: bytes, pos: int = ..., endpos: int = ..., /) -> Any:
        """A match with `span()`, or None."""
        ...


@dataclass(frozen=True, slots=True)
class LinePattern:
    """A pattern made ready.

    Attributes:
        regex: RE2's or PCRE2's object.
        scan: Finds the first match of each matching line: `scan_whole` or `scan_lines`.
        size: Instructions of its program; RE2's time is at most proportional to this times the text's length.
    """

    regex: Any
    scan: Callable[[LineRegex, bytes, int], list[Span]]
    size: int


def compile_re2(pattern: str, memory: int = MEMORY) -> LinePattern | None:
    r"""Make a pattern ready for RE2.

    Args:
        pattern: In RE2's syntax, which has JavaScript's `(?<name>...)` too; `\d`, `\w`, `\s`, `\b` are ASCII.
        memory: Bytes RE2 may use.

    Returns:
        None where RE2 refuses: it is invalid, too large, or has look-around or back-references.
    """
    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    options.never_nl = True
    options.never_capture = True
    try:
        regex = re2.compile(f"(?m){pattern}", options)
    except re2.error:
        return None
    scan = scan_lines if _SEES_BEYOND_LINE.search(pattern) else scan_whole
    return LinePattern(regex, scan, regex.programsize)


def scan_whole(regex: LineRegex, text: Text, limit: int, start: int = 0, end: int | None = None) -> list[Span]:
    """The first match of each matching line, by searching across lines.

    Fast, and right only for a pattern that cannot match a line feed and whose anchors know lines.

    Args:
        regex: Compiled with `(?m)` and RE2's `never_nl`.
        text: Whole lines.
        limit: How many lines at most.
        start: Where the first line begins.
        end: Where the last line ends, its line feed included; None for the text's end.

    Returns:
        One span a matching line, in order, as offsets in the text.
    """
    search, find = first_span(regex), text.find
    end = len(text) if end is None else end
    spans: list[Span] = []
    while len(spans) < limit and start < end:
        span = search(text, start, end)
        if span[0] < 0 or (span[0] == end and text[end - 1] == _LINE_FEED):
            break  # an empty match behind the last line lies in no line
        spans.append(span)
        start = find(b"\n", span[0], end) + 1
        if not start:
            break
    return spans


def scan_lines(regex: LineRegex, piece: bytes, limit: int) -> list[Span]:
    r"""The first match of each matching line, by searching each line alone.

    Right for every pattern: look-around sees nothing of other lines, and `\A` and `\z` mean the line's ends.

    Args:
        regex: Any compiled pattern.
        piece: Whole lines.
        limit: How many lines at most.

    Returns:
        One span a matching line, in order.
    """
    spans: list[Span] = []
    position = 0
    lines = piece.removesuffix(b"\n").split(b"\n") if piece else []
    for line in lines:
        match = regex.search(line)
        if match is not None:
            start, end = match.span()
            spans.append((position + start, position + end))
            if len(spans) >= limit:
                break
        position += len(line) + 1
    return spans


def first_span(regex: Any) -> Callable[[Text, int, int], Span]:
    """What finds the first match in a part of a text: where it is, or `NOWHERE`.

    The binding wraps each search in a generator and an object, which takes three times as long as a search of a line.
    So its inner call is used where the binding still has one.

    Args:
        regex: RE2's object.
    """
    inner: Any = getattr(regex, "_regexp", None)
    anchor: Any = getattr(re2, "_Anchor", None)
    if hasattr(inner, "Match") and hasattr(anchor, "UNANCHORED"):
        match, unanchored = inner.Match, anchor.UNANCHORED

        def fast(text: Text, start: int, end: int) -> Span:
            span: Span = match(unanchored, text, start, end)[0]
            return span

        return fast

    def plain(text: Text, start: int, end: int) -> Span:
        found = regex.search(text, start, end)
        return NOWHERE if found is None else found.span()

    return plain


def line_break(text: Text, start: int, end: int, most: int) -> int:
    """Where a part ends that begins at `start`, is whole lines, and has about `most` bytes: more if its line has."""
    if end - start <= most:
        return end
    return text.rfind(b"\n", start, start + most) + 1 or text.find(b"\n", start, end) + 1 or end
