"""Values of notes as bytes, and back, whatever they hold.

orjson is fast but refuses what a note may well hold: bytes that are no UTF-8 (as lone surrogates), integers of more
than 64 bits, NaN. Python's own json takes those.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import orjson

from bridge.index.knowledge import NoteFacts, StoredLink
from bridge.notes.note import Heading, Link

_SLOW = b"\x00"
"""What begins bytes that orjson did not write; JSON never begins so."""


def pack(value: Any, *, odd: bool = False) -> bytes:
    """A value of JSON as bytes. Tuples become lists.

    Args:
        value: The value.
        odd: What `has_odd_number` says of it.
    """
    if odd:
        return _SLOW + json.dumps(value).encode("ascii")
    try:
        return orjson.dumps(value)
    except TypeError:
        return _SLOW + json.dumps(value, default=str, skipkeys=True).encode("ascii")


def unpack(data: bytes) -> Any:
    """The value again."""
    return json.loads(data[1:]) if data.startswith(_SLOW) else orjson.loads(data)


def pack_text(text: str) -> bytes:
    """A text that rows are looked up by."""
    return text.encode("utf-8", "surrogatepass")


def unpack_text(data: bytes) -> str:
    """The text again."""
    return data.decode("utf-8", "surrogatepass")


def has_odd_number(value: Any) -> bool:
    """Whether a value holds a number that orjson would write as `null`."""
    if isinstance(value, str):
        return False
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, Mapping):
        return any(map(has_odd_number, value.values()))
    return isinstance(value, list | tuple) and any(map(has_odd_number, value))


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
