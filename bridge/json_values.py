"""JSON that somebody else wrote, looked through before it is parsed: parsing many values holds up everything else."""

import gc
import threading
from typing import Any, Final

import orjson

LARGE: Final = 64 * 1024
"""Bytes of JSON from which on it is looked through before it is parsed, and that many at a time."""

HELD_BY_ONE: Final = 256
"""Bytes that a value or a name takes: as it was read, and once more as the parameters that it was checked into."""

_ONE_LARGE: Final = threading.Lock()
"""Held while large JSON is parsed. No other thread goes on meanwhile, so two in a row would be a long wait."""


class TooManyValues(ValueError):
    """JSON holds more values than it may."""


class ValueCount:
    """The count of the values of JSON as it comes, by what stands before each, outside of strings.

    Args:
        most: How many there may be.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.begin()

    def begin(self) -> None:
        """Begin with another text."""
        self._values, self._quotes = 1, 0
        self.end_string()

    def end_string(self) -> None:
        """Take note that no string goes on here: none goes beyond its line, whatever stood in the line."""
        self._in_string = self._escaped = False

    def exceeds(self, data: bytes) -> bool:
        """Return whether `data` brings the values to more than there may be."""
        if not data:
            return False
        if self._escaped:
            data = data[1:]
        plain = data.replace(b"\\\\", b"")
        self._escaped = plain.endswith(b"\\")
        pieces = plain.replace(b'\\"', b"").split(b'"')
        outside = b"".join(pieces[self._in_string :: 2])
        self._values += outside.count(b",") + outside.count(b"[") + outside.count(b"{")
        self._quotes += len(pieces) - 1
        self._in_string ^= len(pieces) % 2 == 0
        # A value is one string at most, and its name is another.
        return self._values > self._most or self._quotes > 4 * self._most + 2


def holds_more(data: bytes, most: int) -> bool:
    """Return whether JSON holds more than `most` values. No step is long, and the first value too many is the last."""
    count = ValueCount(most)
    return any(count.exceeds(data[start : start + LARGE]) for start in range(0, len(data), LARGE))


def held_by(value: Any, most: int) -> int:
    """Return about how many bytes the values in JSON that was read take, without the characters of texts.

    Args:
        value: The value that was read.
        most: Bytes from which on nothing more is counted.
    """
    held, waiting = 0, [value]
    while waiting and held < most:
        one = waiting.pop()
        held += HELD_BY_ONE
        if isinstance(one, dict):
            held += HELD_BY_ONE * len(one)
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return held


def load(data: bytes, most: int | None = None) -> Any:
    """Return the value of JSON.

    Args:
        data: The JSON, as UTF-8.
        most: How many values it may hold where it is large; None for any number.

    Raises:
        TooManyValues: It holds more.
        ValueError: It is no JSON.
    """
    if len(data) <= LARGE:
        return orjson.loads(data)
    if most is not None and holds_more(data, most):
        raise TooManyValues(f"It holds more than {most:,} values")
    with _ONE_LARGE:
        collecting = gc.isenabled()
        gc.disable()  # millions of brackets would set the garbage collector off again and again
        try:
            return orjson.loads(data)
        finally:
            if collecting:
                gc.enable()
