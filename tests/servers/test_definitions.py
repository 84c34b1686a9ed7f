"""What servers say of their tools: bounded, plain, and never the name of another tool."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.servers.configuration import MOST_TOOLS, Definition, accepted, tool_name
from bridge.toolkit.tool import _NAME as TOOL_NAME

SCHEMA: dict[str, Any] = {"type": "object"}
NAMES = st.text(min_size=1, max_size=128)
SERVERS = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9-]{0,22}[A-Za-z0-9])?", fullmatch=True)


def nested(levels: int) -> dict[str, Any]:
    """A schema of so many levels."""
    schema: dict[str, Any] = {}
    for _level in range(levels):
        schema = {"items": schema}
    return schema


@given(server=SERVERS, name=NAMES)
def test_every_tool_has_a_name_that_a_tool_can_have(server: str, name: str) -> None:
    ours = tool_name(server, name)
    assert TOOL_NAME.fullmatch(ours)
    assert ours.startswith(f"mcp__{server}__")


@given(server=SERVERS, one=NAMES, other=NAMES)
def test_two_tools_never_get_the_same_name(server: str, one: str, other: str) -> None:
    assert (tool_name(server, one) == tool_name(server, other)) == (one == other)


@pytest.mark.parametrize(
    ("tool", "fault"),
    [
        ({"inputSchema": SCHEMA}, "without a usable name"),
        ({"name": "", "inputSchema": SCHEMA}, "without a usable name"),
        ({"name": "a\x1b[31m", "inputSchema": SCHEMA}, "without a usable name"),
        ({"name": "x" * 129, "inputSchema": SCHEMA}, "without a usable name"),
        ({"name": "a"}, "its schema is none"),
        ({"name": "a", "inputSchema": {"title": "x" * 70_000}}, "its schema is none, larger"),
        ({"name": "a", "inputSchema": nested(40)}, "or deeper than"),
        ({"name": "a", "inputSchema": nested(2_000)}, "or deeper than"),
    ],
)
def test_a_definition_out_of_bounds_is_left_out_with_a_word(tool: dict[str, Any], fault: str) -> None:
    found, faults = accepted([tool, {"name": "good", "inputSchema": SCHEMA}])
    assert [each.name for each in found] == ["good"]
    assert fault in faults[0]


def test_there_are_only_so_many() -> None:
    found, faults = accepted({"name": f"t{number}", "inputSchema": SCHEMA} for number in range(5000))
    assert len(found) == MOST_TOOLS
    assert "more than" in faults[-1]


def test_a_second_tool_of_one_name_is_left_out() -> None:
    found, faults = accepted([{"name": "a", "inputSchema": SCHEMA}, {"name": "a", "inputSchema": {}}])
    assert ([each.schema for each in found], len(faults)) == ([SCHEMA], 1)


def test_what_only_a_model_would_see_is_taken_out_and_long_words_are_cut() -> None:
    said = "Reads\u200b files\U000e0041" + "x" * 5000
    (found,), _ = accepted([{"name": "a", "inputSchema": SCHEMA, "description": said, "title": "A\nB"}])
    assert found.description.startswith("Reads filesx")
    assert len(found.description) == 2000
    assert found.title == "A B"


@pytest.mark.parametrize(
    "other",
    [
        {"description": "b"},
        {"title": "b"},
        {"schema": {"type": "object", "required": ["x"]}},
        {"read_only": True},
        {"destructive": True},
        {"idempotent": True},
    ],
)
def test_a_fingerprint_tells_every_difference(other: dict[str, Any]) -> None:
    plain: dict[str, Any] = {"name": "a", "title": "a", "description": "a", "schema": SCHEMA}
    assert Definition(**plain).fingerprint == Definition(**plain).fingerprint
    assert Definition(**plain).fingerprint != Definition(**(plain | other)).fingerprint


def test_only_a_plain_yes_is_a_hint() -> None:
    hints = {"readOnlyHint": "true", "destructiveHint": 1, "idempotentHint": None}
    (found,), _ = accepted([{"name": "a", "inputSchema": SCHEMA, "annotations": hints}])
    assert (found.read_only, found.destructive, found.idempotent) == (False, False, False)
