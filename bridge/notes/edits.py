"""Replacements in a text, and where they go for a link: in a note's body, in a property's quotes, in a canvas."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from bridge.notes.note import Link


class Edit(NamedTuple):
    """One replacement: `text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with every replacement made, all of them counted in the text as it was.

    Args:
        text: The text.
        edits: The replacements, which must not overlap.
    """
    pieces, place = list[str](), 0
    for edit in sorted(edits):
        pieces += text[place : edit.start], edit.new
        place = edit.end
    return "".join([*pieces, text[place:]])


def overlap(edits: Sequence[Edit]) -> bool:
    """Return whether two replacements touch the same characters."""
    ordered = sorted(edits)
    return any(first.end > second.start for first, second in pairwise(ordered))


def smallest(start: int, old: str, new: str) -> Edit:
    """Return the replacement of what differs between two texts: what they begin and end with stays.

    Args:
        start: Where the old text stands.
        old: The old text.
        new: The new text.
    """
    most = min(len(old), len(new))
    head = next((place for place in range(most) if old[place] != new[place]), most)
    tail = next((place for place in range(most - head) if old[-1 - place] != new[-1 - place]), most - head)
    return Edit(start + head, start + len(old) - tail, new[head : len(new) - tail])


_QUOTES = ("'", '"')


def body_edits(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return the replacements in the note, for those in the link alone; none when the link is not where it should be.

    Args:
        text: The note.
        link: The link as it is, with its place.
        edits: What changes in it, counted from its beginning.
    """
    start = link.start
    if text[start : link.end] != link.original:
        return ()
    return tuple(Edit(start + edit.start, start + edit.end, edit.new) for edit in edits)


def property_edits(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return the same for a property's link, which may stand in quotes; none when its place is not clear.

    What comes of it must be read again: a block scalar that is folded, for one, may say it differently.
    """
    start, end = link.start, link.end
    if not 0 <= start < end <= len(text):
        return ()
    quote = _quote_around(text, start, end)
    raw, wanted = text[start:end], _quoted(apply(link.original, edits), quote)
    if raw == _quoted(link.original, quote):
        return (smallest(start, raw, wanted),)
    return (Edit(start, end, wanted),) if quote else ()


def canvas_edits(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return the same for what stands in a string of JSON."""
    wanted = json.dumps(apply(link.original, edits), ensure_ascii=False)[1:-1]
    return (smallest(link.start, text[link.start : link.end], wanted),)


def _quote_around(text: str, start: int, end: int) -> str:
    while text[start - 1 : start].isspace():
        start -= 1
    while text[end : end + 1].isspace():
        end += 1
    before = text[start - 1 : start]
    return before if before in _QUOTES and text[end : end + 1] == before else ""


def _quoted(value: str, quote: str) -> str:
    """Return a string as it stands between these quotes, or without any."""
    if quote == "'":
        return value.replace("'", "''")
    if quote == '"':
        return value.replace("\\", "\\\\").replace('"', '\\"')
    return value
