"""The tool `mcp_loader`: connects the user's other servers, and gives their tools to the client that calls it."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import ExecutionFailed
from bridge.policy.targets import Target, server_tool_target
from bridge.servers.definitions import tool_name
from bridge.servers.servers import Loaded, Servers, described
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, ToolAnnotations, ToolSpec


class McpLoaderParams(Params):
    """The parameters: none."""


class McpLoaderTool(ReadTool[McpLoaderParams]):
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
        parameters=ModelParameters(McpLoaderParams),
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
        named = "\n".join([self.spec.description, described(self._entries)])
        self.spec = replace(self.spec, description=named)

    def prepare(self, params: McpLoaderParams, context: CallContext) -> RequestEffect:
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

    async def run(self, params: McpLoaderParams, context: CallContext) -> Output:
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
