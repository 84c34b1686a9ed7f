"""A client's preset decides which tools it sees and, with `minimal`, may call, as soon as the preset changes."""

import asyncio
from pathlib import Path

from bridge.client import connect
from tests.patience import PATIENCE
from tests.people import Person, add_client, named

JOBS = (
    ("create_note", {"path": "Jobs", "content": "# Jobs\n\n- [ ] Do it #idea\n\n## Later\n\nMore\n"}),
    ("tasks", {"path": "Jobs"}),
    ("edit_tasks", {"action": "tick", "tasks": [{"path": "Jobs", "line": 3}]}),
    ("create_note", {"path": "Plan.canvas", "kind": "file", "content": "{}"}),
    ("edit_canvas", {"path": "Plan.canvas", "operations": [{"action": "add", "text": "Do it"}]}),
    ("rename_tag", {"tag": "idea", "new_tag": "thought"}),
    ("rename_heading", {"path": "Jobs", "heading": "Later", "new_heading": "Then"}),
    ("split_note", {"path": "Jobs", "headings": ["Then"]}),
    ("daily_note", {"append": "x"}),
    ("find_related", {"path": "Jobs"}),
    ("templates", {"action": "run", "name": "collect-tasks"}),
    ("chain", {"calls": [{"name": "new", "tool": "create_note", "arguments": {"path": "Chained", "content": "x"}}]}),
)
"""Calls that a new client can make, though its list does not show each of these tools."""


async def test_a_client_has_the_tools_of_its_preset_from_the_moment_that_it_changes(
    person: Person, vault: Path
) -> None:
    added = await add_client(person, vault, "Robot")
    assert added["client"]["preset"] == "agent"
    async with named(vault, "Robot") as robot, connect(vault, name="nobody") as shared:
        names = [tool["name"] for tool in await robot.request("tools.list")]
        assert {"search", "edit", "set_properties"} <= {*names}
        assert not {"grep", "edit_file", "add_tag"} & {*names}
        assert (await robot.request("session.info"))["tools"] == names
        everything = [tool["name"] for tool in await shared.request("tools.list")]
        assert {"grep", "edit"} <= {*everything}, "a program without a name has what is set for all"

        heard = asyncio.Event()
        robot.on("tools.changed", lambda _event: heard.set())
        changed = await person.host.request("clients.update", clientId=added["client"]["clientId"], preset="minimal")
        assert changed["preset"] == "minimal"
        async with asyncio.timeout(PATIENCE):
            await heard.wait()
        assert [tool["name"] for tool in await robot.request("tools.list")] == [
            *("find", "grep", "read"),
            "await_decision",
            *("web_search", "web_fetch"),  # what is in no preset is there where it is enabled for all
        ]
        refused = await robot.call("edit", {"path": "Ideas.md", "append": "x"})
        assert refused.data["code"] == "tool_disabled"
        assert refused.text.endswith("or with `vault-bridge clients update Robot --preset agent`")
        assert "whose preset is `minimal`" in refused.text
        assert (await person.log("client"))[0]["preset"] == "minimal"
        await person.host.request("clients.update", clientId=added["client"]["clientId"], preset="agent")
        person.answer = "allow_once"
        assert (await robot.call("edit", {"path": "Ideas.md", "append": "x"})).ok, "the command that was named helps"


async def test_a_new_client_can_do_every_job_listed_or_not(person: Person, vault: Path) -> None:
    await add_client(person, vault, "Robot")
    person.answer = "allow_once"
    async with named(vault, "Robot") as robot:
        for tool, arguments in JOBS:
            done = await robot.call(tool, arguments)
            assert done.ok, (tool, done.text)


async def test_what_comes_on_top_by_name_or_by_a_switch_narrows_no_preset(person: Person, vault: Path) -> None:
    await add_client(person, vault, "Robot")
    presets = (await person.host.request("settings.schema"))["presets"]
    on_top = {"enabledTools": [*presets["minimal"], "web_fetch"], "allowTerminal": True, "requireSandbox": "never"}
    await person.host.request("settings.update", patch=on_top)
    async with named(vault, "Robot") as robot, connect(vault, name="nobody") as shared:
        of_robot = {tool["name"] for tool in await robot.request("tools.list")}
        assert of_robot >= {*presets["agent"], "web_fetch", "run_terminal_command"}
        of_others = {tool["name"] for tool in await shared.request("tools.list")}
        assert of_others == {*presets["minimal"], "await_decision", "web_fetch", "run_terminal_command"}
        await person.host.request("settings.update", patch={"allowTerminal": False, "enabledTools": presets["minimal"]})
        of_robot = {tool["name"] for tool in await robot.request("tools.list")}
        assert of_robot & {"web_fetch", "run_terminal_command"} == set()
