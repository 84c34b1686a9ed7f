"""A file of 100 MB is edited line by line like any other, and nobody else is held up for long."""

import hashlib

import pytest

from bridge.vault.diff import unified_diff
from bridge.vault.edits import LineEdit, apply_edits
from bridge.vault.text import Lines

pytestmark = pytest.mark.slow

ROW = b"All work and no play makes Jack a dull boy, said the note at length.\r\n"
ROWS = 100_000_000 // len(ROW)


def test_one_line_of_a_hundred_megabytes_is_edited_and_shown() -> None:
    data = ROW * ROWS + b"the end"
    lines = Lines(data)
    assert lines.count == ROWS + 1
    assert lines.line(ROWS // 2) == ROW[:-2]
    assert lines.ending(ROWS + 1) == b""
    edited = apply_edits(data, [LineEdit(ROWS // 2, ROWS // 2, "short"), LineEdit(ROWS + 1, ROWS + 1, "fin")], "x.md")
    offset = len(ROW) * (ROWS // 2 - 1)
    assert edited.data[offset - len(ROW) : offset + 7] == ROW + b"short\r\n"
    assert edited.data.endswith(b"\r\nfin")
    assert len(edited.data) == len(data) - len(ROW) + 7 - 4
    known = unified_diff(data, edited.data, old_path="x.md", new_path="x.md", regions=edited.regions)
    assert (known.added, known.removed, known.text.count("@@ -")) == (2, 2, 2)
    assert f"@@ -{ROWS - 2},4 +{ROWS - 2},4 @@" in known.text


def test_without_knowing_where_it_was_edited_the_same_diff_is_found() -> None:
    data = ROW * ROWS
    edited = apply_edits(data, [LineEdit(ROWS - 9, ROWS - 8, "one\ntwo\nthree")], "x.md")
    known = unified_diff(data, edited.data, old_path="x.md", new_path="x.md", regions=edited.regions)
    assert unified_diff(data, edited.data, old_path="x.md", new_path="x.md") == known
    assert (known.added, known.removed) == (3, 2)


def test_a_hundred_megabytes_that_all_changed_are_counted_and_shown_in_part() -> None:
    data = ROW * ROWS
    shown = unified_diff(data, hashlib.sha256(data).hexdigest().encode() + data[9:], old_path="x", new_path="x")
    assert (shown.added, shown.removed) == (1, 1)
    whole = unified_diff(b"", data, old_path=None, new_path="x", limit=10_000)
    assert (whole.added, whole.truncated) == (ROWS, True)
    assert 9_000 < len(whole.text) <= 10_000


def test_one_line_of_a_hundred_megabytes_is_replaced() -> None:
    data = b"x" * 100_000_000
    edited = apply_edits(data, [LineEdit(1, 1, "short")], "x.md")
    assert edited.data == b"short"
    shown = unified_diff(data, edited.data, old_path="x.md", new_path="x.md", regions=edited.regions)
    assert (shown.added, shown.removed, shown.truncated) == (1, 1, True)
