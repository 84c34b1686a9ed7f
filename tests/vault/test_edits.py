"""Edits by line numbers: what they write, what they leave alone, what they refuse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.vault import edits as edits_module
from bridge.vault.edits import LineEdit, apply_edits
from bridge.vault.text import BOM, Lines

PATH = "Notes/x.md"


@pytest.mark.parametrize(
    ("claim", "old", "edit", "new"),
    [
        ("a replacement takes the break of its line", b"a\nb\nc\n", (2, 2, "X"), b"a\nX\nc\n"),
        ("also when that is a Windows one", b"a\r\nb\r\nc\r\n", (2, 2, "X"), b"a\r\nX\r\nc\r\n"),
        ("of several lines, that of the last", b"a\r\nb\nc\r\n", (1, 2, "X"), b"X\nc\r\n"),
        ("a break of its own is not doubled", b"a\nb\n", (1, 1, "X\n"), b"X\nb\n"),
        ("a last line without a break stays so", b"a\nb", (2, 2, "X"), b"a\nX"),
        ("unless the text brings one", b"a\nb", (2, 2, "X\n"), b"a\nX\n"),
        ("breaks inside follow the lines replaced", b"a\r\nb\r\nc\n", (1, 2, "X\nY"), b"X\r\nY\r\nc\n"),
        ("else the file", b"a\r\nb", (2, 2, "X\nY"), b"a\r\nX\r\nY"),
        ("text with Windows breaks is written as it is", b"a\nb\n", (1, 1, "X\r\nY\n"), b"X\r\nY\nb\n"),
        ("in a Windows file too", b"a\r\nb\r\n", (1, 1, "X\r\nY\nZ"), b"X\r\nY\nZ\r\nb\r\n"),
        ("nothing deletes the lines", b"a\nb\nc\n", (1, 2, ""), b"c\n"),
        ("also the last one", b"a\nb", (2, 2, ""), b"a\n"),
        ("also all of them", b"a\nb", (1, 2, ""), b""),
        ("an empty line is one break", b"a\nb\n", (1, 1, "\n"), b"\nb\n"),
        ("an insert comes before its line", b"a\nb\n", (2, 1, "X"), b"a\nX\nb\n"),
        ("and takes the prevailing break", b"a\r\nb\r\nc\n", (3, 2, "X"), b"a\r\nb\r\nX\r\nc\n"),
        ("inside too", b"a\r\nb\r\n", (1, 0, "X\nY"), b"X\r\nY\r\na\r\nb\r\n"),
        ("an insert of nothing is none", b"a\n", (1, 0, ""), b"a\n"),
        ("behind the last line", b"a\nb\n", (3, 2, "X"), b"a\nb\nX\n"),
        ("behind a last line without a break, that line is ended", b"a\nb", (3, 2, "X"), b"a\nb\nX"),
        ("with the prevailing break", b"a\r\nb", (3, 2, "X\nY"), b"a\r\nb\r\nX\r\nY"),
        ("and the text's own break is kept", b"a\nb", (3, 2, "X\n"), b"a\nb\nX\n"),
        ("an empty file gets a line", b"", (1, 0, "X"), b"X\n"),
        ("a byte order mark stays in front of a new line 1", BOM + b"a\nb\n", (1, 0, "X"), BOM + b"X\na\nb\n"),
        ("of a replaced one", BOM + b"a\nb\n", (1, 1, "X"), BOM + b"X\nb\n"),
        ("of a deleted one", BOM + b"a\nb\n", (1, 1, ""), BOM + b"b\n"),
        ("and of an empty file", BOM, (1, 0, "X"), BOM + b"X\n"),
        ("a lone CR is content", b"a\rb\nc\n", (1, 1, "X\rY"), b"X\rY\nc\n"),
        ("characters are bytes", "é\n日\n".encode(), (2, 2, "😀"), "é\n😀\n".encode()),
    ],
)
def test_one_edit(claim: str, old: bytes, edit: tuple[int, int, str], new: bytes) -> None:
    assert apply_edits(old, [LineEdit(*edit)], PATH).data == new, claim


@pytest.mark.parametrize(
    ("claim", "old", "edits", "new"),
    [
        ("numbers are those before the call", b"a\nb\nc\n", [(1, 1, "X\nY"), (3, 3, "Z")], b"X\nY\nb\nZ\n"),
        ("in any order", b"a\nb\nc\n", [(3, 3, "Z"), (1, 1, "")], b"b\nZ\n"),
        ("inserts at one place keep theirs", b"a\n", [(1, 0, "X"), (1, 0, "Y")], b"X\nY\na\n"),
        ("an insert comes before the replacement of its line", b"a\n", [(1, 1, "R"), (1, 0, "I")], b"I\nR\n"),
        ("and after the replacement of the line before", b"a\nb\n", [(2, 1, "I"), (1, 1, "R")], b"R\nI\nb\n"),
        ("appending twice", b"a", [(2, 1, "X"), (2, 1, "Y")], b"a\nX\nY"),
        ("replacing the last line and appending", b"a\nb", [(2, 2, "R"), (3, 2, "X")], b"a\nR\nX"),
        ("deleting the last line and appending", b"a\nb", [(2, 2, ""), (3, 2, "X")], b"a\nX"),
        ("deleting the only line and appending", b"a", [(1, 1, ""), (2, 1, "X")], b"X"),
        ("filling an empty file", b"", [(1, 0, "X"), (1, 0, "Y")], b"X\nY\n"),
    ],
)
def test_several_edits(claim: str, old: bytes, edits: list[tuple[int, int, str]], new: bytes) -> None:
    assert apply_edits(old, [LineEdit(*edit) for edit in edits], PATH).data == new, claim


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ([(0, 1, "X")], "Edit 1 .*no range"),
        ([(-1, -1, "X")], "no range"),
        ([(2, 0, "X")], "no range"),
        ([(4, 4, "X")], "beyond the end.*3 lines"),
        ([(2, 4, "X")], "beyond the end.*3 lines"),
        ([(5, 4, "X")], "beyond the end.*3 lines"),
        ([(1, 2, "X"), (2, 3, "Y")], "Edit 2 .*overlaps edit 1.*3 lines"),
        ([(2, 2, "X"), (2, 2, "Y")], "Edit 2 .*overlaps edit 1"),
        ([(3, 2, "Y"), (2, 3, "X")], "Edit 1 .*overlaps edit 2"),
        ([(1, 3, "X"), (2, 2, "Y"), (3, 3, "Z")], "overlaps edit 1"),
        ([(1, 1, "a\ud800")], "edit 1.*Unicode"),
    ],
)
def test_edits_that_make_no_sense_are_refused(edits: list[tuple[int, int, str]], says: str) -> None:
    with pytest.raises(InvalidParameters, match=says):
        apply_edits(b"a\nb\nc\n", [LineEdit(*edit) for edit in edits], PATH)


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(InvalidParameters, match="binary"):
        apply_edits(b"a\x00b", [LineEdit(1, 1, "X")], PATH)
    with pytest.raises(InvalidParameters, match="offset 2"):
        apply_edits(b"a\n\xff\n", [LineEdit(1, 1, "X")], PATH)


endings = st.sampled_from(["\n", "\r\n", "\r", ""])
pieces = st.lists(st.tuples(st.sampled_from(["a", "bc", "é", ""]), endings).map("".join), max_size=12).map("".join)
contents = st.tuples(st.sampled_from([b"", BOM]), pieces.map(str.encode)).map(b"".join)


@st.composite
def cases(draw: st.DrawFn) -> tuple[bytes, list[LineEdit]]:
    """A file and edits that fit it, in any order."""
    data = draw(contents)
    count = Lines(data).count
    edits: list[LineEdit] = []
    line = 1
    while line <= count + 1:
        edits += [LineEdit(line, line - 1, draw(pieces)) for _insert in range(draw(st.integers(0, 2)))]
        end = min(count, line + draw(st.integers(0, 2)))
        if line <= count and draw(st.booleans()):
            edits.append(LineEdit(line, end, draw(pieces)))
            line = end
        line += 1
    inserts = [edit for edit in edits if edit.inserts]
    replacements = draw(st.permutations([edit for edit in edits if not edit.inserts]))
    return data, [*replacements, *inserts]


def model(data: bytes, edits: list[LineEdit]) -> bytes:
    """The rules in their plainest form: a list of lines, put together at the end."""
    lines = Lines(data)
    parts: list[bytes] = []
    number = 1
    while number <= lines.count + 1:
        for edit in edits:
            if edit.inserts and edit.start == number:
                text = as_written(edit.text, lines.prevailing)
                appended = number == lines.count + 1 and lines.count and not data.endswith(b"\n")
                whole = text.endswith(b"\n") or not text or appended
                parts.append(text if whole else text + lines.prevailing)
        replacing = [edit for edit in edits if not edit.inserts and edit.start == number]
        if replacing:
            [edit] = replacing
            replaced = Lines(data[slice(*lines.span(edit.start, edit.end))])
            own = replaced.prevailing if b"\n" in replaced.data else lines.prevailing
            text = as_written(edit.text, own)
            parts.append(text if text.endswith(b"\n") or not text else text + lines.ending(edit.end))
            number = edit.end
        elif number <= lines.count:
            parts.append(data[slice(*lines.span(number, number))])
        number += 1
    out = lines.bom
    for part in filter(None, parts):
        out += part if out in {b"", lines.bom} or out.endswith(b"\n") else lines.prevailing + part
    return out


def as_written(text: str, ending: bytes) -> bytes:
    return text.encode() if "\r\n" in text else text.encode().replace(b"\n", ending)


@given(case=cases())
def test_edits_do_what_the_plain_rules_say(case: tuple[bytes, list[LineEdit]]) -> None:
    data, edits = case
    assert apply_edits(data, edits, PATH).data == model(data, edits)


@pytest.mark.parametrize("chunk", [3, 1 << 20])
@given(case=cases())
def test_outside_the_regions_no_byte_changes(chunk: int, case: tuple[bytes, list[LineEdit]]) -> None:
    data, edits = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edits_module, "CHUNK", chunk)
        edited = apply_edits(data, edits, PATH)
    lines = Lines(data)
    old_end = new_end = 0
    for region in edited.regions:
        assert data[old_end : region.old_start] == edited.data[new_end : region.new_start]
        assert lines.start(region.old_line) == region.old_start
        assert not old_end or region.old_start > old_end, "regions do not touch"
        old_end, new_end = region.old_end, region.new_end
    assert data[old_end:] == edited.data[new_end:]
    assert edited.data.startswith(lines.bom)


@given(data=contents)
def test_no_edit_changes_nothing(data: bytes) -> None:
    edited = apply_edits(data, [], PATH)
    assert (edited.data, edited.regions) == (data, ())
