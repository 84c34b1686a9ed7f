"""Bases that are written into notes, as code blocks of the language `base`."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from bridge.notes.markdown import parse_note
from bridge.notes.work import TooMuchWork, Work

_OPENING: Final = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*base[ \t]*\r?\n", re.IGNORECASE)
_MENTION: Final = re.compile(r"^[ ]{0,3}(?:```|~~~)[`~]*[ \t]*base[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)


class Block(NamedTuple):
    """One base in a note.

    Attributes:
        start: Where its YAML begins.
        end: Where it ends.
        text: The YAML.
    """

    start: int
    end: int
    text: str


def mentions_base(note: str) -> bool:
    """Return whether a note may hold a base: a line opens a code block of that language."""
    return "base" in note and _MENTION.search(note) is not None


def base_blocks(note: str) -> Iterator[Block]:
    """Find the bases of a note, in order; none in a note that is too much to be understood.

    Args:
        note: The note's text.
    """
    if not mentions_base(note):
        return
    try:
        sections = parse_note(note, work=Work.of_one_note()).sections
    except TooMuchWork:
        return
    for section in sections:
        opening = _OPENING.match(note, section.start, section.end) if section.type == "code" else None
        if opening is None:
            continue
        start, end = opening.end(), section.end
        last = note.rfind("\n", start - 1, end) + 1
        if note[last:end].strip().startswith(opening[1]):
            end = last
        yield Block(start, max(start, end), note[start:end])
