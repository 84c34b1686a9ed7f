"""The rows of views: filtered, sorted, limited, grouped and summed up, and what is said where something fails."""

from typing import Any

import pytest

from bridge.bases.base_file import read_base
from bridge.bases.failures import BaseError
from bridge.bases.values import plain
from bridge.bases.views import Broken, ViewTable, evaluate, of_filter, view_of
from tests.bases.vault_of_files import NOW, FilesInMemory

FILES = {
    "Books/Dune.md": "---\nrating: 9\nyear: 1965\ngenre: [SF]\nread: true\nlast: 2024-05-01\nprice: 10\n---\n#book\n",
    "Books/Emma.md": "---\nrating: 7\nyear: 1815\nread: false\nlast: 2024-01-31\nprice: 5.5\n---\n#book/old [[Dune]]\n",
    "Books/Ulysses.md": "---\nrating: great\nyear: 1922\nread: true\nprice: \n---\n#book\n",
    "Books/Zorro.md": "---\nyear: 1919\ngenre: [Adventure]\n---\n#book\n",
    "Other.md": "---\nrating: 10\n---\nno book\n",
    "cover.png": "png",
}
VAULT = FilesInMemory(FILES)


def shown(source: str, view: str | None = None, this: str | None = None) -> ViewTable:
    base = read_base(source)
    row = VAULT.row(this) if this else None
    return evaluate(base, view_of(base, view), VAULT, NOW, this=row)


def names(table: ViewTable) -> list[str]:
    return [row.name for row in table.rows]


def column(table: ViewTable, place: int = 0) -> list[Any]:
    return [None if isinstance(row[place], Broken) else plain(row[place]) for row in table.cells()]


def test_without_filters_every_file_is_there_whatever_its_kind() -> None:
    assert names(shown("")) == ["Dune", "Emma", "Ulysses", "Zorro", "Other", "cover.png"]


def test_filters_of_the_base_and_of_the_view_must_both_be_true() -> None:
    table = shown("filters: file.hasTag('book')\nviews: [{filters: {and: ['year > 1900', 'year < 1950']}}]")
    assert names(table) == ["Ulysses", "Zorro"]


def test_of_several_orders_by_one_property_the_first_counts() -> None:
    sort = (
        "[{property: genre}, {property: year, direction: DESC}, {property: genre, direction: DESC}, {property: year}]"
    )
    table = shown(f"filters: file.hasTag('book')\nviews: [{{sort: {sort}}}]")
    assert names(table) == ["Zorro", "Dune", "Ulysses", "Emma"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("{or: ['rating == 9', 'rating == 7']}", ["Dune", "Emma"]),
        ("{not: ['rating == 9', 'rating == 7']}", ["Ulysses", "Zorro", "Other", "cover.png"]),
        ("{and: [{not: ['file.ext == \"png\"']}, {or: ['!rating', 'rating == 10']}]}", ["Zorro", "Other"]),
        ("{and: []}", ["Dune", "Emma", "Ulysses", "Zorro", "Other", "cover.png"]),
        ("{or: []}", ["Dune", "Emma", "Ulysses", "Zorro", "Other", "cover.png"]),
        ("{not: []}", ["Dune", "Emma", "Ulysses", "Zorro", "Other", "cover.png"]),
        ("rating", ["Dune", "Emma", "Ulysses", "Other"]),
        ("''", ["Dune", "Emma", "Ulysses", "Zorro", "Other", "cover.png"]),
        ("'false'", []),
    ],
)
def test_groups_of_filters(condition: str, found: list[str]) -> None:
    assert names(shown(f"filters: {condition}")) == found


@pytest.mark.parametrize(
    ("sort", "found"),
    [
        ("[{property: rating}]", ["Emma", "Dune", "Other", "Ulysses", "Zorro", "cover.png"]),
        ("[{property: rating, direction: DESC}]", ["Ulysses", "Other", "Dune", "Emma", "Zorro", "cover.png"]),
        (
            "[{property: read, direction: DESC}, {property: year}]",
            ["Ulysses", "Dune", "Emma", "Zorro", "Other", "cover.png"],
        ),
        ("[{property: last, direction: DESC}]", ["Dune", "Emma", "Ulysses", "Zorro", "Other", "cover.png"]),
        ("[{property: file.name, direction: DESC}]", ["Zorro", "Ulysses", "Other", "Emma", "Dune", "cover.png"]),
        ("[{property: formula.age}]", ["Dune", "Ulysses", "Zorro", "Emma", "Other", "cover.png"]),
    ],
)
def test_rows_are_sorted_and_those_without_a_value_are_last(sort: str, found: list[str]) -> None:
    assert names(shown(f"formulas: {{age: 2000 - year}}\nviews: [{{sort: {sort}}}]")) == found


def test_the_limit_is_of_the_sorted_rows_and_what_was_found_is_said() -> None:
    table = shown("filters: year\nviews: [{sort: [{property: year}], limit: 2}]")
    assert names(table) == ["Emma", "Zorro"]
    assert table.found == 4


def test_rows_of_one_value_are_a_group_and_those_without_one_the_last() -> None:
    table = shown(
        "filters: year\nviews: [{groupBy: {property: genre, direction: DESC}, sort: [{property: year}], "
        "order: [file.name, price], summaries: {price: Sum, file.name: Filled}}]"
    )
    assert [(group.title, group.end - group.start) for group in table.groups] == [("SF", 1), ("Adventure", 1), ("", 2)]
    assert names(table) == ["Dune", "Zorro", "Emma", "Ulysses"]
    assert [list(group.summaries.values()) for group in table.groups] == [[10, 1], [None, 1], [5.5, 2]]
    assert {str(key): value for key, value in table.summaries.items()} == {"note.price": 15.5, "file.name": 4}
    assert table.groups[2].value is None


