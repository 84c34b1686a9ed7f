"""What is answered about a change is short, however many files it is, and names one number: that of the question."""

import re
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bridge.contract.consent import Operation
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools import specs

MOST = 1024
MANY, FEW = 30, 8
"""Notes with long paths; with the longest, these few already come to more than is said."""
HEAD = "---\nstatus: open\n---\n"
LONG = "/".join(f"{word} rather long name of a folder in which the notes of many meetings lie" for word in ("A", "One"))
LONGEST = "/".join(f"{word} {'long ' * 46}name of a folder" for word in ("A", "One", "That"))
"""With a note's name, nearly 1,000 bytes."""
TOO_LONG_ELSEWHERE = pytest.mark.skipif(sys.platform != "linux", reason="no such path can be made here")


def paths_in(folder: str) -> list[str]:
    """Return the notes that most of the calls change."""
    count = MANY if folder == LONG else FEW
    return [f"{folder}/{number:02} Meeting about the garden.md" for number in range(count)]


def old_in(folder: str) -> str:
    """Return a note with a long name, to whose heading many notes link; some of these links cannot follow."""
    return f"{folder}/{'Plan ' * 20}".strip()


def notes_in(folder: str) -> dict[str, str]:
    """Return the vault."""
    old = old_in(folder)
    return (
        {
            path: f"{HEAD}# Meeting {number}\n\n#garden [[Index#Plan]]\n\n## Tasks\n\n- [ ] Dig {number}\n"
            for number, path in enumerate(paths_in(folder))
        }
        | {
            "Index.md": "# Index\n\n## Plan\n\nDig\n",
            f"{old}.md": "# Old\n\n## Plan\n\nDig\n\n## Seeds\n\n[[#Plan]]\n",
            "Many.md": "".join(
                f"## Section {number} with a name that says a lot\n\nText\n\n" for number in range(MANY)
            ),
            "Board.canvas": '{"nodes":[],"edges":[]}',
        }
        | {
            f"Links/{number:02}.md": f"[[{old}#Plan]] and [[{old}#^none]] [[{old}#Seeds]]\n"
            for number, _ in enumerate(paths_in(folder))
        }
    )


@pytest.fixture
async def vault(folder: str) -> AsyncIterator[Sandbox]:
    async with sandbox(notes_in(folder)) as vault:
        vault.settings.update({"rateLimits": {"edit": 1000, "query": 1000}, "globalRateLimit": 1000})
        yield vault


def changes(folder: str) -> list[tuple[str, dict[str, Any]]]:
    """Return a call of each tool that changes something, or several."""
    paths, old, top = paths_in(folder), old_in(folder), folder.partition("/")[0]
    return [
        ("edit", {"edits": [{"path": path, "append": "More\n"} for path in paths]}),
        ("set_properties", {"paths": paths, "properties": {"status": "done"}, "add_tags": ["done"]}),
        ("move", {"moves": [{"source": path, "destination": "Archive/"} for path in paths]}),
        ("move", {"what": "tag", "moves": [{"source": "garden", "destination": "yard"}]}),
        ("move", {"what": "property", "moves": [{"source": "status", "destination": "state"}]}),
        ("move", {"what": "heading", "moves": [{"source": "Index#Plan", "destination": "Design"}]}),
        ("move", {"what": "merge", "moves": [{"source": path, "destination": "Index"} for path in paths]}),
        ("delete", {"paths": paths}),
        ("delete", {"paths": ["Index"]}),
        ("delete", {"paths": [top]}),
        ("move", {"moves": [{"source": old, "destination": "Archive/"}]}),
        ("move", {"moves": [{"source": top, "destination": "Archive/"}]}),
        ("move", {"what": "heading", "moves": [{"source": f"{old}#Plan", "destination": "Design"}]}),
        ("move", {"what": "section", "moves": [{"source": f"{old}#Seeds", "destination": folder}]}),
        ("move", {"what": "merge", "moves": [{"source": old, "destination": "Index"}]}),
        ("create_note", {"path": f"{folder}/{'New-' * 40}", "content": "x" * 5000}),
        ("create_note", {"path": f"{folder}/{'New-' * 40}", "kind": "folder"}),
        ("daily_note", {"append": "x\n" * 500}),
        ("apply_patch", {"path": paths[0], "patches": [{"startLine": 1, "endLine": 1, "newContent": "x\n" * 500}]}),
        (
            "apply_patch",
            {
                "patch": "".join(
                    f"--- a/{path}\n+++ b/{path}\n@@ -4,1 +4,2 @@\n # Meeting {paths.index(path)}\n+New\n"
                    for path in paths
                )
            },
        ),
        ("add_tag", {"name": old, "tag": "a" * 200}),
        ("remove_tag", {"name": paths[0], "tag": "garden", "include_body": True}),
        ("edit_file", {"path": old, "old_text": "Dig", "new_text": "x\n" * 500}),
        ("edit_file", {"path": f"{old}.md", "edits": [{"range": [1, 2], "replacement": "x\n" * 500}]}),
        ("modify_note", {"path": old, "operation": "append", "content": "x\n" * 500}),
        ("update_note", {"name": old, "content": "x\n" * 500}),
        ("write_file", {"path": f"{folder}/{'New-' * 40}.md", "content": "x\n" * 500}),
        ("create_folder", {"path": f"{folder}/{'New-' * 40}"}),
        ("delete_file", {"path": top}),
        ("delete_note", {"name": old}),
        ("move_file", {"source": top, "destination": "Archive"}),
        ("move_file", {"source": f"{old}.md", "destination": f"{folder}/Other.md"}),
        ("organize_note", {"source": old, "destination": "Archive/Old"}),
        ("rename_heading", {"path": old, "heading": "Plan", "new_heading": "Design " * 20}),
        ("rename_tag", {"tag": "garden", "new_tag": "b" * 200}),
        ("rename_property", {"property": "status", "new_name": "c" * 200}),
        ("merge_notes", {"sources": paths, "target": old}),
        ("split_note", {"path": "Many", "level": 2, "folder": folder}),
        ("edit_tasks", {"action": "tick", "tasks": [{"path": path, "line": 10} for path in paths]}),
        (
            "edit_canvas",
            {"path": "Board.canvas", "operations": [{"action": "add", "file": path} for path in paths]},
        ),
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
        ("templates", {"action": "run", "name": "collect-tasks", "values": {"note": f"{folder}/List"}}),
    ]


