"""The same questions to other servers that give agents a vault, each asked through its own protocol.

They come from the npm registry, into the playground; they are started on a copy of the vault. Both sides answer the
same questions in turn. The result is the median of each and how many times faster ours is; a peer that has no such tool
is left out of that row.
"""

import asyncio
import contextlib
import json
import math
import shutil
import statistics
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from scripts.lib.bench_measure import MEASURED, note
from scripts.lib.bench_processes import PLAYGROUND, Raw, connected, serving
from scripts.lib.bench_vaults import bench_vault

NOTES = 10_000
REPEATS = 9
PEERS = PLAYGROUND / "peers"
QUERIES = ("kwyjibo", "history of the church", "river", "philosophy ethics", "battle at sea")
PATIENCE = 120.0
"""Seconds that one answer of a peer may take."""


@dataclass(frozen=True)
class Peer:
    """One peer: its package, how it is started, and which of its tools answers what.

    Attributes:
        package: Its name in the npm registry.
        program: What it is started as.
        asks: By question, the tool and, made from the vault and a query, its arguments.
    """

    package: str
    program: str
    asks: dict[str, tuple[str, Callable[[Path, str], dict[str, Any]]]] = field(default_factory=dict)


@lru_cache(maxsize=1)
def a_note(vault: Path) -> str:
    """A note that is there, by its path in the vault."""
    return min(str(path.relative_to(vault)) for path in vault.glob("*/*.md"))


def _folder_and_name(vault: Path) -> dict[str, str]:
    folder, _, name = a_note(vault).rpartition("/")
    return {"folder": folder, "filename": name}


def _vault_id(vault: Path) -> str:
    return vault.name.lower().replace(" ", "-")


KNOWN = (
    Peer(
        "@bitbonsai/mcpvault",
        "mcpvault",
        {
            "search": ("search_notes", lambda _vault, query: {"query": query, "limit": 10}),
            "tags": ("list_all_tags", lambda _vault, _query: {}),
            "read": ("read_note", lambda vault, _query: {"path": a_note(vault)}),
        },
    ),
    Peer(
        "obsidian-mcp",
        "obsidian-mcp",
        {
            "search": ("search-vault", lambda vault, query: {"vault": _vault_id(vault), "query": query}),
            "read": ("read-note", lambda vault, _query: {"vault": _vault_id(vault), **_folder_and_name(vault)}),
        },
    ),
    Peer(
        "mcp-obsidian",
        "mcp-obsidian",
        {
            "names": ("search_notes", lambda _vault, query: {"query": query.split()[0]}),
            "read": ("read_notes", lambda vault, _query: {"paths": [a_note(vault)]}),
        },
    ),
    Peer(
        "@modelcontextprotocol/server-filesystem",
        "mcp-server-filesystem",
        {
            "names": ("search_files", lambda vault, query: {"path": str(vault), "pattern": f"**/*{query.split()[0]}*"}),
            "read": ("read_text_file", lambda vault, _query: {"path": str(vault / a_note(vault))}),
        },
    ),
)
OURS: dict[str, tuple[str, Callable[[Path, str], dict[str, Any]]]] = {
    "search": ("search_notes", lambda _vault, query: {"query": query}),
    "names": ("find", lambda _vault, query: {"pattern": query.split()[0]}),
    "tags": ("list_tags", lambda _vault, _query: {}),
    "read": ("read", lambda vault, _query: {"path": a_note(vault)}),
}


async def run() -> None:
    """Measure and print."""
    npm = shutil.which("npm")
    if npm is None:
        print("  Not run: npm is not installed.")
        return
    await _install(npm)
    vault = bench_vault(NOTES)
    copy = PLAYGROUND / f"peers-{NOTES}"
    if not copy.is_dir():
        shutil.copytree(vault, copy)
    shutil.rmtree(copy / ".vault-bridge", ignore_errors=True)
    (copy / ".obsidian" / "app.json").write_text("{}", encoding="utf-8")  # one peer wants to see it
    async with serving(copy), connected(copy) as ours:
        await _indexed(ours)
        for peer in KNOWN:
            await _against(peer, copy, ours)


