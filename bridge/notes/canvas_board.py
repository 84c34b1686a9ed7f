"""The content of a canvas: its cards, the groups they are in, and the connections between them."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple

from bridge.errors import InvalidParameters
from bridge.notes.canvas import loaded

MOST_CHARACTERS = 2_000_000
"""Of a canvas that is understood."""

CANVAS = ".canvas"
"""The ending of canvases' names."""

GROUP = "group"
MEMBERS = {"text": "text", "file": "file", "link": "url", GROUP: "label"}
"""Each type of node, and the member that says what it is about."""
_FARTHEST = 1_000_000_000
_MOST_COMPARED = 1_000_000
_LONGEST_WORDS = 80
_LONGEST_ID = 200
_TOLD = 3
"""Faults that are named."""


class Box(NamedTuple):
    """A rectangle of whole pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """Return its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """Return its bottom edge."""
        return self.y + self.height

    def overlaps(self, other: "Box", gap: int = 0) -> bool:
        """Return whether the two overlap, or are nearer to each other than a gap."""
        return (
            self.x < other.right + gap
            and other.x < self.right + gap
            and self.y < other.bottom + gap
            and other.y < self.bottom + gap
        )

    def holds(self, other: "Box") -> bool:
        """Return whether the other one is inside."""
        return self.x <= other.x and self.y <= other.y and self.right >= other.right and self.bottom >= other.bottom


@dataclass(frozen=True, slots=True)
class Card:
    """A card or a group.

    Attributes:
        id: What connections call it.
        kind: `text`, `file`, `link` or `group`, or what another program calls it.
        about: Its text, file, address or label, whole.
        box: Its position; None if the file does not say.
    """

    id: str
    kind: str
    about: str
    box: Box | None

    @property
    def words(self) -> str:
        """Return its name in a list: its first words, its file, its address or its label."""
        return first_words(self.about, heading=self.kind == "text")

    @property
    def names(self) -> set[str]:
        """Return the names that it has besides its id, in lower case."""
        whole = first_words(self.about, heading=self.kind == "text", most=len(self.about))
        names = {self.about.strip(), whole, self.words}
        if self.kind == "file":
            name = self.about.partition("#")[0].rpartition("/")[2]
            names |= {name, name.rpartition(".")[0]}
        return {name.casefold() for name in names if name}

    def __str__(self) -> str:
        kind = {"text": "card", "file": "card of the file", "link": "card of the page", GROUP: "group"}.get(
            self.kind, "card"
        )
        return f'{kind} "{self.words}"' if self.words else f"{kind} {first_words(self.id)!r} without words"


class CanvasConnection(NamedTuple):
    """A connection of two cards.

    Attributes:
        id: Its own.
        start: The id of the card that it begins at.
        end: The id of the card that it ends at.
        label: What is written on it.
        arrow: How it is drawn.
    """

    id: str
    start: str
    end: str
    label: str
    arrow: str = "->"


class Board(NamedTuple):
    """A canvas.

    Attributes:
        cards: In their order, which says what lies on top.
        connections: In their order.
        faults: What in it is no canvas, each in a sentence.
        doubled: The ids that several cards have.
    """

    cards: tuple[Card, ...]
    connections: tuple[CanvasConnection, ...]
    faults: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()


def first_words(text: str, *, heading: bool = False, most: int = _LONGEST_WORDS) -> str:
    """Return the first line of a text that is not empty, shortened, and without invisible characters."""
    line = next((line.strip() for line in text[: max(most, _LONGEST_WORDS) * 4].splitlines() if line.strip()), "")
    if heading:
        line = line.lstrip("#").strip() or line
    seen = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line[: most + 1])
    return seen if len(seen) <= most else f"{seen[:most].rstrip()}..."


def parse_board(text: str) -> Board:
    """Return what is on a canvas, as far as it can be understood.

    Args:
        text: The canvas file.

    Raises:
        InvalidParameters: It is no JSON object, too long or nested too deeply.
    """
    if len(text) > MOST_CHARACTERS:
        raise InvalidParameters(f"The canvas has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read")
    value = loaded(text)
    faults: list[str] = []
    cards = [_card(node, number, faults) for number, node in enumerate(_listed(value, "nodes", faults), 1)]
    edges = [_connection(edge, number, faults) for number, edge in enumerate(_listed(value, "edges", faults), 1)]
    doubled = [name for name, count in Counter(card.id for card in cards).items() if name and count > 1]
    return Board(tuple(cards), tuple(edges), tuple(dict.fromkeys(faults)), tuple(doubled))


def _listed(value: dict[str, Any], name: str, faults: list[str]) -> list[Any]:
    found = value.get(name, [])
    if isinstance(found, list):
        return found
    faults.append(f"{name!r} is not a list")
    return []


