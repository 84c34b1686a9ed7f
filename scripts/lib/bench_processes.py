"""The processes that the bench measures, and connections to them."""

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from bridge.client import find_endpoint
from bridge.records.folder import STATE_VARIABLE
from scripts.lib.environment import ROOT, variables
from scripts.lib.vault_generator import generate

PLAYGROUND = ROOT / "playground"
PATIENCE = 60.0
"""Seconds after which a process that does not answer is given up."""
LONGEST_LINE = 64 * 1024 * 1024
_NOTIFICATION = '{"jsonrpc":"2.0","method":'


@contextlib.contextmanager
def new_place() -> Iterator[Path]:
    """A folder of its own, in which bridges keep what they keep outside of vaults; on the project's disk.

    A temporary folder may be memory, and what the last run has left would be found again.
    """
    PLAYGROUND.mkdir(exist_ok=True)
    before = os.environ.get(STATE_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as name:
        os.environ[STATE_VARIABLE] = str(Path(name) / "state")
        try:
            yield Path(name)
        finally:
            if before is None:
                del os.environ[STATE_VARIABLE]
            else:
                os.environ[STATE_VARIABLE] = before


class Server:
    """A process that answers lines on its standard input."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid

    async def line(self) -> str:
        """The next line it prints."""
        if self._process.stdout is None:
            raise RuntimeError("The process was started without a pipe")
        line = await asyncio.wait_for(self._process.stdout.readline(), PATIENCE)
        if not line:
            raise RuntimeError("The measured process ended; its messages are above")
        return line.decode().strip()

    async def take(self) -> Any:
        """Return what it has measured since the last time this was asked."""
        if self._process.stdin is None:
            raise RuntimeError("The process was started without a pipe")
        self._process.stdin.write(b"take\n")
        return orjson.loads(await self.line())


@contextlib.asynccontextmanager
async def started(module: str, *arguments: str, console: Path | None = None) -> AsyncIterator[Server]:
    """A module of ours, run as a process of its own, and ended at the end.

    Args:
        module: Its name.
        *arguments: What it is given.
        console: The file that its messages go into; None: where ours go.
    """
    with contextlib.ExitStack() as stack:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", module, *arguments),
            cwd=ROOT,
            env=variables(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None if console is None else stack.enter_context(console.open("wb")),
            limit=LONGEST_LINE,
        )
    try:
        yield Server(process)
    finally:
        if process.returncode is None:
            if process.stdin is not None:
                process.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), PATIENCE)  # it keeps the texts of a large vault first
        if process.returncode is None:
            process.kill()
            await process.wait()


@contextlib.asynccontextmanager
async def serving(
    vault: Path, hits: Any = (), *, engine: str = "", by_meaning: bool = False, console: Path | None = None
) -> AsyncIterator[Server]:
    """A bridge that serves a vault, as `scripts.lib.bench_server` makes it; with `engine="re2"`, without another."""
    options = engine, "by_meaning" if by_meaning else ""
    with _payload(hits) as file:
        async with started("scripts.lib.bench_server", str(vault), file, *options, console=console) as server:
            await server.line()
            yield server


@contextlib.asynccontextmanager
async def bare(payload: Any) -> "AsyncIterator[Raw]":
    """The reference for RPC, `scripts.lib.bench_bare`, and a connection to it."""
    with _payload(payload) as file:
        async with (
            started("scripts.lib.bench_bare", file) as server,
            raw(f"ws://127.0.0.1:{await server.line()}/ws") as connection,
        ):
            yield connection


@contextlib.contextmanager
def _payload(value: Any) -> Iterator[str]:
    """A file with a value as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "payload.json"
        file.write_bytes(orjson.dumps(value))
        yield str(file)


class Raw:
    """A WebSocket and nothing else, so that both sides of a comparison pay the same for the client."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def send(self, text: str) -> None:
        """Send a frame, and wait for nothing."""
        await self._socket.send_str(text)

    async def ask(self, text: str) -> str:
        """Send a frame, and give the next one that comes and is no notification."""
        await self.send(text)
        while (answer := await self._socket.receive_str()).startswith(_NOTIFICATION):
            pass
        return answer

    async def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool."""
        params = {"name": tool, "arguments": arguments}
        return await self.ask(request("tools.call", **params))


def request(method: str, **params: Any) -> str:
    """A JSON-RPC request as text."""
    return orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).decode()


@contextlib.asynccontextmanager
async def connected(vault: Path, role: str = "agent") -> AsyncIterator[Raw]:
    """A connection to the bridge of a vault, as an agent or as the person (`host`)."""
    endpoint = find_endpoint(vault, role)
    async with raw(endpoint.url, token=endpoint.token) as connection:
        yield connection


@contextlib.asynccontextmanager
async def raw(url: str, *, token: str = "") -> AsyncIterator[Raw]:
    """A connection to any WebSocket."""
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as http,
        http.ws_connect(url, max_msg_size=0, compress=0) as socket,
    ):
        yield Raw(socket)


def generated_vault(notes: int) -> Path:
    """A generated vault in the playground, with what earlier runs left in it taken away."""
    vault = generate(PLAYGROUND / f"bench-{notes}", notes=notes)
    shutil.rmtree(vault / ".vault-bridge", ignore_errors=True)
    return vault
