"""The rows of a view of a base: filtered, sorted, limited and grouped, with their cells and summaries.

An expression that fails leaves out its row or its cell and is kept as a problem, with its place; nothing is guessed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import Final, NamedTuple, TypeVar

from bridge.bases.base_file import Base, Filter, Group, Order, PropertyId, Statement, View
from bridge.bases.compiling import NO_THIS, Compiled, Evaluate, both, compile_expression, either
from bridge.bases.dates import Date
from bridge.bases.failures import BaseError, ExpressionError, StepBudget, TooMuch
from bridge.bases.functions import FILE_FIELDS, Scope
from bridge.bases.lists import SUMMARIES, Summary, group_key, in_order, shown
from bridge.bases.rows import Row, Value, Vault
from bridge.bases.syntax import quoted
from bridge.bases.values import is_true

T = TypeVar("T")

DEEPEST_FORMULAS: Final = 200
"""Maximum depth of the trees of formulas that build on one another, together."""

_PAUSE: Final = 512
"""Rows after which the caller is asked whether to go on."""


class _Failed(ExpressionError):
    """An error in an expression of a filter, with that expression and its place."""

    def __init__(self, error: ExpressionError, source: Statement) -> None:
        super().__init__(error.message, error.position)
        self.source = source


class Broken(NamedTuple):
    """The content of a cell whose expression failed."""

    message: str


@dataclass(slots=True)
class Problem:
    """A problem in a part of a base.

    Attributes:
        where: Its place in the base.
        message: The error.
        expression: The expression; empty if it is something else.
        position: The position in the expression.
        rows: Number of rows affected; 0 if the base itself is wrong.
        example: One of these rows.
    """

    where: str
    message: str
    expression: str = ""
    position: int | None = None
    rows: int = 0
    example: str = ""

    def __str__(self) -> str:
        said = str(BaseError(self.message, self.where, self.expression, self.position))
        if not self.rows:
            return said
        others = f", first {self.example}" if self.rows > 1 else f": {self.example}"
        return f"{said} ({self.rows:,} {'file' if self.rows == 1 else 'files'}{others})"


class Column(NamedTuple):
    """One column.

    Attributes:
        id: What it shows.
        title: Its name.
        run: Returns its value for a row.
        source: The expression and its place.
    """

    id: PropertyId
    title: str
    run: Evaluate
    source: Statement


class GroupOfRows(NamedTuple):
    """Rows with the same value.

    Attributes:
        value: The value; None if they have none.
        title: What stands above them.
        start: The first of them.
        end: One past the last.
        summaries: The summaries below columns.
    """

    value: Value
    title: str
    start: int
    end: int
    summaries: Mapping[PropertyId, Value]


@dataclass
class ViewTable:
    """The content of a view.

    Attributes:
        view: The view.
        columns: Its columns.
        rows: Its rows, in order.
        found: Number of files that passed the filters; the rows are limited by the view.
        groups: Its groups; empty if it is not grouped.
        summaries: The summaries below columns, over all rows.
        remarks: Remarks on what is understood here but perhaps not by the app.
    """

    view: View
    columns: Sequence[Column]
    rows: Sequence[Row]
    found: int
    groups: Sequence[GroupOfRows]
    summaries: Mapping[PropertyId, Value]
    remarks: Sequence[str]
    _evaluation: "_Evaluation" = field(repr=False)

    @property
    def problems(self) -> Sequence[Problem]:
        """Return the problems found so far: cells are only evaluated when their page is requested."""
        return list(self._evaluation.problems.values())

    def cells(self, start: int = 0, end: int | None = None) -> list[list[Value]]:
        """Return the values of some rows, column by column; `Broken` if there is none.

        Raises:
            BaseError: It is more work than a query may be.
        """
        return [[self._evaluation.value(column, row) for column in self.columns] for row in self.rows[start:end]]


def view_of(base: Base, name: str | None) -> View:
    """Return a view by its name; the first one without.

    Raises:
        BaseError: There is none of that name.
    """
    if name is None:
        return base.views[0] if base.views else View("", "table", "", columns=(PropertyId("file", "name"),))
    near = [view for view in base.views if view.name.lower() == name.lower()]
    if near:
        return next((view for view in near if view.name == name), near[0])
    named = ", ".join(view.name or f"(view {place + 1})" for place, view in enumerate(base.views)) or "none"
    raise BaseError(f"there is no view {name!r}; there are: {named}")


def evaluate(
    base: Base,
    view: View,
    vault: Vault,
    now: Date,
    *,
    this: Row | None = None,
    budget: StepBudget | None = None,
    pause: Callable[[], None] = lambda: None,
) -> ViewTable:
    """Return what a view shows.

    Args:
        base: The base.
        view: One of its views.
        vault: The files.
        now: The time.
        this: The note that it is looked at from.
        budget: How much work it may be.
        pause: Called now and then; may raise.

    Raises:
        BaseError: A filter, or what the rows are sorted or grouped by, cannot be evaluated at all; or it is too much
            work.
    """
    evaluation = _Evaluation(base, view, Scope(vault, now, budget or StepBudget(), this), pause)
    try:
        return evaluation.table()
    except TooMuch as error:
        raise BaseError(error.message, view.where) from None


def check(base: Base) -> list[BaseError]:
    """Return everything that is wrong with a base, in order: its shape, and expressions that are none."""
    formulas, problems = _compiled_formulas(base)
    found = [*base.problems, *problems]
    found += _wrong_in_filter(base.filter, formulas)
    for name, expression in base.summaries.items():
        found += _wrong(Statement(expression, f"summaries.{name}"), formulas, summary=True)
    for view in base.views:
        found += [*view.problems, *_wrong_in_filter(view.filter, formulas)]
        orders = [*view.sort, *([view.group] if view.group else [])]
        for each in dict.fromkeys([*view.columns, *(order.property for order in orders), *view.summaries]):
            found += _wrong_id(each, base, view.where)
        for each, name in view.summaries.items():
            if name.lower() not in SUMMARIES and name not in base.summaries:
                found.append(BaseError(f"there is no summary {name!r}", f"{view.where}.summaries.{each}"))
    return found


class _Evaluation:
    """The evaluation of one view, once."""

    def __init__(self, base: Base, view: View, scope: Scope, pause: Callable[[], None]) -> None:
        self._base, self._view, self._scope, self._pause = base, view, scope, pause
        self.problems: dict[tuple[str, str, int | None], Problem] = {}
        self._formulas, broken = _compiled_formulas(base)
        self._broken = {error.where: error for error in broken}
        self._kept: dict[str, dict[str, Value]] = {}

    def table(self) -> ViewTable:
        """Return what the view shows."""
        base, view = self._base, self._view
        if wrong := (*base.problems, *view.problems):
            raise wrong[0]
        filters = [self._filter(each) for part in (base.filter, view.filter) for each in _all_of(part)]
        columns = [self._column(each) for each in view.columns]
        orders: dict[PropertyId, Order] = {}
        for order in view.sort:
            orders.setdefault(order.property, order)  # sorting by it once more changes nothing
        sort = [(self._column(order.property, needed=True), order) for order in orders.values()]
        group = None if view.group is None else self._column(view.group.property, needed=True)
        rows = self._passing(filters)
        found = len(rows)
        for column, order in reversed(sort):
            rows = self._sorted(rows, column, order)
        rows = rows if view.limit is None else rows[: view.limit]
        groups: list[GroupOfRows] = []
        below = [(each, name, self._column(each)) for each, name in view.summaries.items()]
        if group is not None and view.group is not None:
            rows, groups = self._grouped(rows, group, view.group, below)
        summaries = self._summaries(rows, below)
        return ViewTable(view, columns, rows, found, groups, summaries, base.remarks, self)

    def value(self, column: Column, row: Row) -> Value:
        """Return a cell's value; `Broken` where its expression fails."""
        scope = self._scope
        scope.row = row
        scope.formulas = self._kept.setdefault(row.path, {}) if self._formulas else scope.formulas
        try:
            return column.run(scope)
        except TooMuch as error:
            raise BaseError(error.message, column.source.where) from None
        except ExpressionError as error:
            self._note(error, column.source, row)
            return Broken(error.message)
        except RecursionError:
            message = "the formulas are nested too deeply"
            self._note(ExpressionError(message), column.source, row)
            return Broken(message)

    # -- rows -------------------------------------------------------------------------------------------------------

    def _passing(self, filters: list[tuple[Evaluate, int]]) -> list[Row]:
        """Return the rows that pass all filters, by path."""
        scope, kept, formulas = self._scope, self._kept, bool(self._formulas)
        tests = [run for run, _size in filters]
        size = 1 + sum(size for _run, size in filters)
        passing: list[Row] = []
        rows = scope.vault.rows()
        for start in range(0, len(rows), _PAUSE):
            self._pause()
            part = rows[start : start + _PAUSE]
            scope.budget.spend(size * len(part))
            for row in part:
                scope.row = row
                if formulas:
                    scope.formulas = {}
                try:
                    for test in tests:
                        value = test(scope)
                        if value is not True and not is_true(value):
                            break
                    else:
                        passing.append(row)
                        if scope.formulas:
                            kept[row.path] = scope.formulas
                except _Failed as error:
                    self._note(error, error.source, row)
                except RecursionError:
                    raise BaseError("the filters are nested too deeply", self._view.where) from None
        return passing

    def _sorted(self, rows: list[Row], column: Column, order: Order) -> list[Row]:
        self._pause()
        self._scope.budget.spend(len(rows) * 8)
        return in_order(rows, lambda row: self._plain(column, row), descending=order.descending)

    def _plain(self, column: Column, row: Row) -> Value:
        """Return a cell's value; None if its expression fails."""
        return None if isinstance(value := self.value(column, row), Broken) else value

    def _grouped(
        self, rows: list[Row], column: Column, order: Order, below: list[tuple[PropertyId, str, Column]]
    ) -> tuple[list[Row], list[GroupOfRows]]:
        """Return the rows, those of one group side by side, and the groups by their values."""
        members: dict[object, list[Row]] = {}
        values: dict[object, Value] = {}
        for row in rows:
            value = self._plain(column, row)
            key = group_key(value)
            values.setdefault(key, value if key is not None else None)
            members.setdefault(key, []).append(row)
        keys = in_order(list(members), values.__getitem__, descending=order.descending)
        arranged, groups = list[Row](), list[GroupOfRows]()
        for key in keys:
            start = len(arranged)
            arranged += members[key]
            summaries = self._summaries(members[key], below)
            groups.append(GroupOfRows(values[key], shown(values[key]), start, len(arranged), summaries))
        return arranged, groups

    def _summaries(self, rows: Sequence[Row], below: list[tuple[PropertyId, str, Column]]) -> dict[PropertyId, Value]:
        return {
            each: self._summary(
                name, [self._plain(column, row) for row in rows], f"{self._view.where}.summaries.{each}"
            )
            for each, name, column in below
        }

    def _summary(self, name: str, values: list[Value], where: str) -> Value:
        own = self._base.summaries.get(name)
        try:
            if own is None:
                return SUMMARIES.get(name.lower(), _no_summary(name))(values, self._scope.budget)
            compiled = compile_expression(own, self._formulas, summary=True)
            self._scope.values = values
            return compiled.run(self._scope)
        except TooMuch:
            raise
        except ExpressionError as error:
            source = Statement(own or "", where if own is None else f"summaries.{name}")
            self._note(error, source, None)
            return Broken(error.message)

    # -- parts ------------------------------------------------------------------------------------------------------

    def _filter(self, condition: Filter) -> tuple[Evaluate, int]:
        """Return the test for a row, and how much work it is."""
        if isinstance(condition, Statement):
            try:
                compiled = compile_expression(condition.expression, self._formulas)
            except ExpressionError as error:
                raise BaseError(error.message, condition.where, condition.expression, error.position) from None
            if compiled.uses_this and self._scope.this is None:
                raise BaseError(NO_THIS, condition.where, condition.expression)
            return _placed(compiled.run, condition), compiled.size
        parts = [self._filter(part) for part in condition.parts]
        return _group(condition.kind, [run for run, _size in parts]), 1 + sum(size for _run, size in parts)

    def _column(self, each: PropertyId, *, needed: bool = False) -> Column:
        """Return a column; a needed one must be there, because the order of all rows depends on it."""
        title = self._base.titles.get(each, each.name)
        where = f"{self._view.where}.{each}" if each.namespace != "formula" else f"formulas.{each.name}"
        expression = self._base.formulas.get(each.name, "") if each.namespace == "formula" else str(each)
        source = Statement(expression, where)
        wrong = self._broken.get(where) or next(iter(_wrong_id(each, self._base, self._view.where)), None)
        if wrong is not None:
            if needed:
                raise wrong
            message, position = wrong.message, wrong.position
            self.problems[wrong.where, message, position] = Problem(wrong.where, message, wrong.expression, position)
            return Column(each, title, lambda _scope: Broken(message), source)
        return Column(each, title, _run_of(each, self._formulas), source)

    def _note(self, error: ExpressionError, source: Statement, row: Row | None) -> None:
        expression = source.expression if not source.where.startswith("views") or "filters" in source.where else ""
        new = Problem(source.where, error.message, expression, error.position, example=row.path if row else "")
        self.problems.setdefault((source.where, error.message, error.position), new).rows += row is not None


