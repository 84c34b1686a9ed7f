"""With `anonymizeLog`, no log record names a note, file or folder, whatever its name is."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.identity.caller import PERSON
from tests.people import Person, person_at

FILES = {
    "Steph Ango.md": "# About\n\ntea with [[Buy Wisely]] and #quokka\n",
    "Clippings/Buy Wisely.md": "---\ntopic: Steph Ango\n---\n\n[[Steph Ango]]\n\nold words\n",
    "Clippings/zebrafish.md": "seen\n",
    "Große Reise (2024)/Zoë's café.md": "# Über\n",
    "日本語ノート.md": "x\n",
    "🦊 Fox.md": "x\n",
    "LICENSE": "free\n",
    "Gone Already.md": "bye [[Steph Ango]]\n",
    "Media/portrait_of_ada.png": "not really\n",
    "Board.canvas": '{"nodes": [{"id": "1", "type": "file", "file": "Steph Ango.md", "x": 0, "y": 0, "width": 9, '
    '"height": 9}], "edges": []}',
}
NAMES = (
    *("Steph Ango", "Buy Wisely", "Clippings", "zebrafish", "Große Reise", "Zoë's café", "日本語ノート", "Fox"),
    *("LICENSE", "Gone Already", "portrait_of_ada", "Board.canvas", "My Secret", "Hidden Place", "Renamed Thing"),
)
"""Every name that there is, was, or would have been."""

WORDS = (
    "Steph Ango wants it, see clippings/BUY WISELY and Zoë's café; 昨日は日本語ノートを読む; not zebrafish. "
    "[Fox](%F0%9F%A6%8A%20Fox) steph-ango (Gone Already) LICENSE: portrait_of_ada"
)
"""What an agent, or a person, may say about a call."""

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("web_search", {"query": "Steph Ango zebrafish"}),
    ("find", {"pattern": "Steph*"}),
    ("find", {"pattern": "Steph Ango", "Zebrafish": 1}),
    ("grep", {"pattern": "Steph Ango", "filePattern": "LICENSE"}),
    ("grep", {"pattern": "Steph\\s+Ango|(zebrafish"}),
    ("read", {"path": "Steph Ango.md"}),
    ("read", {"path": "Steph Angu.md"}),
    ("read", {"path": "[[Buy Wisely]]"}),
    ("apply_patch", {"path": "Clippings/zebrafish.md", "patches": [{"startLine": 1, "newContent": "Steph Ango\n"}]}),
    ("apply_patch", {"patch": "--- a/Steph Ango.md\n+++ b/Steph Ango.md\n@@ -1 +1 @@\n-nowhere\n+Buy Wisely\n"}),
    ("search_vectors", {"query": "What did Steph Ango write?"}),
    ("codebase_search", {"query": "Steph Ango?", "target_directories": ["Clippings"], "explanation": "Buy Wisely"}),
    ("context_pack", {"question": "What does Steph Ango say on zebrafish?"}),
    ("search_notes", {"query": 'tea path:Clippings -file:"Buy Wisely" [topic:Steph Ango]'}),
    ("search_files", {"query": "Steph Ango"}),
    ("list_files", {"path": "Clippings", "pattern": "zebra*"}),
    ("get_file_info", {"path": "Große Reise (2024)/Zoë's café.md"}),
    ("read_file", {"path": "LICENSE"}),
    ("create_note", {"name": "My Secret", "content": "[[Steph Ango]]"}),
    ("create_note", {"path": "Steph Ango.md", "content": "zebrafish"}),
    ("create_folder", {"path": "Hidden Place/Clippings"}),
    ("modify_note", {"path": "Steph Ango", "operation": "append", "content": "see zebrafish"}),
    ("modify_note", {"path": "Steph Ango", "operation": "replace", "search": "Buy Wisely and", "content": "x"}),
    ("edit_file", {"path": "Clippings/Buy Wisely.md", "old_text": "old words", "new_text": "Gone Already"}),
    ("write_file", {"path": "Hidden Place/My Secret.md", "content": "🦊 Fox"}),
    ("organize_note", {"source": "Clippings/zebrafish", "destination": "Hidden Place/zebrafish"}),
    ("move_file", {"source": "🦊 Fox.md", "destination": "Hidden Place/Renamed Thing.md"}),
    ("move_file", {"source": "Media", "destination": "Clippings"}),
    ("delete_file", {"path": "Gone Already.md"}),
    ("run_terminal_command", {"command": "wc -l 'Steph Ango.md'"}),
    ("resolve_note", {"name": "Buy Wisly"}),
    ("is_available", {"name": "Steph Ango"}),
    ("read_note", {"name": "Steph Ango"}),
    ("read_note", {"name": "[[日本語ノート#Zebrafish]]"}),
    ("get_metadata", {"name": "Steph Ango"}),
    ("find_related", {"name": "Buy Wisely"}),
    ("search_by_tags", {"tags": ["quokka", "zebrafish"]}),
    ("search_by_properties", {"properties": {"topic": "Steph Ango"}}),
    ("search_by_properties", {"properties": {"Steph Ango": {"Buy Wisely": 1}, "zebrafish": 2}}),
    ("list_tags", {}),
    ("list_tags", {"Steph Ango": "zebrafish"}),
    ("update_note", {"name": "Steph Ango", "content": "now [[Buy Wisely]]"}),
    ("add_tag", {"name": "Buy Wisely", "tag": "zebrafish"}),
    ("remove_tag", {"name": "Steph Ango", "tag": "quokka"}),
    ("delete_note", {"name": "日本語ノート"}),
    ("search", {"query": "Steph Ango", "folder": "Clippings"}),
    ("query", {"properties": {"topic": "Steph Ango"}}),
    ("edit", {"path": "Steph Ango", "append": "see zebrafish"}),
    ("set_properties", {"path": "Buy Wisely", "properties": {"topic": "zebrafish"}}),
    ("move", {"source": "Buy Wisely", "destination": "Hidden Place/"}),
    ("delete", {"paths": ["Gone Already"]}),
    ("note_info", {"path": "Steph Ango"}),
    ("vault_report", {"folder": "Clippings"}),
    ("rename_heading", {"path": "Steph Ango", "heading": "zebrafish", "new_heading": "Buy Wisely"}),
    ("rename_tag", {"tag": "quokka", "new_tag": "zebrafish"}),
    ("rename_property", {"name": "topic", "new_name": "Steph Ango"}),
    ("merge_notes", {"sources": ["Buy Wisely"], "target": "Steph Ango"}),
    ("split_note", {"path": "Steph Ango", "heading": "zebrafish"}),
    ("tasks", {"folder": "Clippings"}),
    ("edit_tasks", {"action": "add", "to": "Steph Ango", "texts": ["see zebrafish"]}),
    ("edit_canvas", {"path": "Steph Ango.canvas", "operations": [{"action": "add", "text": "zebrafish"}]}),
    ("daily_note", {"append": "see [[Buy Wisely]]"}),
    ("history", {"action": "diff", "execution_id": "zebrafish"}),
    ("await_decision", {"ticket": "Steph Ango"}),
    ("draft", {"action": "join", "draft": "zebrafish"}),
    (
        "chain",
        {
            "calls": [
                {"name": "zebrafish", "tool": "read", "arguments": {"path": "Steph Ango.md"}},
                {
                    "name": "again",
                    "tool": "write_file",
                    "arguments": {"path": "My Secret 2.md", "content": "zebrafish"},
                },
            ]
        },
    ),
    ("templates", {"action": "run", "name": "archive-project", "values": {"project": "Clippings/zebrafish"}}),
    ("templates", {"action": "run", "name": "zebrafish", "values": {"Steph Ango": "Buy Wisely"}}),
    ("web_fetch", {"url": "https://zebrafish.invalid/Steph%20Ango", "format": "text"}),
    ("history_undo", {"executionId": "zebrafish"}),
    ("history_undo_outside", {"execution_id": "zebrafish", "paths": ["Steph Ango.md"]}),
    ("restore", {"path": "Steph Ango.md", "digest": "0" * 64, "to": "Clippings/zebrafish.md"}),
    ("restore_all", {"at": "2026-11-20T10:00:00Z", "path": "Clippings/zebrafish", "plan": "zebrafish"}),
    ("mend_links", {"execution_id": "zebrafish", "plan": "Steph Ango"}),
    ("history_redo", {"executionId": "Steph Ango"}),
    ("allow_edit", {"edits": [{"path": "Steph Ango.md", "content": "zebrafish"}]}),
    ("read Steph Ango", {}),
]
"""Calls of every tool, such as succeed and such as do not."""


THE_PERSONS = {"history_undo_outside", "restore", "restore_all", "mend_links"}
"""No agent has them."""


@pytest.fixture
def vault(vault: Path) -> Path:
    for path, text in FILES.items():
        file = vault / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return vault


def logged(vault: Path) -> list[dict[str, Any]]:
    lines = (vault / ".vault-bridge" / "logs" / "tools.log").read_bytes().splitlines()
    return [orjson.loads(line) for line in lines]


async def replay(vault: Path, decision: str) -> set[str]:
    """Make every call, with a person who decides; returns the names of all tools."""
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"allowTerminal": True, "requireSandbox": "never"}, confirms=True)
        tools = {tool.spec.name for tool in bridge.services.registry.tools(PERSON)}
        limits = {"globalRateLimit": 1000, "rateLimits": dict.fromkeys(sorted(tools), 1000)}
        bridge.settings.update({"anonymizeLog": True, "enabledTools": ["*"], **limits})
        bridge.settings.update({"ignorePatterns": ["Clippings/**", "zebrafish"]})
        person.answer = decision
        person.extent = {"feedback": WORDS}
        async with connect(vault, name="Robot") as agent:
            for number, (tool, arguments) in enumerate(CALLS):
                said = {"reason": WORDS, "callId": f"{number} {WORDS}"}
                caller = person.host if tool in THE_PERSONS else agent
                await caller.request("tools.call", name=tool, arguments=arguments, **said)
        await undo_all(person)
    return tools


async def undo_all(person: Person) -> None:
    """The person takes back what was made, and looks at it again."""
    for change in await person.host.request("history.list"):
        await person.host.request("history.undo", executionId=change["executionId"])
    await person.host.request("tools.call", name="read", arguments={"path": "Steph Ango.md"}, reason=WORDS)


@pytest.mark.slow
@pytest.mark.parametrize("decision", ["allow_once", "deny_once"])
async def test_no_name_of_the_vault_stands_in_the_log_whatever_tool_is_called(vault: Path, decision: str) -> None:
    tools = await replay(vault, decision)
    assert {tool for tool, _ in CALLS} >= tools
    records = logged(vault)
    for record in records:
        said = orjson.dumps(record).decode().casefold()
        assert [name for name in NAMES if name.casefold() in said] == [], said
    calls = [record for record in records if record["kind"] == "execution"]
    assert {record["tool"] for record in calls if record["role"] == "agent"} >= tools - THE_PERSONS
    assert {record["tool"] for record in calls} >= tools
    decided = [record for record in records if record["kind"] == "decision" and record.get("decision")]
    assert {record["decision"] for record in decided} == {decision}


ORDINARY = ["read", "rule", "allow", "setting", "create_note", "always_ask", "answer", "person", "decision", "notes"]
"""Names of notes that our own sentences have as words."""


async def told(vault: Path) -> list[dict[str, Any]]:
    """What the log tells, in its own words, of a few calls."""
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"anonymizeLog": True, "enabledTools": ["*"]})
        async with connect(vault, name="Robot") as agent:
            for answer in ("allow_once", "deny_once"):
                person.answer = answer
                await agent.call("read", path="Ideas.md")
                await agent.call("create_note", path=f"{answer}.md", content="x")
            await agent.call("search_notes", query="tea")
            await agent.call("delete_file", path="Ideas.md", nonsense=1)
            await agent.call("nosuch")
    kept = ("kind", "tool", "rule", "why", "holds", "decision", "outcome", "errorType", "code", "changes")
    return [{name: record.get(name) for name in kept} for record in logged(vault)]


async def test_the_words_of_the_log_itself_stay_whatever_notes_are_named(vault: Path, tmp_path: Path) -> None:
    other = tmp_path / "Other"
    other.mkdir()
    (other / "Ideas.md").write_bytes((vault / "Ideas.md").read_bytes())
    for name in ORDINARY:
        (vault / f"{name}.md").write_text("x", encoding="utf-8")
    assert await told(vault) == await told(other)
