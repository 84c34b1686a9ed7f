"""What the composition root keeps going: retention, events, one outcome for what was half done."""

import asyncio
import itertools
import os
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.clock import SystemClock
from bridge.contract.consent import Decision
from bridge.errors import AlreadyServed
from bridge.index.indexer import Indexer
from bridge.index.vectors.embedder import packaged_model
from tests.patience import PATIENCE
from tests.people import until_read

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
        async with asyncio.timeout(PATIENCE):
            for _ in itertools.count():
                (entry,) = await asyncio.to_thread(bridge.services.ledger.history)
                if kept or not ((backups / change).exists() or entry.can_undo):  # the folder goes before its record
                    break
    assert (backups / change).exists() is kept
    assert entry.can_undo is kept


@pytest.fixture
async def changes(vault: Path) -> AsyncIterator[Any]:
    """A subscriber to changes of the vault."""
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        async with connect(vault, name="watcher") as watcher:
            await until_read(watcher)
            await watcher.request("events.subscribe", kinds=["vault.changed"])
            heard: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
            watcher.on("vault.changed", lambda told: heard.put_nowait((told["path"], told["change"])))
            yield heard


async def heard_until(heard: "asyncio.Queue[tuple[str, str]]", wanted: tuple[str, str]) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    async with asyncio.timeout(PATIENCE):
        while not told or told[-1] != wanted:
            told.append(await heard.get())
    return told


async def test_changes_by_other_programs_are_announced_and_dot_folders_are_not(vault: Path, changes: Any) -> None:
    (vault / ".obsidian" / "workspace.json").write_text("{}", encoding="utf-8")
    (vault / "New.md").write_text("new", encoding="utf-8")
    told = await heard_until(changes, ("New.md", "created"))
    (vault / "New.md").unlink()
    told += await heard_until(changes, ("New.md", "deleted"))
    assert {path for path, _ in told} == {"New.md"}


async def test_our_own_changes_are_announced_before_the_call_returns(vault: Path, changes: Any) -> None:
    await approved_edit(vault)
    told = await heard_until(changes, ("Ideas.md", "modified"))
    assert {path for path, _ in told} == {"Ideas.md"}
    assert "deleted" not in {change for _, change in told}


async def test_a_bridge_that_cannot_start_leaves_nothing_behind(vault: Path) -> None:
    async with Bridge(vault):
        discovery = (vault / ".vault-bridge" / "bridge.json").read_bytes()
        with pytest.raises(Exception, match="already served by process"):
            await Bridge(vault).start()
        assert (vault / ".vault-bridge" / "bridge.json").read_bytes() == discovery
    async with Bridge(vault) as bridge:
        assert bridge.discovery.url.startswith("ws://127.0.0.1:")


async def test_who_reads_after_a_change_is_announced_sees_it(vault: Path) -> None:
    async with Bridge(vault) as bridge, connect(vault, name="watcher") as watcher:
        bridge.settings.update({"enabledTools": ["*"], "consentMode": {"find": "always_allow"}})
        await until_read(watcher)
        await watcher.request("events.subscribe", kinds=["vault.changed"])
        heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        watcher.on("vault.changed", heard.put_nowait)
        for number in range(20):
            (vault / ".draft").write_text(f"#new{number}", encoding="utf-8")
            (vault / ".draft").rename(vault / f"New {number}.md")
            async with asyncio.timeout(PATIENCE):
                told = await heard.get()
            assert told == {"path": f"New {number}.md", "change": "created"}
            assert bridge.index.tagged(f"new{number}") == [told["path"]]
            assert (await watcher.request("vault.status"))["notes"] == 4 + number


async def test_the_status_says_how_much_is_known(vault: Path) -> None:
    async with Bridge(vault) as bridge, connect(vault, name="agent") as agent:
        await asyncio.to_thread(bridge.index.refresh)
        status = await agent.request("vault.status")
        known = {"notes": 3, "files": 3, "indexed": 3, "indexing": False, "lastSweep": status["lastSweep"]}
        assert status.pop("semantic")["state"] in {"waiting", "missing", "embedding", "ready"}
        assert status == known | {"byNameOnly": 0, "namedOnly": [], "inPlace": True}
        assert status["lastSweep"].endswith("Z")


