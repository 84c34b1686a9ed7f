"""Only clients that may administer can see or undo several changes at once, and they see no closed notes."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, ProtocolFailure
from bridge.contract.identity import Capability
from tests.people import Person, add_client, named

PATCH = """--- A.md
+++ A.md
@@ -1 +1 @@
-two
+three
--- B.md
+++ B.md
@@ -1 +1 @@
-one
+two
"""


@dataclass
class Scene:
    """Two clients that have changed notes: Ada `A.md` twice and `B.md`, Bob `C.md`."""

    person: Person
    vault: Path
    ada: list[str]
    bob: list[str]
    agent: Connection

    async def ask(self, **params: Any) -> Any:
        return await self.person.host.request("history.undoAll", **params)


async def changed(connection: Connection, tool: str, **arguments: Any) -> str:
    done = await connection.call(tool, **arguments)
    assert done.ok, done.error
    return str(done.execution_id)


@pytest.fixture
async def scene(bridge: Bridge, person: Person, vault: Path) -> AsyncIterator[Scene]:
    bridge.settings.update({"enabledTools": ["*"]})
    person.answer = "allow_once"
    for name in ("Ada", "Bob"):
        await add_client(person, vault, name)
    async with named(vault, "Ada") as ada, named(vault, "Bob") as bob:
        of_ada = [
            await changed(ada, "create_note", path="A.md", content="one\n"),
            await changed(ada, "write_file", path="A.md", content="two\n"),
            await changed(ada, "create_note", path="B.md", content="one\n"),
        ]
        yield Scene(person, vault, of_ada, [await changed(bob, "create_note", path="C.md", content="one\n")], ada)


def outcome(answer: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(change["executionId"], change["undone"]) for change in answer["changes"]]


async def test_all_that_one_client_did_is_listed_first_and_then_undone(scene: Scene) -> None:
    newest_first = [(change, True) for change in reversed(scene.ada)]
    shown = await scene.ask(client="Ada", preview=True)
    assert outcome(shown) == newest_first
    assert shown["text"] == "Would undo 3 changes in 2 files"
    assert (scene.vault / "A.md").read_text() == "two\n"
    done = await scene.ask(executionIds=[change["executionId"] for change in shown["changes"]])
    assert (outcome(done), done["text"]) == (newest_first, "Undid 3 changes in 2 files")
    assert [(scene.vault / name).exists() for name in ("A.md", "B.md", "C.md")] == [False, False, True]
    assert (await scene.ask(client="Ada"))["text"] == "There is nothing to undo"


async def test_changes_that_are_undone_together_are_all_counted(scene: Scene) -> None:
    await changed(scene.agent, "history", action="undo", count=2)
    assert (await scene.person.host.request("history.redo", executionId=scene.ada[1]))["success"]
    newest_first = [(change, True) for change in reversed(scene.ada)]
    for preview in (True, False):
        answer = await scene.ask(client="Ada", preview=preview)
        assert (outcome(answer), answer["skipped"], answer["files"]) == (newest_first, 0, 2)
    assert [(scene.vault / name).exists() for name in ("A.md", "B.md", "C.md")] == [False, False, True]
    again = await scene.ask(executionIds=scene.ada)
    assert outcome(again) == [(change, False) for change in reversed(scene.ada)]
    assert all("undone already" in change["why"] for change in again["changes"])


async def test_what_was_edited_since_is_left_and_named_and_the_rest_is_undone(scene: Scene) -> None:
    (scene.vault / "A.md").write_text("by hand\n")
    for preview in (True, False):
        answer = await scene.ask(since="2020-01-01", preview=preview)
        assert (answer["undone"], answer["skipped"], answer["files"]) == (2, 2, 2)
        assert [change["executionId"] for change in answer["changes"] if not change["undone"]] == scene.ada[1::-1]
        assert all("A.md" in change["why"] for change in answer["changes"] if not change["undone"])
    assert (scene.vault / "A.md").read_text() == "by hand\n"
    assert not (scene.vault / "C.md").exists()


async def test_more_changes_are_undone_than_a_tool_may_make_in_a_minute(bridge: Bridge, scene: Scene) -> None:
    bridge.settings.update({"rateLimits": {"history_undo": 1}})
    assert (await scene.ask(since="2020-01-01"))["undone"] == 4


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"client": "Bob"}, 1),
        ({"client": "Ada", "tool": "write_file"}, 1),
        ({"since": "2999-01-01"}, 0),
        ({"grant": "g-1"}, 0),
        ({"client": "nobody"}, 0),
    ],
)
async def test_the_history_is_filtered_as_the_undo_is(scene: Scene, filters: dict[str, str], found: int) -> None:
    assert len(await scene.person.host.request("history.list", **filters)) == found
    assert len((await scene.ask(**filters, preview=True))["changes"]) == found


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "Say which changes"),
        ({"preview": True}, "Say which changes"),
        ({"executionIds": ["none"]}, "no change 'none'"),
        ({"since": "yesterday"}, "not a time"),
    ],
)
async def test_changes_that_are_not_said_clearly_are_not_undone(
    scene: Scene, params: dict[str, Any], said: str
) -> None:
    with pytest.raises(ProtocolFailure, match=said):
        await scene.ask(**params)
    assert (scene.vault / "C.md").exists()


async def test_an_agent_neither_sees_diffs_nor_undoes_together(scene: Scene) -> None:
    for method, params in (
        ("history.diff", {"executionId": scene.ada[0]}),
        ("history.undoAll", {"executionIds": scene.ada}),
    ):
        with pytest.raises(ProtocolFailure, match="administer"):
            await scene.agent.request(method, **params)


async def test_each_undo_is_in_the_log_as_an_action_of_the_person(scene: Scene) -> None:
    await scene.ask(executionIds=scene.bob)
    records = await scene.person.host.request("audit.query", actions=True, limit=2)
    assert [record["sentence"] for record in records] == [
        "You took back a change to “C.md”",
        "Bob created “C.md”; you allowed it, once",
    ]


async def test_to_a_program_that_may_administer_a_closed_note_has_no_changes(
    scene: Scene, bridge: Bridge, vault: Path
) -> None:
    both = await changed(scene.agent, "apply_patch", patch=PATCH)
    (bob,) = scene.bob
    client = next(one for one in bridge.services.clients.list() if one.name == "Ada")
    bridge.services.clients.allow(client.client_id, Capability.ADMINISTER)
    (vault / ".vault-bridge" / "permissions.json").write_text('{"B.md": "---", "C.md": "---"}', encoding="utf-8")
    ada = scene.agent
    assert bob not in [entry["executionId"] for entry in await ada.request("history.list")]
    for method, params in (("history.diff", {"executionId": bob}), ("history.undoAll", {"executionIds": [bob]})):
        with pytest.raises(ProtocolFailure, match=f"no change '{bob}'"):
            await ada.request(method, **params)
    told = [
        await ada.request("history.diff", executionId=both),
        await ada.request("history.undoAll", executionIds=[both], preview=True),
        await ada.request("history.undoAll", client="Bob", preview=True),
    ]
    assert [file["path"] for file in told[0]["files"]] == ["A.md"]
    assert "B.md" not in str(told)
    assert "C.md" not in str(told)
    assert {file["path"] for file in (await scene.person.host.request("history.diff", executionId=both))["files"]} == {
        "A.md",
        "B.md",
    }
