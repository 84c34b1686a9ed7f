"""The functions of lists, none of which changes its list; the order of rows; and the summaries below columns."""

import math
import re
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeVar

from bridge.bases.dates import Date, Duration, between, read_date
from bridge.bases.failures import MOST_ITEMS, StepBudget, TooMuch
from bridge.bases.numbers import Number, quotient, tame
from bridge.bases.rows import Link, Row, Tags, Value
from bridge.bases.values import LISTS, TEXTS, equal, identical, length_of, same_place, text

_DIGITS: Final = re.compile(r"(\d+)", re.ASCII)
_INDEX: Final = re.compile(r"0|[1-9]\d{0,9}", re.ASCII)
_LARGEST_INDEX: Final = 2**32 - 2
_HOLDING: Final = TEXTS | LISTS | {dict}
_PLAIN: Final = frozenset({int, float})


def contains(values: list[Value], wanted: Value, budget: StepBudget) -> bool:
    """Return whether a value is among others; of tags also whether one is nested in it."""
    budget.spend(len(values))
    if type(values) is Tags and isinstance(wanted, str):
        return has_tag(values, wanted)
    if type(wanted) is Link:
        return _has_link(values, wanted, budget)
    for value in values:  # noqa: SIM110 (a generator would cost as much as a comparison)
        if equal(value, wanted, budget):
            return True
    return False


def _has_link(values: list[Value], wanted: Link, budget: StepBudget) -> bool:
    """Return whether a link is in a list: one with the same target file, or with the same text if it has none."""
    target, path = wanted.target, wanted.path
    for value in values:
        if type(value) is not Link:
            if equal(value, wanted, budget):
                return True
        elif target is not None and value.target is not None:
            if value.target == target:
                return True
        elif value.path == path or ("#" in value.path + path and same_place(value, wanted)):
            return True
    return False


def has_tag(tags: list[Value], wanted: str) -> bool:
    """Return whether a tag is among others, or one that is nested in it; case does not matter."""
    name = wanted.removeprefix("#").lower()
    return any(tag == name or tag.startswith(name + "/") for tag in (str(each).lower() for each in tags))


def spread(values: tuple[Value, ...]) -> list[Value]:
    """Return values, with the items of each list in its place."""
    spread: list[Value] = []
    for value in values:
        spread.extend(value) if type(value) in LISTS else spread.append(value)
    return spread


def flat(values: list[Value], budget: StepBudget) -> list[Value]:
    """Return a list without lists in it."""
    found: list[Value] = []
    pending = [iter(values)]
    while pending:
        value = next(pending[-1], pending)
        if value is pending:
            pending.pop()
        elif type(value) in LISTS:
            budget.spend(1)
            pending.append(iter(value))
        else:
            found.append(value)
            if len(found) > MOST_ITEMS:
                raise TooMuch(f"a list of more than {MOST_ITEMS:,} items is not made")
    budget.items(len(found))
    return found


