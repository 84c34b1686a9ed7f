"""The examples of the everyday tools in `docs/tools.md` answer on the sample vault as the page says, and are undone."""

import json
import re
from pathlib import Path

import pytest

from bridge.client import connect

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
TOOLS = [
    *("note_info", "vault_report", "rename_heading", "rename_tag", "rename_property", "merge_notes", "split_note"),
    *("tasks", "edit_tasks", "daily_note"),
]


def example(tool: str) -> tuple[str, str]:
    """The call of a tool's section, and the text that follows it."""
    section = re.split(r"^## ", PAGE.split(f"\n## `{tool}`\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    found = re.search(r"^```json\n(.*?)^```\n+```text\n(.*?)\n```", section, re.MULTILINE | re.DOTALL)
    assert found
    return found[1], found[2]


def plain(text: str) -> str:
    """Times and ids are others each time."""
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z|-[0-9a-f]{8}\)", "X", text)


def files_of(vault: Path) -> dict[str, bytes]:
    """What the notes hold."""
    notes = {path.relative_to(vault).as_posix(): path.read_bytes() for path in vault.rglob("*.md")}
    return {name: data for name, data in notes.items() if not name.startswith(".")}


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_call_answers_as_the_page_says_and_is_undone(served: Path, tool: str) -> None:
    arguments, text = example(tool)
    before = files_of(served)
    async with connect(served, name="reader of the page") as agent, connect(served, name="me", role="host") as person:
        result = (await agent.call(tool, json.loads(arguments))).or_raise()
        assert plain(result.text) == plain(text)
        if files_of(served) != before:
            await person.request("history.undo")
    assert files_of(served) == before


async def test_two_changes_are_taken_back_as_the_page_says(served: Path) -> None:
    before = files_of(served)
    section = PAGE.split("\n## `history`\n", 1)[1]
    arguments = json.loads(section.split("```json\n", 1)[1].split("```", 1)[0])
    async with connect(served, name="reader of the page") as agent:
        for tool in ("rename_tag", "split_note"):
            (await agent.call(tool, json.loads(example(tool)[0]))).or_raise()
        (await agent.call("history", arguments)).or_raise()
    assert files_of(served) == before
