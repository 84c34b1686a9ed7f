"""Matching of a note's property against a value, as Obsidian's property search does it (rules 54 and 92).

A list has every value that one of its items has, and a map every value that is in it. Upper and lower case never
matter. Values are what YAML 1.2 reads: text, numbers, booleans, null, lists, maps; dates are text (rule 47).

Rules are those of docs/obsidian.md.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from operator import ge, gt, le, lt
from typing import Any

from bridge.index.search.query import And, CompareTerm, Node, Not, Or, PropertyKind, PropertyTerm, RegexTerm, TextTerm
from bridge.vault.paths import fold

MAX_ITEMS = 10_000
"""Maximum number of items of one value that are examined: YAML's aliases can make a few bytes mean billions."""

_COMPARISON = re.compile(r"\s*(<=|>=|<|>)\s*(\S.*?)\s*", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][-+]?\d{1,3})?", re.ASCII)
_DATE = re.compile(r"\d{4}(-\d{2}){1,2}([T ].*)?")
_HUGE = 10**4000
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


Tests = Callable[[RegexTerm], Callable[[str], bool]]
"""Returns, for a pattern, a function that checks whether a short text matches it."""


def find_properties(properties: Mapping[str, Any], name: str) -> Iterator[Any]:
    """Yield the values of a property, whatever its case (rule 54); none when the note does not have it."""
    wanted = fold(name.strip())
    for key, value in properties.items():
        if fold(str(key)) == wanted:
            yield value


def has_value(value: Any, wanted: Any) -> bool:
    """Return whether a property has a value.

    Args:
        value: The property's value.
        wanted: Text is equal, or is compared when it begins with `<`, `<=`, `>`, `>=` (`>5`, `>=2024-07-01`); null is
            a property without a value, and not an empty text or list; of a list one item is enough; of a map every
            key must have its value.
    """
    if isinstance(wanted, (list, tuple)):
        return any(has_value(value, one) for one in wanted)
    if isinstance(wanted, Mapping):
        return any(_has_all(part, wanted) for part in (value if isinstance(value, list) else [value]))
    if isinstance(wanted, str):
        found = _COMPARISON.fullmatch(wanted)
        return compares(value, found[1], found[2]) if found else equals(value, wanted)
    if wanted is None:
        return value is None  # a name without a value: not even an empty text or list (rule 92)
    if isinstance(wanted, bool):
        return any(item is wanted for item in items(value))
    return any(_number(item) == wanted for item in items(value))


def equals(value: Any, text: str) -> bool:
    """Return whether a property, or an item of it, is this text; a number or boolean may be written in any way."""
    wanted = fold(text.strip())
    number = _number(wanted)
    return any(
        fold(_text(item).strip()) == wanted
        or (number is not None and not isinstance(item, bool) and _number(item) == number)
        for item in items(value)
    )


def contains(value: Any, text: str) -> bool:
    """Return whether this is part of a property's text; a number or boolean has no parts and must be equal."""
    wanted = fold(text)
    return any(isinstance(item, str) and wanted in fold(item) for item in items(value)) or equals(value, text)


def compares(value: Any, sign: str, text: str) -> bool:
    """Return whether a property, or one of its items, is less or greater.

    Numbers are compared as numbers; dates, and other text with text, in the order of their characters.

    Args:
        value: The property's value.
        sign: `<`, `<=`, `>`, `>=`.
        text: The text to compare with.
    """
    return any(_compares(item, _SIGNS[sign], text.strip()) for item in items(value))


def items(value: Any) -> Iterator[Any]:
    """Yield the plain values in a value: itself, or what is in its lists and maps, however deep."""
    pending = [value]
    for _ in range(MAX_ITEMS):
        if not pending:
            return
        item = pending.pop()
        if isinstance(item, (list, tuple)):
            pending.extend(reversed(item[:MAX_ITEMS]))
        elif isinstance(item, Mapping):
            pending.extend(reversed(list(item.values())[:MAX_ITEMS]))
        else:
            yield item


def texts(value: Any) -> Iterator[str]:
    """Return the plain values in a value, as text."""
    return map(_text, items(value))


def has_property(properties: Mapping[str, Any], query: PropertyTerm, tests: Tests) -> bool:
    """Return whether a note has a property, with this value if one is given.

    A word must be in the value, a phrase must be all of it, as in Obsidian's search.

    Args:
        properties: The note's properties.
        query: The property that is asked for.
        tests: For patterns.
    """
    return any(
        query.value is None or _fits(value, query.value, tests) for value in _named(properties, query.name, tests)
    )


def _has_all(value: Any, wanted: Mapping[str, Any]) -> bool:
    return isinstance(value, Mapping) and all(
        any(has_value(found, one) for found in find_properties(value, str(key))) for key, one in wanted.items()
    )


def _compares(item: Any, sign: Callable[[Any, Any], bool], text: str) -> bool:
    number, wanted = _number(item), _number(text)
    if number is not None and wanted is not None:
        return sign(number, wanted)
    if not isinstance(item, str) or not item or (wanted is not None and not _DATE.fullmatch(item.strip())):
        return False
    return number is None and sign(fold(item.strip()), fold(text))


def _number(value: Any) -> float | int | None:
    """Return a number, or what a text says when it is one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        number = float(value)
        return number if math.isfinite(number) else None
    return None


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:d}" if -_HUGE < value < _HUGE else f"{value:x}"  # Python refuses to write huge ones in decimals
    return str(value)


def _named(properties: Mapping[str, Any], name: Node, tests: Tests) -> Iterator[Any]:
    if isinstance(name, TextTerm):
        yield from find_properties(properties, name.text)
    elif isinstance(name, RegexTerm):
        fits = tests(name)
        yield from (value for key, value in properties.items() if fits(str(key)))


def _fits(value: Any, query: Node, tests: Tests) -> bool:
    match query:
        case And(parts):
            found = all(_fits(value, part, tests) for part in parts)
        case Or(parts):
            found = any(_fits(value, part, tests) for part in parts)
        case Not(part):
            found = not _fits(value, part, tests)
        case TextTerm(text, quoted):
            found = equals(value, text) if quoted else contains(value, text)
        case RegexTerm():
            found = any(map(tests(query), texts(value)))
        case CompareTerm(sign, text):
            found = compares(value, sign, text)
        case PropertyKind():
            found = _is(value, query)
        case _:
            found = False
    return found


def _is(value: Any, kind: PropertyKind) -> bool:
    if kind is PropertyKind.NULL:
        return value is None
    if kind is PropertyKind.EMPTY:
        return all(item is None or item == "" for item in items(value))
    return any(item is (kind is PropertyKind.TRUE) for item in items(value))
