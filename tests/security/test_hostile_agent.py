"""A malicious agent harms only itself."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.consent.broker import MAX_WAITING
from tests.patience import PATIENCE
from tests.people import person_at


async def test_a_flood_of_questions_leaves_a_few_open_and_the_person_free_to_undo(vault: Path) -> None:
    async with Bridge(vault) as bridge:
        every = {"create_note": 1000, "apply_patch": 1000}
        bridge.settings.update({"enabledTools": ["*"], "globalRateLimit": 1000, "rateLimits": every})
        async with person_at(vault) as person, connect(vault, name="Robot") as agent:
            person.answer = "allow_once"
            change = (await agent.call("create_note", path="First.md", content="text")).raw["executionId"]
            person.answer = None
            tickets = [
                await agent.request(
                    "tools.call", name="create_note", arguments={"path": f"{number}.md", "content": "x"}, wait=0
                )
                for number in range(4 * MAX_WAITING)
            ]
            await person.until_asked(1 + MAX_WAITING)
            undone = await person.host.request("history.undo", executionId=change)
            assert undone["success"]
            assert len(await person.host.request("consent.pending")) == MAX_WAITING
            kinds = [await outcome(agent, ticket) for ticket in tickets]
            assert kinds.count("pending") == MAX_WAITING
            assert kinds.count("rate_limited") == 3 * MAX_WAITING


async def outcome(agent: Any, ticket: dict[str, Any]) -> str:
    """What has become of a call: that it waits, or the kind of its failure."""
    if "callId" not in ticket:
        return str(ticket["errorType"])
    async with asyncio.timeout(PATIENCE):
        while True:
            result = await agent.request("tools.result", callId=ticket["callId"], wait=0)
            if result.get("state") != "running":
                break
    return str(result.get("status") or result["errorType"])


@pytest.mark.slow
async def test_junk_in_two_hundred_calls_is_not_kept(vault: Path) -> None:
    junk = "x" * 1_000_000
    async with Bridge(vault) as bridge, connect(vault, name="Robot") as agent:
        for number in range(200):
            result = await agent.request(
                "tools.call", name="find", arguments={"junk": junk}, callId=f"junk-{number}", wait=30
            )
            assert result["errorType"] in {"invalid_parameters", "rate_limited"}
        kept = [call.tool_call.arguments for call in bridge.services.calls._calls.values()]
        assert len(kept) == 200
        assert not any(kept)
        assert sum(call.size for call in bridge.services.calls._calls.values()) < 200_000
