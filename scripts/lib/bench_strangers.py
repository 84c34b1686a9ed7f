"""Hostile and large input from strangers: its cost meanwhile, to the person in time and to the bridge in memory."""

import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

import orjson
from PIL import Image

from bridge.client import Connection, connect, find_endpoint
from scripts.lib.bench_hostile import MEMORY, memory, say
from scripts.lib.bench_processes import PLAYGROUND, Server, raw, request, serving, started
from scripts.lib.environment import ROOT
from tests.hostile_vault import write_hostile_vault
from tests.security.test_doors_under_load import CONNECTIONS, DOORS, Door, flood
from tests.security.test_strangers_text import ROBOTS
from tests.security.test_turns_are_short import PAGES

SERVER: Final = ROOT / "tests" / "servers" / "stranger.py"
MODES: Final = ("huge", "brackets", "parts", "error", "nonsense", "chatty")
HOSTILE: Final = 1 << 20
"""Bytes of each hostile note; the longest have more."""
NOISE: Final = (3_000, 2_000)
"""Pixels of a picture that takes long to scale."""
PICTURES: Final = 60
CARDS: Final = 100
CARD: Final = 100_000
LONG_CARD: Final = 9_000_000
"""Characters of one card of a canvas that is sent."""
SENT: Final = 20
AT_ONCE: Final = 200
LEAVING: Final = 40
"""Connections that send so many writes and leave at once."""
RENAMED: Final = 3_000
DOOR_SECONDS: Final = 2.0
"""The time for which each door is flooded."""
WRITES: Final = ("create_note", "write_file", "move", "rename_property", "delete_file")


async def run() -> None:
    """Measure and print."""
    PLAYGROUND.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as folder:
        vault, place = Path(folder) / "Vault", Path(folder) / "configuration"
        (vault / ".obsidian").mkdir(parents=True)
        place.mkdir(mode=0o700)
        Image.effect_noise(NOISE, 80).save(vault / "Noise.png")
        servers = {mode: {"command": sys.executable, "args": [str(SERVER), mode]} for mode in MODES}
        (place / "mcp.json").write_text(json.dumps({"mcp_servers": servers}), encoding="utf-8")
        before = os.environ.get("VAULT_BRIDGE_CONFIG")
        os.environ["VAULT_BRIDGE_CONFIG"] = str(place)
        try:
            async with serving(vault, console=Path(folder) / "console"):
                await _attacks(vault)
        finally:
            os.environ.pop("VAULT_BRIDGE_CONFIG")
            if before is not None:
                os.environ["VAULT_BRIDGE_CONFIG"] = before


async def _attacks(vault: Path) -> None:
    """Each attack, with the person's pings meanwhile and the memory after it."""
    async with AsyncExitStack() as stack:
        host = await stack.enter_async_context(connect(vault, name="bench", role="host", can=["consent"]))
        token = (await host.request("clients.add", name="Stranger"))["token"]
        web = await stack.enter_async_context(_web())
        always = dict.fromkeys(("web_fetch", *(f"mcp__{mode}__greet" for mode in MODES), "mcp_loader"), "always_allow")
        limits = dict.fromkeys((*always, *WRITES), 1_000)
        network = {"ollamaWebSearchEndpoint": web, "allowMcpServers": True}
        await host.request("settings.update", patch={"consentMode": always, "rateLimits": limits, **network})
        for mode in MODES:
            with contextlib.suppress(Exception):  # some cannot be trusted, which is an answer too
                seen = await host.request("servers.test", name=mode)
                await host.request("servers.trust", name=mode, digest=seen["digest"])

        async def answer(question: dict[str, Any]) -> None:
            said = {"requestId": question["requestId"], "planDigest": question["planDigest"]}
            await host.request("consent.respond", decision="allow_once", **said)

        host.on("consent.requested", answer)
        agent = await stack.enter_async_context(connect(vault, name="Stranger"))
        pinger = await stack.enter_async_context(started("scripts.lib.bench_pinger", str(vault), "host"))
        await pinger.line()
        pid = find_endpoint(vault).pid
        attacks: dict[str, Callable[[], Awaitable[object]]] = {
            "nothing": lambda: asyncio.sleep(2),
            "large paths": lambda: _large_paths(agent),
            f"{PICTURES} reads of a picture": lambda: _at_once(agent, "read", [{"path": "Noise.png"}] * PICTURES),
            f"{AT_ONCE} notes at once": lambda: _at_once(
                agent, "create_note", [{"path": f"New/{each}.md", "content": "text\n" * 50} for each in range(AT_ONCE)]
            ),
            f"canvases with {CARDS} cards of {CARD // 1000} KB": lambda: _canvas(vault, agent),
            f"{SENT} canvases with a card of {LONG_CARD // 1_000_000} MB sent": lambda: _at_once(
                agent, "write_file", [{"path": f"Card {each}.canvas", "content": _card()} for each in range(SENT)]
            ),
            f"{LEAVING} connections with {AT_ONCE} writes each that leave": lambda: _leave(vault, token),
            "hostile notes": lambda: _notes(vault, host, agent),
            f"a property renamed in {RENAMED:,} notes": lambda: _rename(vault, host, agent),
            "pages of the web": lambda: _pages(agent, web),
            "other MCP servers": lambda: _servers(agent),
        }
        attacks |= {f"door: {kind}": lambda kind=kind: _door(vault, kind, token) for kind in DOORS}  # type: ignore[misc]
        for name, attack in attacks.items():
            await _measured(name, attack, pinger, pid)


