"""What the tests of the door use: a web on loopback, and a door to it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.settings.model import Settings
from bridge.web.door import Exchanged, WebDoor, WebRequest, WebResponse
from bridge.web.guard import Service
from bridge.web.url import WebUrl, parse_url
from tests.web_servers import LocalWeb


@dataclass
class Doorway:
    """A door to a web of our own, with what went through it."""

    web: LocalWeb
    settings: Settings = field(default_factory=Settings)
    log: list[Exchanged] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    authorized: list[str] = field(default_factory=list)
    own_ports: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self.door = WebDoor(
            lambda: self.settings,
            self.web.transport,
            SystemClock(),
            own_ports=lambda: self.own_ports,
            log=self.log.append,
            sleep=self._sleep,
            jitter=lambda: 0.5,
        )

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def set(self, **settings: Any) -> None:
        self.settings = Settings.parse(settings)

    async def authorize(self, url: WebUrl, why: str) -> None:
        self.authorized.append(f"{why}: {url}")

    async def get(self, url: str, *, service: Service | None = None, **request: Any) -> WebResponse:
        return await self.send(WebRequest(parse_url(url), **request), service=service)

    async def send(
        self,
        request: WebRequest,
        *,
        service: Service | None = None,
        authorize: Callable[[WebUrl, str], Awaitable[None]] | None = None,
    ) -> WebResponse:
        return await self.door.send(request, service=service, authorize=authorize or self.authorize)


@pytest.fixture
async def doorway() -> AsyncIterator[Doorway]:
    """A door, and a web behind it that has no pages yet."""
    async with LocalWeb().serve() as web:
        yield Doorway(web)
