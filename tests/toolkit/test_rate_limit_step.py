"""Limits hold for all connections of a client together, and a change of them for calls that wait."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.policy.limits import QUEUE
from bridge.toolkit import rate_limit_step

CONNECTIONS = 200
LIMIT = 5


async def test_many_connections_of_one_client_cannot_exceed_its_limit(vault: Path) -> None:
    async with Bridge(vault) as bridge:
        bridge.settings.update({"rateLimits": {"find": LIMIT}, "consentMode": {"find": "always_allow"}})
        async with contextlib.AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connect(vault, name="Robot")) for _ in range(CONNECTIONS)]
            calls = [asyncio.create_task(client.call("find", pattern="*.md")) for client in clients]
            done: set[asyncio.Task[Any]] = set()
            waiting = set(calls)
            async with asyncio.timeout(30):
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
    monkeypatch.setattr(rate_limit_step, "LOOK_SECONDS", 0.01)
    rig.settings.update({"rateLimits": {"read": 1}, "consentMode": {"read": "always_allow"}})
    assert (await rig.pipeline.call(rig.tool_call("read", path="Ideas.md"))).success
    waiting = asyncio.create_task(rig.pipeline.call(rig.tool_call("read", path="Ideas.md")))
    await rig.until(lambda: any(event == "limits.hit" for event, _ in rig.events))
    assert not waiting.done()
    rig.settings.update({"rateLimits": {"read": 2}})
    async with asyncio.timeout(10):
        assert (await waiting).success


async def test_a_call_that_waits_goes_on_waiting_when_the_limit_is_lowered(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limit_step, "LOOK_SECONDS", 0.01)
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
