"""create_folder: its exact texts, and folders that are there already."""

from typing import Any

import pytest

from tests.tools.files.conftest import said, text_of


@pytest.mark.parametrize(
    ("path", "text", "folder"),
    [
        ("Projects", 'Created folder "Projects".', "Projects"),
        ("Archive/2026/January", 'Created folder "Archive/2026/January".', "Archive/2026/January"),
        ("/Projects/", 'Created folder "Projects".', "Projects"),
        ("notes/Deep", 'Created folder "Notes/Deep".', "Notes/Deep"),
    ],
)
async def test_it_says_what_it_made(any_vault: Any, path: str, text: str, folder: str) -> None:
    result = await any_vault.succeed("create_folder", path=path)
    assert (said(result), result.data) == (text, {"path": folder, "created": True})
    assert folder in any_vault.folders()
    assert [question["operation"] for question in any_vault.asked] == ["create"]


@pytest.mark.parametrize("path", ["Notes", "/notes/", "NOTES"])
async def test_a_folder_that_exists_is_no_error_and_no_change(any_vault: Any, path: str) -> None:
    result = await any_vault.succeed("create_folder", path=path)
    assert said(result) == 'Folder "Notes" already exists.'
    assert [question["operation"] for question in any_vault.asked] == ["read"]


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
async def test_errors_have_their_exact_sentences(any_vault: Any, arguments: dict[str, Any], text: str) -> None:
    assert await text_of(any_vault, "create_folder", **arguments) == text
    assert not any_vault.asked


async def test_a_file_of_that_name_is_in_the_way(any_vault: Any) -> None:
    result = await any_vault.call("create_folder", path="ideas.md")
    assert (result.error_type, result.data["code"]) == ("conflict", "exists")
    assert result.error.startswith('A file named "Ideas.md" already exists')


async def test_undo_removes_every_folder_that_was_made(any_vault: Any) -> None:
    await any_vault.succeed("create_folder", path="Archive/2026/January")
    await any_vault.undo()
    assert "Archive" not in any_vault.files().keys() | any_vault.folders()
