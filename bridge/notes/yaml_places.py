"""Positions of properties, their list items and their links in a note, so that one of them can be edited alone.

Rule 51 of docs/obsidian.md is about links in properties.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeGuard

from bridge.notes.frontmatter import BrokenYaml, FrontmatterBlock, with_spaces_for_tabs
from bridge.notes.inline import InlineItems, scan_inline
from bridge.notes.note import Link, Work

if TYPE_CHECKING:
    from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


_COLON = re.compile(r"[ \t]*:")
_ANCHOR = re.compile(r"&([^\s\[\]{},]+)")
_NULL = "tag:yaml.org,2002:null"
_BLOCK_ITEM = re.compile(r"([ ]*)-([ ]*)")

Form = Literal["empty", "null", "scalar", "flow", "block"]


class CannotEdit(Exception):
    """The property cannot be edited safely. `str(error)` says why."""


class ItemSpan(NamedTuple):
    """One item of a list.

    Attributes:
        start: Its beginning, quotes included.
        end: Its end.
        quote: How it is quoted: `"`, `'` or not at all.
        plain: Whether it stands in one line, without YAML's anchors, aliases and tags.
    """

    start: int
    end: int
    quote: str
    plain: bool


class PropertySpan(NamedTuple):
    """One property.

    Attributes:
        form: How its value is written: not at all, as `null`, as one value, as `[a, b]`, as lines with `-`.
        colon_end: One past the colon behind its name.
        start: The beginning of its value.
        end: The end of its value.
        items: The items of a list; of one value, that one.
    """

    form: Form
    colon_end: int
    start: int
    end: int
    items: tuple[ItemSpan, ...]


class FrontmatterSpans(NamedTuple):
    """All properties of a note, by place.

    Attributes:
        flow: Whether they are written in braces, as JSON is.
        start: Where the first one begins, or the brace opens.
        last: Where the last value ends.
        names: Their names, in order.
        wanted: The one that was asked for; None when it is not there.
        indent: How lists are indented: as the first one is.
    """

    flow: bool
    start: int
    last: int
    names: tuple[str, ...]
    wanted: PropertySpan | None
    indent: str


def locate_property(yaml: str, name: str) -> FrontmatterSpans:
    """Return where the properties are, and one of them in particular.

    Args:
        yaml: The text between the fences.
        name: The property; case does not matter unless the exact spelling is there.

    Raises:
        CannotEdit: The YAML is broken, or the property is written in a way that is not edited.
    """
    root = composed(yaml)
    if root is None:
        return FrontmatterSpans(flow=False, start=0, last=0, names=(), wanted=None, indent="  ")
    if not is_mapping(root):
        raise CannotEdit("the properties are not names with values")
    pairs: list[tuple[Node, Node]] = root.value
    names = tuple(key.value if is_scalar(key) else "" for key, _ in pairs)
    near = [index for index, each in enumerate(names) if each.lower() == name.lower()]
    found = [index for index in near if names[index] == name] or near
    if len(found) > 1:
        raise CannotEdit(f"the property {name!r} is there twice")
    return FrontmatterSpans(
        flow=bool(root.flow_style),
        start=root.start_mark.index,
        last=pairs[-1][1].end_mark.index if pairs else root.start_mark.index + 1,
        names=names,
        wanted=_property(yaml, *pairs[found[0]]) if found else None,
        indent=_list_indent(yaml, pairs),
    )


class PropertyLines(NamedTuple):
    """The lines of one property.

    Attributes:
        name: Its name.
        key: Where its name stands, quotes included.
        start: Where its first line begins.
        end: Where the lines of the next property begin, or the YAML ends.
    """

    name: str
    key: tuple[int, int]
    start: int
    end: int


def property_lines(yaml: str) -> tuple[PropertyLines, ...]:
    """Return where each property is, in order.

    Args:
        yaml: The text between the fences.

    Raises:
        CannotEdit: The YAML is broken, or its properties do not stand in lines of their own.
    """
    root = composed(yaml)
    if root is None:
        return ()
    if not is_mapping(root) or root.flow_style:
        raise CannotEdit("the properties are not written as lines of their own")
    keys = [key for key, _value in root.value]
    starts = [line_start(yaml, key.start_mark.index) for key in keys]
    spans = [(key.start_mark.index, key.end_mark.index) for key in keys]
    plain = all(is_scalar(key) and key.anchor is None for key in keys) and len(set(starts)) == len(starts)
    if not plain or any(yaml[at : span[0]].strip() for at, span in zip(starts, spans, strict=True)):
        raise CannotEdit("a name is written in a way that is not edited")
    return tuple(
        PropertyLines(key.value, span, start, end)
        for key, span, start, end in zip(keys, spans, starts, [*starts[1:], len(yaml)], strict=True)
    )


def line_start(text: str, at: int) -> int:
    """Return where the line begins that an offset is in."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Return where the next line begins, or the end of the text."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def item_line(yaml: str, item: ItemSpan) -> tuple[str, str] | None:
    """Return an item's line before and after its dash; None if it has no line of its own."""
    found = _BLOCK_ITEM.fullmatch(yaml, line_start(yaml, item.start), item.start)
    return (found[1], found[2]) if found else None


def composed(yaml: str) -> "Node | None":
    """Return the YAML as a tree whose nodes know where they stand; None if there is nothing.

    Raises:
        CannotEdit: It is broken, too deep, or sets an anchor twice.
    """
    anchors = _ANCHOR.findall(yaml)
    if len(set(anchors)) < len(anchors):
        raise CannotEdit("an anchor (&) is set twice in it")
    try:
        return compose(with_spaces_for_tabs(yaml))
    except BrokenYaml:
        raise CannotEdit("the YAML of the properties is broken, or too deep") from None


