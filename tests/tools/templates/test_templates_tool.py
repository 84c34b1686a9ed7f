"""An agent lists and runs templates with its own rights, and makes none."""

from typing import TYPE_CHECKING, cast

from bridge.clock import SystemClock
from bridge.records.folder import MemoryFolder
from bridge.testing import sandbox
from bridge.tools.templates.templates import TemplatesTool, TemplateStore, parse_template, shipped

if TYPE_CHECKING:
    from bridge.toolkit.tool import CallContext

NOTES: dict[str, bytes | str] = {"Plan.md": "# Plan\n\n- [ ] One\n", "Private/Diary.md": "- [ ] secret\n"}


async def test_the_list_says_what_each_is_for_and_needs_and_nobody_is_asked() -> None:
    async with sandbox(NOTES) as vault:
        listed = await vault.succeed("templates")
        assert [one["name"] for one in listed.data] == sorted(shipped())
        assert "calls" not in listed.data[0]
        assert "people (list, [] if left out): Names of their notes" in listed.text
        assert vault.asked == []


def test_of_many_templates_twenty_are_listed_in_full_and_the_others_by_name() -> None:
    store = TemplateStore(MemoryFolder())
    call = {"name": "note", "tool": "create_note", "arguments": {"path": "A", "content": "a"}}
    for number in range(30):
        store.save(parse_template({"name": f"t-{number}", "title": f"Title {number}", "calls": [call]}))
    tool = TemplatesTool(store, SystemClock())
    context = cast("CallContext", None)  # a list needs none
    listed = tool.run(tool.spec.parameters.parse({}), context)
    assert len(listed.data) == 35
    assert "Title 9" not in listed.text
    assert "[20 of 35 in full; list with name shows one of: " in listed.text
    assert listed.text.endswith("t-9, tag-search, weekly-review]")
    assert tool.run(tool.spec.parameters.parse({"name": "t-9"}), context).text == "t-9: Title 9."


async def test_running_one_is_one_question_with_the_name_of_the_template() -> None:
    async with sandbox(NOTES) as vault:
        made = await vault.succeed("templates", action="run", name="archive-project", values={"project": "Plan"})
        changes = [one for one in vault.asked if one["operation"] != "read"]
        assert len(changes) == 1
        assert changes[0]["summary"].startswith("Run the template 'Archive a finished project', which changes 1 file")
        assert [one["name"] for one in made.data["calls"]] == ["marked", "moved"]
        assert "status: done" in vault.text("Archive/Plan.md")


async def test_in_a_draft_it_says_what_each_call_did_and_once_that_it_is_staged() -> None:
    async with sandbox(NOTES) as vault:
        draft = await vault.succeed("draft", action="begin")
        ran = await vault.succeed("templates", action="run", name="archive-project", values={"project": "Plan"})
        assert ran.text.count(draft.data["draft"]) == 1
        assert "'marked' (set_properties): Done: Set status, finished in Plan.md." in ran.text
        assert 'Moved to "Archive/Plan.md"' in ran.text


async def test_it_runs_with_the_rights_of_whoever_calls() -> None:
    async with sandbox(NOTES) as vault:
        vault.close_path("Private/")
        await vault.succeed("templates", action="run", name="collect-tasks", values={})
        assert "secret" not in vault.text("Open tasks.md")
        refused = await vault.call("templates", action="run", name="archive-project", values={"project": "Diary"})
        assert not refused.success
        vault.settings.update({"consentMode": {"write_file": "never_allow"}})
        refused = await vault.call("templates", action="run", name="collect-tasks", values={})
        assert refused.data["code"] == "denied_by_rule"


async def test_what_is_missing_is_said_before_anything_is_done() -> None:
    async with sandbox(NOTES) as vault:
        for arguments, said in (
            ({"action": "run"}, "needs the name"),
            ({"action": "run", "name": "nothing"}, "archive-project"),
            ({"action": "run", "name": "archive-project"}, "needs 'project'"),
            ({"action": "run", "name": "archive-project", "values": {"projekt": "x"}}, "no parameter 'projekt'"),
            ({"action": "save", "name": "x"}, "action"),
        ):
            refused = await vault.call("templates", **arguments)
            assert not refused.success
            assert said in refused.text
        assert vault.asked == []


async def test_a_template_runs_in_no_chain() -> None:
    async with sandbox(NOTES) as vault:
        calls = [{"name": "a", "tool": "templates", "arguments": {"action": "run", "name": "collect-tasks"}}]
        refused = await vault.call("chain", calls=calls)
        assert "cannot be part of a chain" in refused.text
