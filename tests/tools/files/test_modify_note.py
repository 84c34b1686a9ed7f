"""modify_note: where content is added, with which line endings, and what is refused."""

from typing import Any

import pytest

from tests.tools.files.conftest import said, text_of

EVENING = "\n\n## Evening Update\nCompleted all tasks."


@pytest.mark.parametrize(
    ("before", "content", "after", "text"),
    [
        ("# Day", EVENING, "# Day" + EVENING, "Appended 4 lines to"),
        ("# Day\n", EVENING, "# Day\n" + EVENING, "Appended 4 lines to"),
        ("# Day\r\n", EVENING, "# Day\r\n\r\n\r\n## Evening Update\r\nCompleted all tasks.", "Appended 4 lines to"),
        ("- a", "- b", "- a\n- b", "Appended 1 line to"),
        ("- a\n", "- b\n", "- a\n- b\n", "Appended 1 line to"),
        ("- a\r\n- b", "- c", "- a\r\n- b\r\n- c", "Appended 1 line to"),
        ("", "first", "first", "Appended 1 line to"),
        ("\ufeff", "first", "\ufefffirst", "Appended 1 line to"),
    ],
)
async def test_append_adds_to_the_end(any_vault: Any, before: str, content: str, after: str, text: str) -> None:
    any_vault.write("Journal/daily.md", before)
    result = await any_vault.succeed("modify_note", path="Journal/daily.md", operation="append", content=content)
    assert said(result) == f'{text} "Journal/daily.md".'
    assert any_vault.data("Journal/daily.md").decode() == after


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        ("# Day\n", "new", "new\n# Day\n"),
        ("# Day\n", "new\n\n", "new\n\n# Day\n"),
        ("---\ntags: [a]\n---\n# Day\n", "new", "---\ntags: [a]\n---\nnew\n# Day\n"),
        ("---\r\na: 1\r\n---\r\n# Day", "new\nlines", "---\r\na: 1\r\n---\r\nnew\r\nlines\r\n# Day"),
        ("---\n<%* broken: [ %>\n---\nx", "new", "---\n<%* broken: [ %>\n---\nnew\nx"),
        ("---\na: 1\n---", "new", "---\na: 1\n---\nnew"),
        ("---\nno end\n", "new", "new\n---\nno end\n"),
        ("\ufeff---\na: 1\n---\nx\n", "new", "\ufeff---\na: 1\n---\nnew\nx\n"),
        ("", "new", "new\n"),
    ],
)
async def test_prepend_goes_to_the_beginning_of_the_body(any_vault: Any, before: str, content: str, after: str) -> None:
    any_vault.write("n.md", before)
    result = await any_vault.succeed("modify_note", path="n.md", operation="prepend", content=content)
    assert result.text.startswith("Prepended ")
    assert any_vault.data("n.md").decode() == after
    await any_vault.undo()
    assert any_vault.data("n.md").decode() == before


async def test_replace_changes_the_first_place(any_vault: Any) -> None:
    any_vault.write("n.md", "a b\r\na\r\n")
    result = await any_vault.succeed("modify_note", path="n", operation="replace", search="a", content="$&")
    assert said(result) == 'Replaced 1 occurrence in "n.md".'
    assert any_vault.data("n.md") == b"$& b\r\na\r\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"operation": "append", "content": "x"}, "Error: path is required and must be a non-empty string."),
        ({"path": "Ideas", "operation": "append"}, "Error: content is required and must be a string."),
        ({"path": "missing", "operation": "append", "content": "x"}, 'Error: File not found: "missing.md"'),
        (
            {"path": "Ideas", "operation": "replace", "content": "x"},
            "Error: search is required for the replace operation and must be a non-empty string.",
        ),
        (
            {"path": "Ideas", "operation": "append", "content": "x", "search": "y"},
            "Error: search is for the replace operation; leave it out.",
        ),
        (
            {"path": "Ideas", "operation": "replace", "content": "x", "search": "nowhere"},
            "Error: Text 'nowhere' not found in Ideas.md",
        ),
        (
            {"path": ".obsidian/x", "operation": "append", "content": "x"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
    ],
)
async def test_a_wrong_call_is_refused_with_the_reason(any_vault: Any, arguments: dict[str, Any], text: str) -> None:
    assert await text_of(any_vault, "modify_note", **arguments) == text
    assert {question["operation"] for question in any_vault.asked} <= {"read"}


async def test_an_unknown_operation_is_refused_with_the_known_ones(any_vault: Any) -> None:
    result = await any_vault.call("modify_note", path="Ideas", operation="insert", content="x")
    assert result.error.startswith("Parameter 'operation': Input should be 'append', 'prepend' or 'replace'")


async def test_adding_nothing_is_no_change(any_vault: Any) -> None:
    result = await any_vault.succeed("modify_note", path="ideas", operation="append", content="")
    assert said(result) == 'No changes made: "Ideas.md" already is as the change would make it.'
