"""The shell's completions: settings, their values, sections and tools. Asks no bridge: it must be quick."""

from typing import Any

from bridge.settings.model import SECTIONS, schema

BY_TOOL = ("consentMode", "rateLimits")
"""Settings that have a member for each tool."""


def complete_key(incomplete: str) -> list[str]:
    """Return names of settings, and those of their members once a dot is there."""
    whole, dot, _ = incomplete.partition(".")
    names = [f"{whole}.{tool}" for tool in _tools()] if dot and whole in BY_TOOL else list(_described())
    return _beginning(names, incomplete)


def complete_assignment(incomplete: str) -> list[str]:
    """Return a setting with the values it may have, where these can be listed."""
    key, equals, _ = incomplete.partition("=")
    if equals:
        return _beginning([f"{key}={value}" for value in _values(key)], incomplete)
    return [f"{name}{'.' if name in BY_TOOL else '='}" for name in complete_key(incomplete)]


def complete_section(incomplete: str) -> list[str]:
    """Return names of sections."""
    return _beginning(list(SECTIONS), incomplete)


def complete_tool(incomplete: str) -> list[str]:
    """Return names of tools."""
    return _beginning(["*", *_tools()], incomplete)


def _tools() -> list[str]:
    from bridge.tools import specs  # noqa: PLC0415 - only where a tool is to be completed

    return [spec.name for spec in specs() if spec.listed]


def _described() -> dict[str, dict[str, Any]]:
    properties: dict[str, dict[str, Any]] = schema(offered=True)["properties"]
    return {key: about for key, about in properties.items() if not about.get("readOnly")}


def _values(key: str) -> list[str]:
    """Return what a setting may be."""
    whole, dot, _ = key.partition(".")
    about = _described().get(whole, {})
    if dot:
        about = about.get("additionalProperties", {})
    found: list[str] = []
    for kind in [about, *about.get("anyOf", [])]:
        found += [str(value) for value in kind.get("enum", [])]
        found += {"boolean": ["true", "false"], "null": ["null"]}.get(kind.get("type", ""), [])
    return found


def _beginning(names: list[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
