"""What the command line knows of a tool's parameters."""

from typing import Any

from bridge.client import Bridge


async def schema_of(bridge: Bridge, tool: str) -> dict[str, Any] | None:
    """The JSON Schema of a tool's parameters; None when it is not listed, and the bridge will say why."""
    listed = await bridge.request("tools.list")
    return next((described["parameters"] for described in listed if described["name"] == tool), None)
