"""An answer holds only for the client that it was given for, whatever the client calls itself."""

import uuid
from pathlib import Path
from typing import Any

import aiohttp

from bridge.app import Bridge
from bridge.client import Connection, connect
from bridge.client.discovery import find_endpoint
from tests.people import WRITE, Person, add_client, named

READ = {"path": "Ideas.md"}


async def post(vault: Path, *calls: dict[str, Any]) -> Any:
    """Calls of a program without a name of its own, in one POST."""
    endpoint = find_endpoint(vault, "agent")
    requests = [{"jsonrpc": "2.0", "id": 1, "method": "tools.call", "params": call} for call in calls]
    headers = {"Authorization": f"Bearer {endpoint.token}"}
    async with aiohttp.ClientSession(headers=headers) as http, http.post(f"{endpoint.http}/rpc", json=requests) as sent:
        return [answer["result"] for answer in await sent.json()]


async def test_of_two_programs_that_give_the_same_name_the_second_is_asked(person: Person, vault: Path) -> None:
    person.answer = "allow_session"
    async with connect(vault, name="Claude Code") as first, connect(vault, name="Claude Code") as second:
        assert (await first.call("read", READ)).ok
        assert (await first.call("read", READ)).ok
        assert len(person.asked) == 1
        assert (await second.call("read", READ)).ok
    assert len(person.asked) == 2
    for question in person.asked:
        assert question["client"] == "a program without a name of its own, calls itself 'Claude Code'"
        assert (question["verified"], question["clientId"], question["callsItself"]) == (
            False,
            "shared",
            "Claude Code",
        )


async def test_a_program_that_calls_itself_like_a_client_is_not_that_client(person: Person, vault: Path) -> None:
    await add_client(person, vault, "Claude Code")
    person.answer = "allow_session"
    async with named(vault, "Claude Code") as real, connect(vault, name="Claude Code") as other:
        assert (await real.call("read", READ)).ok
        assert (await other.call("read", READ)).ok
    assert [(question["client"], question["verified"]) for question in person.asked] == [
        ("Claude Code", True),
        ("a program without a name of its own, calls itself 'Claude Code'", False),
    ]


async def test_a_client_keeps_its_session_when_it_connects_again_and_calls_itself_otherwise(
    person: Person, vault: Path
) -> None:
    await add_client(person, vault, "Claude Code")
    person.answer = "allow_session"
    for calls_itself in ("one", "two"):
        async with named(vault, "Claude Code", calls_itself=calls_itself) as client:
            assert (await client.call("read", READ)).ok
    (question,) = person.asked
    assert (question["client"], question["callsItself"]) == ("Claude Code", "one")


async def test_what_a_program_without_a_name_was_allowed_for_its_session_ends_with_its_connection(
    person: Person, vault: Path
) -> None:
    person.answer = "allow_session"
    async with connect(vault, name="Robot") as robot:
        await robot.call("read", READ)
        assert [grant["kind"] for grant in await person.host.request("consent.grants")] == ["session"]
    async with connect(vault, name="Robot") as robot:
        assert await person.host.request("consent.grants") == []
        await robot.call("read", READ)
    assert len(person.asked) == 2


async def test_over_http_where_each_request_is_a_session_none_is_offered(person: Person, vault: Path) -> None:
    person.answer = "allow_once"
    for _ in range(2):
        (result,) = await post(vault, {"name": "read", "arguments": READ})
        assert result["success"]
    assert len(person.asked) == 2
    assert all("allow_session" not in question["choices"] for question in person.asked)
    assert await person.host.request("consent.grants") == []


async def test_a_denied_program_is_not_asked_about_again_when_it_renames_itself_or_connects_again(
    person: Person, vault: Path
) -> None:
    person.answer = "deny_session"
    async with connect(vault, name="Robot") as robot:
        assert not (await robot.call("write_file", WRITE)).ok
        await robot.request("session.name", client="Somebody else")
        assert (await robot.call("write_file", WRITE)).raw["data"]["code"] == "denied_by_rule"
    async with connect(vault, name="A third one") as robot:
        assert (await robot.call("write_file", WRITE | {"content": "Other"})).raw["data"]["code"] == "denied_by_rule"
    (result,) = await post(vault, {"name": "write_file", "arguments": WRITE})
    assert result["data"]["code"] == "denied_by_rule"
    assert len(person.asked) == 1


