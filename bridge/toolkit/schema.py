"""One definition of a tool's parameters, rendered for every kind of caller.

The pydantic model is the source; this makes of it a self-contained JSON Schema without references or titles, and from
that the function descriptions of Ollama and OpenAI, MCP's tool list, and `@param` lines for models without functions.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from pydantic import BaseModel

from bridge.contract.base import Wire
from bridge.contract.consent import ConsentMode, Operation
from bridge.contract.tools import (
    Format,
    FunctionTool,
    McpAnnotations,
    McpTool,
    ToolDescription,
    ToolFunction,
    ToolSummary,
)
from bridge.settings.model import Settings
from bridge.toolkit.registry import ToolRegistry
from bridge.toolkit.tool import Tool


def describe(registry: ToolRegistry, settings: Settings, form: Format = "bridge") -> list[Wire] | str:
    """The enabled tools, in the form that the caller wants.

    Args:
        registry: Where the tools are.
        settings: Which of them are enabled, and in which consent mode.
        form: `bridge` (everything we know), `ollama`, `openai`, `mcp`, or `text` (`@param` lines).
    """
    tools = [tool for tool in registry.tools() if tool.listed and settings.enables(tool.name)]
    if form == "text":
        return "\n\n".join(_text(tool) for tool in tools)
    if form == "bridge":
        return [_bridge(tool, registry.provider_of(tool.name).id, settings) for tool in tools]
    render: Callable[[Tool[Any]], Wire] = _mcp if form == "mcp" else _function
    return [render(tool) for tool in tools]


@cache
def parameters_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a parameter model: references inlined, titles and nulls of optional members left out."""
    schema = model.model_json_schema(by_alias=True)
    definitions = schema.pop("$defs", {})
    inlined: dict[str, Any] = _inline(schema, definitions)
    inlined.pop("description", None)  # the model's docstring is for programmers
    inlined.setdefault("properties", {})
    return inlined


def _inline(node: Any, definitions: dict[str, Any]) -> Any:
    """A copy of a schema node with `$ref` replaced by what it names."""
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).removeprefix("#/$defs/")
        target = {key: value for key, value in definitions[name].items() if key != "description"}
        return _inline(target | {key: value for key, value in node.items() if key != "$ref"}, definitions)
    options = node.get("anyOf")
    if isinstance(options, list) and len(options) == 2 and {"type": "null"} in options:  # noqa: PLR2004 - T | None
        rest = {key: value for key, value in node.items() if key not in {"anyOf", "default"}}
        return _inline(next(option for option in options if option != {"type": "null"}) | rest, definitions)
    return {
        key: {name: _inline(member, definitions) for name, member in value.items()}
        if key == "properties"
        else _inline(value, definitions)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
    }


def _bridge(tool: Tool[Any], provider: str, settings: Settings) -> ToolDescription:
    mode = tool.mode(settings)
    return ToolDescription(
        **dict(ToolSummary.of(tool)),
        icon=tool.icon,
        parameters=parameters_schema(tool.parameters),
        operation=tool.operation,
        consent_mode=mode,
        requires_consent=not (tool.can_bypass and mode is ConsentMode.ALWAYS_ALLOW),
        can_bypass=tool.can_bypass,
        requires_preview=tool.writes,
        can_undo=tool.writes,
        provider=provider,
    )


def _function(tool: Tool[Any]) -> FunctionTool:
    parameters = parameters_schema(tool.parameters)
    return FunctionTool(function=ToolFunction(name=tool.name, description=tool.description, parameters=parameters))


def _mcp(tool: Tool[Any]) -> McpTool:
    return McpTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=parameters_schema(tool.parameters),
        annotations=McpAnnotations(
            title=tool.title,
            read_only_hint=tool.operation is Operation.READ,
            destructive_hint=tool.operation in {Operation.UPDATE, Operation.DELETE, Operation.EXECUTE},
            idempotent_hint=tool.operation is Operation.READ,
            open_world_hint=tool.operation in {Operation.NETWORK, Operation.EXECUTE},
        ),
    )


def _text(tool: Tool[Any]) -> str:
    """The form for prompts: `@param name {type} [required|optional] description`, nested members by their path."""
    return "\n".join([f"{tool.name}: {tool.description}", *_param_lines(parameters_schema(tool.parameters), "")])


def _param_lines(schema: dict[str, Any], prefix: str) -> Iterable[str]:
    required = schema.get("required", [])
    for name, member in schema.get("properties", {}).items():
        need = "required" if name in required else "optional"
        kind = member.get("type", "object" if "properties" in member else "any")
        line = f"@param {prefix}{name} {{{kind}}} [{need}] {member.get('description', '')}"
        yield line.rstrip()
        yield from _param_lines(member, f"{prefix}{name}.")
        yield from _param_lines(member.get("items", {}), f"{prefix}{name}[].")
