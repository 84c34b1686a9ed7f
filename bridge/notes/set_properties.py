"""Giving a property of a note a value, and taking one away, by the fewest characters (rule 50 of docs/obsidian.md).

Order, comments, quotes and line endings of all other properties are the user's. What cannot be edited for certain is
refused and not rewritten, as in `properties.py`.
"""

import json
from typing import Any, Final

from bridge.errors import InvalidParameters
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.notes.properties import read_yaml_properties, refused, replaced_yaml, with_yaml
from bridge.notes.yaml_places import (
    CannotEdit,
    FrontmatterSpans,
    PropertySpan,
    line_end,
    line_start,
    locate_property,
)
from bridge.vault.text import prevailing_ending

LONGEST_NAME: Final = 500
_ONE_LINE: Final = {"scalar", "null", "empty"}


def set_property(text: str, name: str, value: Any) -> str:
    """The note with a property that has a value; the same text when it has that already.

    Args:
        text: The whole note.
        name: The property. One that is there in other letters (`Status` for `status`) is meant by it.
        value: Text, a number, true or false, a list of these, or None for a property without a value.

    Raises:
        InvalidParameters: It is no such name or value, or the properties are broken or cannot be edited safely.
    """
    wanted = _checked(name, value)
    ending = _ending(text)
    block = find_frontmatter(text)
    if block is None:
        return with_yaml(text, _property(name, wanted, "  ", ending), {name: wanted}, ending)
    yaml = text[block.yaml_start : block.yaml_end]
    before = read_yaml_properties(yaml)
    known = _known(before, name)
    if known in before and repr(before[known]) == repr(wanted):
        return text
    try:
        place = locate_property(yaml, known)
        edited = _set(yaml, place, known, wanted, ending)
    except CannotEdit as error:
        raise refused(str(error)) from None
    return replaced_yaml(text, block, edited, {**before, known: wanted})


def remove_property(text: str, name: str) -> str:
    """The note without a property; the same text when it does not have it. Raises what `set_property` raises."""
    block = find_frontmatter(text)
    if block is None:
        return text
    yaml = text[block.yaml_start : block.yaml_end]
    before = read_yaml_properties(yaml)
    known = _known(before, name)
    if known not in before:
        return text
    try:
        place = locate_property(yaml, known)
        start, end = _lines(yaml, place)
    except CannotEdit as error:
        raise refused(str(error)) from None
    left = {key: value for key, value in before.items() if key != known}
    return replaced_yaml(text, block, yaml[:start] + yaml[end:], left)


def _known(properties: dict[str, Any], name: str) -> str:
    """A property's name as it is spelled in the note."""
    if name in properties:
        return name
    return next((each for each in properties if each.lower() == name.lower()), name)


def _checked(name: str, value: Any) -> Any:
    """A value as the note will have it."""
    if not name or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidParameters(f"{name[:LONGEST_NAME]!r} cannot be a property's name")
    items = value if isinstance(value, list) else [value]
    if not all(item is None or isinstance(item, str | int | float) for item in items):
        raise InvalidParameters(f"The property {name!r} can hold text, numbers, true, false, null, or a list of these")
    return list(value) if isinstance(value, list) else value


def _set(yaml: str, place: FrontmatterSpans, name: str, value: Any, ending: str) -> str:
    found = place.wanted
    if place.flow:
        raise CannotEdit("they are written in braces, as JSON")
    if found is None:
        if yaml[line_start(yaml, place.start) : place.start].strip(" ") or line_start(yaml, place.start) != place.start:
            raise CannotEdit("they do not begin at the beginning of a line")
        gap = "" if not yaml or yaml.endswith("\n") else ending
        return f"{yaml}{gap}{_property(name, value, place.indent, ending)}"
    if found.form in _ONE_LINE and not isinstance(value, list):
        space = " " if found.start == found.colon_end else ""
        written = "" if value is None else f"{space}{_scalar(value)}"
        start = found.colon_end if value is None else found.start
        return f"{yaml[:start]}{written}{yaml[found.end :]}"
    start, end = _lines(yaml, place)
    return f"{yaml[:start]}{_property(name, value, place.indent, ending)}{yaml[end:]}"


def _lines(yaml: str, place: FrontmatterSpans) -> tuple[int, int]:
    """Where the lines of the property begin and end."""
    found = place.wanted
    if found is None or place.flow:
        raise CannotEdit("they are written in braces, as JSON")
    start = line_start(yaml, found.colon_end - 1)
    if yaml[start : start + 1].isspace():
        raise CannotEdit("they do not begin at the beginning of a line")
    return start, line_end(yaml, _last(found))


def _last(found: PropertySpan) -> int:
    """A place in the last line of a property's value."""
    if found.form == "block":
        if not all(item.plain for item in found.items):
            raise CannotEdit("an item of its list goes over several lines, or is no plain text")
        return found.items[-1].end if found.items else found.colon_end
    return found.end - 1 if found.form == "flow" else found.end


def _property(name: str, value: Any, indent: str, ending: str) -> str:
    """A property as lines of its own."""
    key = name if read_properties(f"{name}: 1\n") == {name: 1} else json.dumps(name, ensure_ascii=False)
    if isinstance(value, list):
        if not value:
            return f"{key}: []{ending}"
        return f"{key}:{ending}" + "".join(f"{indent}- {_scalar(item)}{ending}" for item in value)
    return f"{key}:{ending}" if value is None else f"{key}: {_scalar(value)}{ending}"


def _scalar(value: Any) -> str:
    """A value as YAML; in quotes where it would else be read as something other."""
    if not isinstance(value, str):
        return json.dumps(value)
    plain = (
        "\n" not in value and value and read_properties(f"a: {value}\nb:\n  - {value}\n") == {"a": value, "b": [value]}
    )
    return value if plain else json.dumps(value, ensure_ascii=False)


def _ending(text: str) -> str:
    """The line ending that prevails in a note."""
    head = text[:100_000].encode("utf-8", "surrogatepass")
    return (prevailing_ending(head, 0, len(head)) or b"\n").decode()
