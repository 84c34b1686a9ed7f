"""What programs are known to add to the arguments of every call is taken off; any other unknown argument is refused."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.mcp.calls import ADDED, without_added
from tests.mcp.pipes import Served, serve_robot
from tests.mcp.test_calls import text_of

pytestmark = pytest.mark.slow

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}}


@pytest.fixture
async def served(vault: Path) -> AsyncIterator[Served]:
    async with serve_robot(vault) as served:
        served.person.answer = "allow_once"
        yield served


@pytest.mark.parametrize("name", ADDED)
async def test_what_a_program_adds_is_taken_off(served: Served, name: str) -> None:
    async with served.connected("legacy") as client:
        result = await client.call_tool("read", {"path": "Ideas.md", name: True})
        assert not result.is_error, result.content
    (question,) = served.person.asked
    assert question["parameters"] == {"path": "Ideas.md"}


@pytest.mark.parametrize("name", ["wait_for_next", "tool_call_id", "pat"])
async def test_any_other_argument_that_a_tool_does_not_have_is_refused(served: Served, name: str) -> None:
    async with served.connected("legacy") as client:
        result = await client.call_tool("read", {"path": "Ideas.md", name: True})
        assert result.is_error
        assert name in text_of(result)
    assert served.person.asked == []


@pytest.mark.parametrize("name", ADDED)
async def test_a_tool_that_has_such_an_argument_gets_it(name: str) -> None:
    async def listed() -> list[dict[str, Any]]:
        own = SCHEMA | {"properties": {name: {"type": "boolean"}}}
        return [{"name": "plain", "inputSchema": SCHEMA}, {"name": "own", "inputSchema": own}]

    given = {"path": "a", name: True}
    assert await without_added("own", given, listed) == given
    assert await without_added("plain", given, listed) == {"path": "a"}
    assert await without_added("unknown", given, listed) == {"path": "a"}


async def test_the_list_of_tools_is_asked_for_only_where_something_was_added() -> None:
    async def listed() -> list[dict[str, Any]]:
        raise AssertionError("nobody needs the list")

    assert await without_added("read", {"path": "a", "more": 1}, listed) == {"path": "a", "more": 1}


def test_each_has_the_program_and_the_source() -> None:
    assert all(program and source.startswith("https://") for program, source in ADDED.values())


def test_the_page_names_each_with_its_source() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
    for name, (program, source) in ADDED.items():
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert program in row
        assert source in row
