"""A file goes by in pieces of whole lines, whatever its size and endings."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.texts.line_patterns import LONGEST_LINE, PIECE, pieces


def split(data: bytes, head: int, size: int = PIECE) -> list[bytes]:
    stream = io.BytesIO(data)
    return list(pieces(stream.read(head), stream, size))


@given(data=st.text("ab\r\n", max_size=200).map(str.encode), head=st.integers(0, 50))
@settings(max_examples=200, deadline=None)
def test_pieces_are_the_file_with_plain_line_feeds_and_end_with_lines(data: bytes, head: int) -> None:
    found = split(data, head, 16)
    assert b"".join(found) == data.replace(b"\r\n", b"\n")
    assert all(piece.endswith(b"\n") for piece in found[:-1])


def test_the_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert split(b"\xef\xbb\xbf# Title\n", 5) == [b"# Title\n"]


def test_an_empty_file_has_no_pieces() -> None:
    assert split(b"", 10) == []


def test_a_line_longer_than_any_piece_stays_whole() -> None:
    line = b"x" * (3 * PIECE)
    assert split(b"a\n" + line + b"\nb", PIECE) == [b"a\n", line + b"\n", b"b"]


def test_a_line_that_is_far_too_long_comes_in_parts() -> None:
    found = split(b"x" * (2 * LONGEST_LINE + 5) + b"\ny\n", PIECE)
    assert len(found) == 3
    assert max(map(len, found)) <= 2 * LONGEST_LINE
    assert b"".join(found).endswith(b"x\ny\n")
