"""The text of the vault's files in memory, so that a search opens no file.

Texts lie back to back in chunks that never change once made, the chunks in walk order and so are the texts in each. A
change waits until the texts are asked for next; then the chunks it falls into are rebuilt.

Chunks are kept on the disk: one file each, written once, mapped and not copied when read. A file holds the text, then a
table (JSON) of what lies where, then a fixed end with both lengths and the table's checksum. An incomplete file counts
as missing: its texts are read again from the notes. The texts are on the disk twice for the sake of the start: 67 MB of
10,000 notes are mapped in 10 ms. To read them from SQLite takes 120 ms, and to open every note 400 ms.
"""

import contextlib
import mmap
import os
import secrets
import shutil
import struct
import threading
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson

from bridge.index.texts.globs import Glob
from bridge.index.texts.line_patterns import Text, TextLines
from bridge.mapped_files import will_be_read_again
from bridge.vault.paths import nfc
from bridge.vault.text import BOM, is_text

_FORM = b"vbtext03"
_END = struct.Struct("<8sQQI")
_SUFFIX = ".text"
T = TypeVar("T")
LARGEST = 8 * 1024 * 1024
"""Bytes of a file beyond which its text is not held: it is searched from the disk."""
CHUNK = 4 * 1024 * 1024
"""Bytes of text that a chunk is made with; one that grows to twice as much is split."""
MOST_FILES = 5000
"""Files that a chunk is made with, if they are empty."""
REMEMBERED = 8
"""Choices remembered for each chunk."""
UNENDED = 1
"""Flag: the file's last line has no line break; the one that the text ends with is ours."""
NOT_UTF8 = 2
"""Flag: some bytes are no UTF-8."""
LARGE = 4
"""Flag: the file has text, but too much to hold it."""
UNSEARCHED = 8
"""Flag: the file is binary or hidden."""
Excludes = Callable[[str], bool]
"""Returns whether to leave out a path. The same object always answers the same."""


class Stamp(NamedTuple):
    """A stamp that shows whether a file is still the one that was read.

    Attributes:
        size: Bytes.
        mtime_ns: Time when its bytes last changed.
    """

    size: int
    mtime_ns: int


class TextEntry(NamedTuple):
    """One file in the arena.

    Attributes:
        path: Its vault path.
        stamp: Of the file when it was read.
        flags: `UNENDED`, `NOT_UTF8`, `LARGE`, `UNSEARCHED`.
        text: As it is searched: no byte order mark, line feeds alone, ended by one where it is not empty. Empty if
            no text is held.
    """

    path: str
    stamp: Stamp
    flags: int
    text: bytes | memoryview

    @property
    def is_held(self) -> bool:
        """Return whether the text is in memory."""
        return not self.flags & (LARGE | UNSEARCHED)


def walk_key(path: str) -> str:
    """Return a key that sorts paths as `VaultFiles.walk` meets them: a folder's files first, then its folders.

    Names hold no control characters, so these can mark what kind of name follows and where it ends.
    """
    folder, slash, name = path.rpartition("/")
    before = "\x01" + folder.replace("/", "\x00\x01") + "\x00" if slash else ""
    return f"{before}\x00{name}"


