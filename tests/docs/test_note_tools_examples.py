"""The examples of the note tools in `docs/tools.md` do on the sample vault what the page says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bridge.client import connect

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
TIMES = {"created", "modified"}


def blocks(tool: str) -> list[Any]:
    """The JSON in a tool's section."""
    section = re.split(r"^## ", PAGE.split(f"\n## `{tool}`\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", section, re.MULTILINE | re.DOTALL)]


def without_times(data: Any) -> Any:
    """When a copied file was made and changed is another time than on the page."""
    if isinstance(data, list):
        return [without_times(item) for item in data]
    if isinstance(data, dict):
        return {key: without_times(value) for key, value in data.items() if key not in TIMES}
    return data


@pytest.mark.parametrize(
    "tool",
    [
        *("resolve_note", "is_available", "read_note", "get_metadata", "find_related", "search_by_tags"),
        *("search_by_properties", "list_tags", "search_vectors"),
    ],
)
async def test_a_note_tool_that_reads_answers_as_the_page_says(served: Path, tool: str) -> None:
    arguments, shown = blocks(tool)
    async with connect(served, name="reader of the page") as agent:
        result = (await agent.call(tool, arguments)).or_raise()
    assert without_times(result.data) == without_times(shown)


@pytest.mark.parametrize(
    ("tool", "file", "old", "new"),
    [
        ("add_tag", "Projects/Balcony garden.md", b"tags: [garden, spring]", b"tags: [garden, spring, summer]"),
        ("remove_tag", "Projects/Balcony garden.md", b"tags: [garden, spring]", b"tags: [garden]"),
        ("update_note", "Projects/Book club.md", b"last Thursday", b"last Friday"),
    ],
)
async def test_a_note_tool_that_writes_does_what_the_page_says(
    served: Path, tool: str, file: str, old: bytes, new: bytes
) -> None:
    before = (served / file).read_bytes()
    assert old in before
    async with connect(served, name="reader of the page") as agent, connect(served, name="me", role="host") as person:
        result = (await agent.call(tool, blocks(tool)[0])).or_raise()
        after = (served / file).read_bytes()
        assert new in after
        assert after.startswith(before[:4] + b"status: active\n")
        assert {"path", "diff", "added", "removed"} <= result.data.keys()
        await person.request("history.undo")
    assert (served / file).read_bytes() == before
