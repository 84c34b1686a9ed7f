"""The inbox: everything that waits for a person is in it, after a kill and days later too, and only they see it."""

import asyncio
from collections.abc import Awaitable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect, find_vault
from bridge.client.token_storage import save_to_file
from bridge.clock import SystemClock, stamp
from bridge.contract.drafts import InboxLine
from bridge.contract.identity import Capability
from bridge.identity.caller import Client
from bridge.rpc.frames import FORBIDDEN
from bridge.rpc.methods.inbox import MOST_IDS, MOST_LINES, in_lines
from tests.patience import PATIENCE
from tests.people import Person, add_client, named, person_at, until_read
from tests.processes import bridge_process
from tests.rpc.world import World

BEGAN = datetime.fromisoformat("2026-11-22T00:00:00+00:00")
LONG = "# Log\n" + "".join(f"line {number}\n" for number in range(20))
ROBOT, AGENT = "Night robot", "Claude Code"
HOSTILE = "\x1b[31m\u202e <img src=x onerror=alert(1)>"


def thing(number: int, **members: Any) -> InboxLine:
    since = stamp(BEGAN + timedelta(minutes=number))
    wire = {"kind": "question", "client": "Ada", "clientId": "ada", "since": since, "summary": f"Edit {number}.md"}
    return InboxLine.model_validate(wire | {"files": 2, "ids": [f"c-{number}"], "questions": [f"c-{number}"]} | members)


def test_things_are_listed_oldest_first_and_many_of_one_kind_from_one_client_are_one_line() -> None:
    few = [thing(number, clientId="few") for number in range(MOST_LINES)]
    ends = stamp(BEGAN + timedelta(days=1))
    flood = [thing(number, keptUntil=ends if number == 9 else None) for number in range(1, MOST_LINES + 9)]
    drafts = [thing(7, kind="draft")]
    lines = in_lines([*drafts, *reversed(flood), *reversed(few)])
    assert [line.since for line in lines] == sorted(line.since for line in lines)
    assert sorted((line.client_id, line.kind, line.count) for line in lines) == [
        ("ada", "draft", 1),
        ("ada", "question", len(flood)),
        *[("few", "question", 1)] * MOST_LINES,
    ]
    (one,) = [line for line in lines if line.count > 1]
    assert (one.since, one.files, one.summary) == (flood[0].since, 2 * len(flood), f"{len(flood)} questions")
    assert (one.kept_until, one.reason, one.ids) == (ends, None, tuple(item.ids[0] for item in flood))


def test_ten_thousand_things_are_few_lines_with_few_names() -> None:
    (line,) = in_lines(thing(number) for number in range(10_000))
    assert (line.count, line.files, line.summary) == (10_000, 20_000, "10,000 questions")
    assert len(line.ids) == len(line.questions) == MOST_IDS


class Later(SystemClock):
    """The clock of a day to come."""

    def __init__(self, **ahead: float) -> None:
        self.ahead = timedelta(**ahead)

    def now(self) -> datetime:
        return super().now() + self.ahead


async def inbox(host: Connection) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = await host.request("inbox.list")
    return lines


async def until_kinds(host: Connection, *kinds: str) -> list[dict[str, Any]]:
    """Wait until these kinds are listed, whatever their order, and return the lines."""
    lines: list[dict[str, Any]] = []
    try:
        async with asyncio.timeout(PATIENCE):
            while sorted(line["kind"] for line in lines) != sorted(kinds):
                lines = await inbox(host)
    except TimeoutError:
        raise AssertionError(lines) from None
    return lines


async def add_robot(person: Person, vault: Path) -> None:
    added = await person.host.request("clients.add", name=ROBOT, preset="everything", drafts=True)
    save_to_file(find_vault(vault), ROBOT, added["token"])


