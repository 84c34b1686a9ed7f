"""A bridge with `/mcp`, clients with names, and a person at a screen."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import orjson
from mcp.client.client import Client as SdkClient
from mcp.client.streamable_http import streamable_http_client

from bridge.app import Bridge
from tests.mcp.pipes import ENVELOPE, VERSION
from tests.patience import PATIENCE
from tests.people import Person, person_at

ACCEPT = "application/json, text/event-stream"


class Door:
    """A bridge with `/mcp`, two clients with names, and a person."""

    def __init__(self, bridge: Bridge, person: Person, http: aiohttp.ClientSession, vault: Path) -> None:
        self.bridge = bridge
        self.person = person
        self.http = http
        self.vault = vault
        self.url = f"{bridge.discovery.http}/mcp"
        self.clients = {name: bridge.services.clients.add(name) for name in ("Robot", "Android")}

    def token(self, name: str) -> str:
        return self.clients[name][1]

    async def post(self, method: str, params: dict[str, Any], token: str | None, **headers: str) -> Any:
        """Send one request; the status and the headers of the answer, and its body as text."""
        sent = {"Accept": ACCEPT, "Content-Type": "application/json", **headers}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        body = io.BytesIO(orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
        async with self.http.post(self.url, data=body, headers=sent) as answer:
            return answer.status, answer.headers, await answer.text()

    async def discover(self, token: str | None, **headers: str) -> Any:
        """The newest way to begin."""
        modern = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "server/discover"}
        return await self.post("server/discover", {"_meta": ENVELOPE}, token, **modern, **headers)

    @asynccontextmanager
    async def connected(self, era: str, name: str = "Robot", *, elicit: Any = None) -> AsyncIterator[SdkClient]:
        """The SDK's client; `elicit` answers what its user is asked."""
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.token(name)}"}, timeout=PATIENCE) as http,
            SdkClient(
                streamable_http_client(self.url, http_client=http), mode=era, elicitation_callback=elicit
            ) as client,
        ):
            yield client


@asynccontextmanager
async def open_door(vault: Path, **settings: Any) -> AsyncIterator[Door]:
    """A bridge with all tools."""
    async with Bridge(vault) as bridge, person_at(vault) as person, aiohttp.ClientSession() as http:
        bridge.settings.update({"enabledTools": ["*"]} | settings)
        yield Door(bridge, person, http, vault)
