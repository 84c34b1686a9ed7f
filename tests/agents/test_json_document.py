"""One value goes into a JSON document and out again, at any depth and in lists, and nothing else changes by a byte."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.agents.documents import JsonDocument
from bridge.agents.machine import ConfigurationRefused

ITEM = {"matcher": "Edit|Write", "hooks": [{"type": "command"}]}


def document(text: str) -> JsonDocument:
    return JsonDocument(text, comments=True, commas=True)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{}", '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'),
        ('{"a": {"b": []}}', '{"a": {"b": [\n  1\n]}}'),
        ('{"a": {"b": [0]}}', '{"a": {"b": [0, 1]}}'),
        ('{"a": {"b": [0,]}}', '{"a": {"b": [0, 1,]}}'),
        ('{"a": {"b": [\n  0 // zero\n]}}', '{"a": {"b": [\n  0, // zero\n  1\n]}}'),
        ('{"a": {"x": 2}}', '{"a": {"x": 2, "b": [1]}}'),
    ],
)
def test_an_item_goes_to_the_end_of_a_list(text: str, after: str) -> None:
    assert document(text).append(("a", "b"), 1).text == after


@pytest.mark.parametrize(
    ("text", "index", "after"),
    [
        ('{"a": [0, 1, 2]}', 0, '{"a": [ 1, 2]}'),
        ('{"a": [0, 1, 2]}', 1, '{"a": [0, 2]}'),
        ('{"a": [0, 1, 2]}', 2, '{"a": [0, 1]}'),
        ('{"a": [0]}', 0, '{"a": []}'),
        ('{"a": [\n  0, // zero\n  1\n]}', 1, '{"a": [\n  0 // zero\n]}'),
    ],
)
def test_an_item_leaves_with_its_comma(text: str, index: int, after: str) -> None:
    assert document(text).remove(("a",), index).text == after


@pytest.mark.parametrize(
    ("text", "path"), [('{"a": 1}', ("a", "b")), ('{"a": []}', ("a", "b", "c")), ('{"a": {"b": 1}}', ("a", "b"))]
)
def test_something_else_in_the_place_of_a_list_is_told_with_its_line(text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationRefused, match=r"line 1: '\w' is no"):
        document(text).append(path, 1)


def test_what_is_not_there_is_none_and_removing_it_changes_nothing() -> None:
    text = '{"a": {"b": 1}}'
    assert document(text).get(("a", "x", "y")) is None
    assert document(text).remove(("a", "x")).text == text
    assert document(text).remove(("x", "y"), 0).text == text
    assert document(text).remove(("x", "y")).text == text


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(
    st.dictionaries(st.text(max_size=3), VALUES, max_size=3),
    st.lists(VALUES, max_size=3),
    st.sampled_from([None, 1, 2, "\t"]),
)
def test_appending_and_removing_brings_the_text_back(
    rest: dict[str, Any], items: list[Any], indent: int | str | None
) -> None:
    rest.pop("hooks", None)
    text = json.dumps({**rest, "hooks": {"Pre": items}}, indent=indent)
    with_item = document(text).append(("hooks", "Pre"), ITEM)
    assert json.loads(with_item.text) == {**rest, "hooks": {"Pre": [*items, ITEM]}}
    without = with_item.remove(("hooks", "Pre"), len(items))
    assert json.loads(without.text) == json.loads(text)
    assert without.text == text or not items
