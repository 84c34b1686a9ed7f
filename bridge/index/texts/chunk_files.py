"""Chunks of text on the disk: one file each, written once, mapped and not copied when read.

A file holds the text, then a table (JSON) of what lies where, then a fixed end with both lengths and the table's
checksum. What is not whole is as if it were not there: the texts are always read anew from the notes.

The texts are kept twice on the disk so because of the start: 67 MB of 10,000 notes are mapped in 10 ms. To read them
from SQLite takes 120 ms, and to open every note 400 ms.
"""

import contextlib
import mmap
import os
import secrets
import shutil
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from bridge.index.texts.line_patterns import Text
from bridge.mapped_files import will_be_read_again

_FORM = b"vbtext03"
_END = struct.Struct("<8sQQI")
_SUFFIX = ".text"


def write_chunk(folder: Path, number: int, table: dict[str, Any], text: Text) -> Text:
    """Keep a chunk, so that at any moment its file is there whole or not at all; returns its text, mapped.

    Args:
        folder: The folder; made when missing.
        number: The file's name.
        table: What lies where.
        text: The text.

    Raises:
        OSError: The disk is full or failed.
    """
    encoded = orjson.dumps(table)
    end = _END.pack(_FORM, len(text), len(encoded), zlib.crc32(encoded))
    place = _place(folder, number)
    temporary = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            for part in (text, encoded, end):
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    with place.open("rb") as file:
        return _mapped(file.fileno(), len(text))


def _mapped(fd: int, length: int) -> Text:
    """Return the text at the beginning of a file, mapped: the system reads what is used, and reclaims the memory."""
    return will_be_read_again(mmap.mmap(fd, length, access=mmap.ACCESS_READ)) if length else b""


def link_chunks(folder: Path, to: Path) -> None:
    """Put every chunk into another folder too: as a second name of the same file if the disk can, else as a copy.

    Args:
        folder: Where they are.
        to: The other folder; made when missing.

    Raises:
        OSError: The disk is full or failed.
    """
    to.mkdir(mode=0o700, parents=True, exist_ok=True)
    for place in folder.glob(f"*{_SUFFIX}"):
        try:
            os.link(place, to / place.name)
        except FileExistsError:
            continue
        except OSError:
            shutil.copyfile(place, to / place.name)


def read_chunks(folder: Path) -> Iterator[tuple[int, dict[str, Any], Text]]:
    """Yield every complete chunk with its number, the earliest first, and remove incomplete ones."""
    for leftover in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            leftover.unlink()
    for place in sorted(folder.glob(f"*{_SUFFIX}")):
        try:
            with place.open("rb") as file:
                yield int(place.stem, 16), *_read(file.fileno())
        except (OSError, ValueError, struct.error):
            with contextlib.suppress(OSError):
                place.unlink()


def remove_chunk(folder: Path, number: int) -> None:
    """Remove a chunk's file, if the system lets us: one that is mapped stays on Windows until the next start."""
    with contextlib.suppress(OSError):
        _place(folder, number).unlink()


def _place(folder: Path, number: int) -> Path:
    return folder / f"{number:08x}{_SUFFIX}"


def _read(fd: int) -> tuple[dict[str, Any], Text]:
    """Return a chunk's table and its text, mapped.

    Raises:
        OSError, ValueError, struct.error: The file is damaged, or of another form.
    """
    size = os.fstat(fd).st_size
    with mmap.mmap(fd, size, access=mmap.ACCESS_READ) as whole:
        form, length, table_length, checksum = _END.unpack(whole[size - _END.size :])
        encoded = whole[length : length + table_length]
    if form != _FORM or length + table_length + _END.size != size or zlib.crc32(encoded) != checksum:
        raise ValueError("not a whole chunk")
    return orjson.loads(encoded), _mapped(fd, length)
