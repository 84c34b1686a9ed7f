"""The user's own tools from an agent's side: asked about every time, held by what was shown, and never more than it."""

import asyncio
import json
import os
import secrets
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from bridge.client.errors import ProtocolFailure
from tests.custom.test_process import command_lines
from tests.patience import PATIENCE
from tests.people import Person, add_client, named, person_at

pytestmark = pytest.mark.slow

NUMBERS = {"type": "object", "properties": {"number": {"type": "number"}}, "required": ["number"]}
NOTHING = {"type": "object", "properties": {}}


@pytest.fixture(autouse=True)
def tools_file(configuration: Path) -> Path:
    """The file in which tools are stored."""
    return configuration / "tools.json"


async def allowed(person: Person) -> None:
    """The person lets tools of their own run, and every question through."""
    await person.host.request("settings.update", patch={"allowCustomTools": True})
    person.answer = "allow_once"


async def store(person: Person, name: str, code: str, **more: Any) -> dict[str, Any]:
    """The person stores a tool, of Python where nothing else is said."""
    given = {"description": f"Does {name}", "parameters": NOTHING, "environment": "python", **more}
    saved: dict[str, Any] = await person.host.request("custom.add", name=name, code=code, **given)
    return saved


async def listed(agent: Connection) -> set[str]:
    return {tool["name"] for tool in await agent.request("tools.list")}


async def test_nothing_runs_until_the_person_allows_it_and_the_refusal_says_how(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await store(person, "double", "return 2 * parameters['number']", parameters=NUMBERS)
        assert "double" not in await listed(agent)
        refused = await agent.call("double", number=2)
        assert refused.raw["data"]["code"] == "custom_tools_off"
        assert "allowCustomTools=true" in refused.text
        with pytest.raises(ProtocolFailure, match="not allowed here"):
            await person.host.request("custom.test", name="double", parameters={"number": 2})
        await allowed(person)
        assert "double" in await listed(agent)
        answer = await agent.call("double", number=2)
        assert (answer.ok, answer.raw["data"]) == (True, 4)
        assert answer.raw["metadata"]["executionTime"] >= 0


async def test_every_single_run_is_asked_about_and_the_question_shows_what_there_is_to_know(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "double", "return 2 * parameters['number']", parameters=NUMBERS)
        for number in (1, 2, 3):
            assert (await agent.call("double", number=number)).ok
        assert len(person.asked) == 3
        question = person.asked[0]
        assert question["summary"] == "Run your tool double"
        assert question["riskLevel"] == "high"
        assert question["touches"] == [{"kind": "custom_tool", "label": "double"}]
        assert set(question["choices"]) <= {"allow_once", "deny_once", "deny_session", "deny_always"}
        shown = question["preview"]["request"]
        for words in ("Does double", "environment: python", '"number": 1', "return 2 * parameters['number']"):
            assert words in shown
        assert any("sandbox" in warning for warning in question["preview"]["warnings"])
        assert "return 2" not in person.asked[1]["preview"]["request"]


async def test_a_tool_that_has_changed_since_it_was_allowed_is_shown_with_the_difference(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "greet", "return 'hello'")
        await agent.call("greet")
        for patch, line in (
            ({"code": "return 'good day'"}, "+return 'good day'"),
            ({"parameters": NUMBERS | {"required": []}}, '+    "number": {'),
            ({"timeout": 5000}, "+timeout: 5000 ms"),
        ):
            await person.host.request("custom.update", name="greet", **patch)
            (known,) = (await person.host.request("custom.list"))["tools"]
            assert line in known["change"]
            await agent.call("greet")
            question = person.asked[-1]["preview"]
            assert "This tool has changed since you allowed it" in question["warnings"]
            assert line in question["request"]
            await agent.call("greet")
            assert not any("changed" in warning for warning in person.asked[-1]["preview"]["warnings"])


async def test_what_was_denied_does_not_count_as_allowed(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "greet", "return 'hello'")
        person.answer = "deny_once"
        assert (await agent.call("greet")).raw["data"]["code"] == "denied_by_user"
        (known,) = (await person.host.request("custom.list"))["tools"]
        assert "return 'hello'" in known["change"]


async def test_one_that_changes_while_its_question_is_open_is_not_run(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "greet", "return 'hello'")
        person.answer = None
        call = asyncio.ensure_future(agent.call("greet"))
        question = await person.until_asked()
        await person.host.request("custom.update", name="greet", code="return 'other'")
        await person.respond(question, "allow_once")
        answer = await asyncio.wait_for(call, PATIENCE)
        assert (answer.ok, "just changed this tool" in answer.text) == (False, True)


async def test_arguments_are_checked_before_anybody_is_asked(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "double", "return 2 * parameters['number']", parameters=NUMBERS)
        wrong = await agent.call("double", number="two")
        assert (wrong.ok, wrong.raw["errorType"]) == (False, "invalid_parameters")
        assert person.asked == []


async def test_one_that_is_switched_off_is_refused_with_the_way_to_switch_it_on(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "greet", "return 'hello'", enabled=False)
        assert "greet" not in await listed(agent)
        refused = await agent.call("greet")
        assert "`vault-bridge custom enable greet`" in refused.text
        await person.host.request("custom.update", name="greet", enabled=True)
        assert (await agent.call("greet")).ok


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ("python", "return bridge.call('read', path=parameters['path'])"),
        ("node", "return await bridge.call('read', {path: params.path})"),
    ],
)
async def test_a_tool_sees_the_vault_only_through_calls_that_go_the_usual_way(
    vault: Path, environment: str, code: str
) -> None:
    path = {"type": "object", "properties": {"path": {"type": "string"}}}
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "look", code, parameters=path, environment=environment)
        answer = await agent.call("look", path="Ideas.md")
        assert "Ideas" in json.dumps(answer.raw["data"])
        run, reading = person.asked
        assert (run["tool"]["name"], reading["tool"]["name"]) == ("look", "read")
        calls = [record for record in await person.log("execution") if record["tool"] == "read"]
        assert calls[0]["within"] == answer.raw["executionId"]


