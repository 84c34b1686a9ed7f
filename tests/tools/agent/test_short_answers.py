"""What is answered about a change is short, however many files it is, and names one number: that of the question."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox

MOST = 1024
MANY = 60
LONG = "A rather long name of a folder in which the notes of many meetings lie"
NOTES = {
    f"{LONG}/{number:02} Meeting about the garden.md": (
        f"---\nstatus: open\n---\n# Meeting {number}\n\n#garden [[Index#Plan]]\n\n## Tasks\n\n- [ ] Dig {number}\n"
    )
    for number in range(MANY)
}
PATHS = list(NOTES)


@pytest.fixture
async def vault() -> AsyncIterator[Sandbox]:
    async with sandbox(NOTES | {"Index.md": "# Index\n\n## Plan\n\nDig\n"}) as vault:
        vault.settings.update({"rateLimits": {"edit": 1000, "query": 1000}, "globalRateLimit": 1000})
        yield vault


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("edit", {"edits": [{"path": path, "append": "More\n"} for path in PATHS]}),
    ("set_properties", {"paths": PATHS, "properties": {"status": "done"}, "add_tags": ["done"]}),
    ("move", {"moves": [{"source": path, "destination": "Archive/"} for path in PATHS]}),
    ("move", {"what": "tag", "moves": [{"source": "garden", "destination": "yard"}]}),
    ("move", {"what": "property", "moves": [{"source": "status", "destination": "state"}]}),
    ("move", {"what": "heading", "moves": [{"source": "Index#Plan", "destination": "Design"}]}),
    ("move", {"what": "merge", "moves": [{"source": path, "destination": "Index"} for path in PATHS[:20]]}),
    ("delete", {"paths": PATHS}),
    ("delete", {"paths": ["Index"]}),
    (
        "chain",
        {
            "calls": [
                {"name": "open", "tool": "query", "arguments": {"tasks": "todo", "limit": 20}},
                {
                    "name": "mark",
                    "tool": "edit",
                    "each": {"$from": "open"},
                    "arguments": {"path": {"$item": "path"}, "append": "Seen\n"},
                },
            ]
        },
    ),
]


@pytest.mark.parametrize(
    ("tool", "arguments"), CHANGES, ids=[f"{tool} {number}" for number, (tool, _) in enumerate(CHANGES)]
)
async def test_an_answer_about_a_change_is_short(vault: Sandbox, tool: str, arguments: dict[str, Any]) -> None:
    result = await vault.succeed(tool, **arguments)
    assert len(result.text.encode()) < MOST, result.text
    assert vault.asked, "it was a change"


async def test_a_draft_is_asked_about_and_told_of_with_the_same_number(vault: Sandbox) -> None:
    await vault.succeed("draft", action="begin")
    await vault.succeed("move", moves=[{"source": path, "destination": "Archive/2025/"} for path in PATHS[:40]])
    await vault.succeed("create_note", path="Archive/Index of meetings", content="x")
    taken = await vault.succeed("draft", action="submit")
    asked = vault.asked[-1]["summary"]
    assert re.findall(r"[\d,]+ files?", asked) == re.findall(r"[\d,]+ files?", taken.text) == ["41 files"]
    assert taken.data["count"] == 41
    assert len(taken.text.encode()) < MOST


async def test_what_a_chain_reads_for_nothing_else_is_told_whole(vault: Sandbox) -> None:
    calls = [
        {"name": "change", "tool": "edit", "arguments": {"path": "Index", "append": "More\n"}},
        {"name": "note", "tool": "read", "arguments": {"path": "Index.md"}},
    ]
    told = (await vault.succeed("chain", calls=calls)).text
    assert "## Plan" in told
