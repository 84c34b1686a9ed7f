"""Slow calls of one client do not delay another, whichever threads they keep busy."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.capabilities.core import WORKERS
from bridge.pictures.reader import Picture, PictureReader
from tests.patience import PATIENCE
from tests.people import add_client, named, person_at


async def test_a_flood_of_slow_calls_holds_up_no_other_client(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go, begun = threading.Event(), threading.Semaphore(0)

    def picture(self: PictureReader, *asked: Any) -> Picture:
        del self, asked
        begun.release()
        go.wait(PATIENCE)
        return Picture(why="it took its time")

    monkeypatch.setattr(PictureReader, "picture", picture)
    (vault / "Huge.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["*"], "developerMode": True, "consentMode": {"read": "always_allow"}})
        for name in ("Greedy", "Other"):
            await add_client(person, vault, name)
        async with named(vault, "Greedy") as greedy, named(vault, "Other") as other:
            slow = [asyncio.create_task(greedy.call("read", {"path": "Huge.png"})) for _ in range(3 * WORKERS)]
            for _ in range(WORKERS // 2):
                assert await asyncio.to_thread(begun.acquire, timeout=PATIENCE)
            async with asyncio.timeout(PATIENCE):
                assert (await other.call("read", {"path": "Ideas.md"})).ok
            assert not any(task.done() for task in slow)
            go.set()
            assert all(answer.ok for answer in await asyncio.gather(*slow))
