"""Expressions are compiled into functions once, so that a row costs only their calls.

Nothing of an expression is ever run as code: each part of its tree becomes a function of ours, chosen by the kind of
the part, and what it is given are values.
"""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bridge.bases import syntax
from bridge.bases.failures import ExpressionError
from bridge.bases.functions import FILE_FIELDS, GLOBALS, LAZY, METHODS, NAMES, Function, Scope, item, member
from bridge.bases.rows import Value
from bridge.bases.syntax import Binary, Call, Index, ListOf, Literal, Member, Name, Node, OperatorChain, Regex, Unary
from bridge.bases.texts import TextPattern
from bridge.bases.values import ARITHMETIC, LISTS, add, comparison, equal, is_true, negative, type_name

Evaluate = Callable[[Scope], Value]
"""A part of an expression, made into a function."""

NO_THIS: Final = "`this` is not known here: name the note that the base is viewed from"
_LAZY_LISTS: Final = frozenset(function.name for function in LAZY if function.kind == "List")
_CHANGING: Final = _LAZY_LISTS | {"random", "link", "file"}
"""Functions of which the answer may depend on more than what they are given."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression that can be evaluated.

    Attributes:
        run: Evaluates it.
        formulas: The formulas that it names.
        uses_this: Whether it asks for the note that the base is looked at from.
        size: How many parts it has.
        depth: How deep its tree is.
    """

    run: Evaluate
    formulas: frozenset[str]
    uses_this: bool
    size: int
    depth: int


def compile_expression(text: str, formulas: Mapping[str, Evaluate], *, summary: bool = False) -> Compiled:
    """Compile an expression into a function.

    Args:
        text: The expression.
        formulas: What evaluates the formulas that it may name; they may be entered later.
        summary: Whether it is one of a summary, in which `values` are those of a column.

    Raises:
        ExpressionError: It is no expression, or uses a name that does not exist.
    """
    node = syntax.parse(text)
    compiler = _Compiler(formulas, summary=summary)
    run = compiler.made(node)
    return Compiled(run, frozenset(compiler.named), compiler.uses_this, node.size, node.depth)


_VARIABLES: Final[dict[str, Evaluate]] = {
    "value": lambda scope: scope.value,
    "index": lambda scope: scope.index,
    "acc": lambda scope: scope.acc,
}
"""What stands for an item in an expression that is evaluated for each; `acc` only in `reduce`."""


