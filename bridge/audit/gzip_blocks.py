"""A rotated log: gzip that any tool can read, in blocks that say how long they are, so that its end is found at once.

Each block is a gzip member of its own whose header carries its size, as in the field's BGZF format; `zcat` shows them
as one text.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

BLOCK: Final = 256 * 1024
"""Bytes of text in a block."""

_HEADER = struct.Struct("<4sIBBHBBHI")
_MAGIC = b"\x1f\x8b\x08\x04"
_EXTRA = (8, ord("V"), ord("B"), 4)
_TRAILER = struct.Struct("<II")
_MEMBER_LIMIT = BLOCK + 1024
_LEVEL = 6


class DamagedError(Exception):
    """A rotated log is not what we wrote."""


def pack(text: bytes) -> bytes:
    """Return one packed block.

    Args:
        text: At most `BLOCK` bytes.
    """
    deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = deflate.compress(text) + deflate.flush()
    size = _HEADER.size + len(data) + _TRAILER.size
    # No time and no system in the header: the same text is the same bytes everywhere.
    header = _HEADER.pack(_MAGIC, 0, 0, 255, *_EXTRA, size)
    return b"".join((header, data, _TRAILER.pack(zlib.crc32(text), len(text))))


def pack_file(file: BinaryIO) -> Iterator[memoryview]:
    """Yield a whole text, block by block."""
    while text := file.read(BLOCK):
        yield memoryview(pack(text))


def pack_pieces(pieces: Iterable[bytes]) -> Iterator[memoryview]:
    """Yield a text that comes in pieces, block by block."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK:
            *blocks, rest = _cut(b"".join(held))
            yield from (memoryview(pack(block)) for block in blocks)
            held, size = [rest], len(rest)
    yield from (memoryview(pack(block)) for block in _cut(b"".join(held)) if block)


def _cut(text: bytes) -> list[bytes]:
    return [text[at : at + BLOCK] for at in range(0, len(text), BLOCK)] or [b""]


def members(file: BinaryIO) -> list[tuple[int, int]]:
    """Return the offset and size of each block; only the headers are read.

    Raises:
        DamagedError: Something in it is no block of ours.
    """
    found = []
    end, position = file.seek(0, 2), 0
    while position < end:
        file.seek(position)
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            raise DamagedError("it is cut off")
        magic, _time, _flags, _system, *extra, size = _HEADER.unpack(header)
        if magic != _MAGIC or tuple(extra) != _EXTRA or not _HEADER.size < size <= min(_MEMBER_LIMIT, end - position):
            raise DamagedError("it is not as the bridge packed it")
        found.append((position, size))
        position += size
    return found


def unpack(file: BinaryIO, member: tuple[int, int]) -> bytes:
    """Return the text of a block.

    Raises:
        DamagedError: It is damaged.
    """
    position, size = member
    file.seek(position)
    data = file.read(size)
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        text = inflate.decompress(data[_HEADER.size : -_TRAILER.size], BLOCK + 1)
    except zlib.error as error:
        raise DamagedError("a block in it is damaged") from error
    if not inflate.eof or inflate.unused_data or _TRAILER.pack(zlib.crc32(text), len(text)) != data[-_TRAILER.size :]:
        raise DamagedError("a block in it is damaged")
    return text
