"""What was said about a tool holds for the same act under the name of the tool that does its work, and the reverse."""

from typing import Any

import pytest

from bridge.contract.consent import ConsentClass, Decision
from bridge.testing import sandbox
from bridge.toolkit.registry import own_acts
from bridge.tools import specs

VAULT: dict[str, bytes | str] = {
    "A.md": "---\ntags: [old]\n---\n# Part\n\none\ntwo\n",
    "B.md": "[[A]]\n",
    "Node.js.md": "one\n",
    "data.csv": "1\n",
    "Board.canvas": '{"nodes":[{"id":"1","type":"text","text":"one","x":0,"y":0,"width":250,"height":60}],"edges":[]}',
}
Call = tuple[str, dict[str, Any]]

SAME: list[tuple[Call, Call]] = [
    (("search_notes", {"query": "one"}), ("search", {"query": "one"})),
    (("codebase_search", {"query": "one"}), ("search", {"query": "one"})),
    (("search_vectors", {"query": "one"}), ("search", {"query": "one"})),
    (("grep", {"pattern": "one"}), ("search", {"pattern": "one"})),
    (("search_files", {"pattern": "one"}), ("search", {"pattern": "one"})),
    (("list_files", {"pattern": "*"}), ("find", {"pattern": "*"})),
    (("resolve_note", {"name": "A"}), ("find", {"pattern": "A"})),
    (("is_available", {"name": "New"}), ("find", {"pattern": "New"})),
    (("get_file_info", {"path": "A.md"}), ("find", {"pattern": "A.md", "details": True})),
    (("read_file", {"path": "data.csv"}), ("read", {"path": "data.csv"})),
    (("read_note", {"name": "A"}), ("read", {"path": "A"})),
    (("read_note", {"name": "Node.js"}), ("read", {"path": "Node.js"})),
    (("delete_note", {"name": "Node.js"}), ("delete", {"path": "Node.js"})),
    (("read_note", {"name": "A#Part"}), ("read", {"path": "A#Part"})),
    (("get_metadata", {"name": "A"}), ("note_info", {"path": "A"})),
    (("get_metadata", {"name": "A"}), ("read", {"path": "A", "info": True})),
    (("note_info", {"path": "A"}), ("read", {"path": "A", "info": True})),
    (("tasks", {}), ("query", {"tasks": "todo"})),
    (
        ("rename_heading", {"path": "A", "heading": "Part", "new_heading": "Whole"}),
        ("move", {"what": "heading", "source": "A#Part", "destination": "Whole"}),
    ),
    (
        ("rename_tag", {"tag": "old", "new_tag": "new"}),
        ("move", {"what": "tag", "source": "old", "destination": "new"}),
    ),
    (
        ("rename_property", {"property": "tags", "new_name": "kinds"}),
        ("move", {"what": "property", "source": "tags", "destination": "kinds"}),
    ),
    (
        ("split_note", {"path": "A", "headings": ["Part"], "folder": "Parts"}),
        ("move", {"what": "section", "source": "A#Part", "destination": "Parts"}),
    ),
    (
        ("merge_notes", {"sources": ["B"], "target": "A"}),
        ("move", {"what": "merge", "source": "B", "destination": "A"}),
    ),
    (("search_by_tags", {"tags": ["old"]}), ("query", {"tags": ["old"]})),
    (("search_by_properties", {"having": ["tags"]}), ("query", {"having": ["tags"]})),
    (("list_tags", {}), ("query", {"list_tags": True})),
    (("create_folder", {"path": "New"}), ("create_note", {"kind": "folder", "path": "New"})),
    (
        ("write_file", {"path": "n.txt", "content": "x"}),
        ("create_note", {"kind": "file", "path": "n.txt", "content": "x"}),
    ),
    (("write_file", {"path": "data.csv", "content": "2\n"}), ("edit", {"path": "data.csv", "content": "2\n"})),
    (
        ("edit_file", {"path": "A.md", "old_text": "one", "new_text": "1"}),
        ("edit", {"path": "A", "old_text": "one", "new_text": "1"}),
    ),
    (
        ("edit_file", {"path": "A.md", "insert_after_line": 6, "content": "x"}),
        ("edit", {"path": "A", "after_line": 6, "new_text": "x"}),
    ),
    (("modify_note", {"path": "A.md", "operation": "append", "content": "x"}), ("edit", {"path": "A", "append": "x"})),
    (("update_note", {"name": "A", "content": "x"}), ("edit", {"path": "A", "content": "x"})),
    (("add_tag", {"name": "A", "tag": "new"}), ("set_properties", {"path": "A", "add_tags": ["new"]})),
    (("remove_tag", {"name": "A", "tag": "old"}), ("set_properties", {"path": "A", "remove_tags": ["old"]})),
    (("add_tag", {"name": "A", "tag": "new"}), ("set_properties", {"path": "A", "properties": {"tags": ["x"]}})),
    (("move_file", {"source": "A.md", "destination": "C.md"}), ("move", {"source": "A.md", "destination": "C.md"})),
    (("organize_note", {"source": "A", "destination": "C"}), ("move", {"source": "A", "destination": "C"})),
    (("delete_file", {"path": "B.md"}), ("delete", {"paths": ["B.md"]})),
    (("delete_note", {"name": "B"}), ("delete", {"paths": ["B"]})),
]
"""An old tool's call, and the call that does the same."""

