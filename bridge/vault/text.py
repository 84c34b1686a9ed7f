"""Text as bytes: lines, line endings and encoding, for files of any size.

Nothing here splits, decodes or copies a large file in one go: a single call into C that takes long would hold up
every other thread of the bridge.
"""

import codecs
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from bridge.errors import InvalidParameters

BOM = codecs.BOM_UTF8
CHUNK = 1 << 20
"""Bytes looked at in one call: about a millisecond. At least 4, the longest character."""


class Lines:
    r"""The lines of some bytes, found without splitting them.

    A line ends at `\n`, or at `\r\n`, which is one ending; a lone `\r` is part of the line. A final line break
    ends the last line: `a\nb\n` has two lines, and so has `a\nb`. A byte order mark comes before line 1 and is no
    part of it.

    Args:
        data: The file's bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.bom = BOM if data.startswith(BOM) else b""
        # How many line breaks lie before each chunk, and after the last one in all.
        self._breaks = [0]
        for start in range(0, len(data), CHUNK):
            self._breaks.append(self._breaks[-1] + data.count(b"\n", start, start + CHUNK))

    @property
    def count(self) -> int:
        """How many lines there are; an empty file has none."""
        unended = len(self.data) > len(self.bom) and not self.ends_with_break
        return self._breaks[-1] + unended

    @property
    def ends_with_break(self) -> bool:
        """Whether the last byte is a line break."""
        return self.data.endswith(b"\n")

    def start(self, number: int) -> int:
        """Where a line begins, as an offset in bytes; for the line after the last one, where the file ends.

        Args:
            number: From 1 to `count + 1`.

        Raises:
            ValueError: There is no such line.
        """
        if not 1 <= number <= self.count + 1:
            raise ValueError(f"there is no line {number} of {self.count}")
        if number == 1:
            return len(self.bom)
        return self._after_break(number - 1) if number - 1 <= self._breaks[-1] else len(self.data)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where some lines begin and end, their line breaks included.

        Args:
            first: The first line, from 1.
            last: The last line, inclusive; `first - 1` means the empty place before `first`.

        Returns:
            Two offsets in bytes.
        """
        return self.start(first), self.start(last + 1)

    def line(self, number: int) -> bytes:
        """A line without its ending.

        Args:
            number: From 1 to `count`.
        """
        start, end = self.span(number, number)
        return self.data[start : end - len(self.ending(number))]

    def ending(self, number: int) -> bytes:
        r"""How a line ends: `\r\n`, `\n`, or nothing at the end of the file.

        Args:
            number: From 1 to `count`.
        """
        start, end = self.span(number, number)
        if self.data[end - 1 : end] != b"\n":
            return b""
        return b"\r\n" if end - 2 >= start and self.data[end - 2 : end] == b"\r\n" else b"\n"

    def number_at(self, offset: int) -> int:
        """The number of a line, from 1.

        Args:
            offset: A byte of it.
        """
        chunk = min(offset // CHUNK, len(self._breaks) - 1)
        return 1 + self._breaks[chunk] + self.data.count(b"\n", chunk * CHUNK, offset)

    @cached_property
    def prevailing(self) -> bytes:
        r"""The ending most lines have; the one that comes first when it is a draw, `\n` when there is none."""
        return prevailing_ending(self.data, 0, len(self.data)) or b"\n"

    def _after_break(self, number: int) -> int:
        """The offset just behind the n-th line break: which chunk it is in, then by halves."""
        chunk = bisect_left(self._breaks, number) - 1
        low, high = chunk * CHUNK, min((chunk + 1) * CHUNK, len(self.data))
        wanted = number - self._breaks[chunk]
        while high - low > 1:
            middle = (low + high) // 2
            found = self.data.count(b"\n", low, middle)
            if found >= wanted:
                high = middle
            else:
                low, wanted = middle, wanted - found
        return high


def prevailing_ending(data: bytes, start: int, end: int) -> bytes:
    """The line ending most used in a stretch of bytes.

    Args:
        data: The bytes.
        start: Where the stretch begins.
        end: Where it ends.

    Returns:
        The first one when it is a draw; empty when there is none.
    """
    breaks = windows = 0
    for low, high in pairwise([*range(start, end, CHUNK), end]):
        found = data.count(b"\n", low, high)
        breaks += found
        windows += data.count(b"\r\n", max(low - 1, start), high) if found else 0
    if not breaks:
        return b""
    if windows * 2 == breaks:
        first = data.find(b"\n", start, end)
        return b"\r\n" if data[max(first - 1, start) : first] == b"\r" else b"\n"
    return b"\r\n" if windows * 2 > breaks else b"\n"


def check_utf8(data: bytes, path: object) -> None:
    """Make sure that some bytes are UTF-8.

    Args:
        data: The bytes.
        path: What the file is called in the failure.

    Raises:
        InvalidParameters: They are not; it names the offset of the first byte that is wrong.
    """
    for _text in _decoded(data, path):
        pass


def encode(text: str, what: str = "The text") -> bytes:
    """The bytes of a text that a caller gave to be written.

    Args:
        text: The text.
        what: What it is called in the failure.

    Raises:
        InvalidParameters: It holds a NUL, or half of a surrogate pair: no text file does.
    """
    if "\x00" in text:
        raise InvalidParameters(f"{what} holds a NUL character, which makes a file binary; remove it")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidParameters(f"{what} is not valid Unicode; remove the lone surrogate") from None


def decode(data: bytes, path: object) -> str:
    """The text of some bytes, strictly UTF-8, without a byte order mark. Raises what `check_utf8` raises.

    Args:
        data: The bytes.
        path: What the file is called in the failure.
    """
    text = data.decode() if len(data) <= CHUNK and data.isascii() else "".join(_decoded(data, path))
    return text.removeprefix("\ufeff")


def _decoded(data: bytes, path: object) -> Iterator[str]:
    start = 0
    while start < len(data):
        piece = data[start : start + CHUNK]
        try:
            text, used = codecs.utf_8_decode(piece, "strict", start + CHUNK >= len(data))
        except UnicodeDecodeError as error:
            offset = start + error.start
            raise InvalidParameters(
                f"{str(path)!r} is not UTF-8 text: byte 0x{data[offset]:02x} at offset {offset}. "
                "Convert it to UTF-8 first",
                data={"offset": offset},
            ) from None
        yield text
        start += used
