"""A program that may not read the vault cannot learn from any failure what is in it."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from tests.people import Person

THERE, NOT_THERE = "Notes/Meeting", "Notes/Nothing"
NAMES = [(THERE, NOT_THERE), ("Meeting", "Nothing")]

BY_PATH: list[tuple[str, dict[str, Any]]] = [
    ("read", {"path": "{}.md"}),
    ("read_file", {"path": "{}.md"}),
    ("get_file_info", {"path": "{}.md"}),
    ("list_files", {"path": "{}.md"}),
    ("read", {"path": "{}.md", "startLine": 900}),
    ("write_file", {"path": "{}.md", "content": "# Meeting\n\n- TODO: call Ada\n- done: tea\n"}),
    ("edit_file", {"path": "{}.md", "old_text": "nowhere", "new_text": "x"}),
    ("edit_file", {"path": "{}.md", "delete_lines": {"start": 900, "end": 901}}),
    ("modify_note", {"path": "{}", "operation": "replace", "search": "nowhere", "content": "x"}),
    ("modify_note", {"path": "{}", "operation": "append", "content": "x"}),
    ("create_note", {"path": "{}", "content": "x"}),
    ("create_folder", {"path": "{}.md"}),
    ("move_file", {"source": "{}.md", "destination": "Moved.md"}),
    ("move_file", {"source": "Ideas.md", "destination": "{}.md"}),
    ("organize_note", {"source": "{}", "destination": "Moved"}),
    ("delete_file", {"path": "{}.md"}),
    ("apply_patch", {"path": "{}.md", "patches": [{"startLine": 900, "endLine": 900, "newContent": "x"}]}),
    ("apply_patch", {"patch": "--- a/{}.md\n+++ b/{}.md\n@@ -1 +1 @@\n-nowhere\n+x\n"}),
    ("apply_patch", {"patch": "--- /dev/null\n+++ b/{}.md\n@@ -0,0 +1 @@\n+x\n"}),
]
BY_NAME: list[tuple[str, dict[str, Any]]] = [
    ("read", {"path": "[[{}]]"}),
    ("read_note", {"name": "{}"}),
    ("read_note", {"name": "{}#No such heading"}),
    ("get_metadata", {"name": "{}"}),
    ("find_related", {"name": "{}"}),
    ("resolve_note", {"name": "{}"}),
    ("is_available", {"name": "{}"}),
    ("update_note", {"name": "{}", "content": "x"}),
    ("update_note", {"name": "{}", "content": "# Meeting\n\n- TODO: call Ada\n- done: tea\n"}),
    ("add_tag", {"name": "{}", "tag": "x"}),
    ("remove_tag", {"name": "{}", "tag": "x"}),
    ("delete_note", {"name": "{}"}),
    ("delete_note", {"name": "{}#Part"}),
    ("apply_patch", {"path": "{}", "patches": [{"startLine": 1, "endLine": 1, "newContent": "x"}]}),
]
CALLS = [
    *((tool, arguments, NAMES[0]) for tool, arguments in BY_PATH),
    *((tool, arguments, names) for tool, arguments in BY_NAME for names in NAMES),
]


def named(arguments: Any, name: str) -> Any:
    """The arguments with the name in them."""
    match arguments:
        case str():
            return arguments.replace("{}", name)
        case dict():
            return {key: named(value, name) for key, value in arguments.items()}
        case list():
            return [named(value, name) for value in arguments]
    return arguments


def shown(result: Any, name: str) -> tuple[Any, ...]:
    """What a program sees of a result, without the name that it gave itself."""
    raw = result.raw
    said = f"{raw.get('data')} {raw.get('error')}".replace(name, "{}")
    return raw["success"], raw.get("errorType"), (raw.get("data") or {}).get("code"), said


@pytest.fixture
async def agent(bridge: Bridge, vault: Path) -> AsyncIterator[Connection]:
    bridge.settings.update({"rateLimits": {tool: 1000 for tool, _arguments, _names in CALLS}})
    async with connect(vault, name="Robot") as client:
        yield client


async def forget(person: Person, keep: str) -> None:
    """Take back every answer but one; what the permission file says stays."""
    for grant in await person.host.request("consent.grants"):
        if grant["kind"] != "file" and grant["grantId"] != keep:
            await person.host.request("consent.revoke", grantId=grant["grantId"])


async def differences(
    agent: Connection, person: Person | None = None, keep: str = "", names_of_all: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    """The calls whose results differ by whether the note is there.

    Each begins as if nothing had been answered, but for the one answer that is kept.
    """
    found = {}
    calls = CALLS
    if names_of_all:
        calls = [(tool, arguments, names) for tool, arguments in (*BY_PATH, *BY_NAME) for names in names_of_all]
    for tool, arguments, names in calls:
        results = []
        for name in names:
            results.append(shown(await agent.call(tool, named(arguments, name)), name))
            if person is not None:
                await forget(person, keep)
        if results[0] != results[1]:
            found[f"{tool} {arguments} {names}"] = results
    return found


@pytest.mark.slow
async def test_with_nobody_to_ask_a_note_that_is_there_and_one_that_is_not_are_the_same(agent: Connection) -> None:
    assert await differences(agent) == {}


@pytest.mark.slow
async def test_where_the_person_says_no_they_are_the_same(agent: Connection, person: Person) -> None:
    assert await differences(agent, person) == {}
    assert len(person.asked) == 2 * len(CALLS), "each is asked about once"


@pytest.mark.slow
async def test_where_reading_is_denied_they_are_the_same(agent: Connection, person: Person) -> None:
    person.answer, person.extent = "deny_session", {"option": "deny_session.tool.everywhere.client"}
    assert not (await agent.call("read", {"path": "Ideas.md"})).ok
    person.answer, person.extent = "deny_once", {}
    (denial,) = await person.host.request("consent.grants")
    assert (denial["decision"], denial["tool"], denial["where"]) == ("deny_session", "read", [])
    assert await differences(agent, person, keep=denial["grantId"]) == {}


@pytest.mark.slow
async def test_what_is_closed_is_the_same_as_what_is_not_there_for_whoever_may_read_and_whoever_may_not(
    agent: Connection, person: Person, vault: Path
) -> None:
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text("# Meeting\n\n- TODO: call Ada\n- done: tea\n", encoding="utf-8")
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="utf-8")
    names = [("Private/Diary", "Private/Nihil"), ("private/DIARY", "private/NIHIL"), ("Diary", "Nihil")]
    by_name = [name for name in names if "/" not in name[0]]
    assert await differences(agent, person, names_of_all=names) == {}
    person.answer, person.extent = "allow_session", {"option": "allow_session.reading.everywhere.connection"}
    assert (await agent.call("read", {"path": "Ideas.md"})).ok
    (reading,) = [grant for grant in await person.host.request("consent.grants") if grant["kind"] == "session"]
    person.answer, person.extent = "deny_once", {}
    assert await differences(agent, person, reading["grantId"], by_name) == {}


async def test_who_may_read_the_vault_is_told_at_once_and_nobody_is_asked(agent: Connection, person: Person) -> None:
    person.answer, person.extent = "allow_session", {"option": "allow_session.reading.everywhere.connection"}
    assert (await agent.call("read", {"path": "Ideas.md"})).ok
    person.asked.clear()
    for tool, arguments, names in CALLS:
        if (
            tool in {"write_file", "is_available"}
            or arguments.get("destination") == "{}.md"
            or "/dev/null" in str(arguments)
        ):
            continue  # where nothing is, these succeed
        if tool.startswith("create"):
            names = names[::-1]  # noqa: PLW2901 (what is there is what they fail at)
        result = await agent.call(tool, named(arguments, names[1]))
        assert result.raw["errorType"] in {"not_found", "conflict"}, tool
        assert "Tell" not in result.raw["error"]
    assert person.asked == []


async def test_what_is_wrong_with_the_arguments_alone_is_said_at_once(agent: Connection, person: Person) -> None:
    for tool, arguments, says in (
        ("read", {"path": "../x"}, "outside_vault"),
        ("edit_file", {"path": "Ideas.md"}, "old_text"),
        ("edit_file", {"path": ".obsidian/app.json", "old_text": "a", "new_text": "b"}, "protected"),
        ("add_tag", {"name": "Ideas", "tag": "no tag"}, "tag"),
        ("create_note", {"path": "a<b", "content": "x"}, "a<b"),
        ("move_file", {"source": "/", "destination": "x"}, "vault itself"),
        ("apply_patch", {"patch": "nonsense"}, "hunk"),
        ("update_note", {"name": "", "content": "x"}, "name"),
    ):
        assert says in str((await agent.call(tool, arguments)).raw), tool
    assert person.asked == []


async def test_the_person_sees_what_would_be_told_and_a_yes_tells_it_once(agent: Connection, person: Person) -> None:
    call = ("edit_file", {"path": "Notes/Nothing.md", "old_text": "a", "new_text": "b"})
    person.answer = "allow_once"
    for count in (1, 2):
        result = await agent.call(*call)
        assert result.raw["errorType"] == "not_found"
        question = await person.until_asked(count)
        assert question["summary"] == 'Tell why Edit file is not possible: File not found: "Notes/Nothing.md"'
        assert (question["tool"]["name"], question["operation"], question["riskLevel"]) == ("edit_file", "read", "low")
        lasting = [one for one in question["options"] if one["decision"] in {"allow_session", "allow_always"}]
        assert {one["what"] for one in lasting} == {"reading"}  # why it fails may be told to whoever may read


async def test_a_preview_tells_no_more_than_a_call(agent: Connection) -> None:
    arguments = {"old_text": "TODO", "new_text": "x"}
    previews = [await agent.preview("edit_file", {"path": f"{name}.md"} | arguments) for name in NAMES[0]]
    assert previews[0]["data"] == previews[1]["data"]
    assert previews[0]["error"] == previews[1]["error"]


async def test_an_explanation_asks_nobody(agent: Connection, person: Person) -> None:
    del agent
    found = await person.host.request(
        "policy.explain", name="edit_file", arguments={"path": "Nothing.md", "old_text": "a", "new_text": "b"}
    )
    assert (found["outcome"], found["rule"]) == ("fail", "not_found")
    assert person.asked == []
