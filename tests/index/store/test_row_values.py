"""What notes hold comes back as it was, whatever it is."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.store.store import has_odd_number, pack, pack_text, unpack, unpack_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_any_value_of_json_comes_back(value: Any) -> None:
    assert unpack(pack(value, odd=has_odd_number(value))) == value


@given(st.text(st.characters()))
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back(text: str) -> None:
    assert unpack_text(pack_text(text)) == text


@pytest.mark.parametrize("text", ["\udcff bytes that are no text", "\ud83e a lone half", "plain"])
def test_what_is_no_unicode_comes_back(text: str) -> None:
    assert unpack(pack([text, {text: text}])) == [text, {text: text}]


def test_numbers_that_json_has_not_come_back() -> None:
    value = [math.nan, {"a": (-math.inf,)}, 2**70]
    (nothing, infinite, large) = unpack(pack(value, odd=has_odd_number(value)))
    assert math.isnan(nothing)
    assert infinite == {"a": [-math.inf]}
    assert large == 2**70
