"""Two changes of the same text as one: nothing of either is lost, and where they meet nothing is guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.drafts.merging import merge

LINES = [f"line {number}\n" for number in range(1, 13)]
BASE = "".join(LINES).encode()


def edited(at: int, *instead: str, count: int = 1) -> bytes:
    """The base with other lines from a line on, counted from 1."""
    return "".join([*LINES[: at - 1], *instead, *LINES[at - 1 + count :]]).encode()


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (edited(2, "ours\n"), BASE, edited(2, "ours\n")),
        (BASE, edited(2, "theirs\n"), edited(2, "theirs\n")),
        (edited(2, "same\n"), edited(2, "same\n"), edited(2, "same\n")),
        (
            edited(10, "ours\n"),
            edited(2, "theirs\n", "more\n"),
            b"line 1\ntheirs\nmore\n" + b"".join(line.encode() for line in LINES[2:9]) + b"ours\nline 11\nline 12\n",
        ),
        (
            edited(2, count=1),
            edited(11, count=2),
            b"line 1\n" + b"".join(line.encode() for line in LINES[2:10]),
        ),
        (BASE + b"our end\n", b"their start\n" + BASE, b"their start\n" + BASE + b"our end\n"),
    ],
)
def test_changes_in_different_places_are_both_there(ours: bytes, theirs: bytes, expected: bytes) -> None:
    assert merge(BASE, ours, theirs).data == expected
    assert merge(BASE, theirs, ours).data == expected


@pytest.mark.parametrize(
    ("ours", "theirs", "places"),
    [
        (edited(2, "ours\n"), edited(2, "theirs\n"), ((2, 2),)),
        (edited(2, "ours\n"), edited(3, "theirs\n"), ((3, 3),)),
        (BASE + b"our end\n", BASE + b"their end\n", ((13, 13),)),
        (edited(2, count=4), edited(3, "theirs\n", "more\n"), ((3, 4),)),
    ],
)
def test_changes_that_meet_are_named_by_their_lines(
    ours: bytes, theirs: bytes, places: tuple[tuple[int, int], ...]
) -> None:
    found = merge(BASE, ours, theirs)
    assert (found.data, found.clashes) == (None, places)


def test_what_is_no_text_is_never_merged() -> None:
    assert merge(b"\x00a", b"\x00ab", b"\x00c").data is None
    assert merge(b"\x00a", b"\x00ab", b"\x00a").data == b"\x00ab"


TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map(lambda lines: "\n".join(lines).encode())


@given(base=TEXTS, ours=TEXTS, theirs=TEXTS)
def test_a_merge_is_the_same_from_both_sides_and_keeps_every_new_line(base: bytes, ours: bytes, theirs: bytes) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert (one.data is None) == (other.data is None)
    if one.data is None:
        return
    assert one.data == other.data
    known = set(base.split(b"\n"))
    for side in (ours, theirs):
        for line in set(side.split(b"\n")) - known:
            assert one.data.split(b"\n").count(line) >= min(side.split(b"\n").count(line), 1)
