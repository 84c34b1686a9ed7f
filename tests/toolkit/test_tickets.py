"""A call that its client does not wait for: its question lives for hours, and what became of it is always found."""

import asyncio
import json
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.clock import SystemClock
from bridge.consent.broker import MAX_WAITING
from bridge.contract.consent import Decision
from bridge.contract.identity import Capability
from bridge.contract.tools import ToolResult
from bridge.identity.caller import PERSON, SHARED, Caller, Client
from bridge.records.folder import RunFolder
from bridge.toolkit import tickets as store
from bridge.toolkit.tickets import Ticket, Tickets
from tests.identities import PrivateFiles, answer_to, caller
from tests.toolkit.conftest import rigged

LINE = {"path": "Ideas.md", "text": "one more\n"}


def times(vault: Path) -> int:
    """How often the line was added."""
    return (vault / "Ideas.md").read_text("utf-8").count("one more\n")


async def given(rig: Any, call_id: str | None = "one", who: Caller | None = None, **arguments: Any) -> Any:
    """A call that nobody waits for, as soon as a person is asked about it."""
    before = len(rig.broker.pending())
    pending = await rig.calls.call(who or rig.caller, "extend", LINE | arguments, call_id=call_id, wait=0)
    await rig.until(lambda: len(rig.broker.pending()) > before)
    return pending.to_wire()


async def decision(rig: Any, ticket: str | None, who: Caller | None = None, wait: float = 0) -> dict[str, Any]:
    """What `await_decision` answers."""
    arguments = {"wait": wait} | ({} if ticket is None else {"ticket": ticket})
    answer = await rig.calls.call(who or rig.caller, "await_decision", arguments, wait=0)
    assert isinstance(answer, ToolResult), "it has no ticket of its own"
    return answer.to_wire()


def hours_left(until: str) -> float:
    return (datetime.fromisoformat(until) - SystemClock().now()) / timedelta(hours=1)


async def test_the_question_of_a_ticket_lives_for_hours_and_waits_quietly(rig: Any) -> None:
    person = rig.person()
    calling = asyncio.create_task(rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=None))
    await rig.asked()
    assert hours_left(rig.broker.pending()[0].expires_at) < 0.1
    assert not rig.broker.pending()[0].waiting
    pending = (await rig.calls.result(rig.caller, "one", 0)).to_wire()
    assert hours_left(pending["expiresAt"]) == pytest.approx(24, abs=0.1)
    assert pending["state"] == "waiting_for_person"
    assert "call `await_decision` with the ticket 'one'" in pending["text"]
    question = rig.broker.pending()[0]
    assert (question.waiting, question.expires_at) == (True, pending["expiresAt"])
    assert person.resolved == [{"requestId": question.request_id, "expiresAt": pending["expiresAt"]}]
    await rig.calls.result(rig.caller, "one", 0)
    assert len(person.resolved) == 1, "it is said once"
    await person.answer(Decision.ALLOW_ONCE)
    assert (await calling).success


async def test_the_user_sets_how_long(rig: Any) -> None:
    rig.settings.update({"ticketHours": 2})
    rig.person()
    assert hours_left((await given(rig))["expiresAt"]) == pytest.approx(2, abs=0.1)
    assert hours_left(rig.broker.pending()[0].expires_at) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("answer", [Decision.ALLOW_ONCE, Decision.DENY_ONCE])
async def test_the_decision_is_answered_as_the_call_itself_is(rig: Any, answer: Decision) -> None:
    person = rig.person()
    await given(rig)
    waits = await decision(rig, "one")
    assert (waits["data"]["status"], waits["data"]["ticket"]) == ("waiting_for_person", "one")
    waiting = asyncio.create_task(decision(rig, "one", wait=300))
    await rig.until(lambda: len(rig.calls._running) == 1)
    await person.answer(answer, feedback="not now")
    result = await waiting
    assert result == (await rig.calls.result(rig.caller, "one")).to_wire()
    assert result["success"] is answer.allows
    assert times(rig.vault) == answer.allows
    rig.restarted()
    await rig.calls.resume(lambda client: client)
    assert await decision(rig, "one") == result