_CARD: Call = (
    "edit_canvas",
    {"path": "Board.canvas", "operations": [{"action": "change", "card": "1", "text": "two"}]},
)
_ITS_TEXT: dict[str, Any] = {"path": "Board.canvas", "old_text": "one", "new_text": "two"}
BESIDE: list[tuple[Call, Call]] = [(_CARD, ("edit", _ITS_TEXT)), (_CARD, ("edit_file", _ITS_TEXT))]
"""Calls that do the same by tools none of which replaces the other."""

OTHER: list[tuple[str, Call]] = [
    ("edit_canvas", ("edit", {"path": "data.csv", "append": "x"})),
    ("edit_canvas", ("edit_file", {"path": "A.md", "old_text": "one", "new_text": "1"})),
    ("modify_note", _CARD),
    ("grep", ("search", {"query": "one"})),
    ("search_notes", ("search", {"pattern": "one"})),
    ("note_info", ("read", {"path": "A"})),
    ("read_note", ("read", {"path": "A", "info": True})),
    ("tasks", ("query", {"tags": ["old"]})),
    ("rename_tag", ("move", {"source": "A", "destination": "C"})),
    ("move_file", ("move", {"what": "tag", "source": "old", "destination": "new"})),
    ("get_file_info", ("find", {"pattern": "A.md"})),
    ("list_tags", ("query", {"tags": ["old"]})),
    ("search_by_tags", ("query", {"having": ["tags"]})),
    ("write_file", ("create_note", {"path": "New.md", "content": "x"})),
    ("create_folder", ("create_note", {"path": "New.md", "content": "x"})),
    ("modify_note", ("edit", {"path": "A.md", "start_line": 6, "new_text": "1"})),
    ("update_note", ("edit", {"path": "A.md", "append": "x"})),
    ("add_tag", ("set_properties", {"path": "A", "remove_tags": ["old"]})),
    ("add_tag", ("set_properties", {"path": "A", "properties": {"status": "x"}})),
    ("remove_tag", ("set_properties", {"path": "A", "add_tags": ["new"]})),
    ("read_note", ("read", {"path": "data.csv"})),
    ("modify_note", ("edit", {"path": "data.csv", "append": "x"})),
    ("delete_note", ("delete", {"paths": ["data.csv"]})),
    ("organize_note", ("move", {"source": "data.csv", "destination": "d.csv"})),
]
"""An old tool, and a call of the tool that replaces it which does something else."""

both = pytest.mark.parametrize(
    ("old", "new"),
    [*SAME, *BESIDE],
    ids=[f"{old[0]}-{new[0]}-{index}" for index, (old, new) in enumerate([*SAME, *BESIDE])],
)
others = pytest.mark.parametrize(
    ("said", "call"), OTHER, ids=[f"{said}-{call[0]}-{index}" for index, (said, call) in enumerate(OTHER)]
)
SPECS = {spec.name: spec for spec in specs()}


def test_every_tool_that_is_replaced_is_in_the_table() -> None:
    replaced = {(name, spec.name) for spec in SPECS.values() for name in spec.replaces}
    assert replaced == {(old[0], new[0]) for old, new in SAME}


@pytest.mark.parametrize("spec", [spec for spec in SPECS.values() if spec.replaces], ids=lambda spec: spec.name)
def test_a_tool_says_of_each_call_whose_work_it_does_and_is_trusted_no_further_than_those(spec: Any) -> None:
    assert spec.acts is not None
    for _old, (name, arguments) in SAME:
        if name == spec.name:
            acts = own_acts(spec, spec.parameters.parse(arguments))
            assert frozenset().union(*acts) <= spec.replaces | {spec.name}
    assert {SPECS[name].consent_class for name in spec.replaces} == {spec.consent_class}


@both
async def test_a_mode_of_never_binds_under_both_names(old: Call, new: Call) -> None:
    for denied, (tool, arguments) in ((old[0], new), (new[0], old)):
        async with sandbox(VAULT) as vault:
            vault.settings.update({"consentMode": {denied: "never_allow"}})
            refused = await vault.call(tool, **arguments)
            assert (refused.data or {}).get("code") == "denied_by_rule", (denied, tool, refused.text)
            assert denied in refused.text
            assert vault.asked == []


@both
async def test_a_denial_of_the_tool_for_the_session_binds_under_both_names(old: Call, new: Call) -> None:
    for (first, first_arguments), (tool, arguments) in ((old, new), (new, old)):
        async with sandbox(VAULT) as vault:
            vault.answer = Decision.DENY_SESSION
            vault.option = "deny_session.tool.everywhere.client"
            await vault.call(first, **first_arguments)
            assert len(vault.asked) == 1
            refused = await vault.call(tool, **arguments)
            assert (refused.data or {}).get("code") == "denied_by_rule", (first, tool, refused.text)
            assert len(vault.asked) == 1