@pytest.mark.skipif(packaged_model() is None, reason="the extra `semantic` is not installed")
async def test_a_question_finds_what_was_just_written_in_other_words_until_that_is_switched_off(vault: Path) -> None:
    question = {"query": "which household appliance is leaking on the bathroom tiles"}

    async def paths(agent: Any) -> tuple[list[str], bool]:
        result = (await agent.call("search_notes", question)).or_raise().raw
        return [found["path"] for found in result["data"]["results"]], result["metadata"].get("byMeaning", False)

    async def until(agent: Any, path: str, *, there: bool) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                found, by_meaning = await paths(agent)
                if by_meaning and (path in found) is there:
                    return
                await asyncio.sleep(0.05)  # leaves the processor to what is waited for

    async with (
        Bridge(vault) as bridge,
        connect(vault, name="agent") as agent,
        connect(vault, name="person", role="host") as host,
    ):
        bridge.settings.update(
            {"enabledTools": ["*"], "consentMode": {"search_notes": "always_allow"}, "globalRateLimit": 1000}
        )
        bridge.settings.update({"rateLimits": {"search_notes": 1000}})
        await until_read(host)
        (vault / "Laundry.md").write_text("The washing machine drips; the drum needs a new seal.", encoding="utf-8")
        await until(agent, "Laundry.md", there=True)
        assert (await host.request("vault.status"))["semantic"]["model"] != ""
        bridge.settings.update({"semanticSearch": "off"})
        assert await paths(agent) == ([], False)
        assert (await host.request("vault.status"))["semantic"]["state"] == "off"


@pytest.fixture
def go_on(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """What the index waits for before it reads the first note."""
    go_on = threading.Event()
    batches = Indexer._batches

    def waiting(ingest: Indexer, *arguments: Any) -> Iterator[Any]:
        go_on.wait(PATIENCE)
        yield from batches(ingest, *arguments)

    monkeypatch.setattr(Indexer, "_batches", waiting)
    monkeypatch.setattr("bridge.index.vault_index.BUILD_SECONDS", 0.0)
    return go_on


async def test_answers_given_during_the_first_build_say_so(vault: Path, go_on: threading.Event) -> None:
    async with Bridge(vault) as bridge, connect(vault, name="agent") as agent:
        bridge.settings.update({"enabledTools": ["*"], "consentMode": {"list_tags": "always_allow"}})
        early = await agent.call("list_tags")
        assert early.raw["metadata"]["indexing"] is True
        assert (await agent.request("vault.status"))["indexing"] is True
        go_on.set()
        await asyncio.to_thread(bridge.index.refresh)
        assert "indexing" not in (await agent.call("list_tags")).raw["metadata"]


async def test_hosts_are_notified_how_far_a_build_is(vault: Path, go_on: threading.Event) -> None:
    for number in range(300):
        (vault / f"Note {number}.md").write_text("text", encoding="utf-8")
    async with Bridge(vault), connect(vault, name="Obsidian", role="host") as host:
        heard: asyncio.Queue[dict[str, int]] = asyncio.Queue()
        host.on("index.progress", heard.put_nowait)
        go_on.set()
        async with asyncio.timeout(PATIENCE):
            while (told := await heard.get())["done"] != 303:
                assert told["total"] == 303


async def test_a_restart_knows_the_vault_at_once(vault: Path) -> None:
    async with Bridge(vault) as bridge:
        await asyncio.to_thread(bridge.index.refresh)
    async with Bridge(vault) as bridge:
        assert bridge.index.names.resolve("meeting", "Ideas.md") == "Notes/Meeting.md"
        assert len(list(bridge.index.notes())) == 3


def replaced_by_an_empty_folder(vault: Path) -> Path:
    moved = vault.rename(vault.with_name("Moved"))
    vault.mkdir()
    return moved


def moved_back(moved: Path, vault: Path) -> None:
    vault.rmdir()  # which holds nothing, so nothing was written there
    moved.rename(vault)


async def test_a_vault_that_is_moved_while_it_is_served_is_noticed_and_not_written_to(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.capabilities.history.PLACE_SECONDS", 0.01)
    async with Bridge(vault) as bridge, connect(vault, name="person", role="host", can=["consent"]) as person:
        bridge.settings.update({"enabledTools": ["*"]})
        moves: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        person.on("vault.moved", moves.put)
        change = await approved_edit(vault)
        before = (vault / "Ideas.md").read_bytes()
        moved = replaced_by_an_empty_folder(vault)
        async with asyncio.timeout(PATIENCE):
            assert (await moves.get())["inPlace"] is False
        assert not (await person.request("vault.status"))["inPlace"]
        assert "has been moved" in (await person.request("bridge.faults"))["faults"][0]
        undone = await person.request("history.undo", executionId=change)
        assert undone["data"]["code"] == "moved"
        assert (moved / "Ideas.md").read_bytes() == before
        moved_back(moved, vault)
        async with asyncio.timeout(PATIENCE):
            assert (await moves.get())["inPlace"] is True
        assert (await person.request("history.undo", executionId=change))["success"]


async def test_two_state_folders_do_not_make_two_bridges(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Bridge(vault):
        monkeypatch.setenv("VAULT_BRIDGE_STATE", str(tmp_path / "another"))
        with pytest.raises(AlreadyServed, match=rf"process {os.getpid()} on "):
            await Bridge(vault).start()
