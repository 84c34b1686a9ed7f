"""Unified diffs: others can read and apply them, and they are what the person needs to see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unidiff.patch import PatchSet

from bridge.vault import diff as diff_module
from bridge.vault.diff import Diff, unified_diff
from bridge.vault.edits import LineEdit, apply_edits
from bridge.vault.plan import Change, ChangeKind, preview
from bridge.vault.text import BOM, Lines

PATH = "Notes/Ideas.md"

endings = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", ""])
line = st.tuples(st.sampled_from(["a", "b", "é😀", "", "-x", "+y", "--- z", "@@", "\\ No newline"]), endings)
texts = st.lists(line.map("".join), max_size=25).map(lambda lines: "".join(lines).encode())
contents = st.tuples(st.sampled_from([b"", b"", BOM]), texts).map(b"".join)


def diff(old: bytes, new: bytes, *, limit: int = 1_000_000) -> Diff:
    return unified_diff(old, new, old_path=PATH, new_path=PATH, limit=limit)


def applied(old: bytes, text: str) -> bytes:
    """What another program makes of the old bytes with this diff."""
    lines = old.decode().split("\n")
    source = [one + "\n" for one in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    out: list[str] = []
    done = 0
    for patched in PatchSet.from_string(text) if text else []:
        for hunk in patched:
            start = hunk.source_start - (1 if hunk.source_length else 0)
            out += source[done:start]
            done = start
            expected: list[str] = []
            for piece, following in zip(hunk, [*list(hunk)[1:], None], strict=True):
                if piece.line_type == "\\":
                    continue
                unended = following is not None and following.line_type == "\\"
                value = piece.value.removesuffix("\n") if unended else piece.value
                if piece.line_type in " -":
                    expected.append(value)
                if piece.line_type in " +":
                    out.append(value)
            assert source[done : done + len(expected)] == expected
            done += len(expected)
    return "".join(out + source[done:]).encode()


def test_it_looks_as_in_seed_l() -> None:
    old = b"# Ideas\n\nfirst\n\n## Old Section\n\nOld content here.\n"
    new = old.replace(b"Old Section", b"Updated Section").replace(b"Old content", b"New content")
    assert diff(old, new).text == (
        "--- Notes/Ideas.md\n+++ Notes/Ideas.md\n@@ -2,6 +2,6 @@\n \n first\n \n"
        "-## Old Section\n+## Updated Section\n \n-Old content here.\n+New content here.\n"
    )


def test_a_new_and_a_deleted_file_stand_beside_dev_null() -> None:
    assert unified_diff(b"", b"a\nb", old_path=None, new_path="x.md") == Diff(
        "--- /dev/null\n+++ x.md\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n", 2, 0, truncated=False
    )
    assert unified_diff(b"a\n", b"", old_path="x.md", new_path=None) == Diff(
        "--- x.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n", 0, 1, truncated=False
    )
    assert unified_diff(b"", b"", old_path=None, new_path="x.md").text == "--- /dev/null\n+++ x.md\n"


def test_nothing_changed_is_no_diff() -> None:
    assert diff(b"a\n", b"a\n") == Diff("", 0, 0, truncated=False)


def test_a_changed_line_ending_shows_as_a_change() -> None:
    assert diff(b"a\nb\n", b"a\r\nb\n").text.endswith("@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n")
    assert diff(b"a", b"a\n").text.endswith("-a\n\\ No newline at end of file\n+a\n")


def test_changes_far_apart_are_hunks_of_their_own_and_near_ones_share_one() -> None:
    old = b"".join(b"%d\n" % number for number in range(1, 31))
    far = old.replace(b"5\n", b"X\n", 1).replace(b"\n13\n", b"\nY\n")
    near = old.replace(b"5\n", b"X\n", 1).replace(b"\n12\n", b"\nY\n")
    assert [row for row in diff(old, far).text.split("\n") if row.startswith("@@")] == [
        *("@@ -2,7 +2,7 @@", "@@ -10,7 +10,7 @@")
    ]
    assert diff(old, near).text.count("@@ -") == 1


def test_a_binary_file_is_only_named_and_the_text_beside_it_shown() -> None:
    shown = diff(b"\x89PNG\r\n\x1a\n\x00", b"text\n")
    assert shown.text == (
        f"Binary files {PATH} (image, 9 bytes) and {PATH} (text, 5 bytes) differ\n"
        f"--- /dev/null\n+++ {PATH}\n@@ -0,0 +1,1 @@\n+text\n"
    )
    gone = unified_diff(b"\x00\x01", b"", old_path="x.bin", new_path=None)
    assert gone.text == "Binary files x.bin (binary data, 2 bytes) and /dev/null differ\n"


def test_bytes_that_are_not_utf8_are_shown_as_numbers() -> None:
    assert "-caf\\xe9\n" in diff(b"caf\xe9\n", b"cafe\n").text


def test_the_text_is_cut_at_a_line_end_and_the_counts_are_of_the_whole() -> None:
    new = b"".join(b"line %d\n" % number for number in range(1000))
    shown = diff(b"", new, limit=200)
    assert shown.truncated
    assert shown.text.endswith("\n")
    assert 180 < len(shown.text) <= 200
    assert (shown.added, shown.removed) == (1000, 0)
    assert shown.text == diff(b"", new).text[: len(shown.text)]


def test_one_endless_line_is_not_shown_in_part() -> None:
    shown = diff(b"short\n", b"x" * 5000 + b"\n", limit=1000)
    assert shown.truncated
    assert shown.text.endswith("-short\n")


@given(old=contents, new=contents)
def test_others_can_apply_it(old: bytes, new: bytes) -> None:
    shown = diff(old, new)
    assert applied(old, shown.text) == new
    patches = PatchSet.from_string(shown.text) if shown.text else []
    assert sum(patch.added for patch in patches) == shown.added
    assert sum(patch.removed for patch in patches) == shown.removed


@pytest.mark.parametrize("chunk", [2, 5])
@given(old=contents, new=contents)
def test_others_can_apply_it_wherever_chunks_end(chunk: int, old: bytes, new: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff_module, "CHUNK", chunk)
        patch.setattr(diff_module, "_MOST_PAIRS", 4)
        patch.setattr(diff_module, "_FEW", 0)
        assert applied(old, diff(old, new).text) == new


@given(data=contents, draw=st.data())
def test_where_the_changes_are_known_the_diff_is_as_true(data: bytes, draw: st.DataObject) -> None:
    count = Lines(data).count
    edits: list[LineEdit] = []
    line_number = 1
    while line_number <= count:
        step = draw.draw(st.integers(0, 3))
        if draw.draw(st.booleans()):
            end = min(count, line_number + step)
            edits.append(LineEdit(line_number, end, draw.draw(texts).decode()))
            line_number = end
        line_number += 1 + step
    edits.append(LineEdit(count + 1, count, draw.draw(texts).decode()))
    edited = apply_edits(data, edits, PATH)
    shown = unified_diff(data, edited.data, old_path=PATH, new_path=PATH, regions=edited.regions)
    assert applied(data, shown.text) == edited.data


@pytest.mark.parametrize(
    ("change", "old", "new", "added", "removed"),
    [
        (Change(ChangeKind.MODIFY, "a.md"), b"x\n", b"y\nz\n", 2, 1),
        (Change(ChangeKind.CREATE, "a.md"), None, b"y\n", 1, 0),
        (Change(ChangeKind.DELETE, "a.md"), b"y\n", None, 0, 1),
        (Change(ChangeKind.MOVE, "a.md", "b.md"), None, None, 0, 0),
        (Change(ChangeKind.MKDIR, "a"), None, None, 0, 0),
    ],
)
def test_a_preview_shows_each_kind_of_change(
    change: Change, old: bytes | None, new: bytes | None, added: int, removed: int
) -> None:
    shown = preview(change, old, new)
    assert (shown.path, shown.change, shown.new_path) == (change.path, change.kind.value, change.new_path)
    assert (shown.added, shown.removed) == (added, removed)
    assert bool(shown.diff) == (old is not None or new is not None)
    assert ("--- /dev/null" in shown.diff) == (old is None and new is not None)
