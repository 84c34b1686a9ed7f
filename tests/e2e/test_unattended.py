"""A client that works in drafts, over real sockets: nothing waits, nothing is written, and a person decides later."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.cli.serve import _end_when_idle
from bridge.client import find_vault
from bridge.client.token_storage import save_to_file
from bridge.clock import SystemClock
from bridge.drafts.draft import Draft
from bridge.drafts.store import COMES_BACK
from bridge.errors import ExecutionFailed
from tests.patience import PATIENCE
from tests.people import Person, named, person_at

pytestmark = pytest.mark.slow
ROBOT = "Night robot"
EVERYTHING = {"enabledTools": ["*"], "allowTerminal": True}


def on_disk(vault: Path) -> dict[str, bytes]:
    files = (file for file in vault.rglob("*.md") if ".vault-bridge" not in file.parts)
    return {file.relative_to(vault).as_posix(): file.read_bytes() for file in files}


def create(path: str) -> dict[str, Any]:
    return {"name": Path(path).stem.lower(), "tool": "create_note", "arguments": {"path": path, "content": "one\n"}}


async def add_robot(person: Person, vault: Path) -> None:
    added = await person.host.request("clients.add", name=ROBOT, preset="everything", drafts=True)
    assert added["client"]["drafts"] is True
    save_to_file(find_vault(vault), ROBOT, added["token"])


async def let_robot_read(person: Person, agent: Any) -> None:
    """The person lets it read the whole vault; it hears of that by the ticket of its first call."""
    person.answer = None
    asked = len(person.asked)
    pending = await agent.call("read", path="Ideas.md")
    question = await person.until_asked(asked + 1)
    widest = next(one for one in question["options"] if one["decision"] == "allow_session" and one["suggested"])
    await person.respond(question, "allow_session", option=widest["optionId"])
    async with asyncio.timeout(PATIENCE):
        while not (await agent.call("await_decision", ticket=pending.call_id)).text.startswith("# Ideas"):
            pass
    person.asked.clear()


async def done(agent: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    raw: dict[str, Any] = (await agent.call(tool, **arguments)).raw
    assert raw.get("success"), raw
    return raw


async def until_states(person: Person, *states: str) -> None:
    """Wait until the drafts there are, oldest first, are so far."""
    async with asyncio.timeout(PATIENCE):
        while tuple(one["state"] for one in await person.host.request("drafts.list")) != states:
            pass


async def test_writes_are_staged_handed_in_and_written_when_the_person_takes_them(vault: Path) -> None:
    async with Bridge(vault) as bridge:
        bridge.settings.update(EVERYTHING)
        async with person_at(vault) as person:
            await add_robot(person, vault)
            async with named(vault, ROBOT) as agent:
                await let_robot_read(person, agent)
        before = on_disk(vault)
        async with named(vault, ROBOT) as agent:
            first = await done(agent, "create_note", path="Night/One.md", content="one\n")
            assert "nothing is written" in first["text"]
            assert first["metadata"]["staged"] is True
            second = await done(agent, "chain", calls=[create("Night/Two.md"), create("Night/Three.md")])
            assert second["metadata"]["draft"] == first["metadata"]["draft"]
            handed = await done(agent, "draft", action="submit")
            assert "is handed in. Nothing of it is written until the user takes it" in handed["text"]
            for action in ("discard", "join", "submit"):
                refused = (await agent.call("draft", action=action, draft=handed["data"]["draft"])).raw
                assert refused["data"]["code"] == "handed_in"
        assert on_disk(vault) == before
    (vault / "Ideas.md").write_bytes(b"# Ideas\n\nOther words.\n")
    before = on_disk(vault)
    async with Bridge(vault), person_at(vault) as person:
        person.answer = "allow_once"
        question = await person.until_asked()
        assert (question["client"], question["draft"]) == (ROBOT, handed["data"]["draft"])
        await until_states(person)
        night = {f"Night/{name}.md": b"one\n" for name in ("One", "Two", "Three")}
        assert on_disk(vault) == before | night
        (entry,) = [one for one in await person.host.request("history.list") if one["tool"] == "draft"]
        await person.host.request("history.undo", executionId=entry["executionId"])
        assert on_disk(vault) == before


class Moment(SystemClock):
    """A clock that is set forward."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


async def stage_and_leave(vault: Path, bridge: Bridge, clock: Moment) -> None:
    """Have Robot stage a note and go away, so long ago that it is not expected back."""
    async with person_at(vault) as person:
        await add_robot(person, vault)
        await person.host.request("consent.allowReading", client=ROBOT, where=["/"])
        async with named(vault, ROBOT) as agent:
            await done(agent, "create_note", path="One.md", content="one\n")
        async with asyncio.timeout(PATIENCE):
            while (await person.host.request("clients.list"))[0]["connected"]:
                pass
    await bridge.handing_in.look()
    clock.ahead = COMES_BACK


