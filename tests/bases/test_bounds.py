"""Bases that are meant to take all time and memory end soon, with a message."""

from datetime import timedelta, timezone

import pytest

from bridge.bases.base_file import read_base
from bridge.bases.dates import Zone, read_date
from bridge.bases.failures import BaseError, ExpressionError, StepBudget, TooMuch
from bridge.bases.syntax import MOST_LETTERS
from bridge.bases.views import Broken, check, evaluate, view_of
from tests.bases.expressions import FILES, ROW
from tests.bases.vault_of_files import NOW, FilesInMemory, evaluated

VAULT = FilesInMemory(FILES)

TWENTY = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]"
TREE = f"{TWENTY}.reduce([acc, acc, acc], 1)"
"""A list of lists, of more than three thousand million items in all, in little memory."""

BOMBS = {
    "a long text": '"a".repeat(1000000000)',
    "a text of texts": '"a".repeat(1000000).repeat(1000)',
    "texts that double": "[1,2,3,4,5,6,7,8,9].reduce(acc + acc + acc + acc + acc + acc, " + '"' + "a" * 100 + '")',
    "a text that grows where it is empty": '"' + "a" * 10_000 + '".replace("", "' + "b" * 9_000 + '")',
    "lists in lists": "[1,2,3,4,5,6,7,8].map([1,2,3,4,5,6,7,8].map([1,2,3,4,5,6,7,8].map("
    "[1,2,3,4,5,6,7,8].map([1,2,3,4,5,6,7,8].map([1,2,3,4,5,6,7,8].map([1,2,3,4,5,6,7,8].map(1)))))))",
    "lists of themselves": f"{TREE}.toString()",
    "lists of themselves, compared": f"{TREE} == {TREE}",
    "lists of themselves, flat": f"{TREE}.flat()",
    "lists of themselves, joined": f"{TREE}.join()",
    "lists of themselves, sorted": f"[{TREE}, {TREE}].sort()",
    "lists of themselves, each once": f"[{TREE}, {TREE}].unique()",
    "pieces": '"' + "a" * 15_000 + '".split("").map("' + "b" * 4000 + '").join("")',
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_an_expression_that_explodes_ends(bomb: str) -> None:
    with pytest.raises(TooMuch):
        evaluated(bomb, VAULT, ROW, budget=StepBudget(300_000))


@pytest.mark.parametrize(
    "expression",
    [
        '/(a+)+b/.matches("a".repeat(100000))',
        '/(a|aa)+$/.matches("a".repeat(100000) + "b")',
        '"a".repeat(100000).replace(/a*?b/g, "")',
    ],
)
def test_a_pattern_that_explodes_elsewhere_takes_no_longer_than_its_text(expression: str) -> None:
    assert evaluated(expression, VAULT, ROW, budget=StepBudget(2_000_000)) in {False, "a" * 100_000}


def test_numbers_do_not_grow_without_end() -> None:
    assert evaluated("[1,2,3,4,5,6,7,8,9,10].reduce(acc * acc, 10).toString()", VAULT, ROW) == "Infinity"


@pytest.mark.parametrize(
    "expression",
    [
        'date("0001-01-01") - "1s"',
        'date("0001-01-02") - "3d"',
        'date("9999-12-31") + "1M"',
        'date("9999-12-31T23:59:59") + "1s"',
        'now() + "99999999y"',
        'now() - "999999999999s"',
        'date("9999-12-31").format("gggg-ww")',
        'date("0001-01-03").format("ww")',
        '(date("0001-01-05") - now()).years',
    ],
)
def test_a_date_beyond_the_calendar_fails_where_it_is_made(expression: str) -> None:
    with pytest.raises(ExpressionError):
        evaluated(expression, VAULT, ROW)


def test_the_last_day_of_the_calendar_has_a_distance() -> None:
    assert evaluated('date("9999-12-31").relative()', VAULT, ROW) == "in 7974 years"


@pytest.mark.parametrize("place", ["1 / 0", "-1 / 0", "0 / 0", "0.5"])
def test_a_list_has_nothing_at_a_place_that_is_no_whole_number(place: str) -> None:
    assert evaluated(f"[1, 2][{place}]", VAULT, ROW) is None


@pytest.mark.parametrize("hours", [-12, 0, 14])
@pytest.mark.parametrize(
    "text",
    ["0001-01-01", "9999-12-31", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00Z"],
)
def test_a_day_at_the_end_of_the_calendar_can_be_shown_or_is_a_text(text: str, hours: int) -> None:
    date = read_date(text, Zone(timezone(timedelta(hours=hours))))
    assert date is None or str(date)[:4] in {"0001", "9999"}


def test_a_file_from_beyond_the_calendar_fails_alone() -> None:
    vault = FilesInMemory({"A.md": "", "B.md": ""})
    row = vault.row("A.md")
    assert row is not None
    row.mtime = 10**18
    base = read_base("views: [{order: [file.mtime], sort: [file.mtime]}]")
    cells = evaluate(base, view_of(base, None), vault, NOW).cells()
    assert [isinstance(cell, Broken) for (cell,) in cells].count(True) == 1


def test_an_expression_may_be_only_so_long() -> None:
    with pytest.raises(ExpressionError, match="longer than"):
        evaluated("1" * (MOST_LETTERS + 1), VAULT, ROW)


def test_a_base_of_a_million_characters_is_refused() -> None:
    with pytest.raises(BaseError, match="too long"):
        read_base("views:\n" + "  - name: x\n" * 90_000)


def test_filters_nested_a_thousand_deep_are_refused() -> None:
    nested = "{and: [" * 1000 + '"true"' + "]}" * 1000
    with pytest.raises(BaseError, match="cannot be read as YAML"):
        read_base(f"filters: {nested}")


def test_filters_nested_as_deep_as_is_read_are_evaluated() -> None:
    depth = 40
    base = read_base("filters: " + "{not: [" * depth + '"true"' + "]}" * depth)
    assert evaluate(base, view_of(base, None), VAULT, NOW).found == len(FILES)


def test_formulas_that_need_one_another_are_named_and_the_others_evaluated() -> None:
    base = read_base(
        "formulas:\n  a: formula.b + 1\n  b: formula.c\n  c: formula.a\n  own: formula.own\n  uses: formula.a\n"
        "  fine: 1\n"
        "views:\n  - order: [file.name, formula.a, formula.own, formula.uses, formula.fine]\n"
    )
    table = evaluate(base, view_of(base, None), VAULT, NOW)
    said = "\n".join(map(str, table.problems))
    table.cells()
    assert "The formula needs itself: a → b → c → a" in said
    assert "The formula needs itself: own → own" in said
    assert all(row[4] == 1 for row in table.cells())
    assert "formulas.uses" in "\n".join(map(str, table.problems))


def test_formulas_that_build_on_one_another_too_deeply_are_refused_and_not_run() -> None:
    lines = ["formulas:", "  f0: 1", *(f"  f{n}: formula.f{n - 1} + 1" for n in range(1, 400))]
    base = read_base("\n".join([*lines, "views: [{order: [formula.f399, formula.f5]}]"]))
    table = evaluate(base, view_of(base, None), VAULT, NOW)
    assert [row[1] for row in table.cells(0, 1)] == [6]
    assert "too deep" in "\n".join(map(str, table.problems))
    assert any("too deep" in str(problem) for problem in check(base))


def test_formulas_that_double_one_another_end() -> None:
    lines = ["formulas:", "  f0: \"'a'\"", *(f"  f{n}: formula.f{n - 1} + formula.f{n - 1}" for n in range(1, 60))]
    base = read_base("\n".join([*lines, "views: [{order: [formula.f59]}]"]))
    with pytest.raises(BaseError, match="not made"):
        evaluate(base, view_of(base, None), VAULT, NOW).cells()


def test_a_query_that_is_too_much_work_says_so() -> None:
    base = read_base('filters: "[1,2,3].map(value).length > 0"')
    with pytest.raises(BaseError, match="too much work"):
        evaluate(base, view_of(base, None), VAULT, NOW, budget=StepBudget(20))


def test_whoever_asks_can_end_it() -> None:
    class Enough(Exception):
        pass

    def pause() -> None:
        raise Enough

    base = read_base("views: [{name: All}]")
    with pytest.raises(Enough):
        evaluate(base, view_of(base, None), VAULT, NOW, pause=pause)
