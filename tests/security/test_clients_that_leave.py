"""A client that sends very many calls and leaves costs little: they are not begun, and nothing of them stays."""

import asyncio
import gc
from pathlib import Path
from typing import Final

import aiohttp
import pytest

from bridge.app import Bridge
from bridge.toolkit.tool_call import ToolCall
from tests.patience import PATIENCE
from tests.people import Person, add_client
from tests.server.house import request

pytestmark = pytest.mark.slow

NAME: Final = "Leaver"
ASKED: Final = 10
"""Calls for which the person is asked; fewer than may be open."""


async def test_calls_that_end_with_their_connection_leave_nothing_that_must_be_searched_for(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    token = (await add_client(person, vault, NAME))["token"]
    person.answer = None
    headers = {"Authorization": f"Bearer {token}"}
    gc.collect()
    gc.disable()
    try:
        async with aiohttp.ClientSession(headers=headers) as http, asyncio.timeout(PATIENCE):
            async with http.ws_connect(f"{bridge.discovery.http}/ws") as socket:
                for number in range(ASKED):
                    note = {"path": f"{number}.md", "content": "x"}
                    await socket.send_json(request(number, "tools.call", name="create_note", arguments=note))
                while len(await person.host.request("consent.pending")) < ASKED:
                    pass
                assert _held() == ASKED
            while _held():
                await person.host.request("ping")
    finally:
        gc.enable()
    assert await person.host.request("consent.pending") == []


def _held() -> int:
    """Return how many calls of the client there are in memory."""
    return sum(isinstance(each, ToolCall) and each.caller.name == NAME for each in gc.get_objects())
