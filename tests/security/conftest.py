"""A bridge on a real socket, with a person at a screen."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.app import Bridge
from tests.chat.conftest import talk
from tests.people import Person, person_at

__all__ = ["talk"]  # a fixture


@pytest.fixture
async def bridge(vault: Path) -> AsyncIterator[Bridge]:
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"], "globalRateLimit": 1000})
        yield bridge


@pytest.fixture
async def person(bridge: Bridge, vault: Path) -> AsyncIterator[Person]:
    del bridge
    async with person_at(vault) as person:
        yield person
