r"""Text found and replaced in bytes: what is not replaced stays as it is, to the byte.

A line break in the text that is looked for fits both `\n` and `\r\n`, because a model is shown lines and not their
endings. Nothing else is special: no pattern, no `$`, no case.
"""

import io
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bridge.vault.diff import Region
from bridge.vault.edits import Edited
from bridge.vault.text import BOM, CHUNK, prevailing_ending

Span = tuple[int, int]
"""The beginning and end of some bytes."""

_WINDOWS = b"\r\n"


def find_text(data: bytes, wanted: bytes) -> Iterator[Span]:
    """Yield every place where a text stands, from the beginning, not overlapping.

    Args:
        data: A file's bytes.
        wanted: The text to look for, not empty.
    """
    wanted = wanted.replace(_WINDOWS, b"\n")
    if b"\n" not in wanted or _WINDOWS not in data:
        yield from _find(data, wanted)
        return
    plain = _Plain.of(data)
    for start, end in _find(plain.data, wanted):
        yield plain.offset(start), plain.offset(end)


def replace_spans(data: bytes, spans: Sequence[Span], text: bytes) -> Edited:
    """Put a text into the place of others.

    Its line breaks are written as those that prevail where it goes, else in the file, unless it brings its own.

    Args:
        data: A file's bytes.
        spans: The bytes to replace, in order, not overlapping.
        text: The new text.
    """
    old, out = memoryview(data), io.BytesIO()
    breaks = b"\n" in text and _WINDOWS not in text
    prevailing = prevailing_ending(data, 0, len(data)) or b"\n" if breaks else b"\n"
    regions = _Regions(data)
    taken = 0
    for start, end in spans:
        _copy(old, taken, start, out)
        put = text.replace(b"\n", prevailing_ending(data, start, end) or prevailing) if breaks else text
        out.write(put)
        regions.add(start, end, len(put))
        taken = end
    _copy(old, taken, len(data), out)
    return Edited(out.getvalue(), regions.close())


class _Regions:
    """The whole lines around what is replaced. A line may be endless, and full of it: no byte is looked at twice.

    Args:
        data: The old bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._bom = len(BOM) if data.startswith(BOM) else 0
        self._done: list[Region] = []
        self._first = self._new_first = self._counted = self._bom
        self._last = -1
        self._line = self._first_line = 1
        self._shift = 0

    def add(self, start: int, end: int, size: int) -> None:
        """Add the replacement of some bytes by so many others; they come after those before."""
        if start >= self._last:
            self._go_to(start)
        if end >= self._last:
            self._last = self._data.find(b"\n", end) + 1 or len(self._data)
        self._shift += size - (end - start)

    def close(self) -> tuple[Region, ...]:
        """Return all of them."""
        if self._last >= 0:
            new_last = self._last + self._shift
            self._done.append(Region(self._first, self._last, self._new_first, new_last, self._first_line))
        return tuple(self._done)

    def _go_to(self, start: int) -> None:
        """Begin another region, unless its line follows that of the one before."""
        first = max(self._data.rfind(b"\n", max(self._last, self._bom), start) + 1, self._last, self._bom)
        if first == self._last:
            return
        self.close()
        self._line += self._data.count(b"\n", self._counted, first)
        self._first, self._new_first, self._counted = first, first + self._shift, first
        self._first_line = self._line


class _Plain(NamedTuple):
    r"""Bytes with every `\r\n` as `\n`, and where those were.

    Attributes:
        data: The bytes.
        broken: The offsets, in these bytes, of every `\n` that was a `\r\n`.
    """

    data: bytes
    broken: list[int]

    @classmethod
    def of(cls, data: bytes) -> "_Plain":
        out, broken, start = io.BytesIO(), list[int](), 0
        while start < len(data):
            end = start + CHUNK
            end += data[end - 1 : end + 1] == _WINDOWS
            piece = data[start:end]
            at = out.tell()
            broken += [at + match.start() - index for index, match in enumerate(re.finditer(_WINDOWS, piece))]
            out.write(piece.replace(_WINDOWS, b"\n"))
            start = end
        return cls(out.getvalue(), broken)

    def offset(self, offset: int) -> int:
        """Return where an offset in these bytes is in those they were made of."""
        return offset + bisect_left(self.broken, offset)


def _find(data: bytes, wanted: bytes) -> Iterator[Span]:
    start = 0
    while start < len(data):
        reach = start + CHUNK
        found = data.find(wanted, start, reach + len(wanted))
        if found < 0:
            start = reach
            continue
        start = found + len(wanted)
        yield found, start


def _copy(old: memoryview, start: int, end: int, out: io.BytesIO) -> None:
    if end - start <= CHUNK:
        out.write(old[start:end])
        return
    out.writelines(old[at : min(at + CHUNK, end)] for at in range(start, end, CHUNK))
