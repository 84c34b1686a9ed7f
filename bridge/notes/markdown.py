"""One note, parsed as Obsidian parses it (rules 12 to 30 and 46 to 71 of docs/obsidian.md)."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from bridge.notes import containers, leaf_blocks
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.notes.note import Link, ParsedNote, Section
from bridge.notes.parser_state import (
    BULLET,
    COMMENT,
    FENCE,
    FOOTNOTE,
    HEADING,
    HTML,
    INDENTED,
    MATH,
    NUMBER,
    QUOTE,
    RULE,
    TEXT,
    Container,
    ParserState,
)
from bridge.notes.property_links import property_links
from bridge.notes.work import TooMuchWork, Work

_READERS = {
    TEXT: leaf_blocks.read_paragraph,
    HEADING: leaf_blocks.read_heading,
    QUOTE: containers.read_quote,
    RULE: leaf_blocks.read_rule,
    BULLET: containers.read_list,
    NUMBER: containers.read_list,
    FENCE: leaf_blocks.read_fenced_code,
    MATH: leaf_blocks.read_math,
    HTML: leaf_blocks.read_html,
    COMMENT: leaf_blocks.read_comment,
    FOOTNOTE: containers.read_footnote,
    INDENTED: leaf_blocks.read_indented_code,
}


def parse_note(text: str, *, outline: bool = True, work: Work | None = None) -> ParsedNote:
    """Return everything that one note says about itself.

    Args:
        text: The file's bytes decoded as UTF-8 with `surrogateescape`, with its byte order mark and line endings.
        outline: Whether sections, list items and code are wanted; they are left empty otherwise.
        work: How much work it may be; without it, as much as it is, and then nothing is ever raised.

    Raises:
        TooMuchWork: It is more work than that.
    """
    work = work or Work()
    block = find_frontmatter(text)
    properties = None
    links: tuple[Link, ...] = ()
    body = 1 if text.startswith("\ufeff") else 0
    if block is not None:
        properties = read_properties(text[block.yaml_start : block.yaml_end])
        links = property_links(text, block, properties)
        body = block.end
    line_starts, line_ends = _lines(text)
    first = 0
    if block is not None:
        first = text.count("\n", 0, block.end) + 1
    elif body:
        line_starts[0] = body
    state = ParserState(text, line_starts, line_ends, _READERS, work)
    if block is not None:
        state.sections.append(Section(block.start, block.end, "yaml"))
    state.read(first, Container(len(line_starts)))
    inline = state.inline
    return ParsedNote(
        frontmatter=properties,
        frontmatter_span=(block.start, block.end) if block and properties is not None else None,
        frontmatter_links=links,
        links=tuple(inline.links),
        embeds=tuple(inline.embeds),
        tags=tuple(inline.tags),
        addresses=tuple(inline.addresses),
        headings=tuple(state.headings),
        blocks=tuple(sorted(state.blocks)),
        sections=tuple(state.sections) if outline else (),
        list_items=tuple(state.list_items) if outline else (),
        code=tuple(map(state.lines, state.code)) if outline else (),
    )


def _lines(text: str) -> tuple[list[int], list[int]]:
    """Return where each line begins, and where it ends before its line ending."""
    starts = [0]
    ends: list[int] = []
    end = text.find("\n")
    while end >= 0:
        ends.append(end)
        starts.append(end + 1)
        end = text.find("\n", end + 1)
    ends.append(len(text))
    if "\r" in text:
        for line, end in enumerate(ends[:-1]):
            if end > starts[line] and text[end - 1] == "\r":
                ends[line] = end - 1
    return starts, ends


MOST_BASES: Final = 100
"""Bases of one note that are looked at; a person could not use more, and each takes a millisecond to read."""

_OPENING: Final = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*base[ \t]*\Z", re.IGNORECASE)
_MENTION: Final = re.compile(
    # What may stand before a block: marks of quotes and lists, the box of a task, the name of a footnote.
    r"^(?>[ \t>*+-]|[0-9]++[.)]|\[[^\]\n]++\]:?)*+(?:```|~~~)[`~]*[ \t]*base[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)


class Block(NamedTuple):
    """One base in a note.

    Attributes:
        start: Where the code block begins.
        end: Its end.
        lines: Where each line of its YAML begins and ends, without what a list or quote puts before it.
        text: The YAML.
    """

    start: int
    end: int
    lines: tuple[tuple[int, int], ...]
    text: str

    def written(self, note: str, text: str) -> str:
        """Return the note with other YAML in the block; nothing else changes.

        Args:
            note: The note that it is in; what follows the block may have changed.
            text: The YAML, with as many lines.
        """
        pieces: list[str] = []
        at = 0
        for (start, end), line in zip(self.lines, text.split("\n")[:-1], strict=True):
            pieces += note[at:start], line
            at = end
        return "".join([*pieces, note[at:]])


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
        blocks = parse_note(note, work=Work.of_one_note()).code
    except TooMuchWork:
        return
    for (start, end), *lines in blocks:
        opening = _OPENING.match(note[start:end])
        if opening is None:
            continue
        last = lines[-1][1] if lines else end
        if lines and note[slice(*lines[-1])].strip().startswith(opening[1]):
            lines.pop()
        yield Block(start, last, tuple(lines), "".join(f"{note[slice(*line)]}\n" for line in lines))
