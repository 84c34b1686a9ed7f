"""Which lines differ: true always, short where that is quick."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.vault import diff as diff_module
from bridge.vault.diff import LineChange, changed_blocks, count_lines, match_lines

numbers = st.lists(st.integers(0, 5), max_size=30)


def rebuilt(old: list[int], new: list[int], changes: list[LineChange]) -> list[int]:
    """What the changes make of the old lines, taking from the new ones only what they say."""
    out: list[int] = []
    done = 0
    for start, end, new_start, new_end in changes:
        assert start >= done
        out += old[done:start]
        assert len(out) == new_start
        out += new[new_start:new_end]
        done = end
    return out + old[done:]


@pytest.fixture(params=["by subsequence", "by unique lines", "not at all"])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param != "by subsequence":
        monkeypatch.setattr(diff_module, "_is_quick", lambda *_sides: False)
    if request.param == "not at all":
        monkeypatch.setattr(diff_module, "_anchors", lambda *_sides: [])
    name: str = request.param
    return name


@pytest.mark.usefixtures("method")
class TestByEachMethod:
    @given(old=numbers, new=numbers)
    def test_changes_turn_the_old_lines_into_the_new_ones(self, old: list[int], new: list[int]) -> None:
        assert rebuilt(old, new, match_lines(old, new)) == new

    @given(lines=st.lists(st.integers(), max_size=30, unique=True), data=st.data())
    def test_a_shuffled_file_too(self, lines: list[int], data: st.DataObject) -> None:
        shuffled = data.draw(st.permutations(lines))
        assert rebuilt(lines, shuffled, match_lines(lines, shuffled)) == shuffled


@given(old=numbers, new=numbers)
def test_changes_do_not_touch_and_are_none_when_nothing_differs(old: list[int], new: list[int]) -> None:
    changes = match_lines(old, new)
    for (_s, end, _t, new_end), (start, _e, new_start, _f) in pairwise(changes):
        assert start > end
        assert new_start > new_end
    assert match_lines(old, old) == []


def test_two_edits_far_apart_in_a_large_file_are_two_changes() -> None:
    old = list(range(60_000))
    new = [*old[:10], -1, *old[10:50_000], *old[50_005:]]
    assert match_lines(old, new) == [(10, 10, 10, 11), (50_000, 50_005, 50_001, 50_001)]


def test_large_files_of_the_same_few_lines_are_still_right() -> None:
    draw = random.Random(7)  # noqa: S311 (not for secrets)
    old = [draw.randrange(3) for _line in range(30_000)]
    new = [draw.randrange(3) for _line in range(30_000)]
    assert rebuilt(old, new, match_lines(old, new)) == new


def test_what_is_too_large_to_split_is_one_block_with_true_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff_module, "_MOST_BYTES", 10)
    old, new = b"same\n" + b"a\nb\n" * 10 + b"same\n", b"same\n" + b"a\nc\n" * 11 + b"same\n"
    [block] = changed_blocks(old, new)
    assert (block.old_line, block.removed, block.added) == (3, 19, 21)


@given(st.binary(max_size=60), st.integers(1, 9))
def test_lines_are_counted_in_pieces(data: bytes, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff_module, "CHUNK", chunk)
        assert count_lines(data, 0, len(data)) == len(data.split(b"\n")) - (not data or data.endswith(b"\n"))
