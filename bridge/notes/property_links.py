"""Links in properties, and where in the note they stand (rule 51 of docs/obsidian.md)."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.notes.frontmatter import FrontmatterBlock
from bridge.notes.inline import InlineItems, scan_inline
from bridge.notes.note import Link
from bridge.notes.work import Work
from bridge.notes.yaml_places import BrokenYaml, compose, is_mapping, is_scalar, is_sequence
from bridge.notes.yaml_text import with_spaces_for_tabs

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node, ScalarNode

_LITERAL = re.compile(r"\[\[(?>[^\n\[\]]|\[(?!\[)|\](?!\]))*+\]\]|\[[^\[\]\n]*+\]\([^()\n]*+\)")
_UNCLOSED = re.compile(r"\[[^\[\]\n]*+$|\([^()\n]*+$", re.MULTILINE)
_NODE_MARK = re.compile(r"(?:[&!]\S*+\s++)+")
"""An anchor or a tag before a value."""


class _Written(NamedTuple):
    """One string among the properties that is a link."""

    key: str
    link: Link


def property_links(text: str, block: FrontmatterBlock, properties: Mapping[str, Any] | None) -> tuple[Link, ...]:
    """Return the links that are values of properties, in order.

    A value is a link when the whole of it is. `start` and `end` are where it is written in the note: `original` stands
    there, unless YAML writes it with escapes or over several lines; then what stands for it does. When it cannot be
    found, both are the same place.

    Args:
        text: The note.
        block: Where its properties stand.
        properties: What they hold.
    """
    yaml_start, yaml_end = block.yaml_start, block.yaml_end
    if not properties or (text.find("[[", yaml_start, yaml_end) < 0 and text.find("](", yaml_start, yaml_end) < 0):
        return ()
    written = list(_links(properties, ""))
    if not written:
        return ()
    spans = _literal_spans(text, block, written)
    if spans is None:
        spans = _marked_spans(text, block)
    placed = []
    for key, link in written:
        start, end = spans.get(key, (yaml_start, yaml_start))
        exact = text.find(link.original, start, end)
        if exact >= 0:
            start, end = exact, exact + len(link.original)
        placed.append(link._replace(start=start, end=end, key=key))
    return tuple(placed)


def _literal_spans(text: str, block: FrontmatterBlock, written: list[_Written]) -> dict[str, tuple[int, int]] | None:
    """Return where links are, if each is in the text literally and only as a value; None when in doubt.

    This spares most notes the slow reader that knows positions.
    """
    yaml = text[block.yaml_start : block.yaml_end]
    if "\\" in yaml or "*" in yaml or "'" in "".join(link.original for _, link in written) or _UNCLOSED.search(yaml):
        return None  # escapes, aliases, doubled quotes, values folded over lines
    places: dict[str, list[int]] = {}
    for match in _LITERAL.finditer(yaml):
        places.setdefault(match[0], []).append(block.yaml_start + match.start())
    uses = Counter(link.original for _, link in written)
    if any(len(places.get(original, ())) != count for original, count in uses.items()):
        return None
    spans: dict[str, tuple[int, int]] = {}
    for key, link in reversed(written):  # places are taken from the end
        start = places[link.original].pop()
        spans[key] = (start, start + len(link.original))
    return spans


def _links(value: Any, key: str) -> Iterator[_Written]:
    if isinstance(value, str):
        found = _whole_link(value)
        if found is not None:
            yield _Written(key, found)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from _links(each, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _links(each, f"{key}.{index}" if key else str(index))


def _whole_link(value: str) -> Link | None:
    """Return the link if a string is one, and nothing else."""
    value = value.strip()
    if not value.startswith("[") or not value.endswith(("]]", ")")):
        return None
    found = InlineItems(Work())
    scan_inline(value, 0, len(value), found)
    if len(found.links) != 1 or found.links[0].original != value:
        return None
    return found.links[0]


def _marked_spans(text: str, block: FrontmatterBlock) -> dict[str, tuple[int, int]]:
    """Return where each string of the properties is written, without quotes and white space, by its key."""
    try:
        root = compose(with_spaces_for_tabs(text[block.yaml_start : block.yaml_end]), duplicate_keys=True)
    except BrokenYaml:
        return {}
    spans: dict[str, tuple[int, int]] = {}
    for key, node in _scalars(root, ""):
        start, end = block.yaml_start + node.start_mark.index, block.yaml_start + node.end_mark.index
        mark = _NODE_MARK.match(text, start, end)
        start = mark.end() if mark else start
        if node.style in ("'", '"'):
            start, end = start + 1, end - 1
        inside = text[start:end]
        start += len(inside) - len(inside.lstrip())
        spans[key] = (start, max(start, start + len(inside.strip())))
    return spans


def _scalars(node: "Node | None", key: str) -> Iterator[tuple[str, "ScalarNode"]]:
    if is_scalar(node):
        yield key, node
    elif is_mapping(node):
        for name, value in node.value:
            if is_scalar(name):
                yield from _scalars(value, f"{key}.{name.value}" if key else name.value)
    elif is_sequence(node):
        for index, value in enumerate(node.value):
            yield from _scalars(value, f"{key}.{index}" if key else str(index))
