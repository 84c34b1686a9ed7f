"""Each program does an agent's work in a vault, and a person decides."""

import asyncio
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bridge.agents.table import BY_ID
from bridge.app import Bridge
from tests.patience import PATIENCE
from tests.people import Person, person_at
from tests.programs import page
from tests.programs.conversation import Call, Step, Turn, find, ours, own
from tests.programs.desk import Desk, Running
from tests.programs.entries import add_to_entry
from tests.programs.programs import CODEX, PROGRAMS, WRITES_PROGRAMS, Program, why_not

EDIT = {"path": "Ideas.md", "edits": [{"old_text": "Old content here.", "new_text": "New content here."}]}
FOUND = "by its search; one that comes too early says so"
REFUSED = {"path": "Notes/Meeting.md", "edits": [{"append": "- call Bob\n"}]}


@asynccontextmanager
async def served(desk: Desk, *programs: Program, **settings: object) -> AsyncIterator[Person]:
    """Serve a vault to a person who lets everything be read, and connect programs."""
    reading = dict.fromkeys(("search", "read"), "always_allow")
    async with Bridge(desk.vault) as bridge, person_at(desk.vault) as person:
        bridge.settings.update({"consentMode": reading} | settings, confirms=True)
        for program in programs:
            await desk.connect(program)
        yield person


def steps(program: Program, *given: Step) -> tuple[Step, ...]:
    """Return steps, before which a model that has to find its tools does so."""
    names = ("search", "read", "edit", "draft", "create_note", "await_decision")
    return (find(*names), *given) if program.finds else given


async def test_an_agent_searches_reads_edits_is_refused_and_drafts(desk: Desk, program: Program) -> None:
    async with served(desk, program) as person:
        person.answer = "allow_once"

        async def refuse(_turn: Turn) -> Call:
            person.answer, person.extent = "deny_once", {"feedback": "Bob is on holiday."}
            return ours("edit", **REFUSED)

        async def allow(_turn: Turn) -> Call:
            person.answer, person.extent = "allow_once", {}
            return ours("draft", action="begin")

        staged = (
            ours("create_note", path="New.md", content="# New\n"),
            ours("edit", path="Ideas.md", edits=[{"append": "More.\n"}]),
        )
        script: tuple[Step, ...] = (
            ours("search", query="TODO"),
            ours("read", path="Ideas.md", lineNumbers=True, **dict.fromkeys(program.adds, True)),
            ours("edit", **EDIT),
            refuse,
            allow,
            staged,
            ours("draft", action="submit"),
            "Done.",
        )
        ended = await desk.run(program, *steps(program, *script))
    first = 2 if program.finds else 1
    searched, read, edited, refused, _begun, drafted, taken = (ended.answers(first + number) for number in range(7))
    assert "Notes/Meeting.md" in searched
    page.note(program, "work", "search", "yes")
    assert "3: ## Old Section" in read
    page.note(program, "work", "read", "yes")
    assert re.search(r"edit-[0-9a-f]{8}", edited)
    page.note(program, "work", "edit", "yes")
    assert "Bob is on holiday." in refused
    assert "Bob" not in (desk.vault / "Notes" / "Meeting.md").read_text("utf-8")
    page.note(program, "work", "refusal", "yes")
    assert drafted.count("nothing is written") == len(staged)
    assert (desk.vault / "New.md").read_text("utf-8") == "# New\n", taken
    assert (desk.vault / "Ideas.md").read_text("utf-8").endswith("New content here.\nMore.\n")
    page.note(program, "work", "draft", "yes")


async def test_the_first_request_has_our_tools_while_no_bridge_runs_yet(desk: Desk, program: Program) -> None:
    async with served(desk, program):
        pass
    ended = await desk.run(program, *steps(program, ours("read", path="Ideas.md"), "Done."))
    if program.finds:
        assert "read" in ended.turn(1).ours, ended.answers(1)
        assert "Old content here." in ended.answers(2)
    else:
        assert {"search", "read", "edit"} <= set(ended.turns[0].ours)
        assert "Old content here." in ended.answers(1)
    page.note(program, "work", "first", FOUND if program.finds else "yes")


