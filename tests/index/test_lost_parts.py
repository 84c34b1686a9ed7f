"""A change that takes away a heading or block that other notes link to says so, whatever tool makes it."""

from typing import Any

import pytest

from bridge.testing import Sandbox, sandbox

NOTE = "# Trip\n\n## Plans\n\ntext ^first\n\n## Log\n\n### Plans of *others*\n\n- a ^item\n"
FILES = {
    "Trip.md": NOTE,
    "A.md": "[[Trip#Plans]] and [[Trip#Log]]\n",
    "sub/B.md": "[more](../Trip.md#Plans) and [[Trip#^first]], [[Trip]]\n",
    "C.md": "---\nup: '[[Trip#plans]]'\n---\n![[Trip#Log#Plans of others]] [[Trip#Nowhere]] [[Other#Plans]]\n",
    "Other.md": "# Plans\n",
}
PLANS = "3 links in 3 notes to the heading 'Plans' of 'Trip.md' will lead nowhere"
LOG = "1 link in 1 note to the heading 'Log' of 'Trip.md' will lead nowhere"
NESTED = "1 link in 1 note to the heading 'Plans of *others*' of 'Trip.md' will lead nowhere"
FIRST = "1 link in 1 note to the block '^first' of 'Trip.md' will lead nowhere"


async def warned(vault: Sandbox, tool: str, **arguments: Any) -> set[str]:
    """What a question about a call warns of."""
    plan = (await vault.preview(tool, **arguments)).plan.to_wire()
    return set(plan["warnings"])


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize(
    ("tool", "arguments", "sentences"),
    [
        ("edit_file", {"path": "Trip.md", "old_text": "## Plans\n", "new_text": "## Pricing\n"}, {PLANS}),
        ("edit_file", {"path": "Trip.md", "delete_lines": {"start": 3, "end": 5}}, {PLANS, FIRST}),
        ("edit_file", {"path": "Trip.md", "old_text": "## Log", "new_text": "## Diary"}, {LOG, NESTED}),
        ("modify_note", {"path": "Trip", "operation": "prepend", "content": "```\n"}, {PLANS, LOG, NESTED, FIRST}),
        ("write_file", {"path": "Trip.md", "content": "gone\n"}, {PLANS, LOG, NESTED, FIRST}),
        ("update_note", {"name": "Trip", "content": NOTE.replace(" ^first", "")}, {FIRST}),
        ("apply_patch", {"path": "Trip.md", "patches": [{"startLine": 5, "endLine": 5, "newContent": "x"}]}, {FIRST}),
        ("edit_file", {"path": "Trip.md", "old_text": "## Plans\n", "new_text": "# PLANS!\n"}, set()),
        ("edit_file", {"path": "Trip.md", "old_text": " ^item", "new_text": ""}, set()),
        ("edit_file", {"path": "Trip.md", "old_text": "# Trip", "new_text": "# Journey"}, set()),
        ("modify_note", {"path": "Trip", "operation": "append", "content": "## More\n"}, set()),
        ("edit_file", {"path": "A.md", "old_text": "#Plans", "new_text": "#Nothing"}, set()),
        ("move_file", {"source": "Trip.md", "destination": "Journey.md"}, set()),
    ],
)  # fmt: skip
async def test_the_links_that_break_are_counted(
    tool: str, arguments: dict[str, Any], sentences: set[str], *, memory: bool
) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        assert await warned(vault, tool, **arguments) == sentences


async def test_links_that_the_same_change_mends_do_not_count() -> None:
    patch = (
        "--- Trip.md\n+++ Trip.md\n@@ -3,1 +3,1 @@\n-## Plans\n+## Pricing\n"
        "--- A.md\n+++ A.md\n@@ -1,1 +1,1 @@\n-[[Trip#Plans]] and [[Trip#Log]]\n+[[Trip#Pricing]] and [[Trip#Log]]\n"
    )
    async with sandbox(FILES) as vault:
        assert await warned(vault, "apply_patch", patch=patch) == {PLANS.replace("3", "2")}


async def test_taking_a_change_back_says_so_too() -> None:
    async with sandbox(FILES) as vault:
        made = await vault.succeed("edit_file", path="Other.md", insert_after_line=1, content="## New")
        await vault.succeed("write_file", path="D.md", content="[[Other#New]]\n")
        found = await warned(vault, "history_undo", executionId=made.execution_id)
    assert found == {"1 link in 1 note to the heading 'New' of 'Other.md' will lead nowhere"}


async def test_of_many_headings_the_first_are_named_and_the_rest_counted() -> None:
    headings = [f"Head {number}" for number in range(20)]
    files = {
        "Long.md": "".join(f"# {heading}\n" for heading in headings),
        "Links.md": "".join(f"[[Long#{heading}]]\n" for heading in headings),
    }
    async with sandbox(files) as vault:
        found = await warned(vault, "write_file", path="Long.md", content="gone\n")
    assert len(found) == 6
    assert "15 more links to other headings and blocks of 'Long.md' will lead nowhere" in found


async def test_notes_that_are_closed_are_counted_and_not_named() -> None:
    async with sandbox(FILES) as vault:
        vault.close_path("sub/")
        found = await warned(vault, "edit_file", path="Trip.md", old_text="## Plans\n", new_text="")
    assert found == {PLANS}
