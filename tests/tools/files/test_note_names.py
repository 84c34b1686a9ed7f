"""What a note is called that was given no name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.tools.paths import name_after, title_of
from bridge.vault.paths import check_new_name, parse_path


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# Meeting Notes\n\nDiscussed project timeline...", "Meeting Notes"),
        ("first line\n# Heading\n", "Heading"),
        ("## Only a second level\ntext", "Only a second level"),
        ("---\ntitle: no\n---\n\nBody\n", "Body"),
        ("---\nunclosed\n", "unclosed"),
        ("```\n# in code\n```\n# Outside #\n", "Outside"),
        ("~~~\n# in code\n```\n~~~~\n# Outside", "Outside"),
        ("Underlined\n===\n", "Underlined"),
        ("#\n\n# Second try", "Second try"),
        ("#tag first\n", "#tag first"),
        ("- [ ] Call [[Ada Lovelace|Ada]] **now**", "Call Ada now"),
        ("> [site](https://example.org) `code`", "site code"),
        ("1. One\n", "One"),
        ("---\n***\n\nAfter rules", "After rules"),
        ("\ufeff# With a mark\r\n", "With a mark"),
        ("", ""),
        ("\n\n  \n", ""),
        ("# C#", "C#"),
    ],
)
def test_the_title_is_the_heading_or_the_first_line(content: str, title: str) -> None:
    assert title_of(content) == title


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Meeting Notes", "Meeting Notes"),
        ('a*b"c\\d/e<f>g:h|i?j', "a b c d e f g h i j"),
        ("C# and [[links]] ^x %% y", "C and links x y"),
        ("...hidden", "hidden"),
        ("ends with dots. . .", "ends with dots"),
        ("🎉 Party 👨‍👩‍👧", "🎉 Party 👨‍👩‍👧"),
        ("con", "_con"),
        ("COM1.note", "_COM1.note"),
        ("\u202egnp.exe\x07", "gnp.exe"),
        ("", "Untitled"),
        ("???", "Untitled"),
        ("word " * 40, ("word " * 20).strip()),
        ("x" * 300, "x" * 100),
        ("語" * 300, "語" * 66),
        ("e\u0301", "é"),
    ],
)
def test_a_name_is_one_that_every_system_takes(title: str, name: str) -> None:
    assert name_after(title) == name


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_whatever_the_note_says_its_name_can_be_made(content: str) -> None:
    name = f"{name_after(title_of(content))}.md"
    assert str(parse_path(name)) == name
    check_new_name(name)
    assert not set(name) & set("#^[]|")


def test_a_heading_of_nothing_but_signs_ends_quickly() -> None:
    assert name_after(title_of("# " + "# " * 30_000 + "x" + " #" * 30_000)) == "Untitled"
