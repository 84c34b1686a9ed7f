"""A chain over a socket: one question, tickets, restarts, and a call that reaches out is never made twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect, find_vault
from bridge.client.token_storage import save_to_file
from bridge.toolkit.registry import StaticProvider
from tests.people import Person, let_read, person_at
from tests.toolkit.test_chain import CREATE, FAIL, MOVE, NOTES, READ, Forecast, call

pytestmark = pytest.mark.slow


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    vault = tmp_path / "Notes"
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(str(text).encode())
    return vault


def on_disk(vault: Path) -> dict[str, str]:
    files = (file for file in vault.rglob("*.md") if not {".vault-bridge", ".trash"} & set(file.parts))
    return {file.relative_to(vault).as_posix(): file.read_text(encoding="utf-8") for file in files}


@asynccontextmanager
async def at_work(vault: Path, forecast: Forecast | None = None) -> AsyncIterator[tuple[Bridge, Person, Connection]]:
    """A bridge, a person who leaves questions open, and a client of theirs that may read everything."""
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["*"]})
        if forecast is not None:
            await bridge.services.registry.add(StaticProvider(id="weather", tools=[forecast]))
        if not await person.host.request("clients.list"):
            added = await person.host.request("clients.add", name="ada", preset="everything")
            save_to_file(find_vault(vault), "ada", added["token"])
        async with connect(vault, name="robot", client="ada") as agent:
            await let_read(person, agent.call("read", path="Home.md"))
            person.answer, person.asked = None, []
            yield bridge, person, agent


async def chain(agent: Connection, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    raw: dict[str, Any] = await agent.request("tools.chain", calls=list(calls), **more)
    return raw


async def test_a_chain_that_waits_for_a_person_has_a_ticket(notes: Path) -> None:
    async with at_work(notes) as (_bridge, person, agent):
        waiting = await chain(agent, MOVE, CREATE, callId="c-1", wait=0)
        assert waiting["status"] == "pending"
        question = await person.until_asked()
        again = await chain(agent, MOVE, CREATE, callId="c-1", wait=0)
        assert (again["state"], again["requestId"]) == ("waiting_for_person", question["requestId"])
        assert await person.host.request("drafts.list") == []
        assert on_disk(notes) == NOTES
        await person.respond(question, "allow_once")
        made = await agent.request("tools.result", callId="c-1")
        assert made["success"], made
        assert [one["name"] for one in made["data"]["calls"]] == ["moved", "new"]
        assert (await chain(agent, MOVE, CREATE, callId="c-1"))["executionId"] == made["executionId"]
        assert len(person.asked) == 1
        assert set(on_disk(notes)) == {"Home.md", "Garden.md", "New.md", "Pantry/Plum jam.md"}


async def test_one_that_waited_over_a_restart_is_asked_about_again_and_made_once(notes: Path) -> None:
    async with at_work(notes) as (_bridge, person, agent):
        await chain(agent, MOVE, CREATE, callId="c-1", wait=0)
        await person.until_asked()
        await chain(agent, MOVE, CREATE, callId="c-1", wait=0)
    assert on_disk(notes) == NOTES
    async with Bridge(notes) as bridge, person_at(notes) as person:
        person.answer = "allow_once"
        for question in await person.host.request("consent.pending"):
            await person.take(question)
        await person.until_asked()
        async with connect(notes, name="robot", client="ada") as agent:
            made = await agent.request("tools.result", callId="c-1")
            assert made["success"], made
        assert bridge.drafts.ids == []
        assert len(await person.host.request("history.list")) == 1
    assert set(on_disk(notes)) == {"Home.md", "Garden.md", "New.md", "Pantry/Plum jam.md"}


async def test_what_reached_out_before_a_restart_is_not_made_again(notes: Path) -> None:
    forecast = Forecast()
    outside = call("weather", "forecast", city="Bath")
    async with at_work(notes, forecast) as (_bridge, person, agent):
        await chain(agent, outside, CREATE, callId="c-1", wait=0)
        question = await person.until_asked()
        await chain(agent, outside, CREATE, callId="c-1", wait=0)
        await person.respond(question, "allow_once")
        await person.until_asked(2)
        assert forecast.asked == [{"city": "Bath"}]
    async with Bridge(notes) as bridge:
        await bridge.services.registry.add(StaticProvider(id="weather", tools=[forecast]))
        async with connect(notes, name="robot", client="ada") as agent:
            ended = await agent.request("tools.result", callId="c-1")
        assert (ended["success"], ended["errorType"]) == (False, "execution_failed")
        assert "look what became of it" in ended["text"]
    assert forecast.asked == [{"city": "Bath"}]
    assert on_disk(notes) == NOTES


async def test_one_that_is_cancelled_leaves_nothing(notes: Path) -> None:
    async with at_work(notes) as (bridge, person, agent):
        running = asyncio.ensure_future(chain(agent, MOVE, CREATE, callId="c-1"))
        await person.until_asked()
        assert await agent.request("tools.cancel", callId="c-1") == {"cancelled": True}
        ended = await running
        assert ended["data"]["code"] == "cancelled"
        assert bridge.drafts.ids == []
        assert await person.host.request("consent.pending") == []
        assert on_disk(notes) == NOTES


async def test_a_revoked_client_has_no_chain_any_more(notes: Path) -> None:
    async with at_work(notes) as (bridge, person, agent):
        running = asyncio.ensure_future(chain(agent, MOVE, CREATE, callId="c-1"))
        await person.until_asked()
        (client,) = await person.host.request("clients.list")
        await person.host.request("clients.revoke", clientId=client["clientId"])
        assert bridge.drafts.ids == []
        await asyncio.wait([running])
        assert on_disk(notes) == NOTES


async def test_two_windows_of_one_client_do_not_get_into_each_others_chains(notes: Path) -> None:
    async with at_work(notes) as (_bridge, person, agent):
        running = asyncio.ensure_future(chain(agent, MOVE, CREATE, callId="c-1"))
        question = await person.until_asked()
        async with connect(notes, name="robot", client="ada") as other:
            missing: Any = await other.call("read", path="New.md")
            assert not missing.raw["success"]
            status: Any = await other.call("draft", action="status")
            assert (status.data["draft"], status.data["others"]) == (None, [])
        await person.respond(question, "allow_once")
        assert (await running)["success"]


async def test_in_a_draft_another_call_waits_until_the_chain_has_ended(notes: Path) -> None:
    forecast = Forecast()
    async with at_work(notes, forecast) as (_bridge, person, agent):
        draft: Any = await agent.call("draft", action="begin")
        running = asyncio.ensure_future(chain(agent, CREATE, call("weather", "forecast", city="Bath"), FAIL))
        question = await person.until_asked()
        for tool, arguments in (
            ("add_tag", {"name": "Garden", "tag": "late"}),
            ("draft", {"action": "submit"}),
            ("chain", {"calls": [CREATE]}),
        ):
            refused: Any = await agent.call(tool, **arguments)
            assert refused.raw["data"]["code"] == "busy", refused.raw
        await person.respond(question, "allow_once")
        failed = await running
        assert "Nothing of the chain is in the draft" in failed["text"]
        status: Any = await agent.call("draft", action="status")
        assert (status.data["draft"], status.data["steps"]) == (draft.data["draft"], [])
        staged: Any = await agent.call("add_tag", name="Garden", tag="late")
        assert staged.raw["success"]


async def test_the_reading_that_a_call_needs_is_asked_about_as_always(notes: Path) -> None:
    async with Bridge(notes) as bridge, person_at(notes) as person:
        bridge.settings.update({"enabledTools": ["*"]})
        person.answer = "deny_once"
        async with connect(notes, name="stranger") as agent:
            refused = await chain(agent, CREATE, READ)
            assert refused["data"]["code"] == "denied_by_user"
        assert on_disk(notes) == NOTES
