"""Places as Obsidian counts them (rule 12)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.notes.positions import Position, Positions


@pytest.mark.parametrize(
    ("text", "index", "expected"),
    [
        ("abc", 1, Position(0, 1, 1)),
        ("a\nbc", 3, Position(1, 1, 3)),
        ("a\n", 2, Position(1, 0, 2)),
        ("", 0, Position(0, 0, 0)),
        ("a\r\nb", 3, Position(1, 0, 3)),
        ("a\rb\x0bc\u2028d", 6, Position(0, 6, 6)),
        ("日本", 1, Position(0, 1, 1)),
        ("\U0001f600a\n\U0001f600\U0001f600b", 5, Position(1, 4, 8)),
    ],
)
def test_places(text: str, index: int, expected: Position) -> None:
    assert Positions(text).at(index) == expected


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(st.text(alphabet=st.sampled_from("ab\n\r é\udcff\U0001f600\U0010ffff"), max_size=40), st.data())
def test_offsets_are_utf_16_units_and_lead_back(text: str, data: st.DataObject) -> None:
    places = Positions(text)
    index = data.draw(st.integers(0, len(text)))
    line_start = text.rfind("\n", 0, index) + 1
    expected = Position(text.count("\n", 0, index), _units(text[line_start:index]), _units(text[:index]))
    assert places.at(index) == expected
    assert places.index(expected.offset) == index


def test_an_offset_within_a_pair_is_the_character_that_the_pair_is() -> None:
    places = Positions("a\U0001f600b\U0001f600")
    assert [places.index(offset) for offset in range(8)] == [0, 1, 1, 2, 3, 3, 4, 4]
