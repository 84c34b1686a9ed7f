"""edit_canvas, and the outline of read: by the real pipeline, with the question's words, the diff and the undo."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.testing import sandbox

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "tools.md").read_text(encoding="utf-8")
CANVAS = (
    '{\n\t"nodes":[\n'
    '\t\t{"id":"1111111111111111","type":"text","text":"Sow in March","x":0,"y":0,"width":250,"height":60}\n'
    '\t],\n\t"edges":[]\n}'
)
FILES: dict[str, Any] = {
    "Garden.canvas": CANVAS,
    "Projects/Soil.md": "# Soil\n",
    "Notes.md": "x\n",
    "Broken.canvas": "{",
    "Binary.canvas": b"\x00\xff",
}


def example() -> tuple[Any, str]:
    """The call of the page, and what it says is answered."""
    section = PAGE.split("\n## `edit_canvas`\n", 1)[1].split("\n## ", 1)[0]
    return (
        json.loads(section.split("```json\n", 1)[1].split("```", 1)[0]),
        section.split("```text\n", 1)[1].split("\n```", 1)[0],
    )


@pytest.mark.parametrize("memory", [False, True])
async def test_the_question_says_in_words_what_the_diff_shows_and_the_undo_takes_it_back(*, memory: bool) -> None:
    arguments, answer = example()
    async with sandbox(FILES, memory=memory) as vault:
        result = await vault.succeed("edit_canvas", **arguments)
        assert result.text.rpartition(" (")[0] == answer.rpartition(" (")[0]
        (question,) = vault.asked
        assert f"Done: {question['summary']}." == answer.rpartition(" (")[0]
        added = [line for line in result.data["diff"].split("\n") if line.startswith("+\t\t{")]
        assert len(added) == 3, "the line before has a comma now"
        outline = await vault.succeed("read", path="Garden.canvas", outline=True)
        assert "text Sow in March (1111111111111111) at 0,0 size 250x60" in outline.text
        assert "file Projects/Soil.md#Soil (" in outline.text
        assert '"Sow in March" -> "Projects/Soil.md#Soil": needs (' in outline.text
        assert [each["kind"] for each in outline.data["cards"]] == ["text", "file"]
        if not memory:
            await vault.undo()
            assert vault.text("Garden.canvas") == CANVAS


async def test_a_card_follows_when_its_file_moves() -> None:
    arguments, _answer = example()
    async with sandbox(FILES) as vault:
        await vault.succeed("edit_canvas", **arguments)
        await vault.succeed("move", source="Projects/Soil.md", destination="Earth.md")
        assert '"file":"Earth.md","subpath":"#Soil"' in vault.text("Garden.canvas")


@pytest.mark.parametrize(
    ("path", "operation", "said"),
    [
        ("Notes.md", {"action": "add", "text": "x"}, "no canvas; use edit"),
        ("Nothing.canvas", {"action": "add", "text": "x"}, "not found"),
        ("Broken.canvas", {"action": "add", "text": "x"}, "damaged"),
        ("Binary.canvas", {"action": "add", "text": "x"}, "not text"),
        ("../x.canvas", {"action": "add", "text": "x"}, "outside"),
        ("Garden.canvas", {"action": "add", "file": "Nothing.md"}, "Nothing.md"),
        ("Garden.canvas", {"action": "add", "file": "Projects"}, "Projects"),
        ("Garden.canvas", {"action": "add", "file": "../../etc/passwd"}, "outside"),
        ("Garden.canvas", {"action": "add", "file": ".obsidian/app.json"}, "protected"),
        ("Garden.canvas", {"action": "add", "url": "javascript:alert(1)"}, "url"),
        ("Garden.canvas", {"action": "add", "url": "file:///etc/passwd"}, "url"),
        ("Garden.canvas", {"action": "add", "text": "x", "color": "red"}, "color"),
        ("Garden.canvas", {"action": "add", "text": "x", "width": 1e9}, "width"),
        ("Garden.canvas", {"action": "add", "text": "x", "id": "1"}, "id"),
        ("Garden.canvas", {"action": "draw"}, "action"),
    ],
)
async def test_what_cannot_be_done_changes_nothing(path: str, operation: Any, said: str) -> None:
    async with sandbox(FILES) as vault:
        before = vault.files()
        result = await vault.call("edit_canvas", path=path, operations=[operation])
        assert not result.success
        assert said in result.text
        assert vault.files() == before
        assert {question["operation"] for question in vault.asked} <= {"read"}, "whether it may be told"


async def test_what_is_so_already_changes_nothing() -> None:
    async with sandbox(FILES) as vault:
        same = {"action": "change", "card": "sow in march", "text": "Sow in March"}
        result = await vault.succeed("edit_canvas", path="Garden.canvas", operations=[same])
        assert result.text.startswith("No changes made")
        assert vault.text("Garden.canvas") == CANVAS


async def test_a_card_that_loads_a_page_is_pointed_out() -> None:
    async with sandbox(FILES) as vault:
        add = {"action": "add", "url": "https://example.com/x"}
        await vault.succeed("edit_canvas", path="Garden.canvas", operations=[add])
        (question,) = vault.asked
        assert 'adds the card of the page "https://example.com/x"' in question["summary"]
        assert any("loads something from the network" in warning for warning in question["preview"]["warnings"])


@pytest.mark.parametrize(("path", "said"), [("Broken.canvas", "damaged"), ("Binary.canvas", "is not text")])
async def test_an_outline_of_what_is_no_canvas_says_so(path: str, said: str) -> None:
    async with sandbox(FILES) as vault:
        assert said in (await vault.call("read", path=path, outline=True)).text
