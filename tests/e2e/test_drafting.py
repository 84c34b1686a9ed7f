"""A client drafts over a socket, a person is asked once, and all of it is one change and one undo."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect, find_vault
from bridge.client.token_storage import save_to_file
from bridge.index.vault_index import VaultIndex
from tests.patience import PATIENCE
from tests.people import Person, let_read, person_at

NOTES = {
    "Home.md": "# Home\n\nSee [[Jam]] and [[Garden]].\n",
    "Garden.md": "# Garden\n\n#plants\n\nWater the beans.\n",
    "Kitchen/Jam.md": "# Jam\n\nFrom the [[Garden]].\n",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    vault = tmp_path / "Notes"
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(text.encode())
    return vault


def on_disk(vault: Path) -> dict[str, str]:
    files = (file for file in vault.rglob("*.md") if ".vault-bridge" not in file.parts)
    return {file.relative_to(vault).as_posix(): file.read_text(encoding="utf-8") for file in files}


@asynccontextmanager
async def at_work(vault: Path) -> AsyncIterator[tuple[Person, Connection]]:
    """A bridge, a person who lets everything be read and allows what else is asked, and a client of theirs."""
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["*"]})
        if find_vault(vault) is not None and not (await person.host.request("clients.list")):
            added = await person.host.request("clients.add", name="ada")
            save_to_file(find_vault(vault), "ada", added["token"])
        async with connect(vault, name="claude-code 2.1", client="ada") as agent:
            await let_read(person, agent.call("read", path="Home.md"))
            person.answer = "allow_once"
            yield person, agent


async def done(agent: Connection, tool: str, **arguments: Any) -> dict[str, Any]:
    raw: dict[str, Any] = (await agent.call(tool, **arguments)).raw
    assert raw["success"], raw
    return raw


@pytest.mark.slow
async def test_many_changes_are_one_question_one_change_and_one_undo(notes: Path) -> None:
    async with at_work(notes) as (person, agent):
        begun = await done(agent, "draft", action="begin")
        staged = await done(agent, "move_file", source="Kitchen/Jam.md", destination="Pantry/Plum jam.md")
        assert staged["metadata"]["staged"] is True
        assert staged["text"].startswith(f"Staged in {begun['data']['draft']}; nothing is written")
        await done(agent, "create_note", path="New.md", content="[[Plum jam]] #new\n")
        await done(agent, "add_tag", name="Garden", tag="green")
        read = await done(agent, "read", path="Home.md")
        assert "[[Plum jam|Jam]]" in read["text"] or "[[Plum jam]]" in read["text"]
        found = await done(agent, "grep", pattern="Plum jam")
        assert "New.md" in found["text"]
        related = await done(agent, "get_metadata", name="Plum jam")
        assert "backlinks (2): Home, New" in related["text"]
        assert on_disk(notes) == NOTES
        assert person.asked == []
        staged_calls = [one for one in await person.log("execution") if one.get("draft")]
        assert {one["tool"] for one in staged_calls} == {"move_file", "create_note", "add_tag"}
        assert all(" staged in a draft, which writes nothing: " in one["sentence"] for one in staged_calls)
        submitted = await done(agent, "draft", action="submit")
        assert len(person.asked) == 1
        question = person.asked[0]
        assert [one["decision"] for one in question["options"] if one["decision"].startswith("allow")] == ["allow_once"]
        shown = {file["path"]: file for file in question["preview"]["files"]}
        assert set(shown) >= {"Home.md", "Garden.md", "New.md", "Kitchen/Jam.md"}
        assert shown["Home.md"]["unit"] == shown["Kitchen/Jam.md"]["unit"] != ""
        assert shown["Garden.md"]["unit"] == ""
        after = on_disk(notes)
        assert set(after) == {"Home.md", "Garden.md", "New.md", "Pantry/Plum jam.md"}
        status = await done(agent, "draft", action="status")
        assert status["data"]["draft"] is None
        undone = await person.host.request("history.undo", executionId=submitted["executionId"])
        assert undone["success"], undone
        assert on_disk(notes) == NOTES


@pytest.mark.slow
async def test_a_person_takes_a_part_and_the_rest_is_named(notes: Path) -> None:
    async with at_work(notes) as (person, agent):
        await done(agent, "draft", action="begin")
        await done(agent, "move_file", source="Kitchen/Jam.md", destination="Pantry/Plum jam.md")
        await done(agent, "create_note", path="New.md", content="new\n")
        person.extent = {"hunks": {"Kitchen/Jam.md": []}, "feedback": "The jam stays in the kitchen"}
        submitted = await done(agent, "draft", action="submit")
        assert submitted["text"].startswith("The user allowed this and said: The jam stays in the kitchen\n")
        assert on_disk(notes) == NOTES | {"New.md": "new\n"}
        assert "Kitchen/Jam.md" in submitted["text"]


@pytest.mark.slow
async def test_a_no_with_words_leaves_the_draft_and_it_is_asked_about_again_once_it_has_changed(notes: Path) -> None:
    async with at_work(notes) as (person, agent):
        draft = (await done(agent, "draft", action="begin"))["data"]["draft"]
        await done(agent, "create_note", path="New.md", content="new\n")
        person.answer, person.extent = "deny_once", {"feedback": "Name it Beans."}
        denied: Any = await agent.call("draft", action="submit")
        assert denied.raw["data"]["feedback"] == "Name it Beans."
        assert denied.raw["data"]["draft"] == draft
        assert f"and said: Name it Beans. {draft} stays with all that is staged in it" in denied.raw["error"]
        again: Any = await agent.call("draft", action="submit")
        assert again.raw["data"]["code"] == "denied_by_rule"
        assert len(person.asked) == 1, "exactly the same is not asked about twice"
        await done(agent, "move_file", source="New.md", destination="Beans.md")
        person.answer, person.extent = "allow_once", {"feedback": "Yes, thank you."}
        taken = await done(agent, "draft", action="submit")
        assert len(person.asked) == 2
        assert taken["text"].startswith("The user allowed this and said: Yes, thank you.\n")
        assert taken["metadata"]["feedback"] == "Yes, thank you."
        assert on_disk(notes) == NOTES | {"Beans.md": "new\n"}
        said = [one.get("feedback") for one in await person.log("decision") if one["tool"] == "draft"]
        assert [one for one in said if one] == ["Yes, thank you.", "Name it Beans."]


@pytest.mark.slow
async def test_a_draft_in_which_nothing_differs_stays_until_it_is_discarded(notes: Path) -> None:
    async with at_work(notes) as (person, agent):
        draft = (await done(agent, "draft", action="begin"))["data"]["draft"]
        await done(agent, "create_note", path="New.md", content="new\n")
        (notes / "New.md").write_text("new\n", encoding="utf-8")
        for _ in range(2):
            await agent.request("tools.preview", name="draft", arguments={"action": "submit"})
            said = await done(agent, "draft", action="submit")
            assert said["data"] == {"draft": draft, "modified": False}
            assert (await done(agent, "draft", action="status"))["data"]["draft"] == draft
        assert person.asked == []
        await done(agent, "draft", action="discard")
        assert (await done(agent, "draft", action="status"))["data"]["draft"] is None


@pytest.mark.slow
async def test_the_index_of_a_draft_is_never_copied_on_the_event_loop(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[int] = []
    was_copied = threading.Event()
    copy_to = VaultIndex.copy_to

    def copy(index: VaultIndex, folder: Path) -> None:
        copied.append(threading.get_ident())
        copy_to(index, folder)
        was_copied.set()

    monkeypatch.setattr(VaultIndex, "copy_to", copy)
    async with at_work(notes) as (_person, agent):
        await done(agent, "draft", action="begin")
        assert len(copied) == 1
        await done(agent, "create_note", path="New.md", content="new\n")
    was_copied.clear()
    async with Bridge(notes):
        assert await asyncio.to_thread(was_copied.wait, PATIENCE)
    assert len(copied) == 2
    assert threading.get_ident() not in copied


@pytest.mark.slow
async def test_another_window_is_not_in_it_until_it_joins(notes: Path) -> None:
    async with at_work(notes) as (person, agent):
        draft = (await done(agent, "draft", action="begin"))["data"]["draft"]
        await done(agent, "create_note", path="New.md", content="new\n")
        async with connect(notes, name="claude-code 2.1", client="ada") as other:
            missing: Any = await other.call("read", path="New.md")
            assert not missing.raw["success"]
            await done(other, "create_note", path="Other.md", content="other\n")
            assert len(person.asked) == 1
            assert (notes / "Other.md").exists()
            await done(other, "draft", action="join", draft=draft)
            await done(other, "read", path="New.md")
        async with connect(notes, name="Mallory") as stranger:
            refused: Any = await stranger.call("draft", action="join", draft=draft)
            assert refused.raw["errorType"] == "not_found"


@pytest.mark.slow
async def test_a_call_in_a_draft_that_is_not_there_is_told_so_and_nothing_else(
    notes: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with at_work(notes) as (person, agent):
        for tool in ("read", "create_note", "there_is_none"):
            params = {"name": tool, "arguments": {"path": "Home.md"}, "draft": "draft-of-nobody"}
            raw = await agent.request("tools.call", **params)
            assert not raw["success"]
            assert raw["errorType"] == "not_found", raw
            assert raw["error"].startswith("You have no draft 'draft-of-nobody'")
        assert person.asked == []
        assert on_disk(notes) == NOTES
    assert caplog.records == []


@pytest.mark.slow
async def test_a_draft_outlives_the_bridge_and_its_client_is_in_it_again(notes: Path) -> None:
    async with at_work(notes) as (_person, agent):
        draft = (await done(agent, "draft", action="begin"))["data"]["draft"]
        await done(agent, "create_note", path="New.md", content="new\n")
    assert on_disk(notes) == NOTES
    async with at_work(notes) as (person, agent):
        status = await done(agent, "draft", action="status")
        assert status["data"]["draft"] == draft
        await done(agent, "read", path="New.md")
        await done(agent, "draft", action="submit")
        assert len(person.asked) == 1
    assert on_disk(notes) == NOTES | {"New.md": "new\n"}


@pytest.mark.slow
async def test_a_program_without_a_name_has_a_draft_as_long_as_its_connection(notes: Path) -> None:
    async with at_work(notes) as (person, _agent):
        async with connect(notes, name="Script") as script:
            await done(script, "draft", action="begin")
            listed = await person.host.request("drafts.list")
            assert [one["client"] for one in listed] == ["a program without a name of its own"]
            changed = asyncio.Event()
            person.host.on("drafts.changed", lambda _event: changed.set())
        async with asyncio.timeout(PATIENCE):
            while True:  # news of its beginning may come late
                changed.clear()
                if not await person.host.request("drafts.list"):
                    break
                await changed.wait()


@pytest.mark.slow
async def test_denials_and_closed_notes_hold_in_a_draft(notes: Path) -> None:
    async with at_work(notes) as (person, agent):
        await person.host.request("settings.update", patch={"consentMode": {"delete_note": "never_allow"}})
        await done(agent, "draft", action="begin")
        refused: Any = await agent.call("delete_note", name="Garden")
        assert refused.raw["errorType"] == "permission_denied"
        undo: Any = await agent.request("history.undo")
        assert not undo["success"]
        await done(agent, "draft", action="discard")
        assert on_disk(notes) == NOTES
        assert person.asked == []
