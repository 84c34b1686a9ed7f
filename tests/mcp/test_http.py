"""`/mcp` in the bridge: who is let in, whose sessions are whose, and what ends them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest

from bridge.app import Bridge
from bridge.client import find_endpoint
from bridge.server import mcp_sessions
from tests.mcp.doors import ACCEPT, Door, open_door
from tests.mcp.pipes import ENVELOPE, ERAS, HANDSHAKE, VERSION
from tests.patience import PATIENCE
from tests.people import person_at

pytestmark = pytest.mark.slow

EDIT = {"path": "Ideas.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# Better ideas"}]}


@pytest.fixture
async def door(vault: Path) -> AsyncIterator[Door]:
    async with open_door(vault, waitSeconds=300) as door:
        yield door


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_the_sdks_client_calls_tools(door: Door, era: str) -> None:
    door.person.answer = "allow_once"
    async with door.connected(era) as client:
        result = await client.call_tool("read", {"path": "Ideas.md"})
        assert result.structured_content["content"].startswith("# Ideas")
        assert (await client.list_prompts()).prompts
    assert (door.person.asked[0]["client"], door.person.asked[0]["verified"]) == ("Robot", True)


async def test_a_call_that_waits_for_a_person_answers_with_a_ticket(door: Door, era: str) -> None:
    door.bridge.settings.update({"waitSeconds": 1})
    door.person.answer = None
    async with door.connected(era) as client:
        result = await client.call_tool("apply_patch", EDIT)
        assert result.structured_content["status"] == "waiting_for_person"


@pytest.mark.parametrize("role", ["agent", "host"])
async def test_only_clients_with_a_name_are_let_in(door: Door, role: str) -> None:
    status, _, body = await door.discover(find_endpoint(door.vault, role).token)
    assert status == 403
    assert "vault-bridge clients add NAME" in body


@pytest.mark.parametrize("token", [None, "", "nonsense"])
async def test_without_a_token_nobody_is_let_in(door: Door, token: str | None) -> None:
    assert (await door.discover(token))[0] == 401


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
async def test_no_web_page_is_let_in(door: Door, header: dict[str, str]) -> None:
    assert (await door.discover(door.token("Robot"), **header))[0] == 403


async def test_a_sessions_id_is_worth_nothing_to_another_client(door: Door) -> None:
    status, headers, _ = await door.post("initialize", HANDSHAKE, door.token("Robot"))
    assert status == 200
    session = {"Mcp-Session-Id": headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}
    assert (await door.post("ping", {}, door.token("Android"), **session))[0] == 404
    assert (await door.post("ping", {}, door.token("Robot"), **session))[0] == 200


async def test_a_revoked_client_is_shut_out_and_its_streams_end(door: Door) -> None:
    _, headers, _ = await door.post("initialize", HANDSHAKE, door.token("Robot"))
    session = {"Mcp-Session-Id": headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}
    bearer = {"Authorization": f"Bearer {door.token('Robot')}", "Accept": "text/event-stream"}
    async with door.http.get(door.url, headers=session | bearer) as stream:
        assert stream.status == 200
        client = door.clients["Robot"][0]
        await door.person.host.request("clients.revoke", clientId=client.client_id)
        async with asyncio.timeout(PATIENCE):
            await stream.content.read()
    assert (await door.post("ping", {}, door.token("Robot"), **session))[0] == 401


async def edit(door: Door, era: str) -> "asyncio.Task[Any]":
    """A client's edit about which the person has been asked."""
    door.person.answer = None
    call = {"name": "apply_patch", "arguments": EDIT}
    if era == "legacy":
        _, headers, _ = await door.post("initialize", HANDSHAKE, door.token("Robot"))
        more = {"Mcp-Session-Id": headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}
    else:
        call["_meta"] = ENVELOPE
        more = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/call", "Mcp-Name": "apply_patch"}
    calling = asyncio.create_task(door.post("tools/call", call, door.token("Robot"), **more))
    await door.person.until_asked()
    return calling


async def test_a_client_that_hangs_up_leaves_no_question(door: Door, era: str) -> None:
    ended = asyncio.Event()
    door.person.host.on("consent.resolved", lambda _params: ended.set())
    calling = await edit(door, era)
    calling.cancel()
    async with asyncio.timeout(PATIENCE):
        await ended.wait()
    assert await door.person.host.request("consent.pending") == []


async def test_a_body_that_is_too_large_is_refused(door: Door) -> None:
    big = {"name": "read", "arguments": {"path": "x" * 5_000_000}}
    assert (await door.post("tools/call", big, door.token("Robot")))[0] == 413


async def test_a_client_has_a_bounded_number_of_sessions(door: Door) -> None:
    statuses = [(await door.post("initialize", HANDSHAKE, door.token("Robot")))[0] for _ in range(34)]
    assert statuses == [200] * 32 + [503] * 2
    assert (await door.post("initialize", HANDSHAKE, door.token("Android")))[0] == 200


async def test_a_client_that_asks_nothing_any_more_counts_as_gone(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_sessions, "UNUSED_SECONDS", 0.05)
    hub, client = door.bridge.services.hub, door.clients["Robot"][0].client_id
    async with door.connected("legacy") as sdk:
        await sdk.list_tools()
        assert hub.connected(client) == 1
    async with asyncio.timeout(PATIENCE):
        while hub.connected(client):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


async def test_a_client_that_waits_is_answered_when_the_bridge_stops(vault: Path, era: str) -> None:
    async with aiohttp.ClientSession() as http:
        async with Bridge(vault) as bridge, person_at(vault) as person:
            bridge.settings.update({"enabledTools": ["*"], "waitSeconds": 300})
            calling = await edit(Door(bridge, person, http, vault), era)
        async with asyncio.timeout(PATIENCE):
            status, _, body = await calling
    assert status == 200
    assert '"isError":true' in body
    assert "This client's session has ended; connect again" in body


async def test_the_bridge_stops_while_clients_listen(vault: Path) -> None:
    async with aiohttp.ClientSession() as http:
        async with Bridge(vault) as bridge, person_at(vault) as person:
            door = Door(bridge, person, http, vault)
            sent = {
                "Authorization": f"Bearer {door.token('Robot')}",
                "Accept": ACCEPT,
                "Content-Type": "application/json",
                "MCP-Protocol-Version": VERSION,
                "Mcp-Method": "subscriptions/listen",
            }
            params = {"notifications": {"toolsListChanged": True}, "_meta": ENVELOPE}
            body = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
            listening = await http.post(door.url, data=orjson.dumps(body), headers=sent)
            assert b"acknowledged" in await listening.content.readuntil(b"\n\r\n")
        async with asyncio.timeout(PATIENCE):
            assert b'"resultType":"complete"' in await listening.content.read()
