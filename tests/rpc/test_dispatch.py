"""A request gets its answer or the exact error of the protocol, and no error tells more than it should."""

import asyncio
import logging
from collections.abc import Callable
from importlib import import_module
from typing import Any

import orjson
import pytest

from bridge.contract.identity import Capability
from bridge.contract.tools import Cancelled, ToolCallParams, ToolResult
from bridge.errors import Conflict, ExecutionFailed, InvalidParameters, NotFound, PermissionDenied, ProtocolError
from bridge.rpc.dispatch import Dispatcher, Method, RequestContext
from bridge.rpc.frames import Request
from bridge.rpc.methods import FILES, METHODS
from bridge.rpc.methods.tools import call, cancel
from tests.rpc.world import World


@pytest.mark.parametrize("params", [{}, [], None])
async def test_ping_is_answered_with_pong(world: World, params: Any) -> None:
    assert await world.ask("agent", "ping", params) == {"jsonrpc": "2.0", "id": 1, "result": "pong"}


async def test_the_error_for_an_unknown_method_suggests_the_nearest_names(world: World) -> None:
    answer = await world.ask("agent", "tool.call")
    assert answer["error"]["code"] == -32601
    assert "'tools.call'" in answer["error"]["data"]["hint"]


@pytest.mark.parametrize("name", ["", "rpc.discover", "__init__", "x" * 1_000_000, "ping\n", "PING"])
async def test_a_method_that_does_not_exist_is_not_found_whatever_its_name(world: World, name: str) -> None:
    answer = await world.ask("agent", name)
    assert answer["error"]["code"] == -32601
    assert len(answer["error"]["data"]["hint"]) < 300


