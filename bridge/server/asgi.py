"""One request of aiohttp, answered by an ASGI application."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, Final, Protocol, cast

import anyio
from aiohttp import web

from bridge.client.errors import ConnectionLost
from bridge.mcp.port import WHILE_CONNECTED

PATIENCE: Final = 2.0
"""Seconds in which an application ends after its client has left, before it is cancelled."""
EVENTS: Final = b"text/event-stream"
_OURS: Final = {"content-length", "transfer-encoding", "connection", "date", "server"}
"""Headers that aiohttp writes itself."""


class Application(Protocol):
    """An ASGI application."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        ...


async def answer_with(application: Application, request: web.Request, body: bytes) -> web.StreamResponse:
    """Have an application answer a request, at once or as a stream.

    Args:
        application: Whom to ask.
        request: The request.
        body: Its body.

    Returns:
        The response; where it is a stream, it has been sent.
    """
    exchange = _Exchange(request, body)
    running = asyncio.create_task(application(exchange.scope, exchange.receive, exchange.send))
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


class _Exchange:
    """A request and its answer, as an ASGI application sees them."""

    def __init__(self, request: web.Request, body: bytes) -> None:
        self._request = request
        self._body: bytes | None = body
        self._start: dict[str, Any] = {}
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

    async def send(self, message: dict[str, Any]) -> None:
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
