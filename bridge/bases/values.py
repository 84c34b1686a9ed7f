"""Rules for all values: type, truth, text, equality and order."""

import json
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from bridge.bases.dates import Date, Duration, between, moved, read_date, read_duration
from bridge.bases.failures import MOST_TEXT, ExpressionError, StepBudget, TooMuch
from bridge.bases.numbers import Number, number_text, quotient, read_number, remainder, tame
from bridge.bases.rows import Html, Icon, Image, Link, Row, Tag, Tags, Url, Value, read_link
from bridge.bases.texts import TextPattern
from bridge.notes.names import split_link

TYPES: Final[dict[type, str]] = (
    {kind: kind.__name__ for kind in (Tag, Url, Icon, Image, Date, Duration, Link)}
    | {type(None): "Null", bool: "Boolean", int: "Number", float: "Number", str: "String", Html: "HTML"}
    | {list: "List", Tags: "List", dict: "Object", Row: "File", TextPattern: "RegExp"}
)
"""The names of the types, as the app has them in its messages."""

TEXTS: Final = frozenset({str, Tag, Url, Html, Icon, Image})
NUMBERS: Final = frozenset({int, float, bool})
_PRIMITIVES: Final = NUMBERS | TEXTS
LISTS: Final = frozenset({list, Tags})

_DEEPEST: Final = 100
_STEPS_OF_AN_ITEM: Final = 10
_SHORT: Final = 1000
_LETTERS_COMPARED: Final = 64
"""Characters that are compared in the time of one step."""


def type_name(value: Value) -> str:
    """Return the name of a value's type."""
    return TYPES.get(type(value), "Object")


def is_true(value: Value) -> bool:
    """Return whether a value counts as true: not null, false, 0, NaN, an empty text, list or duration."""
    kind = type(value)
    if kind is bool:
        return value is True
    if kind is float:
        return not (value == 0 or math.isnan(value))
    if kind is Duration:
        return any(value)
    return kind is dict or bool(value)


def text(value: Value, depth: int = 0) -> str:
    """Write a value as text, as `toString()` does.

    Raises:
        TooMuch: It is too deep or too long.
    """
    kind = type(value)
    if kind is str:
        return str(value)
    if kind in LISTS:
        return joined(value, ", ", depth)
    return _WRITERS.get(kind, str)(value)


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    type(None): lambda _value: "null",
    bool: lambda value: "true" if value else "false",
    int: number_text,
    float: number_text,
    Duration: Duration.humanised,
    dict: lambda value: json.dumps(plain(value), ensure_ascii=False, separators=(",", ":")),
}


def joined(values: list[Value], separator: str, depth: int = 0) -> str:
    """Write values one after the other."""
    if depth > _DEEPEST:
        raise TooMuch("the lists are nested too deeply")
    pieces: list[str] = []
    length = 0
    for value in values:
        pieces.append(text(value, depth + 1))
        length += len(pieces[-1]) + len(separator)
        if length > MOST_TEXT:
            raise TooMuch(f"a text of more than {MOST_TEXT:,} characters is not made")
    return separator.join(pieces)


def plain(value: Value, depth: int = 0, left: list[int] | None = None) -> Any:
    """Return a value as JSON has values.

    Raises:
        TooMuch: It is too deep or too large.
    """
    left = [MOST_TEXT] if left is None else left
    left[0] -= 1
    if depth > _DEEPEST or left[0] < 0:
        raise TooMuch("a value is too large")
    kind = type(value)
    if value is None or kind is bool or kind is int:
        return value
    if kind is float:
        return value if math.isfinite(value) else number_text(value)
    if kind in LISTS:
        return [plain(each, depth + 1, left) for each in value]
    if kind is dict:
        return {key: plain(each, depth + 1, left) for key, each in value.items()}
    said = text(value)
    left[0] -= len(said)
    return said


# -- equality --------------------------------------------------------------------------------------------------------


