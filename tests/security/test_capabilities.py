"""A client may only call tools until you allow more on a screen, and no longer once you revoke that."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app import Bridge
from bridge.client import ConnectionLost, ProtocolFailure, TokenNotFound, connect
from bridge.client.discovery import find_endpoint
from bridge.contract.identity import Capability
from bridge.rpc.methods import METHODS
from tests.patience import PATIENCE
from tests.people import WRITE, Person, add_client, named

FORBIDDEN = -32001


def allow(bridge: Bridge, added: dict[str, Any], *capabilities: Capability) -> None:
    """What a yes on a screen does."""
    for capability in capabilities:
        bridge.services.clients.allow(added["client"]["clientId"], capability)


async def code_of(connection: Any, method: str, /, **params: Any) -> int | None:
    try:
        await connection.request(method, **params)
    except ProtocolFailure as failure:
        return failure.code
    return None


@pytest.mark.parametrize("held", [(), (Capability.ANSWER,), (Capability.ADMINISTER,)], ids=str)
async def test_a_client_may_call_the_methods_of_its_capabilities_and_no_others(
    bridge: Bridge, person: Person, vault: Path, held: tuple[Capability, ...]
) -> None:
    allow(bridge, await add_client(person, vault, "Robot"), *held)
    async with named(vault, "Robot") as robot:
        for method in METHODS.values():
            permitted = method.needs in {Capability.CALL, *held} and not method.person_only
            refused = await code_of(robot, method.name, nonsense=True) == FORBIDDEN
            assert refused is not permitted, method.name


async def test_a_new_client_may_call_and_nothing_else(person: Person, vault: Path) -> None:
    added = await add_client(person, vault, "Robot")
    assert added["client"]["capabilities"] == ["call"]
    async with named(vault, "Robot") as robot:
        assert (await robot.request("session.info"))["capabilities"] == ["call"]
        assert await code_of(robot, "session.name", client="x", can=["consent"]) == FORBIDDEN
    with pytest.raises(ProtocolFailure):
        async with named(vault, "Robot", can=["consent"]):
            pass


# -- answering ------------------------------------------------------------------------------------------------------


async def test_a_client_that_answers_answers_others_and_never_itself(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    allow(bridge, await add_client(person, vault, "Phone"), Capability.ANSWER)
    await add_client(person, vault, "Robot")
    person.answer = None
    seen: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    async with named(vault, "Phone", can=["consent"]) as phone, named(vault, "Robot") as robot:
        phone.on("consent.requested", seen.put_nowait)
        theirs = asyncio.create_task(robot.call("write_file", WRITE))
        question = await asyncio.wait_for(seen.get(), PATIENCE)
        answer = {"decision": "allow_once", "planDigest": question["planDigest"]}
        reply = await phone.request("consent.respond", requestId=question["requestId"], **answer)
        assert (reply["accepted"], reply["by"]) == (True, "Phone")
        assert (await theirs).ok
        own = asyncio.create_task(phone.call("write_file", WRITE | {"content": "Mine\n"}))
        mine = await person.until_asked(2)
        assert await phone.request("consent.pending") == []
        answer = {"decision": "allow_once", "planDigest": mine["planDigest"]}
        refused = await phone.request("consent.respond", requestId=mine["requestId"], **answer)
        assert (refused["accepted"], refused["reason"]) == (False, "A client never answers its own questions")
        assert seen.empty(), "it is not shown what is in a file by asking about it"
        await person.respond(mine, "deny_once")
        assert not (await own).ok
    assert (vault / "Ideas.md").read_text() == "New\n"


async def test_a_second_connection_of_the_same_client_is_the_same_client(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    allow(bridge, await add_client(person, vault, "Phone"), Capability.ANSWER)
    person.answer = None
    async with (
        named(vault, "Phone", calls_itself="caller") as caller,
        named(vault, "Phone", calls_itself="screen", can=["consent"]) as screen,
    ):
        own = asyncio.create_task(caller.call("write_file", WRITE))
        question = await person.until_asked()
        answer = {"decision": "allow_once", "planDigest": question["planDigest"]}
        assert not (await screen.request("consent.respond", requestId=question["requestId"], **answer))["accepted"]
        await person.respond(question, "deny_once")
        await own


async def test_where_only_the_client_itself_has_a_screen_nobody_can_be_asked(bridge: Bridge, vault: Path) -> None:
    async with connect(vault, name="Ada", role="host", can=[]) as host:
        person = Person(host)
        allow(bridge, await add_client(person, vault, "Phone"), Capability.ANSWER)
    async with named(vault, "Phone", can=["consent"]) as phone:
        assert (await phone.call("write_file", WRITE)).raw["data"]["code"] == "no_ui"


async def test_a_client_that_answers_hears_of_questions_alone(bridge: Bridge, person: Person, vault: Path) -> None:
    allow(bridge, await add_client(person, vault, "Phone"), Capability.ANSWER)
    person.answer = "allow_once"
    async with named(vault, "Phone", can=["consent"]) as phone, connect(vault, name="Robot") as robot:
        heard = phone.notifications()
        assert (await robot.call("write_file", WRITE)).ok
        await person.host.request("settings.update", patch={"developerMode": True})
        await add_client(person, vault, "Another")
        await phone.request("ping")
        await phone.close()
        methods = {event.method async for event in heard}
    assert methods == {"consent.requested", "consent.resolved"}


async def test_a_client_that_administers_cannot_stand_in_for_the_person(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    """It could else make a second client for itself, which calls while the first one answers."""
    added = await add_client(person, vault, "Robot")
    allow(bridge, added, Capability.ANSWER, Capability.ADMINISTER)
    mine = added["client"]["clientId"]
    async with named(vault, "Robot", can=["consent"]) as robot:
        assert await code_of(robot, "clients.add", name="My other self") == FORBIDDEN
        assert await code_of(robot, "clients.rename", clientId=mine, name="Obsidian") == FORBIDDEN
        assert await code_of(robot, "clients.allow", clientId=mine, capability="answer") == FORBIDDEN
        assert [client["name"] for client in await robot.request("clients.list")] == ["Robot"]


# -- more is given by a yes on a screen -------------------------------------------------------------------------------


async def test_more_is_given_by_a_yes_on_a_screen_of_the_persons_own(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    client_id = (await add_client(person, vault, "Robot"))["client"]["clientId"]
    allow(bridge, await add_client(person, vault, "Phone"), Capability.ANSWER)
    person.answer = "deny_once"
    async with named(vault, "Robot") as robot, named(vault, "Phone", can=["consent"]) as phone:
        shown: list[Any] = []
        phone.on("consent.requested", shown.append)
        assert await code_of(person.host, "clients.allow", clientId=client_id, capability="answer") == -32602
        assert (await robot.request("session.info"))["capabilities"] == ["call"]
        person.answer = "allow_once"
        given = await person.host.request("clients.allow", clientId=client_id, capability="answer")
        assert given["capabilities"] == ["call", "answer"]
        assert (await robot.request("session.info"))["capabilities"] == ["call", "answer"], "at once"
        await phone.request("ping")
        assert shown == [], "no client decides on what a client may do"
    assert [question["summary"] for question in person.asked] == [
        "Let Robot answer the questions of other programs"
    ] * 2
    assert person.asked[0]["choices"] == ["allow_once", "deny_once"]


async def test_with_no_screen_nobody_gets_more(bridge: Bridge, vault: Path) -> None:
    del bridge
    async with connect(vault, name="Terminal", role="host", can=[]) as host:
        added = await add_client(Person(host), vault, "Robot")
        client_id = added["client"]["clientId"]
        with pytest.raises(ProtocolFailure, match="screen"):
            await host.request("clients.allow", clientId=client_id, capability="administer")


async def test_each_change_of_a_client_is_a_notice_and_a_record(person: Person, vault: Path) -> None:
    notices: list[str] = []
    person.host.on("clients.changed", lambda event: notices.append(event["message"]))
    person.answer = "allow_once"
    async with connect(vault, name="Terminal", role="host", can=[]) as terminal:
        added = await terminal.request("clients.add", name="Robot")
        client_id = added["client"]["clientId"]
        await terminal.request("clients.rename", clientId=client_id, name="Robbie")
        await terminal.request("clients.allow", clientId=client_id, capability="answer")
        await terminal.request("clients.revoke", clientId=client_id)
    await person.host.request("ping")
    assert [notice.split(".")[0] for notice in notices] == [
        "Robot was added",
        "Robot is called Robbie from now on",
        "Robbie may answer the questions of other programs from now on",
        "Robbie was revoked",
    ]
    records = list(reversed(await person.log("client")))
    assert [(record["event"], record["by"], record["clientId"]) for record in records] == [
        (event, "Terminal", client_id) for event in ("added", "renamed", "widened", "revoked")
    ]
    assert added["token"] not in str(records)


# -- revoking ---------------------------------------------------------------------------------------------------------


async def test_a_revoked_client_is_cut_off_and_everything_of_it_goes(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    added = await add_client(person, vault, "Robot")
    client_id = added["client"]["clientId"]
    async with named(vault, "Robot") as robot:
        person.answer = "allow_session"
        assert (await robot.call("read", path="Ideas.md")).ok
        person.answer = "allow_always"
        assert (await robot.call("grep", pattern="x")).ok
        await person.host.request("consent.autoApprove", operation="create", enabled=True, client="Robot")
        person.answer = None
        open_ones = [
            asyncio.create_task(robot.call("write_file", WRITE)),
            asyncio.create_task(robot.call("write_file", WRITE | {"path": "Notes/Meeting.md"}, call_id="kept")),
        ]
        await person.until_asked(4)
        assert {grant["kind"] for grant in await person.host.request("consent.grants")} == {"session", "client", "auto"}
        await person.host.request("clients.revoke", clientId=client_id)
        for task in open_ones:
            with pytest.raises(ConnectionLost):
                await task
        with pytest.raises(ConnectionLost):
            await robot.request("ping")
    assert await person.host.request("consent.pending") == []
    assert await person.host.request("consent.grants") == []
    with pytest.raises(TokenNotFound, match="not valid any more"):
        async with named(vault, "Robot"):
            pass
    headers = {"Authorization": f"Bearer {added['token']}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        refused = await http.post(f"{find_endpoint(vault, 'agent').http}/rpc", json={})
        assert refused.status == 401
    assert (vault / "Ideas.md").read_bytes().startswith(b"# Ideas")
    assert bridge.services.calls._calls == {}


async def test_a_post_of_a_client_that_is_revoked_meanwhile_asks_no_more(person: Person, vault: Path) -> None:
    added = await add_client(person, vault, "Robot")
    person.answer = None
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools.call", "params": {"name": "write_file", "arguments": WRITE}}
    headers = {"Authorization": f"Bearer {added['token']}"}
    url = f"{find_endpoint(vault, 'agent').http}/rpc"
    async with aiohttp.ClientSession(headers=headers) as http, asyncio.timeout(PATIENCE):
        posted = asyncio.create_task(http.post(url, json=call))
        await person.until_asked()
        await person.host.request("clients.revoke", clientId=added["client"]["clientId"])
        answer = await (await posted).json()
    assert answer.get("result", {}).get("success") is not True
    assert await person.host.request("consent.pending") == []


async def test_a_frame_that_was_under_way_when_the_client_was_revoked_is_refused(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    added = await add_client(person, vault, "Robot")
    async with named(vault, "Robot") as robot:
        bridge.services.clients.revoke(added["client"]["clientId"])  # and nobody cuts the connection
        with pytest.raises((ProtocolFailure, ConnectionLost)):
            async with asyncio.timeout(PATIENCE):
                await robot.call("read", path="Ideas.md")
    assert person.asked == []


async def test_revoking_one_client_leaves_the_others(person: Person, vault: Path) -> None:
    one = await add_client(person, vault, "One")
    await add_client(person, vault, "Two")
    person.answer = "allow_session"
    async with named(vault, "Two") as two:
        assert (await two.call("read", path="Ideas.md")).ok
        await person.host.request("clients.revoke", clientId=one["client"]["clientId"])
        assert (await two.call("read", path="Ideas.md")).ok
    assert len(person.asked) == 1
