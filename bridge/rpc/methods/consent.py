"""consent.* and policy.explain: open questions, remembered answers, and what the rules say. For hosts only."""

import asyncio
from collections.abc import Sequence

from bridge.contract import consent as wire
from bridge.contract.base import Params
from bridge.contract.identity import Capability, ClientInfo
from bridge.contract.result import Explanation, Refusal
from bridge.contract.tools import ExplainParams
from bridge.identity.caller import EXPLANATION, SHARED, Caller, Client
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.services import Services
from bridge.toolkit.tool_call import ToolCall
from bridge.vault.revision import HunkText


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
        option=params.option,
    )


async def respond_all(context: RequestContext, params: wire.RespondAllParams) -> Sequence[wire.ConsentReply]:
    """Answer several questions, one after the other; each answer counts or not by itself."""
    return [await respond(context, answer) for answer in params.answers]


async def confirm(context: RequestContext, params: wire.ConfirmParams) -> wire.ConsentReply:
    """Say yes for this once to a question of the client's own, where the person lets its user do so."""
    return await context.services.broker.confirm(params.request_id, by=context.session.caller)


async def revise(context: RequestContext, params: wire.ReviseParams) -> wire.Revision:
    """Put other text into what an open question would write; only the plan that comes of it can be allowed then."""
    text = HunkText(params.path, params.hunk, params.text)
    return await context.services.broker.revise(
        params.request_id, text, plan_digest=params.plan_digest, by=context.session.caller
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
        facts = _said_by(context) | {"event": "revoked", "grant": grant}
        await asyncio.to_thread(services.note, "grant", facts)
        services.hub.notify_hosts(wire.GrantsChanged(bounded=services.grants.bounded()))
    return wire.Revoked(revoked=revoked)


def auto_approve(context: RequestContext, params: wire.AutoApproveParams) -> wire.AutoApproved:
    """Approve an operation of tools of the class *session* without asking, until the bridge stops; or no longer."""
    services, operation = context.services, wire.Operation(params.operation)
    client = None if params.client is None else known_client(services, params.client)
    client_id, name = (None, None) if client is None else (client.client_id, client.name)
    grant = services.grants.auto_approve(operation, client_id, enabled=params.enabled, name=name)
    facts = {"operation": params.operation, "enabled": params.enabled, "for": params.client}
    services.note("grant", _said_by(context) | {"event": "auto_approve", "grant": facts})
    services.hub.notify_hosts(wire.GrantsChanged(bounded=services.grants.bounded()))
    return wire.AutoApproved(enabled=params.enabled, grant=grant)


async def explain(context: RequestContext, params: ExplainParams) -> Explanation | Refusal:
    """What would become of an agent's call, and which rule decides; nothing is done, asked, logged or counted."""
    services = context.services
    if params.client is None:
        caller = Caller(SHARED, EXPLANATION)
    else:
        asked = known_client(services, params.client)
        capabilities, preset = frozenset(asked.capabilities), asked.preset
        client = Client(asked.client_id, asked.name, capabilities, preset, asked.elicitation, asked.drafts)
        caller = Caller(client, EXPLANATION)
    servers = services.parts.servers
    if servers.is_given and (reason := servers.get().why_unknown(params.name)) is not None:
        return Refusal(outcome="fail", rule="not_connected", why=reason)
    return await services.pipeline.explain(ToolCall(caller, params.name, params.arguments))


def known_client(services: Services, name: str) -> ClientInfo:
    """The client that the person calls so, or that has this id.

    Raises:
        NotFound: There is none.
    """
    found = services.clients.find(name)
    return found if found is not None else services.clients.get(name)


def _said_by(context: RequestContext) -> dict[str, str]:
    caller = context.session.caller
    return {"by": caller.name, "byId": caller.client.id}


METHODS = (
    Method("consent.pending", pending, list[wire.ConsentRequest], needs=Capability.ANSWER),
    Method("consent.respond", respond, wire.ConsentReply, wire.RespondParams, Capability.ANSWER),
    Method("consent.respondAll", respond_all, list[wire.ConsentReply], wire.RespondAllParams, Capability.ANSWER),
    Method("consent.revise", revise, wire.Revision, wire.ReviseParams, Capability.ANSWER),
    Method("consent.confirm", confirm, wire.ConsentReply, wire.ConfirmParams),
    Method("consent.grants", grants, list[wire.Grant], needs=Capability.ADMINISTER),
    Method("consent.revoke", revoke, wire.Revoked, wire.RevokeParams, Capability.ADMINISTER),
    Method("consent.autoApprove", auto_approve, wire.AutoApproved, wire.AutoApproveParams, Capability.ADMINISTER),
    Method("policy.explain", explain, Explanation | Refusal, ExplainParams, Capability.ADMINISTER),
)
