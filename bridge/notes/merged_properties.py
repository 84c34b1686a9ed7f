"""The properties of two notes in one: those that one lacks are added to it as the other has them.

Order, comments, quotes and line endings stay (rule 50 of docs/obsidian.md). Lists gain what they lack; where both notes
have another value, the first keeps its own.
"""

import json
from typing import Any, NamedTuple

from bridge.notes.frontmatter import fenced, find_frontmatter, read_properties
from bridge.notes.properties import is_plain_item
from bridge.notes.yaml_places import CannotEdit, item_line, line_end, locate_property, property_lines
from bridge.vault.paths import fold

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
    wanted = read_properties(raw) if raw.strip() else None
    if not wanted:
        return MergedProperties(text, ())
    block = find_frontmatter(text)
    yaml = text[block.yaml_start : block.yaml_end] if block else ""
    had = read_properties(yaml) if yaml.strip() else {}
    if had is None:
        return MergedProperties(text, tuple(wanted))
    merging = _Merging(yaml, had, ending)
    try:
        lines = {each.name: each for each in property_lines(raw)}
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


class _Merging:
    """The properties of a note, while others are added one by one; each is read again before it counts."""

    def __init__(self, yaml: str, properties: dict[str, Any], ending: str) -> None:
        self.yaml = yaml
        self.left_out: list[str] = []
        self._properties = dict(properties)
        self._ending = ending

    def take(self, name: str, value: Any, lines: str) -> None:
        """Add one property, or what its list has more; note where that is not possible."""
        mine = next((each for each in self._properties if fold(each) == fold(name)), None)
        if mine is None:
            done = bool(lines) and self._become(
                _ended(self.yaml, self._ending)
                + _ended(lines.replace("\r\n", "\n").replace("\n", self._ending), self._ending),
                {**self._properties, name: value},
            )
        else:
            done = self._extend(mine, value)
        if not done:
            self.left_out.append(name)

    def _extend(self, name: str, value: Any) -> bool:
        """Add to a list what it lacks; whether the property then has all of the value."""
        have, more = _items(name, self._properties[name]), _items(name, value)
        if have is None or more is None:
            return repr(self._properties[name]) == repr(value) or value is None
        known = [fold(each) if isinstance(each, str) else each for each in have]
        lacking = [each for each in more if (fold(each) if isinstance(each, str) else each) not in known]
        if not lacking:
            return True
        try:
            edited = self._with_items(name, have, lacking)
        except CannotEdit:
            return False
        return self._become(edited, {**self._properties, name: [*have, *lacking]})

    def _with_items(self, name: str, have: list[Any], lacking: list[Any]) -> str:
        yaml, place = self.yaml, locate_property(self.yaml, name.lower())
        found = place.wanted
        if found is None or place.flow:
            raise CannotEdit("it is written in braces")
        written = [_written(each) for each in lacking]
        if found.form == "block":
            dash = item_line(yaml, found.items[-1])
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


def _written(value: Any) -> str:
    """Return an item of a list, quoted where YAML would read something else."""
    plain = isinstance(value, str) and is_plain_item(value)
    return str(value) if plain else json.dumps(value, ensure_ascii=False, default=str)


def _ended(text: str, ending: str) -> str:
    return text if not text or text.endswith("\n") else text + ending
