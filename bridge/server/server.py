"""The server of one vault: binds to this machine only, publishes where it is, and closes what it opened."""

import asyncio
import contextlib
import os
import secrets
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

import orjson
from aiohttp import WSCloseCode, web
from aiohttp.typedefs import Handler, Middleware

from bridge.contract.discovery import AGENT_FILE, BRIDGE_FILE, HOST_FILE, Discovery, Endpoint
from bridge.contract.session import Health
from bridge.errors import StartError
from bridge.identity.caller import HOST, SHARED, Client
from bridge.records.folder import RunFolder
from bridge.rpc.dispatch import Dispatcher
from bridge.rpc.frames import MAX_FRAME
from bridge.rpc.hub import ClientTransport, Hub
from bridge.rpc.methods import METHODS
from bridge.rpc.services import Services
from bridge.rpc.session import Session
from bridge.server.door import BACKLOG, Authenticator, Door, QuietAccept
from bridge.server.websocket import SocketLink, open_socket, serve_socket
from bridge.vault.folder import Folder, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.server.mcp_sessions import HttpSessions


def json_answer(value: object, status: int = 200) -> web.Response:
    """Return a JSON body."""
    return web.Response(body=orjson.dumps(value), status=status, content_type="application/json")


def guard(authenticator: Authenticator) -> Middleware:
    """Return the middleware in front of every route: the check of origins, preflights, and errors as JSON."""

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            authenticator.check_origin(request.headers)
            answer = _preflight(request) or await handler(request)
        except web.HTTPException as error:
            answer = _refusal(error)
        origins = request.headers.getall("Origin", [])
        if not answer.prepared and len(origins) == 1 and authenticator.allows(origin := origins[0]):
            answer.headers["Access-Control-Allow-Origin"] = origin
            answer.headers["Vary"] = "Origin"
        return answer

    return guarded


def _preflight(request: web.Request) -> web.Response | None:
    """Return the answer to a browser that asks whether a page may post, whose origin has been checked."""
    asked = request.method == "OPTIONS" and "Origin" in request.headers
    if not asked or "Access-Control-Request-Method" not in request.headers:
        return None
    allowed = {
        "Access-Control-Allow-Methods": "GET, POST",
        "Access-Control-Allow-Headers": "Authorization, Content-Type",
        "Access-Control-Max-Age": "600",
    }
    if request.headers.get("Access-Control-Request-Private-Network") == "true":
        allowed["Access-Control-Allow-Private-Network"] = "true"
    return web.Response(status=204, headers=allowed)


def _refusal(error: web.HTTPException) -> web.Response:
    answer = json_answer({"error": error.reason, "hint": error.text}, error.status)
    for name in ("WWW-Authenticate", "Sec-WebSocket-Version", "Connection"):
        if name in error.headers:
            answer.headers[name] = error.headers[name]
    return answer


ADDRESS: Final = "127.0.0.1"
MAX_LINE: Final = 1_024
"""Bytes of a request's first line. Ours are short, and aiohttp looks for a long path's route piece by piece."""
PATIENCE: Final = 2.0
"""Seconds that requests have to end when the server stops."""
FILES: Final = {SHARED: AGENT_FILE, HOST: HOST_FILE}


