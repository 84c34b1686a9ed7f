"""A request gets its answer or the exact error of the protocol, and no error tells more than it should."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from bridge.errors import Conflict, ExecutionFailed, InvalidParameters, NotFound, PermissionDenied, ProtocolError
from bridge.rpc.dispatch import HOST_ONLY, Dispatcher, Method, RequestContext
from bridge.rpc.frames import Request
from bridge.rpc.methods import METHODS
from tests.rpc.world import World


@pytest.mark.parametrize("params", [{}, [], None])
async def test_ping_is_answered_with_pong(world: World, params: Any) -> None:
    assert await world.ask("agent", "ping", params) == {"jsonrpc": "2.0", "id": 1, "result": "pong"}


async def test_an_unknown_method_is_told_the_nearest_names(world: World) -> None:
    answer = await world.ask("agent", "tool.call")
    assert answer["error"]["code"] == -32601
    assert "'tools.call'" in answer["error"]["data"]["hint"]


@pytest.mark.parametrize("name", ["", "rpc.discover", "__init__", "x" * 1_000_000, "ping\n", "PING"])
async def test_a_method_that_does_not_exist_is_not_found_whatever_its_name(world: World, name: str) -> None:
    answer = await world.ask("agent", name)
    assert answer["error"]["code"] == -32601
    assert len(answer["error"]["data"]["hint"]) < 300


@pytest.mark.parametrize("method", [method for method in METHODS if method.roles == HOST_ONLY], ids=lambda m: m.name)
async def test_an_agent_may_call_no_method_of_the_host(world: World, method: Method) -> None:
    answer = await world.ask("agent", method.name, {"anything": 1})
    assert answer["error"]["code"] == -32001
    assert method.name in answer["error"]["data"]["hint"]


@pytest.mark.parametrize("params", [{"x": 1}, ["x"], {"self": 1}, {"context": 1}, {"": 1}])
async def test_parameters_that_a_method_does_not_take_are_invalid(world: World, params: Any) -> None:
    answer = await world.ask("agent", "ping", params)
    assert answer["error"]["code"] == -32602
    assert answer["error"]["data"]["hint"]


async def test_a_notification_gets_no_answer_even_when_it_fails(world: World) -> None:
    session = world.open()
    for message in ({"method": "ping"}, {"method": "nothing"}, {"method": "ping", "params": [1]}):
        assert await session.answer(orjson.dumps({"jsonrpc": "2.0", **message})) is None


def _failing(error: BaseException) -> Callable[[RequestContext, Any], Any]:
    def handler(_context: RequestContext, _params: Any) -> Any:
        raise error

    return handler


@pytest.mark.parametrize(
    ("error", "code", "hint"),
    [
        (InvalidParameters("Unknown setting 'x'"), -32602, "Unknown setting 'x'"),
        (NotFound("No such grant"), -32602, "No such grant"),
        (PermissionDenied("Outside", code="outside_vault"), -32602, "Outside"),
        (Conflict("Busy; try again", code="busy"), -32603, "Busy; try again"),
        (ExecutionFailed("The disk is full"), -32603, "The disk is full"),
        (ProtocolError(-32001, "Forbidden", hint="Be a host"), -32001, "Be a host"),
        (ProtocolError(-32602, "Invalid params"), -32602, "The bridge's console says more"),
        (ValueError("/home/ada/.ssh/id_rsa"), -32603, "The bridge's console says more"),
        (asyncio.CancelledError(), -32603, "Something it waited for was stopped; try again"),
    ],
)
async def test_each_exception_has_its_code_and_strangers_tell_nothing(
    world: World, error: BaseException, code: int, hint: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    dispatcher = Dispatcher([Method("fail", _failing(error), str)])
    answer = await dispatcher.answer(Request("fail", {}, 1), RequestContext(world.open(), world.services))
    assert answer is not None
    told = orjson.loads(answer)["error"]
    assert (told["code"], told["data"]) == (code, {"hint": hint})


def test_every_method_is_there_once_and_named_as_the_protocol_names_it() -> None:
    names = [method.name for method in METHODS]
    assert len(names) == len(set(names))
    assert set(names) == {
        *("ping", "session.info", "session.name", "session.attach", "events.subscribe"),
        *("tools.list", "tools.call", "tools.result", "tools.preview", "tools.cancel"),
        *("history.list", "history.undo", "history.redo", "limits.status", "vault.status"),
        *("consent.pending", "consent.respond", "consent.grants", "consent.revoke"),
        *("consent.autoApprove", "policy.explain", "bridge.faults"),
        *("settings.get", "settings.update", "settings.reset", "settings.schema", "audit.query"),
        *("audit.export", "audit.clear", "audit.verify", "audit.stats", "index.compare"),
    }
