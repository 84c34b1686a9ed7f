"""What a client's model is told when it connects: short, and of tools only those that its client is shown."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.identity import Preset
from bridge.identity.caller import Caller, Client
from bridge.mcp.results import instructions
from tests.mcp.pipes import ERAS, serve_robot

pytestmark = pytest.mark.slow

MOST_WORDS = 200
CHANGE = "The person sees each change"


async def told(vault: Path, era: str, preset: Preset, **settings: Any) -> tuple[str, set[str]]:
    """What the model is told, and the tools that it is shown."""
    async with serve_robot(vault, **settings) as served:
        served.bridge.services.clients.choose(served.client.id, preset=preset)
        async with served.connected(era) as client:
            shown = {tool.name for tool in (await client.list_tools()).tools}
            return str(client.instructions), shown


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("preset", list(Preset))
async def test_every_tool_that_a_model_is_told_of_is_listed(vault: Path, era: str, preset: Preset) -> None:
    text, shown = await told(vault, era, preset)
    named = set(re.findall(r"`(\w+)`", text))
    assert named <= shown
    assert len(text.split()) < MOST_WORDS
    assert "await_decision" in named
    assert (CHANGE in text) == (preset != Preset.MINIMAL)
    assert ({"draft", "templates"} <= named) == (preset != Preset.MINIMAL)
    assert {"move", "move_file"} & named == {
        Preset.MINIMAL: set(),
        Preset.VAULT: {"move_file"},
        Preset.AGENT: {"move"},
        Preset.EVERYTHING: {"move"},
    }.get(preset)


@pytest.mark.parametrize("chosen", [["read", "edit"], ["read", "draft"], ["find", "move_file", "templates"], ["read"]])
async def test_of_a_list_that_was_made_by_hand_too(vault: Path, chosen: list[str]) -> None:
    text, shown = await told(vault, "legacy", Preset.AGENT, enabledTools=chosen)
    assert set(re.findall(r"`(\w+)`", text)) == ({*chosen} - {"read", "edit", "find"}) | {"await_decision"}
    assert shown == {*chosen, "await_decision"}
    assert (CHANGE in text) == (chosen != ["read"])


def test_where_no_tools_are_known_none_is_named() -> None:
    assert "`" not in instructions([])
    assert "Search before you read" in instructions([])


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_hears_at_once_that_a_draft_of_its_was_sent_back_and_no_other_client_does(
    vault: Path, era: str
) -> None:
    said = "sent it back. Call `await_decision` without a ticket first"
    async with serve_robot(vault) as served:
        services = served.bridge.services
        services.clients.choose(served.client.id, preset=Preset.AGENT, drafts=True)
        other, _token = services.clients.add("Other", drafts=True)
        for client_id, words in ((other.client_id, "of somebody else"), (served.client.id, "Call it Plum")):
            async with served.connected(era) as before:
                assert said not in str(before.instructions)
            client = services.clients.current(Client(client_id, None, frozenset()))
            assert client is not None
            draft = await asyncio.to_thread(services.drafts.begin, Caller(client, f"session-{client_id}"))
            await asyncio.to_thread(services.drafts.send_back, draft, words)
        async with served.connected(era) as after:
            told = str(after.instructions)
        assert said in told
        assert not {"Plum", "somebody"} & set(told.split())
        assert len(told.split()) < MOST_WORDS
