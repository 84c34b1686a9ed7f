"""Services that search the web, on loopback, and somebody who has chosen among them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.contract.keys import Provider
from bridge.keys.store import KeyStore
from bridge.settings.store import SettingsStore
from bridge.vault.root import VaultRoot
from bridge.web.search import Found, WebSearch
from bridge.web.search_services import Freshness, SearchQuery, search_services
from tests.keys.machines import Machine, Ring
from tests.web.conftest import Doorway
from tests.web_servers import Responder, Seen, answer, read_here

KEY = "BSA-key/of+mine-0123456789"


def json_answer(value: Any, *, status: str = "200 OK", **headers: str) -> bytes:
    return answer(orjson.dumps(value), status=status, kind="application/json", **headers)


@dataclass
class Searching:
    """A search over a web of our own."""

    doorway: Doorway
    settings: SettingsStore
    keys: KeyStore
    ring: Ring
    now: list[datetime] = field(default_factory=lambda: [datetime(2026, 11, 22, tzinfo=UTC)])

    def __post_init__(self) -> None:
        self.search = WebSearch(self.doorway.door, self.keys, search_services(lambda: self.now[0]), read_here)

    def set(self, **settings: Any) -> None:
        self.settings.update(settings)
        self.doorway.settings = self.settings.current

    def choose(self, *services: str) -> None:
        self.set(webSearchProviders=list(services))

    def give_key(self, *providers: Provider) -> None:
        for provider in providers:
            self.keys.set(provider, KEY)

    def at(self, place: str, responder: Responder) -> None:
        self.doorway.web.answers[place] = responder

    @property
    def seen(self) -> list[Seen]:
        return self.doorway.web.seen

    async def find(self, text: str = "tea", *, most: int = 5, freshness: Freshness | None = None) -> Found:
        return await self.search.search(SearchQuery(text, most, freshness), self.settings.current)


@pytest.fixture
def searching(doorway: Doorway, vault: Path, tmp_path: Path) -> Iterator[Searching]:
    ring = Ring()
    with VaultRoot(vault) as root, root.state() as state:
        settings = SettingsStore(state)
        keys = Machine(tmp_path / "config", ring).keys(settings)
        yield Searching(doorway, settings, keys, ring)
