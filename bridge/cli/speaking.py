"""The process that an MCP client starts: it speaks with its client, and uses the bridge of the vault.

The bridge is found, started if there is none, and found again, for as long as this process lives.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Final

from pydantic import BaseModel

from bridge import __version__
from bridge.cli.connection import went_away
from bridge.cli.mcp import load
from bridge.cli.stopping import PARENT, TERMINATION, on_signals
from bridge.client import BridgeNotRunning, Connection, ConnectionLost, ProtocolFailure, connect
from bridge.client.token_storage import find_token
from bridge.contract.base import OWN_QUESTION, SCREEN_CHANGED, TOOL_PROGRESS, TOOLS_CHANGED
from bridge.errors import BridgeError
from bridge.leaving_out import put_in_place
from bridge.mcp.port import Listener
from bridge.server.tool_lists import kept_list

IDLE_SECONDS: Final = 5
"""After how long without any client a bridge that was started for one ends."""
PATIENCE_SECONDS: Final = 15.0
"""In which a bridge is found or started."""
AGAIN_SECONDS: Final = 2.0
"""Between two attempts to start one: another may be just starting or stopping."""
PAUSE_SECONDS: Final = 0.03
TRIES: Final = 3
"""Attempts at a request when the bridge goes away while it is under way."""
EVENTS: Final = (TOOLS_CHANGED, TOOL_PROGRESS, OWN_QUESTION, SCREEN_CHANGED)


class AttachedBridge:
    """A bridge that serves a vault, whichever process that is just now. It is started where there is none.

    Args:
        vault: The vault's real path.
        client: The client's name, as the person gave it.
    """

    def __init__(self, vault: Path, client: str) -> None:
        self._vault = vault
        self._client = client
        self._calls_itself = "MCP"
        self._listeners: list[Listener] = []
        self._connecting = asyncio.Lock()
        self._connection: Connection | None = None
        self._stack = contextlib.AsyncExitStack()
        self._started: StartedBridge | None = None
        self._naming: asyncio.Task[None] | None = None
        self._starting = asyncio.Event()
        self._comparing: asyncio.Task[None] | None = None

    @property
    def is_there(self) -> bool:
        """Return whether a connection exists, so that a request need not wait for a bridge to start."""
        return self._connection is not None

    async def request(self, method: str, /, **params: Any) -> Any:
        """Call a method. What is lost with the bridge is asked again, where nothing can be done twice by that.

        Raises:
            BridgeError: It was refused, or the bridge cannot be reached.
        """
        if method == "tools.list" and self._connection is None and (kept := await self._kept_list()) is not None:
            return kept
        tries = TRIES if method != "tools.call" or "callId" in params else 1
        for _ in range(tries - 1):
            connection = await self._connected()
            try:
                return await connection.request(method, **params)
            except (ConnectionLost, ProtocolFailure) as error:
                if not went_away(error):
                    raise
            await self._drop(connection)
        return await (await self._connected()).request(method, **params)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have a function called with every event."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def introduce(self, name: str) -> None:
        """Say what the program calls itself, to this bridge and to those that come after it."""
        if name != self._calls_itself:
            self._calls_itself = name
            self._naming = asyncio.create_task(self._introduce(name))

    async def close(self) -> None:
        """Leave. A bridge that was started for this ends when nobody else is connected."""
        for task in (self._naming, self._comparing):
            if task is not None:
                task.cancel()
        await self._stack.aclose()

    async def _kept_list(self) -> list[dict[str, Any]] | None:
        """Return the client's tools as they were last, where no bridge is there yet and one has to start; else None."""
        finding, starting = asyncio.create_task(self._connected()), asyncio.create_task(self._starting.wait())
        await asyncio.wait((finding, starting), return_when=asyncio.FIRST_COMPLETED)
        starting.cancel()
        kept = None if finding.done() else await asyncio.to_thread(self._read_list)
        if kept is None:
            with contextlib.suppress(BridgeError):  # the request itself will say what is wrong
                await finding
        elif self._comparing is None or self._comparing.done():
            self._comparing = asyncio.create_task(self._compare(kept, finding))
        return kept

    def _read_list(self) -> list[dict[str, Any]] | None:
        token = find_token(self._vault, self._client)
        return kept_list(self._vault, token.split("_")[1])

    async def _compare(self, kept: list[dict[str, Any]], finding: asyncio.Task[Connection]) -> None:
        """Say that the tools have changed, where the bridge that has started has others than were listed."""
        with contextlib.suppress(BridgeError):
            await finding
            if await self.request("tools.list", format="mcp") != kept:
                self._tell(TOOLS_CHANGED, {})

    async def _introduce(self, name: str) -> None:
        with contextlib.suppress(BridgeError):
            await self.request("session.name", client=name)

    async def _connected(self) -> Connection:
        async with self._connecting:
            if self._connection is None:
                self._connection = await self._connect()
            return self._connection

    async def _drop(self, connection: Connection) -> None:
        """Note that the bridge went away. The next one may have other tools."""
        async with self._connecting:
            if self._connection is connection:
                self._connection = None
                await self._stack.aclose()
                self._tell(TOOLS_CHANGED, {})

    async def _connect(self) -> Connection:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                connection = await self._stack.enter_async_context(
                    connect(self._vault, name=self._calls_itself, client=self._client)
                )
            except (BridgeNotRunning, ConnectionLost):
                if time.monotonic() > deadline:
                    said = self._started.said() if self._started is not None else ""
                    raise BridgeNotRunning(f"No bridge serves the vault, and none could be started. {said}") from None
                if self._started is None or self._started.may_be_replaced:
                    self._started = StartedBridge(self._vault)
                self._starting.set()
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                self._starting.clear()
                for event in EVENTS:
                    connection.on(event, partial(self._tell, event))
                return connection

    def _tell(self, event: str, params: dict[str, Any]) -> None:
        for listener in list(self._listeners):
            listener(event, params)


