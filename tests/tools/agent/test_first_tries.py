"""Forty tasks as models get them, each with the call that a model writes from the schema alone: it does the job.

Where a model has seen a sibling tool, it writes that one's names; such guesses are among the calls.
"""

from typing import Any

import pytest

from bridge.contract.tools import ToolResult
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox

VAULT: dict[str, bytes | str] = {
    "Home.md": "# Home\n\nSee [[Tea]] and [[Projects/Garden|the garden]].\n",
    "Tea.md": "---\ntags:\n  - drink\nrating: 4\n---\n# Tea\n\nHot, green\n\n"
    "## Brewing\n\nThree minutes.\n\n## Kinds\n\nOolong\n",
    "Coffee.md": "---\ntags: [drink]\nrating: 2\n---\nBlack and hot.\nTODO buy beans\n",
    "Projects/Garden.md": "---\nstatus: active\n---\n# Garden\n\n- [ ] Dig\n- [x] Plant\n\nTODO water\n",
    "Projects/House.md": "---\nstatus: done\n---\n# House\n\nPaint the wall. Paint the door.\n",
    "Projects/Old/Shed.md": "# Shed\n\nGone. See [[House]].\n",
    "Journal/2026-01-01.md": "Cold day.\n",
    "Data/list.csv": "a,b\n1,2\n",
    "Inbox.md": "one\ntwo\nthree\n",
}


def says(*words: str) -> Any:
    def check(result: ToolResult, _vault: Sandbox) -> bool:
        return all(word in result.text for word in words)

    return check


def file(path: str, content: str) -> Any:
    def check(_result: ToolResult, vault: Sandbox) -> bool:
        return vault.text(path) == content

    return check


def holds(path: str, *words: str) -> Any:
    def check(_result: ToolResult, vault: Sandbox) -> bool:
        return all(word in vault.text(path) for word in words)

    return check


def lacks(path: str, word: str) -> Any:
    return lambda _result, vault: word not in vault.text(path)


def there(*paths: str, gone: tuple[str, ...] = ()) -> Any:
    def check(_result: ToolResult, vault: Sandbox) -> bool:
        every = {*vault.files(), *vault.folders()}
        return every.issuperset(paths) and every.isdisjoint(gone)

    return check


