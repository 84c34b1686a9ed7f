"""A tool's spec, rendered for every kind of caller.

These are the function descriptions of Ollama and OpenAI, MCP's tool list, and `@param` lines for models without
functions.
"""

from collections.abc import Callable, Iterable
from typing import Any

from bridge.contract.base import Wire
from bridge.contract.consent import ConsentMode
from bridge.contract.tools import (
    Format,
    FunctionTool,
    McpAnnotations,
    McpTool,
    ToolDescription,
    ToolFunction,
    ToolSummary,
)
from bridge.identity.caller import Caller
from bridge.settings.model import Settings
from bridge.toolkit.registry import ToolRegistry
from bridge.toolkit.tool import Tool, ToolSpec


def describe(registry: ToolRegistry, caller: Caller, settings: Settings, form: Format = "bridge") -> list[Wire] | str:
    """The enabled tools of a caller, in the form that it wants.

    Args:
        registry: Where the tools are.
        caller: Whose tools.
        settings: Which of them are enabled, and in which consent mode.
        form: `bridge` (everything we know), `ollama`, `openai`, `mcp`, or `text` (`@param` lines).
    """
    held = [(tool.spec, provider) for tool, provider in registry.with_providers(caller) if is_offered(tool, settings)]
    if form == "text":
        return "\n\n".join(_text(spec) for spec, _ in held)
    if form == "bridge":
        return [_bridge(spec, provider, settings) for spec, provider in held]
    render: Callable[[ToolSpec], Wire] = _mcp if form == "mcp" else _function
    return [render(spec) for spec, _ in held]


def is_offered(tool: Tool[Any], settings: Settings) -> bool:
    """Whether agents are shown a tool."""
    return tool.spec.listed and tool.spec.is_enabled(settings)


def summary(tool: ToolSpec) -> ToolSummary:
    """A tool as the settings show it."""
    return ToolSummary(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        risk=tool.risk,
        consent_class=tool.consent_class,
    )


def _bridge(tool: ToolSpec, provider: str, settings: Settings) -> ToolDescription:
    mode = tool.mode(settings)
    return ToolDescription(
        **dict(ToolSummary.of(tool)),
        icon=tool.icon,
        parameters=tool.parameters.json_schema,
        operation=tool.operation,
        consent_mode=mode,
        requires_consent=not (tool.can_bypass and mode is ConsentMode.ALWAYS_ALLOW),
        can_bypass=tool.can_bypass,
        requires_preview=tool.writes,
        can_undo=tool.writes,
        provider=provider,
    )


def _function(tool: ToolSpec) -> FunctionTool:
    parameters = tool.parameters.json_schema
    return FunctionTool(function=ToolFunction(name=tool.name, description=tool.description, parameters=parameters))


def _mcp(tool: ToolSpec) -> McpTool:
    return McpTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.parameters.json_schema,
        annotations=McpAnnotations(
            title=tool.title,
            read_only_hint=tool.annotations.read_only,
            destructive_hint=tool.annotations.destructive,
            idempotent_hint=tool.annotations.idempotent,
            open_world_hint=tool.annotations.open_world,
        ),
    )


def _text(tool: ToolSpec) -> str:
    """The form for prompts: `@param name {type} [required|optional] description`, nested members by their path."""
    return "\n".join([f"{tool.name}: {tool.description}", *_param_lines(tool.parameters.json_schema, "")])


def _param_lines(schema: dict[str, Any], prefix: str) -> Iterable[str]:
    required = schema.get("required", [])
    for name, member in schema.get("properties", {}).items():
        need = "required" if name in required else "optional"
        kind = member.get("type", "object" if "properties" in member else "any")
        line = f"@param {prefix}{name} {{{kind}}} [{need}] {member.get('description', '')}"
        yield line.rstrip()
        yield from _param_lines(member, f"{prefix}{name}.")
        yield from _param_lines(member.get("items", {}), f"{prefix}{name}[].")