def _property(yaml: str, key: "Node", value: "Node") -> PropertySpan:
    """Return one property, by its nodes."""
    colon = _COLON.match(yaml, key.end_mark.index)
    if colon is None:
        raise CannotEdit("its name is written in a way that is not edited")
    start, end = value.start_mark.index, value.end_mark.index
    if start < colon.end() or yaml[start : start + 1] in {"&", "!", "*"} or value.anchor is not None:
        raise CannotEdit("its value has an anchor, an alias or a tag of YAML (&, *, !)")
    if is_sequence(value):
        items = tuple(_item(yaml, each, start, colon.end()) for each in value.value)
        return PropertySpan("flow" if value.flow_style else "block", colon.end(), start, end, items)
    if not is_scalar(value):
        raise CannotEdit("its value is a group of properties")
    if start == end:
        return PropertySpan("empty", colon.end(), colon.end(), colon.end(), ())
    item = _item(yaml, value, start, colon.end())
    if not item.plain:
        raise CannotEdit("its value goes over several lines")
    null = not item.quote and value.tag == _NULL
    return PropertySpan("null" if null else "scalar", colon.end(), start, end, () if null else (item,))


def _item(yaml: str, node: "Node", begins: int, after: int) -> ItemSpan:
    start, end = node.start_mark.index, node.end_mark.index
    quote = node.style if is_scalar(node) and node.style in {"'", '"'} else ""
    plain = (
        is_scalar(node)
        and node.style not in {"|", ">"}
        and node.anchor is None
        and start >= max(begins, after)
        and "\n" not in yaml[start:end]
        and yaml[start : start + 1] not in {"&", "!", "*"}
    )
    return ItemSpan(start, end, quote, plain)


def _list_indent(yaml: str, pairs: "list[tuple[Node, Node]]") -> str:
    """Return the indentation of the first list written in lines; else two spaces, as Obsidian writes."""
    for _, value in pairs:
        if is_sequence(value) and not value.flow_style:
            start = value.start_mark.index
            before = yaml[line_start(yaml, start) : start]
            if not before.strip(" "):
                return before
    return "  "


def compose(yaml: str, *, duplicate_keys: bool = False) -> "Node | None":
    """Return the node of a text; None if it holds nothing.

    Args:
        yaml: The text.
        duplicate_keys: Whether a key may be there twice.

    Raises:
        BrokenYaml: It is none.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 - see above
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - see above

    reader: Any = YAML(typ="safe", pure=True)
    if duplicate_keys:
        reader.allow_duplicate_keys = True
    try:
        root: Node | None = reader.compose(yaml)
    except (YAMLError, ValueError, RecursionError):
        raise BrokenYaml from None
    return root


def is_scalar(node: "Node | None") -> "TypeGuard[ScalarNode]":
    """Return whether it is one value."""
    return type(node).__name__ == "ScalarNode"


def is_sequence(node: "Node | None") -> "TypeGuard[SequenceNode]":
    """Return whether it is a list."""
    return type(node).__name__ == "SequenceNode"


def is_mapping(node: "Node | None") -> "TypeGuard[MappingNode]":
    """Return whether it is a mapping."""
    return type(node).__name__ == "MappingNode"


_LITERAL = re.compile(r"\[\[(?>[^\n\[\]]|\[(?!\[)|\](?!\]))*+\]\]|\[[^\[\]\n]*+\]\([^()\n]*+\)")
_UNCLOSED = re.compile(r"\[[^\[\]\n]*+$|\([^()\n]*+$", re.MULTILINE)
_NODE_MARK = re.compile(r"(?:[&!]\S*+\s++)+")
"""An anchor or a tag before a value."""


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
    spans = _literal_spans(text, block, written) or _marked_spans(text, block)
    placed = []
    for link in written:
        start, end = spans.get(link.key, (yaml_start, yaml_start))
        exact = text.find(link.original, start, end)
        if exact >= 0:
            start, end = exact, exact + len(link.original)
        placed.append(link._replace(start=start, end=end))
    return tuple(placed)


def _literal_spans(text: str, block: FrontmatterBlock, written: list[Link]) -> dict[str, tuple[int, int]] | None:
    """Return where links are, if each is in the text literally and only as a value; None when in doubt.

    This spares most notes the slow reader that knows positions.
    """
    yaml = text[block.yaml_start : block.yaml_end]
    if "\\" in yaml or "*" in yaml or "'" in "".join(link.original for link in written) or _UNCLOSED.search(yaml):
        return None  # escapes, aliases, doubled quotes, values folded over lines
    places: dict[str, list[int]] = {}
    for match in _LITERAL.finditer(yaml):
        places.setdefault(match[0], []).append(block.yaml_start + match.start())
    uses = Counter(link.original for link in written)
    if any(len(places.get(original, ())) != count for original, count in uses.items()):
        return None
    spans: dict[str, tuple[int, int]] = {}
    for link in reversed(written):  # places are taken from the end
        start = places[link.original].pop()
        spans[link.key] = (start, start + len(link.original))
    return spans


def _links(value: Any, key: str) -> Iterator[Link]:
    if isinstance(value, str):
        if (found := _whole_link(value)) is not None:
            yield found._replace(key=key)
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
    whole = len(found.links) == 1 and found.links[0].original == value
    return found.links[0] if whole else None


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
