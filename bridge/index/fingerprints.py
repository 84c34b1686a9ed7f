"""Fingerprints of texts in a table of fixed size: whether a text may hold a piece, said at once and never wrongly "no".

The table is a Bloom filter; the bits of one piece lie in two of its words, so that a look costs one access, or two.
"""

from array import array
from collections.abc import Iterable
from functools import cache
from typing import Final

_BITS: Final = 24
"""Bits of the table for each fingerprint: of 10,000 pieces that are not there, about one is taken for one that is."""
_WORD: Final = 64
_SMALLEST: Final = 1 << 10


def _pattern(number: int) -> int:
    """Return four different bits of a word."""
    at = number % _WORD
    bits = 1 << at
    for turn in range(3):
        at += 1 + (number // _WORD * (2 * turn + 1) + number % _WORD * turn) % 21
        bits |= 1 << at % _WORD
    return bits


@cache
def _patterns() -> tuple[int, ...]:
    """Return the bits of all numbers. They are made when a text is first noted: a start does without."""
    return tuple(map(_pattern, range(4096)))


class Fingerprints:
    """A set of fingerprints that forgets none and may know a few too many.

    Args:
        expected: How many there will be.
    """

    def __init__(self, expected: int = 0) -> None:
        self._length = max(expected * _BITS // _WORD, _SMALLEST) | 1
        self._words = array("Q", bytes(8 * self._length))
        self.count = 0

    @property
    def is_full(self) -> bool:
        """Return whether it has more than it was made for."""
        return self.count * _BITS > self._length * _WORD

    @property
    def size(self) -> int:
        """Return its size in bytes."""
        return self._length * 8

    def add(self, pieces: Iterable[str]) -> None:
        """Take in pieces of a text."""
        words, length, patterns, count = self._words, self._length, _patterns(), 0
        for value in map(hash, pieces):
            words[value % length] |= patterns[value >> 32 & 4095]
            words[(value >> 20) % length] |= patterns[value >> 50 & 4095]
            count += 1
        self.count += count

    def has(self, piece: str) -> bool:
        """Return whether a piece may have been added."""
        value, patterns = hash(piece), _patterns()
        first = patterns[value >> 32 & 4095]
        if self._words[value % self._length] & first != first:
            return False
        second = patterns[value >> 50 & 4095]
        return self._words[(value >> 20) % self._length] & second == second
