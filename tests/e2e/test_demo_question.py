"""The demonstration: one real question with a real effect, which can be undone, and a tool that nobody else has."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.client import ProtocolFailure, connect
from tests.people import Person, person_at

NOTE = "Vault Bridge demo.md"


@pytest.fixture
async def person(vault: Path) -> AsyncIterator[Person]:
    async with Bridge(vault), person_at(vault) as person:
        yield person


async def test_the_note_is_asked_about_and_written_as_it_was_shown_and_undone(person: Person, vault: Path) -> None:
    person.answer = "allow_once"
    result = await person.host.request("demo.ask")
    (asked,) = person.asked
    assert asked["tool"]["name"] == "demo_note"
    assert (asked["client"], asked["verified"]) == ("The demonstration of Vault Bridge", True)
    assert (result["success"], result["data"]) == (True, {"path": NOTE})
    shown = asked["preview"]["files"][0]["diff"].splitlines()
    added = [line[1:] for line in shown if line.startswith("+") and not line.startswith("+++")]
    assert (vault / NOTE).read_text(encoding="utf-8").splitlines() == added
    undone = await person.host.request("history.undo", executionId=result["executionId"])
    assert (undone["success"], (vault / NOTE).exists()) == (True, False)


async def test_a_no_writes_nothing_and_it_is_asked_again(person: Person, vault: Path) -> None:
    for _ in range(2):
        result = await person.host.request("demo.ask")
        assert (result["success"], result["data"]["code"]) == (False, "denied_by_user")
    assert (len(person.asked), (vault / NOTE).exists()) == (2, False)
    assert {"allow_session", "allow_always"}.isdisjoint(person.asked[0]["choices"])


async def test_a_note_of_that_name_is_left_alone(person: Person, vault: Path) -> None:
    (vault / NOTE).write_text("mine", encoding="utf-8")
    person.answer = "allow_once"
    result = await person.host.request("demo.ask")
    assert result["data"] == {"path": "Vault Bridge demo 2.md"}
    assert (vault / NOTE).read_text(encoding="utf-8") == "mine"


async def test_agents_have_neither_the_method_nor_the_tool(person: Person, vault: Path) -> None:
    async with connect(vault, name="Ada") as agent:
        with pytest.raises(ProtocolFailure):
            await agent.request("demo.ask")
        refused = await agent.request("tools.call", name="demo_note")
        assert refused["errorType"] == "invalid_parameters"
    assert person.asked == []
