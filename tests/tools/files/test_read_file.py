"""read_file: its exact text, its truncation, the outline, and whole files."""

from typing import Any

import pytest

from bridge.tools.core.file_part import number_lines
from tests.tools.files.conftest import text_of

DOCUMENT = "# Document Title\n\nFirst paragraph content...\nMore content here...\n"


async def test_the_text_is_exactly_this(any_vault: Any) -> None:
    any_vault.write("Projects/notes.md", DOCUMENT)
    result = await any_vault.succeed("read_file", path="Projects/notes.md")
    assert result.text == (
        "1: # Document Title\n"
        "2:\n"
        "3: First paragraph content...\n"
        "4: More content here...\n"
        "\n"
        "[Showing lines 1-4 of 4 total]"
    )
    assert result.data["content"] == DOCUMENT
    assert result.data["outline"] == [{"level": 1, "heading": "Document Title", "line": 1}]
    assert (result.metadata["totalLines"], result.metadata["truncated"]) == (4, False)


@pytest.mark.parametrize(
    ("data", "span", "text"),
    [
        (b"a\nb\nc\n", {"start_line": 2}, "2: b\n3: c\n\n[Showing lines 2-3 of 3 total]"),
        (b"a\nb\nc", {"end_line": 2}, "1: a\n2: b\n\n[Showing lines 1-2 of 3 total; next: start_line=3]"),
        (b"a\nb\nc", {"start_line": 2, "end_line": 99}, "2: b\n3: c\n\n[Showing lines 2-3 of 3 total]"),
        (b"a\r\nb\r\n", {}, "1: a\n2: b\n\n[Showing lines 1-2 of 2 total]"),
        (b"\xef\xbb\xbfa", {}, "1: a\n\n[Showing lines 1-1 of 1 total]"),
        (b"\n\n", {}, "1:\n2:\n\n[Showing lines 1-2 of 2 total]"),
        (b"", {}, "[Showing lines 0-0 of 0 total]"),
        (b"caf\xe9\n", {}, "1: caf\ufffd\n\n[Showing lines 1-1 of 1 total]"),
    ],
)
async def test_lines_are_numbered_whatever_the_file_is_like(
    any_vault: Any, data: bytes, span: dict[str, int], text: str
) -> None:
    any_vault.write("x.txt", data)
    assert await text_of(any_vault, "read_file", path="x.txt", **span) == text


async def test_more_than_2000_lines_are_cut(any_vault: Any) -> None:
    any_vault.write("long.txt", "".join(f"Line {number}\n" for number in range(1, 5001)))
    result = await any_vault.succeed("read_file", path="long.txt")
    assert result.text.startswith("1: Line 1\n2: Line 2\n")
    assert result.text.endswith(
        "2000: Line 2000\n\n[... truncated, showing lines 1-2000, total lines in file: 5000; next: start_line=2001]"
    )
    assert result.metadata | {"durationMs": 0} == {
        "startLine": 1,
        "endLine": 2000,
        "totalLines": 5000,
        "truncated": True,
        "nextStartLine": 2001,
        "durationMs": 0,
    }
    following = await any_vault.succeed("read_file", path="long.txt", start_line=2001)
    assert following.text.startswith("2001: Line 2001\n")
    last = await any_vault.succeed("read_file", path="long.txt", start_line=4001)
    assert last.text.endswith("5000: Line 5000\n\n[Showing lines 4001-5000 of 5000 total]")


async def test_more_than_100_kb_are_cut_at_a_line(any_vault: Any) -> None:
    any_vault.settings.update({"maxOutputBytes": 1 << 20})
    any_vault.write("wide.txt", ("x" * 999 + "\n") * 300)
    result = await any_vault.succeed("read_file", path="wide.txt")
    assert result.text.endswith("[... truncated, showing lines 1-102, total lines in file: 300; next: start_line=103]")
    assert len(result.data["content"]) == 102_000


async def test_text_keeps_to_the_users_setting_and_data_to_the_fixed_limit(any_vault: Any) -> None:
    any_vault.settings.update({"maxOutputBytes": 4096})
    any_vault.write("wide.txt", ("x" * 99 + "\n") * 300)
    result = await any_vault.succeed("read_file", path="wide.txt")
    assert len(result.text.encode()) <= 4096
    shown = result.metadata["endLine"]
    assert result.text.endswith(
        f"[... truncated, showing lines 1-{shown}, total lines in file: 300; next: start_line={shown + 1}]"
    )
    assert result.metadata["nextStartLine"] == shown + 1
    assert (result.data["endLine"], result.data["truncated"]) == (300, False)


async def test_one_endless_line_is_cut_inside_and_says_so(any_vault: Any) -> None:
    any_vault.write("line.txt", "é" * 200_000)
    result = await any_vault.succeed("read_file", path="line.txt")
    assert result.text.startswith("1: ééé")
    assert result.text.endswith(
        "[... truncated, showing lines 1-1, total lines in file: 1; next: start_line=1, "
        f"line_offset={result.metadata['nextLineOffset']}]\n[Line 1 is not shown to its end.]"
    )
    assert result.metadata["nextStartLine"] == 1


async def test_the_outline_follows_a_note_that_is_cut(any_vault: Any) -> None:
    any_vault.write("long.md", "# A\n" + "x\n" * 2500 + "## B [[c]]\n```\n# no\n```\n")
    result = await any_vault.succeed("read_file", path="long.md")
    assert result.text.endswith(
        "total lines in file: 2505; next: start_line=2001]\n\nOutline:\n1: # A\n2502: ## B [[c]]"
    )
    assert [entry["line"] for entry in result.data["outline"]] == [1, 2502]


