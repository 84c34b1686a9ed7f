"""Links in a canvas: the files of its nodes, and the links in its text cards (rules 58 and 94 of docs/obsidian.md).

The JSON is walked token by token, so that every value is known by its place in the text: whoever changes a link
rewrites those characters and no others.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

import orjson

from bridge.json_values import TooManyValues, load
from bridge.notes.canvas_json import string_value, tokens
from bridge.notes.markdown import parse_note
from bridge.notes.note import Link
from bridge.notes.syntax import default_display
from bridge.notes.work import STEPS_OF_A_FIND, TooMuchWork, Work

FILE_KEY = "file"
"""The `key` of a link that is a node's file."""

TEXT_KEY = "text"
"""The `key` of a link in a text card."""

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
    return Link(*file, path, link, default_display(link), key=FILE_KEY, kind="node")


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
        yield link._replace(start=place(link.start), end=place(link.end), key=TEXT_KEY)


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
