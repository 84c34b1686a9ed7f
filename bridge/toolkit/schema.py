"""A tool's spec, rendered for every kind of caller.

These are the function descriptions of Ollama and OpenAI, MCP's tool list, and `@param` lines for models without
functions.
"""

import json
from collections.abc import Iterable
from typing import Any

from bridge.contract import tools as wire
from bridge.contract.base import Wire
from bridge.contract.consent import ConsentMode, Operation
from bridge.identity.caller import Caller
from bridge.settings.model import Settings
from bridge.toolkit.parameters import over_mcp
from bridge.toolkit.registry import ToolRegistry, enabled_tools
from bridge.toolkit.tool import ToolSpec

_GROUPS = {
    Operation.READ: "Search and read",
    Operation.CREATE: "Create and change",
    Operation.UPDATE: "Create and change",
    Operation.DELETE: "Delete",
    Operation.NETWORK: "Network",
    Operation.EXECUTE: "Programs",
}
"""The settings screen's name for tools of an operation."""


def describe(
    registry: ToolRegistry, caller: Caller, settings: Settings, form: wire.Format = "bridge"
) -> list[Wire] | str:
    """Return the enabled tools of a caller, in the form that it wants.

    Args:
        registry: Where the tools are.
        caller: The caller.
        settings: Which of them are enabled, and in which consent mode.
        form: `bridge` (everything we know), `ollama`, `openai`, `mcp`, or `text` (`@param` lines).
    """
    enabled = enabled_tools(registry, caller, settings)
    held = [(tool.spec, provider) for tool, provider in registry.with_providers(caller) if enabled.shows(tool.spec)]
    if form == "text":
        lines = (
            [f"{spec.name}: {spec.description}", *_param_lines(spec.parameters.json_schema, "")] for spec, _ in held
        )
        return "\n\n".join(map("\n".join, lines))
    if form == "bridge":
        return [_bridge(spec, provider, settings) for spec, provider in held]
    if form == "mcp":
        return [_mcp(spec, shaped=enabled.everything) for spec, _ in held]
    functions = (wire.ToolFunction.of(spec, parameters=spec.parameters.json_schema) for spec, _ in held)
    return [wire.FunctionTool(function=function) for function in functions]


def setting(tool: ToolSpec, settings: Settings) -> wire.ToolSetting:
    """Return a tool as the settings screen shows it."""
    enabled, mode, rate = tool.is_enabled(settings), tool.mode(settings), tool.rate(settings)
    return wire.ToolSetting.of(tool, group=_GROUPS[tool.operation], enabled=enabled, mode=mode, rate=rate)


def _bridge(tool: ToolSpec, provider: str, settings: Settings) -> wire.ToolDescription:
    mode = tool.mode(settings)
    return wire.ToolDescription.of(
        tool,
        parameters=tool.parameters.json_schema,
        consent_mode=mode,
        requires_consent=not (tool.can_bypass and mode is ConsentMode.ALWAYS_ALLOW),
        requires_preview=tool.writes,
        can_undo=tool.writes,
        provider=provider,
    )


def _mcp(tool: ToolSpec, *, shaped: bool) -> wire.McpTool:
    """Return a tool as MCP lists it. Shapes of results are longer than most sets may be, and models read all of it.

    Args:
        tool: The tool.
        shaped: Whether the list says the shape of results: to whoever has everything.
    """
    output = over_mcp(tool.output) if shaped and tool.output is not None else None
    return wire.McpTool.of(tool, input_schema=tool.parameters.json_schema, output_schema=output)


def _param_lines(schema: dict[str, Any], prefix: str) -> Iterable[str]:
    required = schema.get("required", [])
    for name, member in schema.get("properties", {}).items():
        need = "required" if name in required else "optional"
        kind = member.get("type", "object" if "properties" in member else "any")
        if "enum" in member:
            kind = "|".join(json.dumps(value) for value in member["enum"])
        usual = member.get("default")
        default = "" if usual in (None, [], {}) else f", default {json.dumps(usual)}"
        line = f"@param {prefix}{name} {{{kind}}} [{need}{default}] {member.get('description', '')}"
        yield line.rstrip()
        yield from _param_lines(member, f"{prefix}{name}.")
        yield from _param_lines(member.get("items", {}), f"{prefix}{name}[].")
