"""One file of the log, opened: the live one, or a generation that was rotated away. Read from either end."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import BinaryIO, Final, Self

from bridge.audit.gzip_blocks import BLOCK, members, unpack
from bridge.audit.line_reader import backwards, forwards

_READ: Final = 64 * 1024
"""Bytes of a plain file that are read at a time from its end: the newest records are mostly what is wanted."""


class Source(AbstractContextManager["Source"]):
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
        return forwards(self._blocks())

    def backwards(self, needle: bytes = b"") -> Iterator[bytes]:
        """Its lines, newest first; of parts without the needle only some.

        Raises:
            OSError: It cannot be read.
            DamagedError: It is packed and not as we packed it.
        """
        return backwards(self._blocks_from_end(), needle)

    def first(self) -> bytes:
        """Its first line; empty when there is none."""
        return next(self.forwards(), b"")

    def last(self) -> bytes:
        """Its last line; empty when there is none."""
        return next(self.backwards(), b"")

    def bytes_from(self, position: int) -> Iterator[memoryview]:
        """What is in the file from there on, as it is."""
        while position < self.size:
            self._file.seek(position)
            piece = self._file.read(min(BLOCK, self.size - position))
            if not piece:
                return
            position += len(piece)
            yield memoryview(piece)

    def is_same(self, other: "Source") -> bool:
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

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
