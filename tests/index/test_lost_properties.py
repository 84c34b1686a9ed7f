"""A change after which properties are fewer, or cannot be read, says so, whatever tool makes it."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.contract.consent import FilePreview, Operation
from bridge.index.losses import ChangedBases, lost_properties
from bridge.testing import Sandbox, sandbox
from bridge.vault.paths import parse_path

FILES = {
    "Note.md": "---\ntags: [a]\nmood: bad\n---\n# Note\n\ntext\n",
    "Bare.md": "# Bare\n\ntext\n",
    "Template.md": "---\n<%* tp.x %>: [\n---\ntext\n",
    "Many.md": "---\n" + "".join(f"p{number}: x\n" for number in range(13)) + "---\n",
    "Ideas.md": "# Ideas\n",
}
LOST = "'Note.md' loses properties: tags, mood"
BARE = "The properties of 'Bare.md' will be no YAML that Obsidian can read: it shows none"
THIRTEEN = "'Many.md' loses properties: p0, p1, p2, p3, p4, p5, p6, p7, p8, p9 and 3 more"
FENCES = {"startLine": 1, "endLine": 1, "newContent": "---\n---"}
BREAKS = "---\na: [\n---"
MOOD = "'Note.md' loses properties: mood"
BROKEN = "The properties of 'Note.md' will be no YAML that Obsidian can read: it shows none"


async def warned(vault: Sandbox, tool: str, **arguments: Any) -> list[str]:
    """What a question about a call warns of."""
    warnings: list[str] = (await vault.preview(tool, **arguments)).plan.to_wire()["warnings"]
    return warnings


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize(
    ("tool", "arguments", "sentences"),
    [
        # one line above them and they are none; one that closes them too early, and one is
        ("apply_patch", {"path": "Note.md", "patches": [FENCES]}, [LOST]),
        ("edit_file", {"path": "Note.md", "delete_lines": {"start": 1, "end": 2}}, [LOST]),
        ("edit_file", {"path": "Note.md", "old_text": "mood", "new_text": "---\nmood"}, [MOOD]),
        ("modify_note", {"path": "Note.md", "operation": "prepend", "content": "text"}, []),
        ("write_file", {"path": "Note.md", "content": "gone\n"}, [LOST]),
        ("update_note", {"name": "Note", "content": "gone\n", "replace_properties": True}, [LOST]),
        ("update_note", {"name": "Note", "content": "---\nmood: good\n---\n"}, ["'Note.md' loses properties: tags"]),
        ("edit_file", {"path": "Note.md", "old_text": "bad", "new_text": "[bad"}, [BROKEN, LOST]),
        ("edit_file", {"path": "Note.md", "old_text": "mood:", "new_text": "humour:"}, [MOOD]),
        ("write_file", {"path": "Many.md", "content": ""}, [THIRTEEN]),
        ("create_note", {"path": "New.md", "content": "---\na: [\n---\n"}, [BROKEN.replace("Note", "New")]),
        ("edit_file", {"path": "Bare.md", "insert_after_line": 0, "content": BREAKS}, [BARE]),
        # what is not lost, and what was broken already
        ("edit_file", {"path": "Note.md", "old_text": "bad", "new_text": "good"}, []),
        ("edit_file", {"path": "Note.md", "old_text": "text", "new_text": "---\nx"}, []),
        ("edit_file", {"path": "Template.md", "old_text": "text", "new_text": "other text"}, []),
        ("remove_tag", {"name": "Note", "tag": "a"}, []),
        ("move_file", {"source": "Note.md", "destination": "sub/Note.md"}, []),
        ("create_note", {"path": "New.md", "content": "---\n---\n"}, []),
    ],
)  # fmt: skip
async def test_properties_that_get_lost_are_named(
    tool: str, arguments: dict[str, Any], sentences: list[str], *, memory: bool
) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        assert await warned(vault, tool, **arguments) == sentences


async def test_taking_a_change_back_says_so_too() -> None:
    async with sandbox(FILES) as vault:
        made = await vault.succeed("write_file", path="Bare.md", content="---\nnew: x\n---\n")
        found = await warned(vault, "history_undo", executionId=made.execution_id)
    assert found == ["'Bare.md' loses properties: new"]


async def test_a_question_about_many_notes_does_not_look_through_all_for_each() -> None:
    """It would take minutes for thousands of notes if each was looked for among all."""

    class Counted(tuple[FilePreview, ...]):
        __slots__ = ()
        looks = 0

        def __iter__(self) -> Iterator[FilePreview]:
            Counted.looks += 1
            return super().__iter__()

    block = "```base\nviews:\n  - type: table\n```\n"
    files = {f"{number}.md": f"---\n\tbroken: [\n---\n{block}" for number in range(20)}
    async with sandbox(files, memory=True) as vault:
        builder = vault.storage.plan()
        for path, text in files.items():
            builder.modify(parse_path(path), text.encode(), text.replace("broken", "worse").encode())
        plan = builder.build(Operation.UPDATE, "Many")
        plan = dataclasses.replace(plan, previews=Counted(plan.previews))
        assert len(list(lost_properties(plan, vault.storage.knowledge))) == len(files)
        list(ChangedBases(vault.storage.knowledge, SystemClock()).of(plan))
    assert Counted.looks < 5
