"""Search queries as trees, and how they are read from what a user types (rules 90 to 92 of docs/obsidian.md).

Nothing but size is an error, as in Obsidian, where one searches while one types: a quote or parenthesis that is not
closed ends with the query, one that was never opened is skipped, an operator's name that does not exist is text,
and so is a bracket or slash that has no partner.

`OR` binds less than words beside each other; `-` and operators bind to the one term behind them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bridge.errors import InvalidParameters

MAX_LENGTH = 10_000
"""Characters of a query."""
MAX_DEPTH = 32
"""Parentheses, operators and `-` inside each other."""
MAX_TERMS = 2_000
"""Words, phrases and the like."""
_OPERATOR = re.compile(
    r"(file|path|content|tag|line|block|section|task|task-todo|task-done|match-case|ignore-case):", re.IGNORECASE
)
_CASES = {"match-case": True, "ignore-case": False}
_REGEX = re.compile(r"/((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/(?=[\s)\]:]|$)")
_PHRASE = re.compile(r'"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)+)\\?$', re.DOTALL)
_WORD = re.compile(r"[^\s()]+")
_PROPERTY_NAME = re.compile(r"[^\[\]:]*[^\[\]:\s][^\[\]:]*(?=[:\]])")
_PROPERTY_WORD = re.compile(r"[^\s()\]]+")
_COMPARE = re.compile(r"(<=|>=|<|>)\s*([^\s()\]]+)")
_OR = re.compile(r"OR(?=[\s()\]]|\Z)")
_NEGATED = re.compile(r"[^\s)\]-]")
_UNTYPED = re.compile("[\0\r\n]")
_SPACE = re.compile(r"\s*")
_ESCAPED = re.compile(r'\\(["\\])')


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
        return self not in _WHOLE


_WHOLE = {QueryScope.FILE, QueryScope.PATH, QueryScope.CONTENT, QueryScope.TAG}


@dataclass(frozen=True, slots=True)
class TextTerm:
    """A word, or with `quoted` a phrase. Empty text, which only a phrase can be, is everywhere.

    Attributes:
        text: What is searched for.
        quoted: Whether it is a phrase.
        case: Whether upper and lower case differ, as `match-case:` or `ignore-case:` says; None without either.
    """

    text: str
    quoted: bool = False
    case: bool | None = None


@dataclass(frozen=True, slots=True)
class RegexTerm:
    """A regular expression, searched line by line; `case` is that of `TextTerm`."""

    pattern: str
    case: bool | None = None


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


Node = TextTerm | RegexTerm | And | Or | Not | Within | PropertyTerm | CompareTerm | PropertyKind


def plain_words(query: Node) -> tuple[str, ...] | None:
    """Return the words, when a query is nothing but words; None when it has operators, phrases or alternatives."""
    if isinstance(query, TextTerm) and not query.quoted and query.case is None:
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
        case Not(part) | Within(_, part):
            yield from patterns(part)
        case PropertyTerm(name, value):
            yield from patterns(name)
            if value is not None:
                yield from patterns(value)
        case _:
            return


_PROPERTY_KINDS: dict[str, Node] = {"NULL": PropertyKind.NULL, **{kind.value: kind for kind in PropertyKind}}


def parse_query(text: str) -> Node | None:
    """Return the parsed query.

    Args:
        text: As the user typed it.

    Returns:
        The query; None if it asks for nothing.

    Raises:
        InvalidParameters: It is too long, too deep or has too many terms; says where.
    """
    if len(text) > MAX_LENGTH:
        raise InvalidParameters(f"The query has {len(text)} characters; at most {MAX_LENGTH} are allowed")
    return _Parser(_UNTYPED.sub(" ", text.encode(errors="replace").decode())).whole()


class _Parser:
    """One run over one query, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._terms = 0
        self._in_value = False
        self._case: bool | None = None

    def whole(self) -> Node | None:
        """Return the whole query. A closing parenthesis that closes nothing is skipped."""
        found: list[Node] = []
        while self._at < len(self._text):
            part = self._alternatives()
            if part is not None:
                found.append(part)
            self._at += 1
        query = _and(found)
        return None if query == TextTerm("", quoted=True) else query

    def _alternatives(self) -> Node | None:
        """Read up to the end, or to what closes it, which is left."""
        sides: list[Node] = []
        terms: list[Node] = []
        while not self._closes():
            if self._is_or():
                self._at += 2
                side = _and(terms)
                sides += [side] if side is not None else []
                terms = []
            else:
                term = self._term()
                terms += [term] if term is not None else []
        last = _and(terms)
        sides += [last] if last is not None else []
        if not sides:
            return None
        return sides[0] if len(sides) == 1 else Or(tuple(sides))

    def _term(self) -> Node | None:
        """Read one term. Every way through here advances by at least one character."""
        began, text = self._at, self._text
        self._terms += 1
        if self._terms > MAX_TERMS:
            raise InvalidParameters(
                f"The query has more than {MAX_TERMS} terms, from position {began} on; search for fewer words",
                data={"position": began},
            )
        if text[began] == "-" and _NEGATED.match(text, began + 1):
            self._at += 1
            part = self._nested(self._term)
            return None if part is None else Not(part)
        if text[began] == "(":
            self._at += 1
            part = self._nested(self._alternatives)
            self._at += 1
            return part
        if self._in_value:
            return self._quoted() or self._value_word()
        return self._quoted() or self._property() or self._applied() or self._word(_WORD)

    def _quoted(self) -> Node | None:
        """Return a phrase or a regular expression."""
        if found := _PHRASE.match(self._text, self._at):
            self._at = found.end()
            return self._phrase(found)
        if found := _REGEX.match(self._text, self._at):
            self._at = found.end()
            return RegexTerm(found[1], self._case)
        return None

    def _applied(self) -> Node | None:
        """Return an operator and its term; None, with nothing consumed, if there is none."""
        began = self._at
        found = _OPERATOR.match(self._text, began)
        if not found:
            return None
        operator = found[1].lower()
        self._at = found.end()
        case, self._case = self._case, _CASES.get(operator, self._case)
        part = None if self._closes() or self._is_or() else self._nested(self._term)
        self._case = case
        if part is None:
            self._at = began
            return None
        return part if operator in _CASES else Within(QueryScope(operator), part)

    def _word(self, form: re.Pattern[str]) -> TextTerm:
        found = form.match(self._text, self._at)
        word = found[0] if found else self._text[self._at]
        self._at += len(word)
        return TextTerm(word, case=self._case)

    def _phrase(self, found: re.Match[str]) -> TextTerm:
        return TextTerm(_ESCAPED.sub(r"\1", found[1] or found[2] or ""), quoted=True, case=self._case)

    def _property(self) -> Node | None:
        """Read `[name]` or `[name:value]`; return None, with nothing consumed, if it is not one."""
        began, text = self._at, self._text
        if text[began] != "[" or "]" not in text[began:]:
            return None
        name: Node
        if found := _PHRASE.match(text, began + 1):
            name = self._phrase(found)
        elif found := _REGEX.match(text, began + 1):
            name = RegexTerm(found[1], self._case)
        elif found := _PROPERTY_NAME.match(text, began + 1):
            name = TextTerm(found[0].strip(), quoted=True, case=self._case)
        else:
            return None
        self._at = _skip(text, found.end())
        value: Node | None = None
        if text[self._at : self._at + 1] == ":":
            self._at += 1
            self._in_value = True
            value = self._nested(self._alternatives)
            self._in_value = False
        if text[self._at : self._at + 1] != "]":
            self._at = began
            return None
        self._at += 1
        return PropertyTerm(name, value)

    def _value_word(self) -> Node:
        """Return a property's value, or a part of it."""
        if found := _COMPARE.match(self._text, self._at):
            self._at = found.end()
            return CompareTerm(found[1], found[2])
        word = self._word(_PROPERTY_WORD)
        return _PROPERTY_KINDS.get(word.text if word.text.isupper() else word.text.lower(), word)

    def _nested(self, inside: Callable[[], Node | None]) -> Node | None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise InvalidParameters(
                f"The query is nested more than {MAX_DEPTH} deep at position {self._at}; use fewer parentheses",
                data={"position": self._at},
            )
        found = inside()
        self._depth -= 1
        return found

    def _closes(self) -> bool:
        """Return whether, spaces aside, the end or what closes the innermost comes next."""
        self._at = _skip(self._text, self._at)
        return self._at >= len(self._text) or self._text[self._at] in (")]" if self._in_value else ")")

    def _is_or(self) -> bool:
        return _OR.match(self._text, self._at) is not None


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _and(parts: list[Node]) -> Node | None:
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else And(tuple(parts))
