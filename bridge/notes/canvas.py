"""Canvases as JSON: their links (rules 58 and 94 of docs/obsidian.md), and edits that keep all other characters.

The JSON is read token by token, so every value is known by its place in the text, and a change touches those
characters and no others.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from bridge.errors import InvalidParameters
from bridge.json_values import TooManyValues, load
from bridge.notes.markdown import parse_note
from bridge.notes.note import STEPS_OF_A_FIND, Link, TooMuchWork, Work
from bridge.notes.syntax import default_display

_SOLID: Final = re.compile(r"\S")
_MARK: Final = re.compile(r"[^\s,:]")
_BARE: Final = re.compile(r'[^\s{}\[\],:"]++')
_AT_ONCE: Final = 1 << 16
"""Characters that one search looks at; more would hold up other threads."""


class Token(NamedTuple):
    """A token of JSON.

    Attributes:
        mark: Its first character.
        start: Its beginning; of a string, its first quote.
        end: Its end; of a string, behind its last quote.
        names: Whether it is the name of a member.
    """

    mark: str
    start: int
    end: int
    names: bool = False


def tokens(text: str, start: int = 0) -> Iterator[Token]:
    """Yield the tokens of JSON. No step holds up other threads, however long a string is.

    Args:
        text: The JSON.
        start: Where to begin.
    """
    while (begin := _place(_MARK, text, start)) >= 0:
        mark, names = text[begin], False
        if mark == '"':
            start = _after_string(text, begin + 1)
            if not start:
                return
            names = text.startswith(":", start) or text.startswith(":", _place(_SOLID, text, start))
        else:
            start = begin + 1 if mark in "{}[]" else _after_bare(text, begin)
        yield Token(mark, begin, start, names)


def _place(wanted: re.Pattern[str], text: str, start: int) -> int:
    """Return the place of the next character of a kind; -1 where there is none."""
    for at in range(start, len(text), _AT_ONCE):
        if (found := wanted.search(text, at, at + _AT_ONCE)) is not None:
            return found.start()
    return -1


def _after_bare(text: str, start: int) -> int:
    """Return the place behind a value without quotes."""
    while (found := _BARE.match(text, start, start + _AT_ONCE)) is not None:
        start = found.end()
    return start


def _after_string(text: str, start: int) -> int:
    """Return the place behind the quote that ends a string; 0 where none does."""
    while (end := text.find('"', start)) >= 0:
        before = end
        while before > start and text[before - 1] == "\\":
            before -= 1
        if (end - before) % 2 == 0:
            break
        start = end + 1
    return end + 1


class JsonMember(NamedTuple):
    """A member of an object, or an item of a list, which has no name.

    Attributes:
        name: The name that it has.
        key: Its beginning, with its name.
        start: The beginning of its value.
        end: The end of its value.
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
        value = load(bare.encode("utf-8", "surrogateescape"))
    except ValueError as error:
        raise InvalidParameters(
            f"The canvas is damaged: it is not JSON ({error}). Mend its text, or restore an earlier version, first"
        ) from None
    if not isinstance(value, dict):
        raise InvalidParameters("The canvas is damaged: its JSON is not an object with 'nodes' and 'edges'")
    return value


def string_value(raw: str) -> str:
    """Return what a JSON string stands for, given what is between its quotes."""
    return str(json.loads(f'"{raw}"')) if "\\" in raw else raw


def as_json(value: Any) -> str:
    """Return a value as Obsidian writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parts(text: str, start: int) -> tuple[list[JsonMember], int]:
    """Find the members of an object, or the items of a list, and where it ends.

    Args:
        text: Valid JSON.
        start: The beginning of the object or the list.
    """
    found = []
    depth, name, key, value = 0, "", -1, start
    for token in tokens(text, start):
        if token.mark in "{[":
            if depth == 1:
                value = token.start
            depth += 1
        elif token.mark in "}]":
            depth -= 1
            if depth == 1:
                found.append(JsonMember(name, value if key < 0 else key, value, token.end))
                key = -1
            if depth == 0:
                return found, token.end
        elif depth == 1 and token.names:
            name, key = string_value(text[token.start + 1 : token.end - 1]), token.start
        elif depth == 1:
            found.append(JsonMember(name, token.start if key < 0 else key, token.start, token.end))
            key = -1
    raise ValueError("the JSON does not end")


class Style(NamedTuple):
    """The text between the parts of an object or a list.

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
"""The style in which Obsidian writes the lists of a canvas: one item a line, each as short as can be."""


