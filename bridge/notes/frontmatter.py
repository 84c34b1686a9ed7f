"""The properties at the top of a note: where they stand, what they hold, which names and tags they give the note.

Rules 46 to 57 of docs/obsidian.md.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bridge.notes.note import ParsedNote
from bridge.notes.syntax import is_tag
from bridge.notes.yaml_text import BrokenYaml, read_yaml

_FENCE = "---"
_TOP_KEY = re.compile(r"^(?![\s#\-\[\]{}\"'|>&*!%@`?])[^:\n]++:(?=\s|\Z)", re.MULTILINE)


class FrontmatterBlock(NamedTuple):
    """The location of the properties.

    Attributes:
        start: The first fence.
        yaml_start: The first character between the fences.
        yaml_end: The last fence.
        end: One past the last fence.
    """

    start: int
    yaml_start: int
    yaml_end: int
    end: int


def find_frontmatter(text: str) -> FrontmatterBlock | None:
    """Return the block between `---` in the first line and the next `---` (rule 46), if there is one.

    Args:
        text: The note. A byte order mark may come first.
    """
    start = 1 if text.startswith("\ufeff") else 0
    if not text.startswith(_FENCE, start):
        return None
    line_end = text.find("\n", start)
    if line_end < 0 or text[start + len(_FENCE) : line_end].strip(" \t\r"):
        return None
    at = line_end
    while at >= 0:
        if text.startswith(_FENCE, at + 1):
            after = text.find("\n", at + 1)
            if not text[at + 1 + len(_FENCE) : after if after >= 0 else None].strip(" \t\r"):
                return FrontmatterBlock(start, line_end + 1, at + 1, at + 1 + len(_FENCE))
        at = text.find("\n---", at + 1)
    return None


def read_properties(yaml_text: str) -> dict[str, Any] | None:
    """Return the properties between the fences, in order; None if they are no mapping, or broken (rule 49).

    A duplicate name makes them broken, as in the app.

    Args:
        yaml_text: YAML, or a JSON object (rule 46).
    """
    try:
        properties = read_yaml(yaml_text)
    except BrokenYaml:
        return None
    if not isinstance(properties, dict):
        return None
    if not yaml_text.lstrip().startswith("{") and len(_TOP_KEY.findall(yaml_text)) > len(properties):
        return None
    return properties


def aliases(properties: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the other names a note gives itself: one string or a list of them (rules 52 to 54).

    Args:
        properties: What `read_properties` returned.
    """
    return tuple(alias for value in _values(properties, "aliases") if (alias := value.strip()))


def property_tags(properties: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the tags among the properties, each with `#` (rules 52 to 55). What cannot be a tag is none: `tags: a, b`.

    Args:
        properties: What `read_properties` returned.
    """
    names = (value.strip().removeprefix("#") for value in _values(properties, "tags"))
    return tuple(f"#{name}" for name in names if is_tag(name))


def all_tags(note: ParsedNote) -> tuple[str, ...]:
    """Return every tag of a note with `#`, those of the properties first, duplicates kept (rule 57).

    Args:
        note: The parsed note.
    """
    return (*property_tags(note.frontmatter), *(tag.tag for tag in note.tags))


def _values(properties: Mapping[str, Any] | None, name: str) -> Iterator[str]:
    """Yield a property's strings. Its name may be written in any case (rule 54); the usual spelling wins."""
    if not properties:
        return
    value = properties.get(name)
    if value is None:
        value = next((each for key, each in properties.items() if key.lower() == name), None)
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each
        elif isinstance(each, int | float) and not isinstance(each, bool):
            yield str(each)
