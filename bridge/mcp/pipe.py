"""Both eras of MCP on one pipe, in any order: each request is served in the way it asks for.

The SDK's own loop decides once, by the first request. Clients are in use that ask `server/discover` first, in the new
way, and shake hands on the same pipe afterwards, in the old one.
"""

from collections.abc import Mapping
from typing import Any

from mcp.server.connection import Connection, NotifyOnlyOutbound
from mcp.server.lowlevel.server import Server
from mcp.server.runner import ServerRunner, aclose_shielded, modern_error_data, serve_one
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import InboundLadderRejection, classify_inbound_request
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.message import SessionMessage
from mcp.shared.transport_context import TransportContext
from mcp_types import PROTOCOL_VERSION_META_KEY
from pydantic import ValidationError

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