def style_of(text: str, start: int) -> Style | None:
    """Return how an object or a list is written; None for an empty one.

    Args:
        text: Valid JSON.
        start: Its beginning.
    """
    inner, end = parts(text, start)
    if not inner:
        return None
    lead = text[start + 1 : inner[0].key]
    between = text[inner[-2].end : inner[-1].key] if inner[1:] else f",{lead}"
    key = next(tokens(text, inner[0].key)) if inner[0].key < inner[0].start else None
    colon = ":" + text[key.end : inner[0].start].partition(":")[2] if key else ":"
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
    inner, _end = parts(text, 0)
    at = [number for number, member in enumerate(inner) if member.name == name]
    if at[1:]:
        raise InvalidParameters(f"The canvas is damaged: {name!r} stands twice in {text[:200]}")
    if value is None:
        return _without_part(text, inner, at[0]) if at else text
    if at:
        member = inner[at[0]]
        return text[: member.start] + as_json(value) + text[member.end :]
    style = style_of(text, 0) or Style()
    written = f"{as_json(name)}{style.colon}{as_json(value)}"
    if not inner:
        return f"{{{written}}}"
    last = inner[-1].end
    return text[:last] + style.between + written + text[last:]


def _without_part(text: str, inner: Sequence[JsonMember], number: int) -> str:
    """Take a member out of an object, with one of the commas beside it."""
    if not inner[1:]:
        return text[:1] + text[-1:]
    start, end = (inner[number - 1].end, inner[number].end) if number else (inner[0].key, inner[1].key)
    return text[:start] + text[end:]


def rebuilt(text: str, start: int, entries: Sequence[tuple[int | None, str]], fallback: Style) -> str:
    """Write a list anew from its old items, changed or not, and new ones, with what stood between the old ones.

    Args:
        text: Valid JSON.
        start: The beginning of the list.
        entries: The items: the place that each had in the list, None for a new one, and its text.
        fallback: How a list that was empty is written.
    """
    inner, end = parts(text, start)
    if not entries:
        return text[start:end] if not inner else "[]"
    style = style_of(text, start) or fallback
    pieces = [entries[0][1]]
    for old, written in entries[1:]:
        pieces += text[inner[old - 1].end : inner[old].start] if old else style.between, written
    return f"[{style.lead}{''.join(pieces)}{style.tail}]"


MOST_VALUES = 200_000
"""Values of a canvas in all: some twenty thousand cards. To read more holds up everything else."""

_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")
_WANTED = frozenset({"type", "file", "subpath", "text"})
_NODE_DEPTH = 3

_Span = tuple[int, int]


def parse_canvas(text: str, work: Work | None = None) -> tuple[Link, ...]:
    """Return the links of a canvas, in order of their places; none when it is broken.

    A node's file has `key` `"file"`: `original` is the vault path, `link` the path with the node's subpath, and
    `start` and `end` are what stands between the quotes of that JSON string. A link in a text card has `key` `"text"`:
    `original` is the link as the card reads, `start` and `end` are where it stands in the JSON. In both cases the
    characters between `start` and `end` may hold JSON's escapes.

    Args:
        text: The canvas file, decoded as UTF-8 with `surrogateescape`.
        work: How much work it may be; without it, as much as it is.

    Raises:
        TooMuchWork: It is more work than that.
    """
    most = MOST_VALUES if work is not None else None
    work = work or Work()
    try:
        load(_readable(text.removeprefix("\ufeff")), most)
    except TooManyValues:
        raise TooMuchWork from None
    except orjson.JSONDecodeError:
        return ()
    links: list[Link] = []
    for node in _nodes(text):
        work.spend(STEPS_OF_A_FIND)
        kind = _value(text, node.get("type"))
        if kind == "file" and "file" in node:
            links.append(_file_link(text, node["file"], node.get("subpath")))
        elif kind == "text" and "text" in node:
            links.extend(_card_links(text, node["text"], work))
    return tuple(sorted(links))


