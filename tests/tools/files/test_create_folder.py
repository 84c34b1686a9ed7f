"""create_folder: seed S's texts, and folders that are there already."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("path", "text", "folder"),
    [
        ("Projects", 'Created folder "Projects".', "Projects"),
        ("Archive/2026/January", 'Created folder "Archive/2026/January".', "Archive/2026/January"),
        ("/Projects/", 'Created folder "Projects".', "Projects"),
        ("notes/Deep", 'Created folder "Notes/Deep".', "Notes/Deep"),
    ],
)
async def test_it_says_what_it_made(desk: Any, path: str, text: str, folder: str) -> None:
    result = await desk.done("create_folder", path=path)
    assert (result.text, result.data) == (text, {"path": folder, "created": True})
    assert (desk.vault / folder).is_dir()
    assert [question["operation"] for question in desk.person.asked] == ["create"]


@pytest.mark.parametrize("path", ["Notes", "/notes/", "NOTES"])
async def test_a_folder_that_exists_is_no_error_and_no_change(desk: Any, path: str) -> None:
    result = await desk.done("create_folder", path=path)
    assert result.text == 'Folder "Notes" already exists.'
    assert [question["operation"] for question in desk.person.asked] == ["read"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Error: path is required and must be a string."),
        ({"path": None}, "Error: path is required and must be a string."),
        ({"path": ["Projects"]}, "Error: path is required and must be a string."),
        ({"path": ""}, "Error: path cannot be empty or root."),
        ({"path": "  "}, "Error: path cannot be empty or root."),
        ({"path": "/"}, "Error: path cannot be empty or root."),
        ({"path": "///"}, "Error: path cannot be empty or root."),
        (
            {"path": ".obsidian/plugins/x"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        (
            {"path": ".hidden"},
            "Error: Access denied: Cannot access files in '.hidden/' directory (protected system folder)",
        ),
        (
            {"path": "Notes/.git"},
            "Error: Access denied: Cannot access files in '.git/' directory (protected system folder)",
        ),
    ],
)
async def test_errors_are_those_of_seed_s(desk: Any, arguments: dict[str, Any], text: str) -> None:
    assert await desk.text("create_folder", **arguments) == text
    assert not desk.person.asked


async def test_a_file_of_that_name_is_in_the_way(desk: Any) -> None:
    result = await desk.call("create_folder", path="ideas.md")
    assert (result.error_type, result.data["code"]) == ("conflict", "exists")
    assert result.error.startswith('A file named "Ideas.md" already exists')


async def test_undo_removes_every_folder_that_was_made(desk: Any) -> None:
    await desk.done("create_folder", path="Archive/2026/January")
    await desk.undo()
    assert not (desk.vault / "Archive").exists()
