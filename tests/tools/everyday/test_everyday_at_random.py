"""Whatever the everyday tools do to whatever notes: undo gives back every byte, and every link leads where it led."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.notes.markdown import parse_note
from bridge.notes.tasks import tasks_of
from bridge.testing import sandbox
from tests.tools.everyday.links import Led, Links

NAMES = ("A.md", "B.md", "x/A.md", "x/C d.md", "D#e.md")
WORDS = ("One", "Two", "One: [x]", "Due 2026")
PIECES = (
    *("# One", "## One", "## Two", "### One: [x]", "Two\n---", "text", "", "- [ ] task ^id", "  - [x] below #tag/x"),
    *("[[A#One]]", "[[#Two|two]]", "![[x/A#One#Two]]", "[l](A.md#one)", "[[C d#^id]]", "[[A]] [[B]] [[./A]]", "```"),
    *("[[Nowhere#One]]", "#tag #other", "> [[A#Two]]", "| [[A#One\\|x]] |", "text ^b1", "[[A#^b1]]", "%%[[B#One]]%%"),
)
HEADS = (
    "",
    "---\ntags: [tag, x]\nup: '[[A#One]]'\n---\n",
    "---\nstatus: a\nlist:\n- '[[B]]'\n---\n",
    "---\na: [\n---\n",
)
NOTE = st.builds(
    lambda head, pieces, ending: (head + "\n".join(pieces)).replace("\n", ending).encode(),
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(PIECES), max_size=9),
    st.sampled_from(["\n", "\r\n"]),
)
FILES = st.fixed_dictionaries(dict.fromkeys(NAMES[:3], NOTE), optional=dict.fromkeys(NAMES[3:], NOTE))
TOOLS = ("rename_heading", "merge_notes", "split_note", "rename_tag", "rename_property", "edit_tasks")
CALLS = st.tuples(st.sampled_from(TOOLS), st.lists(st.integers(0, 99), min_size=6, max_size=6))


def arguments_of(files: dict[str, bytes], tool: str, numbers: list[int]) -> dict[str, Any] | None:
    """The arguments that some numbers stand for, among what there is; None where there is nothing to choose from."""

    def choose(number: int, choices: Any) -> Any:
        return list(choices)[numbers[number] % len(list(choices))]

    texts = {path: data.decode() for path, data in files.items()}
    headings = [(path, each) for path, text in texts.items() for each in parse_note(text).headings]
    tasks = [(path, task.line) for path, text in texts.items() for task in tasks_of(text)]
    if tool == "rename_heading" and headings:
        path, heading = choose(0, headings)
        return {"path": path, "heading": heading.heading, "new_heading": choose(1, WORDS)}
    if tool == "split_note" and headings:
        path, heading = choose(0, headings)
        leave, folder = choose(1, ["link", "embed", "nothing"]), choose(2, ["", "x", "new/y"])
        return {"path": path, "level": heading.level, "leave": leave, "folder": folder}
    if tool == "merge_notes":
        target = choose(0, files)
        sources = [path for number, path in enumerate(files) if path != target and numbers[number + 1] % 2]
        return {"sources": sources, "target": target, "headings": bool(numbers[5] % 2)} if sources else None
    if tool == "edit_tasks" and tasks:
        chosen = {choose(0, tasks), choose(1, tasks)}
        others = [path for path in files if path not in {path for path, _line in chosen}]
        places = [{"path": path, "line": line} for path, line in sorted(chosen)]
        return {"action": "move", "tasks": places, "to": choose(2, others)} if others else None
    return {
        "rename_tag": {"tag": choose(0, ["tag", "x", "other"]), "new_tag": choose(1, ["tag", "other", "a/b", "1e3"])},
        "rename_property": {
            "property": choose(0, ["status", "up", "tags"]), "new_name": choose(1, ["up", "state", "yes"])
        },
    }.get(tool)  # fmt: skip


async def check(files: dict[str, bytes], tool: str, arguments: dict[str, Any]) -> None:
    async with sandbox(files, memory=True) as vault:
        result = await vault.call(tool, **arguments)
        after = vault.files()
        if not result.success:
            assert result.error_type != "execution_failed", result.text
            assert after == files
            return
        if tool in {"rename_tag", "rename_property", "rename_heading"}:
            assert after.keys() == files.keys()
        if not result.data.get("broken"):
            check_links(files, after, tool, arguments)
        if after != files:
            await vault.undo()
            assert vault.files() == files


def check_links(before: dict[str, bytes], after: dict[str, bytes], tool: str, arguments: dict[str, Any]) -> None:
    """As many links as before lead somewhere, and none that named a part of a note has lost it."""
    old, new = Links(before).counted(), Links(after).counted()
    if tool == "rename_tag":
        assert old == new
        return
    if tool == "merge_notes":  # a link that both notes have in one list of properties is there once afterwards
        old, new = Counter({*old}), Counter({*new})
    added = tool == "split_note" and arguments["leave"] != "nothing" and after != before
    assert whole(new) >= whole(old) + added - merged_into_one(old, arguments)


def whole(links: Counter[Led]) -> int:
    """How many lead somewhere, to the part that they name."""
    return sum(led.path is not None and not led.part.startswith("missing") for led in links.elements())


def merged_into_one(links: Counter[Led], arguments: dict[str, Any]) -> int:
    """How many things that were linked to may be one thing after a merge."""
    return sum(led.path in arguments.get("sources", ()) for led in links)


@pytest.mark.slow
@settings(max_examples=250, deadline=None)
@given(FILES, CALLS)
def test_no_link_is_lost_and_every_byte_comes_back(files: dict[str, bytes], call: tuple[str, list[int]]) -> None:
    arguments = arguments_of(files, *call)
    if arguments is not None:
        asyncio.run(check(files, call[0], arguments))