@pytest.mark.parametrize(
    "method", [method for method in METHODS.values() if method.needs is not Capability.CALL], ids=lambda m: m.name
)
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
        (ValueError("/home/ada/.ssh/id_rsa"), -32603, "Something failed in the bridge. Its console says more"),
        (asyncio.CancelledError(), -32603, "Something it waited for was stopped; try again"),
    ],
)
async def test_each_exception_has_its_code_and_unexpected_ones_disclose_nothing(
    world: World, error: BaseException, code: int, hint: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    dispatcher = Dispatcher({"fail": Method("fail", _failing(error), str)})
    answer = await dispatcher.answer(Request("fail", {}, 1), RequestContext(world.open(), world.services))
    assert answer is not None
    told = orjson.loads(answer)["error"]
    assert (told["code"], told["data"]) == (code, {"hint": hint})


def test_every_method_is_there_once_and_named_as_the_protocol_names_it() -> None:
    names = [method.name for method in METHODS.values()]
    assert len(names) == len(set(names))
    assert set(names) == {
        *("ping", "session.info", "session.name", "session.attach", "events.subscribe"),
        *("tools.list", "tools.call", "tools.chain", "tools.result", "tools.preview", "tools.cancel"),
        *(
            "history.list",
            "history.undo",
            "history.redo",
            "history.diff",
            "history.undoAll",
            "versions.list",
            "versions.read",
            "versions.restore",
            "versions.compare",
            "versions.restoreAll",
            "versions.broken",
            "versions.mend",
            "versions.forget",
            "versions.status",
            "versions.notice",
            "versions.fine",
            "versions.wrote",
            "limits.status",
            "vault.status",
        ),
        *("consent.pending", "consent.respond", "consent.grants", "consent.revoke"),
        *("consent.respondAll", "consent.revise", "consent.resolve", "consent.confirm"),
        *(
            "consent.allowReading",
            "consent.endAll",
            "consent.autoApprove",
            "policy.explain",
            "bridge.faults",
            "sandbox.status",
            "demo.ask",
        ),
        *("clients.add", "clients.list", "clients.rename", "clients.update", "clients.revoke", "clients.allow"),
        *("settings.get", "settings.update", "settings.reset", "settings.schema", "audit.query"),
        *("keys.set", "keys.clear", "keys.status", "keys.rotate", "keys.test", "search.services"),
        *("servers.list", "servers.add", "servers.remove", "servers.test", "servers.trust", "servers.enable"),
        *("servers.found", "servers.import"),
        *(
            "chat.send",
            "chat.cancel",
            "chat.list",
            "chat.read",
            "chat.delete",
            "chat.export",
            "chat.models",
            "chat.allow",
        ),
        *("custom.list", "custom.add", "custom.update", "custom.remove", "custom.test", "custom.call"),
        *("drafts.list", "drafts.preview", "drafts.discard"),
        *("templates.list", "templates.run", "templates.save", "templates.remove"),
        *("cache.stats", "cache.clear", "web.readers", "web.clear", "web.sites"),
        *("clients.list", "clients.add", "clients.rename", "clients.update", "clients.revoke", "clients.allow"),
        *("agents.list", "agents.preview", "agents.connect", "agents.disconnect", "inbox.list"),
        *("screen.tell", "screen.clients", "screen.compose", "screen.send", "screen.take"),
        *("audit.export", "audit.clear", "audit.verify", "audit.stats", "audit.activity", "index.compare"),
        "semantic.allow",
        "semantic.rebuild",
    }


@pytest.fixture
def calling() -> Method:
    return Method("tools.call", call, ToolResult)


def test_parameters_by_position_come_in_the_order_of_the_model(calling: Method) -> None:
    expected = ToolCallParams.model_validate({"name": "grep", "arguments": {"pattern": "x"}, "callId": "c", "wait": 2})
    assert calling.bind(["grep", {"pattern": "x"}, "c", 2], {}) == expected


@pytest.mark.parametrize(
    ("positional", "named", "told"),
    [
        ([], {}, "'name'"),
        ([], {"name": 5}, "'name'"),
        ([], {"name": ""}, "'name'"),
        ([], {"name": "x" * 201}, "'name'"),
        ([], {"name": "grep", "callid": "x"}, "callId"),
        ([], {"name": "grep", "call_id": "x"}, "callId"),
        ([], {"name": "grep", "callId": ""}, "'callId'"),
        ([], {"name": "grep", "callId": "x" * 201}, "'callId'"),
        ([], {"name": "grep", "wait": -1}, "'wait'"),
        ([], {"name": "grep", "wait": 86_401}, "'wait'"),
        ([], {"name": "grep", "wait": True}, "'wait'"),
        ([], {"name": "grep", "wait": "1"}, "'wait'"),
        ([], {"name": "grep", "reason": "x" * 2001}, "'reason'"),
        ([], {"name": "grep", "arguments": []}, "'arguments'"),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], {}, "takes 10 parameters"),
        ([], {"x" * 1_000_000: 1}, "that long"),
    ],
)
def test_a_wrong_parameter_is_named(calling: Method, positional: list[Any], named: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidParameters) as caught:
        calling.bind(positional, named)
    assert told in caught.value.message
    assert len(caught.value.message) < 500


@pytest.mark.parametrize("wait", [0, 0.5, 86_400])
def test_a_wait_is_a_number_of_seconds_up_to_a_day(calling: Method, wait: float) -> None:
    bound = calling.bind([], {"name": "grep", "wait": wait})
    assert isinstance(bound, ToolCallParams)
    assert bound.wait == wait


def test_a_method_without_parameters_takes_none() -> None:
    ping = Method("ping", lambda _context, _params: "pong", str)
    assert ping.bind([], {}) is not None
    with pytest.raises(InvalidParameters, match="none"):
        ping.bind([1], {})
    with pytest.raises(InvalidParameters):
        ping.bind([], {"a": 1})


def test_plain_handlers_are_immediate_and_coroutines_are_not(calling: Method) -> None:
    assert not calling.immediate
    assert Method("tools.cancel", cancel, Cancelled).immediate


def test_a_request_ends_with_its_connection_unless_it_says_otherwise(calling: Method) -> None:
    assert RequestContext.__dataclass_fields__["kept"].default is False
    assert not calling.waits


def test_the_table_of_files_has_the_methods_that_each_of_them_has() -> None:
    there = {file: [method.name for method in import_module(f"bridge.rpc.methods.{file}").METHODS] for file in FILES}
    assert there == {file: names.split() for file, names in FILES.items()}
