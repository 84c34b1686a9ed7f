"""A call and its result belong to the caller: nobody else can fetch, cancel or occupy them."""

import uuid
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from tests.people import WRITE, Person, add_client, named

READ = {"path": "Ideas.md"}


with_clients = pytest.mark.usefixtures("clients")


@pytest.fixture
async def clients(bridge: Bridge, person: Person, vault: Path) -> None:
    """Two clients with names; reads are not asked about."""
    bridge.settings.update({"consentMode": {"read": "always_allow"}})
    for name in ("One", "Two"):
        await add_client(person, vault, name)


async def nothing_for(other: Connection, call_id: str) -> None:
    """Another client finds nothing under a call id, cannot cancel it, and may use it for itself."""
    missing = await other.result(call_id, 0)
    assert missing.raw["errorType"] == "not_found"
    assert (await other.request("tools.cancel", callId=call_id)) == {"cancelled": False}
    own = await other.call("read", {"path": "Notes/Meeting.md"}, call_id=call_id)
    assert own.ok, "it is not occupied"
    assert "Meeting" in own.text


@pytest.mark.parametrize("call_id", ["one", str(uuid.uuid4())], ids=["a word", "a UUID"])
@with_clients
async def test_a_clients_result_is_its_own(vault: Path, call_id: str) -> None:
    async with named(vault, "One") as one, named(vault, "Two") as two, connect(vault, name="robot") as robot:
        done = await one.call("read", READ, call_id=call_id)
        await nothing_for(two, call_id)
        await nothing_for(robot, call_id)
        assert (await one.result(call_id)).raw["executionId"] == done.raw["executionId"]
    async with named(vault, "One", calls_itself="otherwise") as again:
        assert (await again.result(call_id)).raw["executionId"] == done.raw["executionId"]


@with_clients
async def test_an_open_question_is_not_found_or_cancelled_by_another(person: Person, vault: Path) -> None:
    person.answer = None
    async with named(vault, "One") as one, named(vault, "Two") as two, connect(vault, name="one") as robot:
        assert (await one.call("write_file", WRITE, call_id="one", wait=0)).pending
        await person.until_asked()
        await nothing_for(two, "one")
        await nothing_for(robot, "one")
        assert len(await person.host.request("consent.pending")) == 1
        await person.respond(person.asked[0], "allow_once")
        assert (await one.result("one")).ok


@with_clients
async def test_for_a_program_without_a_name_a_word_holds_for_its_connection(vault: Path) -> None:
    async with connect(vault, name="robot") as first:
        await first.call("read", READ, call_id="word")
        async with connect(vault, name="robot") as second:
            await nothing_for(second, "word")
        assert (await first.result("word")).ok
    async with connect(vault, name="robot") as again:
        assert (await again.result("word")).raw["errorType"] == "not_found"


@with_clients
async def test_for_a_program_without_a_name_a_random_uuid_is_the_right_to_ask_again(
    person: Person, vault: Path
) -> None:
    name = str(uuid.uuid4())
    person.answer = None
    async with connect(vault, name="robot") as first:
        assert (await first.call("write_file", WRITE, call_id=name, wait=0)).pending
        await person.until_asked()
    await person.respond(person.asked[0], "allow_once")
    async with connect(vault, name="otherwise") as again, named(vault, "Two") as two:
        assert (await again.result(name)).ok
        assert (await again.call("write_file", WRITE, call_id=name)).ok
        assert (await two.result(name, 0)).raw["errorType"] == "not_found"
    assert len(person.asked) == 1


@pytest.mark.parametrize(
    "guessable",
    [
        "00000000-0000-1000-8000-000000000000",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "urn:uuid:6f1d9dfe-0c4b-4e0f-9a52-2a5d1b2b9b1e",
        "{6f1d9dfe-0c4b-4e0f-9a52-2a5d1b2b9b1e}",
        "6f1d9dfe0c4b4e0f9a522a5d1b2b9b1e",
    ],
)
@with_clients
async def test_what_is_no_random_uuid_holds_for_the_connection(vault: Path, guessable: str) -> None:
    async with connect(vault, name="robot") as first, connect(vault, name="robot") as second:
        await first.call("read", READ, call_id=guessable)
        await nothing_for(second, guessable)


async def test_a_write_is_found_after_a_restart_by_its_caller_alone(vault: Path) -> None:
    from tests.people import person_at  # noqa: PLC0415 - two bridges here, one after the other

    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["*"]})
        person.answer = "allow_once"
        for name in ("One", "Two"):
            await add_client(person, vault, name)
        async with named(vault, "One") as one:
            assert (await one.call("write_file", WRITE, call_id="w")).ok
    async with Bridge(vault), named(vault, "One") as one, named(vault, "Two") as two:
        assert (await one.result("w")).ok
        assert (await two.result("w")).raw["errorType"] == "not_found"
        async with connect(vault, name="robot") as robot:
            assert (await robot.result("w")).raw["errorType"] == "not_found"


@with_clients
async def test_each_delivery_is_in_the_log(person: Person, vault: Path) -> None:
    name = str(uuid.uuid4())
    async with named(vault, "One") as one, connect(vault, name="robot") as robot:
        first = await one.call("read", READ, call_id="one")
        assert await person.log("delivery") == [], "an answer to the call itself is in its own record"
        await one.result("one")
        await one.call("read", READ, call_id="one")
        second = await robot.call("read", READ, call_id=name)
        await robot.result(name)
        await robot.result("nothing")
        deliveries: list[dict[str, Any]] = list(reversed(await person.log("delivery")))
    assert [(one["client"], one["clientId"] == "shared", one["callId"], one["executionId"]) for one in deliveries] == [
        ("One", False, "one", first.raw["executionId"]),
        ("One", False, "one", first.raw["executionId"]),
        ("a program without a name of its own, calls itself 'robot'", True, name, second.raw["executionId"]),
    ]
