"""create_note: the place, the name, and that nothing is ever overwritten."""

import json
from typing import Any

import pytest

from bridge.testing import sandbox
from tests.tools.files.conftest import said, text_of

MEETING = "# Meeting Notes\n\nDiscussed project timeline..."


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"path": "Meetings/2026-02-03.md"}, "Meetings/2026-02-03.md"),
        ({"path": "/Meetings/2026-02-03/"}, "Meetings/2026-02-03.md"),
        ({"path": "notes/v1.2"}, "Notes/v1.2.md"),
        ({"path": "x.md", "title": "Other"}, "x.md"),
        ({}, "Meeting Notes.md"),
        ({"title": "Plan: A/B?"}, "Plan A B.md"),
        ({"title": ""}, "Meeting Notes.md"),
        ({"name": "My Note"}, "My Note.md"),
        ({"name": "My Note.md", "folder": "projects/work"}, "projects/work/My Note.md"),
        ({"name": "sub/My Note", "folder": "/notes/"}, "Notes/sub/My Note.md"),
        ({"title": "T", "folder": "Notes"}, "Notes/T.md"),
        ({"folder": ""}, "Meeting Notes.md"),
    ],
)
async def test_the_note_goes_where_it_is_sent_or_is_named_after_its_title(
    any_vault: Any, arguments: dict[str, Any], path: str
) -> None:
    result = await any_vault.succeed("create_note", content=MEETING, **arguments)
    assert result.data == {"path": path, "size": len(MEETING)}
    assert said(result) == f'Created note "{path}" (46 bytes).'
    assert any_vault.data(path) == MEETING.encode()
    assert [question["operation"] for question in any_vault.asked] == ["create"]


async def test_a_generated_name_is_made_unique(any_vault: Any) -> None:
    paths = [(await any_vault.succeed("create_note", content="# IDEAS")).data["path"] for _ in range(2)]
    assert paths == ["IDEAS 1.md", "IDEAS 2.md"]
    assert (await any_vault.succeed("create_note", content="")).data["path"] == "Untitled.md"


@pytest.mark.parametrize("arguments", [{"path": "ideas"}, {"name": "Ideas"}, {"path": "Ideas.md", "title": "x"}])
async def test_a_given_name_that_is_taken_is_a_conflict(any_vault: Any, arguments: dict[str, Any]) -> None:
    before = any_vault.data("Ideas.md")
    result = await any_vault.call("create_note", content="x", **arguments)
    assert (result.error_type, result.data["code"]) == ("conflict", "exists")
    assert result.error.startswith('File already exists: "Ideas.md"')
    assert any_vault.data("Ideas.md") == before
    assert [question["operation"] for question in any_vault.asked] == ["read"], "that there is one is not for everybody"


@pytest.mark.parametrize(
    ("setting", "path"),
    [
        ({"newFileLocation": "folder", "newFileFolderPath": "Inbox"}, "Inbox/T.md"),
        ({"newFileLocation": "folder", "newFileFolderPath": "/"}, "T.md"),
        ({"newFileLocation": "folder", "newFileFolderPath": "../out"}, "T.md"),
        ({"newFileLocation": "folder", "newFileFolderPath": ".obsidian"}, "T.md"),
        ({"newFileLocation": "root", "newFileFolderPath": "Inbox"}, "T.md"),
        ({"newFileLocation": "current"}, "T.md"),
    ],
)
async def test_new_notes_go_where_obsidian_puts_them(any_vault: Any, setting: dict[str, str], path: str) -> None:
    """Rule 78."""
    any_vault.write(".obsidian/app.json", json.dumps(setting))
    assert (await any_vault.succeed("create_note", content="x", title="T")).data["path"] == path


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"path": "x"}, "Error: content is required and must be a string."),
        (
            {"content": "x", "path": "a", "name": "b"},
            "Error: path says where the note goes; leave out name and folder, or path",
        ),
        ({"content": "x", "title": "a", "name": "b"}, "Error: Give either name or title, and not both"),
        (
            {"content": "x", "path": ".obsidian/x"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        (
            {"content": "x", "name": "x", "folder": ".git"},
            "Error: Access denied: Cannot access files in '.git/' directory (protected system folder)",
        ),
    ],
)
async def test_a_wrong_call_is_refused_with_the_reason(any_vault: Any, arguments: dict[str, Any], text: str) -> None:
    assert await text_of(any_vault, "create_note", **arguments) == text
    assert not any_vault.asked


@pytest.mark.parametrize("path", ["../x", "a?b", "x:y", ".hidden", "/"])
async def test_a_name_that_cannot_be_is_refused(any_vault: Any, path: str) -> None:
    assert not (await any_vault.call("create_note", content="x", path=path)).success
    assert not any_vault.asked


async def test_the_person_is_warned_of_a_name_that_links_cannot_hold(any_vault: Any) -> None:
    """Rule 7."""
    await any_vault.succeed("create_note", content="x", name="C# notes")
    assert any_vault.asked[0]["preview"]["warnings"] == [
        'Links will not work with the name "C# notes.md", because it holds #'
    ]


async def test_undo_removes_the_note_and_the_folders_made_for_it(any_vault: Any) -> None:
    await any_vault.succeed("create_note", content="x", path="a/b/c")
    await any_vault.undo()
    assert "a" not in any_vault.files().keys() | any_vault.folders()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("create_note", {"name": "Meeting"}), ("write_file", {"path": "Meeting.md"})],
)
async def test_links_of_other_notes_keep_their_targets(any_vault: Any, tool: str, arguments: dict[str, str]) -> None:
    """Rule 88."""
    any_vault.write("Day.md", "See [[Meeting]] and [[Nowhere]].\n")
    result = await any_vault.succeed(tool, content="another meeting", **arguments)
    assert any_vault.data("Day.md") == b"See [[Notes/Meeting]] and [[Nowhere]].\n"
    assert result.data["path"] == "Meeting.md"
    assert said(result).endswith("bytes); 1 link in 1 note follows.")
    (question,) = any_vault.asked
    assert question["operation"] == "update"
    assert question["targets"] == ["Meeting.md", "Day.md"]
    await any_vault.undo()
    assert any_vault.data("Day.md") == b"See [[Meeting]] and [[Nowhere]].\n"


async def test_a_new_name_that_nobody_links_to_touches_nothing_else(any_vault: Any) -> None:
    any_vault.write("Day.md", "See [[Nowhere]].\n")
    await any_vault.succeed("create_note", content="x", name="Nowhere")
    assert any_vault.asked[0]["targets"] == ["Nowhere.md"]


async def test_a_folder_whose_path_is_too_long_together_is_refused() -> None:
    async with sandbox() as vault:
        refused = await vault.call("create_note", kind="folder", folder="f" * 4000, name="n" * 4000)
        assert refused.data["error_type"] == "invalid_parameters"
        assert vault.folders() == set()
