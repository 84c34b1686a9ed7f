"""One note, parsed as Obsidian parses it (rules 12 to 30 and 46 to 71 of docs/obsidian.md)."""

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
from bridge.notes.work import Work

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
    """Everything that one note says about itself.

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
    """Where each line begins, and where it ends before its line ending."""
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
