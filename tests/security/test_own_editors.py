"""A program's own editor that was made to ask changes no note without your yes."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge import hook
from bridge.app import Bridge
from bridge.client import find_vault
from bridge.client.token_storage import token_file
from tests.hooked import CLIENT, Answered, claude, configuration, run_hook
from tests.patience import PATIENCE
from tests.people import Person, add_client, until_read

pytestmark = pytest.mark.slow

OLD = "# Ideas\n\n## Old Section\n\nOld content here.\n"


@pytest.fixture(autouse=True)
async def _hooked(person: Person, vault: Path) -> None:
    """The person has given the editor its credential."""
    await until_read(person.host)
    await add_client(person, vault, CLIENT)
    person.answer = "allow_once"


async def ask(vault: Path, folder: Path, event: dict[str, Any], **more: Any) -> Answered:
    return await run_hook(configuration(vault, folder, **more), event)


def edit(vault: Path, old: str, new: str, **more: Any) -> dict[str, Any]:
    return claude("Edit", vault, file_path=str(vault / "Ideas.md"), old_string=old, new_string=new, **more)


async def test_a_yes_lets_it_and_the_person_has_seen_the_exact_diff(
    person: Person, vault: Path, tmp_path: Path
) -> None:
    answered = await ask(vault, tmp_path, edit(vault, "Old content", "New content"))
    assert answered.decision == ("allow", "Allowed in Vault Bridge")
    assert (vault / "Ideas.md").read_text("utf-8") == OLD  # the client writes it, not we
    (question,) = person.asked
    assert (question["client"], question["verified"], question["targets"]) == (CLIENT, True, ["Ideas.md"])
    assert question["summary"] == f"Let {CLIENT} change Ideas.md itself"
    (shown,) = question["preview"]["files"]
    assert "-Old content here.\n+New content here.\n" in shown["diff"]
    assert question["preview"]["backup"] is None
    assert not question["hunksSupported"]
    assert not question["editable"]
    assert await person.host.request("history.list", outside=False) == []


async def test_a_no_refuses_it_with_the_persons_words(person: Person, vault: Path, tmp_path: Path) -> None:
    person.answer, person.extent = "deny_once", {"feedback": "Not that note"}
    decision, reason = (await ask(vault, tmp_path, edit(vault, "Old content", "New content"))).decision
    assert decision == "deny"
    assert "Not that note" in reason


async def test_nobody_who_answers_in_time_is_a_no_and_the_question_goes(
    person: Person, vault: Path, tmp_path: Path
) -> None:
    person.answer = None
    answered = await ask(vault, tmp_path, edit(vault, "Old content", "New content"), seconds=2)
    assert answered.decision == ("deny", hook.LATE)
    async with asyncio.timeout(PATIENCE):
        pending = True
        while pending:
            pending = bool(await person.host.request("consent.pending"))


async def test_the_bridges_own_time_out_is_the_same_answer(
    bridge: Bridge, person: Person, vault: Path, tmp_path: Path
) -> None:
    person.answer = None
    bridge.settings.update({"consentTimeout": 1})
    assert (await ask(vault, tmp_path, edit(vault, "Old content", "New content"))).decision == ("deny", hook.LATE)


@pytest.mark.parametrize(
    ("client", "event"),
    [
        ("gemini", {"tool_name": "write_file", "tool_input": {"file_path": "Ideas.md", "content": "x"}}),
        (
            "codex",
            {
                "tool_name": "apply_patch",
                "tool_input": {
                    "command": "*** Begin Patch\n*** Update File: Ideas.md\n@@\n-Old content here.\n+x\n*** End Patch"
                },
            },
        ),
        (
            "opencode",
            {"tool_name": "edit", "tool_input": {"filePath": "Ideas.md", "oldString": "Old c", "newString": "C"}},
        ),
    ],
)
async def test_every_client_is_asked_about_and_answered_in_its_way(
    person: Person, vault: Path, tmp_path: Path, client: str, event: dict[str, Any]
) -> None:
    sent = {**event, "cwd": str(vault), "hook_event_name": "BeforeTool"}
    answered = await ask(vault, tmp_path, sent, client=client)
    assert (answered.code, answered.err) == (0, "")
    assert len(person.asked) == 1
    person.answer = "deny_once"
    refused = await ask(vault, tmp_path, sent, client=client)
    assert refused.code == hook.BLOCK
    assert "denied" in refused.err
    assert refused.out == ""


async def test_what_is_closed_is_refused_and_nobody_is_asked(person: Person, vault: Path, tmp_path: Path) -> None:
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Notes/": "---"}', encoding="utf-8")
    for tool, given in (
        ("Write", {"file_path": str(vault / "Notes" / "Meeting.md"), "content": "x"}),
        ("Write", {"file_path": str(vault / "Notes" / "New.md"), "content": "x"}),
        ("Edit", {"file_path": str(vault / "Notes" / "Meeting.md"), "old_string": "TODO", "new_string": "x"}),
    ):
        decision, reason = (await ask(vault, tmp_path, claude(tool, vault, **given))).decision
        assert decision == "deny"
        assert "not" in reason
    assert person.asked == []


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"file_path": "{vault}/.obsidian/app.json", "content": "{}"}, "protected system folder"),
        ({"file_path": "{vault}/.vault-bridge/settings.json", "content": "{}"}, "protected system folder"),
        ({"file_path": "{vault}", "content": "{}"}, "vault itself"),
        ({"file_path": "{vault}/Notes", "content": "x"}, ""),
        ({"file_path": "{vault}/bad\x01name?.md", "content": "x"}, ""),
        ({"file_path": "{vault}/Ideas.md", "content": "a\x00b"}, "NUL"),
    ],
)
async def test_what_the_bridge_itself_would_not_write_is_refused(
    person: Person, vault: Path, tmp_path: Path, given: dict[str, str], reason: str
) -> None:
    event = claude("Write", vault, **{key: text.replace("{vault}", str(vault)) for key, text in given.items()})
    decision, why = (await ask(vault, tmp_path, event)).decision
    assert decision == "deny"
    assert reason in why
    assert all(question["tool"]["name"] != "allow_edit" or question["planDigest"] is None for question in person.asked)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
async def test_a_link_out_of_the_vault_is_refused(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "out.md").write_text("mine", encoding="utf-8")
    (vault / "out.md").symlink_to(tmp_path / "out.md")
    event = claude("Write", vault, file_path=str(vault / "out.md"), content="x")
    assert (await ask(vault, tmp_path, event)).decision[0] == "deny"


async def test_a_text_that_is_not_there_or_not_once_is_refused(person: Person, vault: Path, tmp_path: Path) -> None:
    for old, why in (("Nowhere", "is not in"), ("Old", "2 times")):
        decision, reason = (await ask(vault, tmp_path, edit(vault, old, "x"))).decision
        assert decision == "deny"
        assert why in reason
    assert all(question["planDigest"] is None for question in person.asked)


async def test_a_note_that_changes_while_the_person_thinks_is_stale(
    person: Person, vault: Path, tmp_path: Path
) -> None:
    person.answer = None
    asking = asyncio.create_task(ask(vault, tmp_path, edit(vault, "Old content", "New")))
    question = await person.until_asked()
    (vault / "Ideas.md").write_text("Something else\n", encoding="utf-8")
    await person.respond(question, "allow_once")
    assert (await asking).decision[0] == "deny"


async def test_an_answer_for_the_session_holds_for_the_next_edit(person: Person, vault: Path, tmp_path: Path) -> None:
    person.answer = "allow_session"
    for new in ("first", "second"):
        old = (vault / "Ideas.md").read_text("utf-8")
        answered = await ask(vault, tmp_path, claude("Write", vault, file_path=str(vault / "Ideas.md"), content=new))
        assert answered.decision[0] == "allow", (old, answered)
        (vault / "Ideas.md").write_text(new, encoding="utf-8")
    assert len(person.asked) == 1


async def test_a_revoked_or_missing_credential_is_refused(person: Person, vault: Path, tmp_path: Path) -> None:
    (client,) = await person.host.request("clients.list")
    await person.host.request("clients.revoke", clientId=client["clientId"])
    assert "revoked" in (await ask(vault, tmp_path, edit(vault, "Old content", "x"))).decision[1]
    token_file(find_vault(vault), CLIENT).unlink()
    assert "missing" in (await ask(vault, tmp_path, edit(vault, "Old content", "x"))).decision[1]
    assert person.asked == []


async def test_the_credential_may_call_and_nothing_else(person: Person, vault: Path) -> None:
    (client,) = await person.host.request("clients.list")
    assert client["capabilities"] == ["call"]
    del vault


async def history(bridge: Bridge, person: Person) -> list[dict[str, Any]]:
    await asyncio.to_thread(bridge.index.refresh)
    found: list[dict[str, Any]] = await person.host.request("history.list", outside=True)
    return found


async def test_what_is_then_written_is_compared_with_what_was_allowed(
    bridge: Bridge, person: Person, vault: Path, tmp_path: Path
) -> None:
    await asyncio.to_thread(bridge.index.refresh)
    await ask(vault, tmp_path, claude("Write", vault, file_path=str(vault / "Ideas.md"), content="# As shown\n"))
    (vault / "Ideas.md").write_bytes(b"# As shown\r\n")  # line endings are the editor's
    (entry,) = await history(bridge, person)
    assert (entry["who"], entry["summary"]) == (CLIENT, f"Ideas.md changed, as you allowed {CLIENT}")
    bridge.services.recorder.end_entry()
    await ask(vault, tmp_path, claude("Write", vault, file_path=str(vault / "New.md"), content="# Shown\n"))
    (vault / "New.md").write_text("# Something else\n", encoding="utf-8")
    entry = (await history(bridge, person))[0]
    assert entry["who"] == "Another program"
    assert entry["summary"] == f"New.md made, otherwise than you allowed {CLIENT}: New.md"
    undone = await person.host.request("history.undo", executionId=entry["executionId"])
    assert undone["success"], undone
    assert not (vault / "New.md").exists()


async def test_what_was_not_asked_about_says_nothing_of_that(bridge: Bridge, person: Person, vault: Path) -> None:
    await asyncio.to_thread(bridge.index.refresh)
    (vault / "Ideas.md").write_text("by sed\n", encoding="utf-8")
    (entry,) = await history(bridge, person)
    assert (entry["who"], entry["summary"]) == ("Another program", "Ideas.md changed")


async def logged(person: Person) -> list[dict[str, Any]]:
    """The log by action, newest first."""
    records: list[dict[str, Any]] = await person.host.request("audit.query", actions=True)
    return records


async def test_the_log_says_what_it_was_allowed(person: Person, vault: Path, tmp_path: Path) -> None:
    await ask(vault, tmp_path, edit(vault, "Old content", "New content"))
    (record,) = [one for one in await logged(person) if one.get("tool") == "allow_edit"]
    assert record["sentence"] == f"{CLIENT} proposed a change of “Ideas.md” with its own editor; you allowed it, once"
    person.answer = "deny_once"
    await ask(vault, tmp_path, edit(vault, "Old content", "Other"))
    record = next(one for one in await logged(person) if one.get("tool") == "allow_edit")
    assert record["sentence"].startswith(f"{CLIENT} wanted to propose a change of “Ideas.md” with its own editor. ")
    assert "denied" in record["sentence"]
