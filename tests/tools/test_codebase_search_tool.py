"""codebase_search as an agent calls it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bridge.errors import ErrorType
from bridge.testing import Sandbox, sandbox
from scripts.lib.golden import read_vault

QUESTION = "What are the brown spots on the leaves of my tomatoes?"


@pytest.fixture
async def house() -> AsyncIterator[Sandbox]:
    """A vault of notes about a house and what is in it."""
    async with sandbox(read_vault("small_vault")) as made:
        yield made


async def test_the_passage_comes_with_its_note_heading_and_lines(house: Sandbox) -> None:
    result = await house.succeed("codebase_search", query=QUESTION)
    first = result.data["results"][0]
    assert (first["file"], first["heading"], first["start_line"], first["end_line"]) == (
        "Garden/Tomatoes.md",
        "Blight",
        1,
        4,
    )
    assert "late blight" in first["snippet"]
    assert result.text.startswith("1. Garden/Tomatoes.md:1-4 (Blight)\n   # Tomatoes Sow")


async def test_ten_passages_take_two_kilobytes_at_most(house: Sandbox) -> None:
    for number in range(30):
        house.write(f"A folder with a long name/{'note ' * 8}{number}.md", "brown spots on leaves of tomatoes " * 40)
    result = await house.succeed("codebase_search", query=QUESTION)
    assert len(result.data["results"]) == 10
    assert len(result.text.encode()) <= 2048
    assert result.metadata["truncated"] is True


@pytest.mark.parametrize(
    ("folders", "found"),
    [
        (["Kitchen"], {"Kitchen"}),
        (["kitchen/"], {"Kitchen"}),
        (["./K*"], {"Kitchen"}),
        (["Gard*", "Kitchen/**"], {"Garden", "Kitchen", "Garten"}),
        (["Nowhere"], set()),
        ([], {"Kitchen", "Garden", "Daily"}),
        (["."], {"Kitchen", "Garden", "Daily"}),
    ],
)
async def test_only_the_directories_that_were_named_are_searched(
    house: Sandbox, folders: list[str], found: set[str]
) -> None:
    query = "How are pears, tomatoes, apples, honey and knives kept in jars?"
    result = await house.succeed("codebase_search", query=query, target_directories=folders)
    places = {entry["file"].partition("/")[0] for entry in result.data["results"]}
    assert places <= found
    assert bool(places) == bool(found)


async def test_operators_are_words_in_a_question(house: Sandbox) -> None:
    result = await house.succeed("codebase_search", query='-tomatoes path:Kitchen "brown spots" (leaves OR /x')
    assert result.data["results"][0]["file"] == "Garden/Tomatoes.md"


async def test_what_the_user_keeps_out_of_searches_is_kept_out(house: Sandbox) -> None:
    house.settings.update({"ignorePatterns": ["Garden/**"]})
    result = await house.succeed("codebase_search", query=QUESTION)
    assert not [entry for entry in result.data["results"] if entry["file"].startswith("Garden/")]


async def test_nothing_found_is_said(house: Sandbox) -> None:
    result = await house.succeed("codebase_search", query="xylophone quartet zither")
    assert (result.data, result.text) == (
        {"results": []},
        "No passage holds any of the words. Ask in other words, or in other directories.",
    )


@pytest.mark.parametrize("arguments", [{"query": "  "}, {"query": "x", "target_directories": ["{" * 300]}])
async def test_what_asks_for_nothing_or_is_no_glob_is_refused(house: Sandbox, arguments: dict[str, Any]) -> None:
    result = await house.call("codebase_search", **arguments)
    assert result.error_type is ErrorType.INVALID_PARAMETERS
