"""What one client begins to send and does not end: it takes a bounded room, whatever the number of connections."""

import asyncio
import contextlib
import gc
import os
import weakref
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from bridge.server.door import SLACK, Holdings
from tests.patience import PATIENCE
from tests.server.house import House, ask, request

MOST = 4 * 1024 * 1024
PART = 1024 * 1024

_FIRST, _MORE, _WHOLE = 0x01, 0x00, 0x81
"""The first byte of a frame: of text that goes on, what goes on, and text that is complete."""


def frame(kind: int, payload: bytes, *, claimed: int | None = None) -> bytes:
    """A masked frame, or the beginning of one that claims to be longer."""
    size = len(payload) if claimed is None else claimed
    return bytes([kind, 0x80 | 127]) + size.to_bytes(8, "big") + bytes(4) + payload


HALF = frame(_WHOLE, b"x" * PART, claimed=2 * PART)
ENDLESS = b"".join(frame(_MORE if number else _FIRST, b"x" * (PART // 64)) for number in range(64))


@contextlib.asynccontextmanager
async def raw(house: House, *, role: str = "agent", post: int | None = None) -> AsyncIterator[Any]:
    """A connection on which anything may be said: a WebSocket, or a post with a body of so many bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(house.discovery.http.rsplit(":", 1)[1]))
    to = "POST /rpc" if post is not None else "GET /ws"
    head = [f"{to} HTTP/1.1", "Host: 127.0.0.1:" + house.discovery.http.rsplit(":", 1)[1]]
    head += [f"{name}: {value}" for name, value in house.bearer(role).items()]
    if post is None:
        head += ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
        head += ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
    else:
        head += [f"Content-Length: {post}"]
    writer.write("\r\n".join((*head, "", "")).encode())
    if post is None:
        assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    try:
        yield reader, writer
    finally:
        writer.close()


def holdings(house: House) -> Holdings:
    assert house.server._door is not None
    return house.server._door.holdings


def held(house: House) -> int:
    return sum(sum(connections.values()) for connections in holdings(house)._held.values())


async def until_closed(reader: asyncio.StreamReader) -> None:
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionError):
            await reader.read()


@pytest.mark.parametrize("begun", [HALF, ENDLESS], ids=["half-sent frames", "messages without end"])
async def test_of_what_one_client_never_ends_the_oldest_is_cut(house: House, begun: bytes) -> None:
    holdings(house)._most = MOST
    async with contextlib.AsyncExitStack() as stack:
        opened = []
        for number in range(12):
            opened.append(await stack.enter_async_context(raw(house)))
            writer = opened[-1][1]
            writer.write(begun)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
            if number >= 4:
                await until_closed(opened[number - 4][0])
            assert held(house) <= MOST + PART
        async with await house.socket("host") as host, await house.socket() as agent:
            for socket in (host, agent):
                assert (await ask(socket, request(1, "ping")))["result"] == "pong"
        assert not opened[-1][0].at_eof()
    await all_gone(house)
    assert held(house) == 0


async def all_gone(house: House) -> None:
    """Wait until the server has heard that nobody is connected, and every socket is done with."""
    async with asyncio.timeout(PATIENCE):
        while holdings(house)._clients or house.server._sockets:  # noqa: ASYNC110 - it hears of it when it does
            await asyncio.sleep(0)


def sockets() -> list[web.WebSocketResponse]:
    """All that there are in this process."""
    return [one for one in gc.get_objects() if isinstance(one, web.WebSocketResponse)]


async def test_a_connection_that_breaks_off_in_a_message_leaves_nothing_of_it(house: House) -> None:
    of_others = weakref.WeakSet(sockets())  # which tests before this one may have left
    for _ in range(3):
        async with raw(house) as (_reader, writer):
            writer.write(HALF)
            await writer.drain()
            writer.transport.abort()
        await all_gone(house)
    async with asyncio.timeout(PATIENCE):
        while left := [one for one in sockets() if one not in of_others]:
            left.clear()
            await asyncio.sleep(0)
            gc.collect()


async def test_of_posts_that_never_end_the_oldest_is_cut(house: House) -> None:
    holdings(house)._most = MOST
    async with contextlib.AsyncExitStack() as stack:
        opened = []
        for number in range(12):
            opened.append(await stack.enter_async_context(raw(house, post=2 * PART)))
            opened[-1][1].write(b"x" * PART)
            if number >= 6:
                await until_closed(opened[number - 6][0])
        assert held(house) <= MOST + PART
        assert (await (await house.post(request(1, "ping"))).json())["result"] == "pong"


async def test_what_is_ended_takes_no_room(house: House) -> None:
    holdings(house)._most = MOST
    async with await house.socket() as socket:
        for number in range(12):
            padded = request(number, "ping") | {"padding": "x" * PART}
            assert "id" in await ask(socket, padded)
        assert (await ask(socket, request(1, "ping")))["result"] == "pong"
        for number in range(8):
            answer = await house.post(request(number, "ping") | {"padding": "x" * PART})
            assert answer.status == 200
    assert held(house) == 0


def test_the_longest_held_is_cut_and_other_clients_do_not_count() -> None:
    room = Holdings(1_000_000)
    first, second, third, other = (asyncio.Transport() for _ in range(4))
    for transport, client in ((first, "a"), (second, "a"), (third, "a"), (other, "b")):
        room.admit(transport, client)
    assert room.came(asyncio.Transport(), 10_000_000) is None  # nobody known
    assert room.came(third, SLACK) is None  # too little to matter
    assert room.came(first, 500_000) is None
    assert room.came(other, 900_000) is None
    assert room.came(second, 400_000) is None
    assert room.came(second, 400_000) is first
    room.went(first)
    room.taken(second, 800_000 - 2 * SLACK)
    assert room.came(third, 0) is None
    assert room.came(second, 1_000_000) is second
    room.taken(second)
    room.taken(first, 5)
    assert room.came(third, 900_000) is None
    room.went(first)


def test_a_connection_alone_that_holds_too_much_is_cut() -> None:
    room = Holdings(SLACK // 2)
    wire = asyncio.Transport()
    room.admit(wire, os.urandom(4).hex())
    assert room.came(wire, SLACK // 2 + 1) is wire
