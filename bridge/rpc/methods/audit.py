"""audit.*: what was done and decided, and whether the log of it is whole. For hosts only."""

import asyncio
from collections.abc import Sequence
from typing import Any

from bridge.audit.sentences import ToolWords
from bridge.contract import audit as wire
from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.rpc.dispatch import Method, RequestContext
from bridge.toolkit.tool import ToolSpec


async def query(context: RequestContext, params: wire.AuditQueryParams) -> Sequence[dict[str, Any]]:
    """The records that fit, newest first, as they were written, each with a sentence that says it."""
    filters = dict(params)
    filters["by_action"] = filters.pop("actions")
    registry, caller = context.services.registry, context.session.caller
    words = {tool.name: _words(tool.spec) for tool in registry.tools(caller)}
    return await asyncio.to_thread(context.services.audit.query, words.get, **filters)


async def export(context: RequestContext, params: wire.AuditExportParams) -> wire.AuditExport | wire.AuditExportFile:
    """The records that fit, oldest first: as text, or in a file of `.vault-bridge/exports/`."""
    audit = context.services.audit
    filters = {name: value for name, value in dict(params).items() if name not in {"format", "path"}}
    if params.path is None:
        return wire.AuditExport(**await asyncio.to_thread(audit.export, params.format, **filters))
    return wire.AuditExportFile(**await asyncio.to_thread(audit.export_to, params.path, params.format, **filters))


async def clear(context: RequestContext, _params: Params) -> wire.AuditCleared:
    """Remove every record."""
    return wire.AuditCleared(**await asyncio.to_thread(context.services.audit.clear, context.session.name))


async def verify(context: RequestContext, _params: Params) -> wire.AuditVerification:
    """Whether the log is as it was written."""
    return wire.AuditVerification.model_validate(await asyncio.to_thread(context.services.audit.verify))


async def stats(context: RequestContext, _params: Params) -> wire.AuditStats:
    """Its size and state."""
    return wire.AuditStats(**await asyncio.to_thread(context.services.audit.stats))


async def activity(context: RequestContext, params: wire.AuditActivityParams) -> wire.AuditActivity:
    """What agents did in the last days."""
    found = await asyncio.to_thread(context.services.audit.activity, params.days)
    return wire.AuditActivity.model_validate(found)


def _words(spec: ToolSpec) -> ToolWords:
    if not spec.action:
        return ToolWords.plain(spec.title, writes=spec.writes)
    return ToolWords(spec.title, spec.action, spec.writes)


METHODS = (
    Method("audit.query", query, list[wire.AuditRecord], wire.AuditQueryParams, Capability.ADMINISTER),
    Method(
        "audit.export", export, wire.AuditExport | wire.AuditExportFile, wire.AuditExportParams, Capability.ADMINISTER
    ),
    Method("audit.clear", clear, wire.AuditCleared, needs=Capability.ADMINISTER),
    Method("audit.verify", verify, wire.AuditVerification, needs=Capability.ADMINISTER),
    Method("audit.activity", activity, wire.AuditActivity, wire.AuditActivityParams, Capability.ADMINISTER),
    Method("audit.stats", stats, wire.AuditStats, needs=Capability.ADMINISTER),
)
