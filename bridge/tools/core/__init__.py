"""The core tools (seed L, "Built-in Tools" 1 to 4)."""

import asyncio

from bridge import __version__
from bridge.index.references import NoteResolver
from bridge.index.texts.grep import Grep
from bridge.toolkit.provider import ToolProvider
from bridge.tools.core.apply_patch import ApplyPatchTool
from bridge.tools.core.find import FindTool
from bridge.tools.core.grep import GrepTool
from bridge.tools.core.read import ReadFileTool
from bridge.tools.services import ToolServices


class CoreProvider(ToolProvider):
    """Find, grep, read and patch.

    Args:
        services: What the tools are built from.
        grep: Searches the files. It is closed with this provider.
    """

    def __init__(self, services: ToolServices, grep: Grep) -> None:
        self._grep = grep
        resolver = NoteResolver(services.index)
        super().__init__(
            id="core",
            name="Core tools",
            description="Find, search, read and patch the files of the vault.",
            version=__version__,
            tools=[
                FindTool(services.files, services.index, services.clock, resolver.outright),
                GrepTool(services.files, grep),
                ReadFileTool(services.files, resolver),
                ApplyPatchTool(services.files, resolver, services.clock),
            ],
        )

    async def shutdown(self) -> None:
        """End the processes that searches ran in."""
        await asyncio.to_thread(self._grep.close)
