"""One file, read: what the index takes in of it."""

from dataclasses import dataclass, field

from bridge.index.knowledge import NoteFacts, StoredLink
from bridge.index.packing import has_odd_number, pack, unpack
from bridge.notes.canvas import parse_canvas
from bridge.notes.frontmatter import aliases, all_tags
from bridge.notes.markdown import parse_note
from bridge.notes.note import Heading, Link
from bridge.vault.file_types import is_note

LARGEST = 64 << 20
"""Notes with more bytes are known by their names only."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a note or canvas says.

    Attributes:
        facts: What is known of a note; None of a canvas.
        links: Its links, in order.
        text: Its text, for the full-text search; empty for a canvas.
    """

    facts: NoteFacts | None
    links: tuple[Link, ...]
    text: str = field(repr=False)


def is_canvas(path: str) -> bool:
    """Whether a file is a canvas, which has links too (rule 58)."""
    return path[-7:].lower() == ".canvas"


def has_document(path: str, size: int) -> bool:
    """Whether a file is one that `read_document` reads."""
    return size <= LARGEST and (is_note(path) or is_canvas(path))


def read_document(path: str, data: bytes) -> Document:
    """What a note or canvas says. Bytes that are no UTF-8 are kept as surrogates.

    Args:
        path: Where it lies.
        data: Its bytes.
    """
    text = data.decode("utf-8", "surrogateescape")
    if is_canvas(path):
        return Document(None, tuple(parse_canvas(text)), "")
    note = parse_note(text, outline=False)
    facts = NoteFacts(
        path=path,
        properties=note.frontmatter or {},
        aliases=tuple(aliases(note.frontmatter or {})),
        tags=tuple(all_tags(note)),
        headings=note.headings,
        block_ids=tuple(block.id for block in note.blocks),
    )
    return Document(facts, note.all_links, text)


def packed_facts(facts: NoteFacts) -> bytes:
    """A note's facts, to be stored."""
    headings = [tuple(heading) for heading in facts.headings]
    properties = dict(facts.properties)
    row = [properties, facts.aliases, facts.tags, headings, facts.block_ids]
    return pack(row, odd=has_odd_number(properties))


def stored_facts(path: str, data: bytes) -> NoteFacts:
    """A note's facts, as they were stored."""
    properties, names, tags, headings, ids = unpack(data)
    return NoteFacts(path, properties, tuple(names), tuple(tags), tuple(Heading(*row) for row in headings), tuple(ids))


def packed_link(link: Link) -> bytes:
    """A link, to be stored."""
    row = (link.link, link.original, link.display, link.start, link.embed, link.markdown, link.key)
    return pack(row)


def stored_link(source: str, data: bytes) -> StoredLink:
    """A link, as it was stored."""
    return StoredLink(source, *unpack(data))
