"""A diff on the screen shows exactly what changes, and cannot be mistaken for the screen."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from bridge.cli.diff import SHOWN_AROUND, DiffRow, draw_changes, draw_diff, parse_diff, shorten
from bridge.vault.plan import Change, ChangeKind, preview

EDIT = """--- a.md
+++ a.md
@@ -9,3 +9,4 @@
 same
-The old word stays here.
+The new word stays here.
+--- not a header
 end
\\ No newline at end of file
"""


def drawn(diff: str, width: int = 80) -> list[str]:
    return [line.plain for line in draw_diff(parse_diff(diff), width)]


def test_rows_carry_their_numbers_and_signs() -> None:
    assert drawn(EDIT) == [
        "  @@ -9,3 +9,4 @@",
        "  9  9   same",
        " 10    - The old word stays here.",
        "    10 + The new word stays here.",
        "    11 + --- not a header",
        " 11 12   end",
        "  No newline at end of file",
    ]


def test_a_narrow_screen_shows_one_number() -> None:
    assert drawn(EDIT, 40)[1:4] == [
        "  9   same",
        " 10 - The old word stays here.",
        " 10 + The new word stays here.",
    ]


def test_the_words_that_differ_are_marked() -> None:
    removed, added = (row for row in parse_diff(EDIT) if row.text.startswith("The"))
    assert [removed.text[start:end] for start, end in removed.changed] == ["old"]
    assert [added.text[start:end] for start, end in added.changed] == ["new"]


def test_a_changed_link_target_is_marked_in_a_long_line() -> None:
    old = "word " * 200 + "[[Plan]]"
    new = "word " * 200 + "[[Plam]]"
    rows = parse_diff(f"@@ -1 +1 @@\n-{old}\n+{new}\n")
    assert [row.text[start:end] for row in rows[1:] for start, end in row.changed] == ["Plan", "Plam"]


def test_a_rewritten_block_has_no_marks() -> None:
    rows = parse_diff("@@ -1 +1 @@\n-one two three\n+vier fünf sechs\n")
    assert all(row.changed == () for row in rows)


def test_a_long_line_keeps_its_sign_on_every_row() -> None:
    lines = drawn("@@ -1 +1 @@\n-" + "x" * 100 + "\n+y\n", 40)
    assert [line[:5] for line in lines[1:]] == [" 1 - ", "   - ", "   - ", " 1 + "]


def test_counts_and_not_looks_say_what_a_line_is() -> None:
    diff = "@@ -1,2 +1,3 @@\n --- a.md\n-@@ -1 +1 @@\n+@@ -9 +9 @@\n++++ b.md\n"
    assert [(row.kind, row.text) for row in parse_diff(diff)][1:] == [
        ("context", "--- a.md"),
        ("removed", "@@ -1 +1 @@"),
        ("added", "@@ -9 +9 @@"),
        ("added", "+++ b.md"),
    ]


def test_line_endings_are_shown_where_they_differ() -> None:
    assert drawn("@@ -1 +1 @@\n-a\r\n+a\n")[1:] == [" 1   - a␍", "   1 + a"]


def test_line_endings_that_are_all_alike_are_not_shown() -> None:
    assert drawn("@@ -1 +1 @@\n-a\r\n+b\r\n")[1:] == [" 1   - a", "   1 + b"]


def test_a_lone_return_is_shown() -> None:
    assert drawn("@@ -1 +1 @@\n-safe\n+safe\revil\n")[2] == "   1 + safe␍evil"


def test_blanks_at_the_end_of_a_changed_line_are_shown() -> None:
    assert drawn("@@ -1 +1 @@\n-a  \n+a\n")[1:] == [" 1   - a··", "   1 + a"]


def test_tabs_are_shown() -> None:
    assert drawn("@@ -1 +1 @@\n-\ta\n+    a\n")[1:] == [" 1   - →   a", "   1 +     a"]


def test_a_created_file_starts_at_line_one() -> None:
    assert drawn("--- /dev/null\n+++ a.md\n@@ -0,0 +1,2 @@\n+a\n+b\n")[1:] == ["   1 + a", "   2 + b"]


@pytest.mark.parametrize("diff", ["", "\n", "nonsense", "@@ -1 +1 @@"])
def test_what_is_not_a_diff_draws_nothing_wrong(diff: str) -> None:
    assert all(row.kind == "hunk" for row in parse_diff(diff))


FILE_LINES = st.lists(st.text(st.sampled_from("ab \t\r\x1b\u202e日"), max_size=30), min_size=1, max_size=8)


@given(FILE_LINES, FILE_LINES, st.integers(24, 100))
@settings(max_examples=40)
def test_every_line_of_both_sides_is_there_and_fits(old: list[str], new: list[str], width: int) -> None:
    body = "".join(f"-{line}\n" for line in old) + "".join(f"+{line}\n" for line in new)
    rows = parse_diff(f"@@ -1,{len(old)} +1,{len(new)} @@\n{body}")
    assert [row.text for row in rows if row.kind == "removed"] == old
    assert [row.text for row in rows if row.kind == "added"] == new
    assert all(cell_len(line.plain) <= width for line in draw_diff(rows, width))


def test_marks_never_lie_outside_their_line() -> None:
    rows = parse_diff("@@ -1,2 +1,2 @@\n-a b c d  \n-e\n+a b x d\n+e f\n")
    assert all(0 <= start < end <= len(row.text) for row in rows for start, end in row.changed)
    assert DiffRow("context", "x").changed == ()


@given(
    st.integers(0, 1500), st.sampled_from(["", "new words", "日本"]), st.sampled_from(["", "old"]), st.integers(0, 1500)
)
@settings(max_examples=30)
def test_of_a_long_line_every_change_stays_and_the_rest_is_counted(before: int, new: str, old: str, after: int) -> None:
    lines = ["w " * before + part + " z" * after for part in (old, new)]
    rows = shorten(parse_diff("@@ -1 +1 @@\n-{}\n+{}\n".format(*lines)))
    for row in rows[1:]:
        shown = list(row.text)
        for start, end in row.gaps:
            assert end - start >= SHOWN_AROUND
            shown[start:end] = [""] * (end - start)
        assert all(shown[start:end] == list(row.text[start:end]) for start, end in row.changed)
        assert len("".join(shown)) < 1000


def test_what_is_left_out_of_a_line_is_said_in_its_place() -> None:
    rows = shorten(parse_diff("@@ -1 +1 @@\n-{0}old\n+{0}new\n".format("w " * 1000)))
    (added,) = (line.plain for line in draw_diff(rows[2:], 1000))
    assert added == f"   1 + {'w ' * 30} [… 1,880 characters …] {'w ' * 30}new"


def test_a_short_line_and_a_new_one_stay_whole() -> None:
    rows = parse_diff(f"@@ -1 +1,2 @@\n-{'w ' * 100}old\n+{'w ' * 100}new\n+{'x' * 10_000}\n")
    assert shorten(rows[:3]) == rows[:3]
    assert shorten(parse_diff(f"@@ -0,0 +1 @@\n+{'x' * 10_000}\n"))[1].gaps == ()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", None, "What is deleted is no text and cannot be shown: image (9 bytes)"),
        (b"\x89PNG\r\n\x1a\n\x00", b"text\n", "What is replaced is no text and cannot be shown: image (9 bytes)"),
        (b"a\nb\n", b"a\r\nb\r\n", "Nothing that can be read changes, only line endings"),
    ],
)
def test_what_the_diff_does_not_show_is_said_in_words(old: bytes, new: bytes | None, said: str) -> None:
    kind = ChangeKind.DELETE if new is None else ChangeKind.MODIFY
    file = preview(Change(kind, "a.md"), old, new)
    lines = [line.plain.rstrip() for line in draw_changes([file.to_wire()], 80)]
    assert f"  {said}" in lines
    assert (new != b"text\n") or any(line.endswith("+ text") for line in lines)
