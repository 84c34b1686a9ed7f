"""Changes to a canvas: cards that are added, changed, removed, connected and arranged, and nothing else in the file."""

import difflib
import hashlib
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import orjson

from bridge.errors import Ambiguous, InvalidParameters, NotFound
from bridge.notes.canvas import (
    LINES,
    Member,
    Style,
    as_json,
    new_object,
    parts,
    rebuilt,
    style_of,
    with_member,
)
from bridge.notes.canvas_board import (
    GAP,
    GROUP,
    MOST_CHARACTERS,
    Board,
    Box,
    Card,
    Connection,
    Side,
    beside,
    enlarged,
    first_words,
    groups_of,
    parse_board,
    within,
)

Action = Literal["add", "change", "remove", "connect", "arrange"]

_SIZES = {"text": (250, 60), "file": (400, 400), "link": (400, 400), GROUP: (800, 600)}
"""Sizes of new cards in Obsidian; it makes a group as large as its content."""
_CANDIDATES = 5
_COMPARED = 500
_ID_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasOperation:
    """One change. Cards are named by id, or by their first line, file, address or label.

    Attributes:
        action: What is done.
        card: To which card, group or connection.
        cards: To which cards, where they are arranged.
        name: What later operations call the card that is added.
        text: The text of a card.
        file: The vault path of a card's file.
        subpath: Which part of that file, with its `#`; empty for all of it.
        url: The address of a card's page.
        label: The label of a group or a connection.
        group: In which group.
        beside: Beside which card.
        side: On which side of it.
        color: `1` to `6`, or `#rrggbb`; empty for none.
        width: How wide.
        height: How high.
        from_card: The card at which a connection begins.
        to_card: The card at which it ends.
    """

    action: Action
    card: str | None = None
    cards: Sequence[str] | None = None
    name: str | None = None
    text: str | None = None
    file: str | None = None
    subpath: str | None = None
    url: str | None = None
    label: str | None = None
    group: str | None = None
    beside: str | None = None
    side: Side = "right"
    color: str | None = None
    width: int | None = None
    height: int | None = None
    from_card: str | None = None
    to_card: str | None = None


class EditedCanvas(NamedTuple):
    """A canvas with its changes.

    Attributes:
        text: The whole file.
        deeds: What was done, in words: `adds the card "Ideas"`.
        added: The ids of the new cards, groups and connections, in order.
    """

    text: str
    deeds: list[str]
    added: list[str]


def edit_canvas(text: str, operations: Sequence[CanvasOperation]) -> EditedCanvas:
    """Change a canvas. New ids follow from the text and the operations, so the same call makes the same file.

    Args:
        text: The canvas file.
        operations: What is done, one after the other.

    Raises:
        InvalidParameters: It is damaged, or an operation cannot be done, or has no room.
        NotFound: There is no such card.
        Ambiguous: Several are called so.
    """
    board = parse_board(text)
    if board.faults:
        raise InvalidParameters(
            f"The canvas is damaged and stays as it is: {'; '.join(board.faults[:3])}. Mend its text first"
        )
    editor = _Editor(text, board, hashlib.sha256(f"{operations!r}{text}".encode("utf-8", "replace")))
    for number, operation in enumerate(operations, 1):
        try:
            editor.do(operation)
        except (InvalidParameters, NotFound, Ambiguous) as failure:
            if operations[1:]:
                failure.message = f"Operation {number}: {failure.message}"
                failure.args = (failure.message,)
            raise
    new = editor.text()
    if len(new) > MOST_CHARACTERS:
        raise InvalidParameters(f"The canvas would have {len(new):,} characters; {MOST_CHARACTERS:,} are the most")
    return EditedCanvas(new, ["".join(deed.parts) for deed in editor.deeds], editor.added)


@dataclass(slots=True, eq=False)
class _Node:
    """A card as it is to be written; `old` is its place in the file, None for a new one."""

    old: int | None
    raw: str
    card: Card

    @property
    def file(self) -> tuple[str, str]:
        """Return its file, and which part of it."""
        value = orjson.loads(self.raw)
        return str(value.get("file", "")), str(value.get("subpath", ""))

    @property
    def box(self) -> Box:
        """Return its place; cards without one have been refused before."""
        return self.card.box or Box(0, 0, 0, 0)


