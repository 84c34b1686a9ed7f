"""What is said of a change that its diff does not show at a glance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.vault.plan import Change, ChangeKind, preview

PNG = b"\x89PNG\r\n\x1a\n\x00\x00"
ONLY = "Nothing that can be read changes, only "


def note(old: bytes | None, new: bytes | None, path: str = "Note.md") -> str:
    kind = ChangeKind.CREATE if old is None else ChangeKind.DELETE if new is None else ChangeKind.MODIFY
    return preview(Change(kind, path), old, new).note


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b"a\nb\n", b"a\r\nb\r\n", "line endings"),
        (b"a\nb\r\n", b"a\nb\n", "line endings"),
        (b"a\n", b"\xef\xbb\xbfa\n", "the byte order mark at the beginning"),
        (b"\xef\xbb\xbfa\nb", b"a\nb", "the byte order mark at the beginning"),
        (b"a\nb", b"a\nb\n", "the line break at the end"),
        (b"a\r\nb\r\n", b"a\r\nb", "the line break at the end"),
        (b"a  \nb\n", b"a\nb\t\n", "spaces at the ends of lines"),
        (b"a\r\nb\r\n", b"a \r\nb\r\n", "spaces at the ends of lines"),
        (b"ab\n", "a\u200bb\n".encode(), "characters that cannot be seen"),
        (b"a\xef\xbb\xbfb\n", b"ab\n", "characters that cannot be seen"),
        (b"a\nb", b"\xef\xbb\xbfa\r\nb", "the byte order mark at the beginning and line endings"),
        (b"a\nb", b"a \r\nb\n",
         "the line break at the end and line endings and spaces at the ends of lines"),
    ],
)  # fmt: skip
def test_a_change_that_nobody_would_see_says_what_it_is(old: bytes, new: bytes, what: str) -> None:
    assert note(old, new) == ONLY + what


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\n", b"b\n"),
        (b"a\n", b"b\r\n"),
        (b"a\n", b"a\n\n"),
        (b"a\n\nb\n", b"a\nb\n"),
        (b"a b\n", b"a  b\n"),
        (b"a\n", b"A\n"),
        (b"", b"a\n"),
        (b"a\nb\n", b"b\na\n"),
        (None, b"a\n"),
        (b"a\n", None),
    ],
)
def test_a_change_that_can_be_seen_needs_no_words(old: bytes | None, new: bytes | None) -> None:
    assert note(old, new) == ""


def test_what_is_lost_and_is_no_text_is_named() -> None:
    assert note(PNG, None, "a.png") == "What is deleted is no text and cannot be shown: image (10 bytes)"
    assert note(PNG, b"text\n", "a.md") == "What is replaced is no text and cannot be shown: image (10 bytes)"
    assert note(b"text\n", PNG, "a.md") == "The file becomes image (10 bytes), which cannot be shown as text"
    assert note(None, PNG, "a.png") == "The file becomes image (10 bytes), which cannot be shown as text"


def test_the_text_on_the_other_side_of_what_is_no_text_is_shown() -> None:
    shown = preview(Change(ChangeKind.MODIFY, "a.md"), PNG, b"one\ntwo\n")
    assert (shown.added, shown.removed) == (2, 0)
    assert shown.diff.endswith("--- /dev/null\n+++ a.md\n@@ -0,0 +1,2 @@\n+one\n+two\n")
    shown = preview(Change(ChangeKind.MODIFY, "a.md"), b"one\ntwo\n", PNG)
    assert (shown.added, shown.removed) == (0, 2)
    assert shown.diff.endswith("--- a.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n")


TEXTS = st.lists(st.sampled_from([b"a", b" ", b"\n", b"\r\n", b"\xef\xbb\xbf", "\u200b".encode()]), max_size=8).map(
    b"".join
)


@given(TEXTS, TEXTS)
def test_no_change_of_a_text_counts_nothing(old: bytes, new: bytes) -> None:
    if old != new:
        shown = preview(Change(ChangeKind.MODIFY, "a.md"), old, new)
        assert shown.added + shown.removed > 0
        assert shown.diff
