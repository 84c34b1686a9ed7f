"""An edit of what is selected: what comes in its place, to the byte, and when it is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.contract.hosts import Place, Selection
from bridge.errors import Conflict, InvalidParameters
from bridge.tools.core.screen import with_selection
from bridge.vault.edits import LineEdit, apply_edits


def selected(text: str, start: int, end: int) -> Selection:
    """What an editor tells of a part of its text, which has no other line breaks than these."""

    def place(at: int) -> Place:
        line = text[:at].rpartition("\n")[2]
        return Place(line=text.count("\n", 0, at) + 1, column=len(line.encode("utf-16-le")) // 2)

    return Selection(text=text[start:end], start=place(start), end=place(end))


def replaced(data: bytes, selection: Selection, content: str) -> bytes:
    """The file after the edit."""
    first, last, text = with_selection("a.md", data, selection, content)
    return apply_edits(data, [LineEdit(first, last, text)], "a.md").data


WORDS = st.text(st.sampled_from("ab é😀\n"), max_size=20)


@given(WORDS, st.integers(0, 20), st.integers(0, 20), st.text(st.sampled_from("xy😀"), min_size=1), st.booleans())
def test_exactly_what_is_selected_is_replaced(text: str, one: int, other: int, content: str, windows: bool) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    if start == end:
        return
    ended = content + "\n" * text[start:end].endswith("\n")  # a line stays one
    breaks = "\r\n" if windows else "\n"
    data = text.replace("\n", breaks).encode()
    wanted = f"{text[:start]}{ended}{text[end:]}".replace("\n", breaks)
    assert replaced(data, selected(text, start, end), content).decode() == wanted


def test_a_byte_order_mark_stays() -> None:
    assert replaced(b"\xef\xbb\xbfone\ntwo\n", selected("one\ntwo\n", 0, 3), "1") == b"\xef\xbb\xbf1\ntwo\n"


def test_a_line_that_is_emptied_stays_a_line() -> None:
    assert replaced(b"one\ntwo\n", selected("one\ntwo\n", 0, 3), "") == b"\ntwo\n"
    assert replaced(b"one\ntwo\n", selected("one\ntwo\n", 0, 4), "") == b"two\n"


@pytest.mark.parametrize(
    ("now", "lines"),
    [(b"new\none\ntwo\nthree\n", [2]), (b"one\nTWO\nthree\n", []), (b"", []), (b"one", []), (b"two\none\ntwo\n", [2])],
)
def test_other_text_in_its_place_is_refused_with_where_it_is_now(now: bytes, lines: list[int]) -> None:
    with pytest.raises(Conflict) as refused:
        with_selection("a.md", now, selected("one\ntwo\nthree\n", 0, 8), "x")
    assert refused.value.code == "stale"
    assert refused.value.data["lines"] == lines


@pytest.mark.parametrize(("change", "why"), [({"cut": True}, "more is selected"), ({"start": None}, "for reading")])
def test_what_is_not_known_to_its_end_or_place_is_refused(change: dict[str, object], why: str) -> None:
    selection = selected("one\n", 0, 3).model_copy(update=change)
    with pytest.raises(InvalidParameters, match=why):
        with_selection("a.md", b"one\n", selection, "x")
