"""A server on a real socket."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.house import House, open_house


@pytest.fixture
async def house(vault: Path) -> AsyncIterator[House]:
    """A running server of a small vault."""
    async with open_house(vault) as house:
        yield house
