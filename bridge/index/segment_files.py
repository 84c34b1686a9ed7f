"""Segments on the disk: one file each, written once, mapped and not copied when read.

A file holds the text, then a table (JSON) of what lies where, then a fixed end with both lengths and checksums. What is
not whole is as if it were not there: the index is always made anew from the notes.
"""

import contextlib
import mmap
import os
import secrets
import struct
import zlib
from array import array
from pathlib import Path

import orjson

from bridge.index.segments import Segment

FORM = b"vbtext01"
_END = struct.Struct("<8sQQII")
_SUFFIX = ".text"


def write_segment(folder: Path, segment: Segment) -> None:
    """Put a segment into a folder, durably.

    Raises:
        OSError: The disk is full or failed.
    """
    table = orjson.dumps(
        {
            "paths": segment.paths,
            "starts": segment.starts.tolist(),
            "sizes": segment.sizes.tolist(),
            "times": segment.times.tolist(),
            "flags": list(segment.flags),
        }
    )
    text = memoryview(segment.text)
    end = _END.pack(FORM, segment.size, len(table), zlib.crc32(text), zlib.crc32(table))
    write_durably(_place(folder, segment.number), text, table, end)


def read_segment(folder: Path, number: int) -> Segment | None:
    """A segment, its text mapped; None when the file is missing, short, of another form or its table is damaged."""
    try:
        with _place(folder, number).open("rb") as file:
            end = _end(file.fileno())
            if end is None:
                return None
            length, table_length, _text_sum, table_sum = end
            file.seek(length)
            table = file.read(table_length)
            if zlib.crc32(table) != table_sum:
                return None
            text = mmap.mmap(file.fileno(), length, access=mmap.ACCESS_READ) if length else b""
        return _segment(number, text, orjson.loads(table))
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None


def is_whole(folder: Path, segment: Segment) -> bool:
    """Whether a segment's text is what was written. Reads all of it."""
    try:
        with _place(folder, segment.number).open("rb") as file:
            end = _end(file.fileno())
    except OSError:
        return True  # it was removed after it was mapped; what is mapped is all there
    return end is not None and zlib.crc32(memoryview(segment.text)) == end[2]


def numbers(folder: Path) -> set[int]:
    """The numbers that are taken."""
    found = set()
    for place in folder.glob(f"*{_SUFFIX}"):
        with contextlib.suppress(ValueError):
            found.add(int(place.stem, 16))
    return found


def remove(folder: Path, number: int) -> None:
    """Remove a segment's file, if the system lets us: one that is mapped stays on Windows until the next start."""
    with contextlib.suppress(OSError):
        _place(folder, number).unlink()


def write_durably(place: Path, *parts: bytes | memoryview) -> None:
    """Write a file so that at any moment it is there whole or not at all.

    Raises:
        OSError: The disk is full or failed; what had the name is untouched.
    """
    temporary = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _place(folder: Path, number: int) -> Path:
    return folder / f"{number:08x}{_SUFFIX}"


def _end(fd: int) -> tuple[int, int, int, int] | None:
    """The lengths and checksums at a file's end, when they fit its size."""
    size = os.fstat(fd).st_size
    if size < _END.size:
        return None
    with os.fdopen(os.dup(fd), "rb") as file:
        file.seek(size - _END.size)
        form, length, table_length, text_sum, table_sum = _END.unpack(file.read(_END.size))
    if form != FORM or length + table_length + _END.size != size:
        return None
    return length, table_length, text_sum, table_sum


def _segment(number: int, text: bytes | mmap.mmap, table: dict[str, list[int]]) -> Segment:
    """A segment from its table.

    Raises:
        ValueError: The table does not fit the text.
    """
    paths = tuple(map(str, table["paths"]))
    starts, sizes, times = (array("q", table[name]) for name in ("starts", "sizes", "times"))
    flags = bytes(table["flags"])
    count = len(paths)
    if {count} != {len(starts) - 1, len(sizes), len(times), len(flags)} or starts[0] or starts[-1] != len(text):
        raise ValueError("the table does not fit the text")
    return Segment(number, text, paths, starts, sizes, times, flags)
