"""A call that takes a person longer than its client waits: a ticket, and `await_decision`, over MCP."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.app import Bridge
from tests.mcp.pipes import ERAS, Served, serve_robot
from tests.mcp.test_stdio import EDIT, add_robot, robot_at
from tests.patience import PATIENCE
from tests.people import person_at

pytestmark = pytest.mark.slow


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    async with serve_robot(vault, waitSeconds=1) as served:
        yield served


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("answer", "made"), [("allow_once", True), ("deny_once", False)])
async def test_the_ticket_leads_to_the_answer(served: Served, era: str, answer: str, *, made: bool) -> None:
    served.person.answer = None
    async with served.connected(era) as client:
        waiting = (await client.call_tool("apply_patch", EDIT)).structured_content
        assert waiting["status"] == "waiting_for_person"
        assert waiting["expiresAt"] is not None
        again = (await client.call_tool("await_decision", {"ticket": waiting["ticket"]})).structured_content
        assert again["status"] == "waiting_for_person"
        served.bridge.settings.update({"waitSeconds": 300})
        await served.person.respond(await served.person.until_asked(), answer)
        result = await client.call_tool("await_decision", {"ticket": waiting["ticket"]})
        assert result.is_error is not made
    assert (served.vault / "Ideas.md").read_text(encoding="utf-8").startswith("# Better ideas") is made
    history = await served.person.host.request("history.list")
    assert len(history) == made


@pytest.mark.parametrize("era", ERAS)
async def test_a_restart_between_ticket_and_answer_loses_nothing(vault: Path, era: str) -> None:
    await add_robot(vault)
    async with contextlib.AsyncExitStack() as stack:
        async with Bridge(vault) as bridge, person_at(vault) as person:
            bridge.settings.update({"waitSeconds": 1})
            person.answer = None
            client = await stack.enter_async_context(robot_at(vault, era))
            waiting = (await client.call_tool("apply_patch", EDIT)).structured_content
            assert waiting["status"] == "waiting_for_person"
        async with Bridge(vault) as bridge, person_at(vault) as person:
            bridge.settings.update({"waitSeconds": 300})
            person.answer = "allow_once"
            result = await client.call_tool("await_decision", {"ticket": waiting["ticket"]})
            assert not result.is_error, result.content
            assert len(await person.host.request("history.list")) == 1
    assert (vault / "Ideas.md").read_text(encoding="utf-8").startswith("# Better ideas")


@pytest.mark.parametrize("era", ERAS)
async def test_where_nobody_is_there_the_agent_hears_so_long_before_its_patience_ends(vault: Path, era: str) -> None:
    await add_robot(vault)
    async with Bridge(vault) as bridge, robot_at(vault, era) as client:
        bridge.settings.update({"waitSeconds": 300})
        async with asyncio.timeout(PATIENCE):
            result = await client.call_tool("apply_patch", EDIT)
        told = result.content[0].model_dump()["text"]
        assert not result.is_error
        assert "nobody is there to be asked" in told
        assert "was asked" not in told
        assert result.structured_content["toolResult"]["text"] == told
        ticket = result.structured_content["ticket"]
        async with person_at(vault) as person:
            person.answer = "allow_once"
            assert not (await client.call_tool("await_decision", {"ticket": ticket})).is_error
    assert (vault / "Ideas.md").read_text(encoding="utf-8").startswith("# Better ideas")