async def test_a_denied_callback_is_an_error_in_the_tool_and_the_tool_may_go_on(vault: Path) -> None:
    code = "try:\n    bridge.call('read', path='Ideas.md')\nexcept CallFailed as error:\n    return [error.code]"
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "look", code)
        person.answer = None
        call = asyncio.ensure_future(agent.call("look"))
        await person.respond(await person.until_asked(), "allow_once")
        await person.respond(await person.until_asked(2), "deny_once")
        answer = await asyncio.wait_for(call, PATIENCE)
        assert answer.raw["data"][0] == "denied_by_user"


async def test_a_closed_note_stays_closed_to_a_tool(vault: Path) -> None:
    code = "try:\n    return bridge.call('read', path='Diary.md')\nexcept CallFailed as error:\n    return error.code"
    (vault / "Diary.md").write_text("secret\n", encoding="utf-8")
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        (vault / ".vault-bridge" / "permissions.json").write_text('{"Diary.md": "---"}', encoding="utf-8")
        await store(person, "look", code)
        answer = await agent.call("look")
        assert "secret" not in json.dumps(answer.raw)
        assert answer.raw["data"] in {"denied_by_rule", "not_found"}


async def test_no_tool_of_the_users_own_calls_another(vault: Path) -> None:
    nested = "try:\n    return bridge.call(parameters['name'], {})\nexcept CallFailed as error:\n    return error.code"
    name = {"type": "object", "properties": {"name": {"type": "string"}}}
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "one", nested, parameters=name)
        await store(person, "two", "return 2")
        for called in ("one", "two"):
            assert (await agent.call("one", name=called)).raw["data"] == "no_nesting"
        await person.host.request("settings.update", patch={"enabledTools": ["*"]})
        calls = "[{'name': 'a', 'tool': 'two', 'arguments': {}}]"
        chained = f"try:\n    bridge.call('chain', calls={calls})\nexcept CallFailed as error:\n    return str(error)"
        await store(person, "three", chained)
        assert "cannot be part of a chain" in (await agent.call("three")).raw["data"]


async def test_a_change_that_a_tool_makes_is_asked_about_with_its_diff_and_can_be_undone(vault: Path) -> None:
    before = (vault / "Ideas.md").read_bytes()
    code = "return bridge.call('write_file', path='Ideas.md', content='changed\\n')"
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await person.host.request("settings.update", patch={"enabledTools": ["*"]})
        await store(person, "rewrite", code)
        assert (await agent.call("rewrite")).ok
        assert [question["tool"]["name"] for question in person.asked] == ["rewrite", "write_file"]
        assert person.asked[1]["preview"]["files"]
        assert (vault / "Ideas.md").read_bytes() != before
        await person.host.request("history.undo")
        assert (vault / "Ideas.md").read_bytes() == before