def text_entry(path: str, data: bytes | None, stamp: Stamp) -> TextEntry:
    """Return a file as the arena holds it.

    Args:
        path: Its vault path.
        data: All its bytes; of a file of more than `LARGEST` bytes the first are enough, or None.
        stamp: Of the file when it was read.
    """
    if path.rpartition("/")[2].startswith(".") or (data and not is_text(data)):
        return TextEntry(path, stamp, UNSEARCHED, b"")
    if data is None or max(len(data), stamp.size) > LARGEST:
        return TextEntry(path, stamp, LARGE, b"")
    text = data.removeprefix(BOM)
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    flags = 0
    if text and not text.endswith(b"\n"):
        text += b"\n"
        flags |= UNENDED
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            flags |= NOT_UTF8
    return TextEntry(path, stamp, flags, text)


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some files that follow one another in a walk, with their texts back to back. It never changes.

    Attributes:
        paths: The files, in walk order.
        stamps: Of each.
        flags: A byte for each.
        starts: Where each text begins, and behind the last one where all end.
        text: All the texts.
    """

    paths: tuple[str, ...]
    stamps: tuple[Stamp, ...]
    flags: bytes
    starts: "array[int]"
    text: Text
    _chosen: dict[object, Sequence[int]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, entries: Sequence[TextEntry]) -> "Chunk":
        """Return a chunk of some entries, which are in walk order."""
        return cls(
            tuple(entry.path for entry in entries),
            tuple(entry.stamp for entry in entries),
            bytes(entry.flags for entry in entries),
            array("q", accumulate((len(entry.text) for entry in entries), initial=0)),
            b"".join(entry.text for entry in entries),
        )

    @property
    def is_utf8(self) -> bool:
        """Return whether all of its texts are valid UTF-8."""
        return not any(flags & NOT_UTF8 for flags in set(self.flags))

    @classmethod
    def kept(cls, table: dict[str, Any], text: Text) -> "Chunk":
        """Return a chunk from its table on the disk.

        Raises:
            ValueError, KeyError, TypeError, OverflowError: The table does not fit the text.
        """
        paths, starts = tuple(map(str, table["paths"])), array("q", table["starts"])
        stamps = tuple(map(Stamp, table["sizes"], table["times"]))
        chunk = cls(paths, stamps, bytes(table["flags"]), starts, text)
        if {len(paths)} != {len(starts) - 1, len(stamps), len(chunk.flags)} or starts[-1] != len(text) or not paths:
            raise ValueError("the table does not fit the text")
        return chunk

    def table(self) -> dict[str, Any]:
        """Return the table of its texts, to be kept on the disk."""
        return {
            "paths": self.paths,
            "starts": self.starts.tolist(),
            "sizes": [stamp.size for stamp in self.stamps],
            "times": [stamp.mtime_ns for stamp in self.stamps],
            "flags": list(self.flags),
        }

    def entry(self, index: int) -> TextEntry:
        """Return one file, its text without a copy."""
        text = memoryview(self.text)[self.starts[index] : self.starts[index + 1]]
        return TextEntry(self.paths[index], self.stamps[index], self.flags[index], text)

    def entries(self) -> Iterator[TextEntry]:
        """Return all files, in walk order."""
        return map(self.entry, range(len(self.paths)))

    def large(self) -> list[str]:
        """Return the files whose text is not held because there is too much of it."""
        return [path for path, flags in zip(self.paths, self.flags, strict=True) if flags & LARGE]

    def runs(self, glob: Glob | None, excludes: tuple[Excludes, ...]) -> Iterator[Sequence[int]]:
        """Yield the files to search, as runs of places whose texts touch; a large file is a run by itself.

        Args:
            glob: The files to search; None for all.
            excludes: Each names files to leave out.
        """
        run: list[int] = []
        for index in self._choose(glob, excludes):
            large = self.flags[index] & LARGE
            if run and (large or self.flags[run[-1]] & LARGE or self.starts[index] != self.starts[run[-1] + 1]):
                yield run
                run = []
            run.append(index)
        if run:
            yield run

    def _choose(self, glob: Glob | None, excludes: tuple[Excludes, ...]) -> Sequence[int]:
        """Return the files to search. What was chosen is remembered, for agents often search the same files again."""
        known = self._chosen.get((glob, excludes))
        if known is not None:
            return known
        paths = list(map(nfc, self.paths)) if glob is not None else []
        chosen: Iterable[int] = range(len(self.paths)) if glob is None else TextLines(paths).matching(glob.lines_regex)
        found = [
            index
            for index in chosen
            if not self.flags[index] & UNSEARCHED and not any(excluded(self.paths[index]) for excluded in excludes)
        ]
        if len(self._chosen) >= REMEMBERED:
            self._chosen.clear()
        self._chosen[glob, excludes] = found
        return found


class TextArena:
    """The store of texts in memory. Every method may be called from any thread.

    Args:
        folder: The folder of chunks between starts, for this program alone; None keeps them in memory only. Chunks
            that are missing or damaged there are unknown.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._lock = threading.RLock()
        self._chunks: list[Chunk] = []
        self._firsts: list[str] = []
        self._waiting: dict[str, TextEntry | None] = {}
        self._waiting_size = 0
        self._folder = folder
        self._saving = threading.Lock()
        self._numbers: dict[Chunk, int] = {}
        self._replaced: list[int] = []
        self._last_number = 0
        self._unsaved = 0
        if folder is not None:
            self._load(folder)

    def put(self, entry: TextEntry) -> None:
        """Take in a file, in place of what was known of it."""
        with self._lock:
            self._waiting[entry.path] = entry
            self._waiting_size += len(entry.text)
            self._unsaved += len(entry.text)
            if self._waiting_size >= CHUNK:
                self._merge()

    def discard(self, path: str) -> None:
        """Forget a file. Nothing happens when it is not known."""
        with self._lock:
            self._waiting[path] = None

    def entry(self, path: str) -> TextEntry | None:
        """Return a file; None when it is not known."""
        with self._lock:
            if path in self._waiting:
                return self._waiting[path]
            key = walk_key(path)
            chunk = self._chunks[max(bisect_right(self._firsts, key) - 1, 0)] if self._chunks else None
            if chunk is None:
                return None
            index = bisect_left(chunk.paths, key, key=walk_key)
            return chunk.entry(index) if index < len(chunk.paths) and chunk.paths[index] == path else None

    def text(self, path: str) -> memoryview | None:
        r"""Return a file's text without a copy: line breaks as `\n`, no byte order mark; None if no text is held."""
        entry = self.entry(path)
        if entry is None or not entry.is_held:
            return None
        text = memoryview(entry.text)
        return text[:-1] if entry.flags & UNENDED else text

    def chunks(self) -> Sequence[Chunk]:
        """Return all chunks as they are now, in walk order; what is returned never changes."""
        with self._lock:
            self._merge()
            return tuple(self._chunks)

    def stamps(self) -> dict[str, tuple[int, int]]:
        """Return every file that is known, binary and large ones too, with its stamp."""
        return dict(chain.from_iterable(zip(chunk.paths, chunk.stamps, strict=True) for chunk in self.chunks()))

    @property
    def size(self) -> int:
        """Return the size of the texts in bytes."""
        return sum(len(chunk.text) for chunk in self.chunks())

    def copy_to(self, folder: Path) -> None:
        """Give another folder what is kept in this one: the same files if the disk can, for they never change.

        Args:
            folder: The other folder; made when missing.

        Raises:
            OSError: The disk is full or failed.
        """
        if self._folder is None:
            return
        with self._saving:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for place in self._folder.glob(f"*{_SUFFIX}"):
                try:
                    os.link(place, folder / place.name)
                except FileExistsError:
                    continue
                except OSError:
                    shutil.copyfile(place, folder / place.name)

    def save(self, least: int = 0) -> None:
        """Keep the chunks in the folder. Blocks as long as the disk takes; the other methods do not wait for it.

        Args:
            least: Bytes of new text for which that is worth it, once there is something in the folder: what is not
                kept is read again at the next start.

        Raises:
            OSError: The disk is full or failed. What was saved before is still there.
        """
        if self._folder is None or self._unsaved < (least if self._numbers else 0):
            return
        with self._saving:
            with self._lock:
                chunks, unsaved, self._unsaved = self.chunks(), self._unsaved, 0
                replaced, self._replaced = self._replaced, []
            try:
                for chunk in chunks:
                    if chunk not in self._numbers:
                        self._write(chunk, self._folder)
            except OSError:
                with self._lock:
                    self._unsaved += unsaved
                    self._replaced += replaced
                raise
            for number in replaced:
                _remove(_place(self._folder, number))

    def _write(self, chunk: Chunk, folder: Path) -> None:
        """Keep one chunk, and go on with the mapped one.

        It may be replaced meanwhile; then its file goes with the next save.
        """
        self._last_number += 1
        kept = replace(chunk, text=write_chunk(folder, self._last_number, chunk.table(), chunk.text))
        with self._lock:
            if chunk in self._chunks:
                self._chunks[self._chunks.index(chunk)] = kept
                self._numbers[kept] = self._last_number
            else:
                self._replaced.append(self._last_number)

    # -- changing; called with the lock held -----------------------------------------------------------------------

    def _load(self, folder: Path) -> None:
        """Take up what was kept. Where chunks overlap, because a save was cut short, the later one is right."""
        for number, table, text in read_chunks(folder):
            self._last_number = number
            try:
                chunk = Chunk.kept(table, text)
            except (ValueError, KeyError, TypeError, OverflowError):
                _remove(_place(folder, number))
                continue
            first, last = walk_key(chunk.paths[0]), walk_key(chunk.paths[-1])
            at = bisect_right(self._firsts, first)
            if at == bisect_right(self._firsts, last) and not (at and _last_key(self._chunks[at - 1]) >= first):
                self._chunks.insert(at, chunk)
                self._firsts.insert(at, first)
                self._numbers[chunk] = number
            else:
                self._replaced.append(number)
                self._waiting.update((entry.path, entry) for entry in chunk.entries())
                self._merge()

    def _merge(self) -> None:
        """Rebuild the chunks that changes fall into."""
        if not self._waiting:
            return
        waiting = sorted((walk_key(path), path) for path in self._waiting)
        touched = groupby(waiting, key=lambda pair: max(bisect_right(self._firsts, pair[0]) - 1, 0))
        for at, changes in reversed([(at, [path for _key, path in pairs]) for at, pairs in touched]):
            chunks = self._chunks[at : at + 1]
            if chunks and len(chunks[0].text) >= CHUNK and _last_key(chunks[0]) < walk_key(changes[0]):
                chunks = []  # what comes all behind a chunk, as in a first build, leaves it as it is
            first, behind = at + 1 - len(chunks), min(at + 1, len(self._chunks))
            entries = {entry.path: entry for chunk in chunks for entry in chunk.entries()}
            for path in changes:
                entry = self._waiting[path]
                if entry is None:
                    entries.pop(path, None)
                else:
                    entries[path] = entry
            self._replaced += [self._numbers.pop(chunk) for chunk in chunks if chunk in self._numbers]
            ordered = sorted(entries.values(), key=lambda entry: walk_key(entry.path))
            made = list(map(Chunk.of, _portions(ordered)))
            self._chunks[first:behind] = made
            self._firsts[first:behind] = [walk_key(chunk.paths[0]) for chunk in made]
        self._waiting, self._waiting_size = {}, 0


