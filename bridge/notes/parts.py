"""Parts of notes, and references to them: the section below a heading, or a block.

A caller's reference is parsed as Obsidian parses links: `Name`, `folder/Name`, `[[Name]]`, `Name#Heading`,
`Name#H1#H2`, `Name#^block`, `Name|alias`, and combinations of them. Nothing here looks at a vault; which note is meant
is decided by `index/references.py`.

In an outline, parts are numbers, so that links can follow a part when its name or its note changes. The rules are those
of docs/obsidian.md (66, 69, 95 and 96).
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from bridge.errors import Ambiguous, InvalidParameters, NotFound
from bridge.notes.note import BlockId, Heading, ParsedNote
from bridge.vault.paths import fold
from bridge.vault.text import note_name

LONGEST = 2000
"""Characters of a reference; a path and a heading are shorter."""

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SHOWN = 100


class NoteReference(NamedTuple):
    """A reference, taken apart.

    Attributes:
        text: What was written, without spaces around it.
        path: The note's name, and the folders before it if any were written.
        headings: The way to a section of it, outermost heading first; empty for the whole note.
        block: The id of a block of it, without `^`.
        alias: The text that a link would show.
        bracketed: Whether it was written as a wikilink.
        rooted: Whether it began with `/`: then it is a path from the vault's top and nothing else (rule 41).
    """

    text: str
    path: str
    headings: tuple[str, ...] = ()
    block: str | None = None
    alias: str | None = None
    bracketed: bool = False
    rooted: bool = False

    @property
    def name(self) -> str:
        """Return the note's own name, without folders and extension."""
        return note_name(self.path)

    @property
    def folder(self) -> str:
        """Return the folders that were written before the name; empty when there are none."""
        return self.path.rpartition("/")[0]

    @property
    def part(self) -> str:
        """Return the part of the note that is meant, as a link would say it (`#Heading`); empty for the whole note."""
        headings = "".join(f"#{heading}" for heading in self.headings)
        return headings if self.block is None else f"{headings}#^{self.block}"


def parse_reference(text: str) -> NoteReference:
    """Take a reference apart: at the first `|`, then at the first `#` (rule 15).

    Args:
        text: What the caller wrote.

    Raises:
        InvalidParameters: It names no note (`invalid_format`).
    """
    whole = text.strip()
    if len(whole) > LONGEST:
        raise _invalid(whole, f"a reference has at most {LONGEST} characters")
    if _CONTROL.search(whole):
        raise _invalid(whole, "it holds a control character; remove it")
    inner, bracketed = _without_brackets(whole)
    target, bar, alias = inner.partition("|")
    if bar and target.endswith("\\"):
        target = target[:-1]  # as links are written in tables (rule 18)
    path, _, subpath = target.partition("#")
    headings, block = _subpath(subpath)
    path, rooted = _path(whole, path)
    return NoteReference(whole, path, headings, block, alias.strip() if bar else None, bracketed, rooted)


def _without_brackets(text: str) -> tuple[str, bool]:
    """Return the text between the brackets of a wikilink or an embed, and whether there are any."""
    opened = text.removeprefix("!") if text.startswith("![[") else text
    if not opened.startswith("[["):
        return text, False
    inner = opened[2:-2]
    if len(opened) < len("[[]]") or not opened.endswith("]]") or "]]" in inner or "[[" in inner:
        raise _invalid(text, "write one wikilink, such as [[Name]], or only the note's name")
    return inner, True


def _subpath(subpath: str) -> tuple[tuple[str, ...], str | None]:
    """Return the headings and the block id that a subpath names."""
    parts = [part.strip() for part in subpath.split("#") if part.strip()]
    block = parts.pop()[1:] if parts and parts[-1].startswith("^") and len(parts[-1]) > 1 else None
    return tuple(parts), block


def _path(text: str, path: str) -> tuple[str, bool]:
    """Return the path with single slashes between its parts, and whether it began with one."""
    parts = [part for part in path.strip().split("/") if part not in {"", "."}]
    if not parts:
        raise _invalid(text, "it names no note; give a name, such as 'My Note' or 'folder/My Note'")
    if ".." in parts:
        raise _invalid(text, "'..' has no folder to start from; give the note's name or its path in the vault")
    return "/".join(parts), path.strip().startswith("/")


def _invalid(text: str, why: str) -> InvalidParameters:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    shown = shown if shown.isprintable() else ascii(shown)
    return InvalidParameters(
        f"Invalid reference format: {shown} ({why})", code="invalid_format", data={"note_name": shown}
    )


MOST_CANDIDATES = 20
"""Candidates that a failure lists."""

_SPECIAL = re.compile(r"[!\"#$%&()*+,./:;<=>?@\[\\\]^`{|}~\s]+")


class WholeLines(NamedTuple):
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


def find_part(text: str, note: ParsedNote, reference: NoteReference) -> WholeLines:
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
    spans = _sections(note.headings, reference.headings, len(text))
    if reference.block is not None:
        spans = _blocks(note, spans, reference.block)
    if not spans:
        raise _missing(reference, note)
    if len(spans) > 1:
        raise _several(reference, list(_parts(text, spans)))
    return next(_parts(text, spans))


def has_part(note: ParsedNote, reference: NoteReference) -> bool:
    """Return whether a note has the heading or block that a reference names. Blocks may be anywhere in the note.

    Args:
        note: The note, parsed.
        reference: The reference.
    """
    if reference.block is not None:
        key = fold(reference.block)
        return any(fold(block.id) == key for block in note.blocks)
    return bool(_sections(note.headings, reference.headings, note.headings[-1].end if note.headings else 0))