async def _install(npm: str) -> None:
    """Fetch the peers, or make sure that they are there."""
    quiet = ("--silent", "--no-fund", "--no-audit", "--prefix", str(PEERS))
    installing = await asyncio.create_subprocess_exec(npm, "install", *quiet, *(peer.package for peer in KNOWN))
    if await installing.wait():
        raise RuntimeError("npm could not install the peers; its messages are above")


async def _indexed(ours: Raw) -> None:
    """Wait until our first index is built, which is measured elsewhere."""
    while True:
        status = orjson.loads(await ours.ask('{"jsonrpc":"2.0","id":1,"method":"vault.status","params":{}}'))["result"]
        if not status["indexing"] and status["indexed"] == status["notes"]:
            return
        await asyncio.sleep(0.1)


async def _against(peer: Peer, vault: Path, ours: Raw) -> None:
    """Measure one peer and print a line for each question that it answers."""
    began = time.perf_counter()
    try:
        async with asyncio.timeout(PATIENCE * len(QUERIES)), _session(peer, vault) as (session, schemas):
            print(f"  {peer.package} {_version(peer)}: ready after {_ms(time.perf_counter() - began)}, {schemas} bytes")
            for question, (tool, arguments) in peer.asks.items():
                theirs, mine = [], []
                our_tool, our_arguments = OURS[question]
                queries = QUERIES if question in {"search", "names"} else QUERIES[:1]
                for query in queries:
                    for _ in range(max(1, REPEATS // len(queries) + 1)):
                        theirs.append(await _timed(session.call_tool(tool, arguments(vault, query))))
                        mine.append(await _timed(_ask(ours, our_tool, our_arguments(vault, query))))
                faster = statistics.median(theirs) / statistics.median(mine)
                fastest = MEASURED.get(f"peer.{question}", (0.0, math.inf))[1]
                if statistics.median(theirs) < fastest:
                    note(f"peer.{question}", statistics.median(mine), statistics.median(theirs))
                print(
                    f"    {question:<8} {tool:<16} {_ms(statistics.median(theirs)):>10}   "
                    f"ours ({our_tool}) {_ms(statistics.median(mine)):>9}   {faster:.1f} times faster"
                )
    except Exception as error:  # noqa: BLE001 - whatever one peer does, the others are measured
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        print(f"    {peer.package} stopped ({type(error).__name__}: {error}); playground/peers.log may say why")


@contextlib.asynccontextmanager
async def _session(peer: Peer, vault: Path) -> AsyncIterator[tuple[Any, int]]:
    """An initialised session with a peer, and the size of its tools' schemas."""
    # Imported here: the library takes longer to import than everything else together, and is there for this alone.
    from mcp import ClientSession, StdioServerParameters  # noqa: PLC0415
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    program = str(PEERS / "node_modules" / ".bin" / peer.program)
    with (PLAYGROUND / "peers.log").open("a", encoding="utf-8") as log:
        async with (
            stdio_client(StdioServerParameters(command=program, args=[str(vault)]), errlog=log) as (reading, writing),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            listed = await session.list_tools()
            yield session, len(json.dumps([tool.model_dump(mode="json") for tool in listed.tools]))


async def _ask(ours: Raw, tool: str, arguments: dict[str, Any]) -> None:
    """Call our tool; a refusal would be measured as an answer otherwise."""
    answer = orjson.loads(await ours.call(tool, **arguments))
    if not answer.get("result", {}).get("success"):
        raise RuntimeError(f"{tool} failed: {answer}")


async def _timed(work: Any) -> float:
    began = time.perf_counter()
    async with asyncio.timeout(PATIENCE):
        answer = await work
    if getattr(answer, "is_error", getattr(answer, "isError", False)):
        raise RuntimeError(f"the peer refused: {str(answer)[:200]}")
    return time.perf_counter() - began


def _version(peer: Peer) -> str:
    manifest = PEERS / "node_modules" / peer.package / "package.json"
    return str(orjson.loads(manifest.read_bytes())["version"])


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
