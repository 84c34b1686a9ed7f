"""tools.* and templates.*: list, call, wait for, preview and cancel; and the chains that the user keeps under a name.

Calls without a call id end with their connection. Only the user's programs make and change templates.
"""

import asyncio
import uuid
from collections.abc import Sequence
from typing import Any

from bridge.contract import chains
from bridge.contract import tools as wire
from bridge.contract.base import NoParams, Wire
from bridge.contract.identity import Capability
from bridge.contract.tools import CallPreview, PendingCall, ToolResult
from bridge.errors import ToolFailure
from bridge.rpc.dispatch import Method, RequestContext
from bridge.toolkit.schema import describe
from bridge.toolkit.tool_call import ToolCall
from bridge.tools.templates.templates import ChainTool, TemplatesTool


def list_tools(context: RequestContext, params: wire.ToolsListParams) -> Sequence[Wire] | str:
    """Return the enabled tools."""
    return describe(context.services.registry, context.session.caller, context.services.settings.current, params.form)


async def call(context: RequestContext, params: wire.ToolCallParams) -> ToolResult | PendingCall:
    """Run a tool: its result, or a ticket when `wait` ran out while a person decides."""
    return await call_tool(context, params.name, params.arguments, params, carry=params.carry)


async def chain(context: RequestContext, params: chains.ToolChainParams) -> ToolResult | PendingCall:
    """Run several calls as one, which is a call of the tool `chain`.

    Makes several calls as one: a call of the tool [`chain`](tools.md#chain) with these `calls`. Returns its
    [ToolResult](#toolresult). The other parameters are as those of [`tools.call`](#toolscall), and a chain that waits
    for a person has a [ticket](#tickets) like any call. One that waited when the bridge stopped is made again from its
    first call, unless one of its calls had reached beyond the vault already; then it ends as `execution_failed`.
    """
    calls = [call.model_dump(mode="json", by_alias=True, exclude_none=True) for call in params.calls]
    return await call_tool(context, ChainTool.spec.name, {"calls": calls}, params)


async def call_tool(
    context: RequestContext,
    name: str,
    arguments: dict[str, Any],
    params: wire.ToolCallParams | chains.ToolChainParams | chains.TemplateRunParams,
    *,
    carry: bool = True,
) -> ToolResult | PendingCall:
    """Run a tool for a request.

    Args:
        context: The request.
        name: The tool.
        arguments: Its arguments.
        params: How the answer is wanted.
        carry: Whether the answer may carry what the person has sent.
    """
    session, calls = context.session, context.services.calls
    context.kept = params.call_id is not None and not params.withdraw
    call_id = params.call_id
    if call_id is None and params.wait is not None:
        call_id = str(uuid.uuid4())  # ours, so that the call can be found again if the caller hangs up
    try:
        answer = await calls.call(
            session.caller._replace(draft=params.draft),
            name,
            arguments,
            call_id=call_id,
            wait=params.wait,
            reason=params.reason,
            notify=session.notify,
            size=context.size,
            may_ask=params.ask,
            ticket_if_alone=params.ticket_if_alone,
        )
    except asyncio.CancelledError:
        if call_id is not None and not context.kept:
            calls.cancel(session.caller, call_id)  # nobody has its ticket
        raise
    return await _with_sent(context, answer) if carry and params.ask else answer


async def _with_sent(context: RequestContext, answer: ToolResult | PendingCall) -> ToolResult | PendingCall:
    """Return a result that begins with what the person has sent to its client, where its client is there to get it."""
    session, services = context.session, context.services
    there = any(peer is session for peer in services.hub.peers)
    if not there or isinstance(answer, PendingCall) or not services.outbox.waits(session.caller):
        return answer
    text = await asyncio.to_thread(services.outbox.take, session.caller)
    return answer.model_copy(update={"text": f"{text}\n{answer.text}"}) if text else answer


async def result(context: RequestContext, params: wire.ToolResultParams) -> ToolResult | PendingCall:
    """Return what became of a call.

    Returns what became of a call, as `tools.call` would, or its ticket after `wait` seconds; `not_found` if the caller
    has made no such call in the last 24 hours. Such a call has changed nothing. `withdraw`, `ticketIfAlone` and `carry`
    are as in `tools.call`.
    """
    session, calls = context.session, context.services.calls
    try:
        answer = await calls.result(session.caller, params.call_id, params.wait, ticket_if_alone=params.ticket_if_alone)
    except asyncio.CancelledError:
        if params.withdraw:
            calls.cancel(session.caller, params.call_id)
        raise
    return await _with_sent(context, answer) if params.carry else answer


