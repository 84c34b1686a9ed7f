"""A person who takes longer than the program waits, over real sockets, with the bridge stopped and started between."""

import asyncio
import stat
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.records.folder import place
from tests.patience import PATIENCE
from tests.people import WRITE, add_client, named, person_at

pytestmark = pytest.mark.slow


def kept(vault: Path) -> list[Path]:
    """The files of the tickets."""
    return list(place(vault.resolve(), kind="tickets").iterdir())


async def start_call(agent: Any) -> str:
    """A call whose client does not wait; returns the ticket."""
    pending = await agent.call("write_file", WRITE, wait=0, reason="as you asked")
    assert pending.raw["state"] in {"running", "waiting_for_person"}
    return str(pending.call_id)


async def decided(agent: Any, ticket: str) -> Any:
    """What `await_decision` says."""
    return await agent.call("await_decision", ticket=ticket)


async def test_an_answer_after_a_restart_is_carried_out_and_found(vault: Path) -> None:
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["read", "write_file"], "waitSeconds": 1})
        await add_client(person, vault, "Claude Code")
        person.answer = None
        async with named(vault, "Claude Code") as agent:
            ticket = await start_call(agent)
            await person.until_asked()
            assert (await decided(agent, ticket)).data["status"] == "waiting_for_person"
            assert "await_decision" in {tool["name"] for tool in await agent.request("tools.list")}
    (file,) = kept(vault)
    assert not file.is_relative_to(vault)
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"waitSeconds": 300})
        person.answer = None
        async with named(vault, "Claude Code") as agent:
            question = await person.until_asked()
            assert (question["client"], question["waiting"], question["reason"]) == (
                "Claude Code",
                True,
                "as you asked",
            )
            assert (await agent.call("await_decision")).data[0]["ticket"] == ticket
            await person.respond(question, "allow_once")
            result = await decided(agent, ticket)
            assert result.ok
            assert (vault / "Ideas.md").read_bytes() == WRITE["content"].encode()
            assert bridge.services.broker.pending() == []
    async with Bridge(vault), named(vault, "Claude Code") as agent:
        assert (await decided(agent, ticket)).raw == result.raw


async def test_a_screen_that_is_open_hears_that_the_question_waits_now(vault: Path) -> None:
    async with Bridge(vault) as bridge, person_at(vault) as person, connect(vault, name="Robot") as agent:
        bridge.settings.update({"enabledTools": ["write_file"]})
        person.answer = None
        heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        person.host.on("consent.waiting", heard.put_nowait)
        name = str(uuid.uuid4())
        calling = asyncio.create_task(agent.call("write_file", WRITE, call_id=name, wait=PATIENCE))
        question = await person.until_asked()
        assert not question["waiting"]
        pending = await agent.request("tools.result", callId=name, wait=0)
        async with asyncio.timeout(PATIENCE):
            told = await heard.get()
        assert told == {"requestId": question["requestId"], "expiresAt": pending["expiresAt"]}
        (asked,) = await person.host.request("consent.pending")
        assert asked["waiting"]
        await person.respond(asked, "deny_once")
        assert not (await calling).ok


async def test_a_program_that_leaves_before_it_has_a_ticket_leaves_no_question(vault: Path) -> None:
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["write_file"]})
        person.answer = None
        async with connect(vault, name="Robot") as agent:
            await agent._send(
                {
                    "jsonrpc": "2.0",
                    "id": 99,
                    "method": "tools.call",
                    "params": {"name": "write_file", "arguments": WRITE, "wait": 60},
                }
            )
            await person.until_asked()
        async with asyncio.timeout(PATIENCE):
            while await person.host.request("consent.pending"):
                pass
        assert kept(vault) == []


async def test_a_client_that_is_revoked_takes_its_tickets_with_it(vault: Path) -> None:
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["write_file"]})
        added = await add_client(person, vault, "Claude Code")
        person.answer = None
        async with named(vault, "Claude Code") as agent:
            await start_call(agent)
            await person.until_asked()
        await person.host.request("clients.revoke", clientId=added["client"]["clientId"])
        assert bridge.services.broker.pending() == []
        assert kept(vault) == []
