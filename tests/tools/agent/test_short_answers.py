"""What is answered about a change is short, however many files it is, and names one number: that of the question."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bridge.contract.consent import Operation
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools import specs

MOST = 1024
MANY = 60
LONG = "/".join(f"{word} rather long name of a folder in which the notes of many meetings lie" for word in ("A", "One"))
NOTES = {
    f"{LONG}/{number:02} Meeting about the garden.md": (
        f"---\nstatus: open\n---\n# Meeting {number}\n\n#garden [[Index#Plan]]\n\n## Tasks\n\n- [ ] Dig {number}\n"
    )
    for number in range(MANY)
}
PATHS = list(NOTES)


OLD = f"{LONG}/{'Plan ' * 20}".strip()
"""A note with a long name, to whose heading many notes link; some of these links cannot follow."""
MORE = {
    "Index.md": "# Index\n\n## Plan\n\nDig\n",
    f"{OLD}.md": "# Old\n\n## Plan\n\nDig\n\n## Seeds\n\n[[#Plan]]\n",
    "Many.md": "".join(f"## Section {number} with a name that says a lot\n\nText\n\n" for number in range(MANY)),
    "Board.canvas": '{"nodes":[],"edges":[]}',
} | {f"Links/{number:02}.md": f"[[{OLD}#Plan]] and [[{OLD}#^none]] [[{OLD}#Seeds]]\n" for number in range(MANY)}


@pytest.fixture
async def vault() -> AsyncIterator[Sandbox]:
    async with sandbox(NOTES | MORE) as vault:
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
    ("delete", {"paths": [LONG.partition("/")[0]]}),
    ("move", {"moves": [{"source": OLD, "destination": "Archive/"}]}),
    ("move", {"moves": [{"source": LONG.partition("/")[0], "destination": "Archive/"}]}),
    ("move", {"what": "heading", "moves": [{"source": f"{OLD}#Plan", "destination": "Design"}]}),
    ("move", {"what": "section", "moves": [{"source": f"{OLD}#Seeds", "destination": LONG}]}),
    ("move", {"what": "merge", "moves": [{"source": OLD, "destination": "Index"}]}),
    ("create_note", {"path": f"{LONG}/{'New-' * 40}", "content": "x" * 5000}),
    ("create_note", {"path": f"{LONG}/{'New-' * 40}", "kind": "folder"}),
    ("daily_note", {"append": "x\n" * 500}),
    ("apply_patch", {"path": PATHS[0], "patches": [{"startLine": 1, "endLine": 1, "newContent": "x\n" * 500}]}),
    (
        "apply_patch",
        {
            "patch": "".join(
                f"--- a/{path}\n+++ b/{path}\n@@ -4,1 +4,2 @@\n # Meeting {PATHS.index(path)}\n+New\n" for path in PATHS
            )
        },
    ),
    ("add_tag", {"name": OLD, "tag": "a" * 200}),
    ("remove_tag", {"name": PATHS[0], "tag": "garden", "include_body": True}),
    ("edit_file", {"path": OLD, "old_text": "Dig", "new_text": "x\n" * 500}),
    ("edit_file", {"path": f"{OLD}.md", "edits": [{"range": [1, 2], "replacement": "x\n" * 500}]}),
    ("modify_note", {"path": OLD, "operation": "append", "content": "x\n" * 500}),
    ("update_note", {"name": OLD, "content": "x\n" * 500}),
    ("write_file", {"path": f"{LONG}/{'New-' * 40}.md", "content": "x\n" * 500}),
    ("create_folder", {"path": f"{LONG}/{'New-' * 40}"}),
    ("delete_file", {"path": LONG.partition("/")[0]}),
    ("delete_note", {"name": OLD}),
    ("move_file", {"source": LONG.partition("/")[0], "destination": "Archive"}),
    ("move_file", {"source": f"{OLD}.md", "destination": f"{LONG}/Other.md"}),
    ("organize_note", {"source": OLD, "destination": "Archive/Old"}),
    ("rename_heading", {"path": OLD, "heading": "Plan", "new_heading": "Design " * 20}),
    ("rename_tag", {"tag": "garden", "new_tag": "b" * 200}),
    ("rename_property", {"property": "status", "new_name": "c" * 200}),
    ("merge_notes", {"sources": PATHS[:50], "target": OLD}),
    ("split_note", {"path": "Many", "level": 2, "folder": LONG}),
    ("edit_tasks", {"action": "tick", "tasks": [{"path": path, "line": 10} for path in PATHS]}),
    ("edit_canvas", {"path": "Board.canvas", "operations": [{"action": "add", "file": path} for path in PATHS[:40]]}),
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


ELSEWHERE = {
    "draft",
    "history",
    "templates",
    "web_fetch",
    "web_search",
    "run_terminal_command",
    "demo_note",
    "mcp_loader",
}
"""Other tests have the answers of these, or they show what a page or a program said."""


def test_every_tool_that_changes_something_is_tried() -> None:
    changing = {spec.name for spec in specs() if spec.operation is not Operation.READ and spec.listed}
    assert {tool for tool, _ in CHANGES} == changing - ELSEWHERE


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
