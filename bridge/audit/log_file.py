"""One file of the log, opened: the live one, or a rotated generation. Its lines are read from either end."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, Final

from bridge.audit.gzip_blocks import BLOCK, DamagedError, members, unpack

_READ: Final = 64 * 1024
"""Bytes of a plain file that are read at a time from its end: the newest records are mostly what is wanted."""


class LogFile(AbstractContextManager["LogFile"]):
    """A file as it was when it was opened; what is written to it later is not seen.

    Args:
        name: Its name in the folder of the logs.
        file: Open for reading, owned by this object.
    """

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.name = name
        self.packed = name.endswith(".gz")
        self.state = os.fstat(file.fileno())
        self.size = self.state.st_size
        self._file = file

    def forwards(self) -> Iterator[bytes]:
        """Its lines, oldest first, empty ones too.

        Raises:
            OSError: It cannot be read.
            DamagedError: It is packed and not as we packed it.
        """
        return lines_forwards(self._blocks())

    def backwards(self, needle: bytes = b"") -> Iterator[bytes]:
        """Its lines, newest first; of parts without the needle only some.

        Raises:
            OSError: It cannot be read.
            DamagedError: It is packed and not as we packed it.
        """
        return lines_backwards(self._blocks_from_end(), needle)

    def first(self) -> bytes:
        """Its first line; empty when there is none, or the file is damaged."""
        with contextlib.suppress(DamagedError):
            return next(self.forwards(), b"")
        return b""

    def last(self) -> bytes:
        """Its last line; empty when there is none, or the file is damaged."""
        with contextlib.suppress(DamagedError):
            return next(self.backwards(), b"")
        return b""

    def bytes_from(self, position: int) -> Iterator[memoryview]:
        """What is in the file from there on, as it is."""
        while position < self.size:
            self._file.seek(position)
            piece = self._file.read(min(BLOCK, self.size - position))
            if not piece:
                return
            position += len(piece)
            yield memoryview(piece)

    def is_same(self, other: "LogFile") -> bool:
        """Whether it is the same file, however it grew."""
        return os.path.samestat(self.state, other.state)

    def ends_whole(self) -> bool:
        """Whether its last line has its break."""
        if self.size == 0:
            return True
        self._file.seek(self.size - 1)
        return self._file.read(1) == b"\n"

    def close(self) -> None:
        """Let it go."""
        self._file.close()

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _blocks(self) -> Iterator[bytes]:
        if self.packed:
            for member in members(self._file):
                yield unpack(self._file, member)
        else:
            for piece in self.bytes_from(0):
                yield bytes(piece)

    def _blocks_from_end(self) -> Iterator[bytes]:
        if self.packed:
            for member in reversed(members(self._file)):
                yield unpack(self._file, member)
            return
        position = self.size
        while position > 0:
            length = min(_READ, position)
            position -= length
            self._file.seek(position)
            yield self._file.read(length)


MAX_LINE: Final = 4 * 1024 * 1024
"""No line of ours is longer. Of a longer one only the beginning is read, or nothing."""

_ENOUGH = 16 * 1024
"""Bytes of a block in which its first lines are looked for."""


def lines_forwards(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Every line, without its break, empty ones too; the last may have had none. A line too long is cut.

    Args:
        blocks: The log from its beginning.
    """
    rest: list[bytes] = []
    held = 0
    for block in blocks:
        first, *more = block.split(b"\n")
        if held <= MAX_LINE:
            rest.append(first)
            held += len(first)
        if more:
            yield b"".join(rest)[: MAX_LINE + 1]
            yield from more[:-1]
            rest, held = [more[-1]], len(more[-1])
    if held:
        yield b"".join(rest)[: MAX_LINE + 1]


def lines_backwards(blocks: Iterable[bytes], needle: bytes = b"") -> Iterator[bytes]:
    """Every line that is not empty, newest first. A line too long is passed over.

    Args:
        blocks: The log from its end.
        needle: Of a block without it, one line is enough: that tells how old they are, and none can be wanted.
    """
    rest, too_long = b"", False
    for block in blocks:
        text = block + rest
        if needle and not too_long and needle not in text and text.count(b"\n", 0, _ENOUGH) > 1:
            rest, line, _ = text.split(b"\n", 2)
            yield from filter(None, [line])
            continue
        lines = text.split(b"\n")
        if too_long:
            lines[-1] = b""
            too_long = len(lines) == 1
        rest = lines[0]
        yield from filter(None, reversed(lines[1:]))
        if len(rest) > MAX_LINE:
            rest, too_long = b"", True
    if rest:
        yield rest
