"""Where the values of a canvas stand in its JSON, so that a change touches those characters and no others."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from bridge.errors import InvalidParameters

TOKEN = re.compile(r'"((?>[^"\\]++|\\.)*+)"(\s*+:)?|[{}\[\]]|[^\s{}\[\],:"]++')
"""A token of JSON: group 1 is what stands between quotes, and group 2 is there after the name of a member."""


class Member(NamedTuple):
    """A member of an object, or an item of a list, which has no name.

    Attributes:
        name: The name that it has.
        key: Where it begins, with its name.
        start: Where its value begins.
        end: Where its value ends.
    """

    name: str
    key: int
    start: int
    end: int


def loaded(text: str) -> dict[str, Any]:
    """Return what a canvas holds; nothing for one that is blank, as Obsidian leaves new ones.

    Args:
        text: The canvas file.

    Raises:
        InvalidParameters: It is no JSON object, or nested too deeply.
    """
    bare = text.removeprefix("\ufeff")
    if not bare.strip():
        return {}
    try:
        value = orjson.loads(bare.encode("utf-8", "surrogateescape"))
    except orjson.JSONDecodeError as error:
        raise InvalidParameters(
            f"The canvas is damaged: it is no JSON ({error}). Mend its text, or restore an earlier version, first"
        ) from None
    if not isinstance(value, dict):
        raise InvalidParameters("The canvas is damaged: its JSON is no object with 'nodes' and 'edges'")
    return value


def string_value(raw: str) -> str:
    """Return what a JSON string stands for, given what is between its quotes."""
    return str(json.loads(f'"{raw}"')) if "\\" in raw else raw


def as_json(value: Any) -> str:
    """Return a value as Obsidian writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parts(text: str, start: int) -> tuple[list[Member], int]:
    """Find the members of an object, or the items of a list, and where it ends.

    Args:
        text: Valid JSON.
        start: Where the object or the list begins.
    """
    found = []
    depth, name, key, value = 0, "", -1, start
    for token in TOKEN.finditer(text, start):
        mark = text[token.start()]
        if mark in "{[":
            if depth == 1:
                value = token.start()
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth == 1:
                found.append(Member(name, value if key < 0 else key, value, token.end()))
                key = -1
            if depth == 0:
                return found, token.end()
        elif depth == 1 and token[2]:
            name, key = string_value(token[1]), token.start()
        elif depth == 1:
            found.append(Member(name, token.start() if key < 0 else key, token.start(), token.end()))
            key = -1
    raise ValueError("the JSON does not end")


class Style(NamedTuple):
    """What stands between the parts of an object or a list.

    Attributes:
        lead: Before the first one.
        between: From one to the next, with the comma.
        tail: After the last one.
        colon: From a member's name to its value, with the colon.
    """

    lead: str = ""
    between: str = ","
    tail: str = ""
    colon: str = ":"


LINES = Style("\n\t\t", ",\n\t\t", "\n\t")
"""How Obsidian writes the lists of a canvas: one item a line, each as short as can be."""


def style_of(text: str, start: int) -> Style | None:
    """Return how an object or a list is written; None for an empty one.

    Args:
        text: Valid JSON.
        start: Where it begins.
    """
    inner, end = parts(text, start)
    if not inner:
        return None
    lead = text[start + 1 : inner[0].key]
    between = text[inner[-2].end : inner[-1].key] if inner[1:] else f",{lead}"
    key = TOKEN.match(text, inner[0].key) if inner[0].key < inner[0].start else None
    colon = ":" + text[key.end() : inner[0].start] if key else ":"
    return Style(lead, between, text[inner[-1].end : end - 1], colon)


def new_object(members: dict[str, Any], style: Style) -> str:
    """Write an object as others beside it are written."""
    written = style.between.join(f"{as_json(name)}{style.colon}{as_json(value)}" for name, value in members.items())
    return f"{{{style.lead}{written}{style.tail}}}"


def with_member(text: str, name: str, value: Any) -> str:
    """Set a member of an object, or take it out, and leave all else as it is.

    Args:
        text: The object.
        name: The member's name.
        value: Its value; None takes it out.

    Raises:
        InvalidParameters: The object has that name twice.
    """
    inner, end = parts(text, 0)
    at = [number for number, member in enumerate(inner) if member.name == name]
    if at[1:]:
        raise InvalidParameters(f"The canvas is damaged: {name!r} stands twice in {text[:200]}")
    if value is None:
        return without_parts(text, inner, set(at))
    if at:
        member = inner[at[0]]
        return text[: member.start] + as_json(value) + text[member.end :]
    style = style_of(text, 0) or Style()
    written = f"{as_json(name)}{style.colon}{as_json(value)}"
    if not inner:
        return f"{{{written}}}"
    last = inner[-1].end
    return text[:last] + style.between + written + text[last:end] + text[end:]


def without_parts(text: str, inner: Sequence[Member], gone: set[int]) -> str:
    """Take members out of an object, each with one of the commas beside it."""
    kept = [member for number, member in enumerate(inner) if number not in gone]
    if not gone:
        return text
    if not kept:
        return text[:1] + text[-1:]
    pieces = [text[: inner[0].key], text[kept[0].key : kept[0].end]]
    for number, member in enumerate(inner):
        if number not in gone and member is not kept[0]:
            pieces.append(text[inner[number - 1].end : member.end])
    return "".join([*pieces, text[inner[-1].end :]])


def rebuilt(text: str, start: int, entries: Sequence[tuple[int | None, str]], fallback: Style) -> str:
    """Write a list anew from its old items, changed or not, and new ones, with what stood between the old ones.

    Args:
        text: Valid JSON.
        start: Where the list begins.
        entries: The items: the place that each had in the list, None for a new one, and its text.
        fallback: How a list that was empty is written.
    """
    inner, end = parts(text, start)
    if not entries:
        return text[start:end] if not inner else "[]"
    style = style_of(text, start) or fallback
    return f"[{style.lead}{''.join(_separated(text, inner, entries, style))}{style.tail}]"


def _separated(
    text: str, inner: Sequence[Member], entries: Sequence[tuple[int | None, str]], style: Style
) -> Iterator[str]:
    for number, (old, written) in enumerate(entries):
        if number:
            yield text[inner[old - 1].end : inner[old].start] if old else style.between
        yield written
