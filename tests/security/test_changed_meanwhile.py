"""What you said yes to is what is done: not a note that has changed meanwhile, and not a part that you left out."""

import asyncio
from pathlib import Path
from typing import Any

from tests.people import Person, add_client, named


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
        question = await person.until_asked()
        while question["operation"] == "read":
            await person.respond(question, "allow_once")
            question = await person.until_asked(len(person.asked) + 1)
        (vault / "Ideas.md").write_text("theirs\n", encoding="utf-8")
        await person.respond(question, "allow_once")
        result = await running
    assert (result.ok, result.raw["errorType"]) == (False, "conflict")
    assert (vault / "Ideas.md").read_text(encoding="utf-8") == "theirs\n"
    assert not (vault / "New.md").exists()


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
