"""The shape of results, where a tool always answers alike: listed for whoever has everything, and kept to."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bridge.contract.identity import Preset
from bridge.tools import specs
from tests.mcp.pipes import ERAS, Served, serve_robot

pytestmark = pytest.mark.slow

NOTE = """---
aliases: [Stew]
topic: cooking
---
# Soup

#warm/tea

- [ ] buy carrots 📅 2026-12-01
See [[Ideas]] and [[Nowhere]].
"""
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_files", {"pattern": "**/*"}),
    ("list_files", {"pattern": "nothing*"}),
    ("get_file_info", {"path": "Kitchen/Soup.md"}),
    ("get_file_info", {"path": "Kitchen"}),
    ("search_files", {"pattern": "carrots"}),
    ("search_files", {"pattern": "no such words"}),
    ("search_notes", {"query": "carrots"}),
    ("search_notes", {"query": "carrots", "read_content": True}),
    ("search_notes", {"query": "xyzzyx"}),
    ("grep", {"pattern": "carrots"}),
    ("grep", {"pattern": "no such words"}),
    ("is_available", {"name": "Soup"}),
    ("is_available", {"name": "Something new"}),
    ("find_related", {"name": "Soup"}),
    ("search_vectors", {"query": "carrots"}),
    ("search_vectors", {"query": "xyzzyx"}),
    ("list_tags", {}),
    ("search_by_tags", {"tags": ["warm"]}),
    ("search_by_tags", {"tags": ["cold"]}),
    ("search_by_properties", {"properties": {"topic": "cooking"}}),
    ("tasks", {}),
    ("read_note", {"name": "Soup"}),
    ("read_note", {"name": "Soup#Soup"}),
    ("get_metadata", {"name": "Soup"}),
    ("get_metadata", {"name": "Ideas"}),
    ("note_info", {"path": "Soup"}),
    ("vault_report", {}),
    ("vault_report", {"sections": ["broken_links"]}),
]


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    (vault / "Kitchen").mkdir()
    (vault / "Kitchen" / "Soup.md").write_text(NOTE, encoding="utf-8")
    async with serve_robot(vault, globalRateLimit=1000) as served:
        served.person.answer = "allow_once"
        yield served


def test_every_tool_with_a_shape_is_called_here() -> None:
    assert {name for name, _ in CALLS} == {spec.name for spec in specs() if spec.output is not None}


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_answered_has_the_shape_that_is_listed(served: Served, era: str) -> None:
    filled = Counter[str]()
    async with served.connected(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, arguments in CALLS:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result.content
            shape = tools[name].output_schema
            assert shape is not None
            Draft202012Validator.check_schema(shape)
            own = Draft202012Validator(shape["anyOf"][0])
            assert list(own.iter_errors(result.structured_content)) == []
            filled[name] += any(result.structured_content.values())
    assert [name for name in dict(CALLS) if not filled[name]] == [], "none is tried with empty answers alone"


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
async def test_a_shape_says_something(call: tuple[str, dict[str, Any]]) -> None:
    shape = next(spec.output for spec in specs() if spec.name == call[0])
    assert shape is not None
    wrong: Any = {"broken_links": 5} if call[0] == "vault_report" else {} if shape["type"] == "object" else [{}]
    assert not Draft202012Validator(shape).is_valid(wrong)


async def test_a_result_that_is_cut_and_one_that_waits_fit_too(served: Served) -> None:
    async with served.connected("legacy") as client:
        shape = next(tool.output_schema for tool in (await client.list_tools()).tools if tool.name == "note_info")
        fits = Draft202012Validator(shape or {})
        served.bridge.settings.update({"maxOutputBytes": 1024})
        (served.vault / "Long.md").write_text("".join(f"# {n} is a heading\n" for n in range(500)), encoding="utf-8")
        await asyncio.to_thread(served.bridge.index.refresh)
        cut = (await client.call_tool("note_info", {"path": "Long", "limit": 500})).structured_content
        assert cut["truncated"] is True
        assert fits.is_valid(cut)
        served.bridge.settings.update({"waitSeconds": 1})
        served.person.answer = None
        waits = (await client.call_tool("note_info", {"path": "Ideas"})).structured_content
        assert waits["status"] == "waiting_for_person"
        assert fits.is_valid(waits)


@pytest.mark.parametrize("preset", ["minimal", "agent", "vault"])
async def test_a_list_that_models_read_with_every_conversation_is_not_longer_for_it(
    served: Served, preset: str
) -> None:
    served.bridge.services.clients.choose(served.client.id, preset=Preset(preset))
    async with served.connected("legacy") as client:
        tools = (await client.list_tools()).tools
    assert len(tools) > 3
    assert [tool.name for tool in tools if tool.output_schema is not None] == []
