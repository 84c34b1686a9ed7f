"""consent.* and policy.explain: open questions, remembered answers, and what the rules say. For hosts only."""

import asyncio
from collections.abc import Sequence

from bridge.contract import consent as wire
from bridge.contract.base import Params
from bridge.contract.identity import Capability, ClientInfo
from bridge.contract.result import Explanation, Refusal
from bridge.contract.tools import ExplainParams
from bridge.identity.caller import SHARED, Caller, Client
from bridge.policy.consent import Extent
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.services import Services
from bridge.toolkit.tool_call import ToolCall


def pending(context: RequestContext, _params: Params) -> Sequence[wire.ConsentRequest]:
    """Every open question that this screen may answer."""
    return context.services.broker.pending(context.session.caller)


async def respond(context: RequestContext, params: wire.RespondParams) -> wire.ConsentReply:
    """Answer a question; the first valid answer wins."""
    return await context.services.broker.respond(
        params.request_id,
        params.decision,
        plan_digest=params.plan_digest,
        feedback=params.feedback,
        by=context.session.caller,
        hunks=params.kept,
        extent=Extent(params.reach, params.everyone),
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
        facts = {"event": "revoked", "by": context.session.caller.name, "grant": grant}
        await asyncio.to_thread(services.note, "grant", facts)
    return wire.Revoked(revoked=revoked)


def auto_approve(context: RequestContext, params: wire.AutoApproveParams) -> wire.AutoApproved:
    """Approve an operation of tools of the class *session* without asking, until the bridge stops; or no longer."""
    services, operation = context.services, wire.Operation(params.operation)
    client = None if params.client is None else known_client(services, params.client)
    client_id, name = (None, None) if client is None else (client.client_id, client.name)
    grant = services.grants.auto_approve(operation, client_id, enabled=params.enabled, name=name)
    facts = {"operation": params.operation, "enabled": params.enabled, "for": params.client}
    services.note("grant", {"event": "auto_approve", "by": context.session.caller.name, "grant": facts})
    return wire.AutoApproved(enabled=params.enabled, grant=grant)


async def explain(context: RequestContext, params: ExplainParams) -> Explanation | Refusal:
    """What would become of an agent's call, and which rule decides; nothing is done, asked, logged or counted."""
    services = context.services
    if params.client is None:
        caller = Caller(SHARED, "explanation")
    else:
        asked = known_client(services, params.client)
        caller = Caller(Client(asked.client_id, asked.name, frozenset(asked.capabilities)), "explanation")
    return await context.services.pipeline.explain(ToolCall(caller, params.name, params.arguments))


def known_client(services: Services, name: str) -> ClientInfo:
    """The client that the person calls so, or that has this id.

    Raises:
        NotFound: There is none.
    """
    found = services.clients.find(name)
    return found if found is not None else services.clients.get(name)


METHODS = (
    Method("consent.pending", pending, list[wire.ConsentRequest], needs=Capability.ANSWER),
    Method("consent.respond", respond, wire.ConsentReply, wire.RespondParams, Capability.ANSWER),
    Method("consent.grants", grants, list[wire.Grant], needs=Capability.ADMINISTER),
    Method("consent.revoke", revoke, wire.Revoked, wire.RevokeParams, Capability.ADMINISTER),
    Method("consent.autoApprove", auto_approve, wire.AutoApproved, wire.AutoApproveParams, Capability.ADMINISTER),
    Method("policy.explain", explain, Explanation | Refusal, ExplainParams, Capability.ADMINISTER),
)
