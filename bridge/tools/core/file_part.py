"""The lines of a file that are asked for, gathered while the file goes by, within a limit; and the file's facts."""

from codecs import getincrementaldecoder
from collections.abc import Callable
from functools import cached_property
from typing import Any

from bridge.errors import InvalidParameters
from bridge.tools.formatting import utc_time
from bridge.tools.storage import Storage
from bridge.vault.file_types import describe_binary, is_binary
from bridge.vault.files import FileStat
from bridge.vault.text import BOM, CHUNK, Lines, decode


class FilePart:
    """Lines of a file. Give it the whole file in blocks, then ask.

    Args:
        first: The first line wanted, from 1.
        last: The last line wanted; None for all that follow.
        limit: Bytes to keep at most.

    Attributes:
        first: As given.
        truncated: Whether more was wanted than the limit allows.
    """

    def __init__(self, first: int, last: int | None, limit: int) -> None:
        self.first = first
        self.truncated = False
        self._last = last
        self._room = limit
        self._kept: list[bytes] = []
        self._begins = 0
        self._offset = 0
        self._line = 1
        self._unended = False

    def take(self, block: bytes) -> None:
        """The next block of the file, of a megabyte at most."""
        start = _after_breaks(block, self.first - self._line)
        end = len(block) if self._last is None else _after_breaks(block, self._last - self._line + 1)
        wanted = block[start:end]
        if wanted and not self._kept:
            self._begins = self._offset + start
        self._kept.append(wanted[: self._room])
        self.truncated |= len(wanted) > self._room
        self._room -= len(self._kept[-1])
        self._line += block.count(b"\n")
        self._unended = block[-1:] not in {b"", b"\n"} and (self._offset > 0 or block != BOM)
        self._offset += len(block)

    @property
    def total_lines(self) -> int:
        """How many lines the file has."""
        return self._line - 1 + self._unended

    @property
    def last_taken(self) -> int:
        """The number of the last line kept; the one before `first` when none is."""
        breaks = self._data.count(b"\n")
        return self.first - 1 + breaks + (not self._data.endswith(b"\n") and self._data not in {b"", BOM})

    @property
    def cut_inside_line(self) -> bool:
        """Whether the only line kept is not kept to its end."""
        return self.truncated and not self._data.endswith(b"\n")

    def text(self, path: object) -> tuple[str, int | None]:
        """The lines as text, and where in the file the first byte is that is not UTF-8.

        Args:
            path: What the file is called.
        """
        try:
            return decode(self._data, path), None
        except InvalidParameters as error:
            return self._data.removeprefix(BOM).decode(errors="replace"), self._begins + int(error.data["offset"])

    @cached_property
    def _data(self) -> bytes:
        """The bytes kept; when they are truncated, to the end of the last whole line, or else of a character."""
        data = b"".join(self._kept)
        if not self.truncated:
            return data
        whole = data.rfind(b"\n") + 1
        if whole:
            return data[:whole]
        return data[: len(data) - _unfinished(data)]


def read_part(storage: Storage, file: FileStat, part: FilePart, keep: Callable[[bytes], object]) -> bytes | None:
    """Give a part the whole file.

    Args:
        storage: The vault.
        file: The file.
        part: The part.
        keep: Called with each block.

    Returns:
        The file's first bytes when it is binary, and then the part has nothing; else None.
    """
    with storage.open(file.path) as stream:
        block = stream.read(CHUNK)
        if is_binary(block):
            return block
        while block:
            part.take(block)
            keep(block)
            block = stream.read(CHUNK)
    return None


def file_facts(file: FileStat) -> dict[str, Any]:
    """Where a file is, its size in bytes, and when it changed, for programs."""
    return {"path": str(file.path), "size": file.size, "modified": utc_time(file.mtime_ns)}


def binary_facts(file: FileStat, head: bytes) -> dict[str, Any]:
    """The facts of a file that is not text.

    Args:
        file: The file.
        head: Its first bytes.
    """
    kind, mime_type = describe_binary(head, file.path.name)
    return file_facts(file) | {"binary": True, "kind": kind, "mimeType": mime_type}


def _after_breaks(block: bytes, number: int) -> int:
    """The offset behind the n-th line break of a block; where it ends when it has fewer, where it begins for none."""
    if number <= 0:
        return 0
    lines = Lines(block)
    return lines.start(number + 1) if number <= block.count(b"\n") else len(block)


def _unfinished(data: bytes) -> int:
    """How many bytes at the end are the beginning of a character whose rest is not there."""
    decoder = getincrementaldecoder("utf-8")("replace")
    decoder.decode(data[-4:])
    return len(decoder.getstate()[0])
