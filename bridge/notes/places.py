"""A link is changed where it stands: in the body of a note, in the quotes of a property, in a string of a canvas."""

import json

from bridge.notes.edits import Edit, apply, smallest
from bridge.notes.note import Link

_QUOTES = ("'", '"')


def in_body(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The replacements in the note, for those in the link alone; none when the link is not where it should be.

    Args:
        text: The note.
        link: The link as it is, with its place.
        edits: What changes in it, counted from its beginning.
    """
    start = link.start
    if text[start : link.end] != link.original:
        return ()
    return tuple(Edit(start + edit.start, start + edit.end, edit.new) for edit in edits)


def in_property(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The same for a property's link, which may stand in quotes; none when its place is not clear.

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


def in_canvas(text: str, link: Link, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The same for what stands in a string of JSON."""
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
    """A string as it stands between these quotes, or without any."""
    if quote == "'":
        return value.replace("'", "''")
    if quote == '"':
        return value.replace("\\", "\\\\").replace('"', '\\"')
    return value
