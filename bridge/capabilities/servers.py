"""Other MCP servers, which the user has entered."""

import asyncio

from bridge.capabilities.capability import Capability
from bridge.capabilities.network import transport
from bridge.client.token_storage import config_folder
from bridge.records.folder import UserFolder
from bridge.servers.approvals import Approvals
from bridge.servers.configuration import ServersFile
from bridge.servers.opening import Opener
from bridge.servers.servers import Servers
from bridge.tools.servers.provider import ServersProvider


class OtherServers(Capability):
    """The servers, with their tools. None of them is started until it is needed."""

    async def open(self) -> None:
        """Register them."""
        base = self.core.base
        servers = await asyncio.to_thread(self._build)
        base.session_ended.on(servers.session_ended)
        base.parts.servers.fill(servers)
        await base.registry.add(ServersProvider(servers, lambda: base.settings.current.allow_mcp_servers))
        base.tools_follow("allow_mcp_servers")

    def _build(self) -> Servers:
        base = self.core.base
        folder = UserFolder(config_folder(), durable=True, above=False)
        opener = Opener(self.core.programs, transport, self.core.network.door.passage, base.root.path)
        return Servers(ServersFile(folder), Approvals(folder), opener, hide=base.secrets.add)
