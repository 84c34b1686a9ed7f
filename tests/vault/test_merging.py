"""Two changes of the same text as one: nothing of either is lost, and where they meet nothing is guessed."""

from collections import Counter
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.consent import Take
from bridge.vault.edits import Clash, merge

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
        (edited(2, "ours\n"), edited(3, "theirs\n"), ((2, 3),)),
        (BASE + b"our end\n", BASE + b"their end\n", ((13, 13),)),
        (edited(2, count=4), edited(3, "theirs\n", "more\n"), ((2, 6),)),
    ],
)
def test_changes_that_meet_are_named_by_their_lines(
    ours: bytes, theirs: bytes, places: tuple[tuple[int, int], ...]
) -> None:
    found = merge(BASE, ours, theirs)
    assert tuple((clash.line, clash.line + max(clash.lines, 1) - 1) for clash in found.clashes) == places
    for take, side in ((Take.VAULT, theirs), (Take.DRAFT, ours)):
        assert merge(BASE, ours, theirs, lambda _clash, take=take: take).data == side  # type: ignore[misc]


def test_each_place_where_changes_meet_is_chosen_by_itself() -> None:
    ours, theirs = edited(2, "our 2\n")[:-8] + b"our 12\n", edited(2, "their 2\n")[:-8] + b"their 12\n"
    takes = iter([Take.BOTH, Take.VAULT])
    found = merge(BASE, ours, theirs, lambda _clash: next(takes))
    assert found.data == b"line 1\ntheir 2\nour 2\n" + BASE[14:-8] + b"their 12\n"


def test_what_is_no_text_is_never_merged() -> None:
    assert merge(b"\x00a", b"\x00ab", b"\x00c").data is None
    assert merge(b"\x00a", b"\x00ab", b"\x00a").data == b"\x00ab"


TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map(lambda lines: "\n".join(lines).encode())


TAKES = st.lists(st.sampled_from(Take), min_size=1, max_size=8)


@given(base=TEXTS, ours=TEXTS, theirs=TEXTS)
def test_a_merge_in_which_nothing_meets_is_the_same_from_both_sides(base: bytes, ours: bytes, theirs: bytes) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert len(one.clashes) == len(other.clashes)
    if not one.clashes:
        assert one.data == other.data


def counted(data: bytes) -> Counter[bytes]:
    """Its lines, each without its line break, and how often each is there."""
    return Counter(data.splitlines())


@given(base=TEXTS, ours=TEXTS, theirs=TEXTS, takes=TAKES)
def test_no_line_of_either_side_is_lost_but_what_the_other_was_taken_for(
    base: bytes, ours: bytes, theirs: bytes, takes: list[Take]
) -> None:
    """Counted without looking at where lines are: what each side added is there, but for what was chosen away."""
    taken = cycle(takes)
    chosen: list[tuple[Take, Clash]] = []

    def choose(clash: Clash) -> Take:
        chosen.append((next(taken), clash))
        return chosen[-1][0]

    found = merge(base, ours, theirs, choose)
    assert [clash for _take, clash in chosen] == list(found.clashes)
    assert found.data is not None
    there, known = counted(found.data), counted(base)
    for side, away, piece in ((ours, Take.VAULT, "ours"), (theirs, Take.DRAFT, "theirs")):
        lost = Counter[bytes]()
        for take, clash in chosen:
            if take is away:
                lost += counted(getattr(clash, piece))
        for line, count in (counted(side) - known - lost).items():
            assert there[line] >= count, (line, found)


@given(base=TEXTS, ours=TEXTS, theirs=TEXTS, takes=TAKES)
def test_what_was_merged_once_meets_nothing_when_it_is_merged_again(
    base: bytes, ours: bytes, theirs: bytes, takes: list[Take]
) -> None:
    """Taking one side in all places gives that side where nothing else changed; and a merge of the same is the same."""
    assert merge(base, ours, ours).data == ours
    found = merge(base, ours, theirs, lambda _clash: takes[0])
    if found.clashes and takes[0] is Take.VAULT:
        again = merge(base, theirs, found.data or b"", lambda _clash: Take.VAULT)
        assert again.data == found.data