class _Compiler:
    """The compiler of one expression."""

    def __init__(self, formulas: Mapping[str, Evaluate], *, summary: bool) -> None:
        self._formulas = formulas
        self._summary = summary
        self._bound: frozenset[str] = frozenset()
        self.named: set[str] = set()
        self.uses_this = False

    def made(self, node: Node) -> Evaluate:
        """Return what evaluates a part."""
        run = self._made(node)
        return _once(run) if node.size > 1 and _is_fixed(node) else run

    def _made(self, node: Node) -> Evaluate:
        makers: dict[type[Node], Callable[[Any], Evaluate]] = {Name: self._name, Member: self._member}
        makers |= {Index: self._index, Call: self._call, ListOf: self._list, Unary: self._unary}
        makers |= {Binary: self._binary, OperatorChain: self._chain, Regex: _pattern}
        return _constant(node.value) if isinstance(node, Literal) else makers[type(node)](node)

    def _list(self, node: ListOf) -> Evaluate:
        parts = [self.made(part) for part in node.items]
        return lambda scope: [part(scope) for part in parts]

    # -- names ------------------------------------------------------------------------------------------------------

    def _name(self, node: Name) -> Evaluate:
        name = node.name
        if name in self._bound:
            return _VARIABLES[name]
        if name == "values" and self._summary:
            return lambda scope: scope.values
        if name == "this":
            return self._this()
        return _WHOLE.get(name) or _cell(name)

    def _this(self) -> Evaluate:
        self.uses_this = True

        def run(scope: Scope) -> Value:
            if scope.this is None:
                raise ExpressionError(NO_THIS)
            return scope.this

        return run

    def _member(self, node: Member) -> Evaluate:
        name = node.name
        if (own := self._reserved(node.target, name, node.name_start)) is not None:
            return own
        target, lower, position = self.made(node.target), name.lower(), node.name_start
        return lambda scope: _read(scope, target(scope), name, lower, position)

    def _reserved(self, target: Node, name: str, position: int) -> Evaluate | None:
        """Return the evaluation of a member of `note`, `formula`, `file` or `this`; None for one of anything else."""
        root = target.name if isinstance(target, Name) else ""
        if root in self._bound:
            return None
        match root:
            case "note":
                return _cell(name)
            case "formula":
                return self._formula(name, position)
            case "file":
                return _file_field(name, position)
            case "this":
                return _of_this(self._this(), name)
        return None

    def _formula(self, name: str, position: int) -> Evaluate:
        self.named.add(name)
        formulas = self._formulas
        if name not in formulas:
            raise ExpressionError(f'There is no formula "{name}"{_meant(name, formulas)}', position)

        def run(scope: Scope) -> Value:
            found = scope.formulas.get(name, _MISSING)
            if found is not _MISSING:
                return found
            kept = scope.value, scope.index, scope.acc
            scope.formulas[name] = found = formulas[name](scope)
            scope.value, scope.index, scope.acc = kept
            return found

        return run

    def _index(self, node: Index) -> Evaluate:
        if isinstance(node.key, Literal) and isinstance(node.key.value, str):
            own = self._reserved(node.target, node.key.value, node.key.start)
            if own is not None:
                return own
        target, key, position = self.made(node.target), self.made(node.key), node.key.start
        return _located(lambda scope: item(scope, target(scope), key(scope)), position)

    # -- calls ------------------------------------------------------------------------------------------------------

    def _call(self, node: Call) -> Evaluate:
        if node.target is not None:
            return self._method(node, node.target)
        if node.name == "if":
            return self._if(node)
        function = GLOBALS.get(node.name)
        if function is None:
            known = {*GLOBALS, *(each.name for each in LAZY if each.kind == "Global")}
            method = f": write it behind a value, x.{node.name}()" if node.name in NAMES else ""
            hint = method or _meant(node.name, known)
            raise ExpressionError(f'Cannot find function "{node.name}"{hint}', node.name_start)
        given = _given(function, node)
        if node.name == "link" and len(given) == 1 and isinstance(given[0], Literal):
            return _one_link(given[0].value)
        run, arguments = function.run, [self.made(argument) for argument in given]
        return _located(lambda scope: run(scope, *[argument(scope) for argument in arguments]), node.name_start)

    def _if(self, node: Call) -> Evaluate:
        _given(LAZY[0], node)
        condition, then, *rest = (self.made(argument) for argument in node.arguments[:3])
        other = rest[0] if rest else _constant(None)
        return lambda scope: then(scope) if is_true(condition(scope)) else other(scope)

    def _method(self, node: Call, target: Node) -> Evaluate:
        if node.name in _LAZY_LISTS:
            return self._over_items(node, target)
        table = METHODS.get(node.name)
        if table is None:
            raise ExpressionError(f'Cannot find function "{node.name}"{_meant(node.name, NAMES)}', node.name_start)
        # However many types have it, they agree in how much it is given.
        given = _given(next(iter(table.values())), node)
        own, position = self.made(target), node.name_start
        arguments = [self.made(argument) for argument in given]
        if len(arguments) == 1:
            return _method_of_one(node.name, table, own, arguments[0], position)

        def call(scope: Scope) -> Value:
            value = own(scope)
            function = table.get(type(value))
            if function is None:
                return _no_method(value, node.name, position)
            try:
                return function.run(scope, value, *[argument(scope) for argument in arguments])
            except ExpressionError as error:
                raise _at(error, position) from None

        return call

    def _over_items(self, node: Call, target: Node) -> Evaluate:
        """Compile `filter`, `map` and `reduce`, whose expression is evaluated for every item."""
        _given(next(each for each in LAZY if each.name == node.name), node)
        own = self.made(target)
        outer, reduces = self._bound, node.name == "reduce"
        start = self.made(node.arguments[1]) if reduces else _constant(None)
        self._bound = outer | (_VARIABLES.keys() if reduces else {"value", "index"})
        each = self.made(node.arguments[0])
        self._bound = outer
        size, position, name = node.arguments[0].size, node.name_start, node.name
        gather = {"filter": _filtered, "map": _mapped, "reduce": _reduced}[name]

        def call(scope: Scope) -> Value:
            values = own(scope)
            if type(values) not in LISTS:
                return _no_method(values, name, position)
            first = start(scope)
            scope.budget.spend(len(values) * size)
            kept = scope.value, scope.index, scope.acc
            try:
                return gather(scope, values, each, first)
            finally:
                scope.value, scope.index, scope.acc = kept

        return call

    # -- operators --------------------------------------------------------------------------------------------------

    def _binary(self, node: Binary) -> Evaluate:
        left, right = self.made(node.left), self.made(node.right)
        if node.sign == "==":
            return lambda scope: equal(left(scope), right(scope), scope.budget)
        if node.sign == "!=":
            return lambda scope: not equal(left(scope), right(scope), scope.budget)
        calculate = ARITHMETIC.get(node.sign) or comparison(node.sign)
        return _located(lambda scope: calculate(left(scope), right(scope)), node.right.start)

    def _unary(self, node: Unary) -> Evaluate:
        operand = self.made(node.operand)
        if node.sign == "!":
            return lambda scope: (value := operand(scope)) is False or (value is not True and not is_true(value))
        return _located(lambda scope: negative(operand(scope)), node.start)

    def _chain(self, node: OperatorChain) -> Evaluate:
        parts = [self.made(part) for part in node.parts]
        if node.sign == "+":
            first, rest = parts[0], parts[1:]

            def total(scope: Scope) -> Value:
                value = first(scope)
                for part in rest:
                    value = add(value, part(scope), scope.budget)
                return value

            return _located(total, node.parts[1].start)
        return both(parts) if node.sign == "&&" else either(parts)


