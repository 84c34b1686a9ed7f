"""The tools that the user has written."""

import asyncio

from bridge.capabilities.capability import Capability
from bridge.client.token_storage import config_folder
from bridge.custom.custom_tools import CustomTools, KeptValues, tool_approvals
from bridge.custom.process import Processes
from bridge.custom.storage import ToolsFile
from bridge.records.folder import UserFolder
from bridge.rpc.host_runs import HostRuns
from bridge.tools import specs
from bridge.tools.custom import CustomProvider


class OwnTools(Capability):
    """The user's tools. None of them is run until it is called."""

    async def open(self) -> None:
        """Register them."""
        base = self.core.base
        host_runs = HostRuns(base.hub)
        custom = await asyncio.to_thread(self._build, host_runs)
        base.faults.look_at(custom.file)
        base.parts.host_runs.fill(host_runs)
        base.parts.custom.fill(custom)
        await base.registry.add(CustomProvider(custom))
        base.tools_follow("allow_custom_tools")

    def _build(self, host_runs: HostRuns) -> CustomTools:
        base = self.core.base
        folder = UserFolder(config_folder(), durable=True, above=False)
        return CustomTools(
            ToolsFile(folder, lambda: [spec.name for spec in specs()]),
            tool_approvals(folder),
            Processes(self.core.programs, base.root.path),
            host_runs,
            KeptValues(base.kept("tool-storage")),
            clock=base.clock,
            allowed=lambda: base.settings.latest.allow_custom_tools,
        )
