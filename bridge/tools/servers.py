"""The tools of other servers as tools of ours: named after their server, asked about, and answered with what it says.

A client has `mcp_loader` alone until it has called it to connect the servers. An answer is bounded, and marked as a
stranger's words.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from weakref import WeakKeyDictionary

from bridge.contract.base import NoParams
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.contract.tools import ImagePart, LinkPart, McpAnnotations, ResultPart
from bridge.errors import ExecutionFailed
from bridge.identity.caller import Caller
from bridge.policy.targets import Target, server_tool_target
from bridge.servers.configuration import Definition, tool_name
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Approvals, Loaded, Servers
from bridge.toolkit.outgoing import strings
from bridge.toolkit.parameters import JsonSchemaParameters, ModelParameters
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, Tool, ToolSpec
from bridge.tools.formatting import quoted
from bridge.vault.text import counted, with_hidden_characters_shown

OFF: Final = (
    "Other servers are not allowed here. The user can allow them in the settings, or with "
    "`vault-bridge settings set allowMcpServers=true`"
)
LOADER: Final = "mcp_loader"
SECONDS: Final = 120.0
"""The time a call may take; waiting for a person is not counted."""
_LONGEST_LINE: Final = 100_000
MOST_PARTS: Final = 50
MOST_BYTES: Final = 4 << 20
"""Bytes of all images of one answer, as base64."""
_LONGEST_URI: Final = 2_000
_LONGEST_NAME: Final = 200
_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def output(server: str, answer: Mapping[str, Any]) -> Output:
    """Return a server's answer.

    Args:
        server: The server's name.
        answer: A CallToolResult, as JSON.

    Raises:
        ExecutionFailed: It says that the tool failed.
    """
    content = answer.get("content")
    content = [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    text = with_hidden_characters_shown("\n".join(_texts(content)).strip())
    if answer.get("isError"):
        why = quoted(text, f"the server {server}", origin="another server") if text else "It gives no reason"
        raise ExecutionFailed(f"The server {server} says that it failed. {why}")
    left_out: list[str] = []
    parts = tuple(_parts(content, left_out))
    data = answer.get("structuredContent")
    if not text:
        text = "(no text)" if data is None else json.dumps(data, ensure_ascii=False)
    said = "\n".join([text, *(f"[{each} left out]" for each in left_out)])
    return Output(data, quoted(said, f"the server {server}", origin="another server"), parts=parts)


def _texts(content: list[dict[str, Any]]) -> Iterator[str]:
    for each in content:
        match each.get("type"):
            case "text":
                yield str(each.get("text", ""))
            case "resource" if isinstance(each.get("resource"), dict) and "text" in each["resource"]:
                yield str(each["resource"]["text"])


def _parts(content: list[dict[str, Any]], left_out: list[str]) -> Iterator[ResultPart]:
    held = count = 0
    for each in content:
        kind = each.get("type")
        if kind == "text" or (kind == "resource" and "text" in (each.get("resource") or {})):
            continue
        if count == MOST_PARTS:
            left_out.append(f"everything after {MOST_PARTS} parts")
            return
        match kind:
            case "image":
                data, mime = str(each.get("data", "")), str(each.get("mimeType", ""))
                held += len(data)
                if mime not in _IMAGES or held > MOST_BYTES:
                    left_out.append("an image of another kind, or too large")
                    continue
                yield ImagePart(mime_type=mime, data=data)
            case "resource_link":
                said = each.get("mimeType")
                yield LinkPart(
                    uri=str(each.get("uri", ""))[:_LONGEST_URI],
                    name=str(each.get("title") or each.get("name") or "")[:_LONGEST_NAME],
                    mime_type=str(said)[:_LONGEST_NAME] if said else None,
                )
            case _:
                left_out.append(f"a part of the kind {str(kind)[:30]!r}")
                continue
        count += 1


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
        untrusted = ConsentClass.NEVER if definition.destructive else ConsentClass.SESSION
        name = tool_name(server.name, definition.name)
        self.spec = ToolSpec(
            name=name,
            title=f"{server.name}: {definition.title}",
            action=f"use/used {name}",
            description=f"A tool of the server {server.name}. {definition.description}",
            icon="plug",
            parameters=JsonSchemaParameters(dict(definition.schema)),
            operation=Operation.NETWORK,
            risk=RiskLevel.LOW if harmless else RiskLevel.HIGH,
            fixed_risk=True,
            consent_class=ConsentClass.ALWAYS if trusted else untrusted,
            default_mode=ConsentMode.ALWAYS_ALLOW if trusted else ConsentMode.SESSION_ALLOW,
            id_prefix="server",
            switched=True,
            timeout=SECONDS,
            hints=McpAnnotations(
                read_only_hint=harmless,
                destructive_hint=None if harmless else True,
                idempotent_hint=True if definition.idempotent and not harmless else None,
                open_world_hint=True,
            ),
        )

    def prepare(self, params: dict[str, Any], _context: CallContext) -> RequestEffect:
        """Say which tool of which server, what that was told, and what is sent."""
        server, definition = self.server, self._definition
        change = self._approvals.tool_change(server.name, definition)
        known = self._approvals.knows_tool(server.name, definition)
        sent = ["", "sent:", json.dumps(params, ensure_ascii=False, indent=2)]
        exact = "\n".join([f"server: {server.name}", *server.entry.told(), f"tool: {definition.name}", *sent])
        if change is not None:
            heading = (
                "It describes itself otherwise than when you allowed it:"
                if known
                else "This is how it describes itself:"
            )
            exact = f"{exact}\n\n{heading}\n{change}"
        insists = ""
        if change is not None and known:
            insists = f"The server {server.name} has changed this tool since you allowed it"
        elif change is not None and server.entry.trusted:
            insists = f"The server {server.name} did not have this tool when you trusted it"
        return RequestEffect(
            (server_tool_target(server.name, self.spec.name.removeprefix(f"mcp__{server.name}__")),),
            f"Use the tool {json.dumps(definition.name, ensure_ascii=False)} of the server {server.name}",
            exact,
            insists=insists,
            sends=tuple(strings(params)) if params else (),
        )

    async def run(self, params: dict[str, Any], context: CallContext) -> Output:
        """Call it, and wrap what it says as data."""
        definition = self._definition
        if any(each.name == definition.name and each != definition for each in await self.server.connect()):
            raise ExecutionFailed("The server has just changed this tool; nothing was sent. Call it again")

        def progressed(done: float, total: float | None, message: str | None) -> None:
            context.progress(int(done), None if total is None else int(total), (message or "")[:_LONGEST_LINE])

        # The call was allowed, and so is the description that its question showed.
        if self._approvals.tool_change(self.server.name, definition) is not None:
            await asyncio.to_thread(self._approvals.approve, self.server.name, self.server.entry, [definition])
        return output(self.server.name, await self.server.call(definition.name, params, SECONDS, progressed))


class McpLoaderTool(ReadTool[NoParams]):
    """The tool that loads the servers.

    Args:
        servers: The servers.
    """

    spec = ToolSpec(
        name=LOADER,
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
        hints=McpAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True),
    )

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._entries = dict(servers.entries)
        # Models read what each server is for before any of them is loaded.
        lines = [f"- {name}: {entry.description or 'no description'}" for name, entry in self._entries.items()]
        self.spec = replace(self.spec, description="\n".join([self.spec.description, *lines]))

    def prepare(self, _params: NoParams, _context: CallContext) -> RequestEffect:
        """Say which programs will be started and which addresses reached, and what has changed since they were."""
        changed, told = [], []
        for name, entry in self._entries.items():
            change = self._servers.approvals.entry_change(name, entry)
            told.append("\n".join([f"server: {name}", *entry.told()]))
            if change is not None:
                changed.append(name)
                told.append(f"It was not allowed like this before:\n{change}")
        insists = f"These servers are new, or started otherwise than when you allowed them: {', '.join(changed)}"
        return RequestEffect(
            tuple(server_tool_target(name, "start") for name in self._entries),
            f"Connect {counted(len(self._entries), 'other server')}",
            "\n\n".join(told),
            insists=insists if changed else "",
        )

    async def run(self, _params: NoParams, context: CallContext) -> Output:
        """Connect them, as they were shown."""
        if self._servers.entries != self._entries:
            raise ExecutionFailed("The user has just changed the servers; nothing was started. Call it again")
        for name, entry in self._entries.items():
            await asyncio.to_thread(self._servers.approvals.approve, name, entry)
        loaded, lines = await self._servers.load(context.caller), list[str]()
        tools = {one.name: [tool_name(one.name, each.name) for each in one.definitions] for one in loaded.ready}
        for server in loaded.ready:
            lines.append(f"{server.name}: {', '.join(tools[server.name]) or 'no tools'}")
            lines += [f"  {fault}" for fault in server.faults]
        lines += [f"{name}: not loaded. {why}" for name, why in loaded.failed.items()]
        data = {"servers": tools, "failed": dict(loaded.failed)}
        return Output(data, "\n".join(lines) or "No server is entered.", strangers=tuple(self._unseen(loaded)))

    def _unseen(self, loaded: Loaded) -> Iterator[Target]:
        """Yield the servers that say of themselves, or of why they failed, what the person has not said yes to."""
        change = self._servers.approvals.tool_change
        for server in loaded.ready:
            if server.faults or any(change(server.name, each) is not None for each in server.definitions):
                yield server_tool_target(server.name, "start")
        yield from (server_tool_target(name, "start") for name in loaded.failed)


class ServersProvider(ToolProvider):
    """The tools of the user's other servers.

    Args:
        servers: The servers.
        allowed: Whether the user allows other servers at all, on this machine.
    """

    id = "servers"

    def __init__(self, servers: Servers, allowed: Callable[[], bool]) -> None:
        self._servers = servers
        self._allowed = allowed
        self._loader: McpLoaderTool | None = None
        self._made = WeakKeyDictionary[ServerConnection, tuple[Sequence[Definition], list[ServerTool]]]()
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
