"""What the composition root keeps going: retention, events, one outcome for what was half done."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.clock import SystemClock
from bridge.contract.consent import Decision

EDIT = {"path": "Ideas.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# Better ideas"}]}


class Earlier(SystemClock):
    """The clock of some days ago."""

    def __init__(self, days: int) -> None:
        self.before = timedelta(days=days)

    def now(self) -> datetime:
        return datetime.now(UTC) - self.before


async def approved_edit(vault: Path) -> str:
    """Change a note through a running bridge, and return the change's id."""
    async with connect(vault, name="person", role="host", can=["consent"]) as person:

        async def say_yes(question: dict[str, Any]) -> None:
            await person.request(
                "consent.respond",
                requestId=question["requestId"],
                decision=Decision.ALLOW_ONCE.value,
                planDigest=question["planDigest"],
            )

        person.on("consent.requested", say_yes)
        async with connect(vault, name="agent") as agent:
            result = (await agent.call("apply_patch", EDIT)).or_raise()
            return str(result.raw["executionId"])


@pytest.mark.parametrize(("age", "kept"), [(40, False), (20, True)])
async def test_backups_older_than_the_user_keeps_them_go_at_the_start(vault: Path, age: int, kept: bool) -> None:
    async with Bridge(vault, clock=Earlier(age)) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        change = await approved_edit(vault)
    backups = vault / ".vault-bridge" / "backups"
    async with Bridge(vault) as bridge:
        async with asyncio.timeout(10):
            for _ in itertools.count():
                if kept or not (backups / change).exists():
                    break
                await asyncio.sleep(0)
        (entry,) = await asyncio.to_thread(bridge.services.ledger.history)
    assert (backups / change).exists() is kept
    assert entry.can_undo is kept


@pytest.fixture
async def changes(vault: Path) -> AsyncIterator[Any]:
    """A subscriber to changes of the vault."""
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        async with connect(vault, name="watcher") as watcher:
            await watcher.request("events.subscribe", kinds=["vault.changed"])
            heard: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
            watcher.on("vault.changed", lambda told: heard.put_nowait((told["path"], told["change"])))
            yield heard


async def heard_until(heard: "asyncio.Queue[tuple[str, str]]", wanted: tuple[str, str]) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    async with asyncio.timeout(20):
        while not told or told[-1] != wanted:
            told.append(await heard.get())
    return told


async def test_changes_by_other_programs_are_told_and_dot_folders_are_not(vault: Path, changes: Any) -> None:
    (vault / ".obsidian" / "workspace.json").write_text("{}", encoding="utf-8")
    (vault / "New.md").write_text("new", encoding="utf-8")
    told = await heard_until(changes, ("New.md", "created"))
    (vault / "New.md").unlink()
    told += await heard_until(changes, ("New.md", "deleted"))
    assert {path for path, _ in told} == {"New.md"}


async def test_our_own_changes_are_told_before_the_call_returns(vault: Path, changes: Any) -> None:
    await approved_edit(vault)
    told = await heard_until(changes, ("Ideas.md", "modified"))
    assert {path for path, _ in told} == {"Ideas.md"}
    assert "deleted" not in {change for _, change in told}


async def test_a_bridge_that_cannot_start_leaves_nothing_behind(vault: Path) -> None:
    async with Bridge(vault):
        beacon = (vault / ".vault-bridge" / "bridge.json").read_bytes()
        with pytest.raises(Exception, match="already served by process"):
            await Bridge(vault).start()
        assert (vault / ".vault-bridge" / "bridge.json").read_bytes() == beacon
    async with Bridge(vault) as bridge:
        assert bridge.beacon.url.startswith("ws://127.0.0.1:")