# -- what parts become -----------------------------------------------------------------------------------------------

_MISSING: Final = object()
_WHOLE: Final[dict[str, Evaluate]] = {
    "note": lambda scope: scope.row.values(),
    "file": lambda scope: scope.row,
    "formula": lambda scope: dict(scope.formulas),
}


def _constant(value: Value) -> Evaluate:
    return lambda _scope: value


def _pattern(node: Regex) -> Evaluate:
    try:
        return _constant(TextPattern(node.source, node.flags))
    except ExpressionError as error:
        raise _at(error, node.start) from None


def _is_fixed(node: Node) -> bool:
    """Return whether a part is the same for every row."""
    if isinstance(node, Name | Member) or (isinstance(node, Call) and node.name in _CHANGING):
        return False
    return all(map(_is_fixed, syntax.children(node)))


def _cell(name: str) -> Evaluate:
    lower = name.lower()
    return lambda scope: scope.row.cells.get(lower)


def _file_field(name: str, position: int) -> Evaluate:
    field = FILE_FIELDS.get(name.lower())
    if field is None:
        raise ExpressionError(f'Cannot find "{name}" on type File{_meant(name, FILE_FIELDS)}', position)
    if name == "name":
        return lambda scope: scope.row.name
    return lambda scope: field(scope, scope.row)


def _of_this(this: Evaluate, name: str) -> Evaluate:
    """Return a member of `this`: its file, else its property, else a field of the file."""
    lower = name.lower()
    if lower == "file":
        return this
    field = FILE_FIELDS.get(lower)

    def run(scope: Scope) -> Value:
        row = this(scope)
        if field is None or lower in row.cells:
            return row.cells.get(lower)
        return field(scope, row)

    return run