TASKS: list[tuple[str, str, dict[str, Any], Any]] = [
    ("What do my notes say about brewing tea?", "search", {"query": "brewing tea"}, says("Tea.md", "Three minutes")),
    ("Every line with TODO", "search", {"pattern": "TODO"}, says("Coffee.md", "6: TODO buy beans", "9: TODO water")),
    (
        "One TODO, and how many there are",
        "search",
        {"pattern": "TODO", "limit": 1},
        says("[1-1 of 2 lines; next"),
    ),
    ("TODO in the projects", "search", {"pattern": "TODO", "folder": "Projects"}, says("Garden.md", "TODO water")),
    ("The phrase 'black and hot'", "search", {"query": '"black and hot"'}, says("Coffee.md")),
    ("Open tasks", "search", {"query": 'task-todo:""'}, says("Projects/Garden.md")),
    ("CSV files with a 2, by grep's names", "search", {"pattern": "2", "filePattern": "**/*.csv"}, says("list.csv")),
    ("At most one note on drinks", "search", {"query": "hot", "max_results": 1}, says("cursor=1")),
    ("Lines around TODO water", "search", {"pattern": "TODO water", "contextLines": 1}, says("8-", "9: TODO water")),
    ("Where is the note on the shed?", "find", {"pattern": "shed"}, says("Projects/Old/Shed.md")),
    ("What is in Projects?", "find", {"folder": "Projects"}, says("Projects/Garden.md", "Projects/Old/")),
    ("What is in Projects, by list_files' names", "find", {"path": "Projects"}, says("Projects/House.md")),
    ("All CSV files", "find", {"pattern": "**/*.csv"}, says("Data/list.csv")),
    ("When did Inbox change, how large is it?", "find", {"pattern": "Inbox.md", "details": True}, says("14 bytes")),
    ("Show me the tea note", "read", {"path": "Tea"}, says("Hot, green")),
    ("How do I brew tea?", "read", {"path": "Tea#Brewing"}, says("Three minutes")),
    ("Read three notes", "read", {"paths": ["Home.md", "Coffee", "[[Tea]]"]}, says("== Coffee.md ==", "Oolong")),
    ("Read two notes in the wrong parameter", "read", {"path": ["Home.md", "Coffee"]}, says("== Home.md ==")),
    ("Line 2 of Inbox", "read", {"path": "Inbox.md", "start_line": 2, "end_line": 2}, says("two")),
    ("Inbox with line numbers", "read", {"path": "Inbox", "lineNumbers": True}, says("3: three")),
    ("Outline of the tea note", "read", {"path": "Tea.md", "outline": True}, says("## Brewing", "## Kinds")),
    ("Notes tagged drink", "query", {"tags": ["drink"]}, says("Tea.md", "Coffee.md")),
    ("Notes tagged drink, by add_tag's name", "query", {"tag": "#drink"}, says("Tea.md")),
    ("Drinks rated over 3", "query", {"tags": ["drink"], "properties": {"rating": ">3"}}, says("Tea.md (rating: 4)")),
    ("Which notes have a status?", "query", {"having": ["status"]}, says("Projects/House.md")),
    ("Which tags are there?", "query", {"list_tags": True}, says("#drink (2)")),
    ("New note", "create_note", {"path": "Ideas/Roof.md", "content": "Solar\n"}, file("Ideas/Roof.md", "Solar\n")),
    ("New note by title", "create_note", {"title": "Roof", "content": "Solar\n"}, file("Roof.md", "Solar\n")),
    ("New CSV", "create_note", {"path": "n.csv", "kind": "file", "content": "x\n"}, file("n.csv", "x\n")),
    ("New folder", "create_note", {"path": "Archive/2026", "kind": "folder"}, there("Archive/2026")),
    (
        "Three minutes should be four",
        "edit",
        {"path": "Tea", "edits": [{"old_text": "Three minutes", "new_text": "Four minutes"}]},
        holds("Tea.md", "Four minutes.", "rating: 4"),
    ),
    (
        "The same, written flat with another tool's names",
        "edit",
        {"file_path": "Tea.md", "old_string": "Three", "new_string": "Four"},
        holds("Tea.md", "Four minutes."),
    ),
    (
        "Every Paint becomes Wash, in one file, and a line in another",
        "edit",
        {
            "edits": [
                {"path": "Projects/House.md", "old_text": "Paint", "new_text": "Wash", "replace_all": True},
                {"path": "Inbox.md", "start_line": 2, "end_line": 2, "new_text": "zwei"},
            ]
        },
        lambda _result, vault: (
            "Wash the wall. Wash the door." in vault.text("Projects/House.md")
            and vault.text("Inbox.md") == "one\nzwei\nthree\n"
        ),
    ),
    ("Add to the inbox", "edit", {"path": "Inbox", "append": "four\n"}, file("Inbox.md", "one\ntwo\nthree\nfour\n")),
    (
        "Insert at the top",
        "edit",
        {"path": "Inbox", "after_line": 0, "new_text": "zero"},
        holds("Inbox.md", "zero\none"),
    ),
    (
        "Delete line 2",
        "edit",
        {"path": "Inbox", "delete_lines": {"start": 2, "end": 2}},
        file("Inbox.md", "one\nthree\n"),
    ),
    (
        "Rewrite Coffee but keep its properties",
        "edit",
        {"path": "Coffee", "content": "Milk.\n"},
        file("Coffee.md", "---\ntags: [drink]\nrating: 2\n---\nMilk.\n"),
    ),
    (
        "Status of both projects: paused",
        "set_properties",
        {"paths": ["Projects/Garden.md", "House"], "properties": {"status": "paused"}},
        lambda _result, vault: all(
            "status: paused" in vault.text(f"Projects/{name}.md") for name in ("Garden", "House")
        ),
    ),
    ("Tag the tea note", "set_properties", {"path": "Tea", "add_tags": ["hot"]}, holds("Tea.md", "- drink\n  - hot\n")),
    (
        "Untag it, by remove_tag's name",
        "set_properties",
        {"name": "Tea", "remove_tag": "drink"},
        lacks("Tea.md", "drink"),
    ),
    ("Remove the rating", "set_properties", {"paths": ["Coffee"], "remove": ["rating"]}, lacks("Coffee.md", "rating")),
    (
        "Rename Tea to Green tea",
        "move",
        {"source": "Tea.md", "destination": "Green tea.md"},
        lambda _result, vault: "[[Green tea]]" in vault.text("Home.md") and "Tea.md" not in vault.files(),
    ),
    (
        "Move two projects into the archive",
        "move",
        {"moves": [{"from": "Projects/House.md", "to": "Archive/"}, {"from": "Garden", "to": "Archive/Garden"}]},
        there("Archive/House.md", "Archive/Garden.md", gone=("Projects/House.md", "Projects/Garden.md")),
    ),
    ("Put Inbox into Journal, as mv does", "move", {"path": "Inbox", "to": "Journal"}, there("Journal/Inbox.md")),
    ("Delete two notes", "delete", {"paths": ["Inbox.md", "[[Coffee]]"]}, there(gone=("Inbox.md", "Coffee.md"))),
    ("Delete a folder", "delete", {"path": "Projects/Old"}, there(gone=("Projects/Old/Shed.md",))),
    (
        "Apply a diff",
        "apply_patch",
        {"patch": "--- a/Inbox.md\n+++ b/Inbox.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"},
        file("Inbox.md", "one\n2\nthree\n"),
    ),
    ("What links to the tea note?", "read", {"path": "Tea", "info": True}, says("Home")),
    ("What is related to the garden?", "read", {"path": "Garden", "info": True}, says("Home")),
]


@pytest.mark.parametrize(("task", "tool", "arguments", "expected"), TASKS, ids=[task for task, *_ in TASKS])
async def test_the_first_try_does_the_job(task: str, tool: str, arguments: dict[str, Any], expected: Any) -> None:
    async with sandbox(VAULT) as vault:
        result = await vault.call(tool, **arguments)
        assert result.success, (task, result.text)
        assert expected(result, vault), (task, result.text)
        assert len(result.text) < 2_000, "answers are short"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [(tool, arguments) for _task, tool, arguments, _expected in TASKS if tool in {"edit", "set_properties", "move"}],
)
async def test_what_a_call_changes_is_one_change_with_one_question_and_one_undo(
    tool: str, arguments: dict[str, Any]
) -> None:
    async with sandbox(VAULT) as vault:
        before = vault.files()
        await vault.succeed(tool, **arguments)
        assert len(vault.asked) == 1
        await vault.undo()
        assert vault.files() == before
