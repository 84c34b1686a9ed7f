"""Answering over the socket: one question, or several from one list."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, ProtocolFailure, connect
from tests.patience import PATIENCE
from tests.people import Person, add_client, named, person_at

NEW = [f"New {number}.md" for number in range(4)]


@pytest.fixture
async def bridge(vault: Path) -> AsyncIterator[Bridge]:
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        yield bridge


@pytest.fixture
async def person(bridge: Bridge, vault: Path) -> AsyncIterator[Person]:
    del bridge
    async with person_at(vault) as person:
        person.answer = None
        yield person


@pytest.fixture
async def agent(bridge: Bridge, vault: Path) -> AsyncIterator[Connection]:
    del bridge
    async with connect(vault, name="Robot") as agent:
        yield agent


async def questions(agent: Connection, person: Person) -> tuple[list[asyncio.Task[Any]], list[dict[str, Any]]]:
    """Calls that wait, and their questions in the same order."""
    calls = [asyncio.create_task(agent.call("write_file", {"path": path, "content": "x\n"})) for path in NEW]
    await person.until_asked(len(NEW))
    by_path = {question["targets"][0]: question for question in person.asked}
    return calls, [by_path[path] for path in NEW]


def answer(question: dict[str, Any], decision: str, **more: Any) -> dict[str, Any]:
    return {"requestId": question["requestId"], "decision": decision, "planDigest": question["planDigest"]} | more


async def test_several_questions_are_answered_from_one_list_each_by_itself(
    agent: Connection, person: Person, vault: Path
) -> None:
    calls, asked = await questions(agent, person)
    replies = await person.host.request(
        "consent.respondAll",
        answers=[
            answer(asked[0], "allow_once"),
            answer(asked[1], "deny_once", feedback="Not this one"),
            answer(asked[2], "allow_once", planDigest="sha256:other"),
            answer(asked[3], "allow_once"),
            answer(asked[0], "deny_once"),
        ],
    )
    assert [(reply["accepted"], reply["outcome"]) for reply in replies] == [
        (True, "allowed"),
        (True, "denied"),
        (False, None),
        (True, "allowed"),
        (False, "allowed"),
    ]
    assert [reply["planDigest"] for reply in replies[::3]] == [asked[0]["planDigest"], asked[3]["planDigest"]]
    (left,) = await person.host.request("consent.pending")
    assert left["requestId"] == asked[2]["requestId"]
    await person.respond(asked[2], "deny_once")
    results = await asyncio.gather(*calls)
    assert [result.ok for result in results] == [True, False, False, True]
    assert results[1].raw["data"]["feedback"] == "Not this one"
    assert [(vault / path).exists() for path in NEW] == [True, False, False, True]


async def test_an_agent_answers_no_list_either(agent: Connection, person: Person) -> None:
    calls, asked = await questions(agent, person)
    with pytest.raises(ProtocolFailure) as refused:
        await agent.request("consent.respondAll", answers=[answer(asked[0], "allow_once")])
    assert refused.value.code == -32001
    await person.host.request("consent.respondAll", answers=[answer(one, "deny_once") for one in asked])
    await asyncio.gather(*calls)


async def test_a_change_is_found_by_the_answer_that_allowed_it(agent: Connection, person: Person) -> None:
    calls, asked = await questions(agent, person)
    adding = next(option["optionId"] for option in asked[0]["options"] if option["what"] == "adding")
    reply = await person.respond(asked[0], "allow_session", option=adding)
    grant = reply["grant"]["grantId"]
    await person.host.request("consent.respondAll", answers=[answer(one, "allow_once") for one in asked[1:]])
    assert all(result.ok for result in await asyncio.gather(*calls))
    assert (await agent.call("write_file", {"path": "Later.md", "content": "x\n"})).ok
    assert len(person.asked) == len(NEW), "the later one was not asked about"
    entries = {entry["files"][0]: entry["grant"] for entry in await person.host.request("history.list")}
    assert entries == {NEW[0]: grant, "Later.md": grant} | dict.fromkeys(NEW[1:])


async def test_a_client_reads_the_folders_that_the_person_named_without_a_question_and_asks_for_the_rest(
    bridge: Bridge, person: Person, vault: Path
) -> None:
    for path in ("Work/Plan.md", "Work/Secret/Key.md", "Diary.md"):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text("# Text\n", encoding="utf-8")
    permissions = vault / ".vault-bridge" / "permissions.json"
    permissions.write_text('{"Work/Secret/": "---"}', encoding="utf-8")
    await add_client(person, vault, "Robot")
    answer = await person.host.request("consent.allowReading", client="Robot", where=["Work/"])
    sentence = "Robot may read every note in the folder Work/, with any tool that only reads"
    assert answer["grant"]["sentence"].startswith(sentence)
    person.answer = "deny_once"
    async with named(vault, "Robot") as robot:
        assert (await robot.call("read", path="Work/Plan.md")).ok
        assert person.asked == []
        assert not (await robot.call("read", path="Work/Secret/Key.md")).ok
        assert person.asked == []
        assert not (await robot.call("read", path="Diary.md")).ok
        assert not (await robot.call("write_file", {"path": "Work/New.md", "content": "x\n"})).ok
        assert [question["targets"] for question in person.asked] == [["Diary.md"], ["Work/New.md"]]
        # The newest word counts, and takes the place of the one before.
        await person.host.request("consent.allowReading", client="Robot", where=["/"])
        assert (await robot.call("read", path="Diary.md")).ok
        held = [grant for grant in await person.host.request("consent.grants") if grant["kind"] == "client"]
        assert [grant["where"] for grant in held] == [["/"]]
        assert (await person.host.request("consent.allowReading", client="Robot", where=[])) == {"grant": None}
        assert not (await robot.call("read", path="Work/Plan.md")).ok
        assert person.asked[-1]["targets"] == ["Work/Plan.md"]
    del bridge


@pytest.mark.parametrize(
    ("decides", "path", "outcome"),
    [
        (("consent.allowReading", {"client": "Robot", "where": ["Work/"]}), "Work/Plan.md", "allowed"),
        (("settings.update", {"patch": {"consentMode": {"read": "always_allow"}}}), "Diary.md", "allowed"),
        (("settings.update", {"patch": {"consentMode": {"read": "never_allow"}}}), "Diary.md", "denied"),
    ],
)
async def test_a_question_that_is_open_ends_when_the_person_decides_it_elsewhere(
    person: Person, vault: Path, decides: tuple[str, dict[str, Any]], path: str, outcome: str
) -> None:
    (vault / "Work").mkdir()
    for name in ("Work/Plan.md", "Diary.md"):
        (vault / name).write_text("# Text\n", encoding="utf-8")
    await add_client(person, vault, "Robot")
    ended: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    person.host.on("consent.resolved", ended.put)
    person.answer = None
    async with named(vault, "Robot") as robot:
        reading = asyncio.create_task(robot.call("read", path=path))
        question = await person.until_asked()
        writing = asyncio.create_task(robot.call("write_file", {"path": path, "content": "Other\n"}))
        change = await person.until_asked(2)
        await person.host.request(decides[0], **decides[1])
        async with asyncio.timeout(PATIENCE):
            end = await ended.get()
            assert (await reading).ok is (outcome == "allowed")
        assert (end["requestId"], end["outcome"]) == (question["requestId"], outcome)
        assert [one["requestId"] for one in await person.host.request("consent.pending")] == [change["requestId"]]
        await person.respond(change, "deny_once")
        assert not (await writing).ok
    decided = [(one["outcome"], one["by"]) for one in await person.log("decision") if path in one["targets"]]
    assert sorted(decided) == sorted([("deny", "Ada"), (outcome.removesuffix("ed").replace("deni", "deny"), "Ada")])


async def test_reading_is_allowed_for_a_client_that_is_there_and_for_folders_of_the_vault_alone(
    person: Person, vault: Path
) -> None:
    await add_client(person, vault, "Robot")
    with pytest.raises(ProtocolFailure, match="no folder of the vault"):
        await person.host.request("consent.allowReading", client="Robot", where=["../elsewhere"])
    with pytest.raises(ProtocolFailure):
        await person.host.request("consent.allowReading", client="Nobody", where=["/"])
    async with named(vault, "Robot") as robot:
        with pytest.raises(ProtocolFailure, match="Forbidden"):
            await robot.request("consent.allowReading", client="Robot", where=["/"])
    assert await person.host.request("consent.grants") == []
