"""The risk that a question shows is that of what the call would do."""

from typing import Any

import pytest

from bridge.testing import sandbox

NOTE = "---\ntags: [a]\n---\n" + "".join(f"line {number}\n" for number in range(30))


@pytest.mark.parametrize(
    ("tool", "arguments", "level", "reason"),
    [
        ("add_tag", {"name": "Note", "tag": "b"}, "low", "adds tags"),
        ("modify_note", {"path": "Note", "operation": "append", "content": "more\n"}, "low", "adds text"),
        ("create_note", {"path": "New.md", "content": "text\n"}, "low", "creates 1 file"),
        ("create_folder", {"path": "New"}, "low", "creates 1 folder"),
        ("edit_file", {"path": "Note.md", "old_text": "line 3\n", "new_text": "three\n"}, "medium", "changes 1 line"),
        ("remove_tag", {"name": "Note", "tag": "a"}, "medium", "changes 1 line"),
        ("write_file", {"path": "Note.md", "content": "gone\n"}, "high", "replaces the whole text of a file"),
        ("update_note", {"name": "Note", "content": "gone\n"}, "high", "replaces the whole text of a file"),
        ("write_file", {"path": "New.md", "content": "x\n"}, "low", "creates 1 file"),
        ("delete_file", {"path": "Note.md"}, "high", "deletes 1 file"),
        ("move_file", {"source": "Note.md", "destination": "Old.md"}, "medium", "moves 1 file"),
        ("apply_patch", {"path": "Note.md", "patches": [{"startLine": 5, "endLine": 4, "newContent": "x"}]}, "high",
         "adds lines that may change how others are read"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("memory", [False, True])
async def test_a_write_has_the_risk_of_its_change(
    tool: str, arguments: dict[str, Any], level: str, reason: str, *, memory: bool
) -> None:
    async with sandbox({"Note.md": NOTE}, memory=memory) as vault:
        shown = await vault.preview(tool, **arguments)
        await vault.succeed(tool, **arguments)
        asked = vault.asked[-1]
    assert (asked["riskLevel"], asked["riskReasons"][0]) == (level, reason)
    assert (shown.plan.risk_level, list(shown.plan.risk_reasons)) == (level, asked["riskReasons"])


async def test_a_read_has_the_risk_of_its_tool() -> None:
    async with sandbox({"Note.md": NOTE}) as vault:
        await vault.succeed("find", pattern="*")
        asked = vault.asked[-1]
    assert (asked["riskLevel"], asked["riskReasons"]) == ("safe", [])