def _all_of(condition: Filter | None) -> Sequence[Filter]:
    """Return the filters that must all be true."""
    if condition is None:
        return ()
    return condition.parts if isinstance(condition, Group) and condition.kind == "and" else (condition,)


def _placed(run: Evaluate, statement: Statement) -> Evaluate:
    """Return the same evaluation, whose errors name the statement that they are in."""

    def placed(scope: Scope) -> Value:
        try:
            return run(scope)
        except TooMuch:
            raise
        except ExpressionError as error:
            raise _Failed(error, statement) from None

    return placed


def _group(kind: str, parts: list[Evaluate]) -> Evaluate:
    """Return one test for several filters; a group without any is no condition."""
    if not parts:
        return lambda _scope: True
    if kind == "and":
        return both(parts)
    one = either(parts)
    return one if kind == "or" else lambda scope: not one(scope)


def _run_of(each: PropertyId, formulas: Mapping[str, Evaluate]) -> Evaluate:
    if each.namespace == "formula":
        return compile_expression(f"formula[{quoted(each.name)}]", formulas).run
    if each.namespace == "file":
        field = FILE_FIELDS[each.name.lower()]
        return lambda scope: field(scope, scope.row)
    lower = each.name.lower()
    return lambda scope: scope.row.cells.get(lower)


