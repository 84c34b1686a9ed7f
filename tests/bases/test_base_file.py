"""What the YAML of a base says, what is wrong with it, and what older versions wrote."""

import pytest

from bridge.bases.base_file import Group, Order, PropertyId, Statement, property_id, read_base
from bridge.bases.failures import BaseError
from bridge.bases.views import check, view_of

HELP = """
filters:
  or:
    - file.hasTag("tag")
    - and:
        - file.hasTag("book")
        - file.hasLink("Textbook")
    - not:
        - file.hasTag("book")
        - file.inFolder("Required Reading")
formulas:
  formatted_price: 'if(price, price.toFixed(2) + " dollars")'
  ppu: "(price / age).toFixed(2)"
properties:
  status:
    displayName: Status
  formula.formatted_price:
    displayName: "Price"
  file.ext:
    displayName: Extension
summaries:
  customAverage: 'values.mean().round(3)'
views:
  - type: table
    name: "My table"
    limit: 10
    groupBy:
      property: note.age
      direction: DESC
    filters:
      and:
        - 'status != "done"'
        - or:
            - "formula.ppu > 5"
            - "price > 2.1"
    order:
      - file.name
      - file.ext
      - note.age
      - formula.ppu
      - formula.formatted_price
    summaries:
      formula.ppu: Average
"""
"""The example of the help's page *Bases syntax*."""


def test_the_example_of_the_help_is_understood() -> None:
    base = read_base(HELP)
    assert check(base) == []
    assert isinstance(base.filter, Group)
    assert base.filter.kind == "or"
    assert base.filter.parts[0] == Statement('file.hasTag("tag")', "filters.or[0]")
    assert base.filter.parts[2].kind == "not"  # type: ignore[union-attr] # it is a group
    assert base.titles[PropertyId("note", "status")] == "Status"
    (view,) = base.views
    assert (view.name, view.type, view.limit) == ("My table", "table", 10)
    assert view.group == Order(PropertyId("note", "age"), descending=True)
    assert [str(column) for column in view.columns][:3] == ["file.name", "file.ext", "note.age"]
    assert view.summaries == {PropertyId("formula", "ppu"): "Average"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("status", "note.status"),
        ("note.status", "note.status"),
        ("property.url", "note.url"),
        ("file.name", "file.name"),
        ("formula.a.b", "formula.a.b"),
        ("other.thing", "note.other.thing"),
        ("note.", "note.note."),
    ],
)
def test_a_property_without_a_room_is_the_note_s(written: str, meant: str) -> None:
    assert str(property_id(written)) == meant


def test_what_older_versions_wrote_is_understood_and_said() -> None:
    base = read_base(
        "display: {file.name: Games}\nproperties: {property.url: {displayName: Link}}\n"
        "views: [{sort: [{column: note.year, direction: DESC}]}]"
    )
    assert base.titles == {PropertyId("file", "name"): "Games", PropertyId("note", "url"): "Link"}
    assert base.views[0].sort == (Order(PropertyId("note", "year"), descending=True),)
    assert len(base.remarks) == 3
    assert check(base) == []


@pytest.mark.parametrize(
    ("source", "place", "message"),
    [
        ("filters: {and: [], or: []}", "filters", "a filter is an expression, or one of"),
        ("filters: {xor: [a]}", "filters", "a filter is an expression, or one of"),
        ("filters: [a]", "filters", "a filter is an expression, or one of"),
        ("filters: {and: {a: b}}", "filters.and", "a list is expected here"),
        ("filters: {and: [a, {or: [b, 'c +']}]}", "filters.and[1].or[1]", "Unable to parse formula. (position 3)"),
        ("formulas: [a]", "formulas", "a mapping of names to values is expected here"),
        ("formulas: {a: [b]}", "formulas.a", "an expression is expected here"),
        ("formulas: {a: nope()}", "formulas.a", 'Cannot find function "nope"'),
        ("formulas: {a: formula.a}", "formulas.a", "The formula needs itself: a → a"),
        ("views: {a: b}", "views", "a list is expected here"),
        ("views: [5]", "views[0]", "a mapping of names to values is expected here"),
        ("views: [{limit: many}]", "views[0].limit", "the limit must be a number of rows"),
        ("views: [{sort: [{direction: ASC}]}]", "views[0].sort[0]", "the property is missing"),
        ("views: [{order: [formula.nope]}]", "views[0].formula.nope", "there is no formula 'nope'"),
        ("views: [{order: [file.nope]}]", "views[0].file.nope", "there is no file property 'nope'"),
        ("views: [{summaries: {a: Nope}}]", "views[0].summaries.note.a", "there is no summary 'Nope'"),
        ("summaries: {a: 'values.nope()'}", "summaries.a", 'Cannot find function "nope"'),
        ("views: [{filters: 'not(empty(last))'}]", "views[0].filters", 'Cannot find function "not"'),
    ],
)
def test_what_is_wrong_has_its_place(source: str, place: str, message: str) -> None:
    problems = check(read_base(source))
    assert [problem.where for problem in problems] == [place]
    assert problems[0].message.startswith(message)


@pytest.mark.parametrize("source", ["[1, 2]", "just words", "a: [", "5"])
def test_what_is_no_base_is_refused(source: str) -> None:
    with pytest.raises(BaseError):
        read_base(source)


def test_an_empty_base_has_one_view_of_every_file() -> None:
    assert view_of(read_base(""), None).columns == (PropertyId("file", "name"),)


def test_a_view_is_found_by_its_name_and_the_others_are_named_where_it_is_not_there() -> None:
    base = read_base("views: [{name: One}, {name: two}, {}]")
    assert view_of(base, None).name == "One"
    assert view_of(base, "TWO").name == "two"
    with pytest.raises(BaseError, match=r"there is no view 'Three'; there are: One, two, \(view 3\)"):
        view_of(base, "Three")