def _last_key(chunk: Chunk) -> str:
    return walk_key(chunk.paths[-1])


def _portions(entries: Sequence[TextEntry]) -> Iterator[list[TextEntry]]:
    """Yield entries for one chunk after the other, about as large as each other, so that each has room to grow."""

    def weight(entry: TextEntry) -> int:
        return len(entry.text) + CHUNK // MOST_FILES

    whole = sum(map(weight, entries))
    return portions(entries, weight, whole / max(whole // CHUNK, 1))


def portions(items: Iterable[T], size: Callable[[T], int], enough: float) -> Iterator[list[T]]:
    """Yield things in portions; each but the last is as small as can be and has at least a size.

    Args:
        items: The things.
        size: Returns the size of one.
        enough: The size of a portion.
    """
    portion: list[T] = []
    held = 0
    for item in items:
        portion.append(item)
        held += size(item)
        if held >= enough:
            yield portion
            portion, held = [], 0
    if portion:
        yield portion


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
        _remove(temporary)
        raise
    with place.open("rb") as file:
        return _mapped(file.fileno(), len(text))


def _mapped(fd: int, length: int) -> Text:
    """Return the text at the beginning of a file, mapped: the system reads what is used, and reclaims the memory."""
    return will_be_read_again(mmap.mmap(fd, length, access=mmap.ACCESS_READ)) if length else b""


def read_chunks(folder: Path) -> Iterator[tuple[int, dict[str, Any], Text]]:
    """Yield every complete chunk with its number, the earliest first, and remove incomplete ones."""
    for leftover in folder.glob(".*.tmp"):
        _remove(leftover)
    for place in sorted(folder.glob(f"*{_SUFFIX}")):
        try:
            with place.open("rb") as file:
                yield int(place.stem, 16), *_read(file.fileno())
        except (OSError, ValueError, struct.error):
            _remove(place)


def _remove(place: Path) -> None:
    """Remove a file, if the system lets us: one that is mapped stays on Windows until the next start."""
    with contextlib.suppress(OSError):
        place.unlink()


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
