"""rename_heading: every form of link to the heading follows, and nothing else changes."""

from typing import Any

import pytest

from bridge.testing import sandbox

PLAN = "# Plan\n\n## Steps\n\nSee [[#Steps]] and [up](#Steps).\n\n### One\n\n## Notes\n\n# Other\n\n## Steps\n\nlast\n"


async def renamed(files: dict[str, Any], **arguments: Any) -> dict[str, str]:
    """What the files of a vault hold after a heading was renamed, and that undoing it gives back every byte."""
    made = {}
    for memory in (False, True):
        async with sandbox(files, memory=memory) as vault:
            before = vault.files()
            await vault.succeed("rename_heading", **arguments)
            made[memory] = {path: data.decode() for path, data in vault.files().items()}
            assert len([asked for asked in vault.asked if asked["planDigest"]]) == 1
            await vault.undo()
            assert vault.files() == before
    assert made[False] == made[True]
    return made[True]


@pytest.mark.parametrize(
    ("link", "follows"),
    [
        ("[[Plan#Notes]]", "[[Plan#Remarks all]]"),
        ("[[plan#notes|see]]", "[[plan#Remarks all|see]]"),
        ("![[Plan#Notes]]", "![[Plan#Remarks all]]"),
        ("[[Plan#Plan#Notes]]", "[[Plan#Plan#Remarks all]]"),
        ("[x](Plan.md#Notes)", "[x](Plan.md#Remarks%20all)"),
        ('[x](<Plan.md#Notes> "title")', '[x](<Plan.md#Remarks%20all> "title")'),
        ("| a |\n| --- |\n| [[Plan#Notes\\|see]] |", "| a |\n| --- |\n| [[Plan#Remarks all\\|see]] |"),
        ("[[Plan]] [[Plan#Steps]] [[Other#Notes]] [[Plan#^id]] [[Plan#Nothing]]",) * 2,
        ("`[[Plan#Notes]]`",) * 2,
        ("[r]: Plan.md#Notes\n", "[r]: Plan.md#Remarks%20all\n"),
    ],
)
async def test_a_link_to_the_heading_follows(link: str, follows: str) -> None:
    files = {"Plan.md": PLAN, "Other.md": "# Notes\n", "a/Links.md": f"before\n\n{link}\n\nafter\n"}
    made = await renamed(files, path="Plan", heading="Notes", new_heading="Remarks: all")
    assert made["a/Links.md"] == f"before\n\n{follows}\n\nafter\n"
    assert made["Plan.md"] == PLAN.replace("## Notes", "## Remarks: all")


async def test_links_of_the_note_itself_follow_and_get_no_file_name() -> None:
    made = await renamed({"Plan.md": PLAN}, path="Plan", heading="Plan#Steps", new_heading="Way")
    assert "See [[#Way]] and [up](#Way)." in made["Plan.md"]
    assert made["Plan.md"].count("## Steps") == 1


TWINS = "# A\n\n## X\n\n# B\n\n## Y\n"


async def test_a_link_that_would_find_another_heading_of_that_name_gets_the_way_to_its_own() -> None:
    files = {"Plan.md": TWINS, "Links.md": "[[Plan#Y]] [[Plan#X]]\n"}
    made = await renamed(files, path="Plan", heading="Y", new_heading="X")
    assert made["Links.md"] == "[[Plan#B#X]] [[Plan#X]]\n"


async def test_a_link_to_a_heading_that_gets_a_rival_before_it_keeps_its_own() -> None:
    files = {"Plan.md": TWINS, "Links.md": "[[Plan#Y]] [[Plan#X]]\n"}
    made = await renamed(files, path="Plan", heading="X", new_heading="Y")
    assert made["Links.md"] == "[[Plan#B#Y]] [[Plan#Y]]\n"


async def test_a_link_that_cannot_be_written_is_named_in_the_question_and_in_the_answer() -> None:
    async with sandbox({"Plan.md": PLAN, "Links.md": "text\n\n[[Plan#Notes]]\n"}, memory=True) as vault:
        result = await vault.succeed("rename_heading", path="Plan", heading="Notes", new_heading="One")
        assert vault.text("Links.md") == "text\n\n[[Plan#Notes]]\n"
    assert result.data["broken"] == [{"path": "Links.md", "line": 3, "link": "[[Plan#Notes]]"}]
    assert "Links.md line 3" in result.text
    assert any("Links.md" in warning for warning in vault.asked[-1]["preview"]["warnings"])


async def test_properties_and_canvases_follow() -> None:
    canvas = (
        '{"nodes":[{"id":"1","type":"file","file":"Plan.md","subpath":"#Notes","x":0},'
        '{"id":"2","type":"text","text":"see [[Plan#Notes]] \\"q\\""},{"id":"3","type":"file","file":"Plan.md"}]}'
    )
    files = {"Plan.md": PLAN, "Up.md": '---\nup: "[[Plan#Notes]]"\n---\n', "Board.canvas": canvas}
    made = await renamed(files, path="Plan.md", heading="Notes", new_heading='Say "it"')
    assert made["Up.md"] == '---\nup: "[[Plan#Say \\"it\\"]]"\n---\n'
    assert made["Board.canvas"] == canvas.replace('"#Notes"', '"#Say \\"it\\""').replace(
        "[[Plan#Notes]]", '[[Plan#Say \\"it\\"]]'
    )


@pytest.mark.parametrize(
    ("text", "heading", "new", "after"),
    [
        ("Title\n=====\n\ntext\n", "Title", "New", "New\n=====\n\ntext\n"),
        ("## Closed ##\r\n\r\ntext\r\n", "Closed", "Open", "## Open ##\r\n\r\ntext\r\n"),
        ("\ufeff# About [[Tea]]\n", "About [[Tea]]", "Tea", "\ufeff# Tea\n"),
    ],
)
async def test_every_form_of_heading_keeps_its_marks(text: str, heading: str, new: str, after: str) -> None:
    made = await renamed({"Note.md": text}, path="Note", heading=heading, new_heading=new)
    assert made["Note.md"] == after


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"heading": "Nope"}, "not_found"),
        ({"heading": "Steps"}, "ambiguous"),
        ({"heading": "Notes", "new_heading": "a\nb"}, "invalid_parameters"),
        ({"heading": "Notes", "new_heading": "#"}, "invalid_parameters"),
        ({"path": "Missing", "heading": "Notes"}, "not_found"),
    ],
)
async def test_what_is_not_clear_is_refused(arguments: dict[str, Any], error: str) -> None:
    async with sandbox({"Plan.md": PLAN}, memory=True) as vault:
        refused = await vault.call("rename_heading", **({"path": "Plan", "new_heading": "New"} | arguments))
    assert refused.error_type == error
    assert not any(asked["planDigest"] for asked in vault.asked)


async def test_a_heading_that_is_called_so_already_is_left_without_a_question() -> None:
    async with sandbox({"Plan.md": PLAN}, memory=True) as vault:
        await vault.succeed("read", path="Plan.md")
        result = await vault.succeed("rename_heading", path="Plan", heading="Notes", new_heading="Notes")
    assert result.data["updated"] == []
    assert not any(asked["planDigest"] for asked in vault.asked)


async def test_a_closed_note_is_not_changed_and_not_named() -> None:
    async with sandbox({"Plan.md": PLAN, "Private/Diary.md": "[[Plan#Notes]]\n"}) as vault:
        vault.close_path("Private/")
        refused = await vault.call("rename_heading", path="Plan", heading="Notes", new_heading="New")
        assert refused.data["code"] == "denied_by_rule"
        assert "Diary" not in refused.text
        assert vault.text("Plan.md") == PLAN