class Server:
    """The server of one vault on one port.

    Args:
        services: What the methods reach.
        hub: Where connections report.
        run: The vault's run folder; the vault's lock is held.
        state: The vault's `.vault-bridge` folder, held open.

    Attributes:
        tokens: The tokens of the person's own programs and of those without a name; new in every run, and never shown.
    """

    def __init__(self, services: Services, hub: Hub, *, run: RunFolder, state: Folder) -> None:
        self._services = services
        self._hub = hub
        self._run = run
        self._state = state
        self.tokens = {client: secrets.token_urlsafe(32) for client in FILES}
        settings = services.settings
        self._authenticator = Authenticator(self.tokens, services.clients, lambda: settings.current.allowed_origins)
        self._dispatcher = Dispatcher(METHODS)
        self._sockets: set[web.WebSocketResponse[bool]] = set()
        self._runner: web.AppRunner | None = None
        self._door: Door | None = None
        self._listening: asyncio.Server | None = None
        self._quiet: QuietAccept | None = None
        self._mcp_sessions: HttpSessions | None = None
        self._mcp_loading = asyncio.Lock()

    async def start(self, port: int = 0) -> Discovery:
        """Listen, and say where.

        Args:
            port: 0 takes a free one.

        Raises:
            StartError: The port is taken, or the disk is full.
        """
        runner = web.AppRunner(
            self._app(),
            handler_cancellation=True,
            access_log=None,
            shutdown_timeout=PATIENCE,
            handle_signals=False,
            max_line_size=MAX_LINE,
        )
        await runner.setup()
        door = Door(cast("Callable[[], asyncio.Protocol]", runner.server))
        loop = asyncio.get_running_loop()
        try:
            listening = await loop.create_server(door, ADDRESS, port, backlog=BACKLOG)
        except OSError as error:
            await runner.cleanup()
            raise StartError(
                f"Port {port} cannot be used: {error.strerror}", hint="Leave --port out to take a free one."
            ) from None
        self._runner, self._door, self._listening, self._quiet = runner, door, listening, QuietAccept()
        bound = listening.sockets[0].getsockname()[1]
        self._authenticator.listen(bound)
        try:
            return self._publish(bound)
        except OSError as error:
            await self.stop()
            raise StartError(
                f"Cannot write where the bridge is: {error.strerror}", hint="Make room on the disk."
            ) from None

    async def stop(self) -> None:
        """Stop listening, take the files away, and end every connection and what runs for it."""
        runner, self._runner = self._runner, None
        if runner is None:
            return
        self._withdraw()
        if self._listening is not None:
            self._listening.close()
        if self._mcp_sessions is not None:
            await self._mcp_sessions.stop()
        await self._hub.stop()
        await runner.cleanup()
        await self._hub.stop()  # what came in over a connection that was just being closed
        if self._quiet is not None:
            self._quiet.restore()

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[guard(self._authenticator)], client_max_size=MAX_FRAME)
        app.router.add_get("/ws", self._ws)
        app.router.add_post("/rpc", self._rpc)
        for method in ("GET", "POST", "DELETE"):
            app.router.add_route(method, "/mcp", self._mcp)
        app.router.add_get("/health", self._health, allow_head=False)
        app.router.add_route("*", "/{other:.*}", self._nothing)
        app.on_shutdown.append(self._close_sockets)
        return app

    async def _ws(self, request: web.Request) -> web.StreamResponse:
        client = self._let_in(request)
        socket = await open_socket(request)
        transport = request.transport
        if transport is None:  # gone while we upgraded
            return socket
        link = SocketLink(socket, transport)
        self._sockets.add(socket)
        try:
            await serve_socket(socket, link, self._session(client, link), partial(self._taken, transport))
        finally:
            self._sockets.discard(socket)
            # The library's next ping would keep it, and what was sent of a message, for minutes.
            await socket.close()
        return socket

    async def _rpc(self, request: web.Request) -> web.StreamResponse:
        client = self._let_in(request)
        session = self._session(client)
        try:
            answer = await session.answer(await request.read())
        finally:
            session.close()
            self._taken(request.transport)
        if answer is None:
            return web.Response(status=204)
        return web.Response(body=answer, content_type="application/json")

    async def _mcp(self, request: web.Request) -> web.StreamResponse:
        """Serve the Model Context Protocol, for clients that can be told apart."""
        client = self._let_in(request)
        if client.is_shared or client.is_person:
            raise web.HTTPForbidden(
                text="/mcp is for clients with a name and a token of their own; make one with "
                "`vault-bridge clients add NAME`"
            )
        sessions = await self._load_mcp()
        try:
            body = await request.read()
        finally:
            self._taken(request.transport)
        return await sessions.answer(client, request, body)

    async def _load_mcp(self) -> "HttpSessions":
        """Return the sessions of MCP. Its library loads for a second, so a bridge that nobody asks does without."""
        async with self._mcp_loading:
            if self._mcp_sessions is None:
                module = await asyncio.to_thread(import_module, "bridge.server.mcp_sessions")
                self._mcp_sessions = cast("HttpSessions", module.HttpSessions(self._session, self._services.version))
            return self._mcp_sessions

    async def _health(self, request: web.Request) -> web.StreamResponse:
        """Answer that the bridge is there; and which vault it serves, only to those who show a token."""
        vault = None
        if "Authorization" in request.headers:
            self._let_in(request)
            vault = self._services.vault
        return json_answer(Health(version=self._services.version, vault=vault).to_wire())

    async def _nothing(self, _request: web.Request) -> web.StreamResponse:
        raise web.HTTPNotFound(text="There are GET /ws, POST /rpc, /mcp and GET /health")

    def _let_in(self, request: web.Request) -> Client:
        """Return the client whose token a request shows; its connection may stay."""
        client = self._authenticator.check_client(request.headers)
        if self._door is not None:
            self._door.let_in(request.transport, client)
        return client

    def _taken(self, transport: asyncio.BaseTransport | None, count: int | None = None) -> None:
        """Count a message of so many bytes as taken; None: all that came."""
        if self._door is not None and transport is not None:
            self._door.holdings.taken(transport, count)

    def _session(self, client: Client, link: ClientTransport | None = None) -> Session:
        return Session(client, hub=self._hub, dispatcher=self._dispatcher, services=self._services, transport=link)

    async def _close_sockets(self, _app: web.Application) -> None:
        await asyncio.gather(
            *(socket.close(code=WSCloseCode.GOING_AWAY, message=b"The bridge stops") for socket in self._sockets)
        )

    def _publish(self, port: int) -> Discovery:
        url, http = f"ws://{ADDRESS}:{port}/ws", f"http://{ADDRESS}:{port}"
        where: dict[str, Any] = {"url": url, "http": http, "pid": os.getpid(), "version": self._services.version}
        for client, token in self.tokens.items():
            endpoint = Endpoint(**where, token=token, vault=str(self._run.vault))
            self._run.write(FILES[client], orjson.dumps(endpoint.to_wire()))
        discovery = Discovery(**where, run_dir=str(self._run.path))
        write_atomic(self._state, BRIDGE_FILE, orjson.dumps(discovery.to_wire()))
        return discovery

    def _withdraw(self) -> None:
        self._run.remove(*FILES.values())
        with contextlib.suppress(OSError):  # somebody else took it away
            self._state.unlink(BRIDGE_FILE)
