"""What a client's model is told when it connects: short, and of tools only those that its client is shown."""

import re
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.identity import Preset
from bridge.mcp.prompts import instructions
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