async def test_waiting_for_a_decision_is_never_asked_about_and_always_possible(rig: Any) -> None:
    person = rig.person()
    rig.settings.update({"enabledTools": ["read"], "consentMode": {"await_decision": "always_ask"}})
    assert (await decision(rig, None))["data"] == []
    rig.settings.update({"consentMode": {"await_decision": "never_allow"}})
    assert (await decision(rig, None))["success"]
    assert person.asked == []


async def test_a_ticket_is_its_clients_on_whatever_connection(rig: Any) -> None:
    rig.person()
    await given(rig)
    again = Caller(rig.caller.client, "another connection")
    assert (await decision(rig, "one", again))["data"]["status"] == "waiting_for_person"
    assert [one["ticket"] for one in (await decision(rig, None, again))["data"]] == ["one"]
    for other in (caller("agent-2"), Caller(SHARED, "somewhere"), PERSON):
        refused = await decision(rig, "one", other)
        assert (refused["errorType"], refused["success"]) == ("not_found", False)
        assert "changed nothing" in refused["error"]
        assert (await decision(rig, None, other))["data"] == []


async def test_a_program_without_a_name_finds_its_ticket_by_a_random_id_alone(rig: Any) -> None:
    rig.person()
    here, there, random = Caller(SHARED, "here"), Caller(SHARED, "there"), str(uuid.uuid4())
    await given(rig, random, here)
    await given(rig, "two", here)
    left = sorted(hours_left(question.expires_at) for question in rig.broker.pending())
    assert left[0] < 0.1, "what nobody finds later does not live longer"
    assert left[1] > 23
    assert (await decision(rig, random, there))["success"]
    assert (await decision(rig, "two", there))["errorType"] == "not_found"
    assert [one["ticket"] for one in (await decision(rig, None, here))["data"]] == [random]
    assert (await decision(rig, None, there))["data"] == []


async def test_the_list_has_what_waits_first_and_nothing_that_the_client_may_not_know(rig: Any) -> None:
    person = rig.person()
    await given(rig, "one")
    await person.answer(Decision.ALLOW_ONCE)
    await rig.calls.result(rig.caller, "one")
    await given(rig, "two", text="secret plan\n")
    question = person.asked[-1]["summary"]
    assert "Old content" in question, "the question says what is in the file"
    listed = (await decision(rig, None))["data"]
    assert [(one["ticket"], one["state"], one["tool"]) for one in listed] == [
        ("two", "waiting_for_person", "extend"),
        ("one", "done", "extend"),
    ]
    assert {one["summary"] for one in listed} == {"add a line to “Ideas.md”"}


async def test_so_many_questions_of_a_client_wait_and_beyond_that_none_is_asked(rig: Any) -> None:
    rig.settings.update({"rateLimits": {"extend": 1000}, "globalRateLimit": 1000})
    rig.person()
    for number in range(MAX_WAITING):
        await given(rig, f"call-{number}")
    pending = await rig.calls.call(rig.caller, "extend", LINE, call_id="more", wait=300)
    refused = pending.to_wire()
    assert refused["errorType"] == "rate_limited"
    assert f"{MAX_WAITING} questions of this client wait" in refused["error"]
    assert (await given(rig, "other", caller("agent-2")))["expiresAt"], "another client has room of its own"
    rig.calls.cancel(rig.caller, "call-0")
    await rig.until(lambda: len(rig.broker.pending()) == MAX_WAITING)
    assert (await given(rig, "again"))["callId"] == "again"


async def test_two_equal_calls_are_two_calls(rig: Any) -> None:
    person = rig.person()
    for _ in range(2):
        await given(rig, None)
    for question in list(person.asked):
        digest = question["planDigest"]
        await rig.broker.respond(answer_to(question["requestId"], Decision.ALLOW_ONCE, digest), PERSON)
    tickets = [one["ticket"] for one in (await decision(rig, None))["data"]]
    results = [await decision(rig, ticket, wait=300) for ticket in tickets]
    assert len(set(tickets)) == 2
    # Both were planned for the same text, so the second yes comes to what has changed meanwhile.
    assert sorted(result["success"] for result in results) == [False, True]
    assert times(rig.vault) == 1