def _card(node: Any, number: int, faults: list[str]) -> Card:
    if not isinstance(node, dict):
        faults.append(f"node {number} is not an object")
        return Card("", "", "", None)
    kind, about = first_words(_text(node, "type")), _text(node, MEMBERS.get(_text(node, "type"), "text"))
    if kind == "file":
        about += _text(node, "subpath")
    box = _box(node)
    if not _text(node, "id"):
        faults.append(f"node {number} has no id")
    if box is None:
        faults.append(f"node {number} has no place and size that can be drawn")
    return Card(_text(node, "id"), kind, about, box)


def _box(node: dict[str, Any]) -> Box | None:
    numbers = [node.get(name) for name in ("x", "y", "width", "height")]
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
        return None
    x, y, width, height = (float(number or 0) for number in numbers)
    # What is not a number is not below anything either.
    if not all(abs(number) <= _FARTHEST for number in (x, y, width, height)) or width < 0 or height < 0:
        return None
    left, top = math.floor(x), math.floor(y)
    return Box(left, top, math.ceil(x + width) - left, math.ceil(y + height) - top)


def _connection(edge: Any, number: int, faults: list[str]) -> CanvasConnection:
    if not isinstance(edge, dict):
        faults.append(f"edge {number} is not an object")
        return CanvasConnection("", "", "", "")
    start, end = _text(edge, "fromNode"), _text(edge, "toNode")
    if not start or not end:
        faults.append(f"edge {number} does not say which cards it connects")
    back, forth = edge.get("fromEnd") == "arrow", edge.get("toEnd", "arrow") != "none"
    arrow = f"{'<' if back else ''}-{'>' if forth else ''}"
    return CanvasConnection(_text(edge, "id"), start, end, _text(edge, "label"), "--" if arrow == "-" else arrow)


