"""What comes from the network is parsed in another process, so no robots.txt, page or answer holds up your own screen."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.contract.search import SearchService
from bridge.errors import NetworkFailure
from bridge.web.door import WebResponse
from bridge.web.extraction.reader import PageReader
from bridge.web.robots import FREE, RobotsRules
from bridge.web.search.service import SaidNo
from bridge.web.url import parse_url
from tests.web_servers import LocalWeb, answer, web_services

MANY = "".join(f"User-agent: agent{number}\n" for number in range(500))
ROBOTS = {
    "agents times rules": MANY + "".join(f"Disallow: /private/{number}\n" for number in range(6_000)),
    "all in one group of everybody": "User-agent: *\n" + "Disallow: /x*y\n" * 34_000,
    "prefixes of our own name": "".join(f"User-agent: {'vault-bridge'[:end]}\n" for end in range(1, 13))
    + "Disallow: /p\n" * 30_000,
    "patterns that backtrack": "User-agent: *\n" + f"Disallow: /{'*a' * 40}$\n" * 4_000,
    "one line": "User-agent: *\nDisallow: /" + "*" * 500_000,
    "no line breaks that are": "User-agent: *\x85Disallow: /\u2028" * 15_000,
}


@pytest.fixture
async def reader() -> AsyncIterator[PageReader]:
    reader = PageReader(SystemClock())
    yield reader
    reader.close()


async def longest_wait(work: Callable[[], Awaitable[Any]]) -> float:
    """How long the event loop, which answers a person's pings, did nothing else while something was done."""
    worst, ended = 0.0, asyncio.Event()

    async def beat() -> None:
        nonlocal worst
        while not ended.is_set():
            began = time.thread_time()
            await asyncio.sleep(0)
            worst = max(worst, time.thread_time() - began)

    beating = asyncio.create_task(beat())
    try:
        await work()
    finally:
        ended.set()
        await beating
    return worst