async def test_a_call_that_is_withdrawn_has_no_ticket_and_its_question_ends(rig: Any) -> None:
    rig.person()
    calling = asyncio.create_task(rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=300))
    await rig.asked()
    assert rig.calls.cancel(rig.caller, "one")
    assert (await calling).to_wire()["data"]["code"] == "cancelled"
    assert rig.broker.pending() == []
    assert (await decision(rig, None))["data"] == []
    assert rig.tickets.held == {}


async def test_a_ticket_can_be_given_back(rig: Any) -> None:
    rig.person()
    await given(rig)
    assert rig.calls.cancel(rig.caller, "one")
    assert (await decision(rig, "one", wait=300))["data"]["code"] == "cancelled"
    assert rig.broker.pending() == []
    assert [one["state"] for one in (await decision(rig, None))["data"]] == ["cancelled"]


# -- after a restart --------------------------------------------------------------------------------------------------


async def restart(rig: Any, current: Callable[[Client], Client | None] = lambda client: client) -> None:
    """Stop, and start again with what is on the disk."""
    await rig.calls.stop()
    rig.restarted()
    await rig.calls.resume(current)


def as_robot(client: Client) -> Client:
    return Client(client.id, "Robot", frozenset({Capability.CALL}))


async def test_what_waited_is_asked_again_and_done_once(rig: Any) -> None:
    person = rig.person()
    until = (await given(rig))["expiresAt"]
    first = person.asked[-1]
    (listed,) = (await decision(rig, None))["data"]
    await restart(rig, as_robot)
    await rig.asked()
    again = rig.broker.pending()[0].to_wire()
    assert again["requestId"] != first["requestId"]
    same = ("client", "clientId", "parameters", "summary", "waiting")
    assert {key: again[key] for key in same} == {key: first[key] for key in same}
    assert (again["createdAt"], again["expiresAt"]) == (listed["since"], until)
    assert (await decision(rig, "one"))["data"]["status"] == "waiting_for_person"
    await person.answer(Decision.ALLOW_ONCE)
    assert (await decision(rig, "one", wait=300))["success"]
    assert times(rig.vault) == 1
    await restart(rig)
    assert rig.broker.pending() == []
    assert (await decision(rig, "one"))["success"]
    assert times(rig.vault) == 1


async def test_the_same_id_sent_again_finds_what_is_taken_up(rig: Any) -> None:
    person = rig.person()
    await given(rig)
    await restart(rig)
    await rig.asked()
    again = await rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=0)
    assert again.to_wire()["state"] == "waiting_for_person"
    other = await rig.calls.call(rig.caller, "extend", LINE | {"text": "x"}, call_id="one", wait=0)
    assert other.to_wire()["errorType"] == "invalid_parameters"
    await person.answer(Decision.DENY_ONCE)
    await rig.calls.result(rig.caller, "one")
    await restart(rig)
    again = await rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=0)
    assert again.to_wire()["data"]["code"] == "denied_by_user"
    other = await rig.calls.call(rig.caller, "extend", LINE | {"text": "x"}, call_id="one", wait=0)
    assert other.to_wire()["errorType"] == "invalid_parameters"


async def test_a_write_that_was_made_just_before_the_end_is_not_made_again(rig: Any) -> None:
    person = rig.person()
    await given(rig)
    kept = dict(rig.tickets.held)
    await person.answer(Decision.ALLOW_ONCE)
    done = (await rig.calls.result(rig.caller, "one")).to_wire()
    rig.tickets.held = kept  # the bridge was killed before it could note the end
    await restart(rig)
    assert rig.broker.pending() == []
    found = await decision(rig, "one")
    assert (found["success"], found["executionId"]) == (True, done["executionId"])
    assert times(rig.vault) == 1


async def test_the_vault_as_it_is_then_is_what_is_asked_about(rig: Any) -> None:
    person = rig.person()
    await given(rig)
    await rig.calls.stop()
    (rig.vault / "Ideas.md").write_text("All is new\n", encoding="utf-8")
    rig.restarted()
    await rig.calls.resume(lambda client: client)
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    assert (await decision(rig, "one", wait=300))["success"]
    assert (rig.vault / "Ideas.md").read_text("utf-8") == "All is new\none more\n"


async def revoked(rig: Any) -> None:
    await restart(rig, lambda _client: None)


