"""Patterns for RE2: their time grows only with the text, and RE2 lets other threads run meanwhile."""

import mmap
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import re2

from bridge.index.scan import Scan, Span, scan_lines, scan_whole

PROBE_MEMORY = 256 * 1024
"""Bytes for a first look at a pattern. A program that fits is compiled in milliseconds."""
MEMORY = 2 * 1024 * 1024
"""Bytes for a pattern's program and its automaton."""

NOWHERE = (-1, -1)

# `\A`, `\z`, `\C` and a switched-off `m` make a pattern see more of the text than its line.
_SEES_BEYOND_LINE = re.compile(r"\\[AzC]|\(\?[A-Za-z]*-[A-Za-z]*m")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A pattern made ready.

    Attributes:
        regex: RE2's or PCRE2's object.
        scan: How it is led over a piece of text.
        size: Instructions of its program; RE2's time is at most proportional to this times the text's length.
    """

    regex: Any
    scan: Scan
    size: int


def compile_linear(pattern: str, memory: int = MEMORY) -> Compiled | None:
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
    return Compiled(regex, scan, regex.programsize)


def first_span(regex: Any) -> Callable[[bytes | mmap.mmap, int, int], Span]:
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

        def fast(text: bytes | mmap.mmap, start: int, end: int) -> Span:
            span: Span = match(unanchored, text, start, end)[0]
            return span

        return fast

    def plain(text: bytes | mmap.mmap, start: int, end: int) -> Span:
        found = regex.search(text, start, end)
        return NOWHERE if found is None else found.span()

    return plain
