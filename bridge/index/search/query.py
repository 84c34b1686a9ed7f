"""Search queries as trees (rules 90 to 92 of docs/obsidian.md). `query_parser.py` makes them from text."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class QueryScope(StrEnum):
    """The operators that say where to search."""

    FILE = "file"
    PATH = "path"
    CONTENT = "content"
    TAG = "tag"
    LINE = "line"
    BLOCK = "block"
    SECTION = "section"
    TASK = "task"
    TASK_TODO = "task-todo"
    TASK_DONE = "task-done"

    @property
    def is_part(self) -> bool:
        """Return whether it is a part of a note's text, which can only be found by reading it all."""
        return self in _PARTS


_PARTS = {
    QueryScope.LINE,
    QueryScope.BLOCK,
    QueryScope.SECTION,
    QueryScope.TASK,
    QueryScope.TASK_TODO,
    QueryScope.TASK_DONE,
}


@dataclass(frozen=True, slots=True)
class TextTerm:
    """A word, or with `quoted` a phrase. Empty text, which only a phrase can be, is everywhere."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class RegexTerm:
    """A regular expression, searched line by line."""

    pattern: str


@dataclass(frozen=True, slots=True)
class And:
    """All of them."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Or:
    """One of them."""

    parts: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """The negation of a query."""

    part: "Node"


@dataclass(frozen=True, slots=True)
class Within:
    """A restriction to a part, as `line:(a b)`: true of a note with one such part in which the query is true."""

    scope: QueryScope
    part: "Node"


@dataclass(frozen=True, slots=True)
class CaseTerm:
    """A term in `match-case:` or `ignore-case:`, which say whether upper and lower case differ."""

    matters: bool
    part: "Node"


@dataclass(frozen=True, slots=True)
class CompareTerm:
    """A comparison such as `>5`, allowed only as a property's value.

    Attributes:
        sign: `<`, `<=`, `>`, `>=`.
        text: What stands behind it.
    """

    sign: str
    text: str


class PropertyKind(StrEnum):
    """The values of a property that have a name in a query."""

    NULL = "null"
    EMPTY = "EMPTY"
    TRUE = "TRUE"
    FALSE = "FALSE"


@dataclass(frozen=True, slots=True)
class PropertyTerm:
    """A term `[name]` or `[name:value]`.

    Attributes:
        name: Of words, phrases and regular expressions.
        value: Of these, comparisons and kinds; None when any will do.
    """

    name: "Node"
    value: "Node | None" = None


Node = TextTerm | RegexTerm | And | Or | Not | Within | CaseTerm | PropertyTerm | CompareTerm | PropertyKind


def plain_words(query: Node) -> tuple[str, ...] | None:
    """Return the words, when a query is nothing but words; None when it has operators, phrases or alternatives."""
    if isinstance(query, TextTerm) and not query.quoted:
        return (query.text,)
    if isinstance(query, And):
        found = [plain_words(part) for part in query.parts]
        if all(words is not None for words in found):
            return tuple(word for words in found for word in words or ())
    return None


def patterns(query: Node) -> Iterator[str]:
    """Yield the regular expressions in a query."""
    match query:
        case RegexTerm(pattern):
            yield pattern
        case And(parts) | Or(parts):
            for part in parts:
                yield from patterns(part)
        case Not(part) | Within(_, part) | CaseTerm(_, part):
            yield from patterns(part)
        case PropertyTerm(name, value):
            yield from patterns(name)
            if value is not None:
                yield from patterns(value)
        case _:
            return
