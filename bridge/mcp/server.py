"""The MCP server of one client: tools, resources, prompts, and news of what has changed, in both eras of MCP.

On one pipe each request is served in the era that it asks for, in any order. The SDK's own loop decides once, by the
first request. Clients are in use that ask `server/discover` first, in the new way, and shake hands on the same pipe
afterwards, in the old one.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import unquote

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.connection import Connection, NotifyOnlyOutbound
from mcp.server.context import CallNext, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.runner import ServerRunner, aclose_shielded, modern_error_data, serve_one
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated, ToolsListChanged
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext
from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from bridge.client.errors import ProtocolFailure
from bridge.contract.base import SCREEN_CHANGED, TOOLS_CHANGED
from bridge.errors import BridgeError
from bridge.mcp import results
from bridge.mcp.calls import PROGRESS_SECONDS, McpCalls, elicit, resume, without_added
from bridge.mcp.port import WHILE_CONNECTED, BridgePort

MOST_LISTED: Final = 100
"""Notes that are listed at once, the latest ones, or completed; the protocol allows no more in a completion."""
INTRODUCTIONS: Final = ("initialize", "server/discover")
"""The first request of a client, in each era; the answer has the instructions for its model."""
LIST_SECONDS: Final = 5.0
"""The time such an answer waits for the list of tools, while the bridge starts for the first time."""
EVERY_NOTE: Final = "**/*.md"
TEMPLATE: Final = {"uriTemplate": f"{results.SCHEME}{{+path}}", "name": "note", "description": "A note, by its path"}
SCREEN: Final = {
    "uri": f"{results.SCHEME}@screen",
    "name": "@screen",
    "description": "What the user looks at in Obsidian, where they have allowed you to see it",
    "mimeType": "text/plain",
}
RESOURCE_NOT_FOUND: Final = -32002
"""The protocol's code for it before 2026; after that it is a wrong parameter like others."""
_HINTS: Final[dict[Any, CacheHint]] = {
    "server/discover": CacheHint(30_000),
    "prompts/list": CacheHint(3_600_000),
    "resources/templates/list": CacheHint(3_600_000),
    "tools/list": CacheHint(30_000),
    "resources/list": CacheHint(5_000),
    "resources/read": CacheHint(0),
}
"""The time clients may keep an answer, in milliseconds; none may be shared with other clients."""

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, Any], Awaitable[Any]]
Resumable = types.InputResponseRequestParams


