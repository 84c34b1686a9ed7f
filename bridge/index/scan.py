"""Finding the lines of some text that a compiled pattern matches, one Python step a matching line.

Runs in the bridge and in the worker process alike, over patterns of RE2 and of PCRE2. Text here is a piece of a file:
whole lines, each ended by a line feed alone (the last one perhaps by nothing).
"""

from collections.abc import Callable
from typing import Any, Protocol

Span = tuple[int, int]
"""Where in a piece a line's first match begins and ends, in bytes."""


class Regex(Protocol):
    """What RE2's and PCRE2's compiled patterns have in common."""

    def search(self, text: bytes, pos: int = ..., endpos: int = ..., /) -> Any:
        """A match with `span()`, or None."""
        ...


Scan = Callable[[Regex, bytes, int], list[Span]]


def scan_whole(regex: Regex, piece: bytes, limit: int) -> list[Span]:
    """The first match of each matching line, by searching across lines.

    Fast, and right only for a pattern that cannot match a line feed and whose anchors know lines.

    Args:
        regex: Compiled with `(?m)` and RE2's `never_nl`.
        piece: Whole lines.
        limit: How many lines at most.

    Returns:
        One span a matching line, in order.
    """
    spans: list[Span] = []
    size = len(piece)
    position = 0
    while len(spans) < limit:
        match = regex.search(piece, position)
        if match is None:
            break
        start, end = match.span()
        if start == size and (not piece or piece.endswith(b"\n")):
            break  # an empty match behind the last line lies in no line
        spans.append((start, end))
        line_end = piece.find(b"\n", start)
        if line_end < 0 or line_end + 1 == size:
            break
        position = line_end + 1
    return spans


def scan_lines(regex: Regex, piece: bytes, limit: int) -> list[Span]:
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
