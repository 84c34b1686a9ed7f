"""One note's text as it is searched."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.index.search import text_session
from bridge.index.search.text_session import Find, Needle, NoteText, canvas_text, folded
from bridge.index.texts.line_patterns import Span, scan_lines


def _finder(pattern: str) -> Find:
    def find(piece: bytes, limit: int) -> list[Span]:
        return scan_lines(re.compile(pattern.encode()), piece, limit)

    return find


@given(st.text(max_size=80))
@settings(max_examples=200)
def test_folding_keeps_every_character_in_its_place(text: str) -> None:
    assert len(folded(text)) == len(text)
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("İstanbul", "istanbul", (0, 8)),
        ("ΟΔΟΣ", "οδος", (0, 4)),
        ("Straße", "STRASSE", None),
        ("e\u0301t", "\u00e9T", (0, 3)),
        ("\u00e9t", "e\u0301t", (0, 2)),
        ("😀🎉b", "B", (2, 3)),
        ("a\udcffb", "b", (2, 3)),
    ],
)
def test_a_word_is_found_whatever_its_case_and_form(text: str, word: str, found: Span | None) -> None:
    note = NoteText(text)
    assert note.find(Needle(word), note.whole) == found


def test_case_matters_on_request() -> None:
    note = NoteText("happycat HappyCat")
    assert note.find(Needle("HappyCat", case_matters=True), note.whole) == (9, 17)


@given(text=st.text(alphabet="abé😀\n\udcff", max_size=60), pattern=st.sampled_from(["a", "b+", "^b", "é", "a.", "b$"]))
@settings(max_examples=200, deadline=None)
def test_the_first_match_of_each_line_is_found_by_characters(text: str, pattern: str) -> None:
    note = NoteText(text)
    expected: list[Span] = []
    start = 0
    for line in text.split("\n")[: None if not text.endswith("\n") else -1]:
        found = re.search(pattern, line)
        if found:
            expected.append((start + found.start(), start + found.end()))
        start += len(line) + 1
    if pattern != "a.":  # a dot of bytes is not a dot of characters
        assert note.matches(_finder(pattern), note.whole, 1000) == expected


def test_a_long_text_is_worked_on_in_parts_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_session, "_AT_ONCE", 64)
    text = "Éa needle\n" * 30 + "x" * 50 + "NEEDLE\nend"
    note = NoteText(text)
    places = [found.span() for found in re.finditer("needle", text.lower())]
    assert list(note.find_all(Needle("needle"), note.whole)) == places
    assert note.matches(_finder("(?i)needle"), note.whole, 1000) == places
    assert folded(text) == text.lower()


def test_the_parts_of_a_note() -> None:
    text = "intro\n# One\npara\n\n- [ ] open\n- [x] done\n## Two\nend"
    note = NoteText(text)
    assert [text[a:b] for a, b in note.sections] == [
        "intro\n",
        "# One\npara\n\n- [ ] open\n- [x] done\n",
        "## Two\nend",
    ]
    assert [text[a:b] for a, b in note.blocks] == [
        "intro",
        "# One",
        "para",
        "- [ ] open",
        "- [x] done",
        "## Two",
        "end",
    ]
    assert [(box, text[a:b]) for box, (a, b) in note.tasks] == [(" ", " open"), ("x", " done")]


def test_a_note_that_is_too_long_to_be_parsed_has_no_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_session, "MOST_PARSED", 10)
    note = NoteText("# A\n- [ ] b\ntext")
    assert (note.sections, note.blocks, note.tasks) == ([], [], [])


@pytest.mark.parametrize(
    ("canvas", "text"),
    [
        ('{"nodes": [{"text": "a\\r\\nb"}, {"label": "c"}], "edges": [{"label": "d"}]}', "a\nb\n\nc\n\nd"),
        ('{"nodes": [{"file": "N.md", "type": "file"}, {"url": "http://x", "id": "no"}]}', "N.md\n\nhttp://x"),
        ('{"nodes": [1, {"text": 2}], "edges": {}}', ""),
        ("[]", ""),
        ("", ""),
        ("{broken", ""),
    ],
)
def test_a_canvas_has_the_text_that_can_be_read_on_it(canvas: str, text: str) -> None:
    assert canvas_text(canvas.encode()) == text