def _read(scope: Scope, value: Value, name: str, lower: str, position: int) -> Value:
    try:
        return member(scope, value, name, lower)
    except ExpressionError as error:
        raise _at(error, position) from None


def _one_link(value: Value) -> Evaluate:
    """Return a link to what is written there, made once for each folder, from which it is resolved."""
    key, make = object(), GLOBALS["link"].run

    def run(scope: Scope) -> Value:
        place = key, scope.row.home
        link = scope.once.get(place, _MISSING)
        if link is _MISSING:
            link = scope.once[place] = make(scope, value)
        return link

    return run


def _method_of_one(
    name: str, table: dict[type, Function], own: Evaluate, argument: Evaluate, position: int
) -> Evaluate:
    """Return a method with one argument, as most have."""
    find = {kind: function.run for kind, function in table.items()}.get

    def call(scope: Scope) -> Value:
        value = own(scope)
        if value is None and name != "isType":
            return None
        run = find(type(value))
        if run is None:
            return _no_method(value, name, position)
        try:
            return run(scope, value, argument(scope))
        except ExpressionError as error:
            raise _at(error, position) from None

    return call


def _no_method(value: Value, name: str, position: int) -> Value:
    """Return null for a method called on null; raise for any other value without the method."""
    if value is None:
        return None
    raise ExpressionError(f'Cannot find function "{name}" on type {type_name(value)}', position)


def _filtered(scope: Scope, values: list[Value], each: Evaluate, _start: Value) -> list[Value]:
    kept: list[Value] = []
    for scope.index, scope.value in enumerate(values):
        value = scope.value
        if is_true(each(scope)):
            kept.append(value)
    return kept


def _mapped(scope: Scope, values: list[Value], each: Evaluate, _start: Value) -> list[Value]:
    made: list[Value] = []
    for scope.index, scope.value in enumerate(values):
        made.append(each(scope))
    return made


def _reduced(scope: Scope, values: list[Value], each: Evaluate, start: Value) -> Value:
    scope.acc = start
    for scope.index, scope.value in enumerate(values):
        scope.acc = each(scope)
    return scope.acc


def both(parts: Sequence[Evaluate]) -> Evaluate:
    """Return what evaluates whether all of some parts are true."""

    def run(scope: Scope) -> bool:
        for part in parts:
            value = part(scope)
            if value is not True and not is_true(value):
                return False
        return True

    return run


def either(parts: Sequence[Evaluate]) -> Evaluate:
    """Return what evaluates whether one of some parts is true."""

    def run(scope: Scope) -> bool:
        for part in parts:
            value = part(scope)
            if value is True or is_true(value):
                return True
        return False

    return run


def _once(run: Evaluate) -> Evaluate:
    """Evaluate what is the same for every row once in a query."""
    key = object()

    def kept(scope: Scope) -> Value:
        found = scope.once.get(key, _MISSING)
        if found is _MISSING:
            scope.once[key] = found = run(scope)
        return found

    return kept


def _located(run: Evaluate, position: int) -> Evaluate:
    """Return the same evaluation, whose errors have a position: this one, if they have none of their own."""

    def located(scope: Scope) -> Value:
        try:
            return run(scope)
        except ExpressionError as error:
            raise _at(error, position) from None

    return located


def _at(error: ExpressionError, position: int) -> ExpressionError:
    """Return the error, with its position if it has none yet."""
    if error.position is None:
        error.position = position
    return error


def _given(function: Function, node: Call) -> tuple[Node, ...]:
    """Return the arguments that a function uses; any more are ignored, as in JavaScript."""
    if len(node.arguments) < function.least:
        raise ExpressionError(f"{function.name}() needs {function.signature}", node.name_start)
    return node.arguments[: function.most]


def _meant(name: str, known: Mapping[str, object] | frozenset[str] | set[str]) -> str:
    near = difflib.get_close_matches(name, [*known], 1)
    return f"; {near[0]} is there" if near else ""
