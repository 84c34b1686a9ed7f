"""Arguments that programs add on their own to every call, whatever the tool's schema says."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

ADDED: Final[Mapping[str, tuple[str, str]]] = {
    "wait_for_previous": (
        "Gemini CLI (0.61.0), whose model says with it whether a call waits for those before it",
        "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/tools.ts",
    ),
    "toolCallId": (
        "n8n's MCP Client Tool, whose agent passes the model's id of the call on",
        "https://github.com/n8n-io/n8n/issues/21500",
    ),
}
"""By the argument's name: which program adds it, and where that can be seen."""


async def without_added(
    tool: str, arguments: dict[str, Any], listed: Callable[[], Awaitable[list[dict[str, Any]]]]
) -> dict[str, Any]:
    """Return a call's arguments without those that its program has added; what the tool itself has stays.

    Args:
        tool: The tool's name.
        arguments: As they came.
        listed: Returns the tools as the program was told of them.
    """
    added = ADDED.keys() & arguments.keys()
    if not added:
        return arguments
    own = {
        name for each in await listed() if each["name"] == tool for name in each["inputSchema"].get("properties", ())
    }
    return {name: value for name, value in arguments.items() if name not in added or name in own}
