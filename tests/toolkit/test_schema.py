"""One definition of parameters, every form of it."""

import asyncio
from typing import Any

import pytest
from pydantic import Field

from bridge.contract.base import Params, Wire
from bridge.contract.consent import ConsentClass, ConsentMode, Operation, RiskLevel
from bridge.settings.model import Settings
from bridge.toolkit.parameters import ModelParameters, model_schema
from bridge.toolkit.registry import StaticProvider, ToolRegistry
from bridge.toolkit.schema import describe
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, ToolSpec, in_vault
from tests.identities import caller


class Edit(Params):
    start_line: int = Field(description="First line.")
    text: str | None = Field(default=None, description="New text.")


class EditParams(Params):
    path: str = Field(description="Which file.")
    edits: list[Edit] = Field(description="What to change.")
    options: Edit | None = Field(default=None, description="One more.")
    limit: int = Field(default=5, description="How many.", ge=1)


class EditTool(ReadTool[EditParams]):
    spec = ToolSpec(
        name="edit",
        title="Edit",
        description="Edits.",
        parameters=ModelParameters(EditParams),
        operation=Operation.READ,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.SESSION_ALLOW,
    )

    def prepare(self, params: EditParams, context: CallContext) -> ReadEffect:
        return ReadEffect(in_vault(params.path), context.caller.name)

    def run(self, params: EditParams, context: CallContext) -> Output:
        return Output(params.path, context.caller.name)


def registry() -> ToolRegistry:
    made = ToolRegistry()
    asyncio.run(made.add(StaticProvider(id="p", tools=[EditTool()])))
    return made


def wires(described: list[Wire] | str) -> list[dict[str, Any]]:
    assert isinstance(described, list)
    return [tool.to_wire() for tool in described]


def only(described: list[Wire] | str) -> dict[str, Any]:
    (tool,) = wires(described)
    return tool


ENABLED = Settings(enabled_tools=("edit",))


def test_schema_is_self_contained_and_without_titles_or_nulls() -> None:
    assert model_schema(EditParams) == {
        "type": "object",
        "additionalProperties": False,
        "required": ["path", "edits"],
        "properties": {
            "path": {"type": "string", "description": "Which file."},
            "edits": {
                "type": "array",
                "description": "What to change.",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["startLine"],
                    "properties": {
                        "startLine": {"type": "integer", "description": "First line."},
                        "text": {"type": "string", "description": "New text."},
                    },
                },
            },
            "options": {
                "type": "object",
                "additionalProperties": False,
                "description": "One more.",
                "required": ["startLine"],
                "properties": {
                    "startLine": {"type": "integer", "description": "First line."},
                    "text": {"type": "string", "description": "New text."},
                },
            },
            "limit": {"type": "integer", "description": "How many.", "default": 5},
        },
    }


def test_text_form_has_a_param_line_for_each_nested_member() -> None:
    described = describe(registry(), caller(), ENABLED, "text")
    assert isinstance(described, str)
    assert described.splitlines() == [
        "edit: Edits.",
        "@param path {string} [required] Which file.",
        "@param edits {array} [required] What to change.",
        "@param edits[].startLine {integer} [required] First line.",
        "@param edits[].text {string} [optional] New text.",
        "@param options {object} [optional] One more.",
        "@param options.startLine {integer} [required] First line.",
        "@param options.text {string} [optional] New text.",
        "@param limit {integer} [optional, default 5] How many.",
    ]


@pytest.mark.parametrize("form", ["ollama", "openai"])
def test_function_forms_wrap_the_same_schema(form: Any) -> None:
    assert wires(describe(registry(), caller(), ENABLED, form)) == [
        {
            "type": "function",
            "function": {"name": "edit", "description": "Edits.", "parameters": model_schema(EditParams)},
        }
    ]


def test_mcp_form_tells_what_the_tool_may_do() -> None:
    described = only(describe(registry(), caller(), ENABLED, "mcp"))
    assert described["inputSchema"] == model_schema(EditParams)
    assert described["annotations"]["readOnlyHint"] is True


def test_bridge_form_tells_consent() -> None:
    described = only(describe(registry(), caller(), ENABLED))
    assert {key: described[key] for key in ("risk", "requiresConsent", "canBypass", "requiresPreview", "canUndo")} == {
        "risk": "low",
        "requiresConsent": True,
        "canBypass": True,
        "requiresPreview": False,
        "canUndo": False,
    }
    assert (described["provider"], described["consentMode"]) == ("p", "session_allow")


def test_always_allowed_tools_need_no_consent() -> None:
    described = only(
        describe(registry(), caller(), Settings(enabled_tools=("*",), consent_mode={"edit": "always_allow"}))
    )
    assert described["requiresConsent"] is False


def test_disabled_tools_are_not_described() -> None:
    assert describe(registry(), caller(), Settings(enabled_tools=())) == []