async def test_the_same_call_with_a_blank_more_is_not_asked_about_again(person: Person, vault: Path) -> None:
    async with connect(vault, name="Robot") as robot:
        assert (await robot.call("write_file", WRITE)).raw["data"]["code"] == "denied_by_user"
        for content in ("New\n ", " New", "N\u200bew\n", "\ufeffNew\n"):
            again = await robot.call("write_file", WRITE | {"content": content})
            assert (again.raw["data"]["code"], again.raw["data"]["rule"]) == ("denied_by_rule", "session:same_call")
    assert len(person.asked) == 1


async def test_three_denials_of_a_note_within_a_minute_silence_it_for_every_name_and_tool(
    person: Person, vault: Path
) -> None:
    for number in range(3):
        async with connect(vault, name=f"Robot {number}") as robot:
            denied = await robot.call("write_file", WRITE | {"content": f"{number}"})
            assert denied.raw["data"]["code"] == "denied_by_user"
    async with connect(vault, name="Robot 4") as robot:
        for tool, arguments in (("write_file", WRITE | {"content": "x"}), ("delete_file", READ)):
            quiet = await robot.call(tool, arguments)
            assert quiet.raw["data"]["rule"] == "session:silenced"
        other = await robot.call("write_file", {"path": "Other.md", "content": "x"})
        assert other.raw["data"]["code"] == "denied_by_user", "another note is asked about"
    assert len(person.asked) == 4


async def test_limits_hold_for_the_shared_token_whatever_programs_call_themselves(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    bridge.settings.update({"rateLimits": {"read": 3}, "consentMode": {"read": "always_allow"}})
    await add_client(person, vault, "Claude Code")
    for number in range(3):
        async with connect(vault, name=f"Robot {number}") as robot:
            assert (await robot.call("read", READ)).ok
    async with connect(vault, name="Robot 4") as robot, named(vault, "Claude Code") as client:
        assert (await robot.request("limits.status"))["read"]["used"] == 3
        assert (await client.request("limits.status"))["read"]["used"] == 0
        waiting = await robot.call("read", READ, call_id=str(uuid.uuid4()), wait=0.1)
        assert waiting.pending, "the fourth call has to wait"
        assert (await client.call("read", READ)).ok


async def grants(person: Person) -> list[tuple[str, str | None, str]]:
    return [(held["kind"], held["client"], held["decision"]) for held in await person.host.request("consent.grants")]


async def answered(person: Person, client: Connection, answer: str, **extent: Any) -> None:
    person.answer, person.extent = answer, extent
    await client.call("read", READ)


async def test_always_holds_for_the_one_client_and_never_for_all_where_nothing_is_said(
    person: Person, vault: Path
) -> None:
    await add_client(person, vault, "One")
    await add_client(person, vault, "Two")
    async with named(vault, "One") as one, named(vault, "Two") as two:
        await answered(person, one, "allow_always")
        assert await grants(person) == [("client", "One", "allow_always")]
        await answered(person, two, "deny_always")
        assert ("file", None, "deny_always") in await grants(person)
        assert (await one.call("read", READ)).raw["data"]["code"] == "denied_by_rule"
    assert len(person.asked) == 2


async def test_always_for_everyone_is_said_so(person: Person, vault: Path) -> None:
    await add_client(person, vault, "One")
    async with named(vault, "One") as one, connect(vault, name="Robot") as other:
        await answered(person, one, "allow_always", option="allow_always.tool.everywhere.everyone")
        assert await grants(person) == [("mode", None, "allow_always")]
        assert (await other.call("read", READ)).ok
    (decision, *_) = reversed(await person.log("decision"))
    assert decision["holds"].startswith("Any program may use Read without asking")
    assert len(person.asked) == 1
