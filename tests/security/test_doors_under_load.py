"""Five connections that flood any entrance of the bridge do not delay you, or fill its memory or log."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import psutil
import pytest

from bridge.app import Bridge
from bridge.consent.broker import MAX_WAITING
from tests.people import Person, add_client

pytestmark = pytest.mark.slow

CONNECTIONS: Final = 5
ROUNDS: Final = 40
"""Requests of each connection, at the least; it goes on until the person has been answered as often."""
PINGS: Final = 60
MOST_HELD: Final = 100 << 20
MOST_LOGGED: Final = 4 << 20
HANDSHAKE: Final = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}

Send = Callable[[], Awaitable[None]]


class Door:
    """Where requests go, as who.

    Attributes:
        url: The bridge's address.
        token: A client's.
    """

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token
        self.headers = {"Authorization": f"Bearer {token}"}

    @asynccontextmanager
    async def posting(self, path: str, body: bytes, **headers: str) -> AsyncIterator[Send]:
        """Requests over HTTP."""
        async with aiohttp.ClientSession(headers=self.headers | headers) as http:

            async def send() -> None:
                async with http.post(f"{self.url}{path}", data=body) as answer:
                    await answer.read()

            yield send

    @asynccontextmanager
    async def getting(self, path: str, **headers: str) -> AsyncIterator[Send]:
        """Requests that ask for a page."""
        async with aiohttp.ClientSession(headers=self.headers | headers) as http:

            async def send() -> None:
                async with http.get(f"{self.url}{path}") as answer:
                    await answer.read()

            yield send

    @asynccontextmanager
    async def socket(self, *frames: str) -> AsyncIterator[Send]:
        """Frames on a WebSocket; a new one where the bridge has ended it."""
        async with aiohttp.ClientSession(headers=self.headers) as http:
            held: list[aiohttp.ClientWebSocketResponse] = []

            async def send() -> None:
                if not held or held[0].closed:
                    held[:] = [await http.ws_connect(f"{self.url}/ws", max_msg_size=0)]
                for frame in frames:
                    await held[0].send_str(frame)
                await held[0].receive()

            yield send
            for one in held:
                await one.close()

    @asynccontextmanager
    async def mcp(self, method: str, params: dict[str, Any], *, token: str | None = None) -> AsyncIterator[Send]:
        """Messages of MCP, without a session of their own."""
        more = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        if token is not None:
            more["Authorization"] = f"Bearer {token}"
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        async with self.posting("/mcp", body, **more) as send:
            yield send

    @asynccontextmanager
    async def half(self) -> AsyncIterator[Send]:
        """Connections that begin a request and go."""

        async def send() -> None:
            host, _, port = self.url.removeprefix("http://").partition(":")
            _reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /ws HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 4000)
            writer.close()

        yield send


def call(name: str, **arguments: Any) -> str:
    request = {"name": name, "arguments": arguments, "wait": 0}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools.call", "params": request})


DOORS: dict[str, Callable[[Door], Any]] = {
    "calls that need a question": lambda door: door.socket(call("write_file", path="x.md", content="x")),
    "calls that are refused": lambda door: door.socket(call("no such tool", junk="x" * 100_000)),
    "calls that read": lambda door: door.socket(call("grep", pattern="(a|b)+c")),
    "frames that are none": lambda door: door.socket("{" * 50_000),
    "large batches": lambda door: door.socket(json.dumps([json.loads(call("read", path="Ideas.md"))] * 50)),
    "methods of others": lambda door: door.socket(
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "consent.respond", "params": {"requestId": "c-1"}})
    ),
    "requests over HTTP": lambda door: door.posting("/rpc", call("read", path="Ideas.md").encode()),
    "requests without a token": lambda door: door.posting("/rpc", b"{}", Authorization="Bearer x"),
    "new sessions of MCP": lambda door: door.mcp("initialize", HANDSHAKE),
    "messages of MCP in no session": lambda door: door.mcp("tools/list", {}),
    "messages of MCP without a token": lambda door: door.mcp("initialize", HANDSHAKE, token="x"),
    "looks at its health": lambda door: door.getting("/health"),
    "places that there are not": lambda door: door.getting("/x" * 2000),
    "another host's name": lambda door: door.getting("/ws", Host="evil.example"),
    "half requests": lambda door: door.half(),
}


async def flood(stack: AsyncExitStack, kind: str, door: Door, enough: asyncio.Event) -> int:
    """Send until it is enough; returns how often."""
    send = await stack.enter_async_context(DOORS[kind](door))
    count = 0
    while count < ROUNDS or not enough.is_set():
        with contextlib.suppress(aiohttp.ClientError, ConnectionError):
            await send()
        count += 1
        await asyncio.sleep(0)
    return count


@pytest.mark.parametrize("kind", DOORS)
async def test_the_person_is_answered_and_nothing_grows_without_bounds(
    bridge: Bridge, person: Person, vault: Path, kind: str
) -> None:
    token = (await add_client(person, vault, "Flooder"))["token"]
    door = Door(str(bridge.discovery.http), token)
    person.answer = None
    log = vault / ".vault-bridge" / "logs"
    logged = sum(file.stat().st_size for file in log.rglob("*") if file.is_file())
    before = psutil.Process().memory_info().rss
    enough = asyncio.Event()
    async with AsyncExitStack() as stack:
        floods = [asyncio.create_task(flood(stack, kind, door, enough)) for _ in range(CONNECTIONS)]
        try:
            for _ in range(PINGS):
                await person.host.request("ping")
            undone = await person.host.request("consent.pending")
        finally:
            enough.set()
            counts = await asyncio.gather(*floods)
    assert min(counts) >= ROUNDS
    assert sum(counts) < PINGS * CONNECTIONS * ROUNDS, "the person's turn comes among theirs"
    assert len(undone) <= MAX_WAITING
    assert len(await person.host.request("consent.pending")) <= MAX_WAITING
    grown = sum(file.stat().st_size for file in log.rglob("*") if file.is_file()) - logged
    assert grown < MOST_LOGGED
    assert psutil.Process().memory_info().rss - before < MOST_HELD
    assert await person.host.request("ping") == "pong"
