"""The lines of a file that are asked for, gathered while it goes by, with their numbers, and the outline of a note."""

import io
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from bridge.errors import InvalidParameters
from bridge.notes.canvas_board import CANVAS, outline_canvas
from bridge.notes.note import Heading, TooMuchWork
from bridge.toolkit.tool import Output
from bridge.tools.formatting import NOTHING_THERE, utc_time, within
from bridge.tools.joining import parsed
from bridge.tools.storage import Storage
from bridge.vault.files import FileStat
from bridge.vault.text import BOM, CHUNK, Lines, decode, describe_binary, is_text

LONGEST_CHARACTER = 4
"""Bytes of a character in UTF-8 at most: so many are always given, so that each call gets further."""
_REPLACEMENT = 3
"""Bytes of the character that stands for a byte that is not UTF-8."""


class FilePart:
    """Lines of a file. Give it the whole file in blocks, then ask.

    Args:
        first: The first line wanted, from 1.
        last: The last line wanted; None for all that follow.
        limit: Bytes to keep at most, but at least one character.
        offset: Bytes of the first line that are left out, because they were read before.

    Attributes:
        first: As given.
        truncated: Whether more was wanted than the limit allows.
    """

    def __init__(self, first: int, last: int | None, limit: int, offset: int = 0) -> None:
        self.first = first
        self._offset_in_line = offset
        self._to_skip = offset
        self.truncated = False
        self._last = last
        self._room = max(limit, LONGEST_CHARACTER)
        self._kept: list[bytes] = []
        self._begins = 0
        self._offset = 0
        self._line = 1
        self._unended = False

    def take(self, block: bytes) -> None:
        """Take the next block of the file, of a megabyte at most."""
        start = _after_breaks(block, self.first - self._line)
        end = len(block) if self._last is None else _after_breaks(block, self._last - self._line + 1)
        start += self._skipped(block, start, end)
        wanted = block[start:end]
        if wanted and not self._kept:
            self._begins = self._offset + start
        self._kept.append(wanted[: self._room])
        self.truncated |= len(wanted) > self._room
        self._room -= len(self._kept[-1])
        self._line += block.count(b"\n")
        self._unended = block[-1:] not in {b"", b"\n"} and (self._offset > 0 or block != BOM)
        self._offset += len(block)

    def _skipped(self, block: bytes, start: int, end: int) -> int:
        """Return how many bytes of the first line are left out of a block.

        Raises:
            InvalidParameters: The line is shorter than what is to be left out of it.
        """
        if not self._to_skip or start >= end:
            return 0
        rest = block.find(b"\n", start, end)
        here = min(self._to_skip, (end if rest < 0 else rest) - start)
        self._to_skip -= here
        if self._to_skip and rest >= 0:
            raise self._beyond_line()
        return here

    def _beyond_line(self) -> InvalidParameters:
        """Return the refusal when the first line is shorter than what is to be left out of it."""
        return InvalidParameters(
            f"Line {self.first} has no {self._offset_in_line} bytes to leave out; take both numbers from an answer"
        )

    def read(self, storage: Storage, file: FileStat, kept: list[bytes] | None = None) -> bytes | None:
        """Take the whole file.

        Args:
            storage: The vault.
            file: The file.
            kept: Gets each block; None: the part alone is kept.

        Returns:
            The file's first bytes when it is binary, and then the part has nothing; else None.

        Raises:
            InvalidParameters: The first line is shorter than what is to be left out of it.
        """
        with storage.open(file.path) as stream:
            block = stream.read(CHUNK)
            if not is_text(block):
                return block
            while block:
                self.take(block)
                if kept is not None:
                    kept.append(block)
                block = stream.read(CHUNK)
        if self._to_skip and self.first <= self.total_lines:
            raise self._beyond_line()
        return None

    def fit(self, room: int, *, numbered: bool = False) -> str | None:
        """Keep no more than can be shown in so many bytes of text: each byte that is not UTF-8 takes three.

        Returns:
            The lines with their numbers, where these are to be shown.
        """
        lines = number_lines(self.data, self.first, room) if numbered else None
        self.keep(len(fitting(self.data, room)) if lines is None else lines.taken)
        return None if lines is None else lines.text

    def keep(self, taken: int) -> None:
        """Keep no more than so many bytes."""
        if taken < len(self.data):
            self._kept = [self.data[:taken]]
            self.truncated = True
            del self.data

    def next_place(self, taken: int | None = None) -> dict[str, int]:
        """Return where the file goes on, for `startLine` and `lineOffset`; empty at its end.

        Args:
            taken: How many of the bytes kept are given; None for all.
        """
        data = self.data if taken is None else self.data[:taken]
        if not self.truncated and len(data) == len(self.data):
            return {"nextStartLine": self.last_taken + 1} if self.last_taken < self.total_lines else {}
        breaks = data.count(b"\n")
        inside = len(data) - (data.rfind(b"\n") + 1) + (0 if breaks else self._offset_in_line)
        place = {"nextStartLine": self.first + breaks}
        return place | {"nextLineOffset": inside} if inside else place

    @property
    def total_lines(self) -> int:
        """Return how many lines the file has."""
        return self._line - 1 + self._unended

    @property
    def last_taken(self) -> int:
        """Return the number of the last line kept; the one before `first` when none is."""
        breaks = self.data.count(b"\n")
        return self.first - 1 + breaks + (not self.data.endswith(b"\n") and self.data not in {b"", BOM})

    @property
    def cut_inside_line(self) -> bool:
        """Return whether the only line kept is not kept to its end."""
        return self.truncated and not self.data.endswith(b"\n")

    def text(self, path: object) -> tuple[str, int | None]:
        """Return the lines as text, and where in the file the first byte is that is not UTF-8.

        Args:
            path: What the file is called.
        """
        try:
            return decode(self.data, path), None
        except InvalidParameters as error:
            return self.data.removeprefix(BOM).decode(errors="replace"), self._begins + int(error.data["offset"])

    @cached_property
    def data(self) -> bytes:
        """Return the bytes kept; when they are truncated, to the end of the last whole line, or else of a character."""
        data = b"".join(self._kept)
        if not self.truncated:
            return data
        whole = data.rfind(b"\n") + 1
        if whole:
            return data[:whole]
        return data[: len(data) - _unfinished(data)] or data