def _no_summary(name: str) -> Summary:
    def fail(_values: list[Value], _budget: StepBudget) -> Value:
        raise ExpressionError(f"there is no summary {name!r}")

    return fail


def _compiled_formulas(base: Base) -> tuple[dict[str, Evaluate], list[BaseError]]:
    """Return the evaluation of each formula; one that cannot be evaluated raises wherever it is used."""
    formulas = dict.fromkeys(base.formulas, _failing(""))
    problems: list[BaseError] = []
    compiled: dict[str, Compiled] = {}

    def fail(name: str, error: ExpressionError) -> None:
        problems.append(BaseError(error.message, f"formulas.{name}", base.formulas[name], error.position))
        formulas[name] = _failing(f'The formula "{name}" cannot be evaluated: {error.message}')

    for name, expression in base.formulas.items():
        try:
            compiled[name] = compile_expression(expression, formulas)
        except ExpressionError as error:
            fail(name, error)
    for name, circle in _circles(compiled).items():
        fail(name, ExpressionError(f"The formula needs itself: {' → '.join(circle)}"))
        del compiled[name]
    for name in _too_deep(compiled):
        fail(name, ExpressionError("the formulas that build on one another are too deep"))
        del compiled[name]
    formulas |= {name: _spending(each) for name, each in compiled.items()}
    return formulas, problems


