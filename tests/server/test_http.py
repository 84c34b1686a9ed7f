"""The same JSON-RPC over POST, for curl; health without a token; and everything else is not there."""

import asyncio
from typing import Any

import aiohttp
import orjson
import pytest

from bridge.contract.session import PROTOCOL
from bridge.rpc.frames import MAX_FRAME
from tests.server.house import House, request


async def told(answer: aiohttp.ClientResponse) -> Any:
    assert answer.status == 200
    assert answer.content_type == "application/json"
    return orjson.loads(await answer.read())


async def test_one_request_a_post(house: House) -> None:
    assert await told(await house.post(request(7, "ping"))) == {"jsonrpc": "2.0", "id": 7, "result": "pong"}


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "application/x-www-form-urlencoded"])
async def test_the_content_type_does_not_matter_as_the_token_does(house: House, content_type: str) -> None:
    answer = await house.post(request(7, "ping"), **{"Content-Type": content_type})
    assert (await told(answer))["result"] == "pong"


async def test_one_batch_a_post(house: House) -> None:
    answers = await told(await house.post([request(1, "ping"), 5, request(2, "nothing")]))
    assert [(answer["id"], answer.get("error", {}).get("code")) for answer in answers] == [
        (1, None),
        (None, -32600),
        (2, -32601),
    ]


@pytest.mark.parametrize("body", [{"jsonrpc": "2.0", "method": "ping"}, [{"jsonrpc": "2.0", "method": "ping"}] * 3])
async def test_notifications_alone_have_an_empty_answer(house: House, body: Any) -> None:
    answer = await house.post(body)
    assert (answer.status, await answer.read()) == (204, b"")


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"", -32700), (b"{", -32700), (b'{"a":"\xff"}', -32700), (b"[" * 10_000, -32700), (b"[]", -32600)],
)
async def test_bad_bodies_have_the_same_answers_as_bad_frames(house: House, body: bytes, code: int) -> None:
    assert (await told(await house.post(body)))["error"]["code"] == code


async def test_the_role_is_that_of_the_token(house: House) -> None:
    assert (await told(await house.post(request(1, "settings.get"))))["error"]["code"] == -32001
    assert "developerMode" in (await told(await house.post(request(1, "settings.get"), "host")))["result"]


async def test_a_host_that_posts_is_no_consent_screen(house: House) -> None:
    body = [request(1, "session.name", client="curl", can=["consent"]), request(2, "session.info")]
    named, info = await told(await house.post(body, "host"))
    assert named["result"]["can"] == []
    assert (info["result"]["client"], info["result"]["hostConnected"]) == ("curl", False)


async def test_a_body_of_16_mib_is_taken_and_one_byte_more_is_too_large(house: House) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    assert (await told(await house.post(body + b" " * (MAX_FRAME - len(body)))))["result"] == "pong"
    answer = await house.post(b" " * (MAX_FRAME + 1))
    assert answer.status == 413
    assert set(await answer.json()) == {"error", "hint"}
    assert (await told(await house.post(body)))["result"] == "pong"


async def test_a_large_body_without_a_token_is_refused_unread(house: House) -> None:
    answer = await house.post(b" " * (MAX_FRAME + 1), Authorization="Bearer wrong")
    assert answer.status == 401


async def test_a_post_that_is_dropped_cancels_its_call_unless_it_has_a_call_id(house: House) -> None:
    calls = house.world.calls
    plain = asyncio.create_task(house.post(request(1, "tools.call", name="slow", arguments={"tag": "plain"})))
    kept = request(1, "tools.call", name="slow", arguments={"tag": "kept"}, callId="c-1")
    other = asyncio.create_task(house.post(kept))
    await calls.until_running(2)
    plain.cancel()
    other.cancel()
    await asyncio.gather(plain, other, return_exceptions=True)
    await calls.until_cancelled(1)
    assert calls.cancelled == ["plain"]


async def test_a_post_that_runs_when_the_bridge_stops_learns_so(house: House) -> None:
    posting = asyncio.create_task(house.post(request(1, "tools.call", name="slow", arguments={"tag": "plain"})))
    await house.world.calls.until_running(1)
    await house.server.stop()
    assert (await told(await posting))["error"]["code"] == -32003
    assert house.world.calls.cancelled == ["plain"]


async def test_health_needs_no_token_and_names_the_vault_only_to_those_who_show_one(house: House) -> None:
    known = {"ok": True, "version": "1.2.3", "protocol": PROTOCOL}
    assert await told(await house.get("/health")) == known | {"vault": None}
    assert await told(await house.get("/health", **house.bearer())) == known | {"vault": "Notes"}
    assert (await house.get("/health", Authorization="Bearer wrong")).status == 401


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/rpc"),
        ("PUT", "/rpc"),
        ("POST", "/health"),
        ("POST", "/ws"),
        ("GET", "/ws/x"),
        ("GET", "/.vault-bridge/settings.json"),
        ("GET", "/../../etc/passwd"),
        ("GET", "/mcp/more"),
    ],
)
async def test_everything_else_is_not_there(house: House, method: str, path: str) -> None:
    answer = await house.get(path, method, **house.bearer())
    assert answer.status == 404
    assert set(await answer.json()) == {"error", "hint"}


async def test_a_plain_get_of_the_socket_is_asked_to_upgrade(house: House) -> None:
    answer = await house.get("/ws", **house.bearer())
    assert answer.status == 400
    assert set(await answer.json()) == {"error", "hint"}


async def test_a_long_path_is_refused_before_a_route_is_looked_for(house: House) -> None:
    answer = await house.get("/x" * 600, **house.bearer())
    assert answer.status == 400
    assert (await house.get("/x" * 400, **house.bearer())).status == 404