def fitting(data: bytes, room: int) -> bytes:
    """Return as much of some bytes as can be shown in so many bytes of text, but at least a character."""
    if len(data) <= room and len(data.decode(errors="replace").encode()) <= room:
        return data
    cut = data[: max(room, LONGEST_CHARACTER)]
    cut = cut[: len(cut) - _unfinished(cut)]
    if len(cut.decode(errors="replace").encode()) > max(room, LONGEST_CHARACTER):
        cut = cut[: max(room // _REPLACEMENT, LONGEST_CHARACTER)]
        cut = cut[: len(cut) - _unfinished(cut)] or cut
    return cut


def file_facts(file: FileStat) -> dict[str, Any]:
    """Return a file's path, its size in bytes, and when it changed, for programs."""
    return {"path": str(file.path), "size": file.size, "modified": utc_time(file.mtime_ns)}


def not_text(file: FileStat, head: bytes, name: str, length: str) -> Output:
    """Return the answer for a file that is not text.

    Args:
        file: The file.
        head: Its first bytes.
        name: What it is called in the answer.
        length: Its size in words.
    """
    kind, mime_type = describe_binary(head, file.path.name)
    data = file_facts(file) | {"binary": True, "kind": kind, "mimeType": mime_type}
    return Output(data, f"{name} is not text: {kind}, {mime_type}, {length}. Its bytes are not shown.")


def _after_breaks(block: bytes, number: int) -> int:
    """Return the offset after the n-th line break of a block: its end if it has fewer, its beginning if n is 0."""
    if number <= 0:
        return 0
    lines = Lines(block)
    return lines.start(number + 1) if number <= block.count(b"\n") else len(block)


def _unfinished(data: bytes) -> int:
    """Return how many bytes at the end are the beginning of a character whose rest is missing."""
    decoder = getincrementaldecoder("utf-8")("replace")
    decoder.decode(data[-4:])
    return len(decoder.getstate()[0])


MOST_OUTLINED = 2 << 20
"""Bytes of a note whose outline is worked out; parsing more would take longer than a reader waits."""

MOST_HEADINGS = 1000
"""Headings of an outline for programs."""

_MOST_HEADINGS = 100


class NumberedLines(NamedTuple):
    """Some lines, numbered.

    Attributes:
        text: `1: First line` and so on, without a line break at its end.
        last: The number of the last one.
        taken: How many bytes of the file that is.
        cut: Whether the last one is not there to its end.
    """

    text: str
    last: int
    taken: int
    cut: bool


class OutlineEntry(NamedTuple):
    """One heading of an outline."""

    level: int
    heading: str
    line: int


def number_lines(data: bytes, first: int, room: int) -> NumberedLines:
    """Number lines, up to the last whole one for which there is room, but at least a part of the first.

    Args:
        data: The lines.
        first: The number of the first one.
        room: Bytes of UTF-8.
    """
    shown: list[str] = []
    used = taken = 0
    for number, line in enumerate(io.BytesIO(data), first):
        text = _numbered(number, line)
        used += len(text.encode()) + 1
        if used > room:
            if not shown:
                part = fitting(line, room - len(_numbered(number, b"")) - 1)
                return NumberedLines(_numbered(number, part), number, taken=len(part), cut=len(part) < len(line))
            break
        shown.append(text)
        taken += len(line)
    return NumberedLines("\n".join(shown), first - 1 + len(shown), taken=taken, cut=False)


def _numbered(number: int, line: bytes) -> str:
    text = line.removeprefix(BOM).removesuffix(b"\n").removesuffix(b"\r").decode(errors="replace")
    return f"{number}: {text}" if text else f"{number}:"


def outline(data: bytes) -> list[OutlineEntry]:
    """Return the headings of a note with the lines they are in; none when it is too much to be understood.

    Args:
        data: The note's bytes.
    """
    text = data.decode("utf-8", "surrogateescape")
    try:
        return list(in_lines(text, parsed(text).headings))
    except TooMuchWork:
        return []


def in_lines(text: str, headings: Iterable[Heading]) -> Iterator[OutlineEntry]:
    """Yield headings with the lines of their note that they are in.

    Args:
        text: The note.
        headings: Its headings, in order.
    """
    line, at = 1, 0
    for heading in headings:
        line, at = line + text.count("\n", at, heading.start), heading.start
        yield OutlineEntry(heading.level, heading.heading.encode(errors="replace").decode(), line)


def outline_lines(entries: Sequence[OutlineEntry], room: int) -> list[str]:
    """Return the first headings, a line each, as many as there is room for.

    Args:
        entries: The headings.
        room: Bytes of UTF-8.
    """
    return within([f"{entry.line}: {'#' * entry.level} {entry.heading}" for entry in entries[:_MOST_HEADINGS]], room)


def outlined(storage: Storage, file: FileStat, first: int, room: int) -> Output:
    """Return the answer that has the headings of a note, or what is on a canvas.

    Args:
        storage: The vault.
        file: The note or canvas.
        first: How many of them to leave out.
        room: Bytes of UTF-8 for the text.

    Raises:
        InvalidParameters: There are no more than that, or the canvas is too large.
    """
    data, _ = storage.read(file.path, limit=MOST_OUTLINED)
    if not is_text(data):
        return not_text(file, data[:CHUNK], str(file.path), f"{file.size} bytes")
    if str(file.path).lower().endswith(CANVAS):
        return _canvas(file, data, first, room)
    headings = outline(data)
    if first and first >= len(headings):
        raise InvalidParameters(NOTHING_THERE)
    lines = outline_lines(headings[first:], room)
    end = first + len(lines)
    metadata: dict[str, Any] = {"truncated": file.size > len(data) or end < len(headings)}
    if end < len(headings):
        metadata["cursor"] = str(end)
        lines.append(f"[{first + 1}-{end} of {len(headings)} headings; next: cursor={end}]")
    shown = [entry._asdict() for entry in headings[first : first + MOST_HEADINGS]]
    facts = file_facts(file) | {"outline": shown, "totalLines": Lines(data).count}
    return Output(facts, "\n".join(["Outline:", *lines]) if lines else "No headings.", metadata)


def _canvas(file: FileStat, data: bytes, first: int, room: int) -> Output:
    """Return the groups of a canvas with their cards, and its connections."""
    if file.size > len(data):
        raise InvalidParameters(f"{str(file.path)!r} is too large for an outline; read its lines instead")
    found = outline_canvas(data.decode("utf-8", "surrogateescape"), room, first)
    facts = file_facts(file) | {"cards": found.cards, "connections": found.connections}
    metadata = {"truncated": found.next is not None} | ({} if found.next is None else {"cursor": str(found.next)})
    return Output(facts, f"{found.text}\n[To change it: edit_canvas, or edit]", metadata)
