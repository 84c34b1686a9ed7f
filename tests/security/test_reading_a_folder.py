"""A yes to reading a folder reveals no line of a note outside it, not even a line that links into the folder."""

import asyncio
from pathlib import Path

import pytest

from tests.people import Person, add_client, named, until_read

SECRET = "a line that nobody showed"
CALLS = [("read", {"path": "Work/Plan.md", "info": True}), ("note_info", {"path": "Work/Plan.md"})]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_a_line_that_links_from_elsewhere_is_asked_about(
    person: Person, vault: Path, tool: str, arguments: dict[str, object]
) -> None:
    for name, text in (("Work/Plan.md", "# Plan\n"), ("Private/Diary.md", f"[[Plan]]: {SECRET}\n")):
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / name).write_text(text, encoding="utf-8")
    await add_client(person, vault, "Robot")
    await until_read(person.host)
    async with named(vault, "Robot") as robot:
        person.answer = None
        reading = asyncio.ensure_future(robot.call("read", {"path": "Work/Plan.md"}))
        question = await person.until_asked()
        folder = next(one for one in question["options"] if one["where"] == ["Work/"])
        await person.respond(question, "allow_session", option=folder["optionId"])
        assert (await reading).text.startswith("# Plan")
        assert "# Plan" in (await robot.call("read", {"path": "Work/Plan.md"})).text, "the yes holds"
        telling = asyncio.ensure_future(robot.call(tool, arguments))
        question = await person.until_asked(2)
        assert question["targets"] == ["Work/Plan.md", "Private/Diary.md"]
        await person.respond(question, "deny_once")
        refused = await telling
        assert not refused.ok
        assert SECRET not in refused.text
