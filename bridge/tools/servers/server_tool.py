"""A tool of another server as one of ours: named after its server, asked about, and answered with what it says."""

import asyncio
import json
from typing import Any, Final

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import ExecutionFailed
from bridge.policy.targets import server_tool_target
from bridge.servers.approvals import Approvals
from bridge.servers.connection import ServerConnection
from bridge.servers.definitions import Definition, tool_name
from bridge.toolkit.outgoing import strings
from bridge.toolkit.parameters import JsonSchemaParameters
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, ToolAnnotations, ToolSpec
from bridge.tools.servers.answers import output

SECONDS: Final = 120.0
"""The time a call may take; waiting for a person is not counted."""
_LONGEST_LINE: Final = 100_000


class ServerTool(ReadTool[dict[str, Any]]):
    """One tool of one server.

    Its annotations raise what it is asked about, and lower it only where the user trusts the server.

    Args:
        server: The server.
        definition: How it describes the tool.
        approvals: The person's approvals.

    Raises:
        ValueError: Its schema cannot be used.
    """

    def __init__(self, server: ServerConnection, definition: Definition, approvals: Approvals) -> None:
        self.server = server
        self._definition = definition
        self._approvals = approvals
        trusted = server.entry.trusted and not definition.destructive
        harmless = trusted and definition.read_only
        self.spec = ToolSpec(
            name=tool_name(server.name, definition.name),
            title=f"{server.name}: {definition.title}",
            action=f"use/used {tool_name(server.name, definition.name)}",
            description=f"A tool of the server {server.name}. {definition.description}",
            icon="plug",
            parameters=JsonSchemaParameters(dict(definition.schema)),
            operation=Operation.NETWORK,
            risk=RiskLevel.LOW if harmless else RiskLevel.HIGH,
            fixed_risk=True,
            consent_class=_class(trusted=trusted, definition=definition),
            default_mode=ConsentMode.ALWAYS_ALLOW if trusted else ConsentMode.SESSION_ALLOW,
            covers=Covers.TARGET,
            id_prefix="server",
            switched=True,
            timeout=SECONDS,
            hints=ToolAnnotations(
                read_only=harmless,
                destructive=definition.destructive or not harmless,
                idempotent=definition.idempotent or harmless,
                open_world=True,
            ),
        )

    def prepare(self, params: dict[str, Any], context: CallContext) -> RequestEffect:
        """Say which tool of which server, what that was told, and what is sent."""
        del context
        server, definition = self.server, self._definition
        change = self._approvals.tool_change(server.name, definition)
        known = self._approvals.knows_tool(server.name, definition)
        told = [f"server: {server.name}", *server.entry.told(), f"tool: {definition.name}"]
        sent = json.dumps(params, ensure_ascii=False, indent=2)
        exact = "\n".join([*told, "", "sent:", sent])
        if change is not None:
            heading = "It describes itself otherwise than when you allowed it:" if known else "It describes itself so:"
            exact = f"{exact}\n\n{heading}\n{change}"
        insists = ""
        if change is not None and known:
            insists = f"The server {server.name} has changed this tool since you allowed it"
        elif change is not None and server.entry.trusted:
            insists = f"The server {server.name} did not have this tool when you trusted it"
        return RequestEffect(
            (server_tool_target(server.name, self.spec.name.removeprefix(f"mcp__{server.name}__")),),
            f"Use the tool {_quoted(definition.name)} of the server {server.name}",
            exact,
            insists=insists,
            sends=tuple(strings(params)) if params else (),
        )

    async def run(self, params: dict[str, Any], context: CallContext) -> Output:
        """Call it, and wrap what it says as data."""
        definition = next(
            (each for each in await self.server.connect() if each.name == self._definition.name), self._definition
        )
        if definition != self._definition:
            raise ExecutionFailed("The server has just changed this tool; nothing was sent. Call it again")

        def progressed(done: float, total: float | None, message: str | None) -> None:
            context.progress(int(done), None if total is None else int(total), (message or "")[:_LONGEST_LINE])

        # The call was allowed, and so is the description that its question showed.
        if self._approvals.tool_change(self.server.name, definition) is not None:
            await asyncio.to_thread(self._approvals.approve, self.server.name, self.server.entry, [definition])
        answer = await self.server.call(definition.name, params, SECONDS, progressed)
        return output(self.server.name, answer)


def _class(*, trusted: bool, definition: Definition) -> ConsentClass:
    if trusted:
        return ConsentClass.ALWAYS
    return ConsentClass.NEVER if definition.destructive else ConsentClass.SESSION


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
