"""Another server over HTTP cannot make the bridge call anyone else, store anything in it, or make a call endless."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import orjson
import pytest

from bridge.errors import ToolFailure
from bridge.sandbox.sandbox import Programs
from bridge.servers.configuration import entry
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Opener
from bridge.settings.model import Settings
from bridge.web.guard import Rules, check
from tests.web_servers import LocalWeb, Seen, answer

pytestmark = pytest.mark.slow

SECONDS = 3.0
"""How long a call may take here; what ends it is asserted, and not when."""
TOOL = {"name": "greet", "description": "Greets.", "inputSchema": {"type": "object"}}
INFO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
GREETED = {"content": [{"type": "text", "text": "hello"}]}
METADATA = "http://169.254.169.254/latest/meta-data/"


class Server:
    """A server that shakes hands as it should, and then does something else.

    Attributes:
        headers: What it says besides, with each answer.
        greet: What it answers a call with; None: as it should.
    """

    def __init__(self, web: LocalWeb) -> None:
        self.web = web
        self.headers: dict[str, str] = {}
        self.greet: Callable[[asyncio.StreamWriter], Awaitable[None]] | None = None
        self.asked: list[str] = []
        self.answering: list[asyncio.Future[None]] = []
        web.answers["/mcp"] = self.respond

    async def respond(self, seen: Seen, writer: asyncio.StreamWriter) -> None:
        message = orjson.loads(seen.body) if seen.body else {}
        method = message.get("method", seen.method)
        self.asked.append(method)
        results = {"initialize": INFO, "tools/list": {"tools": [TOOL]}, "tools/call": GREETED}
        if method == "tools/call" and self.greet is not None:
            answering = asyncio.ensure_future(self.greet(writer))
            self.answering.append(answering)
            with contextlib.suppress(asyncio.CancelledError):
                await answering
        elif method in results:
            body = orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": results[method]})
            writer.write(answer(body, kind="application/json", **self.headers))
        elif method == "server/discover":
            error = {"code": -32601, "message": "Method not found"}
            body = orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error})
            writer.write(answer(body, kind="application/json"))
        else:
            writer.write(answer(status="202 Accepted" if seen.body else "405 Method Not Allowed", **self.headers))
        with contextlib.suppress(ConnectionError):
            await writer.drain()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with LocalWeb().serve() as web:
        made = Server(web)
        yield made
        for answering in made.answering:
            answering.cancel()
        await asyncio.gather(*made.answering, return_exceptions=True)


@contextlib.asynccontextmanager
async def connected(server: Server, folder: Path, *, own_port: bool = False) -> AsyncIterator[ServerConnection]:
    vault = folder / "Vault"
    vault.mkdir(exist_ok=True)
    ports = frozenset({server.web.plain_port}) if own_port else frozenset()
    rules = Rules(Settings(), ports)
    opener = Opener(
        Programs([], folder, required=lambda: False),
        server.web.transport,
        lambda url, service: check(url, rules, service),
        vault,
    )
    url = f"http://127.0.0.1:{server.web.plain_port}/mcp"
    held = ServerConnection("stranger", entry("stranger", {"url": url}), opener)
    try:
        yield held
    finally:
        await held.stop()


async def call(held: ServerConnection) -> str:
    found = await held.call("greet", {}, SECONDS, lambda *_said: None)
    return str(found["content"][0]["text"])


async def test_one_that_behaves_is_called(server: Server, tmp_path: Path) -> None:
    async with connected(server, tmp_path) as held:
        assert await call(held) == "hello"


async def test_a_cookie_is_not_kept(server: Server, tmp_path: Path) -> None:
    server.headers = {"Set_Cookie": "who=hunter2; Path=/"}
    async with connected(server, tmp_path) as held:
        for _ in range(2):
            assert await call(held) == "hello"
    assert not [one for one in server.web.seen if "cookie" in one.headers]


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
async def test_one_that_wants_a_login_leads_to_no_place_where_that_could_be_had(
    server: Server, tmp_path: Path, status: str
) -> None:
    place = f'Bearer resource_metadata="{METADATA}", authorization_uri="https://evil.example/login"'

    async def refuse(_seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(status=status, WWW_Authenticate=place, Link=f'<{METADATA}>; rel="oauth"'))
        await writer.drain()

    server.web.answers["/mcp"] = refuse
    async with connected(server, tmp_path) as held:
        with pytest.raises(ToolFailure):
            await call(held)
    assert {one.target for one in server.web.seen} == {"/mcp"}
    assert {host for host, _port in server.web.connected} == {"127.0.0.1"}
    assert server.web.asked == []


async def test_the_bridge_itself_is_no_other_server(server: Server, tmp_path: Path) -> None:
    async with connected(server, tmp_path, own_port=True) as held:
        with pytest.raises(ToolFailure):
            await call(held)
    assert server.web.connected == []


async def comments(writer: asyncio.StreamWriter) -> None:
    """A stream in which nothing is said, without an end."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        while not writer.is_closing():
            writer.write(b": still here\n\n")
            await writer.drain()
            await asyncio.sleep(0)


async def progress(writer: asyncio.StreamWriter) -> None:
    """A stream of progress, without an end."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    said = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}
    with contextlib.suppress(ConnectionError):
        while not writer.is_closing():
            writer.write(b"data: " + orjson.dumps(said) + b"\n\n")
            await writer.drain()
            await asyncio.sleep(0)


async def silence(writer: asyncio.StreamWriter) -> None:
    """A head, and then nothing."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
    await writer.drain()
    await asyncio.Event().wait()


async def heads(writer: asyncio.StreamWriter) -> None:
    """Interim answers, without an end."""
    with contextlib.suppress(ConnectionError):
        while not writer.is_closing():
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 100)
            await writer.drain()
            await asyncio.sleep(0)


async def another_answer(writer: asyncio.StreamWriter) -> None:
    """An answer to a question that was not asked."""
    body = orjson.dumps({"jsonrpc": "2.0", "id": 987_654, "result": {"content": [{"type": "text", "text": "evil"}]}})
    writer.write(answer(body, kind="application/json"))


ENDLESS = [comments, progress, silence, heads, another_answer]


@pytest.mark.parametrize("greet", ENDLESS)
async def test_an_answer_without_an_end_ends_with_its_call_and_the_next_one_is_answered(
    server: Server, tmp_path: Path, greet: Callable[[asyncio.StreamWriter], Awaitable[None]]
) -> None:
    server.greet = greet
    async with connected(server, tmp_path) as held:
        with pytest.raises(ToolFailure):
            await call(held)
        server.greet = None
        assert await call(held) == "hello"
