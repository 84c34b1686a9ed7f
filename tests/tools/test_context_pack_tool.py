"""context_pack as an agent calls it."""

from collections.abc import AsyncIterator

import pytest

from bridge.errors import ErrorType
from bridge.testing import Sandbox, sandbox
from bridge.tools.core.passages import TOKEN_BYTES
from scripts.lib.golden import read_questions, read_vault

QUESTION = "What are the brown spots on the leaves of my tomatoes?"


@pytest.fixture
async def house() -> AsyncIterator[Sandbox]:
    """A vault of notes about a house and what is in it."""
    async with sandbox(read_vault("small_vault")) as made:
        yield made


async def test_the_best_passage_comes_first_and_whole(house: Sandbox) -> None:
    result = await house.succeed("context_pack", question=QUESTION)
    text = read_vault("small_vault")["Garden/Tomatoes.md"].strip()
    assert result.text.startswith(f"[Garden/Tomatoes.md:1-4 (Blight)]\n{text}\n")
    assert result.data["passages"][0] == {
        "path": "Garden/Tomatoes.md",
        "heading": "Blight",
        "start_line": 1,
        "end_line": 4,
        "text": text,
    }


@pytest.mark.parametrize("budget", [100, 130, 250, 700, 2000])
async def test_the_answer_is_never_over_its_budget(house: Sandbox, budget: int) -> None:
    house.settings.update({"rateLimits": {"context_pack": 1000}})
    for question in read_questions("small_vault")[:12]:
        result = await house.succeed("context_pack", question=question.text, budget=budget)
        assert len(result.text.encode()) <= budget * TOKEN_BYTES
        assert result.metadata["tokens"] <= budget


async def test_nothing_comes_twice(house: Sandbox) -> None:
    copied = read_vault("small_vault")["Garden/Tomatoes.md"]
    house.write("Copy of tomatoes.md", copied.replace("\n", "\n\n"))
    result = await house.succeed("context_pack", question=QUESTION, budget=5000)
    assert result.text.count("late blight") == 1
    places = [(entry["path"], entry["start_line"]) for entry in result.data["passages"]]
    assert len(places) == len(set(places))


async def test_a_linked_note_comes_where_it_adds_something(house: Sandbox) -> None:
    filling = "\n\nnothing of that kind is said in these lines at all, nor in these" * 40
    house.write(
        "Plan.md", f"Zebu stable plan: see [[Fodder]] and [[Weather]] for the zebu stable plan of hay.{filling}"
    )
    house.write("Fodder.md", "Hay for the stable")
    house.write("Weather.md", "rain")
    for number in range(40):
        house.write(f"Zebu {number}.md", f"zebu stable plan of zebu stable plan {number}")
    result = await house.succeed("context_pack", question="Which zebu stable plan says how much hay?", budget=20_000)
    entries = {entry["path"]: entry for entry in result.data["passages"]}
    assert "Plan.md" in entries
    assert "Weather.md" not in entries


async def test_a_budget_without_room_for_the_first_passage_says_that_there_was_more(house: Sandbox) -> None:
    house.write("Long.md", "xylophone zither quartet " * 39)
    result = await house.succeed("context_pack", question="xylophone zither quartet", budget=100)
    assert result.data == {"passages": []}
    assert result.metadata["truncated"] is True
    assert len(result.text.encode()) <= 100 * TOKEN_BYTES


async def test_what_the_user_keeps_out_of_searches_is_kept_out(house: Sandbox) -> None:
    house.write("Links.md", "brown spots on leaves of tomatoes, see [[Garden/Tomatoes]]")
    house.settings.update({"ignorePatterns": ["Garden/**"]})
    result = await house.succeed("context_pack", question=QUESTION)
    assert not [entry for entry in result.data["passages"] if entry["path"].startswith("Garden/")]


async def test_a_blank_question_is_refused(house: Sandbox) -> None:
    result = await house.call("context_pack", question=" ")
    assert result.error_type is ErrorType.INVALID_PARAMETERS
