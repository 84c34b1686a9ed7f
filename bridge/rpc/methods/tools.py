"""tools.*: list, call, wait for, preview and cancel. Calls without a call id end with their connection."""

import asyncio
import uuid
from collections.abc import Sequence

from bridge.contract import tools as wire
from bridge.contract.base import Wire
from bridge.contract.result import CallPreview, PendingCall, ToolResult
from bridge.errors import ToolFailure
from bridge.rpc.dispatch import Method, RequestContext
from bridge.toolkit.schema import describe
from bridge.toolkit.tool_call import ToolCall


def list_tools(context: RequestContext, params: wire.ToolsListParams) -> Sequence[Wire] | str:
    """The enabled tools."""
    return describe(context.services.registry, context.session.caller, context.services.settings.current, params.form)


async def call(context: RequestContext, params: wire.ToolCallParams) -> ToolResult | PendingCall:
    """Run a tool: its result, or a ticket when `wait` ran out while a person decides."""
    session, calls = context.session, context.services.calls
    context.kept = params.call_id is not None
    call_id = params.call_id
    if call_id is None and params.wait is not None:
        call_id = str(uuid.uuid4())  # ours, so that the call can be found again if the caller hangs up
    try:
        return await calls.call(
            session.caller,
            params.name,
            params.arguments,
            call_id=call_id,
            wait=params.wait,
            reason=params.reason,
            notify=session.notify,
        )
    except asyncio.CancelledError:
        if call_id is not None and params.call_id is None:
            calls.cancel(session.caller, call_id)  # nobody has its ticket
        raise


async def result(context: RequestContext, params: wire.ToolResultParams) -> ToolResult | PendingCall:
    """What became of a call."""
    return await context.services.calls.result(context.session.caller, params.call_id, params.wait)


async def preview(context: RequestContext, params: wire.ToolPreviewParams) -> CallPreview | ToolResult:
    """What a call would do; or the failed ToolResult that the call would be."""
    try:
        return await context.services.pipeline.preview(ToolCall(context.session.caller, params.name, params.arguments))
    except ToolFailure as failure:
        return ToolResult.failed(failure)


def cancel(context: RequestContext, params: wire.ToolCancelParams) -> wire.Cancelled:
    """Stop a call that has not begun to write."""
    return wire.Cancelled(cancelled=context.services.calls.cancel(context.session.caller, params.call_id))


METHODS = (
    Method(
        "tools.list",
        list_tools,
        list[wire.ToolDescription] | list[wire.FunctionTool] | list[wire.McpTool] | str,
        wire.ToolsListParams,
    ),
    Method("tools.call", call, ToolResult | PendingCall, wire.ToolCallParams),
    Method("tools.result", result, ToolResult | PendingCall, wire.ToolResultParams, waits=True),
    Method("tools.preview", preview, CallPreview | ToolResult, wire.ToolPreviewParams),
    Method("tools.cancel", cancel, wire.Cancelled, wire.ToolCancelParams),
)
