"""What is shown of a matching line: its text and the lines around it, gathered while a file goes by in pieces."""

import mmap
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from bridge.index.scan import Span

WIDTH = 500
"""Bytes shown of a line; a longer one is cut around its match."""
CUT = "…"

Locate = Callable[[int], int]


class Hit(NamedTuple):
    """A line that matches.

    Attributes:
        file: Where, as a vault path.
        line: Which, from 1.
        match: Its text, without the line ending.
        before: The lines before it, as many as wished and there.
        after: The lines after it.
    """

    file: str
    line: int
    match: str
    before: Sequence[str] = ()
    after: Sequence[str] = ()

    @property
    def context(self) -> str:
        """The line with the lines around it."""
        return "\n".join([*self.before, self.match, *self.after])

    @property
    def size(self) -> int:
        """About how many characters it takes to tell."""
        around = sum(map(len, self.before)) + sum(map(len, self.after)) if self.before or self.after else 0
        return len(self.file) + 2 * len(self.match) + around


class Excerpts:
    """The hits of one file. Give it every piece in order, with the matches in it.

    Args:
        file: The file's vault path.
        around: Lines of context on each side.
        room: Characters the hits may have together.
    """

    def __init__(self, file: str, around: int, room: int) -> None:
        self.hits: list[Hit] = []
        self.size = 0
        self._room = room
        self._file = file
        self._around = around
        self._line = 1
        self._last: list[str] = []
        self._open: list[list[str]] = []

    @property
    def complete(self) -> bool:
        """Whether every hit has the lines after it."""
        return not self._open

    @property
    def full(self) -> bool:
        """Whether the hits have no room any more."""
        return self.size > self._room

    def add(self, piece: bytes, spans: Iterable[Span], *, locate: Locate | None = None) -> None:
        """The next piece of the file, and where in it lines match.

        Args:
            piece: Whole lines, each ended by a line feed alone.
            spans: The first match of each matching line.
            locate: Given where no other piece follows: the spans may be any place in their line, and this tells where
                the first match is.
        """
        if self._open:
            self._continue(piece)
        around, earlier, line, counted = self._around, self._last, self._line, 0
        for start, _end in spans:
            line_start = piece.rfind(b"\n", 0, start) + 1
            line_end = piece.find(b"\n", start)
            if line_end < 0:
                line_end = len(piece)
            line += piece.count(b"\n", counted, line_start)
            counted = line_start
            at = locate(start) if locate is not None and line_end - line_start > WIDTH else start
            text = shown(piece, line_start, line_end, at)
            if around:
                before = _lines_before(piece, line_start, around)
                missing = around - len(before)
                after = _lines_after(piece, line_end, around)
                if len(after) < around:
                    self._open.append(after)
                hit = Hit(self._file, line, text, (earlier[-missing:] + before) if missing else before, after)
            else:
                hit = Hit(self._file, line, text)
            self.hits.append(hit)
            self.size += hit.size
            if self.size > self._room:
                break
        if locate is None:
            self._line = line + piece.count(b"\n", counted)
            if around:
                self._last = (earlier + _lines_before(piece, len(piece), around))[-around:]

    def _continue(self, piece: bytes) -> None:
        """Give the hits of the piece before the lines they still miss."""
        if not self._open:
            return
        first = _lines_after(piece, -1, self._around)
        for after in self._open:
            after.extend(first[: self._around - len(after)])
        self._open = [after for after in self._open if len(after) < self._around]


def shown(text: bytes | mmap.mmap, start: int, end: int, at: int) -> str:
    """A line as text, cut to `WIDTH` bytes around a place in it.

    Args:
        text: What it lies in.
        start: Where the line begins.
        end: Where it ends.
        at: The place that must be seen.
    """
    if end - start <= WIDTH:
        return text[start:end].decode(errors="replace")
    low = max(start, min(at - WIDTH // 5, end - WIDTH))
    high = min(low + WIDTH, end)
    # Not in the middle of a character, which has at most three bytes after its first.
    for _ in range(3):
        low -= low > start and _inside_character(text[low])
        high -= high < end and _inside_character(text[high])
    cut = text[low:high].decode(errors="replace")
    return f"{CUT if low > start else ''}{cut}{CUT if high < end else ''}"


def _inside_character(byte: int) -> bool:
    """Whether a byte continues a character of UTF-8."""
    return byte & 0xC0 == 0x80  # noqa: PLR2004 - the two marker bits


def _lines_before(piece: bytes, start: int, count: int) -> list[str]:
    """Up to `count` lines of a piece that end before the line beginning at `start`."""
    if not start:
        return []
    end = start - 1 if piece[start - 1] == ord("\n") else start
    first = end
    for _ in range(count):
        first = piece.rfind(b"\n", 0, first)
        if first < 0:
            break
    return _lines(piece, first + 1, end)


def _lines_after(piece: bytes, end: int, count: int) -> list[str]:
    """Up to `count` lines of a piece that follow the line ending at `end`."""
    start = end + 1
    if start >= len(piece):
        return []
    for _ in range(count):
        end = piece.find(b"\n", end + 1)
        if end < 0 or end + 1 == len(piece):
            break
    return _lines(piece, start, end if end >= 0 else len(piece))


def _lines(piece: bytes, start: int, end: int) -> list[str]:
    """The lines between the beginning of one and the end of another: decoded together where none can be too long."""
    if end - start <= WIDTH:
        return piece[start:end].decode(errors="replace").split("\n")
    lines: list[str] = []
    while start <= end:
        stop = piece.find(b"\n", start, end)
        stop = end if stop < 0 else stop
        lines.append(shown(piece, start, stop, start))
        start = stop + 1
    return lines
