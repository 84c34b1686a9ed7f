"""Whether a note's properties are what `[name:value]` asks for (rule 92)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bridge.index.search.property_match import (
    compares,
    contains,
    equals,
    find_properties,
    is_empty,
    is_null,
    items,
    texts,
)
from bridge.index.search.query import And, Case, Compare, Kind, Node, Not, Or, Property, Regex, Text

Tests = Callable[[Regex, bool], Callable[[str], bool]]
"""What makes, of a pattern and whether case matters, what tells whether a short text matches."""


def has_property(properties: Mapping[str, Any], query: Property, tests: Tests, *, case: bool = False) -> bool:
    """Whether a note has a property, and with this value.

    A word must be in the value, a phrase must be all of it, as in Obsidian's search.

    Args:
        properties: The note's.
        query: The property that is asked for.
        tests: For patterns.
        case: Whether upper and lower case differ, for patterns; elsewhere they never do.
    """
    return any(
        query.value is None or _fits(value, query.value, tests, case=case)
        for value in _named(properties, query.name, tests, case=case)
    )


def _named(properties: Mapping[str, Any], name: Node, tests: Tests, *, case: bool) -> Iterator[Any]:
    if isinstance(name, Text):
        yield from find_properties(properties, name.text)
    elif isinstance(name, Regex):
        fits = tests(name, case)
        yield from (value for key, value in properties.items() if fits(str(key)))


def _fits(value: Any, query: Node, tests: Tests, *, case: bool) -> bool:
    match query:
        case And(parts):
            found = all(_fits(value, part, tests, case=case) for part in parts)
        case Or(parts):
            found = any(_fits(value, part, tests, case=case) for part in parts)
        case Not(part):
            found = not _fits(value, part, tests, case=case)
        case Case(matters, part):
            found = _fits(value, part, tests, case=matters)
        case Text(text, quoted):
            found = equals(value, text) if quoted else contains(value, text)
        case Regex():
            found = any(map(tests(query, case), texts(value)))
        case Compare(sign, text):
            found = compares(value, sign, text)
        case Kind():
            found = _is(value, query)
        case _:
            found = False
    return found


def _is(value: Any, kind: Kind) -> bool:
    if kind is Kind.NULL:
        return is_null(value)
    if kind is Kind.EMPTY:
        return is_empty(value)
    return any(item is (kind is Kind.TRUE) for item in items(value))
