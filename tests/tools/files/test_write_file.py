"""write_file: its exact texts, the bytes on disk, and what it refuses."""

from typing import Any

import pytest

from tests.tools.files.conftest import said


@pytest.mark.parametrize(
    ("path", "content", "text"),
    [
        (
            "Projects/new-project.md",
            "# New Project\n\n" + "x" * 141,
            'Created file "Projects/new-project.md" (156 bytes).',
        ),
        ("empty.md", "", 'Created file "empty.md" (0 bytes).'),
        ("Notes/Meeting.md", "x" * 2355, 'Overwrote file "Notes/Meeting.md" (2.3 KB).'),
        ("/notes/meeting.md/", "x", 'Overwrote file "Notes/Meeting.md" (1 byte).'),
        ("notes/Fresh/New.md", "x", 'Created file "Notes/Fresh/New.md" (1 byte).'),
        ("data.json", "{}", 'Created file "data.json" (2 bytes).'),
        ("Ideas", "no extension is added", 'Created file "Ideas" (21 bytes).'),
    ],
)
async def test_it_says_what_it_did(any_vault: Any, path: str, content: str, text: str) -> None:
    result = await any_vault.succeed("write_file", path=path, content=content)
    assert said(result) == text
    assert any_vault.data(result.data["path"]) == content.encode()
    assert result.data["created"] is text.startswith("Created")
    (question,) = any_vault.asked
    assert question["operation"] == ("create" if text.startswith("Created") else "update")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"content": "x"}, "Error: path is required and must be a non-empty string."),
        ({"path": "", "content": "x"}, "Error: path is required and must be a non-empty string."),
        ({"path": "  ", "content": "x"}, "Error: path is required and must be a non-empty string."),
        ({"path": 7, "content": "x"}, "Error: path is required and must be a non-empty string."),
        ({"path": "x.md"}, "Error: content is required and must be a string."),
        (
            {"path": ".obsidian/app.json", "content": "x"},
            "Error: Access denied: Cannot access files in '.obsidian/' directory (protected system folder)",
        ),
        (
            {"path": ".smarthole/inbox.md", "content": "x"},
            "Error: Access denied: Cannot access files in '.smarthole/' directory (protected system folder)",
        ),
    ],
)
async def test_errors_have_their_exact_sentences(any_vault: Any, arguments: dict[str, Any], text: str) -> None:
    result = await any_vault.call("write_file", **arguments)
    assert said(result) == text
    assert result.error == text.removeprefix("Error: ")
    assert not any_vault.asked


@pytest.mark.parametrize(
    ("path", "kind", "why"),
    [
        ("Notes", "invalid_parameters", "is a folder"),
        ("Ideas.md/x.md", "conflict", "is no folder"),
        ("a?b.md", "invalid_parameters", "'?'"),
        (".gitignore", "invalid_parameters", "starts with a dot"),
    ],
)
async def test_a_failure_names_the_file(any_vault: Any, path: str, kind: str, why: str) -> None:
    result = await any_vault.call("write_file", path=path, content="x")
    assert result.text.startswith(f'Error: Failed to write file "{path}": ')
    assert why in result.text
    assert result.error_type == kind


async def test_text_does_not_destroy_what_is_no_text(any_vault: Any) -> None:
    any_vault.write("scan.pdf", b"%PDF-1.7\n\x00")
    result = await any_vault.call("write_file", path="scan.pdf", content="x")
    assert result.text.startswith('Error: Failed to write file "scan.pdf": there is a file that is not text (PDF')
    assert any_vault.data("scan.pdf") == b"%PDF-1.7\n\x00"


async def test_the_same_content_is_no_change_and_asks_no_more_than_a_read(disk_vault: Any) -> None:
    before = disk_vault.data("Ideas.md")
    result = await disk_vault.succeed("write_file", path="Ideas.md", content=before.decode())
    assert said(result) == 'No changes made: file "Ideas.md" already has exactly this content (43 bytes).'
    assert [question["operation"] for question in disk_vault.asked] == ["read"]
    assert disk_vault.ledger.history() == []


async def test_line_endings_are_written_as_given(any_vault: Any) -> None:
    await any_vault.succeed("write_file", path="Notes/Windows.md", content="a\nb\r\n")
    assert any_vault.data("Notes/Windows.md") == b"a\nb\r\n"


async def test_undo_brings_the_bytes_back(disk_vault: Any) -> None:
    before = disk_vault.data("Notes/Windows.md")
    result = await disk_vault.succeed("write_file", path="Notes/Windows.md", content="x")
    assert (
        disk_vault.folder / ".vault-bridge/backups" / result.execution_id / "Notes/Windows.md"
    ).read_bytes() == before
    await disk_vault.undo()
    assert disk_vault.data("Notes/Windows.md") == before


async def test_twins_in_other_letters_are_not_guessed_among(any_vault: Any) -> None:
    any_vault.write("Twin.md", "a")
    if "twin.md" in any_vault.files().keys() | any_vault.folders():
        pytest.skip("this disk takes upper and lower case for one")
    any_vault.write("twin.md", "b")
    result = await any_vault.call("write_file", path="TWIN.md", content="x")
    assert result.error_type == "ambiguous"
    assert result.data["candidates"] == ["Twin.md", "twin.md"]


async def test_a_closed_file_is_not_written_and_not_named(any_vault: Any) -> None:
    any_vault.write("Private/Diary.md", "secret")
    any_vault.close_path("Private/")
    refused = [
        await any_vault.call("write_file", path=f"Private/{name}.md", content="x") for name in ("Diary", "Nothing")
    ]
    assert {result.data["code"] for result in refused} == {"denied_by_rule"}
    assert any_vault.data("Private/Diary.md") == b"secret"
