"""A list that is not whole says how many there are and how to go on, in its text as in its metadata."""

import re
from typing import Any

from bridge.contract.consent import Operation
from bridge.testing import sandbox
from bridge.tools import specs

MANY = 60
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
    "search": ({"pattern": "Turn", "limit": 5}, r"\[The first 5 of 60 lines\. .*limit"),
    "search by words": ({"query": "turn", "limit": 5}, r"\[1-5 of 60; next: cursor=5\]"),
    "search_files": ({"pattern": "Turn", "max_results": 5}, r"\[5 of 60 matching files shown\. Raise max_results"),
    "search_notes": ({"query": "turn", "limit": 5}, r"\[1-5 of 60 shown\. For the next, set cursor to '5'"),
    "codebase_search": ({"query": STABLE}, r"\[10 of \d\d passages shown\. .*target_directories"),
    "context_pack": ({"question": STABLE, "budget": 100}, r"passages of at least \d+; raise budget"),
    "query": ({"tags": ["garden"], "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "query by properties": ({"having": ["status"], "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "query for tags": ({"list_tags": True, "limit": 5}, r"\[5 of 61 shown\. For the next, set cursor to"),
    "query for tasks": ({"tasks": "todo", "limit": 5}, r"\[5 of 60 tasks shown\. Raise limit"),
    "query of a base": ({"base": "All.base", "limit": 5}, r"\[5 of 6\d rows\. For the next, set cursor to"),
    "query by a filter": ({"filter": 'status == "open"', "limit": 5}, r"\[5 of 60 rows\. For the next, set cursor to"),
    "search_by_tags": ({"tags": ["garden"], "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "search_by_properties": ({"having": ["status"], "limit": 5}, r"\[5 of 60 shown\. For the next, set cursor to"),
    "list_tags": ({"limit": 5}, r"\[5 of 61 shown\. For the next, set cursor to"),
    "tasks": ({"limit": 5}, r"\[5 of 60 tasks shown\. Raise limit"),
    "find_related": ({"name": "Hub", "limit": 5}, r"\[5 of 60 related notes shown\. Raise limit"),
    "note_info": ({"path": "Hub", "limit": 5}, r"backlinks \(5 of 60, raise limit for more\)"),
    "get_metadata": ({"name": "Hub"}, r"backlinks \(60\): (?s:.*)note_info lists more"),
    "vault_report": ({"sections": ["orphans"], "folder": "Notes", "limit": 5}, r": 60\n(?s:.*)55 more; raise limit"),
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