async def without_the_tool(rig: Any) -> None:
    await rig.calls.stop()
    await rig.pipeline.registry.remove("t")
    rig.restarted()
    await rig.calls.resume(lambda client: client)


async def unreadable(rig: Any) -> None:
    await rig.calls.stop()
    for name, data in rig.tickets.held.items():
        rig.tickets.held[name] = orjson.dumps({k: v for k, v in orjson.loads(data).items() if k != "arguments"})
    rig.restarted()
    await rig.calls.resume(lambda client: client)


async def without_the_file(rig: Any) -> None:
    (rig.vault / "Ideas.md").unlink()
    await restart(rig)


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        (revoked, "the client that made it was revoked"),
        (without_the_tool, "there is no tool 'extend' any more"),
        (unreadable, "cannot be read"),
    ],
)
async def test_what_cannot_be_taken_up_ends_and_says_that_nothing_was_done(
    rig: Any, ending: Callable[[Any], Any], says: str
) -> None:
    rig.person()
    await given(rig)
    await ending(rig)
    ended = (await rig.calls.result(rig.caller, "one")).to_wire()
    assert says in ended["error"]
    assert "Nothing was done" in ended["error"]
    assert rig.broker.pending() == []
    assert times(rig.vault) == 0


async def test_a_call_that_fails_before_it_is_asked_again_says_that_nothing_was_done(rig: Any) -> None:
    rig.person()
    await given(rig)
    rig.settings.update({"consentMode": {"extend": "never_allow"}})
    await restart(rig)
    ended = await decision(rig, "one", wait=300)
    assert "never_allow" in ended["error"]
    assert "Nothing was done" in ended["error"]


async def test_a_bridge_for_one_command_takes_nothing_up(rig: Any) -> None:
    person = rig.person()
    until = (await given(rig))["expiresAt"]
    await rig.calls.stop()
    rig.restarted()
    await rig.calls.resume(lambda client: client, run=False)
    waits = await decision(rig, "one")
    assert (waits["data"]["status"], waits["data"]["expiresAt"]) == ("waiting_for_person", until)
    await restart(rig)
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    assert (await decision(rig, "one", wait=300))["success"]


async def test_what_ran_outside_the_ledger_when_the_bridge_was_killed_is_not_run_again(rig: Any) -> None:
    person = rig.person()
    rig.settings.update({"consentMode": {"read": "always_ask"}})
    await rig.calls.call(rig.caller, "read", {"path": "hold"}, call_id="one", wait=0)
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    await rig.until(rig.look.entered.is_set)
    kept = dict(rig.tickets.held)
    rig.look.release.set()
    await rig.calls.result(rig.caller, "one")
    rig.tickets.held = kept
    await restart(rig)
    assert rig.broker.pending() == []
    assert "was not run again" in (await decision(rig, "one"))["error"]


async def test_a_revoked_clients_tickets_are_forgotten(rig: Any) -> None:
    rig.person()
    await given(rig)
    await given(rig, "two", caller("agent-2"))
    await rig.calls.end_client(rig.caller.client.id)
    assert [orjson.loads(data)["ticket"]["call_id"] for data in rig.tickets.held.values()] == ["two"]


# -- the files --------------------------------------------------------------------------------------------------------