def _failing(message: str) -> Evaluate:
    def run(_scope: Scope) -> Value:
        raise ExpressionError(message)

    return run


def _spending(compiled: Compiled) -> Evaluate:
    """Return a formula, which is counted when it is evaluated."""
    run, size = compiled.run, compiled.size

    def spend(scope: Scope) -> Value:
        scope.budget.spend(size)
        return run(scope)

    return spend


def _circles(compiled: Mapping[str, Compiled]) -> dict[str, list[str]]:
    """Return the formulas that need themselves, each with the way that leads back to it."""
    needs = {name: [other for other in each.formulas if other in compiled] for name, each in compiled.items()}
    ways = {name: _way_back(name, needs) for name in _undecided(needs)}
    return {name: way for name, way in ways.items() if way}


def _undecided(needs: Mapping[str, list[str]]) -> list[str]:
    """Return the names that are in a circle or depend on one."""
    left, rest = list[str](), list(needs)
    while rest != left:
        left, waiting = rest, set(rest)
        rest = [name for name in left if not waiting.isdisjoint(needs[name])]
    return left


def _way_back(name: str, needs: Mapping[str, list[str]]) -> list[str] | None:
    """Return the shortest way from a formula to itself."""
    ways: dict[str, list[str]] = {}
    pending = [(name, [name])]
    for current, way in pending:
        for other in sorted(needs[current]):
            if other == name:
                return [*way, name]
            if other not in ways:
                ways[other] = [*way, other]
                pending.append((other, ways[other]))
    return None