class VaultServer(Server[Any]):
    """The MCP server of one client, on all its connections.

    Args:
        bridge: The way to the bridge, as this client.
        version: The bridge's version.
        progress_seconds: Between two notes of progress of a call that waits.
    """

    def __init__(self, bridge: BridgePort, version: str, *, progress_seconds: float = PROGRESS_SECONDS) -> None:
        super().__init__("vault-bridge", version=version, title="Vault Bridge", cache_hints=_HINTS)
        self.middleware[:] = [self._with_instructions]  # instead of the library's tracing, which nobody listens to
        self._bridge = bridge
        self._calls = McpCalls(bridge, progress_seconds)
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus, max_subscriptions=32)
        self._initialized: dict[Any, Any] = {}
        self._watching: dict[Any, Any] = {}
        """The connections that subscribed to what the user looks at, in the era with a handshake."""
        self._telling: set[asyncio.Task[None]] = set()
        handlers: tuple[tuple[str, type[Any], Handler], ...] = (
            ("tools/list", types.PaginatedRequestParams, self._list_tools),
            ("tools/call", types.CallToolRequestParams, self._call_tool),
            ("resources/list", types.PaginatedRequestParams, self._list_resources),
            ("resources/templates/list", types.PaginatedRequestParams, self._list_templates),
            ("resources/read", types.ReadResourceRequestParams, self._read_resource),
            ("resources/subscribe", types.SubscribeRequestParams, self._watch),
            ("resources/unsubscribe", types.UnsubscribeRequestParams, self._unwatch),
            ("prompts/list", types.PaginatedRequestParams, self._list_prompts),
            ("prompts/get", types.GetPromptRequestParams, self._get_prompt),
            ("completion/complete", types.CompleteRequestParams, self._complete),
            ("subscriptions/listen", types.SubscriptionsListenRequestParams, self._subscribe),
        )
        for method, params, handler in handlers:
            self.add_request_handler(method, params, self._served(handler))
        self.add_notification_handler("notifications/initialized", types.NotificationParams, self._introduced)
        bridge.listen(self._event)

    @property
    def in_use(self) -> bool:
        """Return whether a client has completed its handshake."""
        return bool(self._initialized)

    def close(self) -> None:
        """End what waits for news."""
        self._listen.close()

    def get_capabilities(self, *args: Any, **more: Any) -> types.ServerCapabilities:
        """Return what is served, the same in both eras: clients hear of changes to tools and to the user's screen."""
        told = {
            "tools": types.ToolsCapability(list_changed=True),
            "resources": types.ResourcesCapability(subscribe=True, list_changed=False),
            "prompts": types.PromptsCapability(list_changed=False),
        }
        return super().get_capabilities(*args, **more).model_copy(update=told)

    def _served(self, handler: Handler) -> Handler:
        """Return a handler whose answers say that they are whole, as the newer era wants; the older gets none of it."""

        async def answer(ctx: Context, params: Any) -> Any:
            self._introduce(ctx)
            result = await handler(ctx, params)
            return {"resultType": "complete"} | result if isinstance(result, dict) else result

        return answer

    async def _with_instructions(self, ctx: Context, call_next: CallNext) -> Any:
        """Add what the client's model is told to the answer by which it comes to know us."""
        result = await call_next(ctx)
        if ctx.method not in INTRODUCTIONS or not isinstance(result, dict):
            return result
        tools, sent_back = list[dict[str, Any]](), 0
        with contextlib.suppress(BridgeError, TimeoutError):  # without a bridge, it is told what holds for everybody
            async with asyncio.timeout(LIST_SECONDS):
                tools = await self._listed()
                if self._bridge.is_there:  # the first answer says it too, and a client that waits here has no tools yet
                    sent_back = (await self._bridge.request("session.info")).get("sentBack", 0)
        return result | {"instructions": results.instructions(tools, sent_back=sent_back > 0)}

    async def _list_tools(self, _ctx: Context, _params: Any) -> dict[str, Any]:
        try:
            return {"tools": await self._listed()}
        except BridgeError as failure:
            raise MCPError(types.INTERNAL_ERROR, _sentence(failure)) from None

    async def _listed(self) -> list[dict[str, Any]]:
        return list(await self._bridge.request("tools.list", format="mcp"))

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        try:
            arguments = await without_added(params.name, params.arguments or {}, self._listed)
            answer: dict[str, Any] = await self._call(ctx, params, params.name, arguments)
            if "requestState" in answer:
                return answer
            info = await self._bridge.request("session.info")
            if answer.get("status") == "pending":
                return results.waiting_result(answer, structured=info["structuredResults"])
            if info.get("sent") and (sent := (await self._bridge.request("screen.take"))["text"]):
                answer["text"] = f"{sent}\n{answer['text']}"
            return results.call_result(answer, info["maxOutputBytes"], structured=info["structuredResults"])
        except (BridgeError, ValueError) as failure:
            return results.failed_result(_sentence(failure))

    async def _call(self, ctx: Context, params: Resumable, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool, or go on with a call whose client was asked something meanwhile."""
        call_id, ask = await resume(self._bridge, params), partial(elicit, ctx, self._bridge)
        report, ticket = ctx.session.report_progress, ctx.method == "tools/call"
        async with ctx.request.scope[WHILE_CONNECTED]() if ctx.request is not None else contextlib.nullcontext():
            return await self._calls.call(name, arguments, report, elicit=ask, call_id=call_id, ticket=ticket)

    async def _find(self, pattern: str) -> list[str]:
        found = await self._calls.look("find", pattern=pattern[:1000], maxResults=MOST_LISTED) or ()
        return [file["path"] for file in found]

    async def _list_resources(self, _ctx: Context, _params: Any) -> dict[str, Any]:
        paths = await self._find(EVERY_NOTE)
        notes = [{"uri": results.note_uri(path), "name": path, "mimeType": "text/markdown"} for path in paths]
        return {"resources": [*notes, SCREEN]}

    async def _list_templates(self, _ctx: Context, _params: Any) -> dict[str, Any]:
        return {"resourceTemplates": [TEMPLATE]}

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        if not params.uri.startswith(results.SCHEME):
            raise _not_found(ctx, params.uri)
        arguments = {"path": unquote(params.uri.removeprefix(results.SCHEME))}
        try:
            answer: dict[str, Any] = await self._call(ctx, params, "read", arguments)
        except (BridgeError, ValueError) as failure:
            raise MCPError(types.INTERNAL_ERROR, _sentence(failure)) from None
        if "requestState" in answer:
            return answer
        if answer.get("status") == "pending":  # of a client whose calls do not wait for a person
            raise MCPError(types.INTERNAL_ERROR, answer["text"])
        if params.uri == SCREEN["uri"] and answer.get("errorType") == "permission_denied":
            # It is listed for every client, so whoever opens it is told in words what the user can do.
            return {"contents": [{"uri": params.uri, "mimeType": "text/plain", "text": answer["error"]}]}
        if not answer["success"]:
            gone = answer["errorType"] == "not_found"
            raise _not_found(ctx, params.uri) if gone else MCPError(types.INTERNAL_ERROR, answer["error"])
        kind = "text/markdown" if arguments["path"].lower().endswith(".md") else "text/plain"
        return {"contents": [{"uri": params.uri, "mimeType": kind, "text": results.whole_text(answer)}]}

    async def _list_prompts(self, _ctx: Context, _params: Any) -> dict[str, Any]:
        return {"prompts": [results.listed(name, prompt) for name, prompt in results.PROMPTS.items()]}

    async def _get_prompt(self, _ctx: Context, params: types.GetPromptRequestParams) -> dict[str, Any]:
        prompt, given = results.PROMPTS.get(params.name), params.arguments or {}
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no prompt {params.name[:100]!r}")
        if missing := [name for name in prompt["arguments"] if not given.get(name)]:
            raise MCPError(types.INVALID_PARAMS, f"The prompt {params.name!r} needs {missing[0]!r}")
        content = {"type": "text", "text": prompt["text"].format_map(given)}
        return {"description": prompt["title"], "messages": [{"role": "user", "content": content}]}

    async def _complete(self, _ctx: Context, params: types.CompleteRequestParams) -> dict[str, Any]:
        return {"completion": {"values": await self._find(params.argument.value or EVERY_NOTE)}}

    async def _subscribe(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """Notify until the client leaves: of changed tools and of what the user looks at; of nothing else."""
        asked = params.notifications
        uris = [uri for uri in asked.resource_subscriptions or () if uri == SCREEN["uri"]]
        own = types.SubscriptionFilter(tools_list_changed=asked.tools_list_changed, resource_subscriptions=uris or None)
        return await self._listen(ctx, params.model_copy(update={"notifications": own}))

    async def _introduced(self, ctx: Context, _params: Any) -> None:
        """Note that a client of the era with a handshake is ready; it is notified without asking for it."""
        _until_it_leaves(self._initialized, ctx)

    async def _watch(self, ctx: Context, params: types.SubscribeRequestParams) -> dict[str, Any]:
        """Let a client of that era hear when the user looks at something else."""
        if params.uri != SCREEN["uri"]:
            raise MCPError(types.INVALID_PARAMS, f"Only {SCREEN['uri']} can be subscribed to")
        _until_it_leaves(self._watching, ctx)
        return {}

    async def _unwatch(self, ctx: Context, _params: types.UnsubscribeRequestParams) -> dict[str, Any]:
        self._watching.pop(ctx.session._connection, None)  # noqa: SLF001 - as where it is put in
        return {}

    def _introduce(self, ctx: Context) -> None:
        """Pass on what the program calls itself."""
        if (client := ctx.session.client_params) is not None:
            called = client.client_info.title or client.client_info.name
            if name := "".join(filter(str.isprintable, called)).strip():
                self._bridge.introduce(name[:80].strip())

    def _event(self, event: str, _params: dict[str, Any]) -> None:
        tellers = {TOOLS_CHANGED: self._tell_of_tools, SCREEN_CHANGED: self._tell_of_screen}
        if event in tellers:
            task = asyncio.get_running_loop().create_task(tellers[event]())
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def _tell_of_screen(self) -> None:
        await self._bus.publish(ResourceUpdated(uri=SCREEN["uri"]))
        for session in list(self._watching.values()):
            await session.send_resource_updated(SCREEN["uri"])

    async def _tell_of_tools(self) -> None:
        await self._bus.publish(ToolsListChanged())
        for session in list(self._initialized.values()):
            await session.send_tool_list_changed()


def _until_it_leaves(held: dict[Any, Any], ctx: Context) -> None:
    """Put a connection's session among others for as long as it is open."""
    session, connection = ctx.session, ctx.session._connection  # noqa: SLF001 - nothing public tells its end
    if connection not in held:  # a client may say so as often as it likes
        held[connection] = session
        connection.exit_stack.callback(held.pop, connection, None)


def _sentence(failure: Exception) -> str:
    """Return what went wrong, for a model."""
    return failure.hint or failure.message if isinstance(failure, ProtocolFailure) else str(failure)


def _not_found(ctx: Context, uri: str) -> MCPError:
    code = types.INVALID_PARAMS if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else RESOURCE_NOT_FOUND
    return MCPError(code, "Resource not found", {"uri": uri})


Params = Mapping[str, Any] | None
Dispatch = DispatchContext[TransportContext]


async def serve_pipe(
    server: Server[Any], incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]
) -> None:
    """Serve one client until its side of the pipe closes.

    Args:
        server: Answers.
        incoming: What the client sends.
        outgoing: Where answers go.
    """
    # A client may send its next request before the handshake is answered, so nothing is read until it is.
    dispatcher: JSONRPCDispatcher[TransportContext] = JSONRPCDispatcher(
        incoming, outgoing, inline_methods=frozenset({"initialize"})
    )
    shaken = Connection.for_loop(dispatcher)
    runner, outbound = ServerRunner(server, shaken, {}), NotifyOnlyOutbound(dispatcher)

    async def answer(context: Dispatch, method: str, params: Params) -> dict[str, Any]:
        if method == "initialize" or not _has_envelope(params):
            return await runner.on_request(context, method, params)
        route = classify_inbound_request({"method": method, "params": params})
        if isinstance(route, InboundLadderRejection):
            raise MCPError(route.code, route.message, route.data)
        connection = Connection.from_envelope(
            route.protocol_version, route.client_info, route.client_capabilities, outbound=outbound
        )
        try:
            return await serve_one(server, context, method, params, connection=connection, lifespan_state={})
        except (MCPError, ValidationError):
            raise
        except Exception as error:
            raise MCPError.from_error_data(modern_error_data(error)) from error

    try:
        await dispatcher.run(answer, runner.on_notify)
    finally:
        await aclose_shielded(shaken)


def _has_envelope(params: Params) -> bool:
    """Return whether a request carries its protocol version, as requests do since 2026."""
    meta = params.get("_meta") if params else None
    return isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
