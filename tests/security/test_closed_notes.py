"""A note that is closed to agents does not exist for them, whatever they call it, over the real socket."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from scripts.lib.consenting import consenting_host

DIARY = b"---\naliases: [Confession]\ntags: [sin]\nmood: bad\n---\n# Diary\n\nthe secret word [[Meeting]]\n"
READS = (
    *("resolve_note", "is_available", "read_note", "get_metadata", "find_related", "search_by_tags"),
    *("search_by_properties", "list_tags", "read", "find"),
)


@pytest.fixture
async def agent(vault: Path) -> AsyncIterator[Connection]:
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_bytes(DIARY)
    (vault / "Private" / "Meeting.md").write_bytes(b"another meeting\n")
    (vault / "Notes" / "Meeting.md").write_bytes(b"# Meeting\n\nSee [[Diary]].\n")
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"], "consentMode": dict.fromkeys(READS, "always_allow")})
        (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="utf-8")
        async with connect(vault, name="Robot") as client:
            yield client


@pytest.mark.parametrize("tool", ["resolve_note", "read_note", "get_metadata", "find_related"])
@pytest.mark.parametrize(
    "name", ["Diary", "[[Diary]]", "Private/Diary", "private/DIARY.md", "Confession", "Diary#Diary"]
)
async def test_it_answers_as_one_that_does_not_exist_by_any_name(agent: Connection, tool: str, name: str) -> None:
    closed = await agent.call(tool, name=name)
    missing = await agent.call(tool, name=name.lower().replace("diary", "nihil").replace("confession", "nihil"))
    assert closed.raw["errorType"] == missing.raw["errorType"]
    assert closed.raw["errorType"] == ("permission_denied" if "/" in name else "not_found")
    assert closed.raw["data"].keys() == missing.raw["data"].keys()


@pytest.mark.parametrize(("tool", "rest"), [("update_note", {"content": "x"}), ("add_tag", {"tag": "x"})])
async def test_it_cannot_be_written_by_its_name(agent: Connection, tool: str, rest: dict[str, Any]) -> None:
    assert (await agent.call(tool, name="Diary", **rest)).raw["errorType"] == "not_found"


async def test_it_makes_no_name_ambiguous_and_takes_none(agent: Connection) -> None:
    assert (await agent.call("resolve_note", name="Meeting")).data["path"] == "Notes/Meeting.md"
    assert (await agent.call("read", path="[[Meeting]]")).data["path"] == "Notes/Meeting.md"
    assert (await agent.call("is_available", name="Diary")).data["available"] is True


async def test_it_is_in_no_list(agent: Connection) -> None:
    told = [
        await agent.call("get_metadata", name="Meeting"),
        await agent.call("find_related", name="Meeting"),
        await agent.call("search_by_tags", tags=["sin"]),
        await agent.call("search_by_properties", having=["mood"]),
        await agent.call("list_tags"),
        await agent.call("find", pattern="[[Diary]]"),
        await agent.call("find", pattern="Confession"),
    ]
    assert all(result.raw["success"] for result in told)
    assert told[0].data["backlinks"] == []
    assert told[0].data["unresolved"] == ["Diary"], "what an open note says is told as it is written"
    assert [result.data for result in told[1:]] == [[], [], [], [], [], []]


async def test_the_history_does_not_mention_it(agent: Connection, vault: Path) -> None:
    patch = {"startLine": 1, "endLine": 1, "newContent": "x"}
    async with consenting_host(vault), connect(vault, name="me", role="host") as person:
        (await agent.call("apply_patch", path="Ideas", patches=[patch])).or_raise()
        assert [entry["files"] for entry in await agent.request("history.list")] == [["Ideas.md"]]
        assert len(await agent.request("history.list", path="[[Ideas]]")) == 1
        (vault / ".vault-bridge" / "permissions.json").write_text('{"Ideas.md": "---"}', encoding="utf-8")
        assert await agent.request("history.list") == []
        assert len(await person.request("history.list", path="Ideas")) == 1


async def test_an_agent_hears_of_no_change_to_it(agent: Connection, vault: Path) -> None:
    await agent.request("events.subscribe", kinds=["vault.changed"])
    heard: asyncio.Queue[str] = asyncio.Queue()
    agent.on("vault.changed", lambda told: heard.put_nowait(told["path"]))
    async with connect(vault, name="Screen", role="host") as host:
        await host.request("events.subscribe", kinds=["vault.changed"])
        seen: asyncio.Queue[str] = asyncio.Queue()
        host.on("vault.changed", lambda told: seen.put_nowait(told["path"]))
        (vault / "Private" / "Diary.md").write_bytes(DIARY + b"more\n")
        async with asyncio.timeout(20):
            assert await seen.get() == "Private/Diary.md"
        (vault / "Notes" / "Open.md").write_bytes(b"open\n")
        async with asyncio.timeout(20):
            assert await heard.get() == "Notes/Open.md"
