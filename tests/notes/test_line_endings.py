"""Line endings of texts that are replaced as a whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.vault.edits import with_endings_of


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        (b"a\nb\n", b"x", b"x\n"),
        (b"a\r\nb\r\n", b"a\nx\nb", b"a\r\nx\r\nb\r\n"),
        (b"a\r\nb\nc\r\n", b"a\nb\nx\nc\n", b"a\r\nb\nx\r\nc\r\n"),
        (b"a\nb\r\nc\nd\n", b"x\nb\nd\n", b"x\nb\r\nd\n"),
        (b"a\r\nb", b"a\nb", b"a\r\nb"),
        (b"a\r\nb", b"a\nc", b"a\r\nc"),
        (b"a\r\n", b"x\r\ny\n", b"x\r\ny\n"),
        (b"\xef\xbb\xbfa\r\n", b"a\nb\n", b"\xef\xbb\xbfa\r\nb\r\n"),
        (b"a\n", b"\xef\xbb\xbfb\n", b"b\n"),
        (b"a\r\n", b"", b""),
        (b"", b"a\nb", b"a\nb"),
        (b"\xef\xbb\xbf", b"a", b"\xef\xbb\xbfa"),
    ],
)
def test_pain_12_lines_that_stay_keep_their_ending_and_others_get_the_prevailing_one(
    old: bytes, new: bytes, result: bytes
) -> None:
    assert with_endings_of(old, new) == result


TEXT = st.lists(st.sampled_from([b"a", b"b", b"", b"\r\n", b"\n", b"\n"]), max_size=20).map(b"".join)


@given(TEXT, TEXT)
def test_only_line_endings_are_changed(old: bytes, new: bytes) -> None:
    made = with_endings_of(old, new)
    wanted = new.replace(b"\r\n", b"\n")
    assert made.replace(b"\r\n", b"\n") in {wanted, wanted + b"\n"}


@given(TEXT)
def test_the_same_text_stays_as_it_is(old: bytes) -> None:
    assert with_endings_of(old, old) == old
    assert with_endings_of(old, old.replace(b"\r\n", b"\n")) == old