def equal(left: Value, right: Value, budget: StepBudget) -> bool:
    """Return whether two values are equal as `==` has it.

    Numbers, texts and booleans compare as in JavaScript; links by the files they lead to; a date or duration with the
    text of one; a list of one item with that item.
    """
    kind, other = type(left), type(right)
    if kind is other and (kind is str or kind is int):
        if kind is str and len(left) > _SHORT and len(left) == len(right):
            budget.spend(len(left) // _LETTERS_COMPARED)
        return bool(left == right)
    if left is None or right is None:
        return left is right
    if kind is Link and other is Link:
        return same_place(left, right)
    return _loosely(left, right, budget) or _loosely(right, left, budget)


def same_place(left: Link, right: Link) -> bool:
    """Return whether two links lead to the same file; where one leads nowhere, whether they say the same."""
    if left.target is not None and right.target is not None:
        return left.target == right.target
    return split_link(left.path)[0] == split_link(right.path)[0] if left.path != right.path else True


def _loosely(left: Value, right: Value, budget: StepBudget) -> bool:
    kind, other = type(left), type(right)
    if kind in _PRIMITIVES:
        return other in _PRIMITIVES and _same_primitive(left, right)
    if kind in LISTS:
        budget.spend(_STEPS_OF_AN_ITEM * (len(left) + 1))
        if other in LISTS:
            return len(left) == len(right) and all(equal(a, b, budget) for a, b in zip(left, right, strict=True))
        return len(left) == 1 and equal(left[0], right, budget)
    if kind is dict:
        return _equal_objects(left, right, budget)
    compare = _EQUAL.get(kind)
    return compare is not None and compare(left, right)


def _same_primitive(left: Value, right: Value) -> bool:
    """Return whether two numbers, booleans or texts are equal by JavaScript's `==`."""
    texts = isinstance(left, str), isinstance(right, str)
    if texts == (True, True):
        if type(left) is Tag or type(right) is Tag:
            return str(left).removeprefix("#").lower() == str(right).removeprefix("#").lower()
        return str(left) == str(right)
    a = read_number(left) if texts[0] else left
    b = read_number(right) if texts[1] else right
    return bool(a == b)


def _equal_links(left: Link, right: Value) -> bool:
    if type(right) is Row:
        return left.target == right.path
    linked = type(right) in TEXTS and right[:2] == "[[" and right[-2:] == "]]"
    return linked and same_place(left, read_link(right, "", left.vault))


def _equal_dates(left: Date, right: Value) -> bool:
    other = read_date(right, left.zone) if type(right) in TEXTS else right
    timed = type(other) is Date and left.has_time and other.has_time
    return type(other) is Date and (left.ms == other.ms if timed else left.day().ms == other.day().ms)


def _equal_durations(left: Duration, right: Value) -> bool:
    other = read_duration(right) if type(right) in TEXTS else right
    return type(other) is Duration and length_of(left) == length_of(other)


def _equal_objects(left: Mapping[str, Value], right: Value, budget: StepBudget) -> bool:
    budget.spend(_STEPS_OF_AN_ITEM * (len(left) + 1))
    return (
        type(right) is dict
        and left.keys() == right.keys()
        and all(equal(value, right[key], budget) for key, value in left.items())
    )


_EQUAL: Final[dict[type, Callable[[Any, Value], bool]]] = {
    Link: _equal_links,
    Row: lambda left, right: left.path == (right.path if type(right) is Row else right),
    Date: _equal_dates,
    Duration: _equal_durations,
    TextPattern: operator.eq,
}


def identical(left: Value, right: Value, budget: StepBudget) -> bool:
    """Return whether two values are the same in type and text, so that one of them is a duplicate."""
    kind = type(left)
    if kind is not type(right) and not (kind in NUMBERS and type(right) in NUMBERS and bool not in {kind, type(right)}):
        return False
    if kind in LISTS:
        budget.spend(_STEPS_OF_AN_ITEM * (len(left) + 1))
        return len(left) == len(right) and all(identical(a, b, budget) for a, b in zip(left, right, strict=True))
    if kind is Link:
        return (left.path, left.display, left.source) == (right.path, right.display, right.source)
    if kind is Date:
        return (left.ms, left.has_time) == (right.ms, right.has_time)
    if kind is dict:
        return _equal_objects(left, right, budget)
    return left is right or bool(left == right)


# -- order and arithmetic --------------------------------------------------------------------------------------------

_DAYS_OF_A_YEAR: Final = 365.2425


def length_of(duration: Duration) -> float:
    """Return how long a duration is on the average, in milliseconds."""
    days = (duration.years * 12 + duration.months) * _DAYS_OF_A_YEAR / 12 + duration.days
    return days * 86_400_000 + duration.clock_ms


_Test = Callable[[Any, Any], bool]
_COMPARISONS: Final[dict[str, _Test]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def comparison(sign: str) -> Callable[[Value, Value], bool]:
    """Return what compares two values.

    Args:
        sign: `<`, `<=`, `>` or `>=`.
    """
    test = _COMPARISONS[sign]

    def compare(left: Value, right: Value) -> bool:
        kind, other = type(left), type(right)
        if kind is other and (kind is int or kind is float or kind is str):
            return test(left, right)
        if kind is Date and other is Date:
            return test(left.ms, right.ms)
        return _compared(left, right, test)

    return compare


def _compared(left: Value, right: Value, test: _Test) -> bool:
    """Compare what is not of one simple type. What is compared with null is neither less nor greater."""
    if left is None or right is None:
        return False
    kind, other = type(left), type(right)
    if kind in NUMBERS and other in NUMBERS:
        return test(left, right)
    if kind in TEXTS and other in TEXTS:
        return test(str(left), str(right))
    for one, two in ((left, right), (right, left)):
        if type(one) is Date and type(two) in TEXTS:
            read = read_date(two, one.zone)
            return read is not None and (test(left.ms, read.ms) if one is left else test(read.ms, right.ms))
    if kind in _PRIMITIVES and other in _PRIMITIVES:
        return test(_number(left), _number(right))
    if kind is Duration and other is Duration:
        return test(length_of(left), length_of(right))
    raise _invalid(left, right)


def _number(value: Value) -> Number:
    return read_number(value) if isinstance(value, str) else int(value) if value is True or value is False else value


def _invalid(left: Value, right: Value) -> ExpressionError:
    return ExpressionError(f"Invalid operator between {type_name(left)} and {type_name(right)}")


def add(left: Value, right: Value, budget: StepBudget) -> Value:
    """Return the sum: of numbers; of texts, and a text and anything, one after the other; of a date and a duration."""
    kind, other = type(left), type(right)
    if kind in _PLAIN and other in _PLAIN:
        return tame(left + right)
    if kind is Date and (other is Duration or other in TEXTS):
        duration = read_duration(right) if other in TEXTS else right
        if duration is not None:
            return moved(left, duration)
    if kind in TEXTS or other in TEXTS:
        left, right = text(left), text(right)
        budget.text(len(left) + len(right))
        return left + right
    return _added(left, right, budget)


def _added(left: Value, right: Value, budget: StepBudget) -> Value:
    kind, other = type(left), type(right)
    if kind is Duration and other is Duration:
        return left.added(right)
    if kind is Duration and other is Date:
        return moved(right, left)
    if kind in LISTS and other in LISTS:
        budget.items(len(left) + len(right))
        return [*left, *right]
    if kind is Link or other is Link:
        return text(left) + text(right)
    return _calculated(left, right, operator.add)


def _subtract(left: Value, right: Value) -> Value:
    """Return the difference: of numbers; of two dates, which is a duration; of a date and a duration."""
    kind, other = type(left), type(right)
    if kind in _PLAIN and other in _PLAIN:
        return tame(left - right)
    if kind is Date:
        if other is Date:
            return between(left, right)
        duration = read_duration(right) if other in TEXTS else right
        if type(duration) is Duration:
            return moved(left, duration, -1)
        if other in TEXTS and (date := read_date(right, left.zone)) is not None:
            return between(left, date)
    if kind is Duration and other is Duration:
        return left.added(right, -1)
    return _calculated(left, right, operator.sub)


def _multiply(left: Value, right: Value) -> Value:
    """Return the product: of numbers; of a duration, on the left, and a number."""
    kind, other = type(left), type(right)
    if kind in _PLAIN and other in _PLAIN:
        return tame(left * right)
    if kind is Duration and other in _PLAIN:
        return _scaled(left, right)
    return _calculated(left, right, operator.mul)


def _divide(left: Value, right: Value) -> Value:
    """Return the quotient: of numbers; of a duration and a number."""
    if type(left) is Duration and type(right) in _PLAIN and right != 0:
        return _scaled(left, 1 / right)
    if type(left) is Duration and type(right) is Duration and length_of(right):
        return quotient(length_of(left), length_of(right))
    return _calculated(left, right, quotient)


_PLAIN: Final = frozenset({int, float})


def _scaled(duration: Duration, factor: Number) -> Duration:
    if not math.isfinite(factor) or abs(factor) > 1e12:  # noqa: PLR2004 (beyond any calendar)
        raise ExpressionError("a duration cannot be so long")
    return duration.scaled(factor)


def _calculated(left: Value, right: Value, calculate: Callable[[Any, Any], Number]) -> Value:
    """Calculate with what counts as a number; null gives null."""
    if left is None or right is None:
        return None
    if type(left) not in _PRIMITIVES or type(right) not in _PRIMITIVES:
        raise _invalid(left, right)
    try:
        return tame(calculate(_number(left), _number(right)))
    except OverflowError:
        return math.inf


ARITHMETIC: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": lambda left, right: _calculated(left, right, remainder),
}
"""What calculates with two values, by its sign; `%` gives the sign of the left number."""


def negative(value: Value) -> Value:
    """Return the value with the other sign."""
    if type(value) is Duration:
        return value.scaled(-1)
    if value is None:
        return None
    if type(value) not in _PRIMITIVES:
        raise ExpressionError(f"Invalid operator - on {type_name(value)}")
    return tame(-_number(value))
