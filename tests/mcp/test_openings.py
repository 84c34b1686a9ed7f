"""How a client opens a pipe: in either era, in both, in any order, and with anything else before."""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.pipes import ENVELOPE, HANDSHAKE, Served, Talk, serve_robot
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

OPENINGS = 1000


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    async with serve_robot(vault) as served:
        yield served


async def discover(talk: Talk) -> dict[str, Any]:
    return await talk.ask("d", "server/discover", _meta=ENVELOPE)


async def shake_hands(talk: Talk) -> dict[str, Any]:
    answer = await talk.ask("i", "initialize", **HANDSHAKE)
    await talk.say({"method": "notifications/initialized"})
    return answer


async def list_tools(talk: Talk) -> dict[str, Any]:
    return await talk.ask("t", "tools/list", _meta=ENVELOPE)


@pytest.mark.parametrize("order", list(itertools.permutations((discover, shake_hands, list_tools))))
async def test_both_eras_are_served_on_one_pipe_in_any_order(served: Served, order: Any) -> None:
    async with served.talk() as talk:
        for step in order:
            assert "result" in await step(talk)
        plain = await talk.ask(9, "tools/list")
        assert {tool["name"] for tool in plain["result"]["tools"]} >= {"read", "grep"}
        assert "resultType" not in plain["result"]
        enveloped = await list_tools(talk)
        assert enveloped["result"]["resultType"] == "complete"
        assert enveloped["result"]["cacheScope"] == "private"


async def test_requests_of_both_eras_may_be_under_way_at_once(served: Served) -> None:
    async with served.talk() as talk:
        await shake_hands(talk)
        for number in range(20):
            meta = {"_meta": ENVELOPE} if number % 2 else {}
            await talk.say({"id": number, "method": "tools/list", "params": meta})
        await talk.say({"id": "last", "method": "ping"})
        assert "result" in await talk.answer("last")


async def test_a_version_that_is_not_served_is_answered_with_those_that_are(served: Served) -> None:
    async with served.talk() as talk:
        envelope = ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}
        refused = await talk.ask(1, "server/discover", _meta=envelope)
        assert refused["error"]["code"] == -32022
        assert refused["error"]["data"]["supported"] == ["2026-07-28"]
        assert "result" in await discover(talk)


def an_opening(chance: random.Random) -> list[dict[str, Any]]:
    """A few messages that some client might begin with, or that no client should."""
    meta: list[Any] = [
        ENVELOPE,
        {"io.modelcontextprotocol/protocolVersion": chance.choice(["2025-11-25", "2026-07-28", 7, None, ""])},
        {"progressToken": chance.choice([1, "a", None, True])},
        chance.choice([None, [], "x", 0]),
    ]
    methods = [
        *("initialize", "server/discover", "tools/list", "tools/call", "ping", "resources/list", "resources/read"),
        *("prompts/get", "completion/complete", "subscriptions/listen", "logging/setLevel", "roots/list", "", "é"),
        *("notifications/initialized", "notifications/cancelled", "notifications/progress"),
    ]
    said: list[dict[str, Any]] = []
    for _ in range(chance.randint(1, 5)):
        params: Any = chance.choice(
            [
                {},
                HANDSHAKE,
                {"_meta": chance.choice(meta)},
                {"_meta": chance.choice(meta), **HANDSHAKE},
                {
                    "name": chance.choice(["read", "no_such_tool", "", 5]),
                    "arguments": chance.choice([{}, [], "x", None]),
                },
                {"requestId": chance.choice([1, "1", None, []])},
                {
                    "uri": chance.choice(["vault://Ideas.md", "file:///etc/passwd", "", "vault://../x"]),
                    "_meta": ENVELOPE,
                },
                {
                    "ref": {"type": "ref/resource", "uri": "vault://{+path}"},
                    "argument": {"name": "path", "value": "\x00"},
                },
            ]
        )
        message: dict[str, Any] = {"method": chance.choice(methods), "params": params}
        if not message["method"].startswith("notifications/"):
            message["id"] = chance.choice([1, 2, "1", "x", 0, -5])
        if chance.random() < 0.2:
            del message["params"]
        said.append(message)
    return said


async def test_no_opening_makes_a_pipe_useless(served: Served) -> None:
    served.person.answer = "deny_once"
    chance = random.Random(20261122)  # noqa: S311 - the same openings every time
    for number in range(OPENINGS):
        opening = an_opening(chance)
        async with served.talk() as talk:
            for message in opening:
                await talk.say(message)
            async with asyncio.timeout(PATIENCE):
                assert "result" in await talk.ask(f"after {number}", "server/discover", _meta=ENVELOPE), opening
                assert "result" in await talk.ask(f"hello {number}", "initialize", **HANDSHAKE), opening


async def test_a_client_that_says_often_that_it_is_ready_is_told_once(served: Served) -> None:
    async with served.talk() as talk:
        await shake_hands(talk)
        for _ in range(5):
            await talk.say({"method": "notifications/initialized"})
        await talk.ask(1, "ping")
        await served.bridge.services.registry.remove("notes")
        await talk.next("notifications/tools/list_changed")
        await talk.say({"id": 2, "method": "ping"})
        assert (await talk.heard())["id"] == 2