async def test_a_bridge_that_is_killed_between_two_calls_is_replaced(desk: Desk, program: Program) -> None:
    async with served(desk, program):
        pass
    bridge = await desk.start_command("serve", "--vault", str(desk.vault))

    async def kill(_turn: Turn) -> Call:
        bridge.kill()
        await bridge.wait()
        return ours("read", path="Notes/Windows.md")

    assert bridge.stdout is not None
    assert await bridge.stdout.readline()
    ended = await desk.run(program, *steps(program, ours("read", path="Ideas.md"), kill, "Done."))
    first = 2 if program.finds else 1
    assert "Old content here." in ended.answers(first)
    assert "TODO: ship" in ended.answers(first + 1)
    page.note(program, "work", "restart", "yes")


async def test_without_a_terminal_its_own_permissions_have_to_let_our_tools_through(
    desk: Desk, program: Program
) -> None:
    async with served(desk, program) as person:
        person.answer = "allow_once"
        add_to_entry(program, **dict(program.trusts))
        running = await desk.start(program, *steps(program, ours("edit", **EDIT), "Done."), arguments=program.alone)
        ended = await running.end()
    assert "New content here." in (desk.vault / "Ideas.md").read_text("utf-8"), ended.turns[-1].answers
    page.note(program, "work", "alone", program.lets)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
async def test_a_program_that_is_ended_while_it_waits_takes_its_question_with_it(
    desk: Desk, program: Program, how: signal.Signals
) -> None:
    async with served(desk, program) as person:
        person.answer = None
        outcomes = asyncio.Queue[str]()
        person.host.on("consent.resolved", lambda resolved: outcomes.put_nowait(resolved["outcome"]))
        running = await desk.start(program, *steps(program, ours("edit", **EDIT), "Done."))
        await person.until_asked()
        running.process.send_signal(how)
        async with asyncio.timeout(PATIENCE):
            assert await outcomes.get() == "cancelled"
        await running.end()
    assert "Old content here." in (desk.vault / "Ideas.md").read_text("utf-8")
    if how == signal.SIGKILL:
        page.note(program, "work", "cancelled", "yes")


async def test_an_answer_after_more_than_90_seconds_reaches_the_model(desk: Desk) -> None:
    """All programs at once. A call waits nearly as long as Codex does, twice; each is answered in its third wait."""
    programs = [program for program in PROGRAMS if not why_not(program)]
    if not programs:
        pytest.skip(why_not(PROGRAMS[0]))
    wait = 46
    async with served(desk, *programs, waitSeconds=wait, consentMode={}) as person:
        person.answer = None
        waiting = (ours("read", path="Ideas.md"), ask_again, ask_again, "Done.")
        running = [await desk.start(program, *steps(program, *waiting)) for program in programs]

        async def answer(program: Program, one: Running) -> None:
            await one.model.until_turn(2 + len(steps(program)), 2 * wait)
            (question,) = (asked for asked in person.asked if asked["client"] == BY_ID[program.id].title)
            await person.respond(question, "allow_once")

        await asyncio.gather(*map(answer, programs, running))
        ended = await asyncio.gather(*(one.end() for one in running))
    for program, one in zip(programs, ended, strict=True):
        first = 1 + len(steps(program))
        assert "ticket" in one.answers(first)
        assert "ticket" in one.answers(first + 1)
        assert "Old content here." in one.answers(first + 2)
        page.note(program, "work", "late", "yes")


async def ask_again(turn: Turn) -> Call:
    """Ask what became of the call whose ticket the model was given last."""
    found = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", turn.answers[-1].text)
    return ours("await_decision", ticket=found[0])


async def test_a_model_that_writes_programs_has_our_tools_at_once_in_codex(desk: Desk) -> None:
    """Also while no bridge runs yet."""
    if why := why_not(CODEX):
        pytest.skip(why)
    async with served(desk, CODEX):
        pass
    step = own("exec", "text(await tools.mcp__vault_bridge__read({path: 'Ideas.md', lineNumbers: true}))")
    running = await desk.start(CODEX, step, "Done.", arguments=(*CODEX.arguments, "--model", WRITES_PROGRAMS))
    assert "3: ## Old Section" in (await running.end()).answers(1)


async def test_codex_says_why_it_does_not_begin_when_its_client_is_revoked(desk: Desk) -> None:
    """It is told to wait for the server, so it does not go on without it."""
    if why := why_not(CODEX):
        pytest.skip(why)
    async with served(desk, CODEX) as person:
        for client in await person.host.request("clients.list"):
            await person.host.request("clients.revoke", clientId=client["clientId"])
        ended = await desk.run(CODEX, "Done.")
    assert ended.code
    assert ended.turns == ()
    assert "vault-bridge: " in ended.err
    assert "not valid any more; add the client again" in ended.err
