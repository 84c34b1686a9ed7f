"""What holds of every expression and value: reading never crashes, equality goes both ways, nothing sorted is lost."""

import string
from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.bases.base_file import read_base
from bridge.bases.compiling import compile_expression
from bridge.bases.dates import DAY, Date, Duration, measured, moved, read_date
from bridge.bases.failures import BaseError, ExpressionError, StepBudget
from bridge.bases.lists import in_order, sort_key, sorted_values, unique
from bridge.bases.numbers import number_text, read_number
from bridge.bases.rows import Link, Value
from bridge.bases.syntax import DEEPEST_TREE, children, parse
from bridge.bases.texts import TextPattern
from bridge.bases.values import equal, identical, is_true, plain, text, type_name
from tests.bases.expressions import EXPRESSIONS, FILES, ROW
from tests.bases.vault_of_files import NOW, ZONE, FilesInMemory, evaluated

pytestmark = pytest.mark.slow

VAULT = FilesInMemory(FILES)
PIECES = st.sampled_from(
    [
        *("(", ")", "[", "]", ".", ",", "!", "-", "+", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||", " "),
        *("price", "file", "note", "this", "value", "if(", ".map(", ".contains(", "1", "2.5", '"a"', "'", '"', "/a/g"),
        *("now()", "null", "author", "tags", "date(", "\\", "{", "é", "\ud800", "\x00", "link(", ".length", "formula"),
    ]
)
T = TypeVar("T")


def outcome(do: Callable[[], T]) -> tuple[T, None] | tuple[None, ExpressionError]:
    """What comes of something, or the mistake that it ends with."""
    try:
        return do(), None
    except ExpressionError as error:
        return None, error


DATES = st.datetimes().map(lambda when: Date(ZONE.ms(when.replace(microsecond=0)), ZONE))
SCALARS: st.SearchStrategy[Value] = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | DATES
    | st.builds(Duration, *[st.integers(-50, 50) for _ in range(7)])
    | st.sampled_from(["Ada", "Nobody", "Library/Bob#x"]).map(lambda path: Link(path, None, ROW, VAULT))
    | st.just(VAULT.row("Ada.md"))
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=200))
@example("((((" * 500)
@example("!" * 19_000)
@example("a" + ".b" * 9_000)
@example("1" + "+1" * 9_000)
@example("1" + "-1" * 9_000)
@example("[" * 19_000)
@example("x[" * 9_000)
@example("/" * 19_000)
@example('"' * 19_001)
@example("a" * 1_000_000)
def test_reading_an_expression_ends_with_a_tree_or_with_a_place(source: str) -> None:
    node, failure = outcome(lambda: parse(source))
    if failure is not None:
        assert failure.position is not None
        assert 0 <= failure.position <= len(source)
        return
    assert node is not None
    assert node.depth <= DEEPEST_TREE
    pending = [node]
    while pending:
        part = pending.pop()
        assert 0 <= part.start <= part.end <= len(source)
        for inner in children(part):
            assert part.start <= inner.start
            assert inner.end <= part.end
            pending.append(inner)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_evaluating_ends_with_a_value_or_with_a_message(source: str) -> None:
    value, failure = outcome(
        lambda: evaluated(source, VAULT, ROW, {"total": lambda _scope: 1}, budget=StepBudget(100_000))
    )
    if failure is None:
        plain(value)
        text(value)
    else:
        assert failure.message


@given(st.sampled_from(EXPRESSIONS), st.data())
def test_a_changed_expression_still_ends(case: tuple[str, str, Any], data: st.DataObject) -> None:
    _source, expression, _value = case
    at = data.draw(st.integers(0, len(expression)))
    changed = expression[:at] + data.draw(PIECES) + expression[at + data.draw(st.integers(0, 3)) :]
    formulas = {"total": lambda _scope: 1}
    _value, failure = outcome(lambda: plain(evaluated(changed, VAULT, ROW, formulas, budget=StepBudget(200_000))))
    assert failure is None or failure.message


@given(VALUES)
def test_every_value_has_a_type_a_truth_and_a_text(value: Value) -> None:
    assert type_name(value)
    assert is_true(value) in {True, False}
    assert isinstance(text(value), str)
    assert equal(value, value, StepBudget())
    assert identical(value, value, StepBudget())


