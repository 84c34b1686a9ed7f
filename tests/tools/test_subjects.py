"""What a person sees as the subject of a change, whatever tool makes it, and what only follows."""

import math
from typing import Any

import pytest

from bridge.identity.caller import PERSON
from bridge.testing import Sandbox, sandbox
from bridge.toolkit.tool import CallContext
from bridge.vault.plan import ChangePlan

FILES = {
    "Ideas.md": "# Ideas\n\n[[Meeting]]\n",
    "Notes/Meeting.md": "Hello\n",
    "Notes/More.md": "More, see [[Ideas]]\n",
    "Links.md": "[[Ideas]] and [[Notes/Meeting]]\n",
    "a/Tea.md": "Hot\n",
    "b/Cup.md": "[[Tea]]\n",
}


async def plan_of(vault: Sandbox, name: str, /, **arguments: Any) -> ChangePlan:
    """What a tool plans."""
    tool = vault.registry.get(name, PERSON)
    assert tool is not None
    context = CallContext(PERSON, vault.settings.current, math.inf)
    plan = tool.prepare(tool.spec.parameters.parse(arguments), context)
    assert isinstance(plan, ChangePlan)
    return plan


@pytest.mark.parametrize(
    ("tool", "arguments", "subjects", "follows"),
    [
        ("move_file", {"source": "Ideas.md", "destination": "New/Old/Thoughts.md"},
         ("Ideas.md", "New/Old/Thoughts.md"), {"Links.md", "Notes/More.md"}),
        ("move_file", {"source": "Notes", "destination": "Archive/Old"}, ("Notes/", "Archive/Old/"), {"Links.md"}),
        ("move_file", {"source": "Notes", "destination": "notes"}, ("Notes/", "notes/"), set()),
        ("delete_file", {"path": "Notes"}, ("Notes/",), set()),
        ("delete_file", {"path": "Ideas.md"}, ("Ideas.md",), set()),
        ("write_file", {"path": "Tea.md", "content": "Mine"}, ("Tea.md",), {"b/Cup.md"}),
        ("create_note", {"path": "x/y/New.md", "content": "1"}, ("x/y/New.md",), set()),
        ("create_folder", {"path": "x/y"}, ("x/y/",), set()),
        ("edit_file", {"path": "Links.md", "insert_after_line": 0, "content": "x"}, ("Links.md",), set()),
        ("add_tag", {"name": "Ideas", "tag": "new"}, ("Ideas.md",), set()),
    ],
)  # fmt: skip
async def test_the_subject_is_what_the_call_is_about(
    tool: str, arguments: dict[str, Any], subjects: tuple[str, ...], follows: set[str]
) -> None:
    async with sandbox(FILES) as vault:
        plan = await plan_of(vault, tool, **arguments)
    assert plan.subjects == subjects
    assert plan.follows == follows
    assert follows <= set(plan.targets)


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("source", ["Ideas.md", "Notes"])
async def test_taking_a_move_back_is_about_the_same(*, memory: bool, source: str) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        await vault.succeed("move_file", source=source, destination="Elsewhere" + source)
        shown = vault.asked[-1]["preview"]["files"]
        assert {file["path"] for file in shown if file["follows"]} >= {"Links.md"}
        for kind in ("history_undo", "history_redo"):
            plan = await plan_of(vault, kind)
            slash = "" if source.endswith(".md") else "/"
            assert set(plan.subjects) >= {source + slash, f"Elsewhere{source}{slash}"}
            assert "Links.md" in plan.follows
            assert "Links.md" not in plan.subjects
            await vault.succeed(kind, role="host")
