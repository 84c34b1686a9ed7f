"""The values of JSON are counted without parsing it, however it comes."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.json_values import LARGE, ValueCount, holds_more, load

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(alphabet='a"\\[]{},:é\n', max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner, max_size=5),
    max_leaves=30,
)


def values(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(values, inner))


@given(JSON, st.lists(st.integers(1, 7), min_size=1, max_size=20))
def test_the_count_is_right_however_the_text_is_cut(value: Any, sizes: list[int]) -> None:
    data, held = orjson.dumps(value), values(value)
    empty = data.count(b"[]") + data.count(b"{}")  # at most: those in strings are none
    for most, exceeds in ((held + empty, False), (0, True)):
        assert holds_more(data, most) is exceeds
        count, at, found = ValueCount(most), 0, False
        for size in sizes * len(data):
            found = found or count.exceeds(data[at : at + size])
            at += size
            if at >= len(data):
                break
        assert found is exceeds
    assert held < 2 or holds_more(data, (held - 1) // 2), (
        "no more than half of them, those of empty lists, are not seen"
    )


@pytest.mark.parametrize("text", [b"[]", b"1", b'"a"', b'{"a":{}}', b"[" + b"1," * 50 + b"1]"])
def test_a_small_text_is_parsed_whatever_it_holds(text: bytes) -> None:
    assert load(text, 1) == orjson.loads(text)


def test_a_large_text_is_parsed_within_its_bound_alone() -> None:
    text = b"[" + b"[]," * LARGE + b"1]"
    assert len(load(text)) == len(load(text, 3 * LARGE)) == LARGE + 1
    with pytest.raises(ValueError, match="holds more than 20,000 values"):
        load(text, 20_000)
