"""MCP over HTTP: each client has sessions of its own, which no other client can reach, whatever id it sends."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from bridge.identity.caller import Client
from bridge.mcp.server import VaultServer
from bridge.rpc.in_process import InProcess
from bridge.rpc.session import Session

MOST_SESSIONS: Final = 32
"""Of one client, open at once."""
IDLE_SECONDS: Final = 1800.0
"""After which a session that nobody uses ends."""
UNUSED_SECONDS: Final = 60.0
"""After which a client that has no session and asks nothing counts as gone."""
ANSWER_SECONDS: Final = 2.0
"""In which a client whose sessions end is told so as the answer to what it has asked."""

Open = Callable[[Client, InProcess], Session]
"""Opens a session of a client with the bridge."""


class HttpSessions:
    """The sessions of all clients.

    Args:
        open_session: Opens a session with the bridge.
        version: Of the bridge.
    """

    def __init__(self, open_session: Open, version: str) -> None:
        self._open = open_session
        self._version = version
        self._clients: dict[str, _OfClient] = {}

    async def serve(self, client: Client, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, as ASGI has it.

        Args:
            client: Whose token it showed.
            scope: The request.
            receive: Returns its body, and later its end.
            send: Takes the answer.
        """
        ours = self._clients.get(client.id)
        if ours is None:
            ours = self._clients[client.id] = _OfClient(client, self._open, self._version, self._forget)
        await ours.serve(scope, receive, send)

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

    async def serve(self, scope: Any, receive: Any, send: Any) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._serving += 1
        answered = asyncio.get_running_loop().create_future()
        if scope["method"] == "POST":  # GET only listens
            self._answering.add(answered)
        try:
            await self._ready.wait()
            await self._manager.handle_request(scope, receive, send)
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
