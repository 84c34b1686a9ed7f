"""MCP over a pipe, in process, to a real bridge; and a client of the SDK at the other end."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp.client.client import Client as SdkClient
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from bridge.app import Bridge
from bridge.identity.caller import Client
from bridge.mcp.server import VaultServer, serve_pipe
from bridge.rpc.dispatch import Dispatcher
from bridge.rpc.methods import METHODS
from bridge.rpc.session import InProcess, Session
from tests.patience import PATIENCE
from tests.people import Person, person_at

VERSION = "2026-07-28"
ERAS = ("legacy", "auto")
"""How the SDK's client calls the two."""
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "robot", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "robot", "version": "1"}}


class Served:
    """A bridge, the person at its screen, and a client with a name that reaches it over MCP."""

    def __init__(self, bridge: Bridge, person: Person, client: Client, vault: Path) -> None:
        self.bridge = bridge
        self.person = person
        self.client = client
        self.vault = vault
        self._resolved: dict[str, str] = {}
        self._news = asyncio.Event()
        person.host.on("consent.resolved", self._resolve)

    def _resolve(self, resolved: dict[str, Any]) -> None:
        self._resolved[resolved["requestId"]] = resolved["outcome"]
        self._news.set()

    async def outcome(self, question: dict[str, Any]) -> str:
        """How a question ends."""
        async with asyncio.timeout(PATIENCE):
            while question["requestId"] not in self._resolved:
                self._news.clear()
                await self._news.wait()
        return self._resolved[question["requestId"]]

    def port(self) -> InProcess:
        """The way of the client to the bridge."""

        def open_session(link: InProcess) -> Session:
            services = self.bridge.services
            hub = services.hub
            return Session(self.client, hub=hub, dispatcher=Dispatcher(METHODS), services=services, transport=link)

        return InProcess(open_session, lambda: None)

    @asynccontextmanager
    async def streams(self, *, progress_seconds: float = 10.0) -> AsyncIterator[tuple[Any, Any]]:
        """The client's end of a pipe."""
        port = self.port()
        to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, to_client = anyio.create_memory_object_stream[SessionMessage](100)
        server = VaultServer(port, "1", progress_seconds=progress_seconds)
        serving = asyncio.create_task(serve_pipe(server, incoming, outgoing))
        try:
            yield to_client, to_server
        finally:
            to_server.close()
            await serving
            to_client.close()
            port.close()

    @asynccontextmanager
    async def connected(self, era: str, elicit: Any = None, **more: Any) -> AsyncIterator[SdkClient]:
        """The SDK's client, in one of the eras; `elicit` answers what its user is asked."""
        async with SdkClient(self.streams(**more), mode=era, elicitation_callback=elicit) as client:
            yield client

    @asynccontextmanager
    async def talk(self) -> AsyncIterator["Talk"]:
        """The bare messages of a pipe."""
        async with self.streams() as (reading, writing):
            yield Talk(reading, writing)


class Talk:
    """Says what a client says, word for word."""

    def __init__(self, reading: Any, writing: Any) -> None:
        self._reading = reading
        self._writing = writing

    async def say(self, message: dict[str, Any]) -> None:
        """Send a message."""
        await self._writing.send(SessionMessage(jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0"} | message)))

    async def ask(self, number: int | str, method: str, **params: Any) -> dict[str, Any]:
        """Send a request, and return its answer."""
        await self.say({"id": number, "method": method, "params": params})
        return await self.answer(number)

    async def heard(self) -> dict[str, Any]:
        """The next message, whatever it is."""
        async with asyncio.timeout(PATIENCE):
            return dict((await self._reading.receive()).message.model_dump(by_alias=True, exclude_unset=True))

    async def answer(self, number: int | str) -> dict[str, Any]:
        """The answer to a request; whatever comes before it is dropped."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = (await self._reading.receive()).message.model_dump(by_alias=True, exclude_unset=True)
                if message.get("id") == number and "method" not in message:
                    return dict(message)

    async def next(self, method: str) -> dict[str, Any]:
        """The parameters of the next notification of this name."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = (await self._reading.receive()).message.model_dump(by_alias=True, exclude_unset=True)
                if message.get("method") == method:
                    return dict(message["params"] or {}) if "params" in message else {}


@asynccontextmanager
async def serve_robot(vault: Path, **settings: Any) -> AsyncIterator[Served]:
    """A bridge with all tools, and a client called Robot."""
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["*"]} | settings)
        info, _token = bridge.services.clients.add("Robot")
        client = Client(info.client_id, info.name, frozenset(info.capabilities))
        with contextlib.suppress(asyncio.CancelledError):
            yield Served(bridge, person, client, vault)
