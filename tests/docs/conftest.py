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
        bridge.settings.update({"enabledTools": list(bridge.services.registry.presets(PERSON)["vault"])})
        async with consenting_host(vault):
            yield vault
