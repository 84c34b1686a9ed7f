"""References lead to keys and indexes of what earlier calls answered, and to nothing else."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.toolkit.references import (
    MOST_BYTES,
    MOST_ITEMS,
    AnswerReference,
    parameters,
    references,
    resolved,
    uses_item,
)

ANSWERS = {
    "search": {"results": [{"path": "A.md", "score": 2.5}, {"path": "B.md"}], "the key": {"x y": 1}},
    "read-1": ["line"],
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"$from": "search.results[0].path"}, "A.md"),
        ({"$from": "search.results[-1].path"}, "B.md"),
        ({"$from": "search.the key.x y"}, 1),
        ({"$from": "read-1"}, ["line"]),
        (
            {"path": {"$from": "read-1[0]"}, "other": [{"$from": "search.results[0].score"}]},
            {"path": "line", "other": [2.5]},
        ),
        ({"$param": "title"}, "T"),
        (
            {"$text": ["Notes/", {"$param": "title"}, " ", {"$from": "search.results[0].score"}, ".md"]},
            "Notes/T 2.5.md",
        ),
        ({"$from": "read-1", "more": 1}, {"$from": "read-1", "more": 1}),
        ("$from", "$from"),
    ],
)
def test_a_reference_becomes_what_it_leads_to(value: Any, expected: Any) -> None:
    assert resolved(value, ANSWERS, {"title": "T"}) == expected


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"$from": "find.results"}, "there is no earlier call 'find'; the calls are: search, read-1"),
        ({"$from": "search.results[2]"}, "search.results is a list of 2, so there is no [2] in it"),
        ({"$from": "search[0]"}, "search is no list"),
        ({"$from": "search.nothing"}, "search has the keys results, the key, and no 'nothing'"),
        ({"$from": "read-1[0].upper"}, "read-1[0] has no keys, and no 'upper'"),
        ({"$from": "search..path"}, "is no reference"),
        ({"$from": "search.results[0"}, "is no reference"),
        ({"$from": "search.results[0] "}, "is no reference"),
        ({"$from": ""}, "is no reference"),
        ({"$from": "(1).__class__"}, "is no reference"),
        ({"$from": ["read-1"]}, "takes a text"),
        ({"$text": "no list"}, "takes a list"),
        ({"$text": [{"$from": "search.results"}]}, "made of texts and numbers"),
        ({"$text": [True]}, "made of texts and numbers"),
        ({"$param": "other"}, "no parameter 'other'"),
    ],
)
def test_what_leads_nowhere_says_where_it_ended(value: Any, why: str) -> None:
    with pytest.raises(InvalidParameters) as refused:
        resolved(value, ANSWERS, {"title": "T"})
    assert why in refused.value.message


def test_they_come_to_no_more_than_a_call_may_hold() -> None:
    answers = {"big": "x" * (MOST_BYTES // 2)}
    assert len(resolved([{"$from": "big"}], answers)) == 1
    with pytest.raises(InvalidParameters, match="too large"):
        resolved([{"$from": "big"}] * 3, answers)


def test_what_is_nested_too_deep_is_refused() -> None:
    value: Any = 1
    for _ in range(40):
        value = [value]
    with pytest.raises(InvalidParameters, match="nested"):
        resolved(value, {})


def test_every_reference_and_parameter_is_found_before_anything_runs() -> None:
    value = {"a": [{"$text": ["x", {"$param": "p"}, {"$from": "one.k"}]}], "b": {"$from": "two[1]"}}
    assert [found.call for found in references(value)] == ["one", "two"]
    assert list(parameters(value)) == ["p"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(value=JSON)
def test_a_value_without_references_stays_as_it_is(value: Any) -> None:
    assert resolved(value, {}) == value


@given(text=st.text(max_size=30))
def test_whatever_is_written_is_a_reference_or_refused(text: str) -> None:
    try:
        found = AnswerReference.parse(text)
    except InvalidParameters:
        return
    assert found.text == text
    assert text.startswith(found.call)


LIST = {
    "found": [{"path": "A.md", "tags": ["a", "b"]}, {"path": "B.md", "tags": []}],
    "names": ["x", "y"],
    "none": None,
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"$each": [{"$from": "found"}, {"$item": "path"}]}, ["A.md", "B.md"]),
        ({"$each": [{"$from": "names"}, {"$item": ""}]}, ["x", "y"]),
        ({"$each": [{"$from": "names"}, "same"]}, ["same", "same"]),
        (
            {"$each": [["p", "q"], {"to": {"$text": [{"$param": "in"}, "/", {"$item": ""}]}}]},
            [{"to": "F/p"}, {"to": "F/q"}],
        ),
        ({"$each": [{"$from": "found"}, {"$each": [{"$item": "tags"}, {"$item": ""}]}]}, [["a", "b"], []]),
        ({"$each": [{"$from": "found"}, {"$item": "tags"}]}, [["a", "b"], []]),
        ({"$each": [[], {"$item": "anything"}]}, []),
        ({"$each": [[{"list": [1, 2]}], {"$item": "list[-1]"}]}, [2]),
        ({"$each": [[[1, 2]], {"$item": "[0]"}]}, [1]),
    ],
)
def test_a_list_is_made_of_another(value: Any, expected: Any) -> None:
    assert resolved(value, LIST, {"in": "F"}) == expected


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"$item": "path"}, "no list here"),
        ({"$each": [{"$item": ""}, 1]}, "no list here"),
        ({"$each": [{"$from": "found"}, {"$item": "nothing"}]}, "no 'nothing'"),
        ({"$each": [{"$from": "found"}, {"$item": ".path"}]}, "no place in an item"),
        ({"$each": [{"$from": "found"}, {"$item": "path "}]}, "no 'path '"),
        ({"$each": [{"$from": "found"}, {"$item": "__proto__"}]}, "no '__proto__'"),
        ({"$each": [{"$from": "found"}, {"$item": "__class__.__mro__"}]}, "no '__class__'"),
        ({"$each": [{"$from": "names"}, {"$item": "upper"}]}, "has no keys"),
        ({"$each": [{"$from": "none"}, 1]}, "there is none: None"),
        ({"$each": ["abc", 1]}, "there is none: abc"),
        ({"$each": {"of": 1}}, "takes a list"),
        ({"$each": [[1]]}, "takes a list and what becomes"),
        ({"$each": [[1], 2, 3]}, "takes a list and what becomes"),
        ({"$each": [[0] * (MOST_ITEMS + 1), 1]}, "at most 1,000 items"),
    ],
)
def test_a_list_that_cannot_be_made_is_refused(value: Any, why: str) -> None:
    with pytest.raises(InvalidParameters, match=re.escape(why)):
        resolved(value, LIST)


def test_lists_in_lists_are_bounded_by_what_they_come_to() -> None:
    value: Any = "x" * 100
    for _ in range(3):
        value = {"$each": [[0] * MOST_ITEMS, value]}
    with pytest.raises(InvalidParameters, match="too large"):
        resolved(value, {})


def test_what_a_reference_brings_in_is_not_looked_through() -> None:
    hostile = {"note": {"$from": "secret.text"}, "item": {"$param": "token"}, "list": [{"$each": [[1], 2]}]}
    assert resolved({"$from": "read"}, {"read": hostile, "secret": {"text": "s"}}, {"token": "t"}) == hostile
    assert resolved({"$each": [{"$from": "read.list"}, {"$item": ""}]}, {"read": hostile}) == hostile["list"]
    assert resolved({"$param": "p"}, {}, {"p": hostile}) == hostile


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"path": {"$item": "path"}}, True),
        ({"$each": [{"$from": "a"}, {"$item": "path"}]}, False),
        ({"$each": [{"$item": "list"}, {"$item": "path"}]}, True),
        ({"$each": [{"$from": "a"}, {"$each": [{"$item": "x"}, {"$item": "y"}]}]}, False),
        ({"$text": ["a", {"$item": ""}]}, True),
    ],
)
def test_whether_a_value_is_about_an_item_is_known_beforehand(value: Any, *, expected: bool) -> None:
    assert uses_item(value) is expected