def _too_deep(compiled: Mapping[str, Compiled]) -> list[str]:
    """Return the formulas that are too deep, together with those that they build on."""
    needs = {name: each.formulas & compiled.keys() for name, each in compiled.items()}
    depths: dict[str, int] = {}
    for name in TopologicalSorter(needs).static_order():
        depths[name] = compiled[name].depth + max((depths[other] for other in needs[name]), default=0)
    return [name for name in compiled if depths[name] > DEEPEST_FORMULAS]


def _wrong(statement: Statement, formulas: Mapping[str, Evaluate], *, summary: bool = False) -> Iterable[BaseError]:
    try:
        compile_expression(statement.expression, formulas, summary=summary)
    except ExpressionError as error:
        yield BaseError(error.message, statement.where, statement.expression, error.position)


def _wrong_in_filter(condition: Filter | None, formulas: Mapping[str, Evaluate]) -> Iterable[BaseError]:
    if isinstance(condition, Statement):
        yield from _wrong(condition, formulas)
    for part in condition.parts if isinstance(condition, Group) else ():
        yield from _wrong_in_filter(part, formulas)


def _wrong_id(each: PropertyId, base: Base, where: str) -> Iterable[BaseError]:
    if each.namespace == "file" and each.name.lower() not in FILE_FIELDS:
        yield BaseError(f"there is no file property {each.name!r}", f"{where}.{each}")
    if each.namespace == "formula" and each.name not in base.formulas:
        yield BaseError(f"there is no formula {each.name!r}", f"{where}.{each}")


def of_filter(expression: str, columns: Sequence[PropertyId] = ()) -> Base:
    """Return a base that is a filter and nothing else.

    Args:
        expression: The filter.
        columns: What its table shows; the name without any.
    """
    view = View("", "table", "", columns=tuple(columns) or (PropertyId("file", "name"),))
    return Base(Statement(expression, "filter"), {}, {}, {}, (view,))
