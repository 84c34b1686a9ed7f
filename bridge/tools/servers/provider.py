"""The provider of other servers' tools: `mcp_loader` alone, until a client has called it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
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
        """The loader, where there is anything to load, and what the caller has loaded."""
        if not self._allowed() or not self._servers.entries:
            return ()
        if self._loader is None:
            self._loader = McpLoaderTool(self._servers)
        return (self._loader, *self._loaded(caller))

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
