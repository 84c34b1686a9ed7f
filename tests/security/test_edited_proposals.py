"""What you edit before saying yes is exactly what is written, and the agent learns nothing else about the note."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from bridge.vault.diff import parse_hunks
from tests.patience import PATIENCE
from tests.people import Person, add_client, named

NOTE = "---\nstatus: secret draft\n---\n# Secret plan\n\nsecret first\nsecret second\nsecret third\nsecret fourth\n"
PROPOSALS: list[tuple[str, dict[str, Any]]] = [
    ("apply_patch", {"path": "Plan.md", "patches": [{"startLine": 7, "endLine": 7, "newContent": "proposed"}]}),
    ("edit_file", {"path": "Plan.md", "old_text": "secret second", "new_text": "proposed"}),
    ("edit_file", {"path": "Plan.md", "edits": [{"range": [7, 8], "replacement": "proposed"}]}),
    ("modify_note", {"path": "Plan.md", "operation": "append", "content": "proposed"}),
    ("write_file", {"path": "Plan.md", "content": "proposed\n"}),
    ("update_note", {"name": "Plan", "content": "proposed\n"}),
    ("add_tag", {"name": "Plan", "tag": "proposed"}),
    ("create_note", {"path": "New.md", "content": "proposed\n"}),
]


async def edited(person: Person, change: tuple[str, str], hunk: int = 0) -> dict[str, Any]:
    """The person edits the text of the newest question; what `consent.revise` returns."""
    question = person.asked[-1]
    (file,) = question["preview"]["files"]
    shown = list(parse_hunks(file["diff"]))[hunk].text.splitlines(keepends=True)[1:]
    text = "".join(line[1:] for line in shown if line[0] in " +")
    assert change[0] in text
    revision: dict[str, Any] = await person.host.request(
        "consent.revise",
        requestId=question["requestId"],
        planDigest=question["planDigest"],
        path=file["path"],
        hunk=hunk,
        text=text.replace(*change),
    )
    return revision


@pytest.fixture
def plan(vault: Path) -> Path:
    (vault / "Plan.md").write_text(NOTE, encoding="utf-8")
    return vault / "Plan.md"


@pytest.fixture
async def agent(plan: Path, bridge: Bridge, vault: Path) -> Any:
    del plan, bridge
    async with connect(vault, name="Robot") as client:
        yield client


@pytest.mark.parametrize(("tool", "arguments"), PROPOSALS, ids=[tool for tool, _arguments in PROPOSALS])
async def test_whatever_the_tool_what_is_shown_is_written_and_nothing_of_the_note_is_told(
    agent: Connection, person: Person, vault: Path, tool: str, arguments: dict[str, Any]
) -> None:
    person.answer = None
    call = asyncio.create_task(agent.call(tool, arguments))
    question = await person.until_asked()
    assert question["editable"]
    revision = await edited(person, ("proposed", "reworded"))
    shown = revision["question"]
    assert shown["planDigest"] != question["planDigest"]
    assert shown["summary"].endswith(" (with the user's edits)")
    (file,) = shown["preview"]["files"]
    assert "reworded" in file["diff"]
    assert (await person.respond(shown, "allow_once"))["accepted"]
    result = await call
    written = (vault / file["path"]).read_text(encoding="utf-8")
    assert "reworded" in written
    assert "proposed" not in written
    told = str(result.raw)
    assert "secret" not in told
    (told_of,) = result.data["revised"]
    assert told_of["otherLines"] == 0
    assert [line[0] for line in told_of["diff"].splitlines()] == ["-", "+"]
    assert "reworded" in result.raw["text"]
    (change, *_) = await agent.request("history.list")
    assert "secret" not in str(change)


async def test_a_warning_of_the_tool_is_said_to_be_about_the_text_as_it_was(
    agent: Connection, person: Person, vault: Path
) -> None:
    person.answer = None
    (vault / "Plan.md").write_text("---\nstatus: open\n---\n" + "line\n" * 30, encoding="utf-8")
    arguments = {"name": "Plan", "content": "proposed\n"}
    call = asyncio.create_task(agent.call("update_note", arguments))
    question = await person.until_asked()
    assert question["preview"]["warnings"] == ["The note shrinks from 33 lines to 4"]
    shown = (await edited(person, ("proposed", "reworded")))["question"]
    assert shown["preview"]["warnings"] == ["About the text before you edited it: The note shrinks from 33 lines to 4"]
    again = await person.host.request("consent.pending")
    assert [open_["planDigest"] for open_ in again] == [shown["planDigest"]]
    await person.respond(shown, "deny_once")
    assert not (await call).ok


async def test_every_screen_hears_of_it_and_an_answer_to_the_old_text_is_refused(
    agent: Connection, person: Person, vault: Path
) -> None:
    person.answer = None
    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    async with connect(vault, name="Other screen", role="host", can=["consent"]) as other:
        other.on("consent.revised", heard.put_nowait)
        call = asyncio.create_task(agent.call(*PROPOSALS[0]))
        question = await person.until_asked()
        await edited(person, ("proposed", "reworded"))
        async with asyncio.timeout(PATIENCE):
            shown = await heard.get()
        assert (shown["requestId"], shown["revised"]) == (question["requestId"], True)
        late = await person.respond(question, "allow_once")
        assert (late["accepted"], late["outcome"]) == (False, None)
        assert (await person.respond(shown, "allow_once"))["accepted"]
    assert (await call).ok


async def test_only_one_who_may_answer_may_edit(agent: Connection, person: Person, vault: Path) -> None:
    await add_client(person, vault, "One")
    person.answer = None
    call = asyncio.create_task(agent.call(*PROPOSALS[0]))
    question = await person.until_asked()
    text = {"requestId": question["requestId"], "planDigest": question["planDigest"]}
    async with named(vault, "One") as one:
        for client in (agent, one):
            with pytest.raises(Exception, match="-32001"):
                await client.request("consent.revise", path="Plan.md", hunk=0, text="mine", **text)
    await person.respond(question, "deny_once")
    await call


async def test_moves_deletions_and_undo_are_not_edited(agent: Connection, person: Person) -> None:
    person.answer = "allow_once"
    assert (await agent.call("modify_note", {"path": "Plan", "operation": "append", "content": "x"})).ok
    person.answer = "deny_once"
    for tool, arguments in (
        ("move_file", {"source": "Plan.md", "destination": "Moved.md"}),
        ("delete_file", {"path": "Plan.md"}),
        ("create_folder", {"path": "Folder"}),
    ):
        await agent.call(tool, arguments)
        assert person.asked[-1]["editable"] is False, tool
    await agent.request("history.undo")
    assert person.asked[-1]["tool"]["name"] == "history_undo"
    assert person.asked[-1]["editable"] is False