def _text(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def groups_of(cards: Sequence[Card]) -> list[int | None]:
    """Return for each card the place of the innermost group that it is in; of too many, none.

    Args:
        cards: The cards and groups.
    """
    boxes = ((at, card.box) for at, card in enumerate(cards) if card.kind == GROUP)
    groups = sorted((box.width * box.height, at, box) for at, box in boxes if box is not None)
    if len(groups) * len(cards) > _MOST_COMPARED:
        return [None] * len(cards)
    return [next(_around(card, groups), None) for card in cards]


def _around(card: Card, groups: Sequence[tuple[int, int, Box]]) -> Iterator[int]:
    if card.box is None:
        return
    area = card.box.width * card.box.height if card.kind == GROUP else -1
    yield from (at for size, at, box in groups if size > area and box.holds(card.box))


class Outlined(NamedTuple):
    """The outline of a canvas.

    Attributes:
        text: For models.
        cards: For programs: those that the text names.
        connections: The same.
        next: How many cards and connections come before the next one, where there is not room for all.
    """

    text: str
    cards: list[dict[str, Any]]
    connections: list[dict[str, Any]]
    next: int | None


def outline_canvas(text: str, room: int, first: int = 0) -> Outlined:
    """Return the groups of a canvas with the cards in them, the other cards, and the connections.

    Args:
        text: The canvas file.
        room: The bytes that the text may have.
        first: How many cards and connections to leave out before the first.

    Raises:
        InvalidParameters: It is no canvas, or has no more than are left out.
    """
    board = parse_board(text)
    if first and first >= len(board.cards) + len(board.connections):
        raise InvalidParameters("There is nothing at this cursor, or no more; begin again without cursor")
    within = groups_of(board.cards)
    groups = sum(card.kind == GROUP for card in board.cards)
    shown = _Lines(room)
    shown.add(f"Cards: {len(board.cards) - groups}, groups: {groups}, connections: {len(board.connections)}")
    faults = [*board.faults, *(f"several cards have the id {_shown_id(name)!r}" for name in board.doubled)]
    if faults:
        more = f" and {len(faults) - _TOLD} more" if faults[_TOLD:] else ""
        shown.add(f"Damaged: {'; '.join(faults[:_TOLD])}{more}.")
    below: dict[int | None, list[int]] = {}
    for at, group in enumerate(within):
        below.setdefault(group, []).append(at)
    cards: list[dict[str, Any]] = []
    for at, depth in islice(_in_order(board.cards, below), first, None):
        card = board.cards[at]
        place = f"at {card.box.x},{card.box.y} size {card.box.width}x{card.box.height}" if card.box else "nowhere"
        said = f"{card.kind or 'unknown'} {card.words or '(empty)'} ({_shown_id(card.id)}) {place}"
        if not shown.add("  " * min(depth, 10) + said):
            break
        around = within[at]
        own: dict[str, Any] = {"id": _shown_id(card.id), "kind": card.kind, "words": card.words}
        own["group"] = None if around is None else _shown_id(board.cards[around].id)
        cards.append(own | (card.box._asdict() if card.box else {}))
    connections: list[dict[str, Any]] = []
    names = {card.id: card.words or _shown_id(card.id) for card in board.cards}
    before = max(first - len(board.cards), 0)
    for edge in board.connections[before:]:
        start, end = (f'"{names[end]}"' if end in names else "(no card)" for end in (edge.start, edge.end))
        label = f": {first_words(edge.label)}" if edge.label else ""
        if not shown.add(f"{start} {edge.arrow} {end}{label} ({_shown_id(edge.id)})"):
            break
        ids = {"id": edge.id, "from": edge.start, "to": edge.end}
        connections.append({name: _shown_id(each) for name, each in ids.items()} | {"label": first_words(edge.label)})
    upto = first + len(cards) + len(connections)
    if upto == len(board.cards) + len(board.connections):
        return Outlined("\n".join(shown.lines), cards, connections, None)
    missing = max(len(board.cards) - upto, 0), len(board.connections) - before - len(connections)
    shown.lines.append(f"[{missing[0]} more cards and groups, {missing[1]} more connections; next: cursor={upto}]")
    return Outlined("\n".join(shown.lines), cards, connections, upto)


def _shown_id(text: str) -> str:
    """Return an id as it can be named again, unless it is one that no program would make."""
    return first_words(text, most=_LONGEST_ID)


class _Lines:
    """Lines for which there is room."""

    def __init__(self, room: int) -> None:
        self.lines: list[str] = []
        self._room = room - 100  # for the remark that there are more

    def add(self, line: str) -> bool:
        """Add one, and say whether there was room for it; after the first that does not fit, none does."""
        self._room -= len(line.encode("utf-8", "replace")) + 1
        if self._room >= 0:
            self.lines.append(line)
        return self._room >= 0


def _in_order(cards: Sequence[Card], below: dict[int | None, list[int]]) -> Iterator[tuple[int, int]]:
    """Yield each card after its group, with the number of groups around it; outermost groups come first."""
    waiting = [(at, 0) for at in reversed(below.get(None, []))]
    waiting.sort(key=lambda each: cards[each[0]].kind == GROUP)
    while waiting:
        at, depth = waiting.pop()
        yield at, depth
        waiting += [(inner, depth + 1) for inner in reversed(below.get(at, []))]


Side = Literal["right", "left", "top", "bottom"]
Size = tuple[int, int]
"""Width and height."""

GAP = 40
"""Pixels between a card that is placed and every other one."""
PADDING = 20
"""Pixels between a card that is placed and the border of its group."""
_MOST_ROWS = 200
"""Rows of a group that are tried; of more, the first ones and the last."""


def beside(size: Size, anchor: Box, side: Side, taken: Iterable[Box]) -> Box:
    """Find a place beside a card: level with it, else the first one further down or, above and below it, to the right.

    Args:
        size: Of the card.
        anchor: The card.
        side: On which side of it.
        taken: Where there is something already.
    """
    width, height = size
    x = {"right": anchor.right + GAP, "left": anchor.x - GAP - width}.get(side, anchor.x)
    y = {"bottom": anchor.bottom + GAP, "top": anchor.y - GAP - height}.get(side, anchor.y)
    box, down = Box(x, y, width, height), side in {"right", "left"}
    for other in sorted(taken, key=lambda each: each.y if down else each.x):
        if box.overlaps(other, GAP):
            box = box._replace(y=other.bottom + GAP) if down else box._replace(x=other.right + GAP)
    return box


def within(size: Size, group: Box, taken: Iterable[Box]) -> Box | None:
    """Find a place in a group, from its top left corner on, row by row; None if there is none.

    Args:
        size: Of the card.
        group: The group.
        taken: Where there is something already.
    """
    width, height = size
    inner = [box for box in taken if box.overlaps(group, GAP)]
    rows = sorted({group.y + PADDING, *(box.bottom + GAP for box in inner)})
    across = sorted(inner, key=lambda each: each.x)
    for y in rows if len(rows) <= _MOST_ROWS else [*rows[:_MOST_ROWS], rows[-1]]:
        if y + height + PADDING > group.bottom:
            break
        box = Box(group.x + PADDING, y, width, height)
        for other in across:
            if box.overlaps(other, GAP):
                box = box._replace(x=other.right + GAP)
        if y >= group.y and box.right + PADDING <= group.right:
            return box
    return None


def enlarged(size: Size, group: Box, members: Iterable[Box]) -> tuple[Box, Box]:
    """Find a place below what is in a group, and how large the group must be for it.

    Args:
        size: Of the card.
        group: The group.
        members: What is in it.

    Returns:
        The place, and the group.
    """
    width, height = size
    y = max([group.y + PADDING, *(box.bottom + GAP for box in members)])
    box = Box(group.x + PADDING, y, width, height)
    right, bottom = max(group.right, box.right + PADDING), max(group.bottom, box.bottom + PADDING)
    return box, Box(group.x, group.y, right - group.x, bottom - group.y)


def facing_sides(start: Box, end: Box) -> tuple[str, str]:
    """Return the sides at which an arrow begins and ends: those that face each other."""
    right = (end.x + end.right) - (start.x + start.right)
    down = (end.y + end.bottom) - (start.y + start.bottom)
    if abs(right) >= abs(down):
        return ("right", "left") if right >= 0 else ("left", "right")
    return ("bottom", "top") if down >= 0 else ("top", "bottom")
