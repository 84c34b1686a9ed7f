"""consent.*: the open questions, their answers, and what is remembered of them. For hosts only."""

import asyncio
from typing import Annotated, Any, Literal

from pydantic import Field

from bridge.contract.base import Params, Wire
from bridge.contract.consent import Decision, Operation
from bridge.rpc.method import HOST_ONLY, Method, RequestContext

Id = Annotated[str, Field(min_length=1, max_length=200)]


Path = Annotated[str, Field(max_length=4096)]
Indices = list[Annotated[int, Field(ge=0)]]


class KeptHunks(Params):
    """The hunks of one file's diff that are wanted, counted from 0."""

    path: Path
    keep: Indices


class RespondParams(Params):
    """One answer. For a write it carries the digest of the plan that was shown, and what is wanted of it."""

    request_id: Id
    decision: Annotated[Decision, Field(strict=False)]
    plan_digest: Annotated[str, Field(max_length=200)] | None = None
    feedback: Annotated[str, Field(max_length=10_000)] | None = None
    hunks: list[KeptHunks] | dict[Path, Indices] | None = None

    @property
    def kept(self) -> dict[str, Indices] | None:
        """The wanted hunks by file; both ways of writing them mean the same."""
        if isinstance(self.hunks, list):
            return {file.path: file.keep for file in self.hunks}
        return self.hunks


class RevokeParams(Params):
    """A grant or denial, by the id that `consent.grants` shows."""

    grant_id: Id


class AutoApproveParams(Params):
    """Which operation is approved without asking, and for whom; without a client for everybody."""

    operation: Literal["create", "update"]
    enabled: bool
    client: Annotated[str, Field(min_length=1, max_length=80)] | None = None


def pending(exchange: RequestContext, _params: Params) -> list[dict[str, Any]]:
    """Every open question."""
    return [question.to_wire() for question in exchange.services.broker.pending()]


async def respond(exchange: RequestContext, params: RespondParams) -> dict[str, Any]:
    """Answer a question; the first valid answer wins."""
    reply = await exchange.services.broker.respond(
        params.request_id,
        params.decision,
        plan_digest=params.plan_digest,
        feedback=params.feedback,
        by=exchange.session.name,
        hunks=params.kept,
    )
    return reply.to_wire()


async def grants(exchange: RequestContext, _params: Params) -> list[Any]:
    """What people have said before and still holds."""
    return list(await asyncio.to_thread(exchange.services.grants.list))


async def revoke(exchange: RequestContext, params: RevokeParams) -> dict[str, Any]:
    """Forget one of those."""
    services = exchange.services
    held = [_shown(grant) for grant in await asyncio.to_thread(services.grants.list)]
    revoked = await asyncio.to_thread(services.grants.revoke, params.grant_id, by=exchange.session.name)
    if revoked:
        grant = next((grant for grant in held if grant.get("grantId") == params.grant_id), {})
        told = {"event": "revoked", "by": exchange.session.name, "grant": grant}
        await asyncio.to_thread(services.note, "grant", told)
    return {"revoked": revoked}


def _shown(grant: Any) -> dict[str, Any]:
    """A grant as it is told and logged."""
    return grant.to_wire() if isinstance(grant, Wire) else dict(grant)


def auto_approve(exchange: RequestContext, params: AutoApproveParams) -> dict[str, Any]:
    """Approve an operation of tools of the class *session* without asking, until the bridge stops; or no longer."""
    services, operation = exchange.services, Operation(params.operation)
    grant = services.grants.auto_approve(operation, params.client, enabled=params.enabled)
    facts = {"operation": params.operation, "enabled": params.enabled, "for": params.client}
    services.note("grant", {"event": "auto_approve", "by": exchange.session.name, "grant": facts})
    return {"enabled": params.enabled, "grant": grant}


METHODS = (
    Method("consent.pending", pending, roles=HOST_ONLY),
    Method("consent.respond", respond, RespondParams, HOST_ONLY),
    Method("consent.grants", grants, roles=HOST_ONLY),
    Method("consent.revoke", revoke, RevokeParams, HOST_ONLY),
    Method("consent.autoApprove", auto_approve, AutoApproveParams, HOST_ONLY),
)
