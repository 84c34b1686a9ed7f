"""The order of rows: what comes first of two values, whatever they are."""

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeVar

from bridge.bases.dates import Date, Duration
from bridge.bases.lists import is_empty, natural
from bridge.bases.rows import Link, Row, Value
from bridge.bases.values import LISTS, length_of, text

T = TypeVar("T")

_FIRST: Final[dict[type, int]] = {bool: 0, int: 1, float: 1, Date: 2, Duration: 3}
_TEXT: Final = 4


def sort_key(value: Value) -> tuple[int, Any]:
    """Return what a value that is not empty is sorted by.

    Booleans come first, then numbers by size, dates from old to new, durations, and everything else as text: case does
    not matter, and `2` comes before `10`.
    """
    kind = type(value)
    rank = _FIRST.get(kind, _TEXT)
    if rank == _TEXT:
        return rank, natural(shown(value))
    if kind is Date:
        return rank, value.ms
    if kind is Duration:
        return rank, length_of(value)
    return rank, (math.isnan(value), value) if kind is float else (False, value)


def shown(value: Value) -> str:
    """Return what a person sees of a value: of a link its text, of a file its name."""
    kind = type(value)
    if kind is Link:
        return str(value.path if value.display is None else value.display)
    if kind is Row:
        return str(value.name)
    if kind in LISTS:
        return ", ".join(shown(each) for each in value[:100])
    return "" if value is None else text(value)


def in_order(things: Sequence[T], values: Callable[[T], Value], *, descending: bool) -> list[T]:
    """Return things sorted by a value of each; those without one come last, whichever way it goes.

    Args:
        things: The things, in the order that those with the same value keep.
        values: Returns a thing's value.
        descending: Whether the last comes first.
    """
    having: list[tuple[tuple[int, Any], T]] = []
    without: list[T] = []
    for thing in things:
        value = values(thing)
        if is_empty(value):
            without.append(thing)
        else:
            having.append((sort_key(value), thing))
    having.sort(key=lambda pair: pair[0], reverse=descending)
    return [thing for _key, thing in having] + without


def group_key(value: Value) -> Hashable:
    """Return what is the same for values of one group."""
    if is_empty(value):
        return None
    if type(value) is Link and value.target is not None:
        return "Link", value.target
    rank, _key = sort_key(value)
    return rank, text(value)