@given(VALUES, VALUES)
def test_equality_goes_both_ways(left: Value, right: Value) -> None:
    assert equal(left, right, StepBudget()) == equal(right, left, StepBudget())
    if identical(left, right, StepBudget()):
        assert equal(left, right, StepBudget())


@given(st.lists(SCALARS, max_size=12), st.booleans())
def test_rows_are_in_order_and_none_is_lost(values: list[Value], descending: bool) -> None:
    places = in_order(range(len(values)), values.__getitem__, descending=descending)
    assert sorted(places) == list(range(len(values)))
    having = [place for place in places if values[place] is not None and values[place] != ""]
    assert places[: len(having)] == having  # those without a value are last
    for one, two in pairwise(having):
        first, second = sort_key(values[one]), sort_key(values[two])
        assert first >= second if descending else first <= second
        if first == second:
            assert one < two  # what is the same keeps its place


@given(st.lists(VALUES, max_size=10))
def test_a_sorted_list_has_the_same_items(values: list[Value]) -> None:
    ordered = sorted_values(values, StepBudget())
    assert sorted(map(id, ordered)) == sorted(map(id, values))
    texts = [text(value) for value in sorted_values(ordered, StepBudget())]
    assert texts == [text(value) for value in ordered]


@given(st.lists(VALUES, max_size=10))
def test_a_list_without_duplicates_has_each_value_once(values: list[Value]) -> None:
    kept = unique(values, StepBudget())
    for place, value in enumerate(kept):
        assert not any(identical(value, other, StepBudget()) for other in kept[:place])
    assert all(any(identical(value, other, StepBudget()) for other in kept) for value in values)


@given(st.floats() | st.integers(-(2**70), 2**70))
def test_a_written_number_is_read_as_the_same(number: float) -> None:
    read = read_number(number_text(number))
    assert read == float(number) or number != number  # noqa: PLR0124 (NaN)


@given(st.datetimes(), st.booleans())
def test_a_written_date_is_read_as_the_same(when: Any, has_time: bool) -> None:
    date = Date(ZONE.ms(when.replace(microsecond=0)), ZONE)
    date = date if has_time else date.day()
    read = read_date(str(date), ZONE)
    assert read is not None
    assert (read.ms, read.has_time) == (date.ms, date.has_time)


@given(st.integers(-400, 400))
def test_a_day_later_is_a_day_in_every_unit(days: int) -> None:
    duration = Duration(milliseconds=days * DAY)
    assert measured(duration, "days", NOW) == days
    assert measured(duration, "hours", NOW) == days * 24
    assert moved(moved(NOW, duration), duration, -1).ms == NOW.ms


@given(st.text(alphabet=string.printable, max_size=40), st.text(max_size=60))
@example("(a+)+$", "a" * 5000)
@example("(a|a)*b", "a" * 5000)
@example("a{1000}{1000}", "a")
def test_any_pattern_is_run_or_refused(source: str, said: str) -> None:
    pattern, failure = outcome(lambda: TextPattern(source, "g"))
    if failure is not None:
        assert failure.message
        return
    assert pattern is not None
    assert pattern.matches(said, StepBudget()) == any(True for _match in pattern.found(said, StepBudget()))


@given(st.text(max_size=300))
@example("filters:\n" + "".join(f"{'  ' * depth}and:\n{'  ' * depth}- \n" for depth in range(90)))
@example("[" * 5000)
@example("a: &a [*a, *a]")
@example("views: 5\nfilters: {and: [], or: []}")
@example("x" * 1_000_000)
def test_any_text_is_a_base_or_is_refused(source: str) -> None:
    try:
        base = read_base(source)
    except BaseError as error:
        said = str(error)
    else:
        said = str(base)
    assert said


def test_an_expression_is_no_code() -> None:
    for hostile in ("__import__('os').system('true')", "file.__class__", '"".__class__.__mro__', "this.__dict__"):
        try:
            value = evaluated(hostile, VAULT, ROW)
        except ExpressionError:
            continue
        assert value is None  # a property that the note does not have
    assert compile_expression("a", {}).run is not None
