"""The provider of other servers' tools: `mcp_loader` alone, until a client has called it to connect the servers."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final
from weakref import WeakKeyDictionary

from bridge import __version__
from bridge.contract.base import NoParams
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import ExecutionFailed
from bridge.identity.caller import Caller
from bridge.policy.targets import Target, server_tool_target
from bridge.servers.connection import ServerConnection
from bridge.servers.definitions import Definition, tool_name
from bridge.servers.servers import Loaded, Servers
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, Tool, ToolAnnotations, ToolSpec
from bridge.tools.servers.server_tool import ServerTool


class McpLoaderTool(ReadTool[NoParams]):
    """The tool that loads the servers.

    Args:
        servers: The servers.
    """

    spec = ToolSpec(
        name="mcp_loader",
        title="Load other servers",
        action="load/loaded the other servers",
        description=(
            "Connect the MCP servers that the user has entered, and add their tools for you, named mcp__SERVER__TOOL. "
            "Call it once when you need one of them."
        ),
        icon="plug",
        parameters=ModelParameters(NoParams),
        operation=Operation.EXECUTE,
        risk=RiskLevel.MEDIUM,
        fixed_risk=True,
        consent_class=ConsentClass.ALWAYS,
        default_mode=ConsentMode.ALWAYS_ASK,
        covers=Covers.TOOL,
        id_prefix="server",
        switched=True,
        timeout=90.0,
        hints=ToolAnnotations(read_only=False, destructive=False, idempotent=True, open_world=True),
    )

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._entries = dict(servers.entries)
        # Models read what each server is for before any of them is loaded.
        lines = [f"- {name}: {entry.description or 'no description'}" for name, entry in self._entries.items()]
        self.spec = replace(self.spec, description="\n".join([self.spec.description, *lines]))

    def prepare(self, params: NoParams, context: CallContext) -> RequestEffect:
        """Say which programs will be started and which addresses reached, and what has changed since they were."""
        del params, context
        changed, told = [], []
        for name, entry in self._entries.items():
            change = self._servers.approvals.entry_change(name, entry)
            told.append("\n".join([f"server: {name}", *entry.told()]))
            if change is not None:
                changed.append(name)
                told.append(f"It was not allowed like this before:\n{change}")
        count = len(self._entries)
        insists = f"These servers are new, or started otherwise than when you allowed them: {', '.join(changed)}"
        return RequestEffect(
            tuple(server_tool_target(name, "start") for name in self._entries),
            f"Connect {count} other server{'' if count == 1 else 's'}",
            "\n\n".join(told),
            insists=insists if changed else "",
        )

    async def run(self, params: NoParams, context: CallContext) -> Output:
        """Connect them, as they were shown."""
        del params
        if self._servers.entries != self._entries:
            raise ExecutionFailed("The user has just changed the servers; nothing was started. Call it again")
        for name, entry in self._entries.items():
            await asyncio.to_thread(self._servers.approvals.approve, name, entry)
        loaded = await self._servers.load(context.caller)
        return Output(_data(loaded), _text(loaded), strangers=tuple(self._unseen(loaded)))

    def _unseen(self, loaded: Loaded) -> Iterator[Target]:
        """Yield the servers that say of themselves, or of why they failed, what the person has not said yes to."""
        change = self._servers.approvals.tool_change
        for server in loaded.ready:
            if server.faults or any(change(server.name, each) is not None for each in server.definitions):
                yield server_tool_target(server.name, "start")
        yield from (server_tool_target(name, "start") for name in loaded.failed)


def _data(loaded: Loaded) -> dict[str, object]:
    tools = {server.name: [tool_name(server.name, each.name) for each in server.definitions] for server in loaded.ready}
    return {"servers": tools, "failed": dict(loaded.failed)}


def _text(loaded: Loaded) -> str:
    lines = []
    for server in loaded.ready:
        named = ", ".join(tool_name(server.name, each.name) for each in server.definitions)
        lines.append(f"{server.name}: {named or 'no tools'}")
        lines += [f"  {fault}" for fault in server.faults]
    lines += [f"{name}: not loaded. {why}" for name, why in loaded.failed.items()]
    return "\n".join(lines) or "No server is entered."


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
