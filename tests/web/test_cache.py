"""What was fetched is kept for a while, for the user alone, and never more than is allowed."""

import os
import stat
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.settings.model import Settings
from bridge.web.services import WebCache


@dataclass
class Later:
    """A clock that is moved by hand."""

    at: datetime = field(default_factory=lambda: datetime(2026, 5, 4, tzinfo=UTC))

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()


@dataclass
class World:
    folder: Path
    settings: Settings = field(default_factory=Settings)
    clock: Later = field(default_factory=Later)

    def __post_init__(self) -> None:
        self.cache = self.again()

    def again(self) -> WebCache:
        return WebCache(self.folder, lambda: self.settings, self.clock)

    def set(self, **settings: Any) -> None:
        self.settings = Settings.parse(settings)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "web")


KEY = ("web_fetch", "https://example.com/", "markdown")


def test_what_was_put_is_there_until_it_is_too_old(world: World) -> None:
    world.cache.put(KEY, {"title": "Tea"}, b"hot")
    found = world.cache.get(*KEY)
    assert found is not None
    assert (found.head, found.content) == ({"title": "Tea"}, b"hot")
    world.clock.at += timedelta(seconds=3601)
    assert world.cache.get(*KEY) is None


def test_it_is_still_there_after_a_restart(world: World) -> None:
    world.cache.put(KEY, {}, b"hot")
    assert world.again().get(*KEY) is not None
    assert world.again().stats().entries == 1


def test_another_key_or_other_rules_find_nothing(world: World) -> None:
    world.cache.put(KEY, {}, b"hot")
    assert world.cache.get(*KEY[:2], "text") is None
    world.set(allowAllDomains=True)
    assert world.cache.get(*KEY) is None


def test_switched_off_it_keeps_and_gives_nothing(world: World) -> None:
    world.cache.put(KEY, {}, b"hot")
    world.set(cacheEnabled=False)
    assert world.cache.get(*KEY) is None
    world.cache.put((*KEY, "2"), {}, b"hot")
    world.set()
    assert world.cache.stats().entries == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_nobody_else_can_read_it(world: World) -> None:
    world.cache.put(KEY, {}, b"hot")
    (entry,) = world.folder.iterdir()
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    assert stat.S_IMODE(world.folder.stat().st_mode) == 0o700


def test_the_oldest_make_room_and_a_used_one_stays(world: World) -> None:
    world.set(maxCacheSize=10_000)
    for number in range(4):
        world.cache.put((*KEY, str(number)), {}, b"x" * 2_000)
    assert world.cache.get(*KEY, "0") is not None
    for number in range(4, 6):
        world.cache.put((*KEY, str(number)), {}, b"x" * 2_000)
    assert world.cache.get(*KEY, "0") is not None
    assert world.cache.get(*KEY, "1") is None
    stats = world.cache.stats()
    assert stats.size <= 10_000
    assert stats.size == sum(entry.stat().st_size for entry in world.folder.iterdir())


def test_what_takes_a_large_part_of_it_is_not_kept(world: World) -> None:
    world.set(maxCacheSize=10_000)
    world.cache.put(KEY, {}, b"x" * 3_000)
    assert world.cache.stats().entries == 0


def test_a_damaged_entry_is_none(world: World) -> None:
    world.cache.put(KEY, {}, b"hot")
    (entry,) = world.folder.iterdir()
    for damage in (b"", b"\n", b"{}\n", b"[]\nhot", b"\xff\n", b'{"at": "x", "head": {}}\nhot'):
        entry.write_bytes(damage)
        assert world.cache.get(*KEY) is None


def test_cleared_it_is_empty_and_says_what_there_was(world: World) -> None:
    world.cache.put(KEY, {}, b"hot")
    (world.folder / ".left.tmp").write_bytes(b"begun")
    assert world.again().clear().entries == 1
    assert list(world.folder.iterdir()) == []
    assert world.again().stats().size == 0


def test_without_a_folder_nothing_is_kept_and_nothing_fails(world: World) -> None:
    cache = WebCache(None, lambda: world.settings, world.clock)
    cache.put(KEY, {}, b"hot")
    assert (cache.get(*KEY), cache.clear().entries) == (None, 0)
