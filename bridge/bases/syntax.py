"""Expressions as trees: a lexer and a Pratt parser, bounded in length, depth and number of parts.

Every part knows where it stands, so that a message can say it and a name can be changed in its place alone.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from bridge.bases.failures import ExpressionError
from bridge.bases.numbers import EXACT

MOST_LETTERS: Final = 20_000
"""Characters of an expression."""

MOST_PARTS: Final = 5_000
"""Parts of an expression."""

MOST_DEPTH: Final = 60
"""Maximum depth of nested brackets and signs."""

DEEPEST_TREE: Final = 120
"""Maximum depth of a tree, in which `a.b.c` is as deep as it is long."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression.

    Attributes:
        start: Its beginning.
        end: Its end.
        depth: How deep the tree below it is.
        size: How many parts it has, itself included.
    """

    start: int
    end: int
    depth: int
    size: int


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A number, text, boolean or null."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Regex(Node):
    """A regular expression."""

    source: str
    flags: str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name that stands alone."""

    name: str


@dataclass(frozen=True, slots=True)
class Member(Node):
    """A member `target.name`.

    Attributes:
        target: What stands before the dot.
        name: The name behind it.
        name_start: The beginning of the name.
    """

    target: Node
    name: str
    name_start: int


@dataclass(frozen=True, slots=True)
class Index(Node):
    """An item `target[key]`."""

    target: Node
    key: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A call `name(...)` or `target.name(...)`.

    Attributes:
        target: What the function is called on; None for a global one.
        name: The function.
        name_start: The beginning of its name.
        arguments: What it is given.
    """

    target: Node | None
    name: str
    name_start: int
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """A list `[a, b]`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """An operation `!operand` or `-operand`."""

    sign: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """An operation `left sign right`."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class OperatorChain(Node):
    """A chain `a && b && c`, or the same with `||` or `+`: many of them make no deep tree."""

    sign: str
    parts: tuple[Node, ...]


_CHAINED: Final = frozenset({"&&", "||", "+"})
_BINDING: Final = {
    sign: level
    for level, signs in enumerate(("||", "&&", "== !=", "< <= > >=", "+ -", "* / %"), 1)
    for sign in signs.split()
}
_PREFIX: Final = 7
_CONSTANTS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
_TOKEN: Final = re.compile(
    r"(?P<space>[ \t\r\n\u00a0\ufeff]+)"
    r"|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<name>[^\W\d][\w$]*|\$[\w$]*)"
    r'|(?P<text>"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')'
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||[-+*/%<>!.,()\[\]])",
    re.DOTALL,
)
_REGEX: Final = re.compile(r"/((?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+)/([A-Za-z]*)")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_HINTS: Final = {
    "{": "object literals are not evaluated by the app either",
    "?": "use if(condition, a, b) in place of ? and :",
    "=": "use == to compare",
    "&": "use && for and",
    "|": "use || for or",
    '"': "the text has no closing quote",
    "'": "the text has no closing quote",
    "`": "write a text in single or double quotes",
}


def parse(expression: str) -> Node:
    """Read an expression.

    Raises:
        ExpressionError: It is none, or longer or deeper than is read. Its position is where reading stopped.
    """
    if len(expression) > MOST_LETTERS:
        raise ExpressionError(f"the expression is longer than {MOST_LETTERS:,} characters", 0)
    parser = _Parser(expression)
    node = parser.expression(0)
    if parser.kind != "end":
        parser.fail()
    return node


def quoted(text: str, quote: str = '"') -> str:
    """Return a text as an expression has it."""
    return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


class _Parser:
    """A parser of one expression, a token ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts = self._depth = self._end = self.start = 0  # the token before ended at `_end`
        self.kind, self.value = "end", ""
        self._advance(0)

    def fail(self, hint: str = "") -> NoReturn:
        """Say that the token at hand fits nowhere."""
        reason = hint or _HINTS.get(self._text[self.start : self.start + 1], "")
        raise ExpressionError(
            f"Unable to parse formula. (position {self.start}){': ' + reason if reason else ''}", self.start
        )

    def expression(self, least: int) -> Node:
        """Read an operand, and what is bound to it at least so tightly."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise ExpressionError(f"the expression is nested more than {MOST_DEPTH} deep", self.start)
        left = self._prefix()
        while _BINDING.get(self.value, 0) > least:
            sign = self._next()
            left = self._joined(sign, left, self.expression(_BINDING[sign]))
        self._depth -= 1
        return left

    # -- parts ------------------------------------------------------------------------------------------------------

    def _prefix(self) -> Node:
        if self.value in {"!", "-"}:
            start, sign = self.start, self._next()
            operand = self.expression(_PREFIX)
            return Unary(*self._span(start, operand), sign, operand)
        return self._postfix(self._operand())

    def _operand(self) -> Node:
        start, kind, value = self.start, self.kind, self.value
        if kind == "name":
            return self._named(start, value)
        if kind in {"number", "text"}:
            self._next()
            if kind == "number" and self._text.startswith(".", self._end):
                self.fail("write a number whose function is called in parentheses: (1).round()")
            return Literal(*self._span(start), _number(value) if kind == "number" else _unescaped(value[1:-1]))
        if kind == "sign" and value in {"(", "["}:
            return self._bracketed(start, value)
        if kind == "sign" and value == "/":
            return self._regex()
        return self.fail("the expression ends too early" if kind == "end" else "")

    def _bracketed(self, start: int, bracket: str) -> Node:
        self._next()
        if bracket == "(":
            inner = self.expression(0)
            self._expect(")")
            return inner
        items = self._list("]")
        return ListOf(*self._span(start, *items), items)

    def _named(self, start: int, name: str) -> Node:
        self._next()
        if self.value == "(":
            self._next()
            arguments = self._list(")")
            return Call(*self._span(start, *arguments), None, name, start, arguments)
        if name in _CONSTANTS:
            return Literal(*self._span(start), _CONSTANTS[name])
        return Name(*self._span(start), name)

    def _postfix(self, target: Node) -> Node:
        while self.value in {".", "["}:
            if self.value == "[":
                self._next()
                key = self.expression(0)
                self._expect("]")
                target = Index(*self._span(target.start, target, key), target, key)
                continue
            self._next()
            if self.kind != "name":
                self.fail()
            at, name = self.start, self._next()
            if self.value == "(":
                self._next()
                arguments = self._list(")")
                target = Call(*self._span(target.start, target, *arguments), target, name, at, arguments)
            else:
                target = Member(*self._span(target.start, target), target, name, at)
        return target

    def _list(self, close: str) -> tuple[Node, ...]:
        """Return what stands between brackets, after the opening one."""
        items: list[Node] = []
        while self.value != close:
            if items:
                self._expect(",")
            items.append(self.expression(0))
        self._next()
        return tuple(items)

    def _regex(self) -> Node:
        start = self.start
        found = _REGEX.match(self._text, start)
        if found is None:
            self.fail()
        self._advance(found.end())
        return Regex(*self._span(start), found[1], found[2])

    def _joined(self, sign: str, left: Node, right: Node) -> Node:
        if sign not in _CHAINED:
            return Binary(*self._span(left.start, left, right), sign, left, right)
        earlier = left.parts if isinstance(left, OperatorChain) and left.sign == sign else (left,)
        return OperatorChain(*self._span(left.start, left, right), sign, (*earlier, right))

    def _span(self, start: int, *below: Node) -> tuple[int, int, int, int]:
        """Return the position, depth and size of a part."""
        self._parts += 1
        depth = 1 + max((node.depth for node in below), default=0)
        if self._parts > MOST_PARTS or depth > DEEPEST_TREE:
            raise ExpressionError("the expression has too many parts", start)
        return start, self._end, depth, 1 + sum(node.size for node in below)

    # -- tokens -----------------------------------------------------------------------------------------------------

    def _expect(self, sign: str) -> None:
        if self.value != sign:
            self.fail(f"a {sign} is missing" if self.kind == "end" else "")
        self._next()

    def _next(self) -> str:
        """Go on to the next token; return the one before."""
        value = self.value
        self._advance(self.start + len(value))
        return value

    def _advance(self, at: int) -> None:
        self._end = at
        while True:
            self.start = at
            found = _TOKEN.match(self._text, at)
            if found is None:
                self.kind, self.value = ("end" if at >= len(self._text) else "unknown"), ""
                return
            if found.lastgroup != "space":
                self.kind, self.value = found.lastgroup or "", found[0]
                return
            at = found.end()


def _number(digits: str) -> int | float:
    value = float(digits)
    return int(digits) if "." not in digits and value < EXACT else value


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def said(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code is None:
            return _LETTERS.get(found[4], found[4])
        number = int(code, 16)
        return chr(number) if number < 0x110000 else "\ufffd"  # noqa: PLR2004 (the last code point)

    return _ESCAPE.sub(said, text)


def children(node: Node) -> Sequence[Node]:
    """Return the direct parts of a part, in order."""
    return _BELOW.get(type(node), lambda _node: ())(node)


_BELOW: Final[dict[type[Node], Callable[[Any], Sequence[Node]]]] = {
    Member: lambda node: (node.target,),
    Index: lambda node: (node.target, node.key),
    Call: lambda node: node.arguments if node.target is None else (node.target, *node.arguments),
    ListOf: lambda node: node.items,
    Unary: lambda node: (node.operand,),
    Binary: lambda node: (node.left, node.right),
    OperatorChain: lambda node: node.parts,
}
