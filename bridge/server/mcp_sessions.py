"""MCP over HTTP: each client has sessions of its own, which no other client can reach, whatever id it sends.

The library's sessions are an ASGI application; one request of aiohttp is answered by it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, MutableMapping
from functools import partial
from typing import Any, Final, cast

import anyio
from aiohttp import web
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from bridge.client.errors import ConnectionLost
from bridge.identity.caller import Client
from bridge.mcp.port import WHILE_CONNECTED
from bridge.mcp.server import VaultServer
from bridge.rpc.session import InProcess, Session

MOST_SESSIONS: Final = 32
"""Sessions that one client may have open at once."""
IDLE_SECONDS: Final = 1800.0
"""Seconds after which an unused session ends."""
UNUSED_SECONDS: Final = 60.0
"""Seconds after which a client that has no session and asks nothing counts as gone."""
ANSWER_SECONDS: Final = 2.0
"""Seconds in which a client whose sessions end is still answered, with that."""

Open = Callable[[Client, InProcess], Session]
"""Opens a session of a client with the bridge."""


class HttpSessions:
    """The sessions of all clients.

    Args:
        open_session: Opens a session with the bridge.
        version: The bridge's version.
    """

    def __init__(self, open_session: Open, version: str) -> None:
        self._open = open_session
        self._version = version
        self._clients: dict[str, _OfClient] = {}

    async def answer(self, client: Client, request: web.Request, body: bytes) -> web.StreamResponse:
        """Answer one request of a client, at once or as a stream, which has been sent when this returns.

        Args:
            client: Whose token it showed.
            request: The request.
            body: Its body.
        """
        exchange = _Exchange(request, body)
        running = asyncio.create_task(self._serve(client, exchange))
        try:
            await asyncio.wait([running])
        finally:
            exchange.gone.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await asyncio.wait([running])
            running.cancel()
        await running
        return exchange.response or web.Response(status=500)

    async def _serve(self, client: Client, exchange: "_Exchange") -> None:
        ours = self._clients.get(client.id)
        if ours is None:
            ours = self._clients[client.id] = _OfClient(client, self._open, self._version, self._forget)
        await ours.serve(exchange)

    async def stop(self) -> None:
        """End every session."""
        running = [ours.end() for ours in list(self._clients.values())]
        await asyncio.gather(*running, return_exceptions=True)

    def _forget(self, client: Client) -> None:
        self._clients.pop(client.id, None)


class _OfClient:
    """The sessions of one client, from its first request until it is revoked or has been away for a while."""

    def __init__(self, client: Client, open_session: Open, version: str, forget: Callable[[Client], None]) -> None:
        self._forget = partial(forget, client)
        self._bridge = InProcess(partial(open_session, client), self.end)
        self._server = VaultServer(self._bridge, version)
        self._manager = StreamableHTTPSessionManager(
            self._server, session_idle_timeout=IDLE_SECONDS, max_sessions=MOST_SESSIONS
        )
        self._ready, self._ending = asyncio.Event(), asyncio.Event()
        self._serving = 0
        self._answering: set[asyncio.Future[None]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._running = asyncio.create_task(self._run())

    async def serve(self, exchange: "_Exchange") -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._serving += 1
        answered = asyncio.get_running_loop().create_future()
        if exchange.scope["method"] == "POST":  # GET only listens
            self._answering.add(answered)
        try:
            await self._ready.wait()
            await self._manager.handle_request(exchange.scope, exchange.receive, exchange.send)
        finally:
            answered.set_result(None)
            self._answering.discard(answered)
            self._serving -= 1
            if not self._serving:
                self._end_later()

    def _end_later(self) -> None:
        self._idle = asyncio.get_running_loop().call_later(UNUSED_SECONDS, self._end_unless_used)

    def _end_unless_used(self) -> None:
        if self._server.in_use:
            self._end_later()
        else:
            self.end()

    def end(self) -> "asyncio.Task[None]":
        """End all of it; returns what ends when that is done."""
        self._forget()
        if self._idle is not None:
            self._idle.cancel()
        self._server.close()
        self._ending.set()
        return self._running

    async def _run(self) -> None:
        """Run the library's manager, which the same task has to enter and leave."""
        async with self._manager.run():
            self._ready.set()
            await self._ending.wait()
            self._bridge.close()  # whatever was asked fails with that, which is still sent
            if self._answering:
                await asyncio.wait(self._answering, timeout=ANSWER_SECONDS)


PATIENCE: Final = 2.0
"""Seconds in which an answer ends after its client has left, before it is cancelled."""
EVENTS: Final = b"text/event-stream"
_OURS: Final = {"content-length", "transfer-encoding", "connection", "date", "server"}
"""Headers that aiohttp writes itself."""


class _Exchange:
    """A request and its answer, as an ASGI application, which the library is, sees them."""

    def __init__(self, request: web.Request, body: bytes) -> None:
        self._request = request
        self._body: bytes | None = body
        self._start: MutableMapping[str, Any] = {}
        self.gone = asyncio.Event()
        self.response: web.StreamResponse | None = None
        self.scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": request.path,
            "raw_path": request.rel_url.raw_path.encode(),
            "query_string": request.rel_url.raw_query_string.encode(),
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.raw_headers],
            "client": None,
            "server": None,
            WHILE_CONNECTED: self.while_connected,
        }

    @contextlib.asynccontextmanager
    async def while_connected(self) -> AsyncIterator[None]:
        """Give up what is in the block when the connection ends over which its result would be sent.

        Raises:
            ConnectionLost: It has ended.
        """
        scope = anyio.CancelScope()  # a task group would wrap what the block raises

        async def give_up() -> None:
            await self.gone.wait()
            scope.cancel()

        watching = asyncio.create_task(give_up())
        try:
            with scope:
                yield
        finally:
            watching.cancel()
        if self.gone.is_set():
            raise ConnectionLost("The client went away before it was answered")

    async def receive(self) -> dict[str, Any]:
        """Return the body, once; then the end of the connection, when it comes."""
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Take a part of the answer. A stream of events begins at once, even if the first is long in coming."""
        if message["type"] == "http.response.start":
            self._start = message
            if any(value.startswith(EVENTS) for name, value in message["headers"] if name.lower() == b"content-type"):
                await self._begin()
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        if self.response is None:
            if not more:
                self.response = web.Response(status=self._start["status"], body=body, headers=self._headers())
                return
            await self._begin()
        stream = cast("web.StreamResponse", self.response)
        with contextlib.suppress(ConnectionError):  # the client has left, which `receive` says
            await stream.write(body)
            if not more:
                await stream.write_eof()

    async def _begin(self) -> None:
        self.response = web.StreamResponse(status=self._start["status"], headers=self._headers())
        with contextlib.suppress(ConnectionError):
            await self.response.prepare(self._request)

    def _headers(self) -> list[tuple[str, str]]:
        named = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in self._start["headers"]]
        return [(name, value) for name, value in named if name.lower() not in _OURS]
