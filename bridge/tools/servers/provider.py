"""The provider of other servers' tools: `mcp_loader` alone, until a client has called it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from bridge import __version__
from bridge.identity.caller import Caller
from bridge.servers.connection import ServerConnection
from bridge.servers.definitions import Definition
from bridge.servers.servers import Servers
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import Tool
from bridge.tools.servers.mcp_loader import McpLoaderTool
from bridge.tools.servers.server_tool import ServerTool

OFF: Final = (
    "Other servers are not allowed here. The user can allow them in the settings, or with "
    "`vault-bridge settings set allowMcpServers=true`"
)
LOADER: Final = McpLoaderTool.spec.name


class ServersProvider(ToolProvider):
    """The tools of the user's other servers.

    Args:
        servers: The servers.
        allowed: Whether the user allows other servers at all, on this machine.
    """

    id, name, version = "servers", "Other servers", __version__
    description = "The tools of other MCP servers that you have entered."

    def __init__(self, servers: Servers, allowed: Callable[[], bool]) -> None:
        self._servers = servers
        self._allowed = allowed
        self._loader: McpLoaderTool | None = None
        self._made: WeakKeyDictionary[ServerConnection, tuple[Sequence[Definition], list[ServerTool]]] = (
            WeakKeyDictionary()
        )
        """The tools of each connection, and the definitions that they were made of."""

    async def start(self, changed: Callable[[], None]) -> None:
        """Look which servers there are."""

        def noticed() -> None:
            self._loader = None
            changed()

        await self._servers.start(noticed)

    async def stop(self) -> None:
        """End them all."""
        await self._servers.stop()

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return the loader, where there is anything to load, and what the caller has loaded."""
        if not self._allowed() or not self._servers.entries:
            return ()
        if self._loader is None:
            self._loader = McpLoaderTool(self._servers)
        return (self._loader, *self._loaded(caller))

    def why_missing(self, name: str, caller: Caller) -> str | None:
        """Return that other servers are off, or that one has to be loaded first."""
        server = name.removeprefix("mcp__").partition("__")[0] if name.startswith("mcp__") else None
        if server is None and name != LOADER:
            return None
        if not self._allowed():
            return OFF
        if server not in self._servers.entries or any(held.name == server for held in self._servers.of(caller)):
            return None
        return f"The tools of the server {server} are there after {LOADER!r} was called"

    def _loaded(self, caller: Caller) -> Iterator[ServerTool]:
        for server in self._servers.of(caller):
            definitions = server.definitions
            made = self._made.get(server)
            if made is None or made[0] is not definitions:
                made = self._made[server] = (definitions, self._tools_of(server, definitions))
            yield from made[1]

    def _tools_of(self, server: ServerConnection, definitions: Sequence[Definition]) -> list[ServerTool]:
        tools = []
        for definition in definitions:
            try:
                tools.append(ServerTool(server, definition, self._servers.approvals))
            except ValueError as error:
                server.faults.append(f"the tool {definition.name!r} is left out: {error}")
        return tools