async def preview(context: RequestContext, params: wire.ToolPreviewParams) -> CallPreview | ToolResult:
    """Return what a call would do; or the failed ToolResult that the call would be.

    Returns what a call would do, `{"plan": {tool, operation, riskLevel, riskReasons, summary, targets, …}}`, and writes
    nothing. For a write the plan also has `digest`, `files` (as in the question's preview) and `warnings`; for a
    network request or a command `request` and `warnings`. An agent needs the same consent as for reading the targets.
    If the call would be refused, the result is the failed ToolResult.
    """
    try:
        return await context.services.pipeline.preview(
            ToolCall(context.session.caller, params.name, params.arguments, size=context.size)
        )
    except ToolFailure as failure:
        return ToolResult.failed(failure)


def cancel(context: RequestContext, params: wire.ToolCancelParams) -> wire.Cancelled:
    """Stop a call that has not begun to write.

    Returns `{"cancelled": true}` if the call was stopped; false if it is done, is being written, or is not a call of
    this client. A write that has begun is finished.
    """
    return wire.Cancelled(cancelled=context.services.calls.cancel(context.session.caller, params.call_id))


def list_templates(context: RequestContext, _params: NoParams) -> Sequence[chains.TemplateInfo]:
    """Return all templates, by name.

    Returns the [templates](tools.md#templates) by name, `{template, shipped}` each: `template` as in its file, `{name,
    title, description, parameters, calls}`, and whether it came with the bridge.
    """
    return context.services.templates.all()


async def run_template(context: RequestContext, params: chains.TemplateRunParams) -> ToolResult | PendingCall:
    """Run a template, with the rights of whoever asks, as a call of the tool `templates`.

    Runs a template, with the rights of the client that asks: a call of the tool [`templates`](tools.md#templates),
    whose [ToolResult](#toolresult) is returned. `values` are those of its parameters. The other parameters are as those
    of [`tools.call`](#toolscall). The reading that a template does for the person's own programs is not asked about;
    what it changes is.
    """
    arguments = {"action": "run", "name": params.name, "values": params.values}
    return await call_tool(context, TemplatesTool.spec.name, arguments, params)


async def save_template(context: RequestContext, params: chains.TemplateSaveParams) -> chains.TemplateInfo:
    """Keep a template.

    Keeps a [template](tools.md#templates), which is checked as far as it can be without being run. One of the user's
    own with this name is only overwritten with `replace`; else the answer is `conflict` with `exists`. One that came
    with the bridge is hidden by one of the same name. Returns `{template, shipped}`, as `templates.list` does.
    """
    await asyncio.to_thread(context.services.templates.save, params.template, replace=params.replace)
    return chains.TemplateInfo(template=params.template, shipped=False)


async def remove_template(context: RequestContext, params: chains.TemplateRemoveParams) -> chains.TemplateRemoved:
    """Remove a template of the user's own.

    Removes one of the user's own. Returns `{name, restored}`; `restored` says that the one of this name which came with
    the bridge is there again.
    """
    restored = await asyncio.to_thread(context.services.templates.remove, params.name)
    return chains.TemplateRemoved(name=params.name, restored=restored)


METHODS = (
    Method("tools.list", list_tools, list[wire.ToolDescription] | list[wire.FunctionTool] | list[wire.McpTool] | str),
    Method("tools.call", call, ToolResult | PendingCall),
    Method("tools.chain", chain, ToolResult | PendingCall),
    Method("tools.result", result, ToolResult | PendingCall, waits=True),
    Method("tools.preview", preview, CallPreview | ToolResult),
    Method("tools.cancel", cancel, wire.Cancelled),
    Method("templates.list", list_templates, list[chains.TemplateInfo]),
    Method("templates.run", run_template, ToolResult | PendingCall),
    Method("templates.save", save_template, chains.TemplateInfo, Capability.ADMINISTER),
    Method("templates.remove", remove_template, chains.TemplateRemoved, Capability.ADMINISTER),
)
