"""list_files: its exact text, its globs and its order, from the disk and from the index alike."""

import os
from typing import Any

import pytest

from bridge.tools.formatting import local_date
from tests.tools.files.conftest import text_of

DAY = 86_400
THIRD = 1_770_120_000.0  # 3 February 2026, about noon


@pytest.fixture(params=["disk", "index"])
def projects(disk_vault: Any, request: pytest.FixtureRequest) -> Any:
    """A small vault, known to the index or not yet."""
    for name in ("Notes/Meeting.md", "Notes/Windows.md", "Ideas.md"):
        (disk_vault.folder / name).unlink()
    (disk_vault.folder / "Notes").rmdir()
    disk_vault.write("Projects/notes.md", "a", THIRD)
    disk_vault.write("Projects/todo.md", "b", THIRD - 2 * DAY)
    disk_vault.write("README.md", "c", THIRD - 4 * DAY)
    disk_vault.write("Projects/Archive/Deep/Old.TXT", "d", THIRD - 9 * DAY)
    (disk_vault.folder / "Templates").mkdir()
    for folder, days in (("Projects/Archive/Deep", 8), ("Projects/Archive", 3), ("Templates", 5), ("Projects", 6)):
        os.utime(disk_vault.folder / folder, (THIRD - days * DAY,) * 2)
    if request.param == "index":
        disk_vault.storage.knowledge.refresh()
    return disk_vault


def date(days: float) -> str:
    return local_date(int((THIRD - days * DAY) * 1e9))


async def test_the_text_is_exactly_this(projects: Any) -> None:
    result = await projects.succeed("list_files", pattern="{Projects/*,*.md,Templates}")
    assert result.text == (
        "Found 5 item(s):\n"
        "\n"
        f"[file] Projects/notes.md (modified: {date(0)})\n"
        f"[file] Projects/todo.md (modified: {date(2)})\n"
        "[folder] Projects/Archive/\n"
        f"[file] README.md (modified: {date(4)})\n"
        "[folder] Templates/"
    )
    assert result.data[0] == {
        "path": "Projects/notes.md",
        "type": "file",
        "size": 1,
        "modified": "2026-02-03T12:00:00.000Z",
    }
    assert (result.data[2]["type"], result.data[2]["size"]) == ("folder", None)


async def test_a_file_that_an_archive_dated_to_1970_has_its_time_too(projects: Any) -> None:
    projects.write("Unpacked.md", "e", 0.0)
    projects.storage.knowledge.refresh()
    result = await projects.succeed("list_files", pattern="Unpacked.md")
    assert result.data == [
        {"path": "Unpacked.md", "type": "file", "size": 1, "modified": "1970-01-01T00:00:00.000Z"},
    ]


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({}, ["README.md", "Templates", "Projects"]),
        ({"pattern": "*"}, ["README.md", "Templates", "Projects"]),
        ({"pattern": "", "path": ""}, ["README.md", "Templates", "Projects"]),
        ({"pattern": "*.md"}, ["README.md"]),
        ({"pattern": "**/*.md"}, ["Projects/notes.md", "Projects/todo.md", "README.md"]),
        ({"pattern": "**/*.txt"}, ["Projects/Archive/Deep/Old.TXT"]),
        (
            {"pattern": "projects/**"},
            [
                "Projects/notes.md",
                "Projects/todo.md",
                "Projects/Archive",
                "Projects/Archive/Deep",
                "Projects/Archive/Deep/Old.TXT",
            ],
        ),
        ({"pattern": "*", "path": "Projects"}, ["Projects/notes.md", "Projects/todo.md", "Projects/Archive"]),
        ({"pattern": "*.md", "path": "/PROJECTS/"}, ["Projects/notes.md", "Projects/todo.md"]),
        ({"pattern": "**", "path": "Projects/Archive"}, ["Projects/Archive/Deep", "Projects/Archive/Deep/Old.TXT"]),
        ({"pattern": "????.md", "path": "Projects"}, ["Projects/todo.md"]),
        ({"pattern": "Projects?notes.md"}, []),
        ({"pattern": "/Projects/"}, ["Projects"]),
        ({"pattern": "**", "max_results": 2}, ["Projects/notes.md", "Projects/todo.md"]),
    ],
)
async def test_globs_match_children_descendants_and_classes(
    projects: Any, arguments: dict[str, Any], paths: list[str]
) -> None:
    result = await projects.succeed("list_files", **arguments)
    assert [item["path"] for item in result.data] == paths


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"pattern": "*.xyz", "path": "projects"},
            'No files or folders match the pattern "*.xyz" in "Projects".',
        ),
        ({"pattern": "*.xyz"}, 'No files or folders match the pattern "*.xyz" in the vault root.'),
        ({"path": "Templates"}, 'No files or folders match the pattern "*" in "Templates".'),
        ({"path": "nowhere"}, 'Error: Path not found: "nowhere"'),
        (
            {"path": "readme.md"},
            'Error: Path is a file, not a folder: "readme.md". Use get_file_info or read_file',
        ),
        (
            {"path": ".obsidian"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        (
            {"path": ".Smarthole/inbox"},
            "Error: Access denied: Cannot access files in '.Smarthole/' directory (protected system folder)",
        ),
    ],
)
async def test_an_empty_list_and_errors_have_their_exact_sentences(
    projects: Any, arguments: dict[str, Any], text: str
) -> None:
    assert await text_of(projects, "list_files", **arguments) == text


