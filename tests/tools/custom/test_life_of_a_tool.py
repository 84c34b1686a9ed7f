"""A tool's whole life, claim by claim: storage, environments, messages, validation, changes, runs and calls."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from bridge.client.errors import ProtocolFailure
from bridge.client.token_storage import config_folder
from bridge.contract.custom import CustomResult, RunToolQuestion
from bridge.custom.process import Processes
from bridge.rpc.hosts import HostRuns
from bridge.sandbox.sandbox import Programs
from tests.patience import PATIENCE
from tests.people import Person, person_at
from tests.rpc.test_host_runs import Plugin
from tests.rpc.world import World

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here"),
]

SCHEMA = {"type": "object", "properties": {"param": {"type": "string"}}, "required": ["param"]}
ECHO = {"name": "echo", "description": "Says it again", "code": "return parameters.param", "parameters": SCHEMA}
FIELDS = {
    *("name", "description", "code", "parameters", "returns", "timeout"),
    *("environment", "enabled", "createdAt", "updatedAt"),
}


@pytest.fixture
async def person(vault: Path) -> AsyncIterator[Person]:
    """A person who has allowed tools of their own, and says yes."""
    async with Bridge(vault), person_at(vault) as person:
        await person.host.request("settings.update", patch={"allowCustomTools": True, "requireSandbox": "never"})
        person.answer = "allow_once"
        yield person


async def stored() -> list[dict[str, Any]]:
    """What the file holds."""
    text = await asyncio.to_thread((config_folder() / "tools.json").read_text, encoding="utf-8")
    held: list[dict[str, Any]] = json.loads(text)
    return held


# -- storage -----------------------------------------------------------------------------------------------------------


async def test_a_tool_is_stored_in_the_user_s_own_folder_with_all_of_its_fields(person: Person, vault: Path) -> None:
    await person.host.request("custom.add", **ECHO, returns="a text")
    (tool,) = await stored()
    assert set(tool) == FIELDS
    assert {key: tool[key] for key in ECHO} == ECHO
    assert not await asyncio.to_thread(lambda: list(vault.rglob("tools.json")))


async def test_what_is_left_out_has_its_default(person: Person) -> None:
    await person.host.request("custom.add", **ECHO)
    (tool,) = await stored()
    assert (tool["timeout"], tool["environment"], tool["enabled"]) == (30_000, "node", True)
    assert "returns" not in tool


async def test_both_times_are_iso_timestamps(person: Person) -> None:
    await person.host.request("custom.add", **ECHO)
    (tool,) = await stored()
    for key in ("createdAt", "updatedAt"):
        assert datetime.fromisoformat(tool[key]).utcoffset() is not None


# -- adding, changing, removing ----------------------------------------------------------------------------------------


async def test_all_stored_tools_are_returned(person: Person) -> None:
    assert (await person.host.request("custom.list"))["tools"] == []
    for name in ("one", "two"):
        await person.host.request("custom.add", **ECHO | {"name": name})
    listed = await person.host.request("custom.list")
    assert [tool["name"] for tool in listed["tools"]] == ["one", "two"]
    assert set(listed["tools"][0]) == {*FIELDS, "change"}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "no spaces"}, "cannot be a tool's name"),
        ({"description": ""}, "needs a description"),
        ({"code": ""}, "needs code"),
        ({"parameters": {"type": "object", "properties": {"a": {"type": "nothing"}}}}, "no JSON Schema"),
        ({"code": "return (;"}, "The code cannot be read: SyntaxError"),
        ({"code": "def f(:", "environment": "python"}, "The code cannot be read: SyntaxError"),
        ({"code": "return (;", "environment": "browser"}, "The code cannot be read: SyntaxError"),
    ],
)
async def test_a_tool_is_added_only_where_name_description_code_and_parameters_are_valid(
    person: Person, wrong: dict[str, Any], words: str
) -> None:
    with pytest.raises(ProtocolFailure) as failure:
        await person.host.request("custom.add", **ECHO | wrong)
    assert words in str(failure.value)
    assert (await person.host.request("custom.list"))["tools"] == []


async def test_a_name_is_there_once(person: Person) -> None:
    await person.host.request("custom.add", **ECHO)
    with pytest.raises(ProtocolFailure, match="There is a tool 'echo' already"):
        await person.host.request("custom.add", **ECHO)


async def test_code_is_checked_without_being_run(person: Person, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = f"require('node:fs').writeFileSync({json.dumps(str(mark))}, 'x')"
    await person.host.request("custom.add", **ECHO | {"code": code})
    assert not mark.exists()


async def test_a_change_keeps_when_it_was_created_and_says_when_it_was_changed(person: Person) -> None:
    await person.host.request("custom.add", **ECHO)
    before = (await stored())[0]
    await person.host.request("custom.update", name="echo", description="Repeats it")
    (after,) = await stored()
    assert after["createdAt"] == before["createdAt"]
    assert after["updatedAt"] > before["updatedAt"]
    assert after["description"] == "Repeats it"
    assert {key: after[key] for key in ("code", "parameters")} == {key: before[key] for key in ("code", "parameters")}
    with pytest.raises(ProtocolFailure, match="There is no tool 'other'"):
        await person.host.request("custom.update", name="other", enabled=False)


async def test_a_tool_is_removed_by_its_name(person: Person) -> None:
    await person.host.request("custom.add", **ECHO)
    assert (await person.host.request("custom.remove", name="echo"))["tools"] == []
    assert await stored() == []
    with pytest.raises(ProtocolFailure, match="There is no tool 'echo'"):
        await person.host.request("custom.remove", name="echo")


# -- running in a process of its own -----------------------------------------------------------------------------------


async def test_the_worker_is_asked_and_answers_in_the_agreed_messages(
    person: Person, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del person
    sent: list[dict[str, Any]] = []
    scratch = vault.parent / "scratch"
    scratch.mkdir()
    programs = Programs([], scratch, required=lambda: False)
    start = programs.start

    async def spying(*arguments: Any, **named: Any) -> Any:
        running = await start(*arguments, **named)
        write = running.write

        async def noted(data: bytes) -> None:
            sent.append(json.loads(data))
            await write(data)

        monkeypatch.setattr(type(running), "write", staticmethod(noted))
        return running

    monkeypatch.setattr(programs, "start", spying)
    answer = await Processes(programs, vault).run("node", "return parameters.a", {"a": 1}, 30_000, _nobody)
    assert sent == [{"type": "execute", "code": "return parameters.a", "parameters": {"a": 1}, "timeout": 30_000}]
    assert (answer.success, answer.result, answer.error) == (True, 1, None)
    assert answer.execution_time >= 0


async def _nobody(_message: Any) -> dict[str, Any]:
    return {"success": False}


async def test_an_answer_has_success_a_result_or_an_error_and_the_execution_time(person: Person) -> None:
    await person.host.request("custom.add", **ECHO)
    good = await person.host.request("custom.test", name="echo", parameters={"param": "x"})
    assert {key: good[key] for key in ("success", "result", "error")} == {
        "success": True,
        "result": "x",
        "error": None,
    }
    await person.host.request("custom.update", name="echo", code="throw new Error('broken')")
    bad = await person.host.request("custom.test", name="echo", parameters={"param": "x"})
    assert (bad["success"], bad["result"], bad["error"]) == (False, None, "Error: broken")
    assert good["executionTime"] > 0
    assert bad["executionTime"] > 0


async def test_each_run_has_a_worker_of_its_own_that_keeps_nothing_and_whose_crash_harms_nobody(
    person: Person,
) -> None:
    code = "globalThis.count = (globalThis.count ?? 0) + 1; return globalThis.count"
    await person.host.request("custom.add", **ECHO | {"code": code})
    for _ in range(2):
        answer = await person.host.request("custom.test", name="echo", parameters={"param": "x"})
        assert answer["result"] == 1
    await person.host.request("custom.update", name="echo", code="process.abort()")
    crashed = await person.host.request("custom.test", name="echo", parameters={"param": "x"})
    assert (crashed["success"], "ended without an answer" in crashed["error"]) == (False, True)
    assert await person.host.request("ping")


async def test_the_modules_of_node_are_there(person: Person) -> None:
    code = "return ['fs', 'path', 'child_process'].map((name) => typeof require(name))"
    await person.host.request("custom.add", **ECHO | {"code": code})
    answer = await person.host.request("custom.test", name="echo", parameters={"param": "x"})
    assert answer["result"] == ["object"] * 3


async def test_its_own_time_out_ends_it(person: Person) -> None:
    await person.host.request("custom.add", **ECHO | {"code": "while (true);", "timeout": 300})
    async with asyncio.timeout(PATIENCE):
        answer = await person.host.request("custom.test", name="echo", parameters={"param": "x"})
    assert (answer["success"], answer["error"]) == (False, "Tool execution timed out after 300 ms")


# -- running in Obsidian -----------------------------------------------------------------------------------------------


async def test_obsidian_is_sent_code_parameters_and_time_out_and_answers_as_a_worker_does() -> None:
    world = World()
    runs, plugin = HostRuns(world.hub), Plugin(world)
    running = asyncio.ensure_future(runs.run("echo", "return 1", {"a": 1}, 30_000, _nobody))
    asked = await plugin.next("host.runTool")
    assert {*RunToolQuestion.model_fields} == {"run", "tool", "code", "parameters", "timeout"}
    assert (asked["code"], asked["parameters"], asked["timeout"]) == ("return 1", {"a": 1}, 30_000)
    await plugin.say(asked, success=True, result=1, executionTime=2.0)
    assert await running == CustomResult(success=True, result=1, execution_time=2.0)


@pytest.mark.parametrize(("environment", "words"), [("browser", "Obsidian is not connected"), (None, None)])
async def test_the_environment_says_where_it_runs_and_none_means_node(
    person: Person, environment: str | None, words: str | None
) -> None:
    more = {} if environment is None else {"environment": environment}
    await person.host.request("custom.add", **ECHO | more)
    trying = person.host.request("custom.test", name="echo", parameters={"param": "x"})
    if words is None:
        assert (await trying)["result"] == "x"
        return
    with pytest.raises(ProtocolFailure, match=words):
        await trying


# -- called by agents --------------------------------------------------------------------------------------------------


async def test_agents_are_told_name_description_parameters_and_what_it_returns(person: Person, vault: Path) -> None:
    await person.host.request("custom.add", **ECHO, returns="the same text")
    async with connect(vault, name="Robot") as agent:
        (described,) = [tool for tool in await agent.request("tools.list") if tool["name"] == "echo"]
        assert described["description"] == "Says it again Returns: the same text"
        assert described["parameters"] == SCHEMA


@pytest.mark.parametrize("enabled", [True, False])
async def test_only_enabled_tools_are_called_and_the_result_is_the_agent_s(
    person: Person, vault: Path, enabled: bool
) -> None:
    await person.host.request("custom.add", **ECHO, enabled=enabled)
    async with connect(vault, name="Robot") as agent:
        answer = await agent.call("echo", param="value")
        assert answer.ok is enabled
        assert (answer.raw["data"] == "value") is enabled
        assert ("value" in answer.text) is enabled


async def test_what_it_is_called_with_must_fit_its_schema(person: Person, vault: Path) -> None:
    await person.host.request("custom.add", **ECHO)
    async with connect(vault, name="Robot") as agent:
        for arguments in ({}, {"param": 5}):
            answer = await agent.call("echo", arguments)
            assert (answer.ok, answer.raw["errorType"]) == (False, "invalid_parameters")
    with pytest.raises(ProtocolFailure, match="param"):
        await person.host.request("custom.test", name="echo", parameters={"param": 5})


async def test_clients_hear_when_tools_come_and_go(person: Person, vault: Path) -> None:
    heard = asyncio.Event()
    agent: Connection
    async with connect(vault, name="Robot") as agent:
        agent.on("tools.changed", lambda _said: heard.set())
        changes: list[Callable[[], Any]] = [
            lambda: person.host.request("custom.add", **ECHO),
            lambda: person.host.request("custom.update", name="echo", enabled=False),
            lambda: person.host.request("custom.remove", name="echo"),
        ]
        for change in changes:
            heard.clear()
            await change()
            await asyncio.wait_for(heard.wait(), PATIENCE)


async def test_tools_that_are_added_at_once_are_all_there(person: Person) -> None:
    names = [f"echo{number}" for number in range(8)]
    await asyncio.gather(*(person.host.request("custom.add", **ECHO | {"name": name}) for name in names))
    assert {tool["name"] for tool in await stored()} == {*names}