async def test_a_long_outline_leaves_room_for_the_lines(any_vault: Any) -> None:
    any_vault.settings.update({"maxOutputBytes": 8192})
    any_vault.write("long.md", "# A heading that is repeated\ntext\n" * 3000)
    result = await any_vault.succeed("read_file", path="long.md")
    assert len(result.text.encode()) <= 8192
    assert result.text.endswith("more headings]")
    assert result.metadata["endLine"] > 100


async def test_read_entire_file_is_refused_for_files_that_are_not_the_sessions(any_vault: Any) -> None:
    any_vault.write("long.md", "x\n" * 3000)
    result = await any_vault.succeed("read_file", file_path="long.md", read_entire_file=True)
    assert result.metadata["endLine"] == 2000
    assert "total lines in file: 3000; next: start_line=2001]\n[read_entire_file is for files" in result.text
    assert any_vault.asked[0]["summary"] == "Read entire file 'long.md'?"


async def test_a_file_the_session_has_written_is_read_whole_by_it_alone(any_vault: Any) -> None:
    await any_vault.succeed("write_file", path="Long.md", content="x\n" * 3000)
    result = await any_vault.succeed("read_file", path="long.md", read_entire_file=True)
    assert result.text.endswith("3000: x\n\n[Showing lines 1-3000 of 3000 total]")
    other = await any_vault.succeed("read_file", path="Long.md", read_entire_file=True, session="agent-2")
    assert other.metadata["endLine"] == 2000


async def test_a_file_the_user_attached_is_read_whole(any_vault: Any) -> None:
    any_vault.write("Notes/Long.md", "x\n" * 3000)
    any_vault.session_files.attached["host-1"] = ["notes/long.md"]
    result = await any_vault.succeed("read_file", path="Notes/Long.md", read_entire_file=True)
    assert result.metadata["endLine"] == 3000


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Error: path is required and must be a non-empty string."),
        ({"file_path": ""}, "Error: path is required and must be a non-empty string."),
        ({"path": "nonexistent.md"}, 'Error: File not found: "nonexistent.md"'),
        ({"path": "Ideas.md", "start_line": 50}, "Error: Line 50 does not exist in file with 5 lines."),
        (
            {"path": "Ideas.md", "start_line": 3, "end_line": 2},
            "Error: end_line 2 is before start_line 3; swap them or leave one out.",
        ),
        (
            {"path": ".obsidian/app.json"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        ({"path": "Notes"}, "Error: Path 'Notes' is a folder, not a file; name a file in it"),
    ],
)
async def test_a_wrong_call_is_refused_with_the_reason(any_vault: Any, arguments: dict[str, Any], text: str) -> None:
    assert await text_of(any_vault, "read_file", **arguments) == text


async def test_the_case_of_a_path_does_not_matter_until_two_fit(any_vault: Any) -> None:
    any_vault.write("Projects/README.md", "x")
    assert (await any_vault.succeed("read_file", path="projects/readme.md")).data["path"] == "Projects/README.md"
    any_vault.write("Projects/Readme.md", "y")
    if len([name for name in any_vault.files() if name.startswith("Projects/")]) == 1:
        return  # this disk takes upper and lower case for one
    result = await any_vault.call("read_file", path="projects/readme.md")
    assert (result.error_type, result.data["match_count"]) == ("ambiguous", 2)


async def test_a_file_on_this_machine_is_taken_when_it_lies_in_the_vault(disk_vault: Any) -> None:
    path = disk_vault.storage.top / "Ideas.md"
    assert (await disk_vault.succeed("read_file", file_path=str(path))).data["path"] == "Ideas.md"
    assert not (await disk_vault.call("read_file", file_path="/etc/hostname")).success


async def test_a_file_that_is_not_text_is_only_described(any_vault: Any) -> None:
    any_vault.write("scan.pdf", b"%PDF-1.7\n\x00" + b"x" * 2000)
    result = await any_vault.succeed("read_file", path="scan.pdf")
    assert result.text == '"scan.pdf" is not text: PDF document, application/pdf, 2.0 KB. Its bytes are not shown.'
    assert result.data["binary"] is True


@pytest.mark.parametrize(
    ("arguments", "summary"),
    [
        ({}, "Read file 'src/Example.vala'?"),
        ({"start_line": 10, "end_line": 50}, "Read file 'src/Example.vala' (lines 10-50)?"),
        ({"end_line": 50}, "Read file 'src/Example.vala' (lines 1-50)?"),
        ({"start_line": 10}, "Read file 'src/Example.vala' (from line 10)?"),
        ({"read_entire_file": True}, "Read entire file 'src/Example.vala'?"),
    ],
)
async def test_the_question_names_the_file_and_the_lines(
    any_vault: Any, arguments: dict[str, Any], summary: str
) -> None:
    await any_vault.call("read_file", path="src/Example.vala", **arguments)
    assert any_vault.asked[0]["summary"] == summary


async def test_a_closed_file_is_refused_there_or_not(any_vault: Any) -> None:
    any_vault.write("Private/Diary.md", "secret")
    any_vault.close_path("Private/")
    refused = [await any_vault.call("read_file", path=f"Private/{name}.md") for name in ("Diary", "Nothing")]
    assert {result.data["code"] for result in refused} == {"denied_by_rule"}
    assert all("secret" not in result.text for result in refused)


def test_numbers_count_as_bytes_too() -> None:
    assert number_lines(b"a\nb\nc\n", 9, 9) == ("9: a", 9, 2, False)
    assert number_lines(b"a\nb\nc\n", 9, 11) == ("9: a\n10: b", 10, 4, False)
    assert number_lines("éééé".encode(), 1, 9) == ("1: ééé", 1, 6, True)
    assert number_lines(b"", 1, 10) == ("", 0, 0, False)