async def test_what_is_not_shown_is_counted(projects: Any) -> None:
    result = await projects.succeed("list_files", pattern="**", max_results=1)
    assert result.text.startswith("Found 1 item(s):\n\n[file] Projects/notes.md")
    assert result.text.endswith("[Showing 1 of 8 items. Use a narrower pattern, or a larger max_results.]")
    assert (result.metadata["total"], result.metadata["truncated"]) == (8, True)


@pytest.mark.parametrize(("asked", "shown"), [(None, 100), (1000, 1000), (5000, 1000)])
async def test_at_most_1000_are_shown(disk_vault: Any, asked: int | None, shown: int) -> None:
    (disk_vault.folder / "Many").mkdir()
    for number in range(1001):
        (disk_vault.folder / "Many" / f"{number}.md").touch()
    result = await disk_vault.succeed("list_files", path="Many", max_results=asked)
    assert len(result.data) == shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"max_results": 0}, "max_results"),
        ({"max_results": "5"}, "max_results"),
        ({"pattern": "{" * 200}, "braces"),
        ({"pattern": 5}, "pattern"),
        ({"path": "../x"}, "outside the vault"),
    ],
)
async def test_a_wrong_call_is_refused_with_the_reason(disk_vault: Any, arguments: dict[str, Any], says: str) -> None:
    result = await disk_vault.call("list_files", **arguments)
    assert says in result.error
    assert not disk_vault.asked


async def test_dot_folders_and_closed_files_are_not_there(projects: Any) -> None:
    projects.write("Private/Diary.md", "secret")
    projects.write(".trash/Old.md", "x")
    projects.write(".hidden.md", "x")
    projects.close_path("Private/")
    projects.storage.knowledge.refresh()
    result = await projects.succeed("list_files", pattern="**")
    assert not [item["path"] for item in result.data if item["path"].startswith((".", "Private/"))]
    refused = [await projects.call("list_files", path=path) for path in ("Private", "Private/Nothing")]
    assert {result.data["code"] for result in refused} == {"denied_by_rule"}


async def test_folders_that_differ_in_case_only_are_ambiguous(disk_vault: Any) -> None:
    (disk_vault.folder / "NOTES").mkdir(exist_ok=True)
    if len([path for path in disk_vault.folder.iterdir() if path.name.lower() == "notes"]) == 1:
        pytest.skip("this disk takes upper and lower case for one")
    result = await disk_vault.call("list_files", path="notes")
    assert (result.error_type, result.data["candidates"]) == ("ambiguous", ["NOTES", "Notes"])


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
async def test_a_link_to_a_folder_leads_there_and_none_leads_to_what_is_closed(projects: Any) -> None:
    (projects.folder / "Shortcut").symlink_to("Projects", target_is_directory=True)
    result = await projects.succeed("list_files", path="shortcut", pattern="*.md")
    assert [item["path"] for item in result.data] == ["Projects/notes.md", "Projects/todo.md"]
    projects.close_path("Projects/")
    assert (await projects.call("list_files", path="Shortcut")).data["code"] == "denied_by_rule"
    assert (await projects.call("get_file_info", path="Shortcut")).data["code"] == "denied_by_rule"