@both
async def test_a_mode_of_asking_every_time_holds_under_both_names(old: Call, new: Call) -> None:
    for set_for, (tool, arguments) in ((old[0], new), (new[0], old)):
        async with sandbox(VAULT) as vault:
            vault.settings.update({"consentMode": {set_for: "always_ask"}})
            await vault.succeed(tool, **arguments)
            assert vault.asked[-1]["choices"] == ["allow_once", "deny_once", "deny_session", "deny_always"]


READS = [(old, new) for old, new in SAME if SPECS[old[0]].consent_class is ConsentClass.ALWAYS]


@pytest.mark.parametrize(("old", "new"), READS, ids=[f"{old[0]}-{new[0]}" for old, new in READS])
async def test_a_mode_of_always_answers_the_same_act(old: Call, new: Call) -> None:
    both_acts = new[1].get("details")  # it also does the work of another tool, which nothing was said about
    for allowed, (tool, arguments) in ((old[0], new), (new[0], old)):
        async with sandbox(VAULT) as vault:
            vault.settings.update({"consentMode": {allowed: "always_allow"}})
            await vault.succeed(tool, **arguments)
            assert len(vault.asked) == (1 if both_acts and allowed == old[0] else 0)


@others
async def test_a_denial_binds_nothing_else(said: str, call: Call) -> None:
    async with sandbox(VAULT) as vault:
        vault.settings.update({"consentMode": {said: "never_allow"}})
        await vault.succeed(call[0], **call[1])


@others
async def test_a_yes_answers_nothing_else(said: str, call: Call) -> None:
    async with sandbox(VAULT) as vault:
        if SPECS[said].can_bypass:
            vault.settings.update({"consentMode": {said: "always_allow"}})
        else:
            arguments = next(old[1] for old, _new in [*SAME, *BESIDE] if old[0] == said)
            if SPECS[said].consent_class is ConsentClass.NEVER:
                return
            vault.answer = Decision.ALLOW_SESSION
            await vault.succeed(said, **arguments)
            vault.answer = Decision.ALLOW_ONCE
        before = len(vault.asked)
        await vault.succeed(call[0], **call[1])
        assert len(vault.asked) == before + 1


async def test_a_yes_to_adding_tags_covers_tags_that_are_added_as_properties_and_nothing_else() -> None:
    async with sandbox(VAULT) as vault:
        vault.answer = Decision.ALLOW_SESSION
        await vault.succeed("add_tag", name="A", tag="new")
        await vault.succeed("set_properties", path="A", add_tags=["newer"])
        assert len(vault.asked) == 1
        vault.answer = Decision.ALLOW_ONCE
        await vault.succeed("set_properties", path="A", add_tags=["newest"], properties={"status": "x"})
        assert len(vault.asked) == 2, "the other half of the call is nothing that was allowed"
        vault.answer = Decision.ALLOW_SESSION
        await vault.succeed("remove_tag", name="A", tag="new")
        await vault.succeed("set_properties", path="A", add_tags=["last"], remove_tags=["newer"])
        assert len(vault.asked) == 3, "two answers cover a call that does what they were given for"


async def test_a_yes_to_the_tool_that_does_the_work_of_several_covers_them() -> None:
    async with sandbox(VAULT) as vault:
        vault.answer = Decision.ALLOW_SESSION
        await vault.succeed("edit", path="A.md", append="x\n")
        await vault.succeed("edit", path="A.md", old_text="one", new_text="1")
        await vault.succeed("edit_file", path="A.md", old_text="two", new_text="2")
        assert len(vault.asked) == 1


async def test_a_yes_to_editing_canvases_covers_no_note_that_changes_with_one() -> None:
    async with sandbox(VAULT) as vault:
        vault.answer = Decision.ALLOW_SESSION
        await vault.succeed("edit_canvas", **_CARD[1])
        await vault.succeed("edit", path="Board.canvas", old_text="two", new_text="three")
        assert len(vault.asked) == 1
        edits: list[Any] = [
            {"path": path, "old_text": old, "new_text": "x"} for path, old in (("A.md", "one"), ("Board.canvas", "th"))
        ]
        await vault.succeed("edit", edits=edits)
        assert len(vault.asked) == 2, "what was allowed of the canvas is nothing of the note"


async def test_a_list_made_by_hand_without_the_tool_has_nobody_else_do_its_work() -> None:
    async with sandbox(VAULT) as vault:
        vault.settings.update({"enabledTools": ["read", "edit"]})
        refused = await vault.call("edit_canvas", **_CARD[1])
        assert refused.data["code"] == "tool_disabled"
        vault.settings.update({"enabledTools": ["read", "edit_canvas"]})
        await vault.succeed("edit_canvas", **_CARD[1])


async def test_a_yes_to_creating_never_overwrites() -> None:
    async with sandbox(VAULT) as vault:
        vault.answer = Decision.ALLOW_SESSION
        await vault.succeed("create_note", path="n.csv", kind="file", content="1")
        await vault.succeed("write_file", path="n.csv", content="2")
        assert len(vault.asked) == 2
