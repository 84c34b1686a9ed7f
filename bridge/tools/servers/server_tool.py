"""A tool of another server as one of ours: named after its server, asked about, and answered with what it says.

An answer is bounded, and marked as a stranger's words.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.contract.consent import ConsentClass, ConsentMode, Operation, RiskLevel
from bridge.contract.tools import ImagePart, LinkPart, ResultPart
from bridge.errors import ExecutionFailed
from bridge.policy.targets import server_tool_target
from bridge.servers.approvals import Approvals
from bridge.servers.connection import ServerConnection
from bridge.servers.definitions import Definition, tool_name
from bridge.toolkit.outgoing import strings
from bridge.toolkit.parameters import JsonSchemaParameters
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, ToolAnnotations, ToolSpec
from bridge.tools.formatting import quoted
from bridge.vault.text import with_hidden_characters_shown

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
        sent = ["", "sent:", json.dumps(params, ensure_ascii=False, indent=2)]
        exact = "\n".join([f"server: {server.name}", *server.entry.told(), f"tool: {definition.name}", *sent])
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
        answer = await self.server.call(definition.name, params, SECONDS, progressed)
        return output(self.server.name, answer)
