"""Editing a note's properties by the fewest characters (rules 50, 53 and 54 of docs/obsidian.md).

Order, comments, quotes and line endings are the user's. A tag that is added comes last in the list, written as the list
is. A tag that is removed takes its line, or its place between the commas, with it; the property itself stays, without a
value, also when it held nothing else. What is broken, or written in a way that is not understood for certain, is
refused and not rewritten (rule 49).

A note can get the properties of another one: those that it lacks as the other has them. Its lists gain what they lack;
where both notes have another value, the first keeps its own.
"""

import json
import re
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final, NamedTuple

from bridge.errors import InvalidParameters
from bridge.notes import yaml_places
from bridge.notes.frontmatter import FrontmatterBlock, fenced, find_frontmatter, read_any_properties, read_properties
from bridge.notes.syntax import is_tag
from bridge.notes.yaml_places import CannotEdit, FrontmatterSpans, ItemSpan, PropertySpan, line_end, line_start
from bridge.vault.paths import fold
from bridge.vault.text import prevailing_ending

TAGS = "tags"

_SPACE = " \t"
_NOT_WORDS = frozenset({"yes", "no", "on", "off", "y", "n"})
"""Words that older readers of YAML take for true or false."""


def check_tag(tag: str) -> str:
    """Return a tag's name, without `#`.

    Args:
        tag: With or without `#`.

    Raises:
        InvalidParameters: No tag can have this name (rules 61 and 62).
    """
    name = tag.strip().removeprefix("#")
    if not is_tag(name):
        raise InvalidParameters(
            f"{tag!r} cannot be a tag: letters, digits, '_', '-' and '/' are allowed, no spaces, and not digits alone"
        )
    return name


def add_tag(text: str, tag: str) -> str:
    """Return the note with one more tag in its properties; the same text when they have it.

    Args:
        text: The whole note.
        tag: The tag, without `#`.

    Raises:
        InvalidParameters: The properties are broken or cannot be edited safely.
    """
    block, yaml, before = _parted(text)
    ending = _ending(text)
    if block is None:
        return _with_yaml(text, f"{TAGS}:{ending}  - {_written(tag)}{ending}", {TAGS: [tag]}, ending)
    name, values = _tag_values(before)
    if fold(tag) in map(_folded, values):
        return text
    after = {**before, name: [*values, tag]}
    return _edited(text, block, TAGS, lambda place: (_added(yaml, place, tag, values, ending), after))


def remove_tag(text: str, *tags: str) -> str:
    """Return the note without some tags in its properties; the same text if they have none. Nested tags are others.

    Args:
        text: The whole note.
        tags: The tags, without `#`.

    Raises:
        InvalidParameters: The properties are broken or cannot be edited safely.
    """
    block, yaml, before = _parted(text)
    name, values = _tag_values(before)
    names = set(map(fold, tags))
    gone = [index for index, value in enumerate(values) if _folded(value) in names]
    if block is None or not gone:
        return text
    left = [value for value in values if _folded(value) not in names]

    def removed(place: FrontmatterSpans) -> tuple[str, dict[str, Any]]:
        found = place.wanted
        if found is None or len(found.items) != len(values):
            raise CannotEdit("its items cannot be told apart")
        emptied = place.flow or found.form == "flow"
        return _removed(yaml, found, gone, flow=place.flow), {**before, name: left or ([] if emptied else None)}

    return _edited(text, block, TAGS, removed)


# -- reading ----------------------------------------------------------------------------------------------------------


def _parted(text: str) -> tuple[FrontmatterBlock | None, str, dict[str, Any]]:
    """Return where a note's properties stand, None if it has none; their YAML; and what they are.

    Raises:
        InvalidParameters: They are broken.
    """
    block = find_frontmatter(text)
    yaml = text[block.yaml_start : block.yaml_end] if block else ""
    return block, yaml, read_yaml_properties(yaml)


def read_yaml_properties(yaml: str) -> dict[str, Any]:
    """Return the properties as they are.

    Args:
        yaml: What stands between the fences.

    Raises:
        InvalidParameters: It is broken.
    """
    properties = read_any_properties(yaml)
    if properties is None:
        raise refused("the YAML of the properties is broken")
    return properties


