"""Tasks in a note: their state, and the dates that the plugins Tasks and Dataview write in them.

Rules 71, 101 and 102 of docs/obsidian.md.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final

from bridge.notes.markdown import parse_note
from bridge.notes.note import ListItem, Work

TODO: Final = " "
DONE: Final = frozenset("xX")

DATES: Final[Mapping[str, str]] = {
    "due": "📅📆🗓",
    "scheduled": "⏳⌛",
    "start": "🛫",
    "created": "\N{HEAVY PLUS SIGN}",
    "done": "✅",
    "cancelled": "❌",
}
"""The dates of a task, by the signs before them."""
_FIELDS: Final = {"completion": "done"}
"""Names of Dataview's fields that are called otherwise here."""
_PRIORITIES: Final = {"🔺": "highest", "⏫": "high", "🔼": "medium", "🔽": "low", "⏬": "lowest"}
_RECURS: Final = re.compile(r"🔁|\[repeat::|\(repeat::")

_SIGNS: Final = {sign: name for name, signs in DATES.items() for sign in signs}
_SIGNED: Final = re.compile(rf"([{''.join(_SIGNS)}])\ufe0f?[ \t]*(\d{{4}}-\d\d-\d\d)")
_FIELD: Final = re.compile(r"[\[(][ \t]*(\w+)[ \t]*::[ \t]*(\d{4}-\d\d-\d\d)[^\])]*[\])]")
_BOX: Final = re.compile(r"[ \t]*(?:[*+-]|\d+[.)])[ \t]+\[(.)\][ \t]")
LIKELY: Final = re.compile(rb"^[ \t>]*(?:[*+-]|\d+[.)])[ \t]+\[[^\n\]]{1,4}\][ \t]", re.MULTILINE)
"""Found in every file that has a task."""
_DONE_DATE: Final = re.compile(r"[ \t]*✅\ufe0f?[ \t]*\d{4}-\d\d-\d\d")
_BLOCK_ID: Final = re.compile(r"[ \t]+\^[A-Za-z0-9-]+[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        line: Its line, from 1.
        start: The beginning of its mark.
        end: Where its own text ends.
        last: Where the last of the items below it ends.
        status: The character in its brackets.
        box: Where that stands.
        text: What it says, its first line alone.
        tags: Its tags, with `#`.
        dates: Its dates, by name.
        priority: Its priority; empty without one.
        recurs: Whether it recurs.
    """

    line: int
    start: int
    end: int
    last: int
    status: str
    box: int
    text: str
    tags: tuple[str, ...]
    dates: Mapping[str, str] = field(default_factory=dict)
    priority: str = ""
    recurs: bool = False


def tasks_of(text: str) -> Iterator[Task]:
    """Yield the tasks of a note, in order.

    Args:
        text: The note.

    Raises:
        TooMuchWork: It is nested too deeply or holds too much.
    """
    note = parse_note(text, work=Work.of_one_note())
    starts = [0, *(item.start for item in note.list_items)]
    lines = list(accumulate(text.count("\n", before, after) for before, after in pairwise(starts)))
    places = [tag.start for tag in note.tags]
    for number, item in enumerate(note.list_items):
        box = _BOX.match(text, item.start) if item.task is not None else None
        if box is None:
            continue
        stop = text.find("\n", box.end())
        said = text[box.end() : stop if stop >= 0 else None].strip()
        tags = note.tags[bisect_left(places, item.start) : bisect_left(places, item.end)]
        yield Task(
            line=lines[number] + 1,
            start=item.start,
            end=item.end,
            last=_last(note.list_items, lines, number),
            status=box[1],
            box=box.start(1),
            text=said,
            tags=tuple(tag.tag for tag in tags),
            dates=dates_in(said),
            priority=next((name for sign, name in _PRIORITIES.items() if sign in said), ""),
            recurs=_RECURS.search(said) is not None,
        )


def dates_in(text: str) -> dict[str, str]:
    """Return the dates in a task's text; the first of a kind counts.

    Args:
        text: What the task says.
    """
    found: dict[str, str] = {}
    for match in _SIGNED.finditer(text):
        found.setdefault(_SIGNS[match[1]], match[2])
    for match in _FIELD.finditer(text):
        name = _FIELDS.get(match[1].lower(), match[1].lower())
        if name in DATES:
            found.setdefault(name, match[2])
    return found


def with_done_date(line: str, day: str | None) -> str:
    """Return a task's line with the day on which it was done, before its block id, or without one.

    Args:
        line: The line, without its line ending.
        day: The day, `2026-11-22`; None removes the date.
    """
    bare = _DONE_DATE.sub("", line)
    if day is None:
        return bare
    block = _BLOCK_ID.search(bare)
    end = block.start() if block else len(bare.rstrip(" \t"))
    return f"{bare[:end]} ✅ {day}{bare[end:]}"


def _last(items: Sequence[ListItem], lines: Sequence[int], number: int) -> int:
    """Return where the items below one end: those whose parent is that item, or one below it."""
    below, last = {lines[number]}, items[number].end
    for other in range(number + 1, len(items)):
        if items[other].parent not in below:
            break
        below.add(lines[other])
        last = max(last, items[other].end)
    return last