ELSEWHERE = {
    "draft",
    "history",
    "web_fetch",
    "web_search",
    "run_terminal_command",
    "demo_note",
    "mcp_loader",
}
"""Other tests have the answers of these, or they show what a page or a program said."""


def test_every_tool_that_changes_something_is_tried() -> None:
    changing = {spec.name for spec in specs() if spec.operation is not Operation.READ and spec.listed}
    assert {tool for tool, _ in changes(LONG)} == changing - ELSEWHERE


@pytest.mark.parametrize(
    ("folder", "tool", "arguments"),
    [
        pytest.param(folder, *call, id=f"{call[0]} {number} {how}", marks=marks)
        for how, folder, marks in (("long", LONG, ()), ("longest", LONGEST, TOO_LONG_ELSEWHERE))
        for number, call in enumerate(changes(folder))
    ],
)
async def test_an_answer_about_a_change_is_short(vault: Sandbox, tool: str, arguments: dict[str, Any]) -> None:
    result = await vault.succeed(tool, **arguments)
    assert len(result.text.encode()) < MOST, result.text
    assert vault.asked, "it was a change"


@TOO_LONG_ELSEWHERE
@pytest.mark.parametrize("folder", [LONGEST])
async def test_taking_many_changes_back_and_handing_them_in_is_told_in_short(vault: Sandbox, folder: str) -> None:
    paths = paths_in(folder)
    for path in paths:
        await vault.succeed("edit", path=path, append="More\n")
    vault.write(paths[0], "Something else\n")
    undone = await vault.succeed("history", action="undo", count=len(paths))
    assert "stays as it is" in undone.text
    await vault.succeed("draft", action="begin")
    for path in paths[1:]:
        told = await vault.succeed("edit", path=path, append="More\n")
        assert len(told.text.encode()) < MOST
    for answer in (undone, await vault.succeed("draft", action="submit")):
        assert len(answer.text.encode()) < MOST, answer.text


@pytest.mark.parametrize("folder", [LONG])
async def test_a_draft_is_asked_about_and_told_of_with_the_same_number(vault: Sandbox, folder: str) -> None:
    await vault.succeed("draft", action="begin")
    await vault.succeed(
        "move", moves=[{"source": path, "destination": "Archive/2025/"} for path in paths_in(folder)[:20]]
    )
    await vault.succeed("create_note", path="Archive/Index of meetings", content="x")
    taken = await vault.succeed("draft", action="submit")
    asked = vault.asked[-1]["summary"]
    assert re.findall(r"[\d,]+ files?", asked) == re.findall(r"[\d,]+ files?", taken.text) == ["21 files"]
    assert taken.data["count"] == 21
    assert len(taken.text.encode()) < MOST


@pytest.mark.parametrize("folder", [LONG])
async def test_what_a_chain_reads_for_nothing_else_is_told_whole(vault: Sandbox) -> None:
    calls = [
        {"name": "change", "tool": "edit", "arguments": {"path": "Index", "append": "More\n"}},
        {"name": "note", "tool": "read", "arguments": {"path": "Index.md"}},
    ]
    told = (await vault.succeed("chain", calls=calls)).text
    assert "## Plan" in told
