"""Lines with their numbers before them, as many as there is room for, and the outline of a note."""

from collections.abc import Sequence
from typing import NamedTuple

from bridge.notes.markdown import parse_note
from bridge.notes.note import TooMuchWork, Work
from bridge.tools.core.file_part import fitting
from bridge.tools.formatting import within
from bridge.vault.text import BOM

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
    for number, line in enumerate(_lines(data), first):
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


def _lines(data: bytes) -> list[bytes]:
    """Return lines with their line breaks."""
    parts = data.split(b"\n")
    return [line + b"\n" for line in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _numbered(number: int, line: bytes) -> str:
    text = line.removeprefix(BOM).removesuffix(b"\n").removesuffix(b"\r").decode(errors="replace")
    return f"{number}: {text}" if text else f"{number}:"


def outline(data: bytes) -> list[OutlineEntry]:
    """Return the headings of a note with the lines they are in; none when it is too much to be understood.

    Args:
        data: The note's bytes.
    """
    text = data.decode("utf-8", "surrogateescape")
    entries: list[OutlineEntry] = []
    try:
        note = parse_note(text, outline=False, work=Work.of_one_note())
    except TooMuchWork:
        return entries
    line, at = 1, 0
    for heading in note.headings:
        line, at = line + text.count("\n", at, heading.start), heading.start
        entries.append(OutlineEntry(heading.level, heading.heading.encode(errors="replace").decode(), line))
    return entries


def outline_text(entries: Sequence[OutlineEntry], room: int) -> str:
    """Return an outline as a model reads it; empty when there is none.

    Args:
        entries: The headings.
        room: Bytes of UTF-8.
    """
    shown = outline_lines(entries, room)
    if not shown:
        return ""
    more = len(entries) - len(shown)
    return "\n".join(["Outline:", *shown, *([f"[{more} more headings]"] if more else [])])


def outline_lines(entries: Sequence[OutlineEntry], room: int) -> list[str]:
    """Return the first headings, a line each, as many as there is room for.

    Args:
        entries: The headings.
        room: Bytes of UTF-8.
    """
    return within([f"{entry.line}: {'#' * entry.level} {entry.heading}" for entry in entries[:_MOST_HEADINGS]], room)
