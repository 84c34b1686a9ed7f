"""A call that must be asked about while no screen is open: its client hears so at once, and the question waits."""

import asyncio
from typing import Any

import pytest

from bridge.consent import broker
from bridge.consent.broker import ALONE_SECONDS, MAX_OPEN, MAX_WAITING
from bridge.contract.consent import Decision
from bridge.toolkit.consent_step import ConsentStep
from tests.loop_time import turns
from tests.patience import PATIENCE
from tests.toolkit.conftest import Screen
from tests.toolkit.test_tickets import LINE, as_robot, decision, restart, times

FOREVER = 300.0
"""Longer than a test may take: what answers before that has not waited to the end."""


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody being there shows at once."""
    monkeypatch.setattr(broker, "ALONE_SECONDS", 0.0)


async def alone(rig: Any, call_id: str = "one") -> dict[str, Any]:
    """A call that a person must be asked about, and what it is answered."""
    answer = await rig.calls.call(rig.caller, "extend", LINE, call_id=call_id, wait=FOREVER, ticket_if_alone=True)
    return dict(answer.to_wire())


def test_it_shows_in_less_than_five_seconds() -> None:
    assert ALONE_SECONDS < 5


@pytest.mark.usefixtures("soon")
async def test_the_answer_says_that_nobody_is_there_until_when_the_question_waits_and_its_ticket(rig: Any) -> None:
    waits = await alone(rig)
    assert (waits["status"], waits["state"]) == ("pending", "waiting_for_person")
    assert "nobody is there to be asked" in waits["text"]
    assert "was asked" not in waits["text"]
    assert f"waits until {waits['expiresAt']}" in waits["text"]
    assert "`vault-bridge approve`" in waits["text"]
    assert "Do not repeat the call" in waits["text"]
    assert "with the ticket 'one'" in waits["text"]


@pytest.mark.usefixtures("soon")
async def test_whoever_opens_a_screen_later_sees_the_question_and_the_ticket_has_the_result(rig: Any) -> None:
    await alone(rig)
    waits = await decision(rig, "one")
    assert "was asked" not in waits["text"], "waiting for it shows it to nobody"
    waiting = asyncio.create_task(decision(rig, "one", wait=FOREVER))
    person = rig.person()
    assert [question["waiting"] for question in person.asked] == [True]
    assert "the user was asked" in (await decision(rig, "one"))["text"]
    await person.answer(Decision.ALLOW_ONCE)
    assert (await waiting)["success"]
    assert times(rig.vault) == 1


@pytest.mark.usefixtures("soon")
async def test_who_has_not_asked_for_that_waits_for_somebody_to_come(rig: Any) -> None:
    calling = asyncio.create_task(rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=FOREVER))
    await rig.asked()
    assert "nobody is there" in (await alone(rig))["text"], "the same call, by whoever does not want to wait"
    assert not calling.done()
    await rig.person().answer(Decision.DENY_ONCE)
    assert (await calling).to_wire()["data"]["code"] == "denied_by_user"


async def test_a_person_who_comes_in_time_is_asked_as_always(rig: Any) -> None:
    calling = asyncio.create_task(alone(rig))
    await rig.asked()
    person = rig.person()
    assert not person.asked[-1]["waiting"]
    await person.answer(Decision.ALLOW_ONCE)
    assert (await calling)["success"]


@pytest.mark.usefixtures("soon")
async def test_a_screen_that_may_not_answer_this_question_is_nobody(rig: Any) -> None:
    rig.broker.attach(Screen(rig.broker, id="own", caller=rig.caller))
    assert "nobody is there" in (await alone(rig))["text"]


@pytest.mark.usefixtures("soon")
async def test_after_a_restart_nobody_is_said_to_have_been_asked_either(rig: Any) -> None:
    await alone(rig)
    await restart(rig, as_robot)
    await rig.asked()
    assert "nobody is there" in (await decision(rig, "one"))["text"]
    await rig.person().answer(Decision.ALLOW_ONCE)
    assert (await decision(rig, "one", wait=FOREVER))["success"]
    assert times(rig.vault) == 1


async def test_a_bridge_that_asks_nobody_says_so_of_what_waits(rig: Any) -> None:
    await rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=0)
    await rig.asked()
    await rig.calls.stop()
    rig.restarted()
    await rig.calls.resume(as_robot, run=False)
    waits = (await rig.calls.result(rig.caller, "one", 0)).to_wire()
    assert waits["state"] == "waiting_for_person"
    assert "was asked" not in waits["text"]


async def test_a_client_that_does_not_come_back_is_refused_at_once(rig: Any) -> None:
    refused = (await rig.calls.call(rig.caller, "extend", LINE)).to_wire()
    assert refused["data"]["code"] == "no_ui"
    assert rig.broker.pending() == []


@pytest.mark.slow
@pytest.mark.usefixtures("soon")
async def test_a_flood_of_calls_while_nobody_is_there_fills_neither_the_screen_nor_the_tickets(rig: Any) -> None:
    rig.settings.update({"rateLimits": {"extend": 1000}, "globalRateLimit": 1000})
    answers: list[dict[str, Any]] = []
    for burst in range(4):
        answers += await asyncio.gather(*(alone(rig, f"{burst}-{number}") for number in range(50)))
    refused = [answer for answer in answers if answer.get("errorType") == "rate_limited"]
    assert len(answers) - len(refused) == len(rig.broker.pending())
    assert MAX_WAITING <= len(rig.broker.pending()) <= MAX_OPEN
    assert len(rig.tickets.held) <= MAX_WAITING
    person = rig.person()
    await turns(MAX_OPEN)
    assert len(person.asked) == len(rig.broker.pending())
    assert sum(question["waiting"] for question in person.asked) == MAX_WAITING


@pytest.mark.slow
async def test_a_question_for_which_there_is_no_room_is_not_even_made(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.settings.update({"rateLimits": {"extend": 1000}, "globalRateLimit": 1000})
    person, made = rig.person(), list[object]()
    question = ConsentStep._question

    def making(*arguments: Any, **more: Any) -> Any:
        made.append(more)
        return question(*arguments, **more)

    monkeypatch.setattr(ConsentStep, "_question", making)
    first = [asyncio.create_task(rig.calls.call(rig.caller, "extend", LINE)) for _ in range(MAX_OPEN + 5)]
    refused, _waiting = await asyncio.wait(first, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    assert refused
    assert len(person.asked) == MAX_OPEN
    made.clear()
    last = (await rig.calls.call(rig.caller, "extend", LINE)).to_wire()
    assert last["errorType"] == "rate_limited"
    assert made == []
    rig.broker.cancel(rig.broker.pending()[0].request_id)
    await rig.calls.stop()
