r"""Finding the lines of a text that match: RE2, and what its patterns and PCRE2's have in common.

Runs in the bridge and in the worker process alike. RE2's time grows only with the text, and it lets other threads run
meanwhile. A text here is whole lines, each ended by `\n` alone, the last one perhaps by nothing. Files come in pieces
of whole lines, so that no single step is long; many short texts are searched as one, a line each.
"""

import mmap
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, BinaryIO, NamedTuple

import re2

from bridge.vault.text import BOM

Text = bytes | mmap.mmap
Span = tuple[int, int]
"""Beginning and end of a line's first match, in bytes."""

PROBE_MEMORY = 256 * 1024
"""Bytes for a first look at a pattern. A program that fits is compiled in milliseconds."""
MEMORY = 2 * 1024 * 1024
"""Bytes for a pattern's program and its automaton."""

_LITERAL = re.compile(r"[A-Za-z0-9 ]+")
_SHORTEST_TAIL = 4
_OFTEN = dict(
    zip(
        " etaionrshldcumfgpywbvkxjqz",
        (180, 100, 75, 65, 60, 60, 55, 50, 50, 45, 32, 30, 25, 22, 20, 20, 17, 16, 15, 15, 12, 8, 6, 2, 1, 1, 1),
        strict=True,
    )
)
"""Approximate frequency of characters in texts, per thousand; others are rare."""
_RARE = 2
_RARER = 2
"""So many times as rare a letter must be to be looked for in place of a word's first one."""
_BYTES_A_MISS = 2048
"""Average distance of misses, in bytes, below which a tail is no help."""
_FIRST_BYTES = 1 << 16
"""In so many bytes it is not asked yet whether that is so."""
NOWHERE = (-1, -1)
_LINE_FEED = ord("\n")

