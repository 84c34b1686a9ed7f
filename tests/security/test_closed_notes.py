"""A note that is closed to agents does not exist for them, whichever tool they call."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, connect
from scripts.lib.consenting import consenting_host
from tests.patience import PATIENCE
from tests.people import until_read

DIARY = b"---\naliases: [Confession]\ntags: [sin]\nmood: bad\n---\n# Diary\n\nthe secret word [[Meeting]]\n"
READS = (
    *("resolve_note", "is_available", "read_note", "get_metadata", "find_related", "search_by_tags"),
    *("search_by_properties", "list_tags", "read", "find", "codebase_search", "context_pack", "search_vectors"),
)


@pytest.fixture
async def agent(vault: Path) -> AsyncIterator[Connection]:
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_bytes(DIARY)
    (vault / "Private" / "Meeting.md").write_bytes(b"another meeting\n")
    (vault / "Notes" / "Meeting.md").write_bytes(b"# Meeting\n\nSee [[Diary]].\n")
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"], "consentMode": dict.fromkeys(READS, "always_allow")})
        (vault / ".vault-bridge" / "permissions.json").write_text('{"Private/": "---"}', encoding="utf-8")
        async with connect(vault, name="Robot") as client:
            yield client


@pytest.mark.parametrize("tool", ["resolve_note", "read_note", "get_metadata", "find_related"])
@pytest.mark.parametrize(
    "name", ["Diary", "[[Diary]]", "Private/Diary", "private/DIARY.md", "Confession", "Diary#Diary"]
)
async def test_it_answers_as_one_that_does_not_exist_by_any_name(agent: Connection, tool: str, name: str) -> None:
    closed = await agent.call(tool, name=name)
    missing = await agent.call(tool, name=name.lower().replace("diary", "nihil").replace("confession", "nihil"))
    assert closed.raw["errorType"] == missing.raw["errorType"]
    assert closed.raw["errorType"] == ("permission_denied" if "/" in name else "not_found")
    assert closed.raw["data"].keys() == missing.raw["data"].keys()


@pytest.mark.parametrize(("tool", "rest"), [("update_note", {"content": "x"}), ("add_tag", {"tag": "x"})])
async def test_it_cannot_be_written_by_its_name(agent: Connection, tool: str, rest: dict[str, Any]) -> None:
    assert (await agent.call(tool, name="Diary", **rest)).raw["errorType"] == "not_found"


async def test_it_makes_no_name_ambiguous_and_takes_none(agent: Connection) -> None:
    assert (await agent.call("resolve_note", name="Meeting")).data["path"] == "Notes/Meeting.md"
    assert (await agent.call("read", path="[[Meeting]]")).data["path"] == "Notes/Meeting.md"
    assert (await agent.call("is_available", name="Diary")).data["available"] is True


async def test_it_is_in_no_list(agent: Connection) -> None:
    told = [
        await agent.call("get_metadata", name="Meeting"),
        await agent.call("find_related", name="Meeting"),
        await agent.call("search_by_tags", tags=["sin"]),
        await agent.call("search_by_properties", having=["mood"]),
        await agent.call("list_tags"),
        await agent.call("find", pattern="[[Diary]]"),
        await agent.call("find", pattern="Confession"),
    ]
    assert all(result.raw["success"] for result in told)
    assert told[0].data["backlinks"] == []
    assert told[0].data["unresolved"] == ["Diary"], "what an open note says is told as it is written"
    assert [result.data for result in told[1:]] == [[], [], [], [], [], []]


@pytest.mark.parametrize(
    ("tool", "key"), [("codebase_search", "query"), ("context_pack", "question"), ("search_vectors", "query")]
)
async def test_no_passage_of_it_answers_a_question(agent: Connection, tool: str, key: str) -> None:
    asked: dict[str, Any] = {key: "What is the secret word of the bad mood that links to another meeting?"}
    found = await agent.call(tool, **asked)
    assert "Notes/Meeting.md" in found.text, "the note that links to it is open"
    for told in (found.text, json.dumps(found.data)):
        assert "secret" not in told
        assert "Private" not in told


async def test_the_history_does_not_mention_it(agent: Connection, vault: Path) -> None:
    patch = {"startLine": 1, "endLine": 1, "newContent": "x"}
    async with consenting_host(vault), connect(vault, name="me", role="host") as person:
        (await agent.call("apply_patch", path="Ideas", patches=[patch])).or_raise()
        assert [entry["files"] for entry in await agent.request("history.list")] == [["Ideas.md"]]
        assert len(await agent.request("history.list", path="[[Ideas]]")) == 1
        (vault / ".vault-bridge" / "permissions.json").write_text('{"Ideas.md": "---"}', encoding="utf-8")
        assert await agent.request("history.list") == []
        assert len(await person.request("history.list", path="Ideas")) == 1


async def test_an_agent_hears_of_no_change_to_it(agent: Connection, vault: Path) -> None:
    await agent.request("events.subscribe", kinds=["vault.changed"])
    heard: asyncio.Queue[str] = asyncio.Queue()
    agent.on("vault.changed", lambda told: heard.put_nowait(told["path"]))
    async with connect(vault, name="Screen", role="host") as host:
        await until_read(host)
        await host.request("events.subscribe", kinds=["vault.changed"])
        seen: asyncio.Queue[str] = asyncio.Queue()
        host.on("vault.changed", lambda told: seen.put_nowait(told["path"]))
        (vault / "Private" / "Diary.md").write_bytes(DIARY + b"more\n")
        async with asyncio.timeout(PATIENCE):
            assert await seen.get() == "Private/Diary.md"
        (vault / "Notes" / "Open.md").write_bytes(b"open\n")
        async with asyncio.timeout(PATIENCE):
            assert await heard.get() == "Notes/Open.md"


SECRET = "Secret love"


@pytest.fixture
async def lover(vault: Path) -> AsyncIterator[Connection]:
    """An agent that may read everything but the journal, in which there is a note that open ones link to."""
    (vault / "Journal").mkdir()
    (vault / "Journal" / f"{SECRET}.md").write_bytes(b"[[Ideas]]\n")
    (vault / "Open.md").write_bytes(f"[[{SECRET}]]\n".encode())
    (vault / "Notes" / "Near.md").write_bytes(f"[[../Journal/{SECRET}]]\n".encode())
    if sys.platform != "win32":
        (vault / "alias.md").symlink_to(f"Journal/{SECRET}.md")
        (vault / "Door").symlink_to("Journal")
    async with Bridge(vault) as bridge:
        reads = dict.fromkeys((*READS, *LOOKS), "always_allow")
        bridge.settings.update({"enabledTools": ["*"], "consentMode": reads})
        (vault / ".vault-bridge" / "permissions.json").write_text('{"Journal/": "---"}', encoding="utf-8")
        async with connect(vault, name="Robot") as client:
            yield client


LOOKS = ("get_file_info", "list_files", "read_file", "search_files", "grep", "search_notes")
PLANS: list[tuple[str, dict[str, Any]]] = [
    ("create_note", {"path": f"{SECRET}.md", "content": "x"}),
    ("create_note", {"name": SECRET, "content": "x"}),
    ("write_file", {"path": f"{SECRET}.md", "content": "x"}),
    ("move_file", {"source": "Open.md", "destination": f"{SECRET}.md"}),
    ("move_file", {"source": "Notes/Near.md", "destination": "Near.md"}),
    ("move_file", {"source": "Ideas.md", "destination": "Thoughts.md"}),
]


@pytest.mark.parametrize(("tool", "arguments"), PLANS)
async def test_a_plan_whose_links_follow_from_it_is_refused_and_does_not_name_it(
    lover: Connection, tool: str, arguments: dict[str, Any]
) -> None:
    told = [await lover.preview(tool, arguments), (await lover.call(tool, **arguments)).raw]
    for answer in told:
        assert answer["data"]["code"] == "denied_by_rule"
        assert "Journal" not in json.dumps(answer)
        assert SECRET not in json.dumps(answer)


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
@pytest.mark.parametrize("path", ["alias.md", f"Door/{SECRET}.md", "Door/new.md"])
@pytest.mark.parametrize(
    ("tool", "rest"),
    [
        ("read", {}),
        ("read_file", {}),
        ("get_file_info", {}),
        ("edit_file", {"old_text": "a", "new_text": "b"}),
        ("modify_note", {"operation": "append", "content": "x"}),
        ("write_file", {"content": "x"}),
        ("create_note", {"content": "x"}),
        ("delete_file", {}),
        ("move_file", {"destination": "Elsewhere.md"}),
        ("apply_patch", {"patches": [{"startLine": 1, "endLine": 1, "newContent": "x"}]}),
    ],
)
async def test_an_error_about_a_symbolic_link_names_only_the_path_that_was_asked_for(
    lover: Connection, vault: Path, tool: str, rest: dict[str, Any], path: str
) -> None:
    arguments: dict[str, Any] = {("source" if tool == "move_file" else "path"): path, **rest}
    before = (vault / "Journal" / f"{SECRET}.md").read_bytes()
    answer = await lover.call(tool, **arguments)
    assert not answer.raw["success"]
    told = json.dumps(answer.raw).replace(path, "")
    assert "Journal" not in told
    assert SECRET not in told
    assert (vault / "Journal" / f"{SECRET}.md").read_bytes() == before
    assert not (vault / "Journal" / "new.md").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
async def test_nothing_is_listed_moved_or_made_through_a_link_into_it(lover: Connection, vault: Path) -> None:
    told = [
        await lover.call("list_files", path="Door"),
        await lover.call("find", pattern="Door/**"),
        await lover.call("move_file", source="Open.md", destination="Door/Open.md"),
        await lover.call("create_folder", path="Door/x"),
        await lover.call("create_note", folder="Door", content=f"# {SECRET}\n"),
        await lover.call("move_file", source="Door", destination="Window"),
        await lover.call("delete_file", path="Door"),
    ]
    for answer in told:
        assert "Journal" not in json.dumps(answer.raw)
        assert not (SECRET in json.dumps(answer.raw) and answer.raw["success"])
    assert [each.name for each in (vault / "Journal").iterdir()] == [f"{SECRET}.md"]
    assert (vault / "Open.md").exists()


async def test_a_name_is_not_avoided_because_it_has_it(lover: Connection) -> None:
    answer = await lover.call("create_note", folder="Journal", content=f"# {SECRET}\n")
    other = await lover.call("create_note", folder="Journal", content="# Nothing\n")
    assert [each.raw["data"]["code"] for each in (answer, other)] == ["denied_by_rule"] * 2
    assert " 1" not in answer.text
