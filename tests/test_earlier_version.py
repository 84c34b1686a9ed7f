"""Data that an earlier version wrote is read: journal, backups, log, settings and permissions.

`earlier_version/` was written by running version 0.1.0 before journal, log and settings had rooms of their own, with
logs rotated at 4,000 bytes: an agent's calls and a person's answers, changes of every kind, one of them undone.
`vault/` are the notes it left, `state/` is its `.vault-bridge`, `audit/` the chain's key and head from the user's
state folder, and `before.json` holds the notes before all of that.
"""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.records.folder import place

DATA = Path(__file__).parent / "earlier_version"
CHANGES = ["edit_file", "delete_file", "move_file", "create_note", "apply_patch"]
"""The tools that changed something, newest first; the first of these changes was undone."""


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """The vault as the earlier version left it."""
    vault = tmp_path / "Vault"
    shutil.copytree(DATA / "vault", vault)
    shutil.copytree(DATA / "state", vault / ".vault-bridge")
    for folder in (vault / ".vault-bridge", *(vault / ".vault-bridge").rglob("*")):
        folder.chmod(0o700 if folder.is_dir() else 0o600)
    shutil.copytree(DATA / "audit", place(Path(os.path.realpath(vault)), kind="audit"))
    return vault


@pytest.fixture
async def served(earlier: Path) -> AsyncIterator[Bridge]:
    """The bridge that serves it now."""
    async with Bridge(earlier) as bridge:
        yield bridge


@pytest.fixture
async def person(earlier: Path, served: Bridge) -> AsyncIterator[Any]:
    """A person's connection. Whatever is asked is allowed."""
    del served
    async with connect(vault=earlier, name="Person", role="host", can=["consent"]) as host:

        async def say_yes(question: dict[str, Any]) -> None:
            shown = {"planDigest": question["planDigest"]} if question.get("planDigest") else {}
            await host.request("consent.respond", requestId=question["requestId"], decision="allow_once", **shown)

        host.on("consent.requested", say_yes)
        yield host


def notes_in(vault: Path) -> dict[str, bytes]:
    """The bytes of every note outside dot-folders."""
    paths = {path.relative_to(vault).as_posix(): path for path in vault.rglob("*.md")}
    return {name: path.read_bytes() for name, path in paths.items() if not name.startswith(".")}


async def test_history_lists_what_was_done(served: Bridge) -> None:
    entries = served.services.ledger.history()
    assert [entry.tool for entry in entries] == CHANGES
    assert [entry.state for entry in entries] == ["undone", "applied", "applied", "applied", "applied"]
    assert all(entry.can_undo for entry in entries)
    assert [set(entry.files) for entry in entries] == [
        {"Notes/Windows.md"},
        {"Notes/Gone.md"},
        {"Ideas.md", "Archive/Thoughts.md", "Hub.md"},
        {"New/Created.md"},
        {"Ideas.md"},
    ]


async def test_undo_restores_every_byte(person: Any, earlier: Path) -> None:
    for _ in CHANGES[1:]:
        assert (await person.request("history.undo"))["success"]
    before = json.loads((DATA / "before.json").read_text(encoding="utf-8"))
    assert notes_in(earlier) == {path: text.encode() for path, text in before.items()}


async def test_redo_repeats_an_undone_change(person: Any, earlier: Path) -> None:
    assert (await person.request("history.redo"))["success"]
    assert (earlier / "Notes" / "Windows.md").read_bytes() == b"\xef\xbb\xbf# Windows\r\n\r\nTODO: shipped\r\n"


@pytest.mark.parametrize("end", ["unmarked", "torn"])
async def test_a_change_that_lacks_its_mark_is_completed(earlier: Path, end: str) -> None:
    journal = earlier / ".vault-bridge" / "journal" / "journal.jsonl"
    *lines, mark = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines) + (mark[:20] if end == "torn" else b""))
    async with Bridge(earlier) as bridge:
        (completed,) = bridge.core.history.recovery.completed
        assert completed.startswith("undo-")
        assert (bridge.core.history.recovery.rolled_back, bridge.core.history.recovery.conflicted) == ((), ())


async def test_the_log_verifies_and_goes_on(served: Bridge) -> None:
    report = await asyncio.to_thread(served.services.parts.audit.get().verify)
    assert (report["whole"], report["unverified"], report["lost"]) == (True, 0, 0)
    assert report["records"] > 40
    stats = await asyncio.to_thread(served.services.parts.audit.get().stats)
    assert stats["generations"] == 3
    assert stats["records"] == report["records"]


async def test_the_log_is_queried_in_rotated_generations_too(served: Bridge) -> None:
    query = served.services.parts.audit.get().query
    calls = await asyncio.to_thread(query, kind="execution", client="Agent")
    ids = [record["callId"] for record in calls]
    assert ids == [f"call-{number}" for number in range(22, 0, -1)]
    denied, patch = await asyncio.to_thread(query, kind="execution", tool="apply_patch")
    assert (patch["callId"], patch["success"], patch["files"][0]["path"]) == ("call-3", True, "Ideas.md")
    assert (denied["callId"], denied["success"]) == ("call-9", False)


async def test_an_altered_record_of_the_earlier_log_is_found(served: Bridge, earlier: Path) -> None:
    log = earlier / ".vault-bridge" / "logs" / "tools.log"
    log.write_bytes(log.read_bytes().replace(b"nothing22", b"nothing23"))
    report = await asyncio.to_thread(served.services.parts.audit.get().verify)
    assert not report["whole"]
    assert {fault["kind"] for fault in report["faults"]} == {"altered"}


async def test_settings_hold(served: Bridge) -> None:
    stored = json.loads((DATA / "state" / "settings.json").read_bytes())
    settings = served.settings.current.to_wire()
    assert {key: settings[key] for key in stored} == stored
    await asyncio.to_thread(served.settings.update, {"developerMode": True})
    settings = served.settings.current.to_wire()
    assert {key: settings[key] for key in stored} == stored


async def test_permissions_hold(served: Bridge, earlier: Path) -> None:
    grants = served.services.grants.list()
    of_files = {(*grant.where, grant.decision.value) for grant in grants if grant.kind == "file"}
    assert of_files == {
        ("Notes/Meeting.md", "deny_always"),
        ("New/Second.md", "deny_always"),
        ("Hub.md", "allow_always"),
    }
    async with connect(vault=earlier, name="Agent") as agent:
        denied = await agent.call("create_note", {"path": "New/Second.md", "content": "x"})
        assert denied.raw["error"].startswith("Create note is not allowed")
        assert not (earlier / "New" / "Second.md").exists()
        assert (await agent.call("grep", {"pattern": "TODO"})).raw["success"]
