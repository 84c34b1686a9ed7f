"""Tools that the conformance suite calls by name, as tools of a real bridge."""

from collections.abc import Awaitable
from typing import Any

from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.contract.tools import ImagePart
from bridge.errors import ExecutionFailed
from bridge.toolkit.parameters import JsonSchemaParameters
from bridge.toolkit.registry import StaticProvider
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, ToolSpec, in_vault

NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="


class Fixture(ReadTool[dict[str, Any]]):
    """A tool that answers one thing."""

    def __init__(self, name: str, answer: Output | None, schema: dict[str, Any] = NO_ARGUMENTS) -> None:
        self._answer = answer
        self.spec = ToolSpec(
            name=name,
            title=name,
            action="try/tried something",
            description=f"{name}, for the conformance suite.",
            icon="flask-conical",
            parameters=JsonSchemaParameters(schema),
            operation=Operation.READ,
            risk=RiskLevel.SAFE,
            consent_class=ConsentClass.ALWAYS,
        )

    def prepare(self, params: dict[str, Any], context: CallContext) -> ReadEffect:
        """It reads nothing."""
        del params, context
        return ReadEffect(in_vault("Ideas.md"), "Try something")

    def run(self, params: dict[str, Any], context: CallContext) -> Output | Awaitable[Output]:
        """Answer."""
        del params
        for done in (0, 50, 100):
            context.progress(done, 100, "Working")
        if self._answer is None:
            raise ExecutionFailed("This tool intentionally returns an error for testing")
        return self._answer


SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def fixture_tools() -> StaticProvider:
    """All of them."""
    tools = [
        Fixture("test_simple_text", Output(None, "This is a simple text response for testing.")),
        Fixture("test_image_content", Output(None, "", parts=(ImagePart(mime_type="image/png", data=PIXEL),))),
        Fixture("test_error_handling", None),
        Fixture("test_tool_with_progress", Output(None, "done")),
        Fixture("json_schema_2020_12_tool", Output(None, "ok"), SCHEMA_2020_12),
        Fixture(
            "test_x_mcp_header",
            Output(None, "ok"),
            {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
        ),
    ]
    return StaticProvider(id="conformance", tools=tools)
