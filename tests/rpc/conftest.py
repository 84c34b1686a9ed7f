"""A bridge in memory."""

from collections.abc import AsyncIterator

import pytest

from tests.rpc.world import World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """Everything a connection reaches, without a socket."""
    world = World()
    yield world
    await world.hub.stop()
