"""What a tool writes as text is shown as text, whatever it begins with, and stays text for all tools."""

from typing import Any

import pytest

from bridge.testing import Sandbox, sandbox

OLD = "".join(f"line {number}\n" for number in range(1, 41))
MAGIC = (
    "GIF89a",
    "GIF87a",
    "%PDF-1.7",
    "OggS",
    "PK\x03\x04",
    "RIFF....WEBP",
    "RIFF....WAVE",
    "ID3",
    "fLaC",
    "BM",
    "wOF2",
)
EVIL = "![](https://evil.example/x.png)"


def writes(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Every way of giving a file a text."""
    return [
        ("write_file", {"path": "New.md", "content": text}),
        ("write_file", {"path": "Note.md", "content": text}),
        ("create_note", {"path": "New.md", "content": text}),
        ("update_note", {"name": "Note", "content": text}),
        ("edit_file", {"path": "Note.md", "old_text": OLD, "new_text": text}),
        ("edit_file", {"path": "Note.md", "insert_before_line": 1, "content": text}),
        ("edit_file", {"path": "Note.md", "edits": [{"range": [1, 41], "replacement": text}]}),
        ("modify_note", {"path": "Note", "operation": "append", "content": text}),
        ("modify_note", {"path": "Note", "operation": "prepend", "content": text}),
        ("modify_note", {"path": "Note", "operation": "replace", "search": OLD, "content": text}),
        ("apply_patch", {"path": "Note.md", "patches": [{"startLine": 1, "endLine": 40, "newContent": text}]}),
        ("apply_patch", {"patch": "--- /dev/null\n+++ New.md\n@@ -0,0 +1,3 @@\n+" + text.replace("\n", "\n+")}),
    ]


WAYS = range(len(writes("")))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("magic", MAGIC)
async def test_every_line_counts_and_is_shown(magic: str, way: int) -> None:
    text = f"{magic}\nsecond\n{EVIL}"
    tool, arguments = writes(text)[way]
    async with sandbox({"Note.md": OLD}, memory=True) as vault:
        plan = (await vault.preview(tool, **arguments)).plan.to_wire()
    (file,) = plan["files"]
    added = [line[1:] for line in file["diff"].splitlines()[2:] if line.startswith("+")]
    removed = [line[1:] for line in file["diff"].splitlines()[2:] if line.startswith("-")]
    assert (file["added"], file["removed"]) == (len(added), len(removed))
    assert {magic, "second", EVIL} <= set(added)
    assert len(removed) in {0, 40}
    assert " 0 lines" not in plan["summary"]
    assert any("loads something from the network" in warning for warning in plan["warnings"])


@pytest.mark.parametrize("way", WAYS)
async def test_text_with_a_nul_is_refused(way: int) -> None:
    tool, arguments = writes("a\x00b\nc\nd")[way]
    async with sandbox({"Note.md": OLD}, memory=True) as vault:
        refused = await vault.call(tool, **arguments)
    assert not refused.success
    assert "NUL" in refused.text
    assert not any(asked["planDigest"] for asked in vault.asked)


async def test_a_text_cannot_be_made_into_something_else() -> None:
    late = b"a\n" * 4_090 + b"b" * 20 + b"\x00"
    async with sandbox({"Late.md": late}) as vault:
        refused = await vault.call("edit_file", path="Late.md", delete_lines={"start": 1, "end": 100})
        assert vault.data("Late.md") == late
    assert "would no longer be text" in refused.text
    assert not any(asked["planDigest"] for asked in vault.asked)


async def read_everywhere(vault: Sandbox, path: str) -> dict[str, bool]:
    """Which tools take a file for text."""
    name = path.removesuffix(".md")
    found = {
        "read": "needle" in (await vault.call("read", path=path)).text,
        "read_file": "needle" in (await vault.call("read_file", path=path)).text,
        "read_note": "needle" in (await vault.call("read_note", name=name)).text,
        "grep": bool((await vault.succeed("grep", pattern="needle")).data),
        "search_files": bool((await vault.succeed("search_files", pattern="needle")).data),
        "search_notes": bool((await vault.succeed("search_notes", query="needle")).data["results"]),
    }
    edited = await vault.call("edit_file", path=path, insert_after_line=1, content="more")
    tagged = await vault.call("add_tag", name=name, tag="t")
    return found | {"edit_file": edited.success, "add_tag": tagged.success}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "is_text"),
    [
        *((f"{magic}\nneedle\n".encode(), True) for magic in MAGIC),
        (b"GIF89a\n\xff\xfe needle\n", False),
        (b"needle\n\x00\n", False),
        (b"needle\n" + b"x" * 8_192 + b"\x00", True),
    ],
)
async def test_all_tools_take_the_same_files_for_text(data: bytes, *, is_text: bool) -> None:
    async with sandbox({"Kind.md": data}) as vault:
        taken = await read_everywhere(vault, "Kind.md")
    assert set(taken.values()) == {is_text}, taken


async def test_what_is_lost_is_named_in_the_question() -> None:
    async with sandbox({"photo.png": b"\x89PNG\r\n\x1a\n\x00" + b"x" * 2_000_000}) as vault:
        await vault.succeed("delete_file", path="photo.png")
        (file,) = vault.asked[-1]["preview"]["files"]
    assert file["note"] == "What is deleted is no text and cannot be shown: image (2,000,009 bytes)"
