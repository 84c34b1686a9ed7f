"""Changes to a canvas: cards that are added, changed, removed, connected and arranged, and nothing else in the file."""

import difflib
import hashlib
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import orjson
from pydantic import ConfigDict, Field

from bridge.contract.base import Params
from bridge.errors import Ambiguous, InvalidParameters, NotFound
from bridge.notes import canvas_board
from bridge.notes.canvas import CanvasText, new_object, with_member
from bridge.notes.canvas_board import GAP, GROUP, MEMBERS, Board, Box, CanvasConnection, Card, Side, Size, first_words
from bridge.vault.paths import MAX_PATH_BYTES
from bridge.vault.text import counted

Action = Literal["add", "change", "remove", "connect", "arrange"]

_SIZES = {"text": (250, 60), "file": (400, 400), "link": (400, 400), GROUP: (800, 600)}
"""Sizes of new cards in Obsidian; it makes a group as large as its content."""
_CANDIDATES = 5
_COMPARED = 500
_ID_DIGITS = 16

_Card = Annotated[str, Field(min_length=1, max_length=2000)]
_Length = Annotated[int, Field(ge=20, le=20_000)]


class CanvasOperation(Params):
    """One change of a canvas. Cards are named by id, or by their first line, file, address or label."""

    model_config = ConfigDict(alias_generator=None)

    action: Action = Field(description="What to do")
    card: _Card | None = Field(
        None, description="For change and remove: a card, by id, first line, file or URL; or a connection's id"
    )
    cards: list[_Card] | None = Field(
        None, max_length=1000, description="For arrange: which cards (default: those of group)"
    )
    name: _Card | None = Field(None, description="For add: what later operations of the call name it")
    text: str | None = Field(None, max_length=200_000, description="A text card's Markdown")
    file: str | None = Field(None, min_length=1, max_length=MAX_PATH_BYTES, description="A file card's note or file")
    subpath: str | None = Field(
        None, max_length=2000, pattern="^(#.+)?$", description="Of file: '#Heading' or '#^block'; empty: all"
    )
    url: str | None = Field(None, max_length=4000, pattern=r"^https?://\S+$", description="A web card's page")
    label: str | None = Field(
        None, max_length=2000, description="Of a connection, or for add alone: a new group; empty removes it"
    )
    group: _Card | None = Field(None, description="Place in this group, which grows if need be")
    beside: _Card | None = Field(None, description="Place beside this card")
    side: Side = Field("right", description="Of beside")
    color: str | None = Field(
        None, pattern=r"^([1-6]|#[0-9a-fA-F]{6})?$", description="'1' to '6' or '#rrggbb'; empty removes it"
    )
    width: _Length | None = Field(None, description="In pixels")
    height: _Length | None = None
    from_card: _Card | None = Field(None, description="For connect")
    to_card: _Card | None = Field(None, description="For connect")


def edit_canvas(text: str, operations: Sequence[CanvasOperation]) -> tuple[str, list[str]]:
    """Change a canvas. New ids follow from the text and the operations, so the same call makes the same file.

    Args:
        text: The canvas file.
        operations: What is done, one after the other.

    Returns:
        The whole file, and what was done, in words: `adds the card "Ideas"`.

    Raises:
        InvalidParameters: It is damaged, or an operation cannot be done, or has no room.
        NotFound: There is no such card.
        Ambiguous: Several are called so.
    """
    board = canvas_board.parse_board(text)
    if board.faults:
        faults = "; ".join(board.faults[:3])
        raise InvalidParameters(f"The canvas is damaged and stays as it is: {faults}. Mend its text first")
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
    most = canvas_board.MOST_CHARACTERS
    if len(new) > most:
        raise InvalidParameters(f"The canvas would have {len(new):,} characters; {most:,} are the most")
    return new, ["".join(deed) for deed in editor.deeds]


@dataclass(slots=True, eq=False)
class _Node:
    """A card as it is to be written; `old` is its place in the file, None for a new one."""

    old: int | None
    raw: str
    card: Card

    @property
    def box(self) -> Box:
        """Return its place; cards without one have been refused before."""
        return self.card.box or Box(0, 0, 0, 0)


@dataclass(slots=True, eq=False)
class _Edge:
    """A connection as it is to be written."""

    old: int | None
    raw: str
    connection: CanvasConnection


