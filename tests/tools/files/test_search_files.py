"""search_files: its exact text, its defaults and its limits, from the disk and from the index alike."""

from typing import Any

import pytest

from tests.tools.files.conftest import text_of


@pytest.fixture(params=["disk", "index"])
def alpha(disk_vault: Any, request: pytest.FixtureRequest) -> Any:
    """A small vault, known to the index or not yet."""
    for name in ("Notes/Meeting.md", "Notes/Windows.md", "Ideas.md"):
        (disk_vault.folder / name).unlink()
    filler = "\n" * 40
    disk_vault.write(
        "Projects/Alpha.md", f"{filler}some context before\nthe matching line with TODO\nsome context after\n"
    )
    disk_vault.write("Notes/daily.md", "\n" * 9 + "FIXME: needs review\r\nfollowing content")
    disk_vault.write("Notes/list.txt", "TODO in a text file\n")
    if request.param == "index":
        disk_vault.storage.knowledge.refresh()
    return disk_vault


async def test_the_text_is_exactly_this(alpha: Any) -> None:
    assert await text_of(alpha, "search_files", pattern="TODO|FIXME|XXX", context_lines=1, max_results=20) == (
        "Found 2 matching file(s):\n"
        "\n"
        "## Notes/daily.md\n"
        "Line 9:   \n"
        "Line 10: > FIXME: needs review\n"
        "Line 11:   following content\n"
        "\n"
        "## Projects/Alpha.md\n"
        "Line 41:   some context before\n"
        "Line 42: > the matching line with TODO\n"
        "Line 43:   some context after"
    )


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        (None, ["Notes/daily.md", "Projects/Alpha.md"]),
        ("", ["Notes/daily.md", "Projects/Alpha.md"]),
        ("**/*.txt", ["Notes/list.txt"]),
        ("notes/**", ["Notes/daily.md", "Notes/list.txt"]),
        ("/NOTES/", ["Notes/daily.md", "Notes/list.txt"]),
        ("*.md", []),
        ("projects/*", ["Projects/Alpha.md"]),
        ("**", ["Notes/daily.md", "Notes/list.txt", "Projects/Alpha.md"]),
    ],
)
async def test_only_notes_are_searched_unless_a_glob_says_otherwise(
    alpha: Any, glob: str | None, found: list[str]
) -> None:
    result = await alpha.succeed("search_files", pattern="TODO|FIXME", file_pattern=glob)
    assert [entry["path"] for entry in result.data] == found


async def test_nothing_found_is_said(alpha: Any) -> None:
    result = await alpha.succeed("search_files", pattern="absent")
    assert (result.data, result.text) == ([], 'No matches found for "absent" in 2 files.')
    assert result.metadata["total"] == 0


async def test_the_files_with_most_matching_lines_come_first_and_at_most_as_many_as_asked_for(disk_vault: Any) -> None:
    for number in range(12):
        disk_vault.write(f"{number:02}.md", "needle\n" * (number % 3 + 1))
    result = await disk_vault.succeed("search_files", pattern="needle", context_lines=0)
    assert [entry["path"] for entry in result.data] == [f"{n:02}.md" for n in (2, 5, 8, 11, 1, 4, 7, 10, 0, 3)]
    assert result.text.startswith("Found 10 matching file(s):\n\n## 02.md\nLine 1: > needle\nLine 2: > needle\n")
    assert "10 of 12 matching files" in result.text
    assert (result.metadata["total"], result.metadata["truncated"]) == (12, True)


async def test_five_excerpts_of_a_file_are_shown_and_the_lines_they_share_once(disk_vault: Any) -> None:
    disk_vault.write("a.md", "x\ny\nx\nz\nz\nz\n" + "x\n" * 5)
    assert await text_of(disk_vault, "search_files", pattern="x", context_lines=1) == (
        "Found 1 matching file(s):\n\n## a.md\n"
        "Line 1: > x\nLine 2:   y\nLine 3: > x\nLine 4:   z\n\n"
        "Line 6:   z\nLine 7: > x\nLine 8: > x\nLine 9: > x\nLine 10:   x\n"
        "[2 more matching lines in this file]"
    )


@pytest.mark.parametrize("pattern", [r"(?<word>nee)dle", r"n\u0065edle", r"n\u{65}edle", r"(?=n)needle", r"\\d|needle"])
async def test_javascript_s_ways_of_writing_are_taken(disk_vault: Any, pattern: str) -> None:
    disk_vault.write("a.md", "needle\n")
    assert [entry["path"] for entry in (await disk_vault.succeed("search_files", pattern=pattern)).data] == ["a.md"]


async def test_an_invalid_pattern_is_refused_with_the_place_of_the_mistake(disk_vault: Any) -> None:
    result = await disk_vault.call("search_files", pattern="a(b")
    assert (result.success, result.error_type) == (False, "invalid_parameters")
    assert result.text.startswith("Error: Invalid pattern at position 3")


async def test_dot_folders_closed_files_and_binary_files_are_not_searched(disk_vault: Any) -> None:
    disk_vault.write(".obsidian/x.md", "needle")
    disk_vault.write("Private/x.md", "needle")
    disk_vault.write("image.png", b"\x89PNG\r\n\x1a\n\x00needle")
    disk_vault.write("open.md", "needle")
    disk_vault.close_path("Private/")
    for settled in (False, True):
        if settled:
            disk_vault.storage.knowledge.refresh()
        result = await disk_vault.succeed("search_files", pattern="needle", file_pattern="**")
        assert [entry["path"] for entry in result.data] == ["open.md"]
        assert "Private" not in result.text
