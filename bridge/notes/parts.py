"""The part of a note that a reference names: the section below a heading, or a block (docs/obsidian.md)."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from bridge.errors import Ambiguous, NotFound
from bridge.notes.note import Heading, ParsedNote
from bridge.notes.reference import Reference
from bridge.vault.paths import fold

MOST_CANDIDATES = 20
"""Candidates that a failure lists."""

_SPECIAL = re.compile(r"[!\"#$%&()*+,./:;<=>?@\[\\\]^`{|}~\s]+")


class Part(NamedTuple):
    """Whole lines of a note.

    Attributes:
        start: The beginning of the first line, in characters.
        end: Where the line after the last one begins.
        first_line: The number of the first line, from 1.
        last_line: The number of the last line.
        title: The heading, or `^` and the block's id.
    """

    start: int
    end: int
    first_line: int
    last_line: int
    title: str

    def to_wire(self) -> dict[str, Any]:
        """Return the part for programs."""
        return {"title": self.title, "start_line": self.first_line, "end_line": self.last_line}


def strip_heading(heading: str) -> str:
    """Return a heading as links name it: without special characters, spaces collapsed, in one case (rule 66)."""
    return fold(_SPECIAL.sub(" ", heading).strip())


def find_part(text: str, note: ParsedNote, reference: Reference) -> Part:
    """Return the lines of the section or the block that a reference names.

    A section reaches from its heading to the next one of the same or a higher level, `#A#B` to B below A. Where
    several headings fit, one that is spelled exactly so wins; otherwise none is chosen.

    Args:
        text: The note.
        note: The same, parsed.
        reference: What was asked for; it names a heading or a block.

    Raises:
        NotFound: There is no such heading or block.
        Ambiguous: There are several, with their lines.
    """
    spans: Sequence[_Span] = [_Span(0, len(text), 0, "")]
    ends = _ends(note.headings, len(text)) if reference.headings else ()
    for heading in reference.headings:
        spans = _sections(note.headings, ends, spans, heading)
    if reference.block is not None:
        spans = _blocks(note, spans, reference.block)
    if not spans:
        raise _missing(reference, note)
    if len(spans) > 1:
        raise _several(reference, list(_parts(text, spans)))
    return next(_parts(text, spans))


def has_part(note: ParsedNote, reference: Reference) -> bool:
    """Return whether a note has the heading or block that a reference names. Blocks may be anywhere in the note.

    Args:
        note: The note, parsed.
        reference: The reference.
    """
    if reference.block is not None:
        key = fold(reference.block)
        return any(fold(block.id) == key for block in note.blocks)
    length = note.headings[-1].end if note.headings else 0
    spans: Sequence[_Span] = [_Span(0, length, 0, "")]
    ends = _ends(note.headings, length)
    for heading in reference.headings:
        spans = _sections(note.headings, ends, spans, heading)
    return bool(spans)


class _Span(NamedTuple):
    """Some of the text, the number of the first heading in it that comes after its own, and what it is called."""

    start: int
    end: int
    inner: int
    title: str


def _ends(headings: Sequence[Heading], length: int) -> Sequence[int]:
    """Return where the section of each heading ends."""
    ends = [length] * len(headings)
    open_: list[int] = []
    for index, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            ends[open_.pop()] = heading.start
        open_.append(index)
    return ends


def _sections(headings: Sequence[Heading], ends: Sequence[int], spans: Sequence[_Span], wanted: str) -> Sequence[_Span]:
    """Return the sections with a heading, within others."""
    key = strip_heading(wanted)
    found: dict[int, _Span] = {}
    for span in spans:
        for index in range(span.inner, len(headings)):
            heading = headings[index]
            if heading.start >= span.end:
                break
            if strip_heading(heading.heading) == key:
                found[index] = _Span(heading.start, ends[index], index + 1, heading.heading)
    exact = [span for span in found.values() if span.title.strip() == wanted]
    return exact if len(exact) == 1 else list(found.values())


def _blocks(note: ParsedNote, spans: Sequence[_Span], wanted: str) -> Sequence[_Span]:
    """Return the blocks with an id, within sections; case does not matter where none is spelled so (rule 69)."""
    if not spans:
        return []
    starts = sorted(span.start for span in spans)
    reach = [0, *accumulate((span.end for span in sorted(spans)), max)]
    key = fold(wanted)
    found = [
        _Span(block.start, block.end, 0, f"^{block.id}")
        for block in note.blocks
        if fold(block.id) == key and block.start < reach[bisect_right(starts, block.start)]
    ]
    exact = [span for span in found if span.title == f"^{wanted}"]
    return exact or found


def _parts(text: str, spans: Iterable[_Span]) -> Iterator[Part]:
    """Yield the whole lines of some spans, in order."""
    line, at = 1, 0
    for span in sorted(spans):
        start = text.rfind("\n", 0, span.start) + 1
        last = max(span.end - 1, start)
        found = text.find("\n", last)
        end = len(text) if found < 0 else found + 1
        first = line + text.count("\n", at, start)
        line, at = first, start
        breaks = text.count("\n", start, end)
        yield Part(start, end, first, first + max(breaks - (text[end - 1 : end] == "\n"), 0), span.title)


def _missing(reference: Reference, note: ParsedNote) -> NotFound:
    if reference.block is not None:
        ids = ", ".join(f"^{block.id}" for block in note.blocks[:MOST_CANDIDATES])
        there = f"Its blocks: {ids}" if ids else "It has no block ids"
    else:
        titles = ", ".join(repr(heading.heading) for heading in note.headings[:MOST_CANDIDATES])
        there = f"Its headings: {titles}" if titles else "It has no headings"
    more = max(len(note.headings if reference.block is None else note.blocks) - MOST_CANDIDATES, 0)
    return NotFound(
        f"{reference.part!r} is not in the note {reference.path!r}. {there}{f' and {more} more' if more else ''}",
        data={"error_type": "not_found", "note_name": reference.path, "part": reference.part},
    )


def _several(reference: Reference, parts: Sequence[Part]) -> Ambiguous:
    lines = ", ".join(f"lines {part.first_line} to {part.last_line}" for part in parts[:MOST_CANDIDATES])
    lines += f" and {len(parts) - MOST_CANDIDATES} more" if len(parts) > MOST_CANDIDATES else ""
    return Ambiguous(
        f"{reference.part!r} is in the note {reference.path!r} {len(parts)} times: {lines}. "
        "Name the headings above it too (#A#B), or read the lines",
        candidates=[part.to_wire() for part in parts[:MOST_CANDIDATES]],
        data={"note_name": reference.path, "match_count": len(parts), "part": reference.part},
    )
