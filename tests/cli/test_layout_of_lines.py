"""Lines fit the screen, and nothing of them gets lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from bridge.cli.layout import fold, wrap

LINES = st.text(st.sampled_from("ab  日é👍-"), max_size=60)


@given(LINES, st.integers(10, 40), st.booleans())
@settings(max_examples=50)
def test_folding_fits_and_keeps_every_character(line: str, width: int, words: bool) -> None:
    pieces = [piece.plain for piece in fold(Text(line), width, first="> ", rest=". ", words=words)]
    assert all(cell_len(piece) <= width for piece in pieces)
    assert "".join(piece[2:] for piece in pieces) == line
    assert [piece[0] for piece in pieces] == [">", *"." * (len(pieces) - 1)]


@given(LINES, st.integers(10, 40))
@settings(max_examples=50)
def test_wrapping_fits_and_keeps_every_word(line: str, width: int) -> None:
    pieces = [piece.plain for piece in wrap(Text(line), width, first="> ", rest=". ")]
    assert all(cell_len(piece) <= width for piece in pieces)
    assert "".join(piece[2:] for piece in pieces).replace(" ", "") == line.replace(" ", "")


def test_words_are_cut_only_when_they_are_longer_than_a_line() -> None:
    pieces = [piece.plain for piece in wrap(Text("one two extraordinarily"), 10)]
    assert pieces == ["one two", "extraordin", "arily"]


@pytest.mark.parametrize("width", [1, 5])
def test_a_screen_too_narrow_for_anything_still_shows_the_text(width: int) -> None:
    assert "".join(piece.plain for piece in fold(Text("abcdefghij"), width)) == "abcdefghij"


def test_an_empty_line_is_a_line() -> None:
    assert [piece.plain for piece in fold(Text(), 20, first="> ")] == ["> "]
