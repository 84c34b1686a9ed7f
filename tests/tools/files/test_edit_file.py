"""edit_file: the three ways, their texts to the letter, what they refuse, and the bytes they leave alone."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.tools.files.editing import EditTarget, RangeEdit, edit_ranges
from bridge.vault.paths import VaultPath
from bridge.vault.text import Lines
from tests.tools.files.conftest import said, text_of

THIRTY = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.mark.parametrize(
    ("before", "arguments", "after", "text"),
    [
        (
            "- [ ] a\n- [ ] b\n",
            {"old_text": "[ ]", "new_text": "[x]"},
            "- [x] a\n- [ ] b\n",
            "Replaced 1 occurrence in",
        ),
        (
            "2025 2025\n2025\n",
            {"old_text": "2025", "new_text": "2026", "replace_all": True},
            "2026 2026\n2026\n",
            "Replaced 3 occurrences in",
        ),
        ("a\nb\n", {"old_text": "a\n", "new_text": "", "replace_all": False}, "b\n", "Replaced 1 occurrence in"),
        ("a\r\nb\r\n", {"old_text": "a\nb", "new_text": "c\nd"}, "c\r\nd\r\n", "Replaced 1 occurrence in"),
        ("cost: 5\n", {"old_text": "5", "new_text": "$5 $& \\1"}, "cost: $5 $& \\1\n", "Replaced 1 occurrence in"),
        (
            "a\nb\n",
            {"insert_after_line": 0, "content": "# Header\n\nNew content at top"},
            "# Header\n\nNew content at top\na\nb\n",
            "Inserted 3 lines after line 0 in",
        ),
        (
            "a\nb\n",
            {"insert_after_line": 2, "content": "- New item"},
            "a\nb\n- New item\n",
            "Inserted 1 line after line 2 in",
        ),
        ("a\nb", {"insert_after_line": 2, "content": "c"}, "a\nb\nc", "Inserted 1 line after line 2 in"),
        (
            "a\nb\n",
            {"insert_before_line": 2, "content": "## New Section"},
            "a\n## New Section\nb\n",
            "Inserted 1 line before line 2 in",
        ),
        ("", {"insert_after_line": 0, "content": "a"}, "a\n", "Inserted 1 line after line 0 in"),
        ("", {"insert_before_line": 1, "content": "a\n"}, "a\n", "Inserted 1 line before line 1 in"),
        (
            "a\r\nb\r\n",
            {"insert_after_line": 1, "content": "x\ny"},
            "a\r\nx\r\ny\r\nb\r\n",
            "Inserted 2 lines after line 1 in",
        ),
        (
            THIRTY,
            {"delete_lines": {"start": 5, "end": 10}},
            "".join(line for number, line in enumerate(THIRTY.splitlines(keepends=True), 1) if not 5 <= number <= 10),
            "Deleted lines 5-10 (6 lines) in",
        ),
        ("a\nb\n", {"delete_lines": {"start": 2, "end": 2}}, "a\n", "Deleted lines 2-2 (1 line) in"),
    ],
)
async def test_each_way_edits_the_file_and_says_what_it_did(
    any_vault: Any, before: str, arguments: dict[str, Any], after: str, text: str
) -> None:
    any_vault.write("notes/log.md", before)
    result = await any_vault.succeed("edit_file", path="notes/log.md", **arguments)
    assert said(result) == f'{text} "notes/log.md".'
    assert any_vault.data("notes/log.md").decode() == after
    assert result.data["diff"].startswith("--- notes/log.md\n")
    await any_vault.undo()
    assert any_vault.data("notes/log.md").decode() == before


async def test_five_lines_after_line_42(any_vault: Any) -> None:
    any_vault.write("notes/log.md", "x\n" * 50)
    arguments = {"insert_after_line": 42, "content": "1\n2\n3\n4\n5"}
    assert await text_of(any_vault, "edit_file", path="notes/log.md", **arguments) == (
        'Inserted 5 lines after line 42 in "notes/log.md".'
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"old_text": "foo", "new_text": "bar"}, "Error: Text 'foo' not found in notes.md"),
        ({"insert_after_line": 50, "content": "x"}, "Error: Line 50 does not exist in file with 30 lines."),
        ({"insert_before_line": 50, "content": "x"}, "Error: Line 50 does not exist in file with 30 lines."),
        ({"delete_lines": {"start": 50, "end": 60}}, "Error: Line 50 does not exist in file with 30 lines."),
        ({"delete_lines": {"start": 20, "end": 31}}, "Error: Line 31 does not exist in file with 30 lines."),
        (
            {"old_text": "a", "new_text": "b", "insert_after_line": 1},
            "Error: Cannot mix search/replace parameters with line-based parameters.",
        ),
        (
            {"replace_all": True, "delete_lines": {"start": 1, "end": 1}},
            "Error: Cannot mix search/replace parameters with line-based parameters.",
        ),
        (
            {"old_text": "a", "new_text": "b", "content": "c"},
            "Error: Cannot mix search/replace parameters with line-based parameters.",
        ),
        (
            {"insert_after_line": 1, "insert_before_line": 3, "content": "x"},
            "Error: Only one line operation can be specified at a time.",
        ),
        ({"insert_after_line": 1}, "Error: content is required for insert operations."),
        ({"insert_after_line": 1, "content": ""}, "Error: content is required for insert operations."),
        ({"old_text": "", "new_text": "b"}, "Error: old_text must not be empty."),
        ({"new_text": "b"}, "Error: old_text is required for search/replace."),
        (
            {"old_text": "line"},
            "Error: new_text is required for search/replace; give an empty text to delete old_text.",
        ),
        (
            {"delete_lines": {"start": 1, "end": 2}, "content": "x"},
            "Error: content is for insert operations; leave it out of delete_lines.",
        ),
        ({"delete_lines": {"start": 6, "end": 2}}, "Error: delete_lines: start 6 is after end 2; swap them."),
        (
            {"edits": [{"range": [1, 2], "replacement": "x"}], "old_text": "a", "new_text": "b"},
            "Error: Cannot mix edits with search/replace or line-based parameters.",
        ),
        ({"edits": []}, "Error: edits must hold at least one edit."),
        (
            {"edits": [{"range": [50, 51], "replacement": "x"}]},
            "Error: Edit 1: Line 50 does not exist in file with 30 lines.",
        ),
        (
            {"edits": [{"range": [32, 32], "replacement": "x"}]},
            "Error: Edit 1: Line 32 does not exist in file with 30 lines.",
        ),
    ],
)
async def test_what_cannot_be_done_is_refused_in_exact_sentences(
    any_vault: Any, arguments: dict[str, Any], text: str
) -> None:
    any_vault.write("notes.md", THIRTY)
    result = await any_vault.call("edit_file", path="notes.md", **arguments)
    assert said(result) == text
    assert {question["operation"] for question in any_vault.asked} <= {"read"}
    assert any_vault.data("notes.md") == THIRTY.encode()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "path is required and must be a non-empty string."),
        ({"path": "missing.md", "old_text": "a", "new_text": "b"}, 'File not found: "missing.md"'),
        ({"path": "Notes", "old_text": "a", "new_text": "b"}, "is a folder"),
        ({"path": "Ideas.md"}, "Give old_text and new_text, or one of insert_after_line"),
        (
            {"path": ".obsidian/app.json", "old_text": "a", "new_text": "b"},
            "Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        ({"path": "bin.md", "insert_after_line": 0, "content": "x"}, '"bin.md" is not text (binary data'),
        ({"path": "latin.md", "old_text": "a", "new_text": "b"}, "is not UTF-8 text"),
        ({"path": "Ideas.md", "edits": [{"range": [1], "replacement": "x"}]}, "edits[0].range"),
        ({"path": "Ideas.md", "delete_lines": {"start": 0, "end": 2}}, "delete_lines.start"),
    ],
)
async def test_a_wrong_call_is_refused_with_the_reason(any_vault: Any, arguments: dict[str, Any], says: str) -> None:
    any_vault.write("bin.md", b"a\x00b")
    any_vault.write("latin.md", b"caf\xe9")
    result = await any_vault.call("edit_file", **arguments)
    assert says in result.error
    assert {question["operation"] for question in any_vault.asked} <= {"read"}


async def test_range_edits_are_asked_in_one_question_and_applied_together(any_vault: Any) -> None:
    any_vault.write("src/Example.vala", "a\nb\nc\nd\n")
    edits = [
        {"range": [1, 1], "replacement": "top\n"},
        {"range": [2, 3], "replacement": "B1\nB2\n"},
        {"range": [4, 5], "replacement": ""},
    ]
    result = await any_vault.succeed("edit_file", file_path="src/Example.vala", edits=edits)
    assert any_vault.data("src/Example.vala") == b"top\na\nB1\nB2\nc\n"
    assert any_vault.asked[0]["summary"] == "Edit file 'src/Example.vala' with 3 edits?"
    assert said(result) == 'Applied 3 edits to "src/Example.vala".'


@pytest.mark.parametrize(
    ("ranges", "says"),
    [
        ([(3, 5), (4, 6)], "Edit 2 (range [4, 6]) begins before edit 1 (range [3, 5]) ends"),
        ([(5, 6), (1, 2)], "sorted by start line and not overlap"),
        ([(3, 5), (3, 3)], "begins before"),
        ([(4, 4), (2, 2)], "begins before"),
        ([(0, 1)], "[0, 1] is not a range"),
        ([(5, 4)], "[5, 4] is not a range"),
        ([(30, 32)], "Line 31 does not exist"),
    ],
)
async def test_edits_that_overlap_or_are_not_sorted_are_refused(
    any_vault: Any, ranges: list[tuple[int, int]], says: str
) -> None:
    any_vault.write("x.md", THIRTY)
    result = await any_vault.call(
        "edit_file", path="x.md", edits=[{"range": list(span), "replacement": "x"} for span in ranges]
    )
    assert result.error_type == "invalid_parameters"
    assert says in result.error
    assert any_vault.data("x.md") == THIRTY.encode()


async def test_at_one_line_an_insert_comes_before_a_replacement(any_vault: Any) -> None:
    any_vault.write("x.md", "a\nb\n")
    edits = [{"range": [2, 2], "replacement": "new"}, {"range": [2, 3], "replacement": "B"}]
    await any_vault.succeed("edit_file", path="x.md", edits=edits)
    assert any_vault.data("x.md") == b"a\nnew\nB\n"
    await any_vault.succeed("edit_file", path="x.md", edits=[{"range": [4, 4], "replacement": "end"}])
    assert any_vault.data("x.md") == b"a\nnew\nB\nend\n"


async def test_an_edit_that_changes_nothing_is_no_change(disk_vault: Any) -> None:
    result = await disk_vault.succeed("edit_file", path="Ideas.md", old_text="Old", new_text="Old")
    assert said(result) == 'No changes made: "Ideas.md" already is as the edit would make it.'
    assert disk_vault.ledger.history() == []


async def test_parameters_that_clients_fill_with_nothing_are_not_mixed(any_vault: Any) -> None:
    nothing = {"old_text": None, "new_text": None, "replace_all": False, "insert_before_line": None, "edits": None}
    result = await any_vault.succeed("edit_file", path="Ideas.md", insert_after_line=1, content="x", **nothing)
    assert said(result) == 'Inserted 1 line after line 1 in "Ideas.md".'


async def test_the_case_of_a_path_does_not_matter(any_vault: Any) -> None:
    text = await text_of(any_vault, "edit_file", path="/NOTES/meeting.MD", old_text="tea", new_text="mate")
    assert text == 'Replaced 1 occurrence in "Notes/Meeting.md".'


async def test_a_file_that_changes_while_the_person_thinks_is_left_alone(any_vault: Any) -> None:
    any_vault.before_answer = lambda: any_vault.write("Ideas.md", "somebody else\n")
    result = await any_vault.call("edit_file", path="Ideas.md", old_text="Old", new_text="New")
    assert (result.error_type, result.data["code"]) == ("conflict", "stale")
    assert any_vault.data("Ideas.md") == b"somebody else\n"


TEXTS = st.lists(st.sampled_from(["a", "\n", "\r\n", "é"]), max_size=30).map("".join)


@settings(max_examples=200, deadline=None)
@given(
    TEXTS, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["", "x", "y\nz\n"])), max_size=4)
)
def test_lines_outside_the_ranges_keep_every_byte(text: str, steps: list[tuple[int, int, str]]) -> None:
    lines = Lines(text.encode())
    edits: list[tuple[int, int, str]] = []
    at = 1
    for gap, length, replacement in steps:
        start, end = at + gap, at + gap + length
        if end > lines.count + 1:
            break
        edits.append((start, end, replacement))
        at = end + 1
    if not edits:
        return
    ranges = [RangeEdit(range=[start, end], replacement=replacement) for start, end, replacement in edits]
    edited = edit_ranges(EditTarget(VaultPath(("x.md",)), lines.data), ranges).edited.data
    replaced = {number for start, end, _ in edits for number in range(start, end)}
    kept = [
        lines.data[slice(*lines.span(number, number))] for number in range(1, lines.count + 1) if number not in replaced
    ]
    pattern = b".*".join(
        re.escape(line.rstrip(b"\r\n") if number == len(kept) - 1 else line) for number, line in enumerate(kept)
    )
    assert re.search(pattern, edited, re.DOTALL)