def _readable(text: str) -> bytes:
    """Return the text as UTF-8, whatever its bytes were."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").encode()


def node_subpaths(text: str) -> dict[int, tuple[int, int]]:
    """Return where each file node's subpath is in a canvas, between its quotes, by the start of the node's file.

    Args:
        text: The canvas file.
    """
    return {node["file"][0]: node["subpath"] for node in _nodes(text) if "file" in node and "subpath" in node}


def _file_link(text: str, file: _Span, subpath: _Span | None) -> Link:
    path = _value(text, file)
    link = path + _value(text, subpath)
    return Link(*file, path, link, default_display(link), key="file", kind="node")


def _card_links(text: str, card: _Span, work: Work) -> Iterator[Link]:
    value = _value(text, card)
    note = parse_note(value, outline=False, work=work)
    if not note.links and not note.embeds:
        return
    start, end = card
    # Where each escape ends: in the value, and in the text.
    in_value, in_text = [0], [start]
    spared = 0
    for escape in _ESCAPE.finditer(text, start, end):
        spared += len(escape[0]) - 1
        in_text.append(escape.end())
        in_value.append(escape.end() - start - spared)

    def place(index: int) -> int:
        nearest = bisect_right(in_value, index) - 1
        return in_text[nearest] + index - in_value[nearest]

    for link in (*note.links, *note.embeds):
        yield link._replace(start=place(link.start), end=place(link.end), key="text")


def _value(text: str, span: _Span | None) -> str:
    """Return the string at a position in JSON, given between its quotes."""
    return "" if span is None else string_value(text[span[0] : span[1]])


def _nodes(text: str) -> Iterator[dict[str, _Span]]:
    """Yield the wanted members of each object in the list `nodes` of the outermost object: where their strings are."""
    depth = 0
    section = name = ""  # the member that is being read, of the outermost object and of a node
    node: dict[str, _Span] = {}
    for token in tokens(text):
        mark, span = token.mark, (token.start + 1, token.end - 1)
        if mark in "{[":
            depth += 1
            node = {} if depth == _NODE_DEPTH else node
            section = "" if depth == _NODE_DEPTH - 1 and mark == "{" else section  # no list
        elif mark in "}]":
            if depth == _NODE_DEPTH and mark == "}" and section == "nodes":
                yield node
            depth -= 1
        elif token.names:
            if depth == 1:
                section = _value(text, span)
            elif depth == _NODE_DEPTH:
                name = _value(text, span)
                node.pop(name, None)  # of members with one name the last counts
        elif depth == _NODE_DEPTH and mark == '"' and name in _WANTED:
            node[name] = span


class CanvasText:
    """The JSON of a canvas, whose lists of nodes and edges can be written anew.

    Args:
        text: The canvas file, which holds an object or is blank.

    Attributes:
        items: The items of each list, as they are written.

    Raises:
        InvalidParameters: It has one of the lists twice.
    """

    def __init__(self, text: str) -> None:
        bare = text.removeprefix("\ufeff")
        self._text = text if bare.strip() else f"{text[: len(text) - len(bare)]}{{}}{bare}"
        self._start = self._text.index("{")
        self._members, self._end = parts(self._text, self._start)
        self._lists = {name: self._list(name) for name in ("nodes", "edges")}
        self.items = {name: self._items(place) for name, place in self._lists.items()}

    def _list(self, name: str) -> JsonMember | None:
        found = [member for member in self._members if member.name == name]
        if found[1:]:
            raise InvalidParameters(f"The canvas is damaged: it has {name!r} twice")
        return found[0] if found else None

    def _items(self, place: JsonMember | None) -> list[str]:
        return [self._text[item.start : item.end] for item in parts(self._text, place.start)[0]] if place else []

    def style(self, name: str) -> Style:
        """Return the style of the items next to a new one of a list."""
        near = (*self.items[name][-1:], *self.items["edges" if name == "nodes" else "nodes"][-1:])
        return next((style for raw in near if (style := style_of(raw, 0))), Style())

    def with_lists(self, lists: Mapping[str, Sequence[tuple[int | None, str]]]) -> str:
        """Return the whole file with other items in its lists, each as `rebuilt` takes them."""
        text, start = self._text, self._start
        present = sorted(filter(None, self._lists.values()), key=lambda place: place.start)
        plain = self._members and "\n" not in text[start : self._end]
        styles = (style_of(text, place.start) for place in self._lists.values() if place)
        style = next(filter(None, styles), Style() if plain else LINES)
        for place in reversed(present):
            text = text[: place.start] + rebuilt(text, place.start, lists[place.name], style) + text[place.end :]
        missing = [name for name, place in self._lists.items() if not place and (lists[name] or not self._members)]
        if not missing or not any(lists.values()):
            return text
        outer = style_of(text, start) or (Style() if plain else Style("\n\t", ",\n\t", "\n"))
        whole = {name: rebuilt("[]", 0, [(None, raw) for _old, raw in lists[name]], style) for name in missing}
        written = [f"{as_json(name)}{outer.colon}{items}" for name, items in whole.items()]
        inner, end = parts(text, start)
        if not inner:
            return f"{text[:start]}{{{outer.lead}{outer.between.join(written)}{outer.tail}}}{text[end:]}"
        return outer.between.join([text[: inner[-1].end], *written]) + text[inner[-1].end :]