# `\A`, `\z`, `\C` and a switched-off `m` make a pattern see more of the text than its line.
_SEES_BEYOND_LINE = re.compile(r"\\[AzC]|\(\?[A-Za-z]*-[A-Za-z]*m")
CHUNK = 1024 * 1024
"""Bytes searched between two chances for other threads."""
PIECE = 256 * 1024
"""Bytes of a piece, where lines are not longer than that."""
LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of a line beyond which it is searched in parts: to copy more at once would hold up other threads."""


class LinePattern(NamedTuple):
    """A pattern made ready.

    Attributes:
        regex: RE2's or PCRE2's object.
        scan: Finds the first match of each matching line: `scan_whole` or `scan_lines`.
        size: Instructions of its program; RE2's time is at most proportional to this times the text's length.
        tail: The part of a word that is found faster than the whole; None if the pattern is no such word.
    """

    regex: Any
    scan: Callable[[Any, bytes, int], list[Span]]
    size: int
    tail: "Tail | None" = None

    def places(self, text: Text, limit: int, start: int, end: int) -> list[int]:
        """Return where the first match of each matching line begins in a part of a text; see `scan_whole`."""
        places, start = self.tail.places(text, limit, start, end) if self.tail is not None else ([], start)
        return places + [at for at, _end in scan_whole(self.regex, text, limit - len(places), start, end)]


class Tail:
    """The end of a word that is searched for, from a rare letter on.

    RE2 goes from one place of a word's first letter to the next, so the rarer that letter is, the faster it is.

    Args:
        head: What is before it in the word.
        regex: RE2's object for the rest.
    """

    def __init__(self, head: bytes, regex: Any) -> None:
        self._head = head
        self._search = first_span(regex)

    @classmethod
    def of(cls, pattern: str, compiled: Callable[[str], Any]) -> "Tail | None":
        """Return a pattern's tail; None if it is no word, or its first letter is rare enough.

        Args:
            pattern: As the user wrote it.
            compiled: Makes RE2's object for a pattern.
        """
        last = len(pattern) - _SHORTEST_TAIL
        if last < 1 or _LITERAL.fullmatch(pattern) is None:
            return None
        often = [_OFTEN.get(letter, _RARE) for letter in pattern[: last + 1]]
        at = often.index(min(often))
        return cls(pattern[:at].encode(), compiled(pattern[at:])) if often[at] * _RARER <= often[0] else None

    def places(self, text: Text, limit: int, start: int, end: int) -> tuple[list[int], int]:
        """Return where the word is first in each line, as far as this is quick, and where to go on otherwise."""
        head, search, find = self._head, self._search, text.find
        length, misses, began = len(head), 0, start
        places: list[int] = []
        at = start
        while len(places) < limit and at < end and (tail := search(text, at, end)[0]) >= 0:
            word = tail - length
            if word >= start and text[word:tail] == head:
                places.append(word)
                at = start = find(b"\n", tail, end) + 1 or end
                continue
            at, misses = tail + 1, misses + 1
            if misses * _BYTES_A_MISS > at - began + _FIRST_BYTES:
                return places, start
        return places, end


def re2_options(**chosen: int) -> Any:
    """Return how RE2 makes a pattern: silently, without groups, and as is chosen beyond that."""
    options = re2.Options()
    for name, value in {"log_errors": False, "never_capture": True, **chosen}.items():
        setattr(options, name, value)
    return options


def compile_re2(pattern: str, memory: int = MEMORY) -> LinePattern | None:
    r"""Make a pattern ready for RE2.

    Args:
        pattern: In RE2's syntax, which has JavaScript's `(?<name>...)` too; `\d`, `\w`, `\s`, `\b` are ASCII.
        memory: Bytes RE2 may use.

    Returns:
        None if RE2 refuses: it is invalid, too large, or has look-around or back-references.
    """
    options = re2_options(max_mem=memory, never_nl=True)
    try:
        regex = re2.compile(f"(?m){pattern}", options)
    except re2.error:
        return None
    scan = scan_lines if _SEES_BEYOND_LINE.search(pattern) else scan_whole
    tail = Tail.of(pattern, lambda part: re2.compile(part, options))
    return LinePattern(regex, scan, regex.programsize, tail)


def scan_whole(regex: Any, text: Text, limit: int, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the first match of each matching line, by searching across lines.

    Fast, and right only for a pattern that cannot match a line feed and whose anchors know lines.

    Args:
        regex: Compiled with `(?m)` and RE2's `never_nl`.
        text: Whole lines.
        limit: Maximum number of lines.
        start: The beginning of the first line.
        end: The end of the last line, its line feed included; None for the text's end.

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


def scan_lines(regex: Any, piece: bytes, limit: int) -> list[Span]:
    r"""Return the first match of each matching line, by searching each line alone.

    Right for every pattern: look-around sees nothing of other lines, and `\A` and `\z` mean the line's ends.

    Args:
        regex: Any compiled pattern.
        piece: Whole lines.
        limit: Maximum number of lines.

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
    """Return a function that finds the first match in a part of a text: its span, or `NOWHERE`.

    The binding wraps each search in a generator and an object, which takes three times as long as searching a line.
    So its inner call is used if the binding still has one.

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
    """Return the end of a part of whole lines with about `most` bytes, or more if its only line has more."""
    if end - start <= most:
        return end
    return text.rfind(b"\n", start, start + most) + 1 or text.find(b"\n", start, end) + 1 or end


class TextLines:
    """Texts without line breaks. It never changes; any number of threads may search it.

    Args:
        texts: The texts.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        lines = [text.encode() for text in texts]
        self._starts = array("q", accumulate((len(line) + 1 for line in lines), initial=0))
        self._text = b"\n".join([*lines, b""])

    def matching(self, regex: Any) -> list[int]:
        """Return the numbers of the texts that a pattern matches, in order.

        Args:
            regex: RE2's, which matches in one line (made with `never_nl`), or whole lines with their ends, one or
                several in a row.
        """
        found: list[int] = []
        search, starts, text = first_span(regex), self._starts, self._text
        last = len(starts) - 1
        low = 0
        while low < len(text):
            end = starts[min(bisect_left(starts, low + CHUNK), last)]
            while low < end:
                start, behind = search(text, low, end)
                if start < 0 or start == end:
                    break  # nothing behind the last line is a text
                first = bisect_right(starts, start) - 1
                after = max(bisect_left(starts, behind), first + 1)
                found.extend(range(first, after))
                low = starts[after]
            low = end
        return found


def pieces(head: bytes, stream: BinaryIO, size: int = PIECE) -> Iterator[bytes]:
    r"""Yield pieces of whole lines, each line ended by `\n` alone, the byte order mark left out.

    Args:
        head: What was read of the stream already.
        stream: The rest.
        size: Bytes to read at once, while no line is longer.

    Yields:
        Text that ends with a line break, except at the end of the file and inside a line that is too long.
    """
    rest = head.removeprefix(BOM)
    more = True
    while more:
        block = stream.read(max(size, len(rest)))  # twice as much each time, while a long line goes on
        more = bool(block)
        text = rest + block
        end = text.rfind(b"\n") + 1 if more else len(text)
        if not end and len(text) >= LONGEST_LINE:
            end = len(text)
        rest = text[end:]
        if end:
            yield text[:end].replace(b"\r\n", b"\n")
