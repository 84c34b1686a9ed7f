"""`move` renames headings, tags and properties, splits and merges: to the byte as the tools do that are made for it."""

from typing import Any

import pytest

from bridge.testing import sandbox
from bridge.tools.agent.move import NAMED_AFTER

NOTES = {
    "Plan.md": "---\nstatus: open\n---\n# Plan\n\nA #work/now task.\n\n## Next\n\nSteps.\n\n## Later\n\nMore.\n",
    "Diary.md": "See [[Plan#Next]] and [[Plan]]. #work\n",
    "Other.md": "---\nstatus: done\n---\nIt says [[Diary]].\n",
}
CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"what": "heading", "source": "Plan#Next", "destination": "Soon"},
        {"path": "Plan", "heading": "Next", "new_heading": "Soon"},
    ),
    ({"what": "tag", "source": "#work", "destination": "#job"}, {"tag": "work", "new_tag": "job"}),
    ({"what": "property", "source": "status", "destination": "state"}, {"property": "status", "new_name": "state"}),
    (
        {"what": "section", "source": "[[Plan#Next]]", "destination": "Parts"},
        {"path": "Plan", "headings": ["Next"], "folder": "Parts"},
    ),
    (
        {
            "what": "section",
            "moves": [{"source": f"Plan#{name}", "destination": "Parts"} for name in ("Next", "Later")],
        },
        {"path": "Plan", "headings": ["Next", "Later"], "folder": "Parts"},
    ),
    ({"what": "merge", "source": "Diary", "destination": "Plan"}, {"sources": ["Diary"], "target": "Plan"}),
]


@pytest.mark.parametrize(("moved", "arguments"), CASES, ids=[f"{case[0]['what']}{n}" for n, case in enumerate(CASES)])
async def test_a_move_is_what_the_tool_made_for_it_does(moved: dict[str, Any], arguments: dict[str, Any]) -> None:
    async with sandbox(NOTES) as one, sandbox(NOTES) as other:
        await one.succeed("move", **moved)
        await other.succeed(NAMED_AFTER[moved["what"]], **arguments)
        assert one.files() == other.files() != {path: text.encode() for path, text in NOTES.items()}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"what": "heading", "source": "Plan", "destination": "x"}, "names no heading"),
        ({"what": "section", "source": "#Next", "destination": "x"}, "names no heading"),
        (
            {"what": "tag", "moves": [{"source": "a", "destination": "b"}, {"source": "c", "destination": "d"}]},
            "one move",
        ),
        (
            {
                "what": "section",
                "moves": [{"source": "Plan#Next", "destination": "x"}, {"source": "Diary#A", "destination": "x"}],
            },
            "of one note",
        ),
        (
            {
                "what": "merge",
                "moves": [{"source": "Diary", "destination": "Plan"}, {"source": "Other", "destination": "Diary"}],
            },
            "same destination",
        ),
        ({"what": "heading", "source": "Plan#Next", "destination": "x" * 2000}, "at most 1000 characters"),
        ({"what": "tag", "source": "#work", "destination": "x" * 4000}, "at most"),
        ({"what": "property", "source": "status", "destination": "x" * 4000}, "at most"),
        ({"what": "heading", "source": "Plan#Next", "destination": "##"}, "new_heading"),
        ({"what": "merge", "source": "Nowhere", "destination": "Plan"}, "not found"),
        (
            {"what": "merge", "moves": [{"source": f"N{number}", "destination": "Plan"} for number in range(51)]},
            "at most 50",
        ),
    ],
)
async def test_what_is_unclear_is_refused_and_changes_nothing(arguments: dict[str, Any], said: str) -> None:
    async with sandbox(NOTES) as vault:
        refused = await vault.call("move", **arguments)
        assert said in refused.text
        assert vault.files() == {path: text.encode() for path, text in NOTES.items()}


@pytest.mark.parametrize("what", NAMED_AFTER)
async def test_a_tool_that_never_may_be_used_is_not_used_by_a_move_either(what: str) -> None:
    moved = next(case for case, _ in CASES if case["what"] == what)
    async with sandbox(NOTES) as vault:
        vault.settings.update({"consentMode": {NAMED_AFTER[what]: "never_allow"}})
        refused = await vault.call("move", **moved)
        assert not refused.success
        assert vault.files() == {path: text.encode() for path, text in NOTES.items()}


async def test_tasks_and_facts_of_notes_are_told_by_the_tools_that_are_listed() -> None:
    async with sandbox({"A.md": "---\nstatus: open\n---\n- [ ] Ask [[Anna]] 📅 2026-01-02\n- [x] Done\n"}) as vault:
        for asked, same in (
            ({"tasks": "todo"}, {}),
            ({"tasks": "all", "text": "[[Anna]]"}, {"status": "all", "text": "[[Anna]]"}),
            ({"tasks": "all", "due_before": "2026-02-01"}, {"status": "all", "due_before": "2026-02-01"}),
        ):
            assert (await vault.succeed("query", **asked)).text == (await vault.succeed("tasks", **same)).text
        assert "due_before" in (await vault.call("query", due_before="2026-01-01")).text
        for path in ("", "x" * 10_000, "Nowhere"):
            refused = await vault.call("read", path=path, info=True)
            assert not refused.success
            assert "crashed" not in refused.text
        assert (await vault.succeed("read", path="A", info=True)).text == (
            await vault.succeed("note_info", path="A")
        ).text
