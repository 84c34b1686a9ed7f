"""consent.* and policy.explain: open questions, remembered answers, and what the rules say. For hosts only."""

import asyncio
from collections.abc import Sequence

from bridge.contract import consent as wire
from bridge.contract.base import Params
from bridge.contract.identity import Capability, ClientInfo
from bridge.contract.result import Explanation, Refusal
from bridge.contract.tools import ExplainParams
from bridge.errors import InvalidParameters
from bridge.identity.caller import EXPLANATION, SHARED, Caller, Client
from bridge.policy.targets import folder_target
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


async def allow_reading(context: RequestContext, params: wire.AllowReadingParams) -> wire.ReadingAllowed:
    """Let a client read some folders without asking, for good; it is the person's newest word on what it reads."""
    services = context.services
    try:
        places = tuple(folder_target(path).place for path in dict.fromkeys(params.where))
    except ValueError as error:
        raise InvalidParameters(f"That is no folder of the vault: {error}") from None
    caller = _caller(known_client(services, params.client))
    by = context.session.name
    grant = await asyncio.to_thread(services.grants.allow_reading, caller, places, by=by)
    facts = {"reading": [place.key for place in places], "for": caller.name}
    await asyncio.to_thread(services.note, "grant", _said_by(context) | {"event": "reading", "grant": facts})
    services.hub.notify_hosts(wire.GrantsChanged(bounded=services.grants.bounded()))
    return wire.ReadingAllowed(grant=grant)


async def end_all(context: RequestContext, _params: Params) -> wire.AllEnded:
    """End everything that agents may do without asking: what was allowed for longer, and developer mode."""
    services, by = context.services, context.session.name
    ended = await asyncio.to_thread(services.grants.end_all, by=by)
    developer = services.settings.current.developer_mode
    if developer:
        await asyncio.to_thread(services.settings.update, {"developerMode": False}, by=by)
    facts = {"ended": [grant.sentence for grant in ended], "developerMode": developer}
    await asyncio.to_thread(services.note, "grant", _said_by(context) | {"event": "ended_all", "grant": facts})
    services.hub.notify_hosts(wire.GrantsChanged(bounded=services.grants.bounded()))
    count = len(ended)
    what = (
        "Nothing was allowed without asking" if count == 0 else f"{count} {'answer' if count == 1 else 'answers'} ended"
    )
    off = "; developer mode is off" if developer else ""
    return wire.AllEnded(ended=ended, text=f"{what}{off}. Every program asks from now on.")


async def explain(context: RequestContext, params: ExplainParams) -> Explanation | Refusal:
    """What would become of an agent's call, and which rule decides; nothing is done, asked, logged or counted."""
    services = context.services
    caller = Caller(SHARED, EXPLANATION) if params.client is None else _caller(known_client(services, params.client))
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


def _caller(client: ClientInfo) -> Caller:
    """A client as it would call, without a connection of its own."""
    capabilities = frozenset(client.capabilities)
    return Caller(Client(client.client_id, client.name, capabilities, client.preset, client.elicitation), EXPLANATION)


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
    Method("consent.endAll", end_all, wire.AllEnded, needs=Capability.ADMINISTER),
    Method(
        "consent.allowReading",
        allow_reading,
        wire.ReadingAllowed,
        wire.AllowReadingParams,
        Capability.ADMINISTER,
        person_only=True,
    ),
    Method("policy.explain", explain, Explanation | Refusal, ExplainParams, Capability.ADMINISTER),
)