class StartedBridge:
    """A bridge in a process of its own, which outlives this one if others are connected.

    Args:
        vault: The vault's real path.
    """

    def __init__(self, vault: Path) -> None:
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the process writes into it
        self._since = time.monotonic()
        # -P: we may have been started in any folder, and what is in it is not ours, whatever its name is.
        program = [sys.executable, "-P", "-m", "bridge"]
        command = [*program, "serve", "--vault", str(vault), "--until-idle", str(IDLE_SECONDS)]
        apart: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            env={name: value for name, value in os.environ.items() if name != PARENT},
            **apart,
        )

    @property
    def may_be_replaced(self) -> bool:
        """Return whether it ended long enough ago that a new one may succeed."""
        return self._process.poll() is not None and time.monotonic() - self._since > AGAIN_SECONDS

    def said(self) -> str:
        """Return what it said when it ended, in its last lines."""
        self._log.seek(0)
        return self._log.read()[-2000:].decode("utf-8", "replace").strip()


MODULES: Final = ("bridge.mcp.server", "bridge.cli.standard_streams")
"""The modules that speak MCP, with its library."""
BARE: Final = ("mcp", "mcp.server")
"""Packages of that library of which only single modules are wanted: they import clients and servers for the network."""
UNUSED: Final = (
    *("starlette.applications", "starlette.middleware", "starlette.middleware.authentication", "starlette.routing"),
    *("mcp.server.auth.middleware.auth_context", "mcp.server.auth.middleware.bearer_auth", "mcp.server.auth.provider"),
    *("mcp.server.auth.routes", "mcp.server.auth.settings", "mcp.server.streamable_http"),
    *("mcp.server.streamable_http_manager", "mcp.server.transport_security"),
)
"""Modules for the network that its server imports and a pipe does not use. They take 5 MB of each such process."""
PARENT_SECONDS: Final = 2.0
"""The interval of checks whether the program that started us still runs."""


def speak(folder: Path, client: str) -> None:
    """Speak with the client until its side of the pipe closes.

    Args:
        folder: The vault.
        client: As which client.
    """
    asyncio.run(_serve(folder, client))


class _Names(ModuleType):
    """A module that is only imported from: whatever is taken from it is never used."""

    def __getattr__(self, name: str) -> type[object]:
        if name.startswith("__"):
            raise AttributeError(name)
        return object


async def _serve(folder: Path, client: str) -> None:
    stopped, bridge = asyncio.Event(), AttachedBridge(folder, client)
    with on_signals(stopped.set, "SIGINT", *TERMINATION):
        try:
            serving = asyncio.create_task(_speak(bridge))
            ending = [asyncio.create_task(stopped.wait()), asyncio.create_task(_parent_gone())]
            await asyncio.wait([serving, *ending], return_when=asyncio.FIRST_COMPLETED)
            for task in (serving, *ending):
                task.cancel()
            await asyncio.wait([serving, *ending])
        finally:
            await bridge.close()
    failure = None if serving.cancelled() else serving.exception()
    if failure is not None:
        raise failure
    sys.stderr.flush()
    os._exit(0)  # a thread may be waiting for a pipe, which no other way of ending would end


async def _speak(bridge: AttachedBridge) -> None:
    server, streams = await asyncio.to_thread(_load)
    # Not before: a bridge that starts meanwhile would take the processor time that the first answer needs.
    finding = asyncio.create_task(_find(bridge))
    try:
        async with streams.open_stdio() as (incoming, outgoing):
            await server.serve_pipe(server.VaultServer(bridge, __version__), incoming, outgoing)
    finally:
        finding.cancel()


async def _find(bridge: AttachedBridge) -> None:
    """Look for the bridge, or start one, before anything is asked of it."""
    with contextlib.suppress(BridgeError):  # whoever asks something will hear of it
        await bridge.request("ping")


def _load() -> list[Any]:
    """Load what speaks MCP. Of the messages that its library knows, few are ever sent or read: those are made ready."""
    for package in BARE:  # what it imports itself takes 14 MB, and no part of it is used
        if package not in sys.modules and (spec := find_spec(package)) is not None:
            sys.modules[package] = module_from_spec(spec)
    BaseModel.model_config["defer_build"] = True
    try:
        with put_in_place({module: _Names(module) for module in UNUSED if module not in sys.modules}):
            return load(*MODULES)
    finally:
        del BaseModel.model_config["defer_build"]


async def _parent_gone() -> None:
    """Return when the program that started us has ended. A pipe that somebody else holds open would not tell."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - nothing tells of it. On Windows it never changes
        await asyncio.sleep(PARENT_SECONDS)
