"""The examples of `docs/tools.md` do on the sample vault what the page says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bridge.client import connect

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
NOTE = "Projects/Balcony garden.md"
CHANGED = b"- [x] Order soil before the end of March\n"


def blocks(tool: str, language: str) -> list[str]:
    """The code blocks of a tool's section."""
    section = re.split(r"^## ", PAGE.split(f"\n## `{tool}`\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def without_times(data: Any) -> Any:
    """When a copied file was modified is another time than on the page."""
    if isinstance(data, list):
        return [without_times(item) for item in data]
    return {key: value for key, value in data.items() if key != "modified"}


@pytest.mark.parametrize("tool", ["find", "grep", "read"])
async def test_a_read_answers_as_the_page_says(served: Path, tool: str) -> None:
    arguments, shown = (json.loads(block) for block in blocks(tool, "json"))
    async with connect(served, name="reader of the page") as agent:
        result = (await agent.call(tool, arguments)).or_raise()
    assert without_times(result.data) == without_times(shown)


async def test_both_forms_of_a_patch_make_the_same_change(served: Path) -> None:
    before = (served / NOTE).read_bytes()
    forms = [json.loads(blocks("apply_patch", "json")[0]), {"patch": blocks("apply_patch", "diff")[0]}]
    made: list[bytes] = []
    async with connect(served, name="reader of the page") as agent, connect(served, name="me", role="host") as person:
        for arguments in forms:
            result = (await agent.call("apply_patch", arguments)).or_raise()
            assert result.data.keys() == {"modified", "diff", "backupPath", "files"}
            made.append((served / NOTE).read_bytes())
            await person.request("history.undo")
            assert (served / NOTE).read_bytes() == before
    assert made[0] == made[1] != before
    assert CHANGED in made[0]
