"""Where on a canvas there is room for a card."""

from collections.abc import Iterable, Sequence
from typing import Literal

from bridge.notes.canvas_board import Box

Side = Literal["right", "left", "top", "bottom"]

GAP = 40
"""Pixels between a card that is placed and every other one."""
PADDING = 20
"""Pixels between a card that is placed and the border of its group."""
_MOST_ROWS = 200


def beside(size: tuple[int, int], anchor: Box, side: Side, taken: Iterable[Box]) -> Box:
    """Find a place beside a card: level with it, else the first one further down or, above and below it, to the right.

    Args:
        size: Width and height.
        anchor: The card.
        side: On which side of it.
        taken: Where there is something already.
    """
    width, height = size
    x = {"right": anchor.right + GAP, "left": anchor.x - GAP - width}.get(side, anchor.x)
    y = {"bottom": anchor.bottom + GAP, "top": anchor.y - GAP - height}.get(side, anchor.y)
    box = Box(x, y, width, height)
    if side in {"right", "left"}:
        for other in sorted(taken, key=lambda each: each.y):
            if box.overlaps(other, GAP):
                box = box._replace(y=other.bottom + GAP)
        return box
    for other in sorted(taken, key=lambda each: each.x):
        if box.overlaps(other, GAP):
            box = box._replace(x=other.right + GAP)
    return box


def within(size: tuple[int, int], group: Box, taken: Iterable[Box]) -> Box | None:
    """Find a place in a group, from its top left corner on, row by row; None where there is none.

    Args:
        size: Width and height.
        group: The group.
        taken: Where there is something already.
    """
    width, height = size
    inner = [box for box in taken if box.overlaps(group, GAP)]
    rows = sorted({group.y + PADDING, *(box.bottom + GAP for box in inner)})
    across = sorted(inner, key=lambda each: each.x)
    for y in _few(rows):
        if y + height + PADDING > group.bottom:
            break
        box = Box(group.x + PADDING, y, width, height)
        for other in across:
            if box.overlaps(other, GAP):
                box = box._replace(x=other.right + GAP)
        if y >= group.y and box.right + PADDING <= group.right:
            return box
    return None


def _few(rows: Sequence[int]) -> Sequence[int]:
    """Return all rows, or of very many the first ones and the last."""
    return rows if len(rows) <= _MOST_ROWS else [*rows[:_MOST_ROWS], rows[-1]]


def enlarged(size: tuple[int, int], group: Box, members: Iterable[Box]) -> tuple[Box, Box]:
    """Find a place below what is in a group, and how large the group must be for it.

    Args:
        size: Width and height.
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
