"""Code that is run in Obsidian: by a plugin that can, which alone may ask in its name, until the run is over."""

import asyncio
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from bridge.contract.custom import CustomResult
from bridge.errors import PermissionDenied
from bridge.rpc import hosts as module
from bridge.rpc.hosts import HostRuns
from tests.patience import PATIENCE
from tests.rpc.world import FakeTransport, World

ABLE = frozenset({"consent", "runTool"})
CODE = "return 1"


class Plugin(FakeTransport):
    """Obsidian: hears what it is to run, and says what came of it when the test wants."""

    def __init__(self, world: World, can: frozenset[str] = ABLE) -> None:
        super().__init__()
        self.told: list[dict[str, Any]] = []
        self.heard = asyncio.Event()
        self.session = world.open("host", self)
        self.session.introduce("Obsidian", can)

    def post(self, data: bytes) -> None:
        message = orjson.loads(data)
        if message.get("method") in {"host.runTool", "custom.ended"}:
            self.told.append(message)
            self.heard.set()

    async def next(self, method: str) -> dict[str, Any]:
        """The parameters of the first message of this method, with the id of a request."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for message in self.told:
                    if message["method"] == method:
                        return {"id": message.get("id"), **message["params"]}
                self.heard.clear()
                await self.heard.wait()

    async def say(self, asked: dict[str, Any], **result: Any) -> None:
        """Answer a request."""
        answer = {"success": True, "executionTime": 1.5} | result
        await self.session.receive(orjson.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}))


async def echo(message: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"success": True, "result": message["name"]}


@pytest.fixture
async def world() -> World:
    return World()


@pytest.fixture
async def runs(world: World) -> HostRuns:
    return HostRuns(world.hub)


def begun(runs: HostRuns, answer: Any = echo, milliseconds: int = 60_000) -> asyncio.Task[CustomResult]:
    return asyncio.ensure_future(runs.run("one", CODE, {"a": 1}, milliseconds, answer))


async def test_without_an_obsidian_that_can_it_is_refused_with_what_to_do(world: World, runs: HostRuns) -> None:
    Plugin(world, frozenset({"consent"}))
    assert "Open this vault in Obsidian" in str(runs.missing)
    with pytest.raises(PermissionDenied, match="Open this vault in Obsidian"):
        await begun(runs)


async def test_it_is_given_the_code_and_says_what_came_of_it(world: World, runs: HostRuns) -> None:
    plugin = Plugin(world)
    running = begun(runs)
    asked = await plugin.next("host.runTool")
    assert {key: asked[key] for key in ("tool", "code", "parameters", "timeout")} == {
        "tool": "one",
        "code": CODE,
        "parameters": {"a": 1},
        "timeout": 60_000,
    }
    await plugin.say(asked, result=[1], output="said")
    result = await running
    assert (result.success, result.result, result.execution_time, result.output) == (True, [1], 1.5, "said")
    assert len(plugin.told) == 1  # it is not told to end what has ended


async def test_what_the_code_asks_is_answered_to_this_host_for_this_run_and_not_after_it(
    world: World, runs: HostRuns
) -> None:
    other, plugin = Plugin(world), Plugin(world)
    running = begun(runs)
    asked = await plugin.next("host.runTool")
    answer = await runs.answer(plugin.session, asked["run"], {"kind": "tool", "name": "read", "arguments": {}})
    assert (answer.success, answer.result) == (True, "read")
    for host, run in ((other.session, asked["run"]), (plugin.session, "run-0")):
        refused = await runs.answer(host, run, {"kind": "tool", "name": "read", "arguments": {}})
        assert (refused.success, refused.code) == (False, "no_run")
    await plugin.say(asked)
    await running
    late = await runs.answer(plugin.session, asked["run"], {"kind": "tool", "name": "read", "arguments": {}})
    assert (late.success, late.code) == (False, "no_run")


async def test_a_run_can_ask_a_thousand_times(world: World, runs: HostRuns) -> None:
    plugin = Plugin(world)
    running = begun(runs)
    asked = await plugin.next("host.runTool")
    answers = [await runs.answer(plugin.session, asked["run"], {"kind": "tool", "name": "read"}) for _ in range(1001)]
    assert all(each.success for each in answers[:-1])
    assert (answers[-1].success, answers[-1].code) == (False, "too_many_calls")
    await plugin.say(asked)
    await running


async def test_what_is_being_asked_ends_with_the_run(world: World, runs: HostRuns) -> None:
    plugin, stopped = Plugin(world), asyncio.Event()

    async def never(_message: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return {}

    running = begun(runs, never)
    asked = await plugin.next("host.runTool")
    asking = asyncio.ensure_future(runs.answer(plugin.session, asked["run"], {"kind": "tool"}))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    async with asyncio.timeout(PATIENCE):
        answer = await asking
        await stopped.wait()
    assert (answer.success, answer.code) == (False, "no_run")
    assert (await plugin.next("custom.ended"))["run"] == asked["run"]


async def test_one_that_takes_too_long_is_ended_and_the_host_is_told(
    world: World, runs: HostRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_GRACE", 0.01)
    plugin = Plugin(world)
    result = await begun(runs, milliseconds=100)
    assert (result.success, result.error) == (False, "Tool execution timed out after 100 ms")
    assert (await plugin.next("custom.ended"))["run"] == (await plugin.next("host.runTool"))["run"]


async def test_a_host_that_leaves_or_answers_nonsense_fails_the_run_in_plain_words(
    world: World, runs: HostRuns
) -> None:
    plugin = Plugin(world)
    running = begun(runs)
    asked = await plugin.next("host.runTool")
    await plugin.session.receive(orjson.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"success": "maybe"}}))
    result = await running
    assert (result.success, result.error) == (False, "Obsidian's answer about the run cannot be read")
    running = begun(runs)
    plugin.told.clear()
    await plugin.next("host.runTool")
    plugin.session.close()
    assert "went away" in ((await running).error or "")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"success": False, "error": "TypeError: no"}, "TypeError: no"),
        ({"success": False}, "The tool failed"),
        ({"result": "x" * (5 << 20)}, "What the tool returns is larger than 4,194,304 bytes"),
    ],
)
async def test_a_failure_is_a_result(world: World, runs: HostRuns, said: dict[str, Any], error: str) -> None:
    plugin = Plugin(world)
    running = begun(runs)
    await plugin.say(await plugin.next("host.runTool"), **said)
    result = await running
    assert (result.success, result.result, result.error) == (False, None, error)