async def test_the_person_tries_a_tool_without_a_question_and_before_it_is_stored(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person:
        await allowed(person)
        await store(person, "look", "print('seen')\nreturn bridge.call('read', path='Ideas.md')", enabled=False)
        tried = await person.host.request("custom.test", name="look")
        assert (tried["success"], "seen" in tried["output"], tried["executionTime"] > 0) == (True, True, True)
        unsaved = {"name": "new", "description": "New", "code": "return params.a + 1", "parameters": NOTHING}
        assert (await person.host.request("custom.test", tool=unsaved, parameters={"a": 1}))["result"] == 2
        assert person.asked == []


async def test_a_client_that_administers_runs_nothing_without_a_question(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person:
        await allowed(person)
        added = await add_client(person, vault, "Steward")
        await person.host.request("clients.allow", clientId=added["client"]["clientId"], capability="administer")
        async with named(vault, "Steward") as steward:
            given = {"description": "d", "parameters": NOTHING, "environment": "python"}
            await steward.request("custom.add", name="own", code="return 1", **given)
            with pytest.raises(ProtocolFailure, match="Forbidden"):
                await steward.request("custom.test", name="own")
            person.asked.clear()
            assert (await steward.call("own")).ok
            assert [question["tool"]["name"] for question in person.asked] == ["own"]


async def test_an_explanation_names_the_rule_and_shows_no_code_to_an_agent(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await store(person, "greet", "return 'the code'")
        off = await person.host.request("policy.explain", name="greet", arguments={})
        assert (off["outcome"], off["rule"]) == ("deny", "custom_tools_off")
        await allowed(person)
        asked = await person.host.request("policy.explain", name="greet", arguments={})
        assert (asked["outcome"], asked["class"]) == ("ask", "never")
        assert "the code" not in json.dumps(await agent.request("tools.preview", name="greet", arguments={}))
        assert "the code" not in json.dumps(await agent.request("tools.list"))


async def test_a_run_that_is_cancelled_ends_its_calls(vault: Path) -> None:
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await store(person, "wait", "bridge.call('read', path='Ideas.md')\nwhile True: pass")
        person.answer = None
        call = asyncio.ensure_future(agent.call("wait", call_id="c-1"))
        await person.respond(await person.until_asked(), "allow_once")
        await person.until_asked(2)
        await agent.request("tools.cancel", callId="c-1")
        answer = await asyncio.wait_for(call, PATIENCE)
        assert not answer.ok


async def test_limits_hold_for_the_calls_of_a_tool(vault: Path) -> None:
    code = "return [bridge.call('find', pattern='*.md') is not None for _ in range(3)]"
    async with Bridge(vault), person_at(vault) as person, connect(vault, name="Robot") as agent:
        await allowed(person)
        await person.host.request("settings.update", patch={"rateLimits": {"greedy": 1}})
        await store(person, "greedy", code)
        assert (await agent.call("greedy")).ok
        status = await person.host.request("limits.status")
        assert "find" in json.dumps(status)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are told apart by /proc")
async def test_killing_the_bridge_leaves_nothing_of_a_run(vault: Path) -> None:
    mark = f"1000.{secrets.randbelow(10**9):09}"
    script = (
        "import asyncio, sys; from pathlib import Path; from bridge.app import Bridge\n"
        "async def main():\n"
        "    async with Bridge(Path(sys.argv[1])) as bridge:\n"
        "        bridge.settings.update({'allowCustomTools': True, 'requireSandbox': 'never'}, confirms=True)\n"
        "        print('up', flush=True)\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-c", script, str(vault)], stdout=asyncio.subprocess.PIPE, env=env
    )
    if process.stdout is None:
        raise AssertionError
    await process.stdout.readline()
    code = (
        f"import signal, subprocess\nsubprocess.Popen(['sleep', '{mark}'], start_new_session=True)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nbridge.call('read', path='Ideas.md')\nwhile True: pass"
    )
    async with person_at(vault) as person, connect(vault, name="Robot") as agent:
        person.answer = None
        await store(person, "stay", code)
        call = asyncio.ensure_future(agent.call("stay"))
        await person.respond(await person.until_asked(), "allow_once")
        await person.until_asked(2)
        supervisors = children(process.pid)
        process.send_signal(signal.SIGKILL)
        await asyncio.gather(call, return_exceptions=True)
    await process.wait()
    async with asyncio.timeout(PATIENCE):
        for supervisor in supervisors:
            await until_gone(supervisor)
    assert not [line for line in command_lines() if mark.encode() in line]


def children(process: int) -> list[int]:
    """The processes that one has started."""
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text(encoding="ascii").split()]
    return found


async def until_gone(process: int) -> None:
    """Wait until a process has ended."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    gone, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_reader(descriptor, gone.set)
    await gone.wait()
    loop.remove_reader(descriptor)
    os.close(descriptor)
