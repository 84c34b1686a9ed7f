"""Servers that people really run, from npm and with the SDK, in the sandbox or over HTTP."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.servers.configuration import entry
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Opener
from tests.mcp.clients import node
from tests.patience import PATIENCE

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

SCRIPT = """
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("tea")

@server.tool()
def brew(minutes: int) -> dict[str, int]:
    "Brew tea."
    return {"minutes": minutes}

server.run(*sys.argv[1:2], **({"port": int(sys.argv[2])} if len(sys.argv) > 2 else {}))
"""


@asynccontextmanager
async def connected(opener: Opener, name: str, **members: Any) -> AsyncIterator[ServerConnection]:
    server = ServerConnection(name, entry(name, members), opener)
    try:
        await server.connect()
        yield server
    finally:
        await server.stop()


async def call(server: ServerConnection, tool: str, **arguments: Any) -> dict[str, Any]:
    return await server.call(tool, arguments, PATIENCE, lambda *_said: None)


def started(package: str, *more: str) -> dict[str, Any]:
    """The entry of a server from npm."""
    program, script = node.program(package)
    return {"command": program, "args": [str(Path(script).resolve()), *more]}


async def test_the_reference_server_answers_in_every_kind(opener: Opener) -> None:
    members = await asyncio.to_thread(started, "mcp-server-everything", "stdio")
    async with connected(opener, "everything", **members) as server:
        assert {"echo", "get-sum", "get-tiny-image"} <= {each.name for each in server.definitions}
        assert server.faults == []
        assert (await call(server, "echo", message="hi"))["content"][0]["text"] == "Echo: hi"
        assert any(part["type"] == "image" for part in (await call(server, "get-tiny-image"))["content"])
        structured = await call(server, "get-structured-content", location="New York")
        assert "temperature" in structured["structuredContent"]


async def test_the_file_server_sees_its_folder_and_nothing_else(opener: Opener, tmp_path: Path) -> None:
    papers = tmp_path / "Papers"
    papers.mkdir()
    (papers / "tea.txt").write_text("green", encoding="utf-8")
    members = await asyncio.to_thread(started, "mcp-server-filesystem", str(papers))
    async with connected(opener, "papers", **members) as server:
        read = await call(server, "read_text_file", path=str(papers / "tea.txt"))
        assert read["content"][0]["text"] == "green"
        outside = await call(server, "read_text_file", path=str(tmp_path / "Vault" / "Ideas.md"))
        assert outside["isError"]


async def test_the_memory_server_keeps_what_it_learns_in_the_folder_that_it_is_given(
    opener: Opener, tmp_path: Path
) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    members = await asyncio.to_thread(started, "mcp-server-memory")
    members |= {"env": {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}, "folders": [str(folder)]}
    async with connected(opener, "memory", **members) as server:
        tea = {"name": "tea", "entityType": "drink", "observations": ["green"]}
        await call(server, "create_entities", entities=[tea])
    async with connected(opener, "memory", **members) as server:
        known = await call(server, "read_graph")
        assert "green" in known["content"][0]["text"]


async def test_a_server_of_the_sdk_on_its_pipes(opener: Opener, tmp_path: Path) -> None:
    script = tmp_path / "server" / "tea.py"
    script.parent.mkdir()
    script.write_text(SCRIPT, encoding="utf-8")
    async with connected(opener, "tea", command=sys.executable, args=[str(script), "stdio"]) as server:
        assert (await call(server, "brew", minutes=3))["structuredContent"] == {"minutes": 3}


async def test_a_server_of_the_sdk_over_http(opener: Opener, tmp_path: Path) -> None:
    script = tmp_path / "tea.py"
    script.write_text(SCRIPT, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, str(script), "streamable-http", str(port)],
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await listening(port)
        async with connected(opener, "tea", url=f"http://127.0.0.1:{port}/mcp") as server:
            assert [each.name for each in server.definitions] == ["brew"]
            assert (await call(server, "brew", minutes=3))["structuredContent"] == {"minutes": 3}
    finally:
        process.kill()
        await process.wait()


async def listening(port: int) -> None:
    """Return when something listens there."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                _reader, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                await writer.wait_closed()
                return