async def _measured(name: str, attack: Callable[[], Awaitable[object]], pinger: Server, pid: int) -> None:
    await pinger.take()
    began = time.perf_counter()
    await attack()
    took = time.perf_counter() - began
    say(f"while: {name}", await pinger.take())
    print(f"    {took:.1f} s; memory afterwards {memory(pid)}   goal: {MEMORY}", flush=True)


async def _at_once(agent: Connection, tool: str, calls: list[dict[str, Any]]) -> None:
    """Calls that are begun together; some may be refused."""
    await asyncio.gather(*(agent.call(tool, each) for each in calls), return_exceptions=True)


async def _large_paths(agent: Connection) -> None:
    paths = ["a/" * 250_000 + "b.md", "é" * 500_000, "[[" * 400_000, "../" * 300_000]
    await _at_once(agent, "read", [{"path": path} for path in paths * 5])


async def _canvas(vault: Path, agent: Connection) -> None:
    nodes = [
        {"id": str(each), "type": "text", "text": "word [[link]] #tag " * (CARD // 19), "x": each * 500, "y": 0}
        | {"width": 400, "height": 400}
        for each in range(CARDS)
    ]
    (vault / "Board.canvas").write_bytes(orjson.dumps({"nodes": nodes, "edges": []}))
    await _at_once(agent, "read", [{"path": "Board.canvas", "outline": True}, {"path": "Board.canvas"}] * 5)


def _card() -> str:
    return json.dumps({"nodes": [{"id": "a", "type": "text", "text": "x" * LONG_CARD}]})


async def _leave(vault: Path, token: str) -> None:
    async def come() -> None:
        async with raw(find_endpoint(vault).url, token=token) as connection:
            for number in range(AT_ONCE):
                note = {"path": f"Left/{number}.md", "content": "x" * 2_000}
                await connection.send(request("tools.call", name="create_note", arguments=note))

    await asyncio.gather(*(come() for _ in range(LEAVING)), return_exceptions=True)


async def _notes(vault: Path, host: Connection, agent: Connection) -> None:
    paths = write_hostile_vault(vault, HOSTILE)
    await _known(host, len(paths))
    for path in paths:
        await _at_once(agent, "read", [{"path": path}, {"path": path, "outline": True}, {"path": path, "info": True}])


async def _rename(vault: Path, host: Connection, agent: Connection) -> None:
    (vault / "Many").mkdir()
    for number in range(RENAMED):
        text = f"---\nstatus: open\ntags: [alpha]\n---\n# {number}\n\n" + "Some words #alpha and [[Board]].\n" * 20
        (vault / "Many" / f"{number}.md").write_text(text, encoding="utf-8")
    await _known(host, RENAMED)
    done = await agent.call("rename_property", property="status", new_name="state")
    if not done.ok:
        raise RuntimeError(f"The property was not renamed: {done.error}")


async def _known(host: Connection, files: int) -> None:
    """Return when the index has as many files as that, at least."""
    while (status := await host.request("vault.status"))["indexing"] or status["files"] < files:
        pass


async def _pages(agent: Connection, web: str) -> None:
    for number, _page in enumerate(PAGES):
        await _at_once(agent, "web_fetch", [{"url": f"{web}/{number}", "format": "markdown"}] * 2)
    for number in range(len(ROBOTS)):
        await _at_once(agent, "web_fetch", [{"url": f"{web}/{each}?{number}"} for each in range(12)])


async def _servers(agent: Connection) -> None:
    await _at_once(agent, "mcp_loader", [{}])
    for mode in MODES:
        await _at_once(agent, f"mcp__{mode}__greet", [{"name": "Ada"}] * 3)


async def _door(vault: Path, kind: str, token: str) -> None:
    enough = asyncio.Event()
    async with AsyncExitStack() as stack:
        door = Door(find_endpoint(vault).http, token)
        floods = [asyncio.create_task(flood(stack, kind, door, enough)) for _ in range(CONNECTIONS)]
        await asyncio.sleep(DOOR_SECONDS)
        enough.set()
        await asyncio.gather(*floods, return_exceptions=True)


@asynccontextmanager
async def _web() -> AsyncIterator[str]:
    """A site of a stranger on this computer: its pages, and another robots.txt each time that it is asked for."""
    pages, robots = list(PAGES.values()), list(ROBOTS.values())

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            number = path.strip("/").partition("?")[0]
            kind, body = pages[int(number) % len(pages)] if number.isdigit() else ("text/plain", robots[0].encode())
            if not number.isdigit():
                robots.append(robots.pop(0))
            head = (
                f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            writer.write(head.encode() + body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    try:
        yield f"http://localhost:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
