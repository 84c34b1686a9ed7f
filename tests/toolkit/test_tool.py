"""A tool has a name that is no other's, and text for a model has a ceiling."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.toolkit.tool import Output
from tests.rpc.world import Look


@pytest.mark.parametrize("name", ["", "clients.allow", "gr\u0435p", "two words", "x" * 65, "grep\n"])
def test_a_tool_cannot_look_like_another_one_or_like_a_method(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be a tool's name"):
        dataclasses.replace(Look.spec, name=name)


def test_short_text_is_left_alone() -> None:
    assert Output(None, "a\nb", {"x": 1}).trimmed(3) == ("a\nb", {"x": 1})


def test_long_text_is_cut_at_a_line_end_and_says_so() -> None:
    text, metadata = Output(None, "one\ntwo\nthree", {}).trimmed(9)
    assert text == "one\ntwo\n[Truncated: 8 of 13 bytes shown. Ask for less, or for the next part.]"
    assert metadata == {"truncated": True, "totalBytes": 13}


@given(st.text(), st.integers(min_value=1, max_value=40))
def test_what_is_kept_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    kept, metadata = Output(None, text, {}).trimmed(limit)
    if metadata:
        head = kept[: kept.rindex("[Truncated")]
        assert text.startswith(head)
        assert len(head.encode()) <= limit
    else:
        assert kept == text
