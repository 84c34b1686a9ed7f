"""consent.* and policy.explain: open questions, remembered answers, and what the rules say. For hosts only."""

import asyncio
from collections.abc import Sequence

from bridge.contract import consent as wire
from bridge.contract.base import Params
from bridge.contract.result import Explanation, Refusal
from bridge.contract.tools import ExplainParams
from bridge.rpc.dispatch import HOST_ONLY, Method, RequestContext
from bridge.toolkit.tool_call import ToolCall


def pending(context: RequestContext, _params: Params) -> Sequence[wire.ConsentRequest]:
    """Every open question."""
    return context.services.broker.pending()


async def respond(context: RequestContext, params: wire.RespondParams) -> wire.ConsentReply:
    """Answer a question; the first valid answer wins."""
    return await context.services.broker.respond(
        params.request_id,
        params.decision,
        plan_digest=params.plan_digest,
        feedback=params.feedback,
        by=context.session.name,
        hunks=params.kept,
    )


async def grants(context: RequestContext, _params: Params) -> Sequence[wire.Grant]:
    """What people have said before and still holds."""
    return await asyncio.to_thread(context.services.grants.list)


async def revoke(context: RequestContext, params: wire.RevokeParams) -> wire.Revoked:
    """Forget one of those."""
    services = context.services
    held = await asyncio.to_thread(services.grants.list)
    revoked = await asyncio.to_thread(services.grants.revoke, params.grant_id, by=context.session.name)
    if revoked:
        grant = next((grant.to_wire() for grant in held if grant.grant_id == params.grant_id), {})
        facts = {"event": "revoked", "by": context.session.name, "grant": grant}
        await asyncio.to_thread(services.note, "grant", facts)
    return wire.Revoked(revoked=revoked)


def auto_approve(context: RequestContext, params: wire.AutoApproveParams) -> wire.AutoApproved:
    """Approve an operation of tools of the class *session* without asking, until the bridge stops; or no longer."""
    services, operation = context.services, wire.Operation(params.operation)
    grant = services.grants.auto_approve(operation, params.client, enabled=params.enabled)
    facts = {"operation": params.operation, "enabled": params.enabled, "for": params.client}
    services.note("grant", {"event": "auto_approve", "by": context.session.name, "grant": facts})
    return wire.AutoApproved(enabled=params.enabled, grant=grant)


async def explain(context: RequestContext, params: ExplainParams) -> Explanation | Refusal:
    """What would become of an agent's call, and which rule decides; nothing is done, asked, logged or counted."""
    caller = context.session.agent(params.client)
    return await context.services.pipeline.explain(ToolCall(caller, params.name, params.arguments))


METHODS = (
    Method("consent.pending", pending, list[wire.ConsentRequest], roles=HOST_ONLY),
    Method("consent.respond", respond, wire.ConsentReply, wire.RespondParams, HOST_ONLY),
    Method("consent.grants", grants, list[wire.Grant], roles=HOST_ONLY),
    Method("consent.revoke", revoke, wire.Revoked, wire.RevokeParams, HOST_ONLY),
    Method("consent.autoApprove", auto_approve, wire.AutoApproved, wire.AutoApproveParams, HOST_ONLY),
    Method("policy.explain", explain, Explanation | Refusal, ExplainParams, HOST_ONLY),
)
