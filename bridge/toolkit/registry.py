"""The registry: which tools there are, and the providers they came with."""

import difflib
from collections.abc import Sequence
from typing import Any

from bridge.toolkit.tool import Tool

LONGEST_NAME = 100
"""Characters of an unknown name that are compared; it may be as long as a frame."""


class ToolProvider:
    """A family of tools that starts and stops together. Subclass it when starting or stopping takes work.

    Args:
        id: Unique; `unregister` takes it.
        name: For people.
        description: For people.
        version: Of this provider.
        tools: Its tools, in the order they are listed.
    """

    def __init__(self, *, id: str, name: str, description: str, version: str, tools: Sequence[Tool[Any]]) -> None:
        self.id = id
        self.name = name
        self.description = description
        self.version = version
        self.tools = tuple(tools)

    async def initialize(self) -> None:
        """Get ready; called once, before the first call."""

    async def shutdown(self) -> None:
        """Let everything go; called once, after the last call."""


class ToolRegistry:
    """Providers by id and their tools by name, in the order they were registered."""

    def __init__(self) -> None:
        self._providers: dict[str, ToolProvider] = {}
        self._tools: dict[str, Tool[Any]] = {}
        self._provider_of: dict[str, ToolProvider] = {}

    def register(self, provider: ToolProvider) -> None:
        """Add a provider and its tools.

        Raises:
            ValueError: When its id or one of its tools' names is taken; then nothing is added.
        """
        names = [tool.name for tool in provider.tools]
        taken = [name for name in names if name in self._tools or names.count(name) > 1]
        if provider.id in self._providers:
            raise ValueError(f"The provider {provider.id!r} is already registered")
        if taken:
            raise ValueError(f"The tool {taken[0]!r} is already registered")
        self._providers[provider.id] = provider
        for tool in provider.tools:
            self._tools[tool.name] = tool
            self._provider_of[tool.name] = provider

    def unregister(self, provider_id: str) -> None:
        """Take a provider and its tools out.

        Raises:
            KeyError: When there is no such provider.
        """
        for tool in self._providers.pop(provider_id).tools:
            del self._tools[tool.name]
            del self._provider_of[tool.name]

    def tools(self) -> list[Tool[Any]]:
        """Every tool, unlisted ones too."""
        return list(self._tools.values())

    def get(self, name: str) -> Tool[Any] | None:
        """The tool of this name."""
        return self._tools.get(name)

    def provider_of(self, name: str) -> ToolProvider:
        """The provider a tool came with.

        Raises:
            KeyError: When there is no such tool.
        """
        return self._provider_of[name]

    def nearest(self, name: str) -> list[str]:
        """Names of listed tools that resemble this one, best first."""
        listed = [tool.name for tool in self._tools.values() if tool.listed]
        return difflib.get_close_matches(name[:LONGEST_NAME], listed, n=3, cutoff=0.5)

    async def start(self) -> None:
        """Initialize every provider; when one fails, those already started are shut down again."""
        started: list[ToolProvider] = []
        try:
            for provider in self._providers.values():
                await provider.initialize()
                started.append(provider)
        except BaseException:
            for provider in reversed(started):
                await provider.shutdown()
            raise

    async def stop(self) -> None:
        """Shut every provider down, in reverse order."""
        for provider in reversed(list(self._providers.values())):
            await provider.shutdown()
