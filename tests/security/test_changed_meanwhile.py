"""Only what you said yes to is done: no note that has changed since, and no part that you left out."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bridge.client import ProtocolFailure
from tests.people import Person, add_client, named


async def until_a_change_is_asked(person: Person, before: int = 0) -> dict[str, Any]:
    """The next question about a change; those about reading are answered with yes."""
    while (question := await person.until_asked(before + 1))["operation"] == "read":
        await person.respond(question, "allow_once")
        before += 1
    return question


def making(path: str, content: str) -> dict[str, Any]:
    """A call of a chain."""
    return {"name": "made", "tool": "write_file", "arguments": {"path": path, "content": content}}


async def test_a_note_that_changes_under_a_chain_that_is_asked_about_ends_it_without_a_trace(
    person: Person, vault: Path
) -> None:
    await add_client(person, vault, "One")
    calls = [making("New.md", "new\n"), {**making("Ideas.md", "mine now\n"), "name": "changed"}]
    person.answer = None
    async with named(vault, "One") as client:
        running = asyncio.create_task(client.call("chain", calls=calls))
        question = await until_a_change_is_asked(person)
        (vault / "Ideas.md").write_text("theirs\n", encoding="utf-8")
        await person.respond(question, "allow_once")
        result = await running
    assert (result.ok, result.raw["errorType"]) == (False, "conflict")
    assert (vault / "Ideas.md").read_text(encoding="utf-8") == "theirs\n"
    assert not (vault / "New.md").exists()


async def test_a_yes_to_a_chain_holds_for_no_later_one_of_the_same_calls(person: Person, vault: Path) -> None:
    await add_client(person, vault, "One")
    person.answer = None
    async with named(vault, "One") as client:
        for content in ("what was shown\n", "something else\n"):
            running = asyncio.create_task(client.call("chain", calls=[making("Ideas.md", content)]))
            question = await until_a_change_is_asked(person, len(person.asked))
            assert content.strip() in question["preview"]["files"][0]["diff"]
            assert [one for one in question["choices"] if one.startswith("allow_")] == ["allow_once"]
            await person.respond(question, "allow_once" if content.startswith("what") else "deny_once")
            await running
    assert (vault / "Ideas.md").read_text(encoding="utf-8") == "what was shown\n"


async def test_a_part_that_was_left_out_does_not_come_back_with_the_same_call(person: Person, vault: Path) -> None:
    await add_client(person, vault, "One")
    (vault / "Long.md").write_text("".join(f"line {number}\n" for number in range(60)), encoding="utf-8")
    text = (vault / "Long.md").read_text(encoding="utf-8").replace("line 5\n", "kept\n").replace("line 50\n", "out\n")
    person.answer = None
    async with named(vault, "One") as client:
        running = asyncio.create_task(client.call("write_file", path="Long.md", content=text))
        question = await person.until_asked()
        await person.respond(question, "allow_once", hunks={"Long.md": [0]})
        assert (await running).ok
        written = (vault / "Long.md").read_text(encoding="utf-8")
        assert ("kept\n" in written, "out\n" in written) == (True, False)
        again = asyncio.create_task(client.call("write_file", path="Long.md", content=text))
        question = await person.until_asked(2)
        await person.respond(question, "deny_once")
        assert not (await again).ok
    assert (vault / "Long.md").read_text(encoding="utf-8") == written


LONG = "".join(f"line {number}\n" for number in range(60))


@pytest.mark.parametrize(
    "hunks",
    [
        {"Long.md": [-1]},
        {"Long.md": [2]},
        {"Long.md": [0, 99]},
        {"Long.md": [], "Ideas.md": [0]},
        {"Ideas.md": [0]},
        {"../Long.md": [0]},
        {"long.md": [0]},
        {"Long.md ": [0]},
    ],
)
async def test_parts_that_there_are_not_are_refused_and_nothing_is_written(
    person: Person, vault: Path, hunks: dict[str, list[int]]
) -> None:
    await add_client(person, vault, "One")
    (vault / "Long.md").write_text(LONG, encoding="utf-8")
    other = (vault / "Ideas.md").read_bytes()
    person.answer = None
    async with named(vault, "One") as client:
        text = LONG.replace("line 5\n", "first\n").replace("line 50\n", "second\n")
        running = asyncio.create_task(client.call("write_file", path="Long.md", content=text))
        question = await person.until_asked()
        try:
            reply = await person.respond(question, "allow_once", hunks=hunks)
        except ProtocolFailure:
            pass
        else:
            assert reply["accepted"] is False
        assert len(await person.host.request("consent.pending")) == 1
        await person.respond(question, "deny_once")
        assert not (await running).ok
    assert (vault / "Long.md").read_text(encoding="utf-8") == LONG
    assert (vault / "Ideas.md").read_bytes() == other


@pytest.mark.parametrize("hunks", [{"Long.md": [0, 0, 0]}, {"Long.md": [1]}])
async def test_of_what_is_kept_each_part_is_written_once_and_the_rest_not(
    person: Person, vault: Path, hunks: dict[str, list[int]]
) -> None:
    await add_client(person, vault, "One")
    (vault / "Long.md").write_text(LONG, encoding="utf-8")
    person.answer = None
    async with named(vault, "One") as client:
        text = LONG.replace("line 5\n", "first\n").replace("line 50\n", "second\n")
        running = asyncio.create_task(client.call("write_file", path="Long.md", content=text))
        await person.respond(await person.until_asked(), "allow_once", hunks=hunks)
        assert (await running).ok
    kept = LONG.replace("line 5\n", "first\n") if 0 in hunks["Long.md"] else LONG.replace("line 50\n", "second\n")
    assert (vault / "Long.md").read_text(encoding="utf-8") == kept


def template(content: str) -> dict[str, Any]:
    return {"name": "mine", "title": "Mine", "calls": [making("New.md", content)]}


async def test_a_template_that_is_saved_anew_while_it_is_asked_about_writes_what_was_shown(
    person: Person, vault: Path
) -> None:
    await add_client(person, vault, "One")
    await person.host.request("templates.save", template=template("what was shown\n"))
    person.answer = None
    async with named(vault, "One") as client:
        running = asyncio.create_task(client.call("templates", action="run", name="mine"))
        question = await until_a_change_is_asked(person)
        assert "what was shown" in question["preview"]["files"][0]["diff"]
        assert not [one for one in question["choices"] if one.startswith("allow_") and one != "allow_once"]
        await person.host.request("templates.save", template=template("what was put in its place\n"), replace=True)
        await person.respond(question, "allow_once")
        assert (await running).ok
        assert (vault / "New.md").read_text(encoding="utf-8") == "what was shown\n"
        (vault / "New.md").unlink()
        again = asyncio.create_task(client.call("templates", action="run", name="mine"))
        question = await until_a_change_is_asked(person, len(person.asked))
        assert "what was put in its place" in question["preview"]["files"][0]["diff"]
        await person.respond(question, "deny_once")
        assert not (await again).ok
    assert not (vault / "New.md").exists()
