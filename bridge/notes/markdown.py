"""One note, parsed as Obsidian parses it (rules 12 to 30 and 46 to 71)."""

from bridge.notes.blocks import Blocks
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.notes.note import Link, ParsedNote, Section
from bridge.notes.parser_state import Container
from bridge.notes.property_links import property_links


def parse_note(text: str, *, outline: bool = True) -> ParsedNote:
    """Everything that one note says about itself. Never raises, whatever the text is.

    Args:
        text: The file's bytes decoded as UTF-8 with `surrogateescape`, with its byte order mark and line endings.
        outline: Whether sections and list items are wanted; they are left empty otherwise.
    """
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
    structure = Blocks(text, line_starts, line_ends)
    if block is not None:
        structure.sections.append(Section(block.start, block.end, "yaml"))
    structure.read(first, Container(len(line_starts)))
    found = structure.found
    return ParsedNote(
        frontmatter=properties,
        frontmatter_span=(block.start, block.end) if block and properties is not None else None,
        frontmatter_links=links,
        links=tuple(found.links),
        embeds=tuple(found.embeds),
        tags=tuple(found.tags),
        headings=tuple(structure.headings),
        blocks=tuple(sorted(structure.blocks)),
        sections=tuple(structure.sections) if outline else (),
        list_items=tuple(structure.list_items) if outline else (),
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
