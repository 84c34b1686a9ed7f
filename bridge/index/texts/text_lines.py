"""Many short texts as one, a line each, so that a pattern is led over all of them in one search."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from bridge.index.texts.line_patterns import first_span

CHUNK = 1024 * 1024
"""Bytes searched between two chances for other threads."""


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
