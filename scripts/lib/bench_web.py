"""The web: reading pages, a page that was kept beside a note of that size, and how long a long page holds the loop."""

import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import trafilatura

from bridge.app import tune_process
from bridge.clock import SystemClock
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools.web.web_fetch import WebFetchTool
from bridge.web.door import WebDoor
from bridge.web.extraction.reader import PageReader
from bridge.web.extraction.worker import read_page
from bridge.web.services import LastUsed, RobotsRules, WebCache, WebCredentials, WebServices
from bridge.web.transport import SystemResolver, Transport
from scripts.lib.bench_measure import alternate, compare
from scripts.lib.page_quality import page_quality, plain
from tests.real_data import REAL_VAULTS

PAGES = Path(__file__).resolve().parents[2] / "tests" / "web" / "extraction" / "pages"
CALLS = 20
PARAGRAPH = "<p>Some eighty characters of ordinary text, as they are in a page of the web, {}.</p>"
LONG = 500_000
"""Bytes of the long page."""
TICK = 0.001
IDLE = 0.2


def page(size: int) -> bytes:
    """A page of about so many bytes."""
    body = "".join(PARAGRAPH.format(number) for number in range(size // len(PARAGRAPH)))
    return f"<html><head><title>Long</title></head><body><main><h1>Long</h1>{body}</main></body></html>".encode()


@asynccontextmanager
async def served(body: bytes) -> AsyncIterator[tuple[Sandbox, str]]:
    """A vault with the tool, and the URL of a page on this machine that needs no question."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        writer.write(head + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    clock = SystemClock()
    with tempfile.TemporaryDirectory(prefix="vault-bridge-bench-") as folder:
        async with sandbox() as vault:
            vault.settings.update(
                {
                    "consentMode": {"web_fetch": "always_allow", "read": "always_allow"},
                    "ollamaWebSearchEndpoint": f"http://localhost:{port}",
                    "rateLimits": {"web_fetch": 1000, "read": 1000},
                    "maxOutputBytes": 16_777_216,
                }
            )
            reader = PageReader(clock)
            door = WebDoor(lambda: vault.settings.current, lambda: Transport(SystemResolver()), clock)
            web = WebServices(
                door=door,
                cache=WebCache(Path(folder) / "web", lambda: vault.settings.current, clock),
                credentials=WebCredentials(Path(folder)),
                reader=reader,
                robots=RobotsRules(door, reader, clock),
                clock=clock,
                last_used=LastUsed(clock),
            )
            await vault.add(WebFetchTool(web))
            yield vault, f"http://localhost:{port}/page"
            web.reader.close()
    server.close()


def calls(vault: Sandbox, tool: str, **arguments: object) -> Callable[[], Awaitable[float]]:
    """Measures a call, as the mean of some."""

    async def measure() -> float:
        began = time.perf_counter()
        for _ in range(CALLS):
            await vault.succeed(tool, **arguments)
        return (time.perf_counter() - began) / CALLS

    return measure


async def longest_hold(work: Callable[[], Awaitable[object]]) -> float:
    """Return how long the event loop is held at most while something is done, in seconds."""
    longest, done = 0.0, asyncio.Event()

    async def tick() -> None:
        nonlocal longest
        while not done.is_set():
            began = time.perf_counter()
            await asyncio.sleep(TICK)
            longest = max(longest, time.perf_counter() - began - TICK)

    ticking = asyncio.create_task(tick())
    await work()
    done.set()
    await ticking
    return longest


async def run() -> None:
    """Print all of it."""
    tune_process()  # as the bridge does
    taken = []
    for file in sorted(PAGES.glob("*.html")):
        data = file.read_bytes()
        for _ in range(3):
            began = time.process_time()
            read_page(data, "https://example.com/")
            taken.append(time.process_time() - began)
    p95 = statistics.quantiles(taken, n=20)[-1]
    print(
        f"  reading a page: {statistics.median(taken) * 1000:.0f} ms CPU, p95 {p95 * 1000:.0f} ms ({len(taken)} times)"
    )
    _print_quality()
    async with served(page(20_000)) as (vault, url):
        text = (await vault.succeed("web_fetch", url=url)).data["content"]
        vault.write("Note.md", text)
        sides = {
            "kept": calls(vault, "web_fetch", url=url),
            "note": calls(vault, "read", path="Note.md"),
        }
        samples = await alternate(sides)
        print(compare("a kept page beside `read` of a note of that size", samples, goal=1.5))
    turns = itertools.count()
    async with served(page(LONG)) as (vault, url):
        await vault.succeed("web_fetch", url=url)
        sides = {
            "a page of 500 KB": lambda: longest_hold(partial(vault.succeed, "web_fetch", url=f"{url}?{next(turns)}")),
            "the machine alone": lambda: longest_hold(partial(asyncio.sleep, IDLE)),
        }
        samples = await alternate(sides)
        print(compare("how long the event loop is held at most (goal: 20 ms more than by the machine alone)", samples))


def _print_quality() -> None:
    """Print how well the pages of the benchmark are read, and how well by the library alone."""
    folder = REAL_VAULTS / "pages"
    if not folder.is_dir():
        print("  the pages of the extraction benchmark are not on this machine (set VAULT_BRIDGE_TEST_VAULTS)")
        return
    ways: dict[str, Callable[[bytes, str], str]] = {
        "web_fetch": lambda data, url: plain(read_page(data, url or "https://example.com/").text),
        "trafilatura alone": lambda data, _url: trafilatura.extract(data, include_comments=False, fast=True) or "",
    }
    for name, read in ways.items():
        quality = page_quality(folder, read)
        print(f"  {name}: F1 {quality.f1:.3f}, precision {quality.precision:.3f}, recall {quality.recall:.3f}")
