"""get_file_info: its exact text, for files, folders, and what is not there."""

import os
import re
from typing import Any

import pytest

from bridge.tools.formatting import local_time
from bridge.vault.paths import parse_path
from tests.tools.files.conftest import text_of

WHEN = 1_770_128_565.0


async def test_the_text_of_a_file_is_exactly_this(any_vault: Any) -> None:
    any_vault.write("Projects/project-a.md", "x" * 2456, WHEN)
    result = await any_vault.succeed("get_file_info", path="projects/PROJECT-A.md")
    created = local_time(any_vault.storage.stat(parse_path("Projects/project-a.md")).created_ns)
    assert result.text == (
        "File: Projects/project-a.md\n"
        "Type: file\n"
        "Size: 2.4 KB (2,456 bytes)\n"
        f"Created: {created}\n"
        f"Modified: {local_time(int(WHEN * 1e9))}"
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", created)
    assert result.data["size"] == 2456
    assert result.data["modified"] == "2026-02-03T14:22:45.000Z"


async def test_the_text_of_a_folder_is_exactly_this(disk_vault: Any) -> None:
    os.utime(disk_vault.folder / "Notes", (WHEN, WHEN))
    result = await disk_vault.succeed("get_file_info", path="/notes/")
    assert re.fullmatch(
        r"Folder: Notes/\nType: folder\nCreated: [-\d]+ [:\d]+\n"
        rf"Modified: {local_time(int(WHEN * 1e9))}",
        result.text,
    )
    assert (result.data["type"], result.data["size"]) == ("folder", None)


async def test_when_a_file_was_made_survives_our_own_writes(any_vault: Any) -> None:
    any_vault.write("Old.md", "x", WHEN)
    any_vault.storage.knowledge.refresh()
    before = (await any_vault.succeed("get_file_info", path="Old.md")).data["created"]
    await any_vault.succeed("write_file", path="Old.md", content="y")
    assert (await any_vault.succeed("get_file_info", path="Old.md")).data["created"] == before


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"path": "nonexistent/file.md"}, 'Error: Path not found: "nonexistent/file.md"'),
        ({}, "Error: path is required and must be a non-empty string."),
        ({"path": "/"}, "Error: The path names the vault itself; name a file or folder in it."),
        (
            {"path": ".obsidian/app.json"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        (
            {"path": ".obsidian"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
    ],
)
async def test_errors_have_their_exact_sentences(any_vault: Any, arguments: dict[str, Any], text: str) -> None:
    assert await text_of(any_vault, "get_file_info", **arguments) == text


async def test_names_that_differ_in_case_only_are_ambiguous(disk_vault: Any) -> None:
    disk_vault.write("ideas.md", "x")
    if len(list(disk_vault.folder.glob("*.md"))) == 1:
        pytest.skip("this disk takes upper and lower case for one")
    assert (await disk_vault.call("get_file_info", path="IDEAS.md")).error_type == "ambiguous"
    assert (await disk_vault.succeed("get_file_info", path="ideas.md")).data["path"] == "ideas.md"


async def test_a_closed_file_is_refused_there_or_not(any_vault: Any) -> None:
    any_vault.write("Private/Diary.md", "secret")
    any_vault.close_path("Private/")
    refused = [
        await any_vault.call("get_file_info", path=path) for path in ("Private", "private/diary.md", "Private/No.md")
    ]
    assert {result.data["code"] for result in refused} == {"denied_by_rule"}
