"""create_note: the place, the name, and that nothing is ever overwritten."""

import json
from typing import Any

import pytest

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
async def test_the_note_goes_where_it_is_told_or_after_its_title(
    desk: Any, arguments: dict[str, Any], path: str
) -> None:
    result = await desk.done("create_note", content=MEETING, **arguments)
    assert result.data == {"path": path, "size": len(MEETING)}
    assert result.text == f'Created note "{path}" (46 bytes).'
    assert desk.bytes_of(path) == MEETING.encode()
    assert [question["operation"] for question in desk.person.asked] == ["create"]


async def test_a_generated_name_is_made_unique(desk: Any) -> None:
    paths = [(await desk.done("create_note", content="# IDEAS")).data["path"] for _ in range(2)]
    assert paths == ["IDEAS 1.md", "IDEAS 2.md"]
    assert (await desk.done("create_note", content="")).data["path"] == "Untitled.md"


@pytest.mark.parametrize("arguments", [{"path": "ideas"}, {"name": "Ideas"}, {"path": "Ideas.md", "title": "x"}])
async def test_a_given_name_that_is_taken_is_a_conflict(desk: Any, arguments: dict[str, Any]) -> None:
    before = desk.bytes_of("Ideas.md")
    result = await desk.call("create_note", content="x", **arguments)
    assert (result.error_type, result.data["code"]) == ("conflict", "exists")
    assert result.error.startswith('File already exists: "Ideas.md"')
    assert desk.bytes_of("Ideas.md") == before
    assert not desk.person.asked


@pytest.mark.parametrize(
    ("told", "path"),
    [
        ({"newFileLocation": "folder", "newFileFolderPath": "Inbox"}, "Inbox/T.md"),
        ({"newFileLocation": "folder", "newFileFolderPath": "/"}, "T.md"),
        ({"newFileLocation": "folder", "newFileFolderPath": "../out"}, "T.md"),
        ({"newFileLocation": "folder", "newFileFolderPath": ".obsidian"}, "T.md"),
        ({"newFileLocation": "root", "newFileFolderPath": "Inbox"}, "T.md"),
        ({"newFileLocation": "current"}, "T.md"),
    ],
)
async def test_new_notes_go_where_obsidian_puts_them(desk: Any, told: dict[str, str], path: str) -> None:
    """Rule 78."""
    desk.put(".obsidian/app.json", json.dumps(told))
    assert (await desk.done("create_note", content="x", title="T")).data["path"] == path


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
async def test_a_wrong_call_is_told_why(desk: Any, arguments: dict[str, Any], text: str) -> None:
    assert await desk.text("create_note", **arguments) == text
    assert not desk.person.asked


@pytest.mark.parametrize("path", ["../x", "a?b", "x:y", ".hidden", "/"])
async def test_a_name_that_cannot_be_is_refused(desk: Any, path: str) -> None:
    assert not (await desk.call("create_note", content="x", path=path)).success
    assert not desk.person.asked


async def test_the_person_is_warned_of_a_name_that_links_cannot_hold(desk: Any) -> None:
    """Rule 7."""
    await desk.done("create_note", content="x", name="C# notes")
    assert desk.person.asked[0]["preview"]["warnings"] == [
        'Links will not work with the name "C# notes.md", because it holds #'
    ]


async def test_undo_removes_the_note_and_the_folders_made_for_it(desk: Any) -> None:
    await desk.done("create_note", content="x", path="a/b/c")
    await desk.undo()
    assert not (desk.vault / "a").exists()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("create_note", {"name": "Meeting"}), ("write_file", {"path": "Meeting.md"})],
)
async def test_links_of_other_notes_keep_their_targets(desk: Any, tool: str, arguments: dict[str, str]) -> None:
    """Rule 88."""
    desk.put("Day.md", "See [[Meeting]] and [[Nowhere]].\n")
    result = await desk.done(tool, content="another meeting", **arguments)
    assert desk.bytes_of("Day.md") == b"See [[Notes/Meeting]] and [[Nowhere]].\n"
    assert result.data["path"] == "Meeting.md"
    assert result.text.endswith("bytes); 1 link in 1 note follows.")
    (question,) = desk.person.asked
    assert question["operation"] == "update"
    assert question["targets"] == ["Meeting.md", "Day.md"]
    await desk.undo()
    assert desk.bytes_of("Day.md") == b"See [[Meeting]] and [[Nowhere]].\n"


async def test_a_new_name_that_nobody_links_to_touches_nothing_else(desk: Any) -> None:
    desk.put("Day.md", "See [[Nowhere]].\n")
    await desk.done("create_note", content="x", name="Nowhere")
    assert desk.person.asked[0]["targets"] == ["Nowhere.md"]
