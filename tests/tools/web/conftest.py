"""web_search in the real pipeline, over services on loopback."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.clock import SystemClock
from bridge.contract.tools import ToolResult
from bridge.keys.store import KeyStore
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools.web.web_search import WebSearchTool
from bridge.web.search import WebSearch
from bridge.web.search_services import search_services
from tests.keys.machines import Machine, Ring
from tests.web_servers import LocalWeb, answer, read_here, web_services

PAGE = {"title": "Green tea", "url": "https://tea.example/green", "content": "How to brew it"}


class Clock(SystemClock):
    """A clock that can be put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


@dataclass
class Desk:
    """A vault, and a web that its tools search."""

    vault: Sandbox
    web: LocalWeb
    keys: KeyStore
    clock: Clock

    def set(self, **settings: Any) -> None:
        self.vault.settings.update(settings)

    def choose(self, *services: str) -> None:
        self.set(webSearchProviders=list(services), searxngEndpoint="https://searx.example")

    def forget_reading(self) -> None:
        """Forget that the client has read from the web, as a person does who trusts it again."""
        self.vault.web_readers.clear("agent-1")

    def finds(self, *results: dict[str, Any]) -> None:
        self.web.answers["searx.example/search"] = answer(
            orjson.dumps({"results": results, "unresponsive_engines": []}), kind="application/json"
        )

    async def search(self, query: str = "tea", **arguments: Any) -> ToolResult:
        return await self.vault.call("web_search", query=query, **arguments)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """Somebody who has chosen SearXNG, which finds one page."""
    async with LocalWeb().serve() as web, sandbox({"Tea.md": "tea"}) as vault:
        clock = Clock()
        services = web_services(web, tmp_path, lambda: vault.settings.current)._replace(clock=clock)
        keys = Machine(tmp_path / "machine", Ring()).keys(vault.settings)
        search = WebSearch(services.door, keys, search_services(clock.now), read_here)
        await vault.add(WebSearchTool(search, services))
        made = Desk(vault, web, keys, clock)
        made.choose("searxng")
        made.finds(PAGE)
        made.set(rateLimits={"web_search": 1000}, globalRateLimit=1000, cacheEnabled=False)
        yield made
