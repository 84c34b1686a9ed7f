"""Questions that a client may put to its own user, where the person lets it: as either era of MCP has that.

The right to answer is not looked at here. The bridge sends such a question only where there is one, and looks again
when it is confirmed. Anything but a yes leaves the question to the person.
"""

import re
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, InputResponseRequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from bridge.mcp.port import BridgePort

KEY: Final = "allow"
STATE: Final = re.compile(r"([0-9a-f-]{36}) (c-[0-9a-f]{12})", re.ASCII)
"""The id of the call, and of the question."""
YES_OR_NO: Final[dict[str, Any]] = {"type": "object", "properties": {}}
"""A form without fields: it is accepted, or it is not."""


async def elicit(
    ctx: ServerRequestContext[Any, Any], bridge: BridgePort, question: dict[str, Any]
) -> dict[str, Any] | None:
    """Put a question to the client's user, where the client can do that.

    Args:
        ctx: The request whose call asks.
        bridge: Is told of a yes.
        question: The event `consent.own`.

    Returns:
        In the newer era, what to answer the request with; the client then sends it again with what its user said.
    """
    capabilities = ctx.session.client_capabilities
    declared = None if capabilities is None else capabilities.elicitation
    if declared is None or (declared.form is None and declared.url is not None):
        return None
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        params = {"mode": "form", "message": question["message"], "requestedSchema": YES_OR_NO}
        wanted = {KEY: {"method": "elicitation/create", "params": params}}
        state = f"{question['callId']} {question['requestId']}"
        return {"resultType": "input_required", "inputRequests": wanted, "requestState": state}
    if (await ctx.session.elicit_form(question["message"], YES_OR_NO, ctx.request_id)).action == "accept":
        await bridge.request("consent.confirm", requestId=question["requestId"])
    return None


async def resume(bridge: BridgePort, params: InputResponseRequestParams) -> str | None:
    """Take what a request says that was sent again: its user's yes is passed on.

    The state is as a ticket is: another client's leads nowhere, and the same call is never made twice.

    Returns:
        The call that it goes on with; None where it begins one.

    Raises:
        BridgeError: The bridge refuses, or cannot be reached.
        MCPError: The state is none of ours.
    """
    if params.request_state is None:
        return None
    if (ours := STATE.fullmatch(params.request_state)) is None:
        raise MCPError(INVALID_PARAMS, "The requestState is not one that was sent")
    call_id, request_id = ours.groups()
    if getattr((params.input_responses or {}).get(KEY), "action", None) == "accept":
        await bridge.request("consent.confirm", requestId=request_id)
    return call_id
