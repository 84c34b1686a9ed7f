"""Bases that follow when a property or tag gets another name, or files move: in exact places, and nowhere else.

Exact places are ids of properties, properties named in expressions, and texts given to functions that take the name of
a property, tag, folder or file. Not a byte outside of them changes. What names the old name otherwise is said.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from bridge.bases.failures import ExpressionError
from bridge.bases.syntax import Binary, Call, Index, Literal, Member, Name, Node, children, parse, quoted
from bridge.notes.frontmatter import BrokenYaml, read_yaml
from bridge.notes.names import link_path, split_link
from bridge.notes.rewriting import Edit, Relocation, apply, in_yaml_quotes
from bridge.notes.syntax import without_extension
from bridge.notes.tags import renamed
from bridge.notes.yaml_places import CannotEdit, composed

_IDS_IN_VIEW: Final = frozenset({"image", "coordinates", "markerIcon", "markerColor", "groupBy"})
_KEYS_IN_VIEW: Final = frozenset({"columnSize", "summaries"})
_IDENTIFIER: Final = re.compile(r"[^\W\d][\w$]*")
_ROOMS: Final = frozenset({"note", "file", "formula", "this"})
_RESERVED: Final = _ROOMS | {"value", "index", "acc", "values", "true", "false", "null"}
_OVER_ITEMS: Final = frozenset({"filter", "map", "reduce"})
_BOUND: Final = frozenset({"value", "index", "acc"})
_TAG_LISTS: Final = frozenset({"contains", "containsAny", "containsAll"})
_LINKING: Final = frozenset({"link", "file", "hasLink", "linksTo", "image"})
_NOT_EDITED: Final = "it is written in a way that is not edited"
_MOST_MISSES: Final = 40
"""Sets of changes of one base that are tried in vain; what is no longer tried is left."""
_WORD: Final = r"(?<![\w/-]){}(?![\w-])"


class Follower:
    """A change in names: the edits that each id and expression needs, and texts that still use the old name."""

    def property_id(self, _text: str) -> str | None:
        """Return the new id; None if it stays."""
        return None

    def edits(self, _expression: str, _tree: Node) -> Iterator[Edit]:
        """Find the edits of an expression."""
        yield from ()

    def names(self, _text: str) -> bool:
        """Return whether a text still names what has another name, so that it must be looked at."""
        return False


@dataclass(frozen=True)
class _NameFollower(Follower):
    """A name that changes.

    Attributes:
        old: The name, without `#`; case does not matter.
        new: The new name.
    """

    old: str
    new: str

    def names(self, text: str) -> bool:
        """Return whether a text holds the old name as a word."""
        return re.search(_WORD.format(re.escape(self.old)), text, re.IGNORECASE) is not None


class PropertyFollower(_NameFollower):
    """A property gets another name."""

    def property_id(self, text: str) -> str | None:
        """Return the id with the new name."""
        namespace, dot, name = text.partition(".")
        if dot and namespace in {"note", "property"}:
            return f"{namespace}.{self.new}" if self._is(name) else None
        if not self._is(text):
            return None
        return f"note.{self.new}" if self.new.partition(".")[0] in {"note", "file", "formula", "property"} else self.new

    def edits(self, expression: str, tree: Node) -> Iterator[Edit]:
        """Find where the property is named: alone, behind `note.`, `this.` and `.properties.`, and as a text."""
        for node, bound in _parts(tree):
            if isinstance(node, Name) and self._is(node.name) and node.name not in bound | _ROOMS:
                yield Edit(node.start, node.end, self.new if self._plain else f"note[{quoted(self.new)}]")
            elif isinstance(node, Member) and self._is(node.name) and _holds_properties(node.target):
                yield self._of_member(expression, node)
            elif isinstance(node, Index) and _holds_properties(node.target):
                yield from _text_edits(expression, node.key, self._renamed)
            elif isinstance(node, Call) and node.name == "hasProperty" and node.arguments:
                yield from _text_edits(expression, node.arguments[0], self._renamed)

    @property
    def _plain(self) -> bool:
        return _IDENTIFIER.fullmatch(self.new) is not None and self.new not in _RESERVED

    def _is(self, name: str) -> bool:
        return name.lower() == self.old.lower()

    def _of_member(self, expression: str, node: Member) -> Edit:
        end = node.name_start + len(node.name)
        if _IDENTIFIER.fullmatch(self.new):
            return Edit(node.name_start, end, self.new)
        return Edit(expression.rindex(".", 0, node.name_start), end, f"[{quoted(self.new)}]")

    def _renamed(self, text: str) -> str | None:
        return self.new if self._is(text) else None


class TagFollower(_NameFollower):
    """A tag gets another name, with those nested in it."""

    def edits(self, expression: str, tree: Node) -> Iterator[Edit]:
        """Find the tags that are given to `hasTag`, and looked for in lists of tags."""
        for node, _bound in _parts(tree):
            if not isinstance(node, Call) or node.target is None:
                continue
            if node.name == "hasTag" or (node.name in _TAG_LISTS and _is_tags(node.target)):
                for argument in node.arguments:
                    yield from _text_edits(expression, argument, self._renamed)

    def _renamed(self, text: str) -> str | None:
        name = renamed(text.removeprefix("#"), self.old, self.new)
        return f"#{name}" if name is not None and text.startswith("#") else name


@dataclass(frozen=True)
class MoveFollower(Follower):
    """A follower of files that move.

    Attributes:
        path: The base, or the note that it is in, where it is before the move.
        moving: What moves.
    """

    path: str
    moving: Relocation

    def edits(self, expression: str, tree: Node) -> Iterator[Edit]:
        """Find the paths that are given to `link`, `file`, `hasLink` and `linksTo`, and the folders to `inFolder`."""
        for node, _bound in _parts(tree):
            if isinstance(node, Call) and node.name in _LINKING and node.arguments:
                yield from _text_edits(expression, node.arguments[0], self._link)
            elif isinstance(node, Call) and node.name == "inFolder" and node.arguments:
                yield from _text_edits(expression, node.arguments[0], self._folder)
            elif isinstance(node, Binary) and node.sign in {"==", "!="}:
                for one, other in ((node.left, node.right), (node.right, node.left)):
                    if isinstance(one, Member) and isinstance(one.target, Name) and one.target.name == "file":
                        way = {"path": self._path, "folder": self._folder}.get(one.name.lower())
                        if way is not None:
                            yield from _text_edits(expression, other, way)

    def names(self, text: str) -> bool:
        """Return whether a text still holds the path of what has moved, or of its folder."""
        return any(each in text for each in (*self.moving.moves, *self.moving.folders) if "/" in each)

    def _path(self, text: str) -> str | None:
        new = self.moving.moves.get(text)
        return None if new == text else new

    def _folder(self, text: str) -> str | None:
        bare = text.strip("/")
        for old, new in self.moving.folders.items():
            if bare == old or bare.startswith(old + "/"):
                return text.replace(bare, new + bare[len(old) :], 1) if new != old else None
        return None

    def _link(self, text: str) -> str | None:
        """Return a link as it leads to the same file afterwards."""
        bracketed = text.startswith("[[") and text.endswith("]]")
        bare = text[2:-2] if bracketed else text
        target, bar, display = bare.partition("|") if bracketed else (bare, "", "")
        path, subpath = split_link(target)
        moving, place = self.moving, self.moving.place(self.path)
        old = moving.before.resolve(path, self.path) if path else None
        new = moving.moves.get(old, old) if old is not None else None
        if old is None or new is None or moving.after.resolve(path, place) == new:
            return None
        # A whole path stays one; a name is written as the user's other links are.
        whole = {old.lower(): new, without_extension(old).lower(): without_extension(new)} if "/" in path else {}
        markdown = path.lower().endswith(".md")
        written = whole.get(path.lower()) or link_path(new, place, moving.after, moving.form, markdown=markdown)
        if written is None or moving.after.resolve(written, place) != new:
            return None
        said = f"{written}{subpath}{bar}{display}"
        return f"[[{said}]]" if bracketed else said


# -- in the YAML -----------------------------------------------------------------------------------------------------


@dataclass
class Followed:
    """A base that has followed.

    Attributes:
        text: Its YAML.
        edits: How many places changed.
        left: What could not follow, each a place with the reason.
    """

    text: str
    edits: int = 0
    left: list[str] = field(default_factory=list)


class _YamlText(NamedTuple):
    """One text of the YAML.

    Attributes:
        where: Its place in the base.
        is_id: Whether it is the id of a property; else it is an expression.
        start: Its beginning, quotes included.
        end: Its end.
        value: What it says.
    """

    where: str
    is_id: bool
    start: int
    end: int
    value: str


class _Change(NamedTuple):
    """A place, what is written there, and what that says."""

    place: _YamlText
    written: str
    new: str


def follow(yaml: str, follower: Follower) -> Followed:
    """Return a base in which the exact places have followed; it is as it was if it cannot be read.

    Args:
        yaml: The base.
        follower: What the change means.
    """
    done = Followed(yaml)
    try:
        places = list(_places(composed(yaml)))
    except (BrokenYaml, CannotEdit):
        if follower.names(yaml):
            done.left.append("its YAML cannot be read")
        return done
    changes: list[_Change] = []
    for place in {each.start: each for each in places}.values():
        new = _new_value(place, follower, done)
        if new is None:
            continue
        written = _written(yaml[place.start : place.end], place.value, new)
        if written is None:
            done.left.append(f"{place.where}: {_NOT_EDITED}")
        else:
            changes.append(_Change(place, written, new))
    kept = _fitting(yaml, changes)
    done.text, done.edits = _changed(yaml, kept), len(kept)
    if len(kept) < len(changes):
        done.left += (f"{change.place.where}: {_NOT_EDITED}" for change in changes if change not in kept)
    return done


def _new_value(place: _YamlText, follower: Follower, done: Followed) -> str | None:
    """Return the new value of a text; None if it stays."""
    if place.is_id:
        return follower.property_id(place.value)
    try:
        tree = parse(place.value)
    except ExpressionError:
        if follower.names(place.value):
            done.left.append(f"{place.where}: the expression cannot be read")
        return None
    edits = sorted(set(follower.edits(place.value, tree)))
    if follower.names(apply(place.value, [edit._replace(new=" ") for edit in edits])):
        done.left.append(f"{place.where}: `{place.value[:100]}` may name it in another way")
    return apply(place.value, edits) if edits else None


def _written(raw: str, value: str, new: str) -> str | None:
    """Return the new text as the YAML writes the old one; None if that is written in a way that is not edited."""
    quote = raw[:1] if raw[:1] in {'"', "'"} and raw[-1:] == raw[:1] and len(raw) > 1 else ""
    inner = raw[1:-1] if quote else raw
    if "\n" in raw or in_yaml_quotes(value, quote) != inner:
        return None
    quote = quote or ("" if _plain_in_yaml(new) else "'")
    return quote + in_yaml_quotes(new, quote) + quote


def _plain_in_yaml(text: str) -> bool:
    """Return whether a text can stand in YAML without quotes and keep its meaning."""
    try:
        return bool(read_yaml(f"a: {text}") == {"a": text} and read_yaml(f"{text}: 1") == {text: 1})
    except BrokenYaml:
        return False


def _changed(yaml: str, changes: Sequence[_Change]) -> str:
    return apply(yaml, [Edit(place.start, place.end, written) for place, written, _new in changes])


def _fitting(yaml: str, changes: list[_Change]) -> list[_Change]:
    """Return those changes after which the YAML reads as before but for their texts.

    Most often these are all. Where they are not, halves are tried, so that the YAML is not read once for each.
    """
    kept: list[_Change] = []
    groups, misses = [changes] if changes else [], 0
    while groups and misses < _MOST_MISSES:
        group = groups.pop()
        if _differs_there_alone(yaml, [*kept, *group]):
            kept += group
            continue
        misses += 1
        half = len(group) // 2
        groups += [group[half:], group[:half]] if half else []
    return kept


def _differs_there_alone(yaml: str, changes: Sequence[_Change]) -> bool:
    """Return whether a changed YAML reads as the old one except for the texts that changed."""
    try:
        was, now = (read_yaml(each.removeprefix("\ufeff")) for each in (yaml, _changed(yaml, changes)))
    except BrokenYaml:
        return False
    return list(_differences(was, now)) == [(change.place.value, change.new) for change in changes]


def _differences(was: Any, now: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(was, dict) and isinstance(now, dict) and len(was) == len(now):
        for (key, value), (other, changed) in zip(was.items(), now.items(), strict=True):
            if key != other:
                yield key, other
            yield from _differences(value, changed)
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for value, changed in zip(was, now, strict=True):
            yield from _differences(value, changed)
    elif was != now or type(was) is not type(now):
        yield was, now


def _places(root: Any) -> Iterator[_YamlText]:
    """Yield the ids and expressions of a base, in the order of their places."""
    found: list[_YamlText] = []
    for key, value in _pairs(root):
        match key.value:
            case "filters":
                found += _filters(value, "filters")
            case "formulas" | "summaries":
                named = ((name.value, inner) for name, inner in _pairs(value) if _is_text(inner))
                found += (_place(inner, f"{key.value}.{name}") for name, inner in named)
            case "properties" | "display":
                found += (_place(name, f"{key.value}.{name.value}", is_id=True) for name, _inner in _pairs(value))
            case "views":
                for number, view in enumerate(_items(value)):
                    found += _view(view, f"views[{number}]")
    yield from sorted(found, key=lambda place: place.start)


def _view(view: Any, where: str) -> Iterator[_YamlText]:
    for key, value in _pairs(view):
        name = str(key.value)
        if name == "filters":
            yield from _filters(value, f"{where}.filters")
        elif name == "order":
            yield from (_place(each, f"{where}.order", is_id=True) for each in _items(value) if _is_text(each))
        elif name in {"sort", "groupBy"}:
            for entry in _items(value) or [value]:
                for inner, each in _pairs(entry):
                    if inner.value in {"property", "column"} and _is_text(each):
                        yield _place(each, f"{where}.{name}", is_id=True)
        elif name in _KEYS_IN_VIEW:
            yield from (_place(each, f"{where}.{name}", is_id=True) for each, _inner in _pairs(value))
        if name in _IDS_IN_VIEW and _is_text(value):
            yield _place(value, f"{where}.{name}", is_id=True)


def _filters(node: Any, where: str) -> Iterator[_YamlText]:
    if _is_text(node):
        yield _place(node, where)
    for key, value in _pairs(node):
        for number, part in enumerate(_items(value)):
            yield from _filters(part, f"{where}.{key.value}[{number}]")


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    """Return the names and values of a mapping."""
    value = getattr(node, "value", None)
    pairs = value if isinstance(value, list) and value and isinstance(value[0], tuple) else []
    return [(key, each) for key, each in pairs if _is_text(key)]


def _items(node: Any) -> list[Any]:
    value = getattr(node, "value", None)
    return value if isinstance(value, list) and value and not isinstance(value[0], tuple) else []


def _is_text(node: Any) -> bool:
    return isinstance(getattr(node, "value", None), str)


def _place(node: Any, where: str, *, is_id: bool = False) -> _YamlText:
    return _YamlText(where, is_id, node.start_mark.index, node.end_mark.index, node.value)


# -- in expressions --------------------------------------------------------------------------------------------------


def _parts(tree: Node) -> Iterator[tuple[Node, frozenset[str]]]:
    """Yield every part of an expression, with the names that stand for items there."""
    pending: list[tuple[Node, frozenset[str]]] = [(tree, frozenset())]
    while pending:
        node, bound = pending.pop()
        yield node, bound
        if isinstance(node, Call) and node.target is not None and node.name in _OVER_ITEMS and node.arguments:
            pending.append((node.target, bound))
            pending.append((node.arguments[0], bound | _BOUND))
            pending.extend((each, bound) for each in node.arguments[1:])
        else:
            pending.extend((each, bound) for each in children(node))


def _holds_properties(node: Node) -> bool:
    """Return whether the members of a part are properties: of `note`, `this`, and `x.properties`."""
    if isinstance(node, Name):
        return node.name in {"note", "this"}
    return isinstance(node, Member) and node.name.lower() == "properties"


def _is_tags(node: Node) -> bool:
    """Return whether a part is a list of tags: `tags`, `note.tags`, `file.tags`, perhaps wrapped in `list`."""
    if isinstance(node, Call) and node.target is None and node.name == "list" and node.arguments:
        return _is_tags(node.arguments[0])
    return isinstance(node, Name | Member) and node.name.lower() == "tags"


def _text_edits(expression: str, node: Node, renaming: Callable[[str], str | None]) -> Iterator[Edit]:
    """Yield the edit of a part that is a text and gets a new one, in the quotes that stand there."""
    if isinstance(node, Literal) and isinstance(node.value, str) and (new := renaming(node.value)) is not None:
        yield Edit(node.start, node.end, quoted(new, expression[node.start]))
