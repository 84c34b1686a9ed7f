"""Lines with their numbers before them, as many as there is room for, and the outline of a note."""

from collections.abc import Sequence
from typing import NamedTuple

from bridge.notes.markdown import parse_note

MOST_OUTLINED = 2 << 20
"""Bytes of a note whose outline is worked out; parsing more would take longer than a reader waits."""

_MOST_HEADINGS = 100


class NumberedLines(NamedTuple):
    """Some lines, numbered.

    Attributes:
        text: `1: First line` and so on, without a line break at its end.
        last: The number of the last one.
        cut: Whether the last one is not there to its end.
    """

    text: str
    last: int
    cut: bool


class OutlineEntry(NamedTuple):
    """One heading of an outline."""

    level: int
    heading: str
    line: int


def number_lines(content: str, first: int, room: int) -> NumberedLines:
    """Number lines, up to the last whole one for which there is room, but at least a part of the first.

    Args:
        content: The lines.
        first: The number of the first one.
        room: Bytes of UTF-8.
    """
    lines = content.removesuffix("\n").split("\n") if content else []
    shown: list[str] = []
    used = 0
    for number, line in enumerate(lines, first):
        text = line.removesuffix("\r")
        text = f"{number}: {text}" if text else f"{number}:"
        used += len(text.encode(errors="replace")) + 1
        if used > room:
            if not shown:
                cut = text.encode(errors="replace")[:room].decode(errors="ignore")
                return NumberedLines(cut, number, cut=True)
            break
        shown.append(text)
    return NumberedLines("\n".join(shown), first - 1 + len(shown), cut=False)


def outline(data: bytes) -> list[OutlineEntry]:
    """The headings of a note with the lines they are in.

    Args:
        data: The note's bytes.
    """
    text = data.decode("utf-8", "surrogateescape")
    entries: list[OutlineEntry] = []
    line, at = 1, 0
    for heading in parse_note(text, outline=False).headings:
        line, at = line + text.count("\n", at, heading.start), heading.start
        entries.append(OutlineEntry(heading.level, heading.heading.encode(errors="replace").decode(), line))
    return entries


def outline_text(entries: Sequence[OutlineEntry], room: int) -> str:
    """An outline as a model reads it; empty when there is none.

    Args:
        entries: The headings.
        room: Bytes of UTF-8.
    """
    shown = [f"{entry.line}: {'#' * entry.level} {entry.heading}" for entry in entries[:_MOST_HEADINGS]]
    used = 0
    for count, line in enumerate(shown):
        used += len(line.encode()) + 1
        if used > room:
            del shown[count:]
            break
    if not shown:
        return ""
    more = len(entries) - len(shown)
    return "\n".join(["Outline:", *shown, *([f"[{more} more headings]"] if more else [])])
