"""The examples of the file tools in `docs/tools.md` answer on the sample vault as the page says."""

import json
import re
from pathlib import Path

import pytest

from bridge.client import connect
from tests.tools.files.conftest import said

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
TOOLS = [
    *("list_files", "get_file_info", "read_file", "create_note", "create_folder", "modify_note", "edit_file"),
    "write_file",
]


def examples(tool: str) -> list[tuple[str, str]]:
    """The calls of a tool's section, each with the text that follows it."""
    section = re.split(r"^## ", PAGE.split(f"\n## `{tool}`\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^```json\n(.*?)^```\n+```text\n(.*?)\n```", section, re.MULTILINE | re.DOTALL)


def without_times(text: str) -> str:
    """A copied file was made and modified at another time than on the page."""
    return re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d|\))", "TIME", text)


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_call_answers_as_the_page_says(served: Path, tool: str) -> None:
    shown = examples(tool)
    assert shown
    async with connect(served, name="reader of the page") as agent:
        for arguments, text in shown:
            result = (await agent.call(tool, json.loads(arguments))).or_raise()
            assert without_times(said(result)) == without_times(text)
