"""Whoever reads only the text of an answer, and whoever reads only its structured content, is told the same."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.identity import Preset
from bridge.mcp.results import call_result, waiting_result
from bridge.tools import specs
from tests.mcp.pipes import ERAS, Served, serve_robot

pytestmark = pytest.mark.slow

NOTE = """---
aliases: [Stew]
topic: cooking
---
# Soup

#warm/tea

- [ ] buy carrots 📅 2026-12-01
See [[Ideas]] and [[Nowhere]].
"""
ID = "the id to undo it by"
DRAFT = "the draft that it is staged in"
Case = tuple[str, dict[str, Any], tuple[str, ...]]
"""A tool, its arguments, and what its answer must say."""

READING: list[Case] = [
    ("search", {"query": "carrots zebra"}, ("With only some of the words", "Kitchen/Soup.md")),
    ("search", {"query": "carrots"}, ("Kitchen/Soup.md", "buy carrots")),
    ("search", {"pattern": "buy c"}, ("Kitchen/Soup.md", "9", "buy carrots")),
    ("search_notes", {"query": "carrots zebra"}, ("No note has all the words", "Kitchen/Soup.md")),
    ("search_files", {"pattern": "carrots"}, ("Line 9", "Kitchen/Soup.md")),
    ("grep", {"pattern": "carrots"}, ("9:- [ ] buy carrots", "Kitchen/Soup.md")),
    ("codebase_search", {"query": "carrots"}, ("Kitchen/Soup.md:5-10", "buy carrots")),
    ("context_pack", {"question": "carrots"}, ("Kitchen/Soup.md", "buy carrots")),
    ("search_vectors", {"query": "carrots"}, ("Kitchen/Soup.md:5-10", "Found by words alone")),
    ("find", {"pattern": "soup"}, ("Kitchen/Soup.md",)),
    ("list_files", {"pattern": "**/*"}, ("Kitchen/Soup.md", "[folder] Kitchen/")),
    ("get_file_info", {"path": "Kitchen/Soup.md"}, ("Kitchen/Soup.md", "123")),
    ("read", {"path": "Ideas.md", "lineNumbers": True}, ("1: # Ideas", "[Lines 1-", " of ")),
    ("read", {"path": "Ideas.md", "startLine": 1, "endLine": 1}, ("# Ideas", "next: startLine=2")),
    (
        "read",
        {"paths": ["Ideas.md", "Soup", "No.md"], "lineNumbers": True},
        ("== Ideas.md ==", "5: # Soup", "File or folder not found: 'No.md'"),
    ),
    ("read", {"path": "Kitchen/Soup.md", "outline": True}, ("5: # Soup",)),
    ("read", {"path": "Soup#Soup"}, ("[Lines 5-10 of 10 of Kitchen/Soup.md]", "buy carrots")),
    ("read_note", {"name": "Soup", "line_numbers": True}, ("9: - [ ] buy carrots", "[Lines 1-10 of 10")),
    ("read_file", {"path": "Kitchen/Soup.md"}, ("9: - [ ] buy carrots", "[Showing lines 1-10 of 10 total]")),
    ("query", {"tags": ["warm"]}, ("Kitchen/Soup.md",)),
    ("search_by_tags", {"tags": ["warm"]}, ("Kitchen/Soup.md",)),
    ("search_by_properties", {"properties": {"topic": "cooking"}}, ("Kitchen/Soup.md", "topic", "cooking")),
    ("list_tags", {}, ("#warm/tea",)),
    ("tasks", {}, ("Kitchen/Soup.md:9", "buy carrots", "2026-12-01")),
    ("get_metadata", {"name": "Soup"}, ("aliases", "Stew", "#warm/tea", "Nowhere")),
    ("note_info", {"path": "Soup"}, ("Kitchen/Soup.md", "10 lines", "Nowhere (leads nowhere)")),
    ("resolve_note", {"name": "Stew"}, ("Kitchen/Soup.md",)),
    ("is_available", {"name": "Soup"}, ("'Soup' is taken",)),
    ("find_related", {"name": "Soup"}, ("Ideas.md", "is linked from it")),
    ("vault_report", {"sections": ["broken_links"]}, ("Kitchen/Soup.md:10: [[Nowhere]]",)),
    ("templates", {}, ("meeting-note",)),
    ("await_decision", {}, ("No call of yours has a ticket",)),
    ("chain", {"calls": [{"name": "one", "tool": "find", "arguments": {"pattern": "soup"}}]}, ("Kitchen/Soup.md",)),
]
WRITING: list[Case] = [
    ("create_note", {"path": "New.md", "content": "x\n"}, ("New.md", ID)),
    ("edit", {"path": "New.md", "append": "more\n"}, ("Edited New.md", ID)),
    (
        "apply_patch",
        {"path": "New.md", "patches": [{"startLine": 1, "endLine": 1, "newContent": "# New\n"}]},
        ("New.md", ID),
    ),
    ("edit_file", {"path": "New.md", "old_text": "more", "new_text": "MORE"}, ("New.md", ID)),
    ("modify_note", {"path": "New.md", "operation": "append", "content": "end\n"}, ("New.md", ID)),
    ("update_note", {"name": "New", "content": "# New\n\n## Part\n\ntext\n"}, ("New.md", ID)),
    ("set_properties", {"paths": ["New.md"], "add_tags": ["x"]}, ("#x", ID)),
    ("add_tag", {"name": "New", "tag": "hot"}, ("#hot", ID)),
    ("remove_tag", {"name": "New", "tag": "hot"}, ("#hot", ID)),
    ("rename_tag", {"tag": "x", "new_tag": "y"}, ("1 note", ID)),
    ("set_properties", {"paths": ["New.md"], "set": {"mood": "good"}}, (ID,)),
    ("rename_property", {"property": "mood", "new_name": "temper"}, (ID,)),
    ("rename_heading", {"path": "New.md", "heading": "Part", "new_heading": "Piece"}, ("Piece", ID)),
    ("edit_tasks", {"action": "tick", "tasks": [{"path": "Kitchen/Soup.md", "line": 9}]}, (ID,)),
    ("split_note", {"path": "New.md", "level": 2}, (ID,)),
    ("write_file", {"path": "Other.md", "content": "w\n"}, ("Other.md", ID)),
    ("merge_notes", {"sources": ["Other"], "target": "New"}, (ID,)),
    ("create_folder", {"path": "Shelf"}, ("Shelf", ID)),
    ("move", {"source": "New.md", "destination": "Shelf/New.md"}, ("Shelf/New.md", ID)),
    ("move_file", {"source": "Shelf/New.md", "destination": "Third.md"}, ("Third.md", ID)),
    ("organize_note", {"source": "Third.md", "destination": "Shelf/Third.md"}, ("Shelf/Third.md", ID)),
    ("delete", {"paths": ["Shelf/Third.md"]}, ("Shelf/Third.md", ID)),
    ("write_file", {"path": "A.md", "content": "a\n"}, ("A.md", ID)),
    ("delete_note", {"name": "A"}, ("A.md", ID)),
    ("write_file", {"path": "B.md", "content": "b\n"}, ("B.md", ID)),
    ("delete_file", {"path": "B.md"}, ("B.md", ID)),
    ("write_file", {"path": "C.canvas", "content": "{}"}, ("C.canvas", ID)),
    ("edit_canvas", {"path": "C.canvas", "operations": [{"action": "add", "text": "x"}]}, ('adds the card "x"', ID)),
    ("daily_note", {"append": "hello"}, (ID,)),
    ("history_undo", {}, ("Undone: daily-",)),
    ("history_redo", {}, (": daily-",)),
    ("history", {}, ("edit_canvas", "New.md", "applied")),
]
DRAFTING: list[Case] = [
    ("draft", {"action": "begin"}, (DRAFT, "until you submit or discard")),
    ("create_note", {"path": "Staged.md", "content": "x\n"}, (DRAFT, "nothing is written until the user takes")),
    ("draft", {"action": "status"}, (DRAFT, "Staged.md")),
    ("draft", {"action": "submit"}, (DRAFT, "1 file", ID)),
]
REFUSED: list[Case] = [
    ("read", {"path": "../x"}, ("outside the vault", "outside_vault")),
    ("read", {"path": "Nope"}, ("File or folder not found: 'Nope'",)),
    ("read", {"pat": 1}, ("Unknown parameter 'pat'", "Did you mean 'path'?")),
    ("read", {"path": "Ideas.md", "startLine": 99}, ("is beyond the end",)),
    ("reed", {}, ("Unknown tool 'reed'", "Did you mean 'read'")),
    ("edit", {"path": "Ideas.md", "old_text": "nowhere to be found", "new_text": "x"}, ("nowhere to be found",)),
]
ELSEWHERE = {
    "allow_edit": "is asked by editors of programs, not by models",
    "demo_note": "is there for the demonstration alone",
    "history_undo_outside": "is the person's alone",
    "mcp_loader": "needs other servers: tests/tools/servers",
    "mend_links": "is the person's alone",
    "restore": "is the person's alone",
    "restore_all": "is the person's alone",
    "run_terminal_command": "needs the sandbox: tests/tools/terminal",
    "web_fetch": "needs a server: tests/tools/web",
    "web_search": "needs a server: tests/tools/web",
}
"""The tools whose answers are looked at in their own tests."""


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    (vault / "Kitchen").mkdir()
    (vault / "Kitchen" / "Soup.md").write_text(NOTE, encoding="utf-8")
    async with serve_robot(vault, globalRateLimit=1000) as served:
        served.person.answer = "allow_once"
        yield served


def readers(result: dict[str, Any], most: int = 65_536) -> tuple[str, str]:
    """What each of the two is shown: the text of an answer without structured content, and the structured content."""
    plain, both = (call_result(result, most, structured=structured) for structured in (False, True))
    assert "structuredContent" not in plain
    assert plain.get("isError", False) is not result["success"]
    return plain["content"][0]["text"], told(both["structuredContent"])


def told(content: Any) -> str:
    """Every text and number of structured content, in the order in which it stands there."""
    match content:
        case dict():
            return "\n".join(f"{name}: {told(value)}" for name, value in content.items())
        case list():
            return "\n".join(map(told, content))
    return str(content)


def test_every_tool_is_called_here_or_where_it_says() -> None:
    called = {name for name, _, _ in (*READING, *WRITING, *DRAFTING)}
    assert called | ELSEWHERE.keys() == {spec.name for spec in specs()} - {
        "count_words"
    }  # of another test, an example of the documents
    assert not called & ELSEWHERE.keys()


@pytest.mark.parametrize("cases", [READING, WRITING, DRAFTING, REFUSED], ids=["reads", "writes", "drafts", "refusals"])
async def test_either_reader_is_told(served: Served, cases: list[Case]) -> None:
    port, marks = served.port(), {ID: "", DRAFT: ""}
    for name, arguments, facts in cases:
        result = await port.request("tools.call", name=name, arguments=arguments)
        assert result["success"] is (cases is not REFUSED), (name, result)
        marks[ID] = result["executionId"]
        marks[DRAFT] = marks[DRAFT] or (result.get("data") or {}).get("draft", "") if cases is DRAFTING else ""
        for shown in readers(result):
            missing = [fact for fact in facts if marks.get(fact, fact) not in shown]
            assert not missing, (name, arguments, shown)
    port.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("deny_once", ("not today", "The user denied", "denied_by_user")),
        ("allow_once", ("gladly", "The user allowed")),
    ],
)
async def test_either_reader_hears_what_a_ticket_is_for_and_what_the_person_said(
    served: Served, answer: str, words: tuple[str, ...]
) -> None:
    port = served.port()
    served.person.answer = None
    call = {"name": "create_note", "arguments": {"path": "New.md", "content": "x"}}
    calling = asyncio.create_task(port.request("tools.call", **call, callId="one"))
    question = await served.person.until_asked()
    pending = await port.request("tools.result", callId="one", wait=0)
    plain, both = (waiting_result(pending, structured=structured) for structured in (False, True))
    for shown in (plain["content"][0]["text"], told(both["structuredContent"])):
        facts = ("'one'", pending["expiresAt"], "the user was asked", "Do not repeat the call", "`await_decision`")
        assert all(fact in shown for fact in facts), shown
    await served.person.respond(question, answer, feedback=words[0])
    for shown in readers(await calling):
        assert all(word in shown for word in words), shown
    port.close()


async def test_either_reader_hears_how_long_to_wait_after_a_rate_limit(served: Served) -> None:
    served.bridge.settings.update({"rateLimits": {"find": 1}})
    port = served.port()
    results: list[dict[str, Any]] = []
    while not results or results[-1]["success"]:
        results.append(await port.request("tools.call", name="found", arguments={}))
        results[-1]["success"] = results[-1]["errorType"] != "rate_limited"
    for shown in readers(results[-1]):
        assert f"{results[-1]['metadata']['retryAfter']} seconds" in shown
    port.close()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("preset", list(Preset))
async def test_a_client_has_structured_content_where_it_has_everything(
    served: Served, preset: Preset, era: str
) -> None:
    info = served.bridge.services.clients.choose(served.client.id, preset=preset)
    served.client = type(served.client)(info.client_id, info.name, frozenset(info.capabilities), preset)
    served.bridge.settings.update({"waitSeconds": 1})
    async with served.connected(era) as client:
        tools = (await client.list_tools()).tools
        answers = [await client.call_tool("read", {"path": "Ideas.md"}), await client.call_tool("read", {"pat": 1})]
        served.person.answer = None
        answers.append(await client.call_tool("read", {"path": "Kitchen/Soup.md"}))
    structured = preset is Preset.EVERYTHING
    assert [answer.structured_content is not None for answer in answers] == [structured] * 3
    assert any(tool.output_schema is not None for tool in tools) is structured


def test_a_text_that_the_data_holds_already_is_not_sent_twice() -> None:
    content = "# A long note\n" * 1000
    result = {
        "success": True,
        "data": {"path": "A.md", "content": content},
        "text": f"{content}[Lines 1-1000 of 1000]",
        "metadata": {"durationMs": 1.0},
    }
    structured = call_result(result, 65_536, structured=True)["structuredContent"]
    assert structured["toolResult"] == {"text": "[Lines 1-1000 of 1000]"}
    assert structured["content"] == content


@pytest.mark.parametrize("length", [0, 100, 500, 900, 5_000])
def test_structured_content_is_no_longer_than_it_may_be_and_never_loses_the_text(length: int) -> None:
    data = {"results": [{"path": f"{number}.md"} for number in range(200)]}
    result = {"success": True, "data": data, "text": "x" * length, "metadata": {"total": 200}}
    structured = call_result(result, 1000, structured=True)["structuredContent"]
    assert structured["truncated"] is True
    assert structured["toolResult"] == {"text": "x" * length, "metadata": {"total": 200}}
    assert len(json.dumps(structured, separators=(",", ":"))) <= max(1000, length + 100) + 100
