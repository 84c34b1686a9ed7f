"""The shape of what a tool answers, as a JSON Schema, where every answer of the tool has the same."""

from collections.abc import Mapping
from typing import Any, Final

Schema = Mapping[str, Any]
TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "number"}
WHOLE: Final[Schema] = {"type": "integer"}
YES_OR_NO: Final[Schema] = {"type": "boolean"}
TEXTS: Final[Schema] = {"type": "array", "items": TEXT}
ANYTHING: Final[Schema] = {}
ANY_OBJECT: Final[Schema] = {"type": "object"}

REST: Final = "toolResult"
"""The member of structured content over MCP that holds what a ToolResult has besides its data."""
_WAITS: Final[Schema] = {
    "properties": {
        "status": {"const": "waiting_for_person"},
        "ticket": TEXT,
        "expiresAt": {"type": ["string", "null"]},
    },
    "required": ["status", "ticket"],
}
"""The shape of the answer while a person decides."""
_CUT: Final[Schema] = {"properties": {"truncated": {"const": True}}, "required": ["truncated"]}
"""Of an answer that is longer than it may be, lists and texts end earlier, and members may be left out."""


def members(*, optional: Mapping[str, Schema] | None = None, **types: Schema) -> Schema:
    """Return the schema of an object that has these members; others may be beside them.

    Args:
        optional: Those that are not always there.
        types: Those that are.
    """
    return {"type": "object", "properties": {**types, **(optional or {})}, "required": list(types)}


def a_list(items: Schema) -> Schema:
    """Return the schema of a list of such items."""
    return {"type": "array", "items": items}


def perhaps(schema: Schema) -> Schema:
    """Return the schema of this, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def over_mcp(schema: Schema) -> dict[str, Any]:
    """Return the shape of a tool's structured content over MCP, which is an object in any case.

    Args:
        schema: Of the `data` of the tool's results.
    """
    shape = schema if schema["type"] == "object" else members(result=schema)
    whole = {**shape, "properties": {**shape.get("properties", {}), REST: ANY_OBJECT}}
    return {"type": "object", "anyOf": [whole, _WAITS, _CUT]}