async def work_at_night(vault: Path) -> None:
    """A robot asks what nobody answers and hands in two files, and an agent leaves a draft of one behind."""
    async with person_at(vault) as person:
        await add_robot(person, vault)
        await add_client(person, vault, AGENT)
        for client in (ROBOT, AGENT):
            await person.host.request("consent.allowReading", client=client, where=["/"])
    async with named(vault, AGENT) as agent:
        await done(agent.call("draft", action="begin"))
        await done(agent.call("create_note", path="Left.md", content="one\n"))
    async with named(vault, ROBOT) as robot:
        for name in ("One", "Two"):
            await done(robot.call("create_note", path=f"Night/{name}.md", content="one\n"))
        assert (await robot.call("web_fetch", {"url": "https://example.com/"}, reason=HOSTILE)).pending
        await done(robot.call("draft", action="submit"))


async def done(call: Awaitable[Any]) -> None:
    result = await call
    assert result.ok, result.raw


@pytest.mark.slow
async def test_what_waits_is_there_after_a_kill_and_for_as_long_as_each_is_kept(vault: Path) -> None:
    (vault / "Log.md").write_text(LONG, encoding="utf-8")
    async with Bridge(vault), connect(vault, name="Ada", role="host") as host:
        await until_read(host)  # and what was read is kept when it stops, as it is now and then
    async with bridge_process(vault, enabledTools=["*"], draftDays=7, ticketHours=24) as process:
        await work_at_night(vault)
        process.kill()
        await process.wait()
    (vault / "Log.md").write_text("# Log\n", encoding="utf-8")
    async with Bridge(vault, clock=Later(hours=1)), connect(vault, name="Ada", role="host") as host:
        lines = await until_kinds(host, "draft", "left", "question", "changes")
        assert [line["since"] for line in lines] == sorted(line["since"] for line in lines)
        by_kind = {line["kind"]: line for line in lines}
        draft, left, question, changes = (by_kind[kind] for kind in ("draft", "left", "question", "changes"))
        said = 'Create note "Night/One.md" (4 bytes), and 1 more'
        assert (draft["client"], draft["files"], draft["summary"]) == (ROBOT, 2, said)
        assert days_between(draft["since"], draft["keptUntil"]) == pytest.approx(30, abs=0.01)
        assert (left["client"], left["files"]) == (AGENT, 1)
        assert days_between(left["since"], left["keptUntil"]) == pytest.approx(7, abs=0.01)
        assert (question["client"], question["reason"]) == (ROBOT, HOSTILE)
        assert days_between(question["since"], question["keptUntil"]) == pytest.approx(1, abs=0.01)
        assert changes["summary"] == "Log.md lost most of its lines while the bridge was not running"
        assert (changes["client"], changes["clientId"], changes["files"]) == ("Another program", "", 1)
        assert changes["ids"] == (await host.request("versions.notice"))["entries"]
    for days, kinds in ((2, ["draft", "left", "changes"]), (8, ["draft"]), (29, ["draft"]), (31, [])):
        async with Bridge(vault, clock=Later(days=days)), connect(vault, name="Ada", role="host") as host:
            assert sorted(line["kind"] for line in await until_kinds(host, *kinds)) == sorted(kinds)


@pytest.mark.slow
async def test_a_draft_and_the_question_about_it_are_one_line_and_go_when_it_is_decided(vault: Path) -> None:
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        await work_at_night(vault)
        async with person_at(vault) as person:
            person.answer = None
            asked = {(await person.until_asked(count))["requestId"] for count in (1, 2)}
            lines = await until_kinds(person.host, "draft", "question")
            assert {question for line in lines for question in line["questions"]} == asked
            for question in person.asked:
                await person.respond(question, "deny_once")
            assert await until_kinds(person.host) == []


@pytest.mark.parametrize("capabilities", [{Capability.CALL}, {*Capability}])
async def test_no_client_sees_the_inbox_whatever_else_it_may_do(world: World, capabilities: set[Capability]) -> None:
    for client in ("agent", Client("robot", "Robot", frozenset(capabilities))):
        refused = (await world.ask(client, "inbox.list"))["error"]
        assert refused["code"] == FORBIDDEN


def days_between(first: str, last: str) -> float:
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)) / timedelta(days=1)
