"""Lines and encoding, against the plain way of doing it."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.vault import text as text_module
from bridge.vault.text import BOM, Lines, check_utf8, decode, encode, prevailing_ending

contents = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\r", b"\n\n", "é日😀".encode()]), max_size=40).map(
    b"".join
)
with_bom = st.tuples(st.sampled_from([b"", BOM]), contents).map(b"".join)

not_utf8 = st.sampled_from([b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf0\x9f"])


def plain_lines(data: bytes) -> list[bytes]:
    """The lines with their endings, split in one go."""
    lines = [line + b"\n" for line in data.removeprefix(BOM).split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


@pytest.fixture(params=[4, 7, 1 << 20], ids=lambda size: f"chunks of {size}")
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    size: int = request.param
    monkeypatch.setattr(text_module, "CHUNK", size)
    return size


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (BOM, []),
        (b"\n", [b"\n"]),
        (b"a", [b"a"]),
        (b"a\nb\n", [b"a\n", b"b\n"]),
        (b"a\nb", [b"a\n", b"b"]),
        (b"a\r\nb\rc\n", [b"a\r\n", b"b\rc\n"]),
        (b"\r", [b"\r"]),
        (BOM + b"a\n\n", [b"a\n", b"\n"]),
    ],
)
def test_a_line_ends_with_its_break_and_a_final_break_ends_the_last_one(data: bytes, lines: list[bytes]) -> None:
    found = Lines(data)
    assert found.count == len(lines)
    assert [data[slice(*found.span(n, n))] for n in range(1, found.count + 1)] == lines


@pytest.mark.usefixtures("chunk")
class TestAtEveryChunkSize:
    r"""Chunk borders fall everywhere: into lines, into `\\r\\n`, into characters."""

    @given(data=with_bom)
    def test_lines_are_those_of_the_plain_way(self, data: bytes) -> None:
        lines, plain = Lines(data), plain_lines(data)
        assert lines.count == len(plain)
        assert lines.start(lines.count + 1) == len(data)
        offset = len(lines.bom)
        for number, line in enumerate(plain, 1):
            assert lines.start(number) == offset
            assert lines.number_at(offset) == number
            assert lines.line(number) + lines.ending(number) == line
            assert lines.ending(number) == (b"\r\n" if line.endswith(b"\r\n") else b"\n" if line[-1:] == b"\n" else b"")
            offset += len(line)
        assert offset == len(data)

    @given(data=contents)
    def test_the_prevailing_ending_is_the_one_most_lines_have(self, data: bytes) -> None:
        ends = [b"\r\n" if line.endswith(b"\r\n") else b"\n" for line in plain_lines(data) if line.endswith(b"\n")]
        counts = Counter(ends)
        expected = b""
        if ends:
            expected = ends[0] if counts[b"\n"] == counts[b"\r\n"] else counts.most_common(1)[0][0]
        assert prevailing_ending(data, 0, len(data)) == expected
        assert Lines(data).prevailing == (expected or b"\n")

    @given(text=st.text(max_size=30))
    def test_text_is_decoded_whole(self, text: str) -> None:
        data = text.encode()
        check_utf8(data, "x.md")
        assert decode(data, "x.md") == text.removeprefix("\ufeff")
        assert decode(BOM + data, "x.md") == text

    @given(good=st.text(max_size=12), bad=not_utf8)
    def test_the_first_byte_that_is_not_utf8_is_named(self, good: str, bad: bytes) -> None:
        start = good.encode()
        with pytest.raises(InvalidParameters, match=f"offset {len(start)}\\b") as caught:
            check_utf8(start + bad, "x.md")
        assert caught.value.data["offset"] == len(start)


@pytest.mark.parametrize("number", [0, -1, 4])
def test_a_line_that_is_not_there_is_an_error_of_the_caller(number: int) -> None:
    with pytest.raises(ValueError, match="no line"):
        Lines(b"a\nb\n").start(number)


def test_endings_are_counted_in_a_stretch_only() -> None:
    data = b"a\r\nb\nc\nd\n"
    assert prevailing_ending(data, 0, 3) == b"\r\n"
    assert prevailing_ending(data, 2, 3) == b"\n"
    assert prevailing_ending(data, 0, 5) == b"\r\n"
    assert prevailing_ending(data, 3, 4) == b""


@pytest.mark.parametrize(("text", "fault"), [("a\x00b", "NUL"), ("a\ud800", "surrogate")])
def test_what_no_text_file_holds_is_not_written(text: str, fault: str) -> None:
    with pytest.raises(InvalidParameters, match=f"^The new text .*{fault}"):
        encode(text, "The new text")


def test_any_other_text_is_written_as_it_is() -> None:
    assert encode("GIF89a \ufeff\u202e\x01\r\n") == b"GIF89a \xef\xbb\xbf\xe2\x80\xae\x01\r\n"