class _Span(NamedTuple):
    """Some of the text, the number of the first heading in it that comes after its own, and what it is called."""

    start: int
    end: int
    inner: int
    title: str


def _ends(headings: Sequence[Heading]) -> Sequence[int]:
    """Return for each heading the number of the next one that is not below it; their number if there is none."""
    ends, open_ = [len(headings)] * len(headings), list[int]()
    for number, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            ends[open_.pop()] = number
        open_.append(number)
    return ends


def _sections(headings: Sequence[Heading], names: Sequence[str], length: int) -> Sequence[_Span]:
    """Return the sections that `#A#B` names, each below the one before; all of the text without names."""
    spans: Sequence[_Span] = [_Span(0, length, 0, "")]
    places = [*(heading.start for heading in headings), length]
    ends = _ends(headings) if names else ()
    for name in names:
        key = strip_heading(name)
        found: dict[int, _Span] = {}
        for span in spans:
            for number in range(span.inner, len(headings)):
                if places[number] >= span.end:
                    break
                if strip_heading(headings[number].heading) == key:
                    found[number] = _Span(places[number], places[ends[number]], number + 1, headings[number].heading)
        exact = [span for span in found.values() if span.title.strip() == name]
        spans = exact if len(exact) == 1 else list(found.values())
    return spans


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


def _parts(text: str, spans: Iterable[_Span]) -> Iterator[WholeLines]:
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
        yield WholeLines(start, end, first, first + max(breaks - (text[end - 1 : end] == "\n"), 0), span.title)


def _missing(reference: NoteReference, note: ParsedNote) -> NotFound:
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


def _several(reference: NoteReference, parts: Sequence[WholeLines]) -> Ambiguous:
    lines = ", ".join(f"lines {part.first_line} to {part.last_line}" for part in parts[:MOST_CANDIDATES])
    lines += f" and {len(parts) - MOST_CANDIDATES} more" if len(parts) > MOST_CANDIDATES else ""
    return Ambiguous(
        f"{reference.part!r} is in the note {reference.path!r} {len(parts)} times: {lines}. "
        "Name the headings above it too (#A#B), or read the lines",
        candidates=[part.to_wire() for part in parts[:MOST_CANDIDATES]],
        data={"note_name": reference.path, "match_count": len(parts), "part": reference.part},
    )


PartKey = int | str
"""A heading, by its number from 0; or a block, by its id, folded."""

_NOT_IN_LINKS = re.compile(r"[#|^:\\\[\]\s]+|%%")


def heading_in_link(heading: str) -> str:
    """Return a heading as a link to it is written: without what would end or change the link (rule 95).

    Args:
        heading: Its raw text.
    """
    return " ".join(_NOT_IN_LINKS.sub(" ", heading).split())


@dataclass(frozen=True)
class Outline:
    """The headings and blocks of one note.

    Attributes:
        headings: The headings, in order.
        blocks: The ids of its blocks, folded.
    """

    headings: tuple[Heading, ...]
    blocks: frozenset[str] = frozenset()

    @classmethod
    def of(cls, note: ParsedNote) -> "Outline":
        """Return the outline of a parsed note."""
        return cls(note.headings, block_keys(note.blocks))

    def find(self, subpath: str) -> PartKey | None:
        """Return the part that a link names, the first if several fit; None if there is none, or none is named.

        Args:
            subpath: What follows the path in the link, with `#`.
        """
        names = [name.strip() for name in subpath.split("#") if name.strip()]
        if not names:
            return None
        if names[-1].startswith("^"):
            key = fold(names[-1][1:])
            return key if key in self.blocks else None
        chain = self.chain(names)
        return chain[-1] if chain else None

    def chain(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the headings that `#A#B` names, each below the one before; empty when there are none.

        Args:
            names: What the link says, outermost first.
        """
        return self._chain([strip_heading(name) for name in names], 0, len(self.headings)) if names else ()

    def subpath(self, part: PartKey, like: Sequence[int] = ()) -> str | None:
        """Return the subpath of a part, so that a link leads there and to no other part of the same name.

        Args:
            part: The part.
            like: The headings that the link named before, outermost first, which it names again if it can.

        Returns:
            The subpath with `#`; None when no link can name it.
        """
        if isinstance(part, str):
            return f"#^{part}" if part in self.blocks else None
        for chain in self._ways(part, like):
            written = "".join(f"#{heading_in_link(self.headings[number].heading)}" for number in chain)
            if self.find(written) == part:
                return written
        return None

    def section_end(self, number: int) -> int:
        """Return the number of the next heading that is not below one; the number of all headings if there is none."""
        return self._ends[number]

    def _ways(self, part: int, like: Sequence[int]) -> Iterator[Sequence[int]]:
        """Yield the ways to a heading: as before, by itself, then with ever more of the headings that it is below."""
        if like:
            yield like
        way = [part]
        yield way
        for above in range(part - 1, -1, -1):
            if self.headings[above].level < self.headings[way[0]].level:
                way = [above, *way]
                yield way

    def _chain(self, keys: Sequence[str], first: int, stop: int) -> tuple[int, ...]:
        for number in range(first, stop):
            if self._keys[number] != keys[0]:
                continue
            if len(keys) == 1:
                return (number,)
            if below := self._chain(keys[1:], number + 1, self._ends[number]):
                return (number, *below)
        return ()

    @cached_property
    def _keys(self) -> Sequence[str]:
        return [strip_heading(heading.heading) for heading in self.headings]

    @cached_property
    def _ends(self) -> Sequence[int]:
        return _ends(self.headings)


def block_keys(blocks: Iterable[BlockId]) -> frozenset[str]:
    """Return the ids of blocks, as they are compared (rule 69)."""
    return frozenset(fold(block.id) for block in blocks)
