"""The core tools: find, grep, read and apply_patch."""

import asyncio

from bridge import __version__
from bridge.clock import Clock
from bridge.index.grep import Grep
from bridge.toolkit.provider import ToolProvider
from bridge.tools.core.apply_patch import ApplyPatchTool
from bridge.tools.core.find import FindTool
from bridge.tools.core.grep import GrepTool
from bridge.tools.core.read import ReadFileTool
from bridge.tools.storage import PlanningStorage


class CoreProvider(ToolProvider):
    """Find, grep, read and patch.

    Args:
        storage: The vault.
        clock: What deadlines are given in.
        grep: Searches the files. It is closed with this provider.
    """

    def __init__(self, storage: PlanningStorage, clock: Clock, grep: Grep) -> None:
        self._grep = grep
        super().__init__(
            id="core",
            name="Core tools",
            description="Find, search, read and patch the files of the vault.",
            version=__version__,
            tools=[
                FindTool(storage, clock),
                GrepTool(storage, grep),
                ReadFileTool(storage),
                ApplyPatchTool(storage, clock),
            ],
        )

    async def shutdown(self) -> None:
        """End the processes that searches ran in."""
        await asyncio.to_thread(self._grep.close)
