"""Text from outside can be looked at, and nothing more."""

import json
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cli.sanitize import sanitize, sanitize_json, sanitize_lines, sanitize_plain

DRAWN = {
    "escape": ("\x1b[31mred", "␛[31mred"),
    "operating system command": ("\x1b]0;title\x07", "␛]0;title␇"),
    "hyperlink": ("\x1b]8;;http://x\x1b\\", "␛]8;;http://x␛\\"),
    "8-bit introducer": ("\x9b31m", "<U+009B>31m"),
    "lone return": ("safe\revil", "safe␍evil"),
    "line feed": ("one\ntwo", "one␊two"),
    "backspace": ("ab\b\bcd", "ab␈␈cd"),
    "null": ("a\0b", "a␀b"),
    "delete": ("a\x7fb", "a␡b"),
    "tab": ("a\tb", "a␉b"),
    "next line": ("a\x85b", "a<U+0085>b"),
    "right-to-left override": ("a\u202eb", "a<U+202E>b"),
    "isolate": ("a\u2066b\u2069", "a<U+2066>b<U+2069>"),
    "arabic letter mark": ("a\u061cb", "a<U+061C>b"),
    "zero width space": ("a\u200bb", "a<U+200B>b"),
    "zero width joiner": ("a\u200db", "a<U+200D>b"),
    "byte order mark": ("\ufeffa", "<U+FEFF>a"),
    "soft hyphen": ("a\u00adb", "a<U+00AD>b"),
    "line separator": ("a\u2028b", "a<U+2028>b"),
    "no-break space": ("a\u00a0b", "a⍽b"),
    "thin space": ("a\u2009b", "a<U+2009>b"),
    "tag character": ("a\U000e0041", "a<U+E0041>"),
    "variation selector after a letter": ("a\ufe01\U000e0101", "a<U+FE01><U+E0101>"),
    "blank letter": ("a\u3164b\u2800", "a<U+3164>b<U+2800>"),
    "private use": ("\ue000", "<U+E000>"),
    "lone surrogate": ("a\ud800b", "a<U+D800>b"),
    "marks beyond three": ("e\u0301\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301<U+0301><U+0301>"),
    "mark without a letter": ("\u0301a", "<U+0301>a"),
}

KEPT = [
    "plain",
    "[bold red]markup[/bold red]",
    "[/]",
    ":smile:",
    "naïve café",
    "cafe\u0301",
    "日本語\u3000字",
    "שלום",
    "⚠\ufe0f",
    "👍",
    "␛",
]


@pytest.mark.parametrize(("text", "drawn"), DRAWN.values(), ids=DRAWN.keys())
def test_what_acts_or_hides_is_drawn(text: str, drawn: str) -> None:
    assert sanitize(text).plain == drawn


@pytest.mark.parametrize("text", KEPT)
def test_what_is_only_text_stays_as_it_is(text: str) -> None:
    assert sanitize(text).plain == text


def test_an_escape_is_told_from_the_same_character_in_the_text() -> None:
    assert [span.style for span in sanitize("\x1b").spans] != [span.style for span in sanitize("␛").spans]


@pytest.mark.slow
@given(st.text())
@settings(max_examples=50)
def test_no_text_at_all_leaves_anything_a_terminal_acts_on(text: str) -> None:
    drawn = sanitize(text).plain
    assert not [char for char in drawn if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    assert bool(drawn) == bool(text)


@given(st.text(max_size=30), st.data())
@settings(max_examples=50)
def test_marks_fall_on_what_they_were_put_on(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    drawn = sanitize("x" + text, marks=[(start + 1, end + 1)], mark_style="reverse")
    marked = "".join(drawn.plain[span.start : span.end] for span in drawn.spans if span.style == "reverse")
    assert (
        marked
        == sanitize("x" + text).plain[len(sanitize("x" + text[:start]).plain) : len(sanitize("x" + text[:end]).plain)]
    )


def test_lines_break_at_line_feeds_only() -> None:
    assert [line.plain for line in sanitize_lines("a\r\nb\rc\x0bd\u2028e\nf")] == ["a", "b␍c␋d<U+2028>e", "f"]


def test_a_plain_string_keeps_what_it_is_told_to() -> None:
    assert sanitize_plain("a\tb\x1bc", keep="\t") == "a\tb␛c"


@given(
    st.dictionaries(st.text(max_size=10), st.text(max_size=20) | st.lists(st.none() | st.text(max_size=10), max_size=3))
)
@settings(max_examples=50)
def test_json_is_lossless_and_safe_to_look_at(value: object) -> None:
    written = sanitize_json(value)
    assert json.loads(written) == value
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", written)
