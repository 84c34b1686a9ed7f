"""What may be stored as a tool, and what a person is shown of it."""

import pytest

from bridge.contract.custom import CustomAddParams
from bridge.custom.storage import LONGEST_CODE, StoredTool, check, parse, told
from bridge.errors import InvalidParameters

TIMES = {"createdAt": "2026-11-23T01:02:03Z", "updatedAt": "2026-11-23T01:02:03Z"}
GOOD = {"name": "count", "description": "Counts", "code": "return 1", "parameters": {"type": "object"}}


def test_what_is_not_said_has_the_defaults_of_the_form() -> None:
    tool = parse(GOOD | TIMES, "it")
    assert (tool.timeout, tool.environment, tool.enabled, tool.returns) == (30_000, "node", True, None)
    assert parse(tool.to_wire(), "it") == tool
    assert "returns" not in tool.to_wire()


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"name": ""}, "cannot be a tool's name"),
        ({"name": "1st"}, "begin with a letter"),
        ({"name": "zwei wörter"}, "cannot be a tool's name"),
        ({"name": "x" * 65}, "at most 64"),
        ({"name": "../count"}, "cannot be a tool's name"),
        ({"name": "mcp__files__read"}, "tools of other servers"),
        ({"name": "MCP__files"}, "tools of other servers"),
        ({"name": "read"}, "There is a tool 'read' already"),
        ({"description": " "}, "needs a description"),
        ({"description": "a\x1bb"}, "no control characters"),
        ({"description": "x" * 5000}, "at most 4,000 characters"),
        ({"returns": "a\u202eb"}, "no control characters"),
        ({"code": " \n"}, "needs code"),
        ({"code": "x" * (LONGEST_CODE + 1)}, "at most 262,144 bytes"),
        ({"code": "a\x00b"}, "no null characters"),
        ({"code": "\ud800"}, "half a character"),
        ({"parameters": {}}, "`type` must be `object`"),
        ({"parameters": {"type": "array"}}, "`type` must be `object`"),
        ({"parameters": {"type": "object", "properties": 5}}, "no JSON Schema that can be used"),
        ({"parameters": {"type": "object", "$ref": "https://example.org/s"}}, "refers to"),
        ({"parameters": "none"}, "parameters"),
        ({"timeout": 99}, "timeout"),
        ({"timeout": 600_001}, "timeout"),
        ({"timeout": "30000"}, "timeout"),
        ({"environment": "deno"}, "environment"),
        ({"enabled": "yes"}, "enabled"),
        ({"colour": "blue"}, "colour"),
        ({"createdAt": "yesterday"}, "'createdAt' must be a time"),
    ],
)
def test_a_mistake_is_refused_with_what_is_wrong(members: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParameters) as failure:
        parse(GOOD | TIMES | members, "it", {"read"})
    assert words in failure.value.message
    assert failure.value.message.startswith("it: ")


def test_a_tool_of_one_s_own_may_not_be_there_twice() -> None:
    with pytest.raises(InvalidParameters, match="already"):
        check(CustomAddParams.model_validate(GOOD), {"count"})


def test_what_a_person_allows_holds_everything_that_decides_what_a_run_does() -> None:
    tool = parse(GOOD | TIMES, "it")
    shown = told(tool, confined=True)
    for members in (
        {"code": "return 2"},
        {"parameters": {"type": "object", "required": ["a"]}},
        {"description": "Counts more"},
        {"returns": "a number"},
        {"timeout": 1000},
        {"environment": "python"},
    ):
        assert told(StoredTool.model_validate(GOOD | TIMES | members), confined=True) != shown
    assert told(tool, confined=False) != shown
    later = StoredTool.model_validate(GOOD | TIMES | {"updatedAt": "2027-01-01T00:00:00Z", "enabled": False})
    assert told(later, confined=True) == shown
