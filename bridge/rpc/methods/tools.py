"""tools.*: list, call, wait for, preview and cancel. Calls without a call id end with their connection."""

import asyncio
import secrets
from typing import Annotated, Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.contract.result import ToolResult
from bridge.errors import ToolFailure
from bridge.rpc.method import Method, RequestContext
from bridge.toolkit.schema import Format, describe
from bridge.toolkit.tool_call import ToolCall

ToolName = Annotated[str, Field(min_length=1, max_length=200)]
CallId = Annotated[str, Field(min_length=1, max_length=200)]
Wait = Annotated[float, Field(ge=0, le=86_400)]


class ListParams(Params):
    """In which form."""

    form: Format = Field(default="bridge", alias="format")


class CallParams(Params):
    """One call. `wait` (seconds) bounds the reply, not the call."""

    name: ToolName
    arguments: dict[str, Any] = Field(default_factory=dict)
    call_id: CallId | None = None
    wait: Wait | None = None
    reason: Annotated[str, Field(max_length=2000)] | None = None


class ResultParams(Params):
    """A call made before."""

    call_id: CallId
    wait: Wait | None = None


class PreviewParams(Params):
    """A call that is only to be shown."""

    name: ToolName
    arguments: dict[str, Any] = Field(default_factory=dict)


class CancelParams(Params):
    """A call that is no longer wanted."""

    call_id: CallId


def list_tools(exchange: RequestContext, params: ListParams) -> list[dict[str, Any]] | str:
    """The enabled tools."""
    return describe(exchange.services.registry, exchange.services.settings.current, params.form)


async def call(exchange: RequestContext, params: CallParams) -> dict[str, Any]:
    """Run a tool: a ToolResult, or a ticket when `wait` ran out while a person decides."""
    session, calls = exchange.session, exchange.services.calls
    exchange.kept = params.call_id is not None
    call_id = params.call_id
    if call_id is None and params.wait is not None:
        call_id = f"call-{secrets.token_hex(8)}"  # ours, so that the call can be found again if the caller hangs up
    try:
        return await calls.call(
            session.caller,
            params.name,
            params.arguments,
            call_id=call_id,
            wait=params.wait,
            reason=params.reason,
            notify=session.notify if session.role == "agent" else None,  # hosts are told of every call anyway
        )
    except asyncio.CancelledError:
        if call_id is not None and params.call_id is None:
            calls.cancel(call_id)  # nobody has its ticket
        raise


async def result(exchange: RequestContext, params: ResultParams) -> dict[str, Any]:
    """What became of a call."""
    return await exchange.services.calls.result(params.call_id, params.wait)


async def preview(exchange: RequestContext, params: PreviewParams) -> dict[str, Any]:
    """What a call would do, as `{plan}`; or the failed ToolResult that the call would be."""
    try:
        return await exchange.services.pipeline.preview(
            ToolCall(exchange.session.caller, params.name, params.arguments)
        )
    except ToolFailure as failure:
        return ToolResult.failed(failure).to_wire()


def cancel(exchange: RequestContext, params: CancelParams) -> dict[str, Any]:
    """Stop a call that has not begun to write."""
    return {"cancelled": exchange.services.calls.cancel(params.call_id)}


METHODS = (
    Method("tools.list", list_tools, ListParams),
    Method("tools.call", call, CallParams),
    Method("tools.result", result, ResultParams, waits=True),
    Method("tools.preview", preview, PreviewParams),
    Method("tools.cancel", cancel, CancelParams),
)
