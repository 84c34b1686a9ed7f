"""Where a character stands, as Obsidian counts: lines and columns from zero, offsets in UTF-16 units (rule 12).

Only a line feed ends a line; a carriage return before it is the last character of its line.
"""

import re
from bisect import bisect_left, bisect_right
from typing import NamedTuple

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Position(NamedTuple):
    """One place. `line` and `col` count from 0; `col` and `offset` count UTF-16 units."""

    line: int
    col: int
    offset: int


class Positions:
    """Places in one text, both ways.

    Args:
        text: The text, as it was decoded.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)
        # Characters that are two units long. Most texts have none, and then characters are units.
        self._wide = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    def at(self, index: int) -> Position:
        """Where a character stands; one past the last character is allowed.

        Args:
            index: Which one, in characters of the text.
        """
        line = self.line(index)
        start = self._starts[line]
        offset = self.offset(index)
        return Position(line, offset - self.offset(start), offset)

    def line(self, index: int) -> int:
        """The line of a character, from 0."""
        return bisect_right(self._starts, index) - 1

    def offset(self, index: int) -> int:
        """How many UTF-16 units stand before a character."""
        return index + bisect_left(self._wide, index) if self._wide else index

    def index(self, offset: int) -> int:
        """The character at an offset in UTF-16 units; within a pair, the character that the pair is."""
        if not self._wide:
            return min(offset, len(self._text))
        low, high = 0, len(self._wide)
        while low < high:  # the first wide character that does not stand wholly before the offset
            middle = (low + high) // 2
            if self._wide[middle] + middle + 2 <= offset:
                low = middle + 1
            else:
                high = middle
        index = offset - low
        if low < len(self._wide) and index > self._wide[low]:
            index = self._wide[low]
        return min(index, len(self._text))