@dataclass(slots=True, eq=False)
class _Edge:
    """A connection as it is to be written."""

    old: int | None
    raw: str
    connection: Connection


@dataclass(slots=True, eq=False)
class _Deed:
    """A description of what was done, in parts."""

    parts: list[str] = field(default_factory=list)


class _Editor:
    """A canvas that is being changed."""

    def __init__(self, text: str, board: Board, seed: "hashlib._Hash") -> None:
        self._text = text
        self._seed, self._doubled = seed, frozenset(board.doubled)
        bare = text.removeprefix("\ufeff")
        if not bare.strip():
            self._text = f"{text[: len(text) - len(bare)]}{{}}{bare}"
        self._start = self._text.index("{")
        self._members, self._end = parts(self._text, self._start)
        self._lists = {name: self._list(name) for name in ("nodes", "edges")}
        nodes, edges = (self._raw(name) for name in ("nodes", "edges"))
        self._nodes = [_Node(at, raw, card) for at, (raw, card) in enumerate(zip(nodes, board.cards, strict=True))]
        self._edges = [
            _Edge(at, raw, edge) for at, (raw, edge) in enumerate(zip(edges, board.connections, strict=True))
        ]
        self._styles = {"nodes": self._item_style(nodes, edges), "edges": self._item_style(edges, nodes)}
        self._floor = max((node.box.bottom for node in self._nodes), default=0)
        self._aliases: dict[str, _Node] = {}
        self._new: dict[str, _Deed] = {}
        self._ids = {node.card.id for node in self._nodes} | {edge.connection.id for edge in self._edges}
        self.deeds: list[_Deed] = []
        self.added: list[str] = []

    # -- the text ---------------------------------------------------------------------------------------------------

    def _list(self, name: str) -> Member | None:
        found = [member for member in self._members if member.name == name]
        if found[1:]:
            raise InvalidParameters(f"The canvas is damaged: it has {name!r} twice")
        return found[0] if found else None

    def _raw(self, name: str) -> list[str]:
        place = self._lists[name]
        return [self._text[item.start : item.end] for item in parts(self._text, place.start)[0]] if place else []

    @staticmethod
    def _item_style(own: list[str], others: list[str]) -> Style:
        """Return the style of the items next to a new one."""
        return next((style for raw in (*own[-1:], *others[-1:]) if (style := style_of(raw, 0))), Style())

    def text(self) -> str:
        """Return the whole file."""
        lists = {
            "nodes": [(node.old, node.raw) for node in self._nodes],
            "edges": [(edge.old, edge.raw) for edge in self._edges],
        }
        styles = [style for place in self._lists.values() if place and (style := style_of(self._text, place.start))]
        plain = self._members and "\n" not in self._text[self._start : self._end]
        style = styles[0] if styles else Style() if plain else LINES
        text = self._text
        for place in sorted(
            (place for place in self._lists.values() if place), reverse=True, key=lambda each: each.start
        ):
            text = text[: place.start] + rebuilt(text, place.start, lists[place.name], style) + text[place.end :]
        missing = [name for name, place in self._lists.items() if not place and (lists[name] or not self._members)]
        if not missing or not (self._nodes or self._edges):
            return text
        outer = style_of(text, self._start) or (Style() if plain else Style("\n\t", ",\n\t", "\n"))
        written = [f"{as_json(name)}{outer.colon}{self._whole(lists[name], style)}" for name in missing]
        inner, end = parts(text, self._start)
        if not inner:
            return f"{text[: self._start]}{{{outer.lead}{outer.between.join(written)}{outer.tail}}}{text[end:]}"
        last = inner[-1].end
        return text[:last] + "".join(f"{outer.between}{each}" for each in written) + text[last:]

    @staticmethod
    def _whole(entries: Sequence[tuple[int | None, str]], style: Style) -> str:
        return rebuilt("[]", 0, [(None, raw) for _old, raw in entries], style)

    # -- the operations ---------------------------------------------------------------------------------------------

    def do(self, operation: CanvasOperation) -> None:
        """Do one thing."""
        deeds: dict[str, Callable[[CanvasOperation], None]] = {
            "add": self._add,
            "change": self._change,
            "remove": self._remove,
            "connect": self._connect,
            "arrange": self._arrange,
        }
        deeds[operation.action](operation)

    def _add(self, operation: CanvasOperation) -> None:
        given = {"text": operation.text, "file": operation.file, "link": operation.url, GROUP: operation.label}
        kinds = [kind for kind, value in given.items() if value is not None]
        if len(kinds) != 1:
            raise InvalidParameters("add needs exactly one of text, file, url, and label (for a group)")
        if operation.name in self._aliases:
            raise InvalidParameters(f"Two cards that are added have the name {operation.name!r}")
        (kind,) = kinds
        size = (operation.width or _SIZES[kind][0], operation.height or _SIZES[kind][1])
        deed = self._deed()
        box = self._place(operation, size, ())
        about = given[kind] or ""
        member = {"link": "url", GROUP: "label"}.get(kind, kind)
        id_ = self._new_id()
        values: dict[str, Any] = {"id": id_, "type": kind, member: about}
        if kind == "file" and operation.subpath:
            values |= {"subpath": operation.subpath}
            about += operation.subpath
        values |= box._asdict() | ({"color": operation.color} if operation.color else {})
        node = _Node(None, new_object(values, self._styles["nodes"]), Card(id_, kind, about, box))
        self._nodes.insert(0 if kind == GROUP else len(self._nodes), node)  # what comes first lies below
        if operation.name:
            self._aliases[operation.name] = node
        self._new[id_] = deed
        deed.parts.insert(0, f"adds the {node.card}{self._where(operation)}")

    def _where(self, operation: CanvasOperation) -> str:
        if operation.group is not None:
            return f" in the {self._group(operation.group).card}"
        return "" if operation.beside is None else f" beside the {self._node(operation.beside).card}"

    def _change(self, operation: CanvasOperation) -> None:
        if operation.card is None:
            raise InvalidParameters("change needs card: which one")
        found = self._found(operation.card)
        if isinstance(found, _Edge):
            self._change_connection(found, operation)
            return
        node, said = found, str(found.card)
        kind = node.card.kind
        given = {"text": operation.text, "file": operation.file, "url": operation.url, "label": operation.label}
        own = {"text": "text", "file": "file", "link": "url", GROUP: "label"}.get(kind, "")
        wrong = [name for name, value in given.items() if value is not None and name != own]
        wrong += ["subpath"] if operation.subpath is not None and own != "file" else []
        if wrong:
            raise InvalidParameters(
                f"{wrong[0]} does not go with the {said}; it has {own or 'a type of another program'}"
            )
        changes: list[str] = []
        deed = self._deed()
        node.raw, about = self._about(node, own, given.get(own), operation.subpath)
        if about != node.card.about:
            node.card = replace(node.card, about=about)
            changes.append(f'its {own} becomes "{node.card.words}"')
        if operation.color is not None:
            node.raw = with_member(node.raw, "color", operation.color or None)
            changes.append(f"its color becomes {operation.color}" if operation.color else "its color goes")
        if operation.beside is not None or operation.group is not None or operation.width or operation.height:
            changes.append(self._moved(node, operation))
        if not changes:
            self.deeds.remove(deed)
            return
        deed.parts.insert(0, f"changes the {said}: {', '.join(changes)}")

    @staticmethod
    def _about(node: _Node, own: str, value: str | None, subpath: str | None) -> tuple[str, str]:
        """Return a card with another text, file, address or label, and what it is about then."""
        if own != "file":
            if value is None or value == node.card.about:
                return node.raw, node.card.about
            return with_member(node.raw, own, value), value
        file, part = node.file
        new = (value or file, subpath if subpath is not None else part if value in {None, file} else "")
        raw = with_member(node.raw, "file", new[0]) if new[0] != file else node.raw
        return (with_member(raw, "subpath", new[1] or None) if new[1] != part else raw), "".join(new)

    def _moved(self, node: _Node, operation: CanvasOperation) -> str:
        size = (operation.width or node.box.width, operation.height or node.box.height)
        if operation.beside is None and operation.group is None:
            box = Box(node.box.x, node.box.y, *size)
            if node.card.kind == GROUP:
                self._check_group(node, box)
            else:
                self._check_free(node, box)
            self._put(node, box)
            return f"it becomes {size[0]} by {size[1]}"
        if node.card.kind == GROUP:
            raise InvalidParameters(f"The {node.card} stays where it is: move its cards instead")
        self._put(node, self._place(operation, size, {node}))
        return f"it moves{self._where(operation)}"

    def _change_connection(self, edge: _Edge, operation: CanvasOperation) -> None:
        if operation.label is None and operation.color is None:
            raise InvalidParameters("Of a connection label and color can be changed")
        said = self._ends(edge)
        changes = []
        if operation.label is not None:
            edge.raw = with_member(edge.raw, "label", operation.label or None)
            edge.connection = edge.connection._replace(label=operation.label)
            changes.append(
                f'its label becomes "{first_words(operation.label)}"' if operation.label else "its label goes"
            )
        if operation.color is not None:
            edge.raw = with_member(edge.raw, "color", operation.color or None)
            changes.append(f"its color becomes {operation.color}" if operation.color else "its color goes")
        self._deed().parts.append(f"changes the connection {said}: {', '.join(changes)}")

    def _ends(self, edge: _Edge) -> str:
        cards = {node.card.id: str(node.card) for node in self._nodes}
        ends = (edge.connection.start, edge.connection.end)
        start, end = (f"the {cards[each]}" if each in cards else "no card" for each in ends)
        return f"from {start} to {end}"

    def _remove(self, operation: CanvasOperation) -> None:
        if operation.card is None:
            raise InvalidParameters("remove needs card: which card, group or connection")
        found = self._found(operation.card)
        if isinstance(found, _Edge):
            self._deed().parts.append(f"removes the connection {self._ends(found)}")
            self._edges.remove(found)
            return
        self._nodes.remove(found)
        before, gone = len(self._edges), found.card.id
        self._edges = [edge for edge in self._edges if gone not in {edge.connection.start, edge.connection.end}]
        ends = before - len(self._edges)
        said = f" and its {_counted(ends, 'connection')}" if ends else ""
        stay = " (its cards stay)" if found.card.kind == GROUP else ""
        self._deed().parts.append(f"removes the {found.card}{stay}{said}")

    def _connect(self, operation: CanvasOperation) -> None:
        if operation.from_card is None or operation.to_card is None:
            raise InvalidParameters("connect needs from_card and to_card")
        start, end = self._node(operation.from_card), self._node(operation.to_card)
        label = operation.label or ""
        if any(
            (edge.connection.start, edge.connection.end, edge.connection.label) == (start.card.id, end.card.id, label)
            for edge in self._edges
        ):
            raise InvalidParameters(f"The {start.card} and the {end.card} are connected so already")
        from_side, to_side = _sides(start.box, end.box)
        id_ = self._new_id()
        values = {"id": id_, "fromNode": start.card.id, "fromSide": from_side, "toNode": end.card.id, "toSide": to_side}
        values |= {"color": operation.color} if operation.color else {}
        values |= {"label": label} if label else {}
        connection = Connection(id_, start.card.id, end.card.id, label)
        self._edges.append(_Edge(None, new_object(values, self._styles["edges"]), connection))
        named = f' with the label "{first_words(label)}"' if label else ""
        if (deed := self._new.get(end.card.id)) and end is not start:
            deed.parts.append(f", connected from the {start.card}{named}")
        elif deed := self._new.get(start.card.id):
            deed.parts.append(f", connected to the {end.card}{named}")
        else:
            self._deed().parts.append(f"connects the {start.card} to the {end.card}{named}")

    def _arrange(self, operation: CanvasOperation) -> None:
        moving = self._arranged(operation)
        if not moving:
            raise InvalidParameters("arrange needs cards, or a group with cards in it")
        deed = self._deed()
        corner = Box(min(node.box.x for node in moving), min(node.box.y for node in moving), 0, 0)
        wide, waiting = math.ceil(math.sqrt(len(moving))), set(moving)
        home = self._home([node.box for node in moving])
        row = corner.y - GAP
        if operation.group is None and operation.beside is not None:
            size = (moving[0].box.width, moving[0].box.height)
            corner = self._place(operation, size, waiting)
            row, home = corner.y - GAP, self._home([corner])
        for number, node in enumerate(moving):
            size = (node.box.width, node.box.height)
            if operation.group is not None:
                box = self._place(operation, size, waiting)
            else:
                if number and number % wide == 0:
                    row = max(each.box.bottom for each in moving[number - wide : number])
                box = self._near(size, Box(corner.x, row, 0, 0), "bottom", home, waiting)
            self._put(node, box)
            waiting.remove(node)
        place = self._where(operation)
        deed.parts.insert(0, f"arranges {_counted(len(moving), 'card')}{place} so that they do not overlap")

    def _arranged(self, operation: CanvasOperation) -> list[_Node]:
        if operation.cards is None and operation.group is not None:
            group = self._group(operation.group)
            homes = groups_of([node.card for node in self._nodes])
            inside = [
                node
                for node, home in zip(self._nodes, homes, strict=True)
                if home is not None and self._nodes[home] is group and node.card.kind != GROUP
            ]
            return sorted(inside, key=lambda node: (node.box.y, node.box.x))
        moving = list(dict.fromkeys(self._node(name) for name in operation.cards or ()))
        if groups := [node for node in moving if node.card.kind == GROUP]:
            raise InvalidParameters(f"The {groups[0].card} stays where it is: arrange its cards instead")
        return moving

    # -- places -----------------------------------------------------------------------------------------------------

    def _place(self, operation: CanvasOperation, size: tuple[int, int], moving: Collection[_Node]) -> Box:
        """Find a free place where an operation wants a card."""
        if operation.group is not None and operation.beside is not None:
            raise InvalidParameters("Give group or beside, not both")
        if operation.group is not None:
            return self._in_group(size, self._group(operation.group), moving)
        if operation.beside is not None:
            anchor = self._node(operation.beside)
            if anchor in moving:
                raise InvalidParameters(f"The {anchor.card} cannot be beside itself")
            return self._near(size, anchor.box, operation.side, self._home([anchor.box], anchor), moving)
        if not self._nodes:
            return Box(-(size[0] // 2), -(size[1] // 2), *size)
        left = min(node.box.x for node in self._nodes)
        return self._near(size, Box(left, self._floor, 0, 0), "bottom", None, moving)

    def _near(
        self, size: tuple[int, int], anchor: Box, side: Side, home: _Node | None, moving: Collection[_Node]
    ) -> Box:
        """Find a place beside a box; in its group, if it is in one."""
        around = set(self._holding(home.box)) if home else set()
        box = beside(size, anchor, side, self._taken(around, moving))
        if home is not None and not home.box.holds(box):
            return self._in_group(size, home, moving)
        return box

    def _in_group(self, size: tuple[int, int], group: _Node, moving: Collection[_Node]) -> Box:
        """Find a place in a group, which is made larger if it is full."""
        taken = list(self._taken({group, *self._holding(group.box)}, moving))
        box = within(size, group.box, taken)
        if box is None:
            box, larger = enlarged(size, group.box, [each for each in taken if each.overlaps(group.box, GAP)])
            self._check_group(group, larger, moving)
            self._put(group, larger)
            if self.deeds:
                self.deeds[-1].parts.append(f" (the {group.card} becomes larger)")
        return box

    def _taken(self, around: Collection[_Node], moving: Collection[_Node]) -> Iterator[Box]:
        return (node.box for node in self._nodes if node not in around and node not in moving)

    def _holding(self, box: Box) -> Iterator[_Node]:
        """Return the groups that contain a place."""
        return (node for node in self._nodes if node.card.kind == GROUP and node.box.holds(box))

    def _home(self, boxes: Sequence[Box], besides: _Node | None = None) -> _Node | None:
        """Return the innermost group that contains some places."""
        groups = [node for node in self._nodes if node.card.kind == GROUP and node is not besides]
        holding = [node for node in groups if all(node.box.holds(box) for box in boxes)]
        return min(holding, key=lambda node: node.box.width * node.box.height, default=None)

    def _check_group(self, group: _Node, larger: Box, moving: Collection[_Node] = ()) -> None:
        """Make sure that a group can have another size. Raises InvalidParameters."""
        around = set(self._holding(group.box))
        for node in self._nodes:
            if node is group or node in moving:
                continue
            if node in around:
                fits = node.box.holds(larger)
            elif group.box.holds(node.box):
                fits = larger.holds(node.box)
            else:
                fits = group.box.overlaps(node.box) or not larger.overlaps(node.box)
            if not fits:
                raise InvalidParameters(
                    f"There is no room: the {group.card} would have to be {larger.width} by {larger.height}, and the "
                    f"{node.card} is in its way; move that one first, or choose another place"
                )

    def _check_free(self, card: _Node, box: Box) -> None:
        around = set(self._holding(card.box))
        for node in self._nodes:
            if node is not card and (not node.box.holds(box) if node in around else node.box.overlaps(box)):
                raise InvalidParameters(
                    f"There is no room: so large, the {card.card} would overlap the {node.card}; "
                    "say beside or group too"
                )

    def _put(self, node: _Node, box: Box) -> None:
        """Give a card another place and size; what stays is not written again."""
        for name, old, new in zip(box._fields, node.box, box, strict=True):
            if old != new:
                node.raw = with_member(node.raw, name, new)
        node.card = replace(node.card, box=box)

    # -- names ------------------------------------------------------------------------------------------------------

    def _deed(self) -> _Deed:
        deed = _Deed()
        self.deeds.append(deed)
        return deed

    def _new_id(self) -> str:
        while True:
            self._seed.update(b"next")
            id_ = self._seed.hexdigest()[:_ID_DIGITS]
            if id_ not in self._ids:
                self._ids.add(id_)
                self.added.append(id_)
                return id_

    def _group(self, name: str) -> _Node:
        node = self._node(name, groups=True)
        if node.card.kind != GROUP:
            raise InvalidParameters(f"The {node.card} is no group")
        return node

    def _node(self, name: str, *, groups: bool = False) -> _Node:
        found = self._found(name, groups=groups)
        if isinstance(found, _Edge):
            raise InvalidParameters(f"{name!r} is a connection; name a card")
        return found

    def _found(self, name: str, *, groups: bool = False) -> _Node | _Edge:
        """Return the one card, group or connection that a name means."""
        if name in self._aliases and self._aliases[name] in self._nodes:
            return self._aliases[name]
        found: list[_Node | _Edge] = [node for node in self._nodes if node.card.id == name]
        found += [edge for edge in self._edges if edge.connection.id == name]
        if not found:
            said = name.strip().casefold()
            found += [node for node in self._nodes if said in node.card.names]
            only = [node for node in found if isinstance(node, _Node) and node.card.kind == GROUP] if groups else []
            found = [*only] or found
        if not found:
            raise NotFound(f"There is no card {first_words(name)!r} on the canvas{self._nearest(name)}")
        if found[1:] or (isinstance(found[0], _Node) and found[0].card.id in self._doubled):
            raise Ambiguous(
                f"{first_words(name)!r} means several: name one by its id, and where several have that, give them "
                "ids of their own with edit first",
                candidates=[_told(each) for each in found[:_CANDIDATES]],
            )
        return found[0]

    def _nearest(self, name: str) -> str:
        known = {(node.card.words or node.card.id): node.card for node in self._nodes[:_COMPARED]}
        near = difflib.get_close_matches(name[:100], known, n=3, cutoff=0.4) or list(known)[:_CANDIDATES]
        return "; there are: " + ", ".join(f"{words!r} ({known[words].id[:100]})" for words in near) if near else ""


def _told(found: _Node | _Edge) -> str:
    if isinstance(found, _Edge):
        return f"the connection {found.connection.id[:100]}"
    box = found.box
    return f"the {found.card} ({found.card.id[:100]}) at {box.x},{box.y}"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _sides(start: Box, end: Box) -> tuple[str, str]:
    """Return the sides at which an arrow begins and ends: those that face each other."""
    right = (end.x + end.right) - (start.x + start.right)
    down = (end.y + end.bottom) - (start.y + start.bottom)
    if abs(right) >= abs(down):
        return ("right", "left") if right >= 0 else ("left", "right")
    return ("bottom", "top") if down >= 0 else ("top", "bottom")
