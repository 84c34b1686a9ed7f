"""One call id, one execution, whoever asks and however often."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.identity.caller import Caller
from bridge.toolkit.tool_call import ToolCall
from tests.identities import PERSON, caller

EDIT = {"path": "Ideas.md", "text": "new\n"}


async def ticket(rig: Any, call_id: str | None = "one", wait: float | None = 0) -> Any:
    return (await rig.calls.call(rig.caller, "overwrite", EDIT, call_id=call_id, wait=wait)).to_wire()


async def test_a_bounded_wait_gets_a_ticket_and_the_result_is_picked_up_later(rig: Any) -> None:
    person = rig.person()
    assert (await ticket(rig))["status"] == "pending"
    await rig.asked()
    pending = (await rig.calls.result(rig.caller, "one", 0)).to_wire()
    asked = {"status": "pending", "callId": "one", "requestId": person.asked[0]["requestId"], "waits": None}
    assert pending.items() >= asked.items()
    await person.answer(Decision.ALLOW_ONCE)
    assert (await rig.calls.result(rig.caller, "one")).to_wire()["success"]
    assert (rig.vault / "Ideas.md").read_bytes() == b"new\n"


async def test_without_an_id_a_bounded_wait_is_given_one(rig: Any) -> None:
    rig.person()
    given = (await ticket(rig, call_id=None))["callId"]
    assert (await rig.calls.result(rig.caller, given, 0)).to_wire()["status"] == "pending"
    assert rig.calls.cancel(rig.caller, given)


async def test_the_same_id_is_executed_once(rig: Any) -> None:
    person = rig.person()
    waiting = [asyncio.create_task(ticket(rig, wait=None)) for _ in range(20)]
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    results = await asyncio.gather(*waiting)
    assert len({result["executionId"] for result in results}) == 1
    assert len(person.asked) == 1
    assert len(rig.records("execution")) == 1
    assert (await ticket(rig))["executionId"] == results[0]["executionId"]


async def test_the_same_id_for_something_else_is_refused(rig: Any) -> None:
    rig.person()
    await ticket(rig)
    other = (await rig.calls.call(rig.caller, "overwrite", EDIT | {"text": "other"}, call_id="one", wait=0)).to_wire()
    assert other["errorType"] == "invalid_parameters"
    assert "'one'" in other["error"]


async def test_a_caller_that_goes_away_does_not_cancel_a_call_with_an_id(rig: Any) -> None:
    person = rig.person()
    gone = asyncio.create_task(ticket(rig, wait=None))
    await rig.asked()
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    await person.answer(Decision.ALLOW_ONCE)
    assert (await rig.calls.result(rig.caller, "one")).to_wire()["success"]


async def test_a_cancelled_call_says_so_and_cannot_be_answered_any_more(rig: Any) -> None:
    person = rig.person()
    await ticket(rig)
    await rig.asked()
    assert rig.calls.cancel(rig.caller, "one")
    assert (await rig.calls.result(rig.caller, "one")).to_wire()["data"]["code"] == "cancelled"
    assert not (await person.answer(Decision.ALLOW_ONCE)).accepted
    assert not rig.calls.cancel(rig.caller, "one")
    assert not rig.calls.cancel(rig.caller, "never heard of")


async def test_an_unknown_id_is_not_found(rig: Any) -> None:
    assert (await rig.calls.result(rig.caller, "none")).to_wire()["errorType"] == "not_found"


async def test_a_write_is_found_by_its_id_after_a_restart(rig: Any) -> None:
    person = rig.person()
    first = asyncio.create_task(ticket(rig, wait=None))
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    done = await first
    rig.restarted()
    again = await ticket(rig)
    assert (again["success"], again["executionId"]) == (True, done["executionId"])
    assert (await rig.calls.result(rig.caller, "one")).to_wire()["executionId"] == done["executionId"]
    assert len(person.asked) == 1


async def test_with_nobody_there_a_call_that_can_wait_waits_for_a_person(rig: Any) -> None:
    assert (await ticket(rig))["status"] == "pending"
    await rig.asked()
    person = rig.person()
    assert len(person.asked) == 1, "a screen that comes later is shown what is open"
    await person.answer(Decision.ALLOW_ONCE)
    assert (await rig.calls.result(rig.caller, "one")).to_wire()["success"]


async def test_stopping_cancels_what_waits(rig: Any) -> None:
    rig.person()
    await ticket(rig)
    await rig.asked()
    await rig.calls.stop()
    assert rig.broker.pending() == []


@pytest.fixture
def delivered(rig: Any) -> list[tuple[str | None, str]]:
    """The results handed out again: call id and execution id."""
    found: list[tuple[str | None, str]] = []

    async def deliver(caller: Caller, call: ToolCall) -> None:
        del caller
        found.append((call.call_id, call.execution_id))

    rig.restarted(deliver)
    return found


async def test_a_refusal_is_no_delivery(rig: Any, delivered: list[Any]) -> None:
    await rig.calls.call(PERSON, "read", {"path": "Ideas.md"}, call_id="one")
    other = await rig.calls.call(PERSON, "read", {"path": "Other.md"}, call_id="one")
    assert not other.success
    assert delivered == []


async def test_a_delivery_from_the_journal_names_the_execution(rig: Any, delivered: list[Any]) -> None:
    person = rig.person()
    call = asyncio.create_task(ticket(rig, wait=None))
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    done = await call
    rig.restarted()
    assert (await ticket(rig, wait=None))["executionId"] == done["executionId"]
    assert delivered == [("one", done["executionId"])]


async def test_one_client_does_not_push_out_what_another_has_done(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.toolkit.call_registry.MOST_KEPT", 3)
    first, flood = caller("first"), caller("flood")
    await rig.calls.call(first, "nothing", {}, call_id="mine")
    for number in range(8):
        await rig.calls.call(flood, "nothing", {}, call_id=str(number))
    kept = [number for number in range(8) if "There is no call" not in await said(rig, flood, str(number))]
    assert "There is no call" not in await said(rig, first, "mine")
    assert kept == [5, 6, 7]  # the newest of the one that has most


async def said(rig: Any, who: Caller, call_id: str) -> str:
    return str((await rig.calls.result(who, call_id)).text)


async def test_of_a_finished_call_its_arguments_are_not_kept(rig: Any) -> None:
    junk = [{"path": "Ideas.md", "junk": "x" * 100_000}, {"path": "Ideas.md"}]
    for number, arguments in enumerate(junk):
        await rig.calls.call(PERSON, "read", arguments, call_id=str(number), size=100_100)
        assert (await rig.calls.call(PERSON, "read", {"path": "other"}, call_id=str(number))).error_type is not None
    assert [call.tool_call.arguments for call in rig.calls._calls.values()] == [None, None]


async def test_kept_results_are_bounded_in_bytes_and_the_newest_is_kept(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.toolkit.call_registry.MOST_RESULTS", 250_000)
    monkeypatch.setattr("bridge.toolkit.call_registry.MOST_RESULTS_OF_ALL", 450_000)
    (rig.vault / "Long.md").write_text("x" * 50_000)  # twice in a result: as data and as text
    for who in (PERSON, caller("second")):
        rig.settings.update({"consentMode": {"read": "always_allow"}})
        for number in range(5):
            await rig.calls.call(who, "read", {"path": "Long.md"}, call_id=str(number))
    kept = [call.size for call in rig.calls._calls.values()]
    assert sum(kept) <= 450_000
    assert "There is no call" not in await said(rig, caller("second"), "4")
    assert "There is no call" in await said(rig, caller("second"), "0")
    assert "There is no call" not in await said(rig, PERSON, "4")


def steps(work: Callable[[], object]) -> int:
    """How often functions begin and end while something is done."""
    seen: list[None] = []
    sys.setprofile(lambda *_event: seen.append(None))
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(seen)


async def test_a_call_does_not_look_through_all_that_is_kept(rig: Any) -> None:
    taken = []
    for number in range(40):
        await rig.calls.call(PERSON, "nothing", {}, call_id=str(number))
        taken.append(steps(rig.calls._forget))
    assert taken[1] == taken[-1]


async def test_of_a_client_that_was_revoked_nothing_is_kept(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.toolkit.call_registry.MOST_KEPT", 2)
    gone = caller("gone")
    for number in range(2):
        await rig.calls.call(gone, "nothing", {}, call_id=str(number))
    await rig.calls.end_client(gone.client.id)
    for number in range(4):
        await rig.calls.call(PERSON, "nothing", {}, call_id=str(number))
    kept = [number for number in range(4) if "There is no call" not in await said(rig, PERSON, str(number))]
    assert kept == [1, 2, 3], "two and the one that came last"


async def test_what_runs_for_one_client_is_bounded_in_bytes(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.toolkit.call_registry.MOST_RUNNING", 1_000)
    rig.person()

    async def write(who: Caller, call_id: str) -> Any:
        return await rig.calls.call(who, "overwrite", EDIT, call_id=call_id, wait=0, size=600)

    assert (await write(rig.caller, "one")).status == "pending"
    refused = await rig.calls.call(rig.caller, "overwrite", EDIT, call_id="two", size=600)
    assert (refused.error_type, refused.metadata) == ("rate_limited", {"retryAfter": 1})
    assert (await write(caller("other"), "one")).status == "pending", "others have their own"
    assert rig.calls.cancel(rig.caller, "one")
    await rig.calls.result(rig.caller, "one")
    assert (await write(rig.caller, "three")).status == "pending"


async def test_what_runs_weighs_as_much_as_it_takes_once_it_was_read(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.person()
    few = EDIT | {"content": "x" * 2_000}
    many: dict[str, Any] = EDIT | {"content": [[]] * 1_000}
    for arguments, fits in ((few, True), (many, False)):
        monkeypatch.setattr("bridge.toolkit.call_registry.MOST_RUNNING", 100_000)
        assert (await rig.calls.call(rig.caller, "overwrite", EDIT, call_id=f"{fits}", wait=0, size=600)).status
        told = await rig.calls.call(rig.caller, "overwrite", arguments, wait=0, size=2_100)
        assert (getattr(told, "error_type", None) != "rate_limited") is fits
