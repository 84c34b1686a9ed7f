"""The JSON that `docs/protocol.md` shows has the shape of what is really sent, kept and taken."""

import json
import re
from pathlib import Path
from typing import Any

from bridge.client import connect
from bridge.consent.permission_file import parse_permissions
from bridge.contract.base import Wire
from bridge.contract.consent import ConsentRequest, FilePreview, Preview, ToolFace
from bridge.contract.discovery import Discovery, Endpoint
from bridge.contract.tools import ToolResult

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
EXAMPLES: list[dict[str, Any]] = [
    json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
]


def example(member: str) -> dict[str, Any]:
    """The first example with this member."""
    return next(found for found in EXAMPLES if member in found)


def names(model: type[Wire]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def test_the_files_by_which_a_bridge_is_found_have_all_their_members() -> None:
    assert set(example("runDir")) == names(Discovery)
    assert set(example("token")) == names(Endpoint)


def test_the_question_has_all_its_members() -> None:
    question = example("requestId")
    assert set(question) == names(ConsentRequest)
    assert set(question["tool"]) == names(ToolFace)
    assert set(question["preview"]) == names(Preview)
    assert set(question["preview"]["files"][0]) == names(FilePreview)
    ConsentRequest.model_validate(question)


def test_both_kinds_of_result_have_the_members_of_a_result() -> None:
    results = [found for found in EXAMPLES if "success" in found]
    assert [found["success"] for found in results] == [True, False]
    shown = set(results[0]) | set(results[1])
    assert shown == names(ToolResult)
    for found in results:
        ToolResult.model_validate(found)


def test_the_permission_file_can_be_read() -> None:
    shown = example("Journal/")
    assert parse_permissions(json.dumps(shown).encode()) == shown


async def test_the_log_has_the_members_that_the_page_names(served: Path) -> None:
    section = PAGE.split("\n## The log\n", 1)[1].split("\n## ", 1)[0]
    named = {
        name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    edit = {"startLine": 1, "endLine": 1, "newContent": "# Jam"}
    async with connect(served, name="me") as agent:
        await agent.call("apply_patch", path="Kitchen/Plum jam.md", patches=[edit], reason="shorter", call_id="c1")
        await agent.call("apply_patch", path="../Pear jam.md", patches=[edit])
        await agent.call("draft", action="begin")
        await agent.call("create_note", path="Kitchen/Quince jam.md", content="# Jam\n")
        await agent.call("chain", calls=[{"name": "all", "tool": "find", "arguments": {"pattern": "*"}}])
    lines = (served / ".vault-bridge" / "logs" / "tools.log").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    found = set().union(*(record for record in records if record["kind"] in {"execution", "decision"}))
    assert found == named - {"cached"}  # only calls to the web have that
