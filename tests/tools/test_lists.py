"""A list that is not whole says how many there are and how to go on, in its text as in its metadata."""

import json
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from bridge.contract.consent import Operation
from bridge.contract.tools import TicketInfo
from bridge.identity.caller import PERSON, Caller
from bridge.testing import Sandbox, sandbox
from bridge.toolkit.tool import Output
from bridge.tools import specs
from bridge.tools.core.await_decision import AwaitDecisionTool

if TYPE_CHECKING:
    from bridge.toolkit.tool import CallContext

MANY = 60
WHEN = "2026-11-22T21:34:41.512Z"
NOTES = {
    f"Notes/{number:02}.md": (
        f"---\nstatus: open\n---\n# Hay {number}\n\n#garden #t{number} [[Hub]]\n\n"
        f"Where is the hay of stable {number}?\n\n"
        f"- [ ] Turn the hay {number}\n"
    )
    for number in range(MANY)
} | {
    "Hub.md": "# Hub\n\n" + "".join(f"## Part {number}\n\n" for number in range(MANY)),
    "All.base": "views:\n- type: table\n",
}
STABLE = "Where is the hay of the stable?"

LISTS: dict[str, tuple[dict[str, Any], str]] = {
    "find": ({"pattern": "Notes/*", "maxResults": 5}, r"\[5 of 60 files shown\. .*maxResults"),
    "find a folder": ({"folder": "Notes", "maxResults": 5}, r"\[5 of 60 files shown\. .*maxResults"),
    "list_files": ({"path": "Notes", "max_results": 5}, r"\[Showing 5 of 60 items\. .*max_results"),
    "grep": ({"pattern": "Turn", "maxMatches": 5}, r"\[The first 5 of at least 6 matches .*maxMatches"),
    "search": ({"pattern": "Turn", "limit": 5}, r"\[1-5 of 60 lines; next: cursor=5\]"),
    "search by words": ({"query": "turn", "limit": 5}, r"\[1-5 of 60; next: cursor=5\]"),
    "search_files": ({"pattern": "Turn", "max_results": 5}, r"\[5 of 60 matching files shown\. Raise max_results"),
    "search_notes": ({"query": "turn", "limit": 5}, r"\[1-5 of 60 shown\. For the next, set cursor to '5'"),
    "codebase_search": ({"query": STABLE}, r"\[10 of \d\d passages shown\. .*target_directories"),
    "context_pack": ({"question": STABLE, "budget": 100}, r"passages of at least \d+; raise budget"),
    "query": ({"tags": ["garden"], "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "query by properties": ({"having": ["status"], "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "query for tags": ({"list_tags": True, "limit": 5}, r"\[5 of 61 shown\. For the next, set cursor to"),
    "query for tasks": ({"tasks": "todo", "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "query of a base": ({"base": "All.base", "limit": 5}, r"\[5 of 6\d rows\. For the next, set cursor to"),
    "query by a filter": ({"filter": 'status == "open"', "limit": 5}, r"\[5 of 60 rows\. For the next, set cursor to"),
    "search_by_tags": ({"tags": ["garden"], "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "search_by_properties": ({"having": ["status"], "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "list_tags": ({"limit": 5}, r"\[5 of 61 shown\. For the next, set cursor to"),
    "tasks": ({"limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "find_related": ({"name": "Hub", "limit": 5}, r"\[5 of 60 related notes shown\. Raise limit"),
    "note_info": (
        {"path": "Hub", "limit": 5},
        r"backlinks \(1-5 of 60\)(?s:.*)\[For the next .*: cursor=5\]",
    ),
    "get_metadata": ({"name": "Hub"}, r"backlinks \(60\): (?s:.*)note_info lists more"),
    "vault_report": (
        {"sections": ["orphans"], "folder": "Notes", "limit": 5},
        r": 60\n(?s:.*)55 more\]\n\[For .* cursor=5\]",
    ),
    "history": ({"limit": 5}, r"\[5 of 7 changes shown\. For older ones, set execution_id to '"),
}
"""By the tool and what sets the call apart: its arguments, and what the text says."""

NO_LISTS = {
    "await_decision",
    "get_file_info",
    "is_available",
    "read",
    "read_file",
    "read_note",
    "resolve_note",
}
"""They tell of one note, or read one, which `test_reading_on.py` is about."""
NO_TOTAL = {"search_vectors"}
"""Every note is near a text, more or less, so there is no number of those that are; it says to raise its limit."""


def test_every_tool_that_lists_something_is_tried() -> None:
    reading = {spec.name for spec in specs() if spec.operation is Operation.READ and spec.listed}
    assert {name.partition(" ")[0] for name in LISTS} == reading - NO_LISTS - NO_TOTAL | {"history"}


async def test_a_list_says_how_many_there_are_and_how_to_go_on() -> None:
    async with sandbox(NOTES) as vault:
        for number in range(7):
            await vault.succeed("edit", path=f"Notes/{number:02}", append="More\n")
        for case, (arguments, said) in LISTS.items():
            told = await vault.succeed(case.partition(" ")[0], **arguments)
            assert re.search(said, told.text), f"{case}: {told.text}"
            assert told.metadata["truncated"] or case == "get_metadata", "its data has them all"


PAGED: dict[str, tuple[dict[str, Any], str]] = {
    "query by tags": ({"tags": ["garden"], "limit": 25}, r"^Notes/\d\d\.md$"),
    "query by properties": ({"having": ["status"], "limit": 25}, r"^Notes/\d\d\.md \("),
    "query for tags": ({"list_tags": True, "limit": 25}, r"^#t\d+ "),
    "query for tasks": ({"tasks": "todo", "limit": 25}, r"Turn the hay \d+$"),
    "query by a filter": ({"filter": 'status == "open"', "limit": 25}, r"^Notes/\d\d\.md"),
    "tasks": ({"limit": 25}, r"Turn the hay \d+$"),
    "search": ({"pattern": "Turn", "limit": 25}, r"^  \d+: .*Turn the hay \d+$"),
    "search by words": ({"query": "turn", "limit": 25}, r"^Notes/\d\d\.md$"),
    "vault_report": ({"sections": ["orphans", "dead_ends"], "folder": "Notes", "limit": 25}, r"^  Notes/\d\d\.md$"),
    "read": ({"path": "Hub", "info": True}, r"^  Notes/\d\d\.md:"),
    "note_info": ({"path": "Hub", "limit": 25}, r"^  \d+: ## Part \d+$"),
    "read of an outline": ({"path": "Long", "outline": True}, r"^\d+: ## Part \d+$"),
    "read of a canvas": ({"path": "Cards.canvas", "outline": True}, r"^text Card \d+ "),
}
"""By the tool and what sets the call apart: its arguments, and each of its items in the text."""
PARTS = 230
CARDS = 60
ITEMS = {"read of an outline": PARTS, "read of a canvas": CARDS}


@pytest.mark.parametrize("case", PAGED)
async def test_going_on_as_the_text_says_gives_every_item_once(case: str) -> None:
    long = "# Long\n\n" + "".join(f"## Part {number}\n\n" for number in range(PARTS))
    cards = [
        {"id": f"c{number}", "type": "text", "text": f"Card {number}", "x": 0, "y": number, "width": 9, "height": 9}
        for number in range(CARDS)
    ]
    ties = [{"id": f"e{number}", "fromNode": "c0", "toNode": f"c{number}"} for number in range(CARDS)]
    canvas = json.dumps({"nodes": cards, "edges": ties})
    arguments, item = PAGED[case]
    async with sandbox(NOTES | {"Long.md": long, "Cards.canvas": canvas}) as vault:
        vault.settings.update({"maxOutputBytes": 3000 if case == "read of a canvas" else 65_536})
        items = await _all_items(vault, case.partition(" ")[0], arguments, item)
    assert len(items) == len(set(items)) == ITEMS.get(case, MANY)


async def _all_items(vault: Sandbox, tool: str, arguments: dict[str, Any], item: str) -> list[str]:
    """Follow what each answer says, a number as the number that it is."""
    items: list[str] = []
    place: dict[str, Any] = {}
    while True:
        told = await vault.succeed(tool, **arguments, **place)
        items += re.findall(f"(?m){item}.*", told.text)
        if not told.metadata["truncated"]:
            assert "cursor" not in told.text
            return items
        number, text = re.findall(r"cursor=(\d+)|cursor to '(.*?)'\.\]", told.text)[-1]
        place = {"cursor": int(number) if number else text}
        assert str(place["cursor"]) == told.metadata["cursor"]


async def test_a_cursor_behind_the_end_is_refused() -> None:
    async with sandbox(NOTES) as vault:
        for tool, arguments in (
            ("search", {"pattern": "Turn"}),
            ("search", {"query": "turn"}),
            ("vault_report", {"sections": ["orphans"]}),
            ("read", {"path": "Hub", "info": True}),
            ("read", {"path": "Hub", "outline": True}),
        ):
            told = await vault.call(tool, cursor="1000", **arguments)
            assert "begin again without cursor" in told.text, (tool, arguments)
        for wrong in ("next", -1, 1.5, True):
            assert not (await vault.call("search", query="turn", cursor=wrong)).success
        assert "the number" in (await vault.call("search", query="turn", cursor="next")).text
        assert (await vault.succeed("search", query="turn", cursor=2.0)).text.startswith("Notes/")


async def test_the_changes_of_a_draft_are_all_listed_page_by_page() -> None:
    async with sandbox(NOTES) as vault:
        vault.settings.update({"rateLimits": {"edit": 1000, "draft": 1000}})
        assert "[" not in (await vault.succeed("draft", action="begin")).text
        for number in range(50):
            await vault.succeed("edit", path=f"Notes/{number:02}", append="More\n")
        first = await vault.succeed("draft", action="status")
        assert first.text.endswith("[Changes 11-50 of 50; those before: cursor=10]")
        assert (first.metadata["total"], first.metadata["truncated"], first.metadata["cursor"]) == (50, True, "10")
        rest = await vault.succeed("draft", action="status", cursor=10)
        assert rest.text.endswith("[Changes 1-10 of 50]")
        listed = re.findall(r"Notes/(\d\d)", rest.text + first.text)
        assert listed == [f"{number:02}" for number in range(50)]
        assert (await vault.call("draft", action="status", cursor="51")).error_type == "invalid_parameters"
        again = await vault.succeed("draft", action="join", draft=first.data["draft"])
        assert again.text.endswith("[Changes 48-50 of 50; status lists them]")


async def test_the_diff_of_many_files_is_gone_on_with_to_its_end() -> None:
    async with sandbox(NOTES) as vault:
        vault.settings.update({"maxOutputBytes": 5000})
        await vault.succeed("rename_tag", tag="garden", new_tag="plants")
        found = await _all_items(vault, "history", {"action": "diff"}, r"^\+\+\+ Notes/")
        assert len(found) == len(set(found)) == MANY


async def test_the_history_is_gone_on_with_to_its_end() -> None:
    async with sandbox({"A.md": "a\n"}) as vault:
        for _ in range(7):
            await vault.succeed("edit", path="A", append="More\n")
        seen: list[str] = []
        place: dict[str, str] = {}
        while True:
            told = await vault.succeed("history", limit=3, **place)
            seen += [entry["execution_id"] for entry in told.data]
            if not told.metadata["truncated"]:
                break
            found = re.search(r"set execution_id to '(.*?)'", told.text)
            assert found
            place = {"execution_id": found[1]}
        assert len(seen) == len(set(seen)) == 7


async def test_tickets_are_listed_fifty_at_a_time() -> None:
    every = [
        TicketInfo(ticket=f"t{number}", tool="edit", summary="Edit", state="done", since=WHEN, expires_at=WHEN)
        for number in range(120)
    ]

    class Calls:
        def tickets(self, caller: Caller) -> list[TicketInfo]:
            del caller
            return every

    tool, seen, place = AwaitDecisionTool(cast("Any", Calls)), list[str](), dict[str, Any]()
    context = cast("CallContext", SimpleNamespace(caller=PERSON))
    while True:
        listed = await tool.run(tool.spec.parameters.parse(place), context)
        assert isinstance(listed, Output)
        seen += re.findall(r"^(t\d+): done", listed.text, re.MULTILINE)
        if not listed.metadata["truncated"]:
            break
        found = re.search(r"\[50 of 120 shown; next: cursor=(\d+)\]", listed.text)
        assert found
        place = {"cursor": int(found[1])}
    assert seen == [one.ticket for one in every]