async def test_a_bridge_that_a_program_has_started_ends_when_what_its_session_has_left_is_handed_in(
    vault: Path,
) -> None:
    clock = Moment()
    async with Bridge(vault, clock=clock) as bridge:
        await stage_and_leave(vault, bridge, clock)
        async with asyncio.timeout(PATIENCE):
            await _end_when_idle(bridge, 0.2, asyncio.Event())
        assert [draft.head.state for draft in bridge.drafts.worked_on()] == ["handed_in"]


async def test_a_bridge_ends_also_where_what_its_session_has_left_cannot_be_handed_in(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full, say: it stays a draft that was left behind, and the next bridge tries again."""

    def full(*_state: Any, **_said: Any) -> None:
        raise ExecutionFailed("The disk is full")

    clock = Moment()
    async with Bridge(vault, clock=clock) as bridge:
        await stage_and_leave(vault, bridge, clock)
        with monkeypatch.context() as patch:
            patch.setattr(Draft, "become", full)
            async with asyncio.timeout(PATIENCE):
                await _end_when_idle(bridge, 0.2, asyncio.Event())
        assert [draft.head.state for draft in bridge.drafts.worked_on()] == ["open"]
        await bridge.handing_in.look()
        assert [draft.head.state for draft in bridge.drafts.worked_on()] == ["handed_in"]


async def test_a_first_chain_begins_the_draft_and_the_person_is_not_asked_about_it(vault: Path) -> None:
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update(EVERYTHING)
        await add_robot(person, vault)
        async with named(vault, ROBOT) as agent:
            await let_robot_read(person, agent)
            made = await done(agent, "chain", calls=[create("Night/One.md"), create("Night/Two.md")])
            assert made["metadata"]["staged"] is True
            failing = (await agent.call("chain", calls=[create("Night/Three.md"), create("Night/One.md")])).raw
            assert failing["success"] is False
            (draft,) = await person.host.request("drafts.list")
            assert draft["files"] == ["Night/One.md", "Night/Two.md"]
            assert person.asked == []


async def test_what_is_sent_back_goes_on_in_the_next_session_and_is_put_again(vault: Path) -> None:
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update(EVERYTHING)
        await add_robot(person, vault)
        async with named(vault, ROBOT) as agent:
            await let_robot_read(person, agent)
            person.answer, person.extent = "deny_once", {"feedback": "With a heading"}
            await done(agent, "create_note", path="Night/One.md", content="one\n")
            handed = await done(agent, "draft", action="submit")
            await until_states(person, "sent_back")
        assert len(person.asked) == 1
        person.answer, person.extent = "allow_once", {}
        async with named(vault, ROBOT) as agent:
            heard = await done(agent, "read", path="Ideas.md")
            assert heard["text"].startswith(f"The user looked through {handed['data']['draft']}, took nothing of it")
            assert "and said: With a heading." in heard["text"]
            assert "sent it back" not in (await done(agent, "read", path="Ideas.md"))["text"]
            assert (await done(agent, "draft", action="status"))["data"]["words"] == "With a heading"
            unchanged = (await agent.call("draft", action="submit")).raw
            assert "is as it was when the user sent it back" in unchanged["error"]
            changed = await done(agent, "write_file", path="Night/One.md", content="# One\n\none\n")
            assert changed["metadata"]["draft"] == handed["data"]["draft"]
            assert not (vault / "Night").exists()
            await done(agent, "draft", action="submit")
            await until_states(person)
        assert (vault / "Night" / "One.md").read_bytes() == b"# One\n\none\n"


async def test_what_cannot_be_staged_gets_its_ticket_at_once_also_while_somebody_is_there(vault: Path) -> None:
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update(EVERYTHING)
        await add_robot(person, vault)
        person.answer = None
        async with named(vault, ROBOT) as agent:
            for tool, arguments in (
                ("read", {"path": "Ideas.md"}),
                ("web_fetch", {"url": "https://example.com/"}),
                ("chain", {"calls": [{"name": "looked", "tool": "read", "arguments": {"path": "Notes/Meeting.md"}}]}),
            ):
                pending = (await agent.call(tool, arguments)).raw
                assert pending.get("status") == "pending", (tool, pending)
                assert pending["state"] == "waiting_for_person"
            tickets = (await agent.call("await_decision")).data
            assert len(tickets) == len(person.asked) == 3
            asked = (await agent.call("read", path="Notes/Meeting.md")).raw
            assert "A note that the user lets you read needs no ticket" in asked["text"]
            waiting = await agent.call("await_decision", ticket=tickets[-1]["ticket"])
            assert waiting.data["status"] == "waiting_for_person"
