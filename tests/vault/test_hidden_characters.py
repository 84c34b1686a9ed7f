"""Characters that nobody sees."""

import pytest

from bridge.vault.text import hidden_characters, without_hidden_characters


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a\u200bb", [(1, "U+200B ZERO WIDTH SPACE")]),
        ("a\u202eb\u202c", [(1, "U+202E RIGHT-TO-LEFT OVERRIDE"), (3, "U+202C POP DIRECTIONAL FORMATTING")]),
        ("pass\u200dword", [(4, "U+200D ZERO WIDTH JOINER")]),
        ("\U000e0041", [(0, "U+E0041 TAG LATIN CAPITAL LETTER A")]),
        ("a\x1b[2Jb", [(1, "U+001B")]),
        ("safe\revil", [(4, "U+000D")]),
        ("tab\tand caf\u00e9", []),
    ],
)
def test_characters_that_nobody_sees_are_named_with_their_place(text: str, where: list[tuple[int, str]]) -> None:
    assert list(hidden_characters(text)) == where
    shown = without_hidden_characters(text)
    assert list(hidden_characters(shown)) == []
    assert len(text) - len(shown) == len(where)


@pytest.mark.parametrize("before", [99_997, 99_998, 99_999, 100_000])
@pytest.mark.parametrize(("around", "hidden"), [("é\u200dé", False), ("é\u200da", True), ("a\u200dé", True)])
def test_a_long_line_is_looked_at_in_steps_as_if_it_were_one(before: int, around: str, hidden: bool) -> None:
    found = [where for where, _name in hidden_characters("x" * before + around + "x" * 10)]
    assert found == [before + 1] * hidden
