"""The sample vault, served, with somebody who says yes: what the examples of the documents run against."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.identity.caller import PERSON
from scripts.lib.consenting import consenting_host
from scripts.lib.demo import copy_sample


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Path]:
    """A copy of the sample vault, which a bridge serves with the tools of the preset `vault`."""
    vault = copy_sample(tmp_path)
    async with Bridge(vault) as bridge:
        tools = list(bridge.services.registry.presets(PERSON)["vault"])
        # What is found by meaning depends on the model that is installed, and on when it is ready.
        bridge.settings.update({"enabledTools": tools, "semanticSearch": "off"})
        async with consenting_host(vault):
            yield vault
