"""web.* and cache.*: what is said of the web, and who may change it."""

from pathlib import Path
from typing import Any

import pytest

from bridge.consent.web_readers import WebReaders
from bridge.contract.identity import Capability
from bridge.identity.caller import Caller, Client
from bridge.policy.targets import url_target
from tests.rpc.world import World
from tests.web_servers import LocalWeb, web_services

ROBOT = Caller(Client("agent-1", "Robot", frozenset({Capability.CALL})), "connection-1")


async def result(world: World, method: str, **params: Any) -> Any:
    answer = await world.ask("host", method, params)
    assert "error" not in answer, answer
    return answer["result"]


@pytest.fixture
def readers(world: World) -> WebReaders:
    readers = world.services.web_readers
    readers.mark(ROBOT, [url_target("https://sea.example/a")])
    return readers


async def test_a_client_that_has_read_is_listed_and_cleared(world: World, readers: WebReaders) -> None:
    (reader,) = await result(world, "web.readers")
    assert (reader["clientId"], reader["client"], reader["sites"]) == ("agent-1", "Robot", ["https://sea.example/"])
    assert await result(world, "web.clear", clientId="agent-1") == {"cleared": True}
    assert await result(world, "web.clear", clientId="agent-1") == {"cleared": False}
    assert readers.list() == ()
    assert world.noted[-1][1]["event"] == "web_cleared"


async def test_the_list_of_the_settings_is_shown_as_allowed(world: World) -> None:
    found = await result(world, "web.sites")
    assert [(site["site"], site["allowedBy"], site["lastUsed"]) for site in found] == [
        ("localhost", None, None),
        ("127.0.0.1", None, None),
    ]


async def test_the_cache_is_counted_and_emptied(world: World, tmp_path: Path) -> None:
    web = web_services(LocalWeb(), tmp_path)
    world.services.parts.web.fill(web)
    web.cache.put(("a",), {}, b"hot")
    assert (await result(world, "cache.stats"))["entries"] == 1
    assert (await result(world, "cache.clear"))["entries"] == 1
    assert (await result(world, "cache.stats"))["size"] == 0