def _tag_values(properties: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return the name of the property that holds the tags, as spelled, and its values."""
    name = known_name(properties, TAGS)
    value = properties.get(name)
    if value is None or value == "":
        return name, []
    if isinstance(value, list):
        return name, value
    if not isinstance(value, str) or not is_tag(value.strip().removeprefix("#")):
        raise refused(
            f"{name!r} holds {str(value)[:100]!r}, which Obsidian reads as no tag; make it a list of tags first"
        )
    return name, [value]


def _folded(value: Any) -> str | None:
    """Return the tag that an item is, as tags are compared: case does not matter (rule 63), nor does `#` (rule 55)."""
    return fold(str(value).strip().removeprefix("#")) if isinstance(value, str | int | float) else None


# -- adding -----------------------------------------------------------------------------------------------------------


def _with_yaml(text: str, yaml: str, expected: dict[str, Any], ending: str) -> str:
    """Return a note that had no properties, with them.

    Args:
        text: The whole note.
        yaml: What goes between the fences, with a line ending at its end.
        expected: What that says.
        ending: The line ending.

    Raises:
        InvalidParameters: They cannot be put there.
    """
    added = fenced(text, yaml, ending)
    block = find_frontmatter(added)
    if block is None or repr(read_properties(added[block.yaml_start : block.yaml_end])) != repr(expected):
        raise refused("properties cannot be put before its text")
    return added


def _added(yaml: str, place: FrontmatterSpans, tag: str, values: list[Any], ending: str) -> str:
    """Return the YAML with a tag added."""
    found = place.wanted
    if found is None:
        return _with_property(yaml, place, tag, ending)
    if found.form == "block":
        return _after_last_line(yaml, found, tag)
    if found.form == "empty" and not place.flow:
        end = line_end(yaml, found.colon_end)
        indent = yaml[line_start(yaml, place.start) : place.start] + place.indent
        return f"{yaml[:end]}{indent}- {_written(tag)}{ending}{yaml[end:]}"
    quote = '"' if place.flow and not found.items else _quote(found.items)
    if found.form == "flow":
        at, comma = (found.items[-1].end, ", ") if found.items else (found.start + 1, "")
        rest = yaml[at:]
        if not found.items and not yaml[at : found.end - 1].strip(_SPACE):
            rest = yaml[found.end - 1 :]
        return f"{yaml[:at]}{comma}{_written(tag, quote)}{rest}"
    kept = f"{yaml[found.start : found.end]}, " if values else ""
    space = " " if found.form == "empty" else ""
    return f"{yaml[: found.start]}{space}[{kept}{_written(tag, quote)}]{yaml[found.end :]}"


def _with_property(yaml: str, place: FrontmatterSpans, tag: str, ending: str) -> str:
    """Return the YAML with the property added, last, as Obsidian does."""
    if place.flow:
        comma = ", " if place.names else ""
        return f'{yaml[: place.last]}{comma}"{TAGS}": ["{tag}"]{yaml[place.last :]}'
    start = yaml[line_start(yaml, place.start) : place.start]
    if start.strip(" "):
        raise CannotEdit("they do not begin at the beginning of a line")
    return f"{yaml}{start}{TAGS}:{ending}{start}{place.indent}- {_written(tag)}{ending}"


def _after_last_line(yaml: str, found: PropertySpan, tag: str) -> str:
    """Return a list in lines, with one more."""
    last = found.items[-1]
    dash = yaml_places.item_line(yaml, last)
    if dash is None or not last.plain:
        raise CannotEdit("its last item goes over several lines, or is no plain text")
    end = line_end(yaml, last.end)
    ending = "\r\n" if yaml[:end].endswith("\r\n") else "\n"
    return f"{yaml[:end]}{dash[0]}-{dash[1] or ' '}{_written(tag, _quote(found.items))}{ending}{yaml[end:]}"


def _quote(items: tuple[ItemSpan, ...]) -> str:
    """Return the quotes that all items have."""
    quotes = {item.quote for item in items}
    return quotes.pop() if len(quotes) == 1 else ""


def _written(tag: str, quote: str = "") -> str:
    """Return a tag as an item of a list; quoted where YAML would read something else."""
    if not quote and (tag.lower() in _NOT_WORDS or not is_plain_item(tag)):
        quote = '"'
    return f"{quote}{tag}{quote}"


def is_plain_item(text: str) -> bool:
    """Return whether a text is itself as an item of a list, in brackets and in a line of its own, without quotes.

    Args:
        text: The text.
    """
    return read_properties(f"t: [{text}]\nu:\n- {text}\n") == {"t": [text], "u": [text]}


# -- removing ---------------------------------------------------------------------------------------------------------


def _removed(yaml: str, found: PropertySpan, gone: list[int], *, flow: bool) -> str:
    """Return the YAML without some items of the property."""
    if not all(found.items[index].plain for index in gone):
        raise CannotEdit("the tag is written in a way that is not edited")
    if found.form == "scalar":
        before = yaml[: found.start]
        return (f"{before}[]" if flow else before.rstrip(_SPACE)) + yaml[found.end :]
    last_kept = max({*range(len(found.items))} - {*gone}, default=-1)
    for index in reversed(gone):
        item = found.items[index]
        if found.form != "block":
            yaml = _without_item(yaml, found, index, later=index < last_kept)
        elif yaml_places.item_line(yaml, item) is None:
            raise CannotEdit("the tag does not stand in a line of its own")
        else:  # with the comment behind it
            yaml = yaml[: line_start(yaml, item.start)] + yaml[line_end(yaml, item.end) :]
    return yaml


def _without_item(yaml: str, found: PropertySpan, index: int, *, later: bool) -> str:
    """Return a list in brackets without one item and one comma; of later items only those that stay are left."""
    item = found.items[index]
    follows = re.compile(r"\s*,[ \t]*").match(yaml, item.end)
    if follows and (later or index == 0):
        start, end = item.start, follows.end()
    elif index == 0:
        start, end = item.start, item.end
    else:
        before = re.compile(r",[ \t]*\Z").search(yaml, found.items[index - 1].end, item.start)
        start, end = (before.start() if before else item.start), item.end
        if before is None and follows:
            end = follows.end()
    if not yaml[line_start(yaml, start) : start].strip(_SPACE) and not yaml[end : line_end(yaml, end)].strip():
        start, end = line_start(yaml, start), line_end(yaml, end)
    return yaml[:start] + yaml[end:]


# -- checking ---------------------------------------------------------------------------------------------------------


def _edited(
    text: str, block: FrontmatterBlock, name: str, change: Callable[[FrontmatterSpans], tuple[str, dict[str, Any]]]
) -> str:
    """Return the note with other YAML, if that says exactly what it should.

    Args:
        text: The whole note.
        block: Where its properties stand.
        name: The property that is edited.
        change: Returns the new YAML and the properties that it must hold, for the places of the properties.

    Raises:
        InvalidParameters: The properties cannot be edited safely, or would say something else.
    """
    try:
        edited, expected = change(yaml_places.locate_property(text[block.yaml_start : block.yaml_end], name))
    except CannotEdit as error:
        raise refused(str(error)) from None
    new = text[: block.yaml_start] + edited + text[block.yaml_end :]
    found = find_frontmatter(new)
    ends = block.yaml_start + len(edited)
    if found is None or found.yaml_end != ends or repr(read_any_properties(edited)) != repr(expected):
        raise refused("the edit would change more than it should")
    return new


def _ending(text: str) -> str:
    """Return the line ending that prevails in a note."""
    head = text[:100_000].encode("utf-8", "surrogatepass")
    return (prevailing_ending(head, 0, len(head)) or b"\n").decode()


def refused(why: str) -> InvalidParameters:
    """Return the refusal to edit properties."""
    return InvalidParameters(
        f"The note's properties were left as they are: {why}. Edit them by hand, or with apply_patch",
        code="properties",
    )


LONGEST_NAME: Final = 500
_ONE_LINE: Final = {"scalar", "null", "empty"}


def set_property(text: str, name: str, value: Any) -> str:
    """Return the note with a property that has a value; the same text when it has that already.

    Args:
        text: The whole note.
        name: The property. One that is there in other letters (`Status` for `status`) is meant by it.
        value: Text, a number, true or false, a list of these, or None for a property without a value.

    Raises:
        InvalidParameters: It is no such name or value, or the properties are broken or cannot be edited safely.
    """
    wanted = _checked(name, value)
    ending = _ending(text)
    block, yaml, before = _parted(text)
    if block is None:
        return _with_yaml(text, _property(name, wanted, "  ", ending), {name: wanted}, ending)
    known = known_name(before, name)
    if known in before and repr(before[known]) == repr(wanted):
        return text
    after = {**before, known: wanted}
    return _edited(text, block, known, lambda place: (_set(yaml, place, known, wanted, ending), after))


def remove_property(text: str, name: str) -> str:
    """Return the note without a property; the same text when it does not have it. Raises what `set_property` raises."""
    block, yaml, before = _parted(text)
    known = known_name(before, name)
    if block is None or known not in before:
        return text
    left = {key: value for key, value in before.items() if key != known}

    def removed(place: FrontmatterSpans) -> tuple[str, dict[str, Any]]:
        start, end = _lines(yaml, place)
        return yaml[:start] + yaml[end:], left

    return _edited(text, block, known, removed)


def known_name(properties: dict[str, Any], name: str) -> str:
    """Return a property's name as it is spelled in the note.

    Args:
        properties: The note's properties.
        name: The name; case does not matter.
    """
    if name in properties:
        return name
    return next((each for each in properties if each.lower() == name.lower()), name)


def _checked(name: str, value: Any) -> Any:
    """Return a value as the note will have it."""
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
        if line_start(yaml, place.start) != place.start:
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
    """Return where the lines of the property begin and end."""
    found = place.wanted
    if found is None or place.flow:
        raise CannotEdit("they are written in braces, as JSON")
    start = line_start(yaml, found.colon_end - 1)
    if yaml[start : start + 1].isspace():
        raise CannotEdit("they do not begin at the beginning of a line")
    return start, line_end(yaml, _last(found))


def _last(found: PropertySpan) -> int:
    """Return a place in the last line of a property's value."""
    if found.form == "block":
        if not all(item.plain for item in found.items):
            raise CannotEdit("an item of its list goes over several lines, or is no plain text")
        return found.items[-1].end if found.items else found.colon_end
    return found.end - 1 if found.form == "flow" else found.end


def _property(name: str, value: Any, indent: str, ending: str) -> str:
    """Return a property as lines of its own."""
    key = name if read_properties(f"{name}: 1\n") == {name: 1} else json.dumps(name, ensure_ascii=False)
    if isinstance(value, list):
        if not value:
            return f"{key}: []{ending}"
        return f"{key}:{ending}" + "".join(f"{indent}- {_scalar(item)}{ending}" for item in value)
    return f"{key}:{ending}" if value is None else f"{key}: {_scalar(value)}{ending}"


def _scalar(value: Any) -> str:
    """Return a value as YAML; in quotes where it would else be read as something other."""
    if not isinstance(value, str):
        return json.dumps(value)
    plain = (
        "\n" not in value and value and read_properties(f"a: {value}\nb:\n  - {value}\n") == {"a": value, "b": [value]}
    )
    return value if plain else json.dumps(value, ensure_ascii=False)


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
    properties = read_any_properties(yaml)
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
        yield next(each for each in yaml_places.property_lines(yaml) if each.name == name).key
    except CannotEdit as error:
        raise InvalidParameters(f"its properties cannot be edited safely: {error}") from None


_LISTS = frozenset({"tags", "aliases", "cssclasses"})
"""Properties that may be one text instead of a list (rule 53)."""


class MergedProperties(NamedTuple):
    """A note with the properties of another one.

    Attributes:
        text: The note.
        left_out: The names of properties whose value it did not get.
    """

    text: str
    left_out: tuple[str, ...]


def merge_properties(text: str, other: str, ending: str) -> MergedProperties:
    """Add the properties of one note to those of another.

    Args:
        text: The note that gets them.
        other: The note that they are from.
        ending: The line ending of the first note.
    """
    theirs = find_frontmatter(other)
    raw = other[theirs.yaml_start : theirs.yaml_end] if theirs else ""
    wanted = read_any_properties(raw)
    if not wanted:
        return MergedProperties(text, ())
    block = find_frontmatter(text)
    yaml = text[block.yaml_start : block.yaml_end] if block else ""
    had = read_any_properties(yaml)
    if had is None:
        return MergedProperties(text, tuple(wanted))
    merging = _Merging(yaml, had, ending)
    try:
        lines = {each.name: each for each in yaml_places.property_lines(raw)}
    except CannotEdit:
        lines = {}
    for name, value in wanted.items():
        found = lines.get(name)
        merging.take(name, value, raw[found.start : found.end] if found else "")
    if merging.yaml == yaml:
        return MergedProperties(text, tuple(merging.left_out))
    if block is None:
        return MergedProperties(fenced(text, merging.yaml, ending), tuple(merging.left_out))
    merged = text[: block.yaml_start] + merging.yaml + text[block.yaml_end :]
    return MergedProperties(merged, tuple(merging.left_out))


_MOST_READ = 4_000_000
"""Characters that are read again in all while properties are added: half a second. What comes then is left out."""


class _Merging:
    """The properties of a note, while others are added one by one; each is read again before it counts."""

    def __init__(self, yaml: str, properties: dict[str, Any], ending: str) -> None:
        self.yaml = yaml
        self.left_out: list[str] = []
        self._properties = dict(properties)
        self._names = {fold(name): name for name in reversed(properties)}
        self._ending = ending
        self._unread = _MOST_READ

    def take(self, name: str, value: Any, lines: str) -> None:
        """Add one property, or what its list has more; note where that is not possible."""
        mine = self._names.get(fold(name))
        self._unread -= len(self.yaml) + len(lines)
        if self._unread < 0:
            done = False
        elif mine is None:
            done = bool(lines) and self._become(
                _ended(self.yaml, self._ending)
                + _ended(lines.replace("\r\n", "\n").replace("\n", self._ending), self._ending),
                {**self._properties, name: value},
            )
            if done:
                self._names[fold(name)] = name
        else:
            done = self._extend(mine, value)
        if not done:
            self.left_out.append(name)

    def _extend(self, name: str, value: Any) -> bool:
        """Add to a list what it lacks; whether the property then has all of the value."""
        have, more = _items(name, self._properties[name]), _items(name, value)
        if have is None or more is None:
            return repr(self._properties[name]) == repr(value) or value is None
        known = {_key(each) for each in have}
        lacking = [each for each in more if _key(each) not in known]
        if not lacking:
            return True
        try:
            edited = self._with_items(name, have, lacking)
        except CannotEdit:
            return False
        return self._become(edited, {**self._properties, name: [*have, *lacking]})

    def _with_items(self, name: str, have: list[Any], lacking: list[Any]) -> str:
        yaml, place = self.yaml, yaml_places.locate_property(self.yaml, name.lower())
        found = place.wanted
        if found is None or place.flow:
            raise CannotEdit("it is written in braces")
        written = [_written_item(each) for each in lacking]
        if found.form == "block":
            dash = yaml_places.item_line(yaml, found.items[-1])
            if dash is None:
                raise CannotEdit("its last item goes over several lines")
            end = line_end(yaml, found.items[-1].end)
            added = "".join(f"{dash[0]}-{dash[1] or ' '}{each}{self._ending}" for each in written)
            return _ended(yaml[:end], self._ending) + added + yaml[end:]
        if found.form == "flow":
            at = found.items[-1].end if found.items else found.start + 1
            return f"{yaml[:at]}{', ' if found.items else ''}{', '.join(written)}{yaml[at:]}"
        kept = [yaml[found.start : found.end]] if have else []
        space = " " if found.form == "empty" else ""
        return f"{yaml[: found.start]}{space}[{', '.join([*kept, *written])}]{yaml[found.end :]}"

    def _become(self, yaml: str, expected: dict[str, Any]) -> bool:
        """Take this YAML, if it says exactly what it should."""
        if repr(read_properties(yaml)) != repr(expected):
            return False
        self.yaml, self._properties = yaml, expected
        return True


def _items(name: str, value: Any) -> list[Any] | None:
    """Return the items of a list, or of what stands for one; None if it is no list."""
    if isinstance(value, list):
        return value
    if name.lower() not in _LISTS:
        return None
    if value is None or value == "":
        return []
    return [value] if isinstance(value, str) else None


def _key(item: Any) -> Any:
    """Return what makes two items of a list the same."""
    return fold(item) if isinstance(item, str) else item if isinstance(item, Hashable) else repr(item)


def _written_item(value: Any) -> str:
    """Return an item of a list, quoted where YAML would read something else."""
    plain = isinstance(value, str) and is_plain_item(value)
    return str(value) if plain else json.dumps(value, ensure_ascii=False, default=str)


def _ended(text: str, ending: str) -> str:
    return text if not text or text.endswith("\n") else text + ending
