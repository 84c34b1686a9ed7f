"""A provider: a family of tools that starts and stops together (seed L, "ToolProvider Interface")."""

from collections.abc import Sequence
from typing import Any

from bridge.toolkit.tool import Tool


class ToolProvider:
    """A named set of tools. Subclass it when starting or stopping takes work.

    Args:
        id: Unique; `unregister` takes it.
        name: For people.
        description: For people.
        version: Of this provider.
        tools: Its tools, in the order they are listed.
    """

    def __init__(
        self,
        *,
        id: str,
        name: str,
        description: str,
        version: str,
        tools: Sequence[Tool[Any]],
    ) -> None:
        self.id = id
        self.name = name
        self.description = description
        self.version = version
        self.tools = tuple(tools)

    async def initialize(self) -> None:
        """Called once before the first call."""

    async def shutdown(self) -> None:
        """Called once after the last call."""
