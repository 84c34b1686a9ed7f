"""Deleting over a real socket: what the person is asked, where things go, and that undo brings back every byte."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, Result, connect
from tests.patience import PATIENCE


class Person:
    """A host that answers every question."""

    def __init__(self, host: Connection) -> None:
        self.host = host
        self.questions: list[dict[str, Any]] = []
        self.decision = "allow_once"
        self.meanwhile: Callable[[], object] = lambda: None
        host.on("consent.requested", self._answer)

    async def _answer(self, question: dict[str, Any]) -> None:
        self.questions.append(question)
        self.meanwhile()
        await self.host.request(
            "consent.respond",
            requestId=question["requestId"],
            decision=self.decision,
            planDigest=question["planDigest"],
        )


@pytest.fixture
async def person(vault: Path) -> AsyncIterator[Person]:
    """A bridge with a person."""
    (vault / "Links.md").write_text("[[Meeting]] ![[Windows]]\n", encoding="utf-8")
    (vault / "Notes" / "Photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        async with connect(vault, name="Desk", role="host", can=["consent"]) as host:
            yield Person(host)


async def call(vault: Path, tool: str, **arguments: Any) -> Result:
    async with asyncio.timeout(PATIENCE), connect(vault, name="Robot") as agent:
        return await agent.call(tool, arguments)


def snapshot(vault: Path) -> dict[str, bytes | None]:
    """Everything in the vault that is not hidden."""
    return {
        path.relative_to(vault).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(vault.rglob("*"))
        if not any(part.startswith(".") for part in path.relative_to(vault).parts)
    }


async def test_a_folder_goes_to_the_systems_trash_and_comes_back_byte_for_byte(
    vault: Path, person: Person, trashed: Path
) -> None:
    before = snapshot(vault)
    done = await call(vault, "delete_file", path="Notes")
    assert done.text == f"Deleted 'Notes' to trash. ({done.execution_id})"
    assert (done.data["trash"], done.data["files"], done.data["linkedFrom"]) == ("system", 3, 1)
    (question,) = person.questions
    assert (question["operation"], question["riskLevel"]) == ("delete", "high")
    assert "allow_session" not in question["choices"]
    assert question["summary"] == ("Delete the folder Notes with 3 files (329 bytes): it goes to the system trash")
    assert question["preview"]["warnings"] == ["1 note links to what is in it: Links.md"]
    assert question["preview"]["files"][0]["change"] == "rmdir"
    assert question["scope"]["kind"] == "write_delete"
    assert question["scope"]["hasBacklinks"] is True
    assert question["hunksSupported"] is False
    assert not (vault / "Notes").exists()
    assert (trashed / "Notes" / "Photo.png").exists()

    await person.host.request("history.undo")
    assert snapshot(vault) == before
    await person.host.request("history.redo")
    assert not (vault / "Notes").exists()
    await person.host.request("history.undo")
    assert snapshot(vault) == before


async def test_a_note_is_deleted_by_its_name_and_knows_that_nothing_links_to_it(
    vault: Path, person: Person, trashed: Path
) -> None:
    done = await call(vault, "delete_note", name="[[ideas]]")
    assert done.text == f"Deleted 'Ideas.md' to trash. ({done.execution_id})"
    assert person.questions[0]["scope"]["hasBacklinks"] is False
    assert list(snapshot(trashed)) == ["Ideas.md"]


async def test_the_vaults_own_trash_is_used_when_the_user_chose_it(vault: Path, person: Person, trashed: Path) -> None:
    (vault / ".obsidian" / "app.json").write_text('{"trashOption": "local"}', encoding="utf-8")
    done = await call(vault, "delete_file", path="Ideas.md")
    assert done.data["trash"] == "local"
    assert person.questions[0]["summary"] == "Delete Ideas.md: it goes to .trash in the vault"
    assert (vault / ".trash" / "Ideas.md").exists()
    assert snapshot(trashed) == {}


async def test_without_a_trash_it_is_gone_and_can_be_undone(vault: Path, person: Person, trashed: Path) -> None:
    (vault / ".obsidian" / "app.json").write_text('{"trashOption": "none"}', encoding="utf-8")
    before = snapshot(vault)
    done = await call(vault, "delete_file", path="Notes")
    assert "permanently" in done.text
    assert snapshot(trashed) == {}
    assert not (vault / ".trash").exists()
    await person.host.request("history.undo")
    assert snapshot(vault) == before


async def test_a_no_deletes_nothing(vault: Path, person: Person, trashed: Path) -> None:
    before = snapshot(vault)
    person.decision = "deny_once"
    done = await call(vault, "delete_file", path="Notes")
    assert done.data["code"] == "denied_by_user"
    assert snapshot(vault) == before
    assert snapshot(trashed) == {}


async def test_what_came_into_the_folder_while_the_person_thought_makes_the_yes_stale(
    vault: Path, person: Person, trashed: Path
) -> None:
    person.meanwhile = lambda: (vault / "Notes" / "New.md").write_text("typed just now", encoding="utf-8")
    done = await call(vault, "delete_file", path="Notes")
    assert done.data["code"] == "stale"
    assert (vault / "Notes" / "New.md").read_text(encoding="utf-8") == "typed just now"
    assert snapshot(trashed) == {}
    assert await person.host.request("history.list", outside=False) == []
