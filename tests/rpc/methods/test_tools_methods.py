"""tools.*: what a caller asks reaches the tools, and what they say comes back."""

import uuid
from typing import Any

import orjson
import pytest

from bridge.identity.caller import SHARED, Caller
from tests.rpc.world import FakeTransport, World


async def test_a_call_reaches_the_tools_with_everything_it_carries(world: World) -> None:
    session = world.open()
    params = {"name": "echo", "arguments": {"a": [1]}, "callId": "c-1", "wait": 1.5, "reason": "to see"}
    answer = await world.ask("agent", "tools.call", params, session=session)
    assert answer["result"] == {"success": True, "data": {"a": [1]}, "text": "done", "metadata": {}}
    caller = Caller(SHARED, session.session_id, brief=True)
    assert world.calls.asked == [{"caller": caller, **params}]


async def test_a_call_by_position_is_the_same_call(world: World) -> None:
    await world.ask("agent", "tools.call", ["echo", {"a": 1}, "c-1"])
    assert [world.calls.asked[0][key] for key in ("name", "arguments", "callId")] == ["echo", {"a": 1}, "c-1"]


async def test_a_bounded_call_without_an_id_gets_one_so_that_its_ticket_names_it(world: World) -> None:
    await world.ask("agent", "tools.call", {"name": "echo", "wait": 0})
    assert uuid.UUID(world.calls.asked[0]["callId"]).version == 4
    await world.ask("agent", "tools.call", {"name": "echo"})
    assert world.calls.asked[1]["callId"] is None


async def test_an_agent_is_notified_of_its_own_calls_progress_even_from_a_worker_thread(world: World) -> None:
    transport, other = FakeTransport(), FakeTransport()
    session = world.open("agent", transport)
    world.open("agent", other)
    await world.ask("agent", "tools.call", {"name": "progress"}, session=session)
    (told,) = await transport.wait_for(1)
    assert told["method"] == "tool.progress"
    assert other.sent == []


async def test_a_crash_is_an_internal_error_that_discloses_nothing(world: World) -> None:
    answer = await world.ask("agent", "tools.call", {"name": "crash"})
    assert answer["error"]["code"] == -32603
    assert "ada" not in str(answer)


async def test_a_result_is_asked_for_later(world: World) -> None:
    answer = await world.ask("agent", "tools.result", {"callId": "c-1", "wait": 0})
    assert answer["result"]["data"] == {"callId": "c-1", "wait": 0}
    assert (await world.ask("agent", "tools.result"))["error"]["code"] == -32602


async def test_a_preview_is_the_plan_or_the_failure_the_call_would_be(world: World) -> None:
    plan = await world.ask("agent", "tools.preview", {"name": "apply_patch", "arguments": {"path": "a.md"}})
    assert plan["result"] == {"plan": {"tool": "apply_patch", "targets": ["path"]}}
    failed = (await world.ask("agent", "tools.preview", {"name": "missing"}))["result"]
    assert (failed["success"], failed["errorType"]) == (False, "not_found")


@pytest.mark.parametrize(("call_id", "cancelled"), [("known", True), ("unknown", False)])
async def test_a_call_is_cancelled_by_its_id(world: World, call_id: str, *, cancelled: bool) -> None:
    assert (await world.ask("agent", "tools.cancel", {"callId": call_id}))["result"] == {"cancelled": cancelled}
    assert world.calls.stopped == [call_id]


@pytest.mark.parametrize(
    ("params", "kind"), [({}, list), ({"format": "openai"}, list), (["mcp"], list), ({"format": "text"}, str)]
)
async def test_tools_are_listed_in_the_form_asked_for(world: World, params: Any, kind: type) -> None:
    assert isinstance((await world.ask("agent", "tools.list", params))["result"], kind)


async def test_the_list_says_what_a_tool_takes_and_an_unknown_form_is_invalid(world: World) -> None:
    (tool,) = (await world.ask("agent", "tools.list"))["result"]
    assert (tool["name"], tool["risk"], tool["provider"]) == ("grep", "low", "core")
    assert tool["parameters"]["required"] == ["pattern"]
    answer = await world.ask("agent", "tools.list", {"format": "yaml"})
    assert (answer["error"]["code"], "'format'" in answer["error"]["data"]["hint"]) == (-32602, True)


@pytest.mark.parametrize("method", ["tools.call", "tools.result"])
@pytest.mark.parametrize(("withdraw", "stopped"), [(True, ["slow"]), (False, [])])
async def test_a_call_is_withdrawn_with_its_connection_where_its_caller_wants_that(
    world: World, method: str, stopped: list[str], *, withdraw: bool
) -> None:
    session = world.open("agent", FakeTransport())
    named = {"name": "slow", "arguments": {}} if method == "tools.call" else {}
    params = {"callId": "slow", "withdraw": withdraw} | named
    await session.receive(orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    await world.calls.until_running(1)
    session.close()
    if withdraw or method == "tools.result":
        await world.calls.until_cancelled(1)
    assert world.calls.stopped == stopped
    world.calls.release.set()
