"""What you allowed one client never holds for another, not even for a new one with the same name."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app import Bridge
from bridge.client import find_vault
from bridge.client.token_storage import save_to_file
from tests.people import Person, add_client, named

READ = {"path": "Ideas.md"}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "robot", "version": "1"},
}


async def allow_reading(person: Person, vault: Path, name: str, answer: str) -> None:
    """The person lets a client read for longer than once."""
    person.answer = answer
    async with named(vault, name) as client:
        assert (await client.call("read", READ)).ok
    person.answer = "deny_once"
    person.asked.clear()


@pytest.mark.parametrize("answer", ["allow_session", "allow_always"])
async def test_a_new_client_of_a_revoked_ones_name_has_nothing_of_it(person: Person, vault: Path, answer: str) -> None:
    first = await add_client(person, vault, "One")
    await allow_reading(person, vault, "One", answer)
    async with named(vault, "One") as client:
        kept = (await client.call("read", READ, call_id="c-1")).raw["executionId"]
    await person.host.request("clients.revoke", clientId=first["client"]["clientId"])
    await add_client(person, vault, "One")
    async with named(vault, "One") as client:
        assert not (await client.call("read", READ)).ok
        assert [question["client"] for question in person.asked] == ["One"]
        again = await client.call("read", READ, call_id="c-1")
        assert again.raw.get("executionId") != kept


@pytest.mark.parametrize("answer", ["allow_session", "allow_always"])
async def test_after_a_rename_what_was_allowed_stays_with_the_token_and_not_with_the_name(
    person: Person, vault: Path, answer: str
) -> None:
    first = await add_client(person, vault, "One")
    await allow_reading(person, vault, "One", answer)
    await person.host.request("clients.rename", clientId=first["client"]["clientId"], name="Two")
    save_to_file(find_vault(vault), "Two", first["token"])
    await add_client(person, vault, "One")
    async with named(vault, "One") as impostor, named(vault, "Two") as renamed:
        assert not (await impostor.call("read", READ)).ok
        assert [question["client"] for question in person.asked] == ["One"]
        if answer == "allow_always":
            assert (await renamed.call("read", READ)).ok
            assert len(person.asked) == 1


async def post(url: str, token: str, method: str, params: dict[str, Any], **headers: str) -> aiohttp.ClientResponse:
    """One message over MCP."""
    sent = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}", **headers}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    async with aiohttp.ClientSession() as http, http.post(f"{url}/mcp", json=body, headers=sent) as answer:
        await answer.read()
        return answer


async def test_a_session_of_mcp_is_worth_nothing_to_another_client_or_to_a_new_one_of_the_same_name(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    url = str(bridge.discovery.http)
    one = await add_client(person, vault, "One")
    other = await add_client(person, vault, "Other")
    begun = await post(url, one["token"], "initialize", HANDSHAKE)
    assert begun.status == 200
    session = {"Mcp-Session-Id": begun.headers["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-11-25"}
    assert (await post(url, one["token"], "ping", {}, **session)).status == 200
    assert (await post(url, other["token"], "ping", {}, **session)).status == 404
    await person.host.request("clients.revoke", clientId=one["client"]["clientId"])
    again = await add_client(person, vault, "One")
    assert (await post(url, again["token"], "ping", {}, **session)).status == 404
    assert (await post(url, one["token"], "ping", {}, **session)).status == 401
