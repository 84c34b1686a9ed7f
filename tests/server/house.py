"""A whole server on a real socket, over services that are small enough to watch."""

import io
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from bridge.contract.discovery import AGENT_FILE, HOST_FILE, Discovery
from bridge.records.folder import RunFolder
from bridge.server.server import Server
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE
from tests.rpc.world import World

MAX_MESSAGE = 64 * 1024 * 1024
FILES = {"agent": AGENT_FILE, "host": HOST_FILE}


class House:
    """A running server, and ways to knock at it."""

    def __init__(
        self, world: World, server: Server, discovery: Discovery, http: aiohttp.ClientSession, vault: Path
    ) -> None:
        self.world = world
        self.server = server
        self.discovery = discovery
        self.http = http
        self.vault = vault

    def token(self, role: str = "agent") -> str:
        return str(orjson.loads((Path(self.discovery.run_dir) / FILES[role]).read_bytes())["token"])

    def bearer(self, role: str = "agent") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token(role)}"}

    async def socket(
        self, role: str = "agent", *, headers: Any = None, protocols: Sequence[str] = ()
    ) -> aiohttp.ClientWebSocketResponse:
        headers = self.bearer(role) if headers is None else headers
        url = self.discovery.url
        return await self.http.ws_connect(url, max_msg_size=MAX_MESSAGE, headers=headers, protocols=protocols)

    async def post(self, body: Any, role: str = "agent", **headers: str) -> aiohttp.ClientResponse:
        data = io.BytesIO(body if isinstance(body, bytes) else orjson.dumps(body))
        return await self.http.post(f"{self.discovery.http}/rpc", data=data, headers={**self.bearer(role), **headers})

    async def get(self, path: str, method: str = "GET", **headers: str) -> aiohttp.ClientResponse:
        return await self.http.request(method, f"{self.discovery.http}{path}", headers=headers)


@asynccontextmanager
async def open_house(vault: Path) -> AsyncIterator[House]:
    """A server of this vault, until the end of the block."""
    world = World()
    root = VaultRoot(vault)
    with root.state() as state:
        server = Server(world.services, world.hub, run=RunFolder(root.path), state=state)
        discovery = await server.start()
        async with aiohttp.ClientSession() as http:
            yield House(world, server, discovery, http, root.path)
        await server.stop()
    root.close()


def request(id: Any, method: str, **params: Any) -> dict[str, Any]:
    """One request."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


async def ask(socket: aiohttp.ClientWebSocketResponse, data: Any) -> Any:
    """Send one frame and return the next message."""
    await socket.send_frame(data if isinstance(data, bytes) else orjson.dumps(data), aiohttp.WSMsgType.TEXT)
    return orjson.loads(await socket.receive_str(timeout=PATIENCE))
