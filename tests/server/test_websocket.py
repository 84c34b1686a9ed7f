"""Frames over a real WebSocket: every bad input has its exact answer, and the server lives on."""

import asyncio
import contextlib
from typing import Any

import orjson
import pytest
from aiohttp import WSMsgType, web

from bridge.contract.events import ToolProgress
from bridge.rpc.frames import MAX_FRAME
from bridge.rpc.session import Session
from bridge.server.websocket import MAX_READ, SocketLink
from tests.patience import PATIENCE
from tests.server.house import House, ask, request


def padded(size: int) -> bytes:
    """A ping of exactly so many bytes."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","x":""}'
    return body[:-2] + b"a" * (size - len(body)) + body[-2:]


MANY = 200
DEEP = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 10_000 + b"]" * 10_000 + b"}"


@pytest.mark.parametrize(
    ("data", "id", "code"),
    [
        (b"", None, -32700),
        (b"{", None, -32700),
        (DEEP, None, -32700),
        (b"[" * 10_000, None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[NaN]}', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[-Infinity]}', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"pi\xffng"}', None, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\\ud83d"}', None, -32700),
        (b"[]", None, -32600),
        (b"1", None, -32600),
        (orjson.dumps([request(1, "ping")] * 51), None, -32600),
        (b'{"id":1,"method":"ping"}', 1, -32600),
        (orjson.dumps(request(1, "nothing.here")), 1, -32601),
        (orjson.dumps(request(1, "ping", x=1)), 1, -32602),
        (orjson.dumps(request(1, "tools.call", name="grep", wait="soon")), 1, -32602),
        (orjson.dumps(request(1, "tools.call", name="crash")), 1, -32603),
        (orjson.dumps(request(1, "consent.respond", requestId="c", decision="allow_once")), 1, -32001),
        (orjson.dumps(request(1, "settings.update", patch={})), 1, -32001),
    ],
    ids=lambda value: repr(value)[:40],
)
async def test_bad_input_has_its_exact_answer_and_the_connection_lives_on(
    house: House, data: bytes, id: Any, code: int
) -> None:
    async with await house.socket() as socket:
        answer = await ask(socket, data)
        assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", id, code)
        assert isinstance(answer["error"]["data"]["hint"], str)
        assert "/home" not in str(answer)
        assert (await ask(socket, request(2, "ping")))["result"] == "pong"


async def test_a_binary_frame_is_a_parse_error(house: House) -> None:
    async with await house.socket() as socket:
        await socket.send_bytes(orjson.dumps(request(1, "ping")))
        answer = orjson.loads(await socket.receive_str(timeout=PATIENCE))
        assert answer["error"]["code"] == -32700
        assert (await ask(socket, request(2, "ping")))["result"] == "pong"


async def test_a_frame_of_16_mib_is_taken_and_one_byte_more_closes_the_connection(house: House) -> None:
    async with await house.socket() as socket:
        assert (await ask(socket, padded(MAX_FRAME)))["result"] == "pong"
        await socket.send_frame(padded(MAX_FRAME + 1), WSMsgType.TEXT)
        closing = await socket.receive(timeout=PATIENCE)
        assert (closing.type, closing.data) == (WSMsgType.CLOSE, 1009)
    async with await house.socket() as socket:
        assert (await ask(socket, request(1, "ping")))["result"] == "pong"


async def test_requests_are_answered_by_their_ids_whatever_their_order(house: House) -> None:
    async with await house.socket() as socket:
        await socket.send_json(request("slow", "tools.call", name="slow", arguments={}))
        await house.world.calls.until_running(1)
        assert (await ask(socket, request("quick", "ping")))["id"] == "quick"
        house.world.calls.release.set()
        assert orjson.loads(await socket.receive_str(timeout=PATIENCE))["id"] == "slow"


async def test_thousands_of_pipelined_requests_are_all_answered(house: House) -> None:
    async with await house.socket() as socket:
        for number in range(3000):
            await socket.send_json(request(number, "ping"))
        answers = [orjson.loads(await socket.receive_str(timeout=PATIENCE))["id"] for _ in range(3000)]
    assert answers == list(range(3000))


async def test_more_than_64_in_flight_are_busy(house: House) -> None:
    async with await house.socket() as socket:
        for number in range(64):
            await socket.send_json(request(number, "tools.call", name="slow", arguments={}))
        await house.world.calls.until_running(64)
        assert (await ask(socket, request(64, "ping")))["error"]["code"] == -32002
        async with await house.socket() as other:
            assert (await ask(other, request(1, "ping")))["result"] == "pong"
        house.world.calls.release.set()
        assert len([await socket.receive_str(timeout=PATIENCE) for _ in range(64)]) == 64


async def test_closing_cancels_calls_without_a_call_id_and_no_others(house: House) -> None:
    calls = house.world.calls
    async with await house.socket() as socket:
        await socket.send_json(request(1, "tools.call", name="slow", arguments={"tag": "plain"}))
        await socket.send_json(request(2, "tools.call", name="slow", arguments={"tag": "kept"}, callId="c-1"))
        await calls.until_running(2)
    await calls.until_cancelled(1)
    assert calls.cancelled == ["plain"]


async def test_what_a_client_sends_before_it_leaves_goes_on_if_it_has_a_call_id(house: House) -> None:
    async with await house.socket() as socket:
        for number in range(MANY):
            await socket.send_json(request(number, "tools.call", name="echo", arguments={"tag": "plain"}))
            kept = {"tag": f"kept {number}"}
            await socket.send_json(request(number, "tools.call", name="echo", arguments=kept, callId=f"c-{number}"))
    begun = [asked["arguments"]["tag"] for asked in house.world.calls.asked]
    assert [tag for tag in begun if tag != "plain"] == [f"kept {number}" for number in range(MANY)]


async def test_a_connection_that_breaks_off_is_a_closed_one(house: House) -> None:
    calls = house.world.calls
    socket = await house.socket()
    await socket.send_json(request(1, "tools.call", name="slow", arguments={"tag": "plain"}))
    await calls.until_running(1)
    await house.http.close()
    await calls.until_cancelled(1)
    assert calls.cancelled == ["plain"]


async def test_a_host_that_leaves_cancels_nothing(house: House) -> None:
    asking = await house.world.question("c-1")
    calls = house.world.calls
    async with await house.socket("host") as socket:
        shown = orjson.loads(await socket.receive_str(timeout=PATIENCE))
        assert (shown["method"], shown["params"]["requestId"]) == ("consent.requested", "c-1")
        await socket.send_json(request(1, "tools.call", name="slow", arguments={"tag": "host"}))
        await calls.until_running(1)
    async with await house.socket("host") as socket:
        await socket.receive_str(timeout=PATIENCE)
        answer = request(1, "consent.respond", requestId="c-1", decision="allow_once", planDigest="sha256:1")
        await socket.send_json(answer)
        said = [orjson.loads(await socket.receive_str(timeout=PATIENCE)) for _ in range(2)]
    assert {message.get("method") for message in said} == {"consent.resolved", None}
    assert (await asking).decision == "allow_once"
    assert calls.cancelled == []


async def test_stopping_says_goodbye_to_every_client(house: House) -> None:
    async with await house.socket() as agent, await house.socket("host") as host:
        await ask(agent, request(1, "ping"))
        await ask(host, request(1, "ping"))
        await agent.send_json(request(2, "tools.call", name="slow", arguments={}, callId="c-1"))
        await house.world.calls.until_running(1)
        stopping = asyncio.create_task(house.server.stop())
        assert orjson.loads(await agent.receive_str(timeout=PATIENCE))["error"]["code"] == -32003
        for socket in (agent, host):
            closing = await socket.receive(timeout=PATIENCE)
            assert (closing.type, closing.data) == (WSMsgType.CLOSE, 1001)
            await socket.close()
        await stopping
    assert house.world.calls.cancelled == [""]


async def test_a_frame_beyond_all_measure_is_not_even_read(house: House) -> None:
    async with await house.socket() as socket:
        with contextlib.suppress(ConnectionError):
            await socket.send_frame(padded(MAX_READ), WSMsgType.TEXT)
        assert (await socket.receive(timeout=PATIENCE)).type in {WSMsgType.CLOSE, WSMsgType.CLOSED, WSMsgType.ERROR}
    async with await house.socket() as socket:
        assert (await ask(socket, request(1, "ping")))["result"] == "pong"


async def test_an_answer_that_comes_when_the_client_is_gone_is_dropped(house: House) -> None:
    async with await house.socket("host") as socket:
        await ask(socket, request(1, "ping"))
        (session,) = house.world.hub.peers
        assert isinstance(session, Session)
    await house.server.stop()
    assert session._transport is not None
    await session._transport.send(b"{}")
    session.post(b"{}")


class Stuck(asyncio.Transport):
    """A connection whose other end does not read."""

    aborted = False

    def abort(self) -> None:
        self.aborted = True


async def test_a_client_that_falls_too_far_behind_is_cut_off() -> None:
    transport = Stuck()
    link = SocketLink(web.WebSocketResponse(), transport, max_behind=10)
    link.post(b"12345")
    link.post(b"12345")
    assert not transport.aborted
    link.post(b"1")
    assert transport.aborted


UPGRADE = (
    "GET /ws HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)


async def test_a_client_that_does_not_read_is_cut_off_and_others_go_on(house: House) -> None:
    host = house.discovery.http.removeprefix("http://")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(host.rsplit(":", 1)[1]), limit=1024)
    writer.write(UPGRADE.format(host=host, token=house.token("host")).encode())
    await reader.readuntil(b"\r\n\r\n")
    async with await house.socket("host") as other, asyncio.timeout(PATIENCE):
        count = 0
        event = ToolProgress(execution_id="grep-1", tool="grep", client="", done=1, total=2, message="x" * 4_000_000)
        while len(house.world.hub.peers) == 2:
            house.world.hub.notify_hosts(event)
            await other.receive_str(timeout=PATIENCE)
            count += 1
        assert count < 30
        assert (await ask(other, request(1, "ping")))["result"] == "pong"
    writer.close()
