"""Text found and replaced in bytes: everything else stays, to the byte."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.tools.files import replacing
from bridge.tools.files.replacing import find_text, replace_spans

pytestmark = pytest.mark.slow

PIECES = st.sampled_from([b"a", b"b", b"ab", b"\n", b"\r\n", b"\r", "ö".encode(), b"$1", b"."])
DATA = st.lists(PIECES, max_size=40).map(b"".join)
WANTED = st.lists(PIECES, min_size=1, max_size=3).map(b"".join)


def as_lines(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


@pytest.mark.parametrize(
    ("data", "wanted", "spans"),
    [
        (b"abcabc", b"abc", [(0, 3), (3, 6)]),
        (b"aaa", b"aa", [(0, 2)]),
        (b"a\r\nb\r\nc", b"a\nb", [(0, 4)]),
        (b"a\r\nb\nc", b"a\nb\nc", [(0, 6)]),
        (b"a\nb", b"a\r\nb", [(0, 3)]),
        (b"a\r\nb", b"\nb", [(1, 4)]),
        (b"a\r\nb", b"a\n", [(0, 3)]),
        (b"x.y", b".", [(1, 2)]),
        (b"", b"a", []),
        (b"a", b"b", []),
    ],
)
def test_a_line_break_fits_both_kinds(data: bytes, wanted: bytes, spans: list[tuple[int, int]]) -> None:
    assert list(find_text(data, wanted)) == spans


@settings(max_examples=200, deadline=None)
@given(DATA, WANTED, st.integers(4, 9))
def test_every_place_is_found_wherever_the_file_is_cut(data: bytes, wanted: bytes, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacing, "CHUNK", chunk)
        spans = list(find_text(data, wanted))
    plain = as_lines(data) if b"\n" in wanted else data
    assert len(spans) == plain.count(as_lines(wanted))
    assert all(as_lines(data[start:end]) == as_lines(wanted) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@settings(max_examples=300, deadline=None)
@given(DATA, WANTED, st.sampled_from([b"", b"x", b"a\nb", b"\n", b"\r\n", b"ab"]))
def test_outside_what_is_replaced_every_byte_stays(data: bytes, wanted: bytes, text: bytes) -> None:
    spans = list(find_text(data, wanted))
    edited = replace_spans(data, spans, text)
    kept = [data[end:start] for (_, end), (start, _) in zip([(0, 0), *spans], [*spans, (len(data), 0)], strict=True)]
    rest = edited.data
    for number, piece in enumerate(kept):
        if number:
            put = next(put for put in (text, text.replace(b"\n", b"\r\n")) if rest.startswith(put + piece[:1]))
            rest = rest[len(put) :]
        assert rest.startswith(piece)
        rest = rest[len(piece) :]
    assert rest == b""


@settings(max_examples=300, deadline=None)
@given(DATA, WANTED, st.sampled_from([b"", b"x", b"a\nb", b"\n"]))
def test_the_regions_are_whole_lines_and_hold_every_difference(data: bytes, wanted: bytes, text: bytes) -> None:
    edited = replace_spans(data, list(find_text(data, wanted)), text)
    old = new = 0
    for region in edited.regions:
        assert data[old : region.old_start] == edited.data[new : region.new_start]
        assert region.old_start == 0 or data[region.old_start - 1 : region.old_start] == b"\n"
        assert region.old_end == len(data) or data[region.old_end - 1 : region.old_end] == b"\n"
        assert region.old_line == 1 + data.count(b"\n", 0, region.old_start)
        assert region.old_start >= old
        old, new = region.old_end, region.new_end
    assert data[old:] == edited.data[new:]


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    edited = replace_spans(b"\xef\xbb\xbfab\n", [(3, 4)], b"x")
    assert edited.data == b"\xef\xbb\xbfxb\n"
    assert (edited.regions[0].old_start, edited.regions[0].new_start) == (3, 3)


@pytest.mark.parametrize(
    ("data", "wanted", "text", "new"),
    [
        (b"a\r\nb\r\n", b"a", b"x\ny", b"x\r\ny\r\nb\r\n"),
        (b"a\nb\nc\r\nd\r\n", b"c\nd", b"1\n2", b"a\nb\n1\r\n2\r\n"),
        (b"a\r\nb\r\n", b"a\nb", b"x\r\ny\n", b"x\r\ny\n\r\n"),
        (b"a\nb\n", b"b", b"$& \\1 $1", b"a\n$& \\1 $1\n"),
    ],
)
def test_what_comes_gets_the_line_breaks_of_the_place(data: bytes, wanted: bytes, text: bytes, new: bytes) -> None:
    assert replace_spans(data, list(find_text(data, wanted)), text).data == new


def test_one_endless_line_full_of_hits_is_no_trap() -> None:
    data = b"ab" * 100_000
    edited = replace_spans(data, list(find_text(data, b"a")), b"x")
    assert edited.data == b"xb" * 100_000
    assert len(edited.regions) == 1


class Watched(bytes):
    """Bytes that count how many of them are looked through."""

    looked = 0

    def find(self, sub: Any, start: Any = 0, end: Any = None) -> int:
        at = super().find(sub, start, end)
        stop = len(self) if end is None else min(end, len(self))
        type(self).looked += (stop if at < 0 else at + 1) - start
        return at

    def rfind(self, sub: Any, start: Any = 0, end: Any = None) -> int:
        at = super().rfind(sub, start, end)
        type(self).looked += (len(self) if end is None else end) - max(start, at)
        return at

    def count(self, sub: Any, start: Any = 0, end: Any = None) -> int:
        type(self).looked += (len(self) if end is None else end) - start
        return super().count(sub, start, end)


@pytest.mark.parametrize("line", [b"word [[link]] " * 70_000, b"word\n" * 70_000, b"word word\n\n" * 30_000])
def test_no_byte_of_a_long_file_is_looked_at_again_for_each_replacement(
    monkeypatch: pytest.MonkeyPatch, line: bytes
) -> None:
    monkeypatch.setattr(Watched, "looked", 0)
    data = Watched(line)
    edited = replace_spans(data, list(find_text(data, b"word")), b"noun")
    assert edited.data == line.replace(b"word", b"noun")
    assert Watched.looked < 5 * len(line)
