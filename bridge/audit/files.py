"""The log on disk: lines appended to `logs/tools.log`, and the generations that it was rotated into.

Oldest first: `tools.log.kept.gz` (what must not be lost of generations that were too many), `tools.log.5.gz` to
`tools.log.1.gz`, then `tools.log.0` (rotated and not yet packed), then `tools.log`.
Each is read from either end. Appending only ever renames; `rotation.py` packs and drops, in the background.

A packed generation is gzip that any tool can read, in blocks that say how long they are, so that its end is found at
once: each block is a gzip member of its own whose header carries its size, as in the field's BGZF format.
"""

import contextlib
import os
import struct
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import BinaryIO, Final

from bridge.audit.records import seq_of
from bridge.vault.folder import Folder, LineFile

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


FOLDER: Final = "logs"
NAME: Final = "tools.log"
ROTATED: Final = f"{NAME}.0"
GENERATIONS: Final = tuple(f"{NAME}.{number}.gz" for number in (1, 2, 3, 4, 5))
"""Newest first."""
KEPT: Final = f"{NAME}.kept.gz"
MAX_SIZE: Final = 10 * 1024 * 1024
"""Bytes of the live file after which it is rotated."""

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
        """Return its lines, oldest first, empty ones too.

        Raises:
            OSError: It cannot be read.
            DamagedError: It is packed and not as we packed it.
        """
        return lines_forwards(self._blocks())

    def backwards(self, needle: bytes = b"") -> Iterator[bytes]:
        """Return its lines, newest first; of parts without the needle only some.

        Raises:
            OSError: It cannot be read.
            DamagedError: It is packed and not as we packed it.
        """
        return lines_backwards(self._blocks_from_end(), needle)

    def first(self) -> bytes:
        """Return its first line; empty when there is none, or the file is damaged."""
        with contextlib.suppress(DamagedError):
            return next(self.forwards(), b"")
        return b""

    def last(self) -> bytes:
        """Return its last line; empty when there is none, or the file is damaged."""
        with contextlib.suppress(DamagedError):
            return next(self.backwards(), b"")
        return b""

    def bytes_from(self, position: int) -> Iterator[memoryview]:
        """Yield the bytes of the file from a position on, as they are."""
        while position < self.size:
            self._file.seek(position)
            piece = self._file.read(min(BLOCK, self.size - position))
            if not piece:
                return
            position += len(piece)
            yield memoryview(piece)

    def text_from(self, position: int) -> Iterator[bytes]:
        """Yield its text from there on, unpacked.

        Raises:
            OSError: It cannot be read.
            DamagedError: It is packed and not as we packed it.
        """
        for block in self._blocks():
            yield block[position:]
            position = max(0, position - len(block))

    def is_same(self, other: "LogFile") -> bool:
        """Return whether it is the same file, even if it has grown."""
        return os.path.samestat(self.state, other.state)

    def ends_whole(self) -> bool:
        """Return whether its last line is complete."""
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
    """Yield every line, without its break, empty ones too; the last may have had none. A line too long is cut.

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
    """Yield every line that is not empty, newest first. Overlong lines are skipped.

    Args:
        blocks: The log from its end.
        needle: Of a block without it, one line is enough: it shows how old they are, and none of them can be wanted.
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


class AuditFiles:
    """The files of one log. May be used from several threads.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
        max_size: Bytes after which the live file is rotated.

    Attributes:
        lock: Held while names or the end of the live file change.
    """

    def __init__(self, state: Folder, max_size: int = MAX_SIZE) -> None:
        self._state = state
        self._max_size = max_size
        self.lock = threading.RLock()
        self._live = LineFile(NAME)

    def append(self, line: bytes) -> None:
        """Write one line at the end, in one piece: the only place where the log is written to.

        Args:
            line: Without its line break, and without any in it.

        Raises:
            OSError: It could not be written wholly; then nothing of it is there, as far as the disk allows.
        """
        with self.lock, self.folder() as folder:
            self._make_room(folder, len(line))
            self._live.append(folder, line + b"\n")

    @contextlib.contextmanager
    def sources(self) -> Iterator[list[LogFile]]:
        """Provide all files, oldest first, as they are at this moment.

        Raises:
            OSError: The log cannot be read. One that does not exist has no files.
        """
        with contextlib.ExitStack() as stack:
            found: dict[str, LogFile] = {}
            with self.lock, contextlib.suppress(FileNotFoundError), self._state.child(FOLDER) as folder:
                names = set(folder.names())
                for name in (KEPT, *reversed(GENERATIONS), ROTATED, NAME):
                    if name in names:
                        found[name] = stack.enter_context(LogFile(name, folder.open(name)))
            if is_packed_already(found):
                del found[ROTATED]
            if is_thinned_already(found):
                del found[GENERATIONS[-1]]
            yield list(found.values())

    def cut_torn_end(self) -> None:
        """Remove what a crash left of a line at the end of the live file.

        Raises:
            OSError: It could not be removed.
        """
        with self.lock, self.folder() as folder:
            with LogFile(NAME, folder.open(NAME)) as live:
                whole = live.size if live.ends_whole() else live.size - len(live.last())
            self._live.cut(folder, whole)

    def sync(self) -> None:
        """Make everything that was appended durable.

        Raises:
            OSError: The disk failed.
        """
        with self._state.child(FOLDER) as folder:
            for name in (ROTATED, NAME):
                with contextlib.ExitStack() as held:
                    with self.lock:
                        fd = held.enter_context(folder.open_to_append(name)) if folder.exists(name) else None
                    if fd is not None:
                        folder.disk.fsync(fd)
            folder.sync()

    def _make_room(self, folder: Folder, size: int) -> None:
        """Put the live file aside when so many bytes more are too many.

        It grows on while the last one is still there, or another program holds it (Windows).
        """
        try:
            full = folder.stat(NAME).st_size > max(self._max_size - size, 0)
            if full and not folder.exists(ROTATED):
                folder.replace(NAME, folder, ROTATED)
        except OSError:
            return

    def folder(self) -> Folder:
        """Return the folder of the logs, made when missing, for its user only."""
        return self._state.child_made(FOLDER)


def is_packed_already(found: Mapping[str, LogFile]) -> bool:
    """Return whether the newest generation holds the rotated file already, which a crash kept from being removed."""
    packed, rotated = found.get(GENERATIONS[0]), found.get(ROTATED)
    return packed is not None and rotated is not None and packed.first() == rotated.first() != b""


def is_thinned_already(found: Mapping[str, LogFile]) -> bool:
    """Return whether what must be kept of the oldest generation was kept, and only its removal remains."""
    kept, oldest = found.get(KEPT), found.get(GENERATIONS[-1])
    if kept is None or oldest is None:
        return False
    return 0 < (seq_of(oldest.last()) or 0) <= (seq_of(kept.last()) or 0)