@pytest.mark.parametrize(
    ("each", "summary", "value"),
    [
        ("price", "Average", 7.75),
        ("price", "Min", 5.5),
        ("price", "Max", 10),
        ("price", "Sum", 15.5),
        ("price", "Range", 4.5),
        ("price", "Median", 7.75),
        ("price", "Stddev", 2.25),
        ("price", "Empty", 4),
        ("price", "Filled", 2),
        ("rating", "Unique", 4),
        ("read", "Checked", 2),
        ("read", "Unchecked", 1),
        ("last", "Earliest", "2024-01-31"),
        ("last", "Latest", "2024-05-01"),
        ("last", "Range", "3 months"),
        ("missing", "Sum", None),
        ("price", "half", 5),
    ],
)
def test_what_stands_below_a_column(each: str, summary: str, value: Any) -> None:
    table = shown(
        f"summaries: {{half: 'values.filter(value).mean() / 2 + 1.125'}}\nviews: [{{summaries: {{{each}: {summary}}}}}]"
    )
    assert [plain(found) for found in table.summaries.values()] == [value]
    assert not table.problems


def test_cells_are_in_the_order_of_the_columns_with_their_titles() -> None:
    table = shown(
        "formulas: {twice: price * 2}\nproperties: {price: {displayName: Cost}}\n"
        "filters: price > 0\nviews: [{order: [file.name, note.price, formula.twice, file.ext]}]"
    )
    assert [title for _id, title, _run, _source in table.columns] == ["name", "Cost", "twice", "ext"]
    assert [plain(row) for row in table.cells()] == [["Dune", 10, 20, "md"], ["Emma", 5.5, 11, "md"]]
    assert [plain(row) for row in table.cells(1, 2)] == [["Emma", 5.5, 11, "md"]]


def test_views_that_draw_more_than_columns_have_it_in_their_rows() -> None:
    table = shown("filters: file.ext == 'png'\nviews: [{type: cards, image: file.file}]")
    assert [plain(row) for row in table.cells()] == [["cover.png", "cover.png"]]


def test_a_filter_that_is_no_expression_ends_the_query_with_its_place() -> None:
    with pytest.raises(BaseError) as refused:
        shown("views: [{name: A, filters: {and: ['rating > 1', 'not(empty(rating))']}}]")
    assert str(refused.value) == (
        'views[0].filters.and[1]: Cannot find function "not"; now is there in `not(empty(rating))`, at character 1'
    )


def test_another_view_of_the_same_base_is_not_harmed() -> None:
    source = "views: [{name: A, filters: 'nope('}, {name: B, filters: 'rating == 9'}]"
    assert names(shown(source, "B")) == ["Dune"]


def test_a_filter_that_fails_for_some_files_leaves_them_out_and_says_so() -> None:
    table = shown("filters: rating.lower() == 'great'")
    assert names(table) == ["Ulysses"]
    (problem,) = table.problems
    assert str(problem) == (
        "filters: Cannot find function \"lower\" on type Number in `rating.lower() == 'great'`, at character 8 "
        "(3 files, first Books/Dune.md)"
    )


def test_a_not_does_not_let_in_what_failed() -> None:
    assert names(shown("filters: {not: [\"rating.lower() == 'x'\"]}")) == ["Ulysses", "Zorro", "cover.png"]


def test_a_cell_that_fails_is_broken_and_the_others_are_there() -> None:
    table = shown("formulas: {low: rating.lower()}\nviews: [{order: [file.name, formula.low], limit: 4}]")
    cells = table.cells()
    assert cells[0] == ["Dune", Broken('Cannot find function "lower" on type Number')]
    assert cells[2] == ["Ulysses", "great"]
    assert table.problems[0].rows == 2


def test_sorting_by_what_is_not_there_is_refused_and_showing_it_is_a_problem() -> None:
    with pytest.raises(BaseError, match="there is no formula 'nope'"):
        shown("views: [{sort: [{property: formula.nope}]}]")
    table = shown("views: [{order: [formula.nope]}]")
    assert str(table.problems[0]) == "views[0].formula.nope: there is no formula 'nope'"


def test_this_is_the_note_it_is_looked_at_from() -> None:
    source = "filters: file.hasLink(this)"
    assert names(shown(source, this="Books/Dune.md")) == ["Emma"]
    with pytest.raises(BaseError, match="`this` is not known here"):
        shown(source)


def test_a_filter_alone_is_a_base() -> None:
    base = of_filter("rating > 8")
    table = evaluate(base, base.views[0], VAULT, NOW)
    assert names(table) == ["Dune", "Other"]
    with pytest.raises(BaseError, match="filter: Unable to parse"):
        evaluate(of_filter("rating >"), of_filter("rating >").views[0], VAULT, NOW)


def test_a_formula_is_evaluated_once_for_each_row() -> None:
    table = shown(
        "formulas: {dice: random(), same: formula.dice == formula.dice}\nfilters: formula.dice >= 0\n"
        "views: [{order: [formula.dice, formula.same], sort: [{property: formula.dice}]}]"
    )
    dice = column(table)
    assert dice == sorted(dice)
    assert column(table) == dice
    assert column(table, 1) == [True] * len(dice)