class _Editor:
    """A canvas that is being changed."""

    def __init__(self, text: str, board: Board, seed: "hashlib._Hash") -> None:
        self._text = CanvasText(text)
        self._seed, self._doubled = seed, frozenset(board.doubled)
        nodes = zip(self._text.items["nodes"], board.cards, strict=True)
        edges = zip(self._text.items["edges"], board.connections, strict=True)
        self._nodes = [_Node(at, raw, card) for at, (raw, card) in enumerate(nodes)]
        self._edges = [_Edge(at, raw, edge) for at, (raw, edge) in enumerate(edges)]
        self._floor = max((node.box.bottom for node in self._nodes), default=0)
        self._aliases: dict[str, _Node] = {}
        self._new: dict[str, list[str]] = {}
        self._ids = {node.card.id for node in self._nodes} | {edge.connection.id for edge in self._edges}
        self.deeds: list[list[str]] = []  # each in parts

    def text(self) -> str:
        """Return the whole file."""
        nodes = [(node.old, node.raw) for node in self._nodes]
        return self._text.with_lists({"nodes": nodes, "edges": [(edge.old, edge.raw) for edge in self._edges]})

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
        id_ = self._new_id()
        values: dict[str, Any] = {"id": id_, "type": kind, MEMBERS[kind]: about}
        if kind == "file" and operation.subpath:
            values |= {"subpath": operation.subpath}
            about += operation.subpath
        values |= box._asdict() | ({"color": operation.color} if operation.color else {})
        node = _Node(None, new_object(values, self._text.style("nodes")), Card(id_, kind, about, box))
        self._nodes.insert(0 if kind == GROUP else len(self._nodes), node)  # what comes first lies below
        if operation.name:
            self._aliases[operation.name] = node
        self._new[id_] = deed
        deed.insert(0, f"adds the {node.card}{self._where(operation)}")

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
        given = {"text": operation.text, "file": operation.file, "url": operation.url, "label": operation.label}
        own = MEMBERS.get(node.card.kind, "")
        wrong = [name for name, value in given.items() if value is not None and name != own]
        wrong += ["subpath"] if operation.subpath is not None and own != "file" else []
        if wrong:
            has = own or "a type of another program"
            raise InvalidParameters(f"{wrong[0]} does not go with the {said}; it has {has}")
        changes: list[str] = []
        deed = self._deed()
        node.raw, about = self._about(node, own, given.get(own), operation.subpath)
        if about != node.card.about:
            node.card = replace(node.card, about=about)
            changes.append(f'its {own} becomes "{node.card.words}"')
        changes += self._recolored(node, operation.color)
        if operation.beside is not None or operation.group is not None or operation.width or operation.height:
            changes.append(self._moved(node, operation))
        if changes:
            deed.insert(0, f"changes the {said}: {', '.join(changes)}")
        else:
            self.deeds.pop()

    @staticmethod
    def _about(node: _Node, own: str, value: str | None, subpath: str | None) -> tuple[str, str]:
        """Return a card with another text, file, address or label, and what it is about then."""
        if own != "file":
            if value is None or value == node.card.about:
                return node.raw, node.card.about
            return with_member(node.raw, own, value), value
        written = orjson.loads(node.raw)
        file, part = str(written.get("file", "")), str(written.get("subpath", ""))
        new = (value or file, subpath if subpath is not None else part if value in {None, file} else "")
        raw = with_member(node.raw, "file", new[0]) if new[0] != file else node.raw
        return (with_member(raw, "subpath", new[1] or None) if new[1] != part else raw), "".join(new)

    @staticmethod
    def _recolored(item: _Node | _Edge, color: str | None) -> list[str]:
        if color is None:
            return []
        item.raw = with_member(item.raw, "color", color or None)
        return [f"its color becomes {color}" if color else "its color goes"]

    def _moved(self, node: _Node, operation: CanvasOperation) -> str:
        size = (operation.width or node.box.width, operation.height or node.box.height)
        if operation.beside is None and operation.group is None:
            box = Box(node.box.x, node.box.y, *size)
            check = self._check_group if node.card.kind == GROUP else self._check_free
            check(node, box)
            self._put(node, box)
            return f"it becomes {size[0]} by {size[1]}"
        if node.card.kind == GROUP:
            raise InvalidParameters(f"The {node.card} stays where it is: move its cards instead")
        self._put(node, self._place(operation, size, {node}))
        return f"it moves{self._where(operation)}"

    def _change_connection(self, edge: _Edge, operation: CanvasOperation) -> None:
        if operation.label is None and operation.color is None:
            raise InvalidParameters("Of a connection, only label and color can be changed")
        said = self._ends(edge)
        changes = []
        if operation.label is not None:
            edge.raw = with_member(edge.raw, "label", operation.label or None)
            edge.connection = edge.connection._replace(label=operation.label)
            words = first_words(operation.label)
            changes.append(f'its label becomes "{words}"' if operation.label else "its label goes")
        changes += self._recolored(edge, operation.color)
        self._deed().append(f"changes the connection {said}: {', '.join(changes)}")

    def _ends(self, edge: _Edge) -> str:
        cards = {node.card.id: f"the {node.card}" for node in self._nodes}
        start, end = (cards.get(each, "no card") for each in (edge.connection.start, edge.connection.end))
        return f"from {start} to {end}"

    def _remove(self, operation: CanvasOperation) -> None:
        if operation.card is None:
            raise InvalidParameters("remove needs card: which card, group or connection")
        found = self._found(operation.card)
        if isinstance(found, _Edge):
            self._deed().append(f"removes the connection {self._ends(found)}")
            self._edges.remove(found)
            return
        self._nodes.remove(found)
        before, gone = len(self._edges), found.card.id
        self._edges = [edge for edge in self._edges if gone not in {edge.connection.start, edge.connection.end}]
        ends = before - len(self._edges)
        said = f" and its {counted(ends, 'connection')}" if ends else ""
        stay = " (its cards stay)" if found.card.kind == GROUP else ""
        self._deed().append(f"removes the {found.card}{stay}{said}")

    def _connect(self, operation: CanvasOperation) -> None:
        if operation.from_card is None or operation.to_card is None:
            raise InvalidParameters("connect needs from_card and to_card")
        start, end = self._node(operation.from_card), self._node(operation.to_card)
        label = operation.label or ""
        ends = (start.card.id, end.card.id, label)
        if any((edge.connection.start, edge.connection.end, edge.connection.label) == ends for edge in self._edges):
            raise InvalidParameters(f"The {start.card} and the {end.card} are already connected like that")
        from_side, to_side = canvas_board.facing_sides(start.box, end.box)
        id_ = self._new_id()
        values = {"id": id_, "fromNode": start.card.id, "fromSide": from_side, "toNode": end.card.id, "toSide": to_side}
        values |= {"color": operation.color} if operation.color else {}
        values |= {"label": label} if label else {}
        connection = CanvasConnection(id_, *ends)
        self._edges.append(_Edge(None, new_object(values, self._text.style("edges")), connection))
        named = f' with the label "{first_words(label)}"' if label else ""
        if (deed := self._new.get(end.card.id)) and end is not start:
            deed.append(f", connected from the {start.card}{named}")
        elif deed := self._new.get(start.card.id):
            deed.append(f", connected to the {end.card}{named}")
        else:
            self._deed().append(f"connects the {start.card} to the {end.card}{named}")

    def _arrange(self, operation: CanvasOperation) -> None:
        moving = self._arranged(operation)
        if not moving:
            raise InvalidParameters("arrange needs cards, or a group with cards in it")
        deed = self._deed()
        corner = Box(min(node.box.x for node in moving), min(node.box.y for node in moving), 0, 0)
        wide, waiting = math.ceil(math.sqrt(len(moving))), set(moving)
        home = self._home([node.box for node in moving])
        if operation.group is None and operation.beside is not None:
            corner = self._place(operation, (moving[0].box.width, moving[0].box.height), waiting)
            home = self._home([corner])
        row = corner.y - GAP
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
        deed.insert(0, f"arranges {counted(len(moving), 'card')}{place} so that they do not overlap")

    def _arranged(self, operation: CanvasOperation) -> list[_Node]:
        if operation.cards is None and operation.group is not None:
            group = self._group(operation.group)
            homes = canvas_board.groups_of([node.card for node in self._nodes])
            at = self._nodes.index(group)
            inside = [node for node, home in zip(self._nodes, homes, strict=True) if home == at]
            cards = (node for node in inside if node.card.kind != GROUP)
            return sorted(cards, key=lambda node: (node.box.y, node.box.x))
        moving = list(dict.fromkeys(self._node(name) for name in operation.cards or ()))
        if groups := [node for node in moving if node.card.kind == GROUP]:
            raise InvalidParameters(f"The {groups[0].card} stays where it is: arrange its cards instead")
        return moving

    # -- places -----------------------------------------------------------------------------------------------------

    def _place(self, operation: CanvasOperation, size: Size, moving: Collection[_Node]) -> Box:
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

    def _near(self, size: Size, anchor: Box, side: Side, home: _Node | None, moving: Collection[_Node]) -> Box:
        """Find a place beside a box; in its group, if it is in one."""
        around = set(self._holding(home.box)) if home else set()
        box = canvas_board.beside(size, anchor, side, self._taken(around, moving))
        if home is not None and not home.box.holds(box):
            return self._in_group(size, home, moving)
        return box

    def _in_group(self, size: Size, group: _Node, moving: Collection[_Node]) -> Box:
        """Find a place in a group, which is made larger if it is full."""
        taken = list(self._taken({group, *self._holding(group.box)}, moving))
        box = canvas_board.within(size, group.box, taken)
        if box is None:
            members = [each for each in taken if each.overlaps(group.box, GAP)]
            box, larger = canvas_board.enlarged(size, group.box, members)
            self._check_group(group, larger, moving)
            self._put(group, larger)
            if self.deeds:
                self.deeds[-1].append(f" (the {group.card} becomes larger)")
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

    def _deed(self) -> list[str]:
        self.deeds.append([])
        return self.deeds[-1]

    def _new_id(self) -> str:
        while True:
            self._seed.update(b"next")
            id_ = self._seed.hexdigest()[:_ID_DIGITS]
            if id_ not in self._ids:
                self._ids.add(id_)
                return id_

    def _group(self, name: str) -> _Node:
        node = self._node(name, groups=True)
        if node.card.kind != GROUP:
            raise InvalidParameters(f"The {node.card} is not a group")
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
