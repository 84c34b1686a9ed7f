"""index.compare: what a host tells of Obsidian's index reaches the comparison as it is, and nothing else does."""

from typing import Any

import pytest

from bridge.contract.session import MOST_FILES, ObsidianFacts
from tests.rpc.world import World

FACTS: dict[str, Any] = {"resolved": {"b.md": 2}, "unresolved": {}, "tags": ["#t"], "mtime": 1.5, "size": 3}


async def test_what_obsidian_knows_is_passed_on_and_the_answer_has_the_names_of_the_protocol(
    world: World,
) -> None:
    params = {"files": {"a.md": FACTS}, "unsaved": ["a.md"], "notes": ["a.md", "b.md"]}
    answer = await world.ask("host", "index.compare", params)
    assert answer["result"] == {
        "compared": 1,
        "links": 2,
        "tags": 3,
        "differences": [],
        "more": 0,
        "uncompared": [],
    }
    files = {"a.md": ObsidianFacts.model_validate(FACTS)}
    assert world.asked == {"files": files, "unsaved": frozenset({"a.md"}), "known": ["a.md", "b.md"]}


async def test_without_a_list_of_all_notes_none_is_missed(world: World) -> None:
    await world.ask("host", "index.compare", {"files": {}})
    assert world.asked == {"files": {}, "unsaved": frozenset(), "known": None}


async def test_an_agent_may_not_ask(world: World) -> None:
    answer = await world.ask("agent", "index.compare", {"files": {}})
    assert answer["error"]["code"] == -32001


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"files": []},
        {"files": {"a.md": {}}},
        {"files": {"a.md": FACTS | {"resolved": {"b.md": -1}}}},
        {"files": {"a.md": FACTS | {"resolved": {"b.md": "2"}}}},
        {"files": {"a.md": FACTS | {"tags": [1]}}},
        {"files": {"a.md": FACTS | {"more": 1}}},
        {"files": {f"{number}.md": FACTS for number in range(MOST_FILES + 1)}},
        {"files": {}, "notes": "a.md"},
    ],
)
async def test_anything_else_is_refused(world: World, params: Any) -> None:
    assert (await world.ask("host", "index.compare", params))["error"]["code"] == -32602
