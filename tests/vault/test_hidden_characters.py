"""Characters that nobody sees."""

import pytest

from bridge.vault.misleading_characters import hidden_characters, without_hidden_characters


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