def unique(values: list[Value], budget: StepBudget) -> list[Value]:
    """Return a list without what is in it twice.

    The app keeps values by their texts in an object of JavaScript, which gives whole numbers first, by size.
    """
    kept: dict[str, list[Value]] = {}
    for value in values:
        key = text(value)
        budget.spend(1 + len(key) // 8)
        same = kept.setdefault(key, [])
        if not any(identical(value, other, budget) for other in same):
            same.append(value)
    indexes = sorted((key for key in kept if _INDEX.fullmatch(key) and int(key) <= _LARGEST_INDEX), key=int)
    ordered = [*indexes, *(key for key in kept if key not in set(indexes))] if indexes else list(kept)
    return [value for key in ordered for value in kept[key]]


def sorted_values(values: list[Value], budget: StepBudget) -> list[Value]:
    """Return a list sorted: numbers by size, and anything else as `natural` has it."""
    budget.items(len(values) * 4)
    if all(type(value) in _PLAIN for value in values):
        return sorted(values, key=lambda value: (math.isnan(value), value))

    def key(value: Value) -> tuple[Any, ...]:
        said = text(value)
        budget.spend(len(said))
        return natural(said)

    return sorted(values, key=key)


def natural(said: str) -> tuple[Any, ...]:
    """Return what a text is sorted by: case and accents do not matter, and `2` comes before `10`."""
    folded = said.casefold()
    if not folded.isascii():
        folded = "".join(each for each in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(each))
    parts = _DIGITS.split(folded)
    if len(parts) == 1:
        return (folded,)
    return tuple((len(part.lstrip("0")), part.lstrip("0")) if place % 2 else part for place, part in enumerate(parts))


def numbers(values: list[Value]) -> list[Number]:
    """Return the numbers among values."""
    return [value for value in values if type(value) in _PLAIN and not math.isnan(value)]


def total(values: list[Number]) -> Number:
    """Return the sum of numbers."""
    return tame(sum(values))


def mean(values: list[Value]) -> Number | None:
    """Return the sum of the numbers in a list, divided by its length; null without numbers."""
    found = numbers(values)
    return quotient(total(found), len(values)) if found else None


def median(values: list[Number]) -> Number | None:
    """Return the number in the middle."""
    ordered, count = sorted(values), len(values)
    if not count:
        return None
    middle = ordered[count // 2]
    return middle if count % 2 else quotient(tame(middle + ordered[count // 2 - 1]), 2)


def deviation(values: list[Number]) -> Number | None:
    """Return the standard deviation of all its numbers."""
    if not values:
        return None
    average = total(values) / len(values)
    try:
        return math.sqrt(math.fsum((value - average) ** 2 for value in values) / len(values))
    except (OverflowError, ValueError):
        return math.inf


def is_empty(value: Value) -> bool:
    """Return whether there is nothing in a value: null, an empty text, list or object."""
    return value is None or (type(value) in _HOLDING and not value)


Summary = Callable[[list[Value], StepBudget], Value]


def _dates(values: list[Value]) -> list[Date]:
    zone = next((value.zone for value in values if type(value) is Date), None)
    if zone is None:
        return []
    read = (read_date(value, zone) if type(value) in TEXTS else value for value in values)
    return [date for date in read if type(date) is Date]


def _of_numbers(summary: Callable[[list[Number]], Value]) -> Summary:
    def run(values: list[Value], _budget: StepBudget) -> Value:
        found = numbers(values)
        return summary(found) if found else None

    return run


def _range(values: list[Value], _budget: StepBudget) -> Value:
    """Return the range from the smallest number to the largest, or from the first date to the last."""
    if found := numbers(values):
        return tame(max(found) - min(found))
    dates = sorted(_dates(values), key=lambda date: date.ms)
    return between(dates[-1], dates[0]) if dates else None


def _counted(test: Callable[[Value], bool]) -> Summary:
    return lambda values, _budget: sum(map(test, values))


SUMMARIES: Final[dict[str, Summary]] = {
    "average": _of_numbers(lambda found: quotient(total(found), len(found))),
    "min": _of_numbers(min),
    "max": _of_numbers(max),
    "sum": _of_numbers(total),
    "range": _range,
    "median": _of_numbers(median),
    "stddev": _of_numbers(deviation),
    "earliest": lambda values, _budget: min(_dates(values), key=lambda date: date.ms, default=None),
    "latest": lambda values, _budget: max(_dates(values), key=lambda date: date.ms, default=None),
    "checked": _counted(lambda value: value is True),
    "unchecked": _counted(lambda value: value is False),
    "empty": _counted(is_empty),
    "filled": _counted(lambda value: not is_empty(value)),
    "unique": lambda values, budget: len(unique([value for value in values if not is_empty(value)], budget)),
}
"""The app's own summaries, by their names in lower case."""


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
    keyed = [(None if is_empty(value := values(thing)) else sort_key(value), thing) for thing in things]
    having = [(key, thing) for key, thing in keyed if key is not None]
    having.sort(key=lambda pair: pair[0], reverse=descending)
    return [thing for _key, thing in having] + [thing for key, thing in keyed if key is None]


def group_key(value: Value) -> Hashable:
    """Return what is the same for values of one group."""
    if is_empty(value):
        return None
    if type(value) is Link and value.target is not None:
        return "Link", value.target
    rank, _key = sort_key(value)
    return rank, text(value)
