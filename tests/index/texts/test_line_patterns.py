"""Lines are found the same whether a piece is searched whole or line by line."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.texts.line_patterns import compile_re2, scan_lines, scan_whole

PATTERNS = [
    *(
        "a",
        "^",
        "$",
        "^$",
        "a*",
        "[^b]",
        r"\s",
        r"\W",
        ".",
        "(?s).",
        "a.b",
        "(?i)A",
        r"\ba\b",
        "a|b$",
        "^a",
        "é+",
        r"x\n*",
    ),
    *(r"[^\n]", r"[\s\S]", r"a[\s]b", r"[[:^alpha:]]", r"\x0a", r"\D+$", "(?U)a+", r"\pL+"),
]


@given(text=st.text("ab é x\n", max_size=60), pattern=st.sampled_from(PATTERNS))
@settings(max_examples=400, deadline=None)
def test_searching_a_piece_whole_finds_what_searching_each_line_finds(text: str, pattern: str) -> None:
    compiled = compile_re2(pattern)
    assert compiled is not None
    assert compiled.scan is scan_whole
    piece = text.encode()
    whole = scan_whole(compiled.regex, piece, 1000)
    assert [span[0] for span in whole] == [span[0] for span in scan_lines(compiled.regex, piece, 1000)]
    assert all(b"\n" not in piece[start:end] for start, end in whole)


@given(text=st.text("ab\n", max_size=60), pattern=st.sampled_from(["a", "b$", "^a", "^$", "ab"]))
@settings(max_examples=200, deadline=None)
def test_the_lines_found_are_those_of_pythons_engine(text: str, pattern: str) -> None:
    compiled = compile_re2(pattern)
    assert compiled is not None
    found = [text.encode().count(b"\n", 0, start) for start, _end in scan_whole(compiled.regex, text.encode(), 1000)]
    lines = text.removesuffix("\n").split("\n") if text else []
    assert found == [number for number, line in enumerate(lines) if re.search(pattern, line)]


@pytest.mark.parametrize("pattern", [r"\Ab", r"b\z", r"(?-m)^b", r"(?i-m:^b)", r"b\Cc"])
def test_a_pattern_that_sees_beyond_its_line_is_led_line_by_line(pattern: str) -> None:
    compiled = compile_re2(pattern)
    assert compiled is not None
    assert compiled.scan is scan_lines


def test_text_anchors_mean_the_ends_of_the_line() -> None:
    compiled = compile_re2(r"\Ab\z")
    assert compiled is not None
    assert compiled.scan(compiled.regex, b"a\nb\nbb\nb", 10) == [(2, 3), (7, 8)]


@pytest.mark.parametrize("scan", [scan_whole, scan_lines])
def test_no_more_lines_than_wished_are_found(scan: object) -> None:
    compiled = compile_re2("a")
    assert compiled is not None
    assert callable(scan)
    assert len(scan(compiled.regex, b"a\n" * 100, 7)) == 7


@pytest.mark.parametrize("pattern", ["(", r"(?<=a)b", r"(a)\1", "a{2000}", "[z-a]"])
def test_what_re2_refuses_is_not_compiled(pattern: str) -> None:
    assert compile_re2(pattern) is None


def test_javascripts_named_groups_are_taken() -> None:
    assert compile_re2(r"(?<year>\d{4})") is not None


def test_classes_are_ascii() -> None:
    compiled = compile_re2(r"^\d$")
    assert compiled is not None
    assert compiled.scan(compiled.regex, "7\n\u0667\n".encode(), 10) == [(0, 1)]


def test_text_that_is_not_utf8_is_searched_all_the_same() -> None:
    compiled = compile_re2("caf.$")
    assert compiled is not None
    assert compiled.scan(compiled.regex, b"\xff\xfe caf\xe9\ncafe\n", 10) == [(8, 12)]


@pytest.mark.parametrize(
    ("pattern", "tail"),
    [
        ("kwyjibo", b"jibo"),
        ("alchemist", b"mist"),
        ("history", None),
        ("TODO", None),
        ("ajar", None),
        ("(?i)kwyjibo", None),
        ("al.hemist", None),
        ("aäjibo", None),
    ],
)
def test_a_word_is_looked_for_by_its_rare_letters(pattern: str, tail: bytes | None) -> None:
    compiled = compile_re2(pattern)
    assert compiled is not None
    if tail is None:
        assert compiled.tail is None
        return
    assert compiled.tail is not None
    assert compiled.tail._search(b"..." + tail, 0, 3 + len(tail)) == (3, 3 + len(tail))
    assert pattern.encode() == compiled.tail._head + tail


@pytest.mark.parametrize("first_bytes", [0, 1 << 16])
@given(
    text=st.text(alphabet="aejx \n", max_size=200),
    word=st.text(alphabet="aejx ", min_size=1, max_size=8),
    limit=st.integers(1, 9),
    start=st.integers(0, 20),
)
def test_a_word_found_by_its_tail_is_where_it_is_found_whole(
    text: str, word: str, limit: int, start: int, first_bytes: int
) -> None:
    compiled = compile_re2(word)
    assert compiled is not None
    data = (text + word + "\n" + text + "\n").encode()
    start = data.rfind(b"\n", 0, start) + 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bridge.index.texts.line_patterns._FIRST_BYTES", first_bytes)
        found = compiled.places(data, limit, start, len(data))
    assert found == [at for at, _end in scan_whole(compiled.regex, data, limit, start)]
