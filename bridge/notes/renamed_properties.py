"""A property gets another name in one note; its value, its place and its comments stay.

Rules 50 and 54 of docs/obsidian.md.
"""

import json
import re
from collections.abc import Iterator

from bridge.errors import InvalidParameters
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.notes.yaml_places import CannotEdit, property_lines
from bridge.vault.paths import fold


def rename_property(text: str, old: str, new: str) -> str:
    """Return the note with another name for a property; the same text when it does not have it.

    Args:
        text: The whole note.
        old: The property's name; case does not matter.
        new: Its new name.

    Raises:
        InvalidParameters: The note has both, or its properties cannot be edited safely.
    """
    block = find_frontmatter(text)
    yaml = text[block.yaml_start : block.yaml_end] if block else ""
    properties = read_properties(yaml) if yaml.strip() else None
    names = [name for name in properties or {} if fold(name) == fold(old)]
    if block is None or properties is None or not names or names == [new]:
        return text
    if len(names) > 1 or any(fold(name) == fold(new) != fold(old) for name in properties):
        raise InvalidParameters(f"it has the property {new!r} already")
    expected = repr({new if name == names[0] else name: value for name, value in properties.items()})
    for start, end in _places(yaml, names[0]):
        for written in (new, json.dumps(new, ensure_ascii=False)):
            edited = yaml[:start] + written + yaml[end:]
            if repr(read_properties(edited)) == expected:
                return text[: block.yaml_start] + edited + text[block.yaml_end :]
    raise InvalidParameters("its name is written in a way that is not edited")


def _places(yaml: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the possible positions of a property's name: the usual one, and then the one from the whole YAML.

    Raises:
        InvalidParameters: The properties cannot be edited safely.
    """
    found = list(re.finditer(rf"^{re.escape(name)}(?=[ \t]*:\s)", yaml, re.MULTILINE))
    if len(found) == 1:
        yield found[0].span()
    try:
        yield next(each for each in property_lines(yaml) if each.name == name).key
    except CannotEdit as error:
        raise InvalidParameters(f"its properties cannot be edited safely: {error}") from None
