"""One note, parsed as Obsidian parses it (rules 12 to 30 and 46 to 71)."""

from bridge.notes.blocks import Structure
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.notes.note import Link, ParsedNote, Section
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
    structure = Structure(text, line_starts, line_ends, outline=outline)
    if block is not None and outline:
        structure.sections.append(Section(block.start, block.end, "yaml"))
    structure.read(first, len(line_starts))
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
        sections=tuple(structure.sections),
        list_items=tuple(structure.list_items),
    )


def _lines(text: str) -> tuple[list[int], list[int]]:
    """Where each line begins, and where it ends before its line ending."""
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        starts.append(start)
        ends.append(end)
        start = end + 1
    if "\r" in text:
        ends = [end - 1 if end > start and text[end - 1] == "\r" else end for start, end in zip(starts, ends, strict=True)]
    return starts, ends