class Moment(SystemClock):
    """A clock that is put forward by hand."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


def ticket(number: int = 0, client_id: str = "agent-1") -> Ticket:
    return Ticket(
        key=f"key-{client_id}-{number}",
        call_id=f"call-{number}",
        client_id=client_id,
        session_id=client_id,
        calls_itself=None,
        tool="extend",
        summary="extend",
        reason=None,
        arguments_hash="",
        since=f"2026-11-22T15:00:{number % 60:02}.000Z",
        until="2126-11-23T15:00:00.000Z",
    )


async def test_an_end_is_kept_for_a_day_and_then_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    files, clock = PrivateFiles(), Moment()
    kept = Tickets(files, clock)
    await kept.open(ticket(), LINE)
    await kept.end(ticket().key, ToolResult(success=True, data={"a": 1}, text="done"))
    assert b"one more" not in files.held[ticket().file], "the arguments are not needed any more"
    later = Tickets(files, clock)
    await later.load()
    found = later.find(ticket().key)
    assert found is not None
    assert await later.result(found) == ToolResult(success=True, data={"a": 1}, text="done")
    clock.ahead = timedelta(hours=25)
    assert later.find(ticket().key) is None
    monkeypatch.setattr(store, "SWEEP_SECONDS", 0.0)
    await later.load()
    assert files.held == {}
    await later.close()


async def test_what_one_client_can_make_us_keep_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_ENDED", 3)
    files = PrivateFiles()
    kept = Tickets(files, SystemClock())
    for number in range(6):
        await kept.open(ticket(number), LINE)
        await kept.end(ticket(number).key, ToolResult(success=True))
    await kept.open(ticket(0, "agent-2"), LINE)
    assert len(files.held) == 3 + 1
    assert not await kept.open(ticket(7), "x" * store.MOST_BYTES_OF_ONE)
    monkeypatch.setattr(store, "MOST_BYTES", 3000)
    assert not await kept.open(ticket(8), "x" * 3000)
    assert await kept.open(ticket(9, "agent-3"), "x" * 1000)


async def test_a_result_that_is_too_large_is_not_kept_but_its_end_is() -> None:
    files = PrivateFiles()
    kept = Tickets(files, SystemClock())
    await kept.open(ticket(), LINE)
    await kept.end(ticket().key, ToolResult(success=True, text="x" * store.MOST_BYTES_OF_ONE))
    later = Tickets(files, SystemClock())
    await later.load()
    found = later.find(ticket().key)
    assert found is not None
    assert (found.state, await later.result(found)) == ("done", None)
    await later.close()


async def test_a_full_disk_is_said_in_the_ticket_and_stops_nothing(rig: Any, caplog: pytest.LogCaptureFixture) -> None:
    person = rig.person()
    rig.tickets.full = True
    assert "A restart of the bridge ends it" in (await given(rig))["text"]
    assert "No space left" in caplog.text
    assert "one more" not in caplog.text
    await person.answer(Decision.ALLOW_ONCE)
    assert (await decision(rig, "one", wait=300))["success"]


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"version": 1}', b'{"version": 1, "ticket": {"key": 1}}', b"\xff"]
)
async def test_a_damaged_file_is_passed_over(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    files = PrivateFiles()
    kept = Tickets(files, SystemClock())
    await kept.open(ticket(1), LINE)
    files.held["damaged.json"] = data
    later = Tickets(files, SystemClock())
    await later.load()
    assert [one.call_id for one in later.waiting()] == ["call-1"]
    assert "damaged.json" in caplog.text
    await later.close()


@pytest.mark.parametrize("member", ["since", "until"])
@pytest.mark.parametrize("time", ["soon", "2026-01-31", "2026-01-31T10:30:00"])
async def test_a_ticket_with_a_time_that_cannot_be_compared_is_passed_over(
    member: str, time: str, caplog: pytest.LogCaptureFixture
) -> None:
    files = PrivateFiles()
    kept = Tickets(files, SystemClock())
    await kept.open(ticket(1), LINE)
    name, whole = next(iter(files.held.items()))
    content = json.loads(whole)
    content["ticket"] |= {"state": "done", member: time}
    files.held[name] = json.dumps(content).encode()
    later = Tickets(files, SystemClock())
    await later.load()
    assert later.find(ticket(1).key) is None
    assert name in caplog.text
    await later.close()


async def test_the_files_are_the_users_alone(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "Vault", tmp_path / "state", kind="tickets", durable=True)
    kept = Tickets(folder, SystemClock())
    await kept.open(ticket(), LINE)
    (file,) = folder.path.iterdir()
    assert (folder.names(), file.stat().st_mode & 0o077) == ([file.name], 0)
    assert folder.path.stat().st_mode & 0o077 == 0
    await kept.close()


async def test_a_vault_that_was_left_is_served_again_with_its_tickets(vault: Path) -> None:
    files = PrivateFiles()
    with rigged(vault, tickets=files) as rig:
        await given(rig)
        await rig.calls.stop()
    with rigged(vault, tickets=files) as rig:
        person = rig.person()
        await rig.calls.resume(lambda client: client)
        await rig.asked()
        await person.answer(Decision.ALLOW_ONCE)
        assert (await decision(rig, "one", wait=300))["success"]
        await rig.calls.stop()
    assert times(vault) == 1
