"""Limits hold for all connections of a client together, and a change of them for calls that wait."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.clock import SystemClock
from bridge.contract.consent import Decision
from bridge.policy.limits import QUEUE, REFUSALS
from bridge.toolkit import fairness
from tests.patience import PATIENCE
from tests.toolkit.conftest import rigged

CONNECTIONS = 200
LIMIT = 5


class StandingClock(SystemClock):
    """Its seconds do not pass: the minute of a limit does not end, however busy the machine is."""

    def __init__(self) -> None:
        self._moment = super().monotonic()

    def monotonic(self) -> float:
        return self._moment


async def test_many_connections_of_one_client_cannot_exceed_its_limit(vault: Path) -> None:
    async with Bridge(vault, clock=StandingClock()) as bridge:
        bridge.settings.update({"rateLimits": {"find": LIMIT}, "consentMode": {"find": "always_allow"}})
        async with contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connect(vault, name="Robot")) for _ in range(CONNECTIONS)]
            calls = [asyncio.create_task(client.call("find", pattern="*.md")) for client in clients]
            done: set[asyncio.Task[Any]] = set()
            waiting = set(calls)
            async with asyncio.timeout(PATIENCE):
                while len(done) < CONNECTIONS - QUEUE:
                    ended, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                    done |= ended
            status = await clients[0].request("limits.status")
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        results = [call.result().raw for call in done]
    assert sum(result["success"] for result in results) == LIMIT
    refused = [result for result in results if not result["success"]]
    assert {result["errorType"] for result in refused} == {"rate_limited"}
    assert all(0 < result["metadata"]["retryAfter"] <= 180 for result in refused), "ten wait ahead, five a minute"
    assert status["find"] == {"limit": LIMIT, "used": LIMIT, "queued": QUEUE}


async def test_a_call_that_waits_goes_on_when_the_limit_is_raised(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "LOOK_SECONDS", 0.01)
    rig.settings.update({"rateLimits": {"read": 1}, "consentMode": {"read": "always_allow"}})
    assert (await rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))).success
    waiting = asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Ideas.md")))
    await rig.until(lambda: any(event == "limits.hit" for event, _ in rig.events))
    assert not waiting.done()
    rig.settings.update({"rateLimits": {"read": 2}})
    async with asyncio.timeout(PATIENCE):
        assert (await waiting).success


async def test_a_call_that_waits_goes_on_waiting_when_the_limit_is_lowered(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fairness, "LOOK_SECONDS", 0.01)
    rig.settings.update({"globalRateLimit": 2, "consentMode": {"read": "always_allow"}})
    for _ in range(2):
        assert (await rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))).success
    waiting = asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Ideas.md")))
    await rig.until(lambda: any(event == "limits.hit" for event, _ in rig.events))
    rig.settings.update({"globalRateLimit": 3, "rateLimits": {"read": 1}})
    done, _ = await asyncio.wait([waiting], timeout=0.1)
    assert not done
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


async def test_a_write_that_a_person_allowed_takes_no_place(rig: Any) -> None:
    rig.settings.update({"rateLimits": {"overwrite": 2}})
    person = rig.person()
    for number in range(6):
        call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text=str(number))))
        await rig.asked()
        await person.answer(Decision.ALLOW_ONCE)
        assert (await call).success
    assert not any(event == "limits.hit" for event, _ in rig.events)


async def test_a_call_that_queues_goes_on_when_a_place_is_given_back(rig: Any) -> None:
    rig.settings.update({"rateLimits": {"overwrite": 1}})
    person = rig.person()
    first = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="1")))
    await rig.asked()
    second = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="2")))
    await rig.until(lambda: any(event == "limits.hit" for event, _ in rig.events))
    await person.answer(Decision.ALLOW_ONCE)
    assert (await first).success
    await rig.asked()
    await person.answer(Decision.ALLOW_ONCE)
    assert (await second).success


async def test_a_write_that_was_denied_keeps_its_place(rig: Any) -> None:
    rig.settings.update({"rateLimits": {"overwrite": 1}})
    person = rig.person()
    call = asyncio.create_task(rig.pipeline.call(rig.tool_call("overwrite", path="Ideas.md", text="1")))
    await rig.asked()
    await person.answer(Decision.DENY_ONCE)
    await call
    assert rig.pipeline.rate_limit.usage(rig.caller.subject, rig.tools(), rig.settings.current)["overwrite"].used == 1


async def test_a_call_that_waits_is_told_how_long_and_why_at_once(rig: Any) -> None:
    rig.settings.update({"rateLimits": {"read": 1}, "consentMode": {"read": "always_allow"}})
    assert (await rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))).success
    heard: list[Any] = []
    ticket = await rig.calls.call(rig.caller, "read", {"path": "Ideas.md"}, call_id="one", wait=0, notify=heard.append)
    assert ticket.status == "pending"
    assert "This client may call 'read' 1 times a minute" in ticket.waits
    assert "Many changes in one call count once" in ticket.waits
    assert [(event.event_name, event.message) for event in heard] == [("limits.hit", ticket.waits)]
    assert rig.calls.cancel(rig.caller, "one")


async def test_the_person_waits_for_no_limit(rig: Any) -> None:
    rig.settings.update({"rateLimits": {"read": 1}, "globalRateLimit": 1, "consentMode": {"read": "always_allow"}})
    for _ in range(5):
        assert (await rig.pipeline.call(rig.tool_call("read", role="host", path="Ideas.md"))).success
    assert rig.pipeline.rate_limit.usage("host", rig.tools(), rig.settings.current)["*"].used == 0


async def test_the_person_waits_for_no_thread_that_an_agent_keeps_busy(rig: Any) -> None:
    rig.settings.update({"consentMode": {"read": "always_allow"}})
    held = [asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="hold"))) for _ in range(8)]
    await rig.until(rig.look.entered.is_set)
    async with asyncio.timeout(PATIENCE):
        assert (await rig.pipeline.call(rig.tool_call("read", role="host", path="Ideas.md"))).success
    assert not any(call.done() for call in held)
    rig.look.release.set()
    await asyncio.gather(*held)


async def test_calls_that_are_refused_as_they_stand_cost_no_place_but_have_an_end(vault: Path) -> None:
    with rigged(vault, clock=StandingClock()) as rig:
        rig.settings.update({"consentMode": {"read": "always_allow"}})
        for _ in range(REFUSALS):
            result = await rig.pipeline.call(rig.tool_call("read", nothing=1))
            assert result.error_type == "invalid_parameters"
        limited = await rig.pipeline.call(rig.tool_call("read", nothing=1))
        assert limited.error_type == "rate_limited"
        assert limited.metadata["retryAfter"] > 50
        assert rig.pipeline.rate_limit.usage(rig.caller.subject, rig.tools(), rig.settings.current)["read"].used == 0
        assert (await rig.pipeline.call(rig.tool_call("read", role="host", path="Ideas.md"))).success
