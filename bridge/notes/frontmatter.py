"""The properties at the top of a note: their place, their values, and the names and tags that they give the note.

Rules 46 to 57 of docs/obsidian.md. The YAML is a stranger's: it is read as YAML 1.2, bounded in time, memory and depth.
The reader is native code: nesting too deep would overflow the thread's stack and end the process, and aliases that
multiply would eat all memory. Both are measured in the text before it is read.
"""

import re
from collections.abc import Iterator, Mapping
from math import isfinite, isnan
from typing import Any, NamedTuple

from yaml12 import Yaml, parse_yaml

from bridge.notes.note import ParsedNote
from bridge.notes.syntax import is_tag

MAX_LENGTH = 256 * 1024
"""Characters that are read at most; more would hold every other thread for longer than 10 ms."""

MAX_DEPTH = 100
"""Nesting that is read at most. A thread's stack of 512 KiB overflows at about 500 levels."""

MAX_EXPANSION = 2_000_000
"""Characters that a text may stand for when its aliases are written out."""

_WIDE_PREFIX = re.compile(r"^[ \t?:-]{48}", re.MULTILINE)
_PREFIX = re.compile(r"^[ \t?:-]*", re.MULTILINE)
_ANCHOR = re.compile(r"(?:^|(?<=[\s\[\]{},:?-]))&[^\s\[\]{},]", re.MULTILINE)
_ALIAS = re.compile(r"\*[^\s\[\]{},]")
_TABBED_KEY = re.compile(
    r"""[ ]*+(?>-[ ]++)*+(?:"(?>[^"\\\n]|\\.)*+"|'[^'\n]*+'|[^\s"'\[\]{},#&*!|>%@`:][^:\n]*+):([ \t]*\t[ \t]*)"""
)
"""A line's key with white space behind its colon that a tab is in."""
_BLOCK_SCALAR = re.compile(r"(?:^|[\s:-])[|>][-+0-9]{0,2}[ \t]*(?:[ \t]#.*)?$")
_PAIR = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


class BrokenYaml(ValueError):
    """The text is no YAML, or more than is read."""


def read_yaml(text: str) -> Any:
    """Return the first document of a text, as JSON values: mappings with string keys, lists and plain values.

    Dates stay strings (rule 47). A key that is no string becomes one; a tag of YAML's (`!x`) is dropped; numbers that
    JSON does not have (`.nan`, `.inf`) become the strings that YAML writes. Bytes that were no UTF-8 become U+FFFD.

    Args:
        text: The YAML.

    Raises:
        BrokenYaml: It is no YAML, or too long, too deep, or its aliases stand for too much.
    """
    if len(text) > MAX_LENGTH:
        raise BrokenYaml("the YAML is too long")
    _check_depth(text)
    if "&" in text and "*" in text:
        _check_aliases(text)
    try:
        return _plain(_read(text), MAX_DEPTH)
    except ValueError as error:  # UnicodeEncodeError is one too
        raise BrokenYaml(str(error)) from None


def _read(text: str) -> Any:
    try:
        return parse_yaml(text)
    except UnicodeEncodeError:
        return _read(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    except ValueError:
        # JSON written by other programs spells a character beyond U+FFFF as two escapes.
        other = with_spaces_for_tabs(_PAIR.sub(_joined_pair, text))
        if other == text:
            raise
        return parse_yaml(other)


def with_spaces_for_tabs(text: str) -> str:
    """Return the same YAML, as long as before, where each tab between a key and its value is a space (rule 47).

    YAML allows the tabs, but the readers of it do not. Those in a value that goes over several lines stay.

    Args:
        text: The YAML.
    """
    if "\t" not in text:
        return text
    lines, within = text.splitlines(keepends=True), -1
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if within >= 0 and (indent > within or not line.strip()):
            continue
        key = _TABBED_KEY.match(line)
        if key is not None:
            lines[number] = line[: key.start(1)] + " " * len(key[1]) + line[key.end(1) :]
        within = indent if _BLOCK_SCALAR.search(line) else -1
    return "".join(lines)


def _joined_pair(pair: re.Match[str]) -> str:
    return f"\\U{0x10000 + ((int(pair[1], 16) - 0xD800) << 10) + int(pair[2], 16) - 0xDC00:08x}"


def _check_depth(text: str) -> None:
    """Check nesting by indentation, or by several marks in one line (`- - - x`); the reader bounds brackets."""
    if not _WIDE_PREFIX.search(text):
        return  # so few columns cannot nest deeper than twice their number
    columns: list[int] = []
    for line in _PREFIX.finditer(text):
        prefix = line[0]
        column = len(prefix) - len(prefix.lstrip(" \t"))
        while columns and columns[-1] >= column:
            columns.pop()
        columns.append(column)
        if len(columns) + sum(map(prefix.count, "-?:")) > MAX_DEPTH:
            raise BrokenYaml("the YAML is nested too deeply")


def _check_aliases(text: str) -> None:
    """Check aliases, which multiply within anchors: the most that they can stand for, however arranged."""
    anchors = len(_ANCHOR.findall(text))
    aliases = len(_ALIAS.findall(text))
    if not anchors or not aliases:
        return
    most = max((aliases / levels + 1) ** levels for levels in range(1, min(anchors, 64) + 1))
    if most * len(text) > MAX_EXPANSION:
        raise BrokenYaml("the YAML's aliases stand for too much")


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if depth <= 0:
        raise BrokenYaml("the YAML is nested too deeply")
    if kind is float:
        return value if isfinite(value) else ".nan" if isnan(value) else ".inf" if value > 0 else "-.inf"
    if kind is list:
        return [_plain(each, depth - 1) for each in value]
    if kind is dict:
        return {key if type(key) is str else _key(key): _plain(each, depth - 1) for key, each in value.items()}
    if isinstance(value, Yaml):
        return _plain(value.value, depth - 1)
    raise BrokenYaml(f"the YAML holds a {kind.__name__}")


def _key(key: Any) -> str:
    """Return a non-string key as the app's YAML library spells it: `{{title}}` becomes `{ title }` (rule 48)."""
    plain = _plain(key, MAX_DEPTH)
    return "" if plain is None else _flow(plain)


def _flow(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return f"[ {', '.join(map(_flow, value))} ]" if value else "[]"
    if isinstance(value, Mapping):
        pairs = (key if each is None else f"{key}: {_flow(each)}" for key, each in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    return str(value)


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


def fenced(text: str, yaml: str, ending: str) -> str:
    """Return a note that had no properties, with some.

    Args:
        text: The note.
        yaml: What goes between the fences, with a line ending at its end.
        ending: The line ending.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return f"{mark}{_FENCE}{ending}{yaml}{_FENCE}{ending}{text[len(mark) :]}"


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
    plain = isinstance(properties, dict)
    twice = plain and not yaml_text.lstrip().startswith("{") and len(_TOP_KEY.findall(yaml_text)) > len(properties)
    return properties if plain and not twice else None


def read_any_properties(yaml_text: str) -> dict[str, Any] | None:
    """Return the properties as `read_properties` does, and none of them where only blank lines and comments stand.

    Args:
        yaml_text: YAML, or a JSON object.
    """
    blank = all(not line.strip() or line.lstrip().startswith("#") for line in yaml_text.splitlines())
    return {} if blank else read_properties(yaml_text)


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
