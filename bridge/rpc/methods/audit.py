"""audit.*: what was done and decided, and whether the log of it is whole. For hosts only."""

import asyncio
from collections.abc import Sequence
from typing import Any

from bridge.contract.audit import (
    AuditCleared,
    AuditExport,
    AuditExportFile,
    AuditExportParams,
    AuditQueryParams,
    AuditRecord,
    AuditStats,
    AuditVerification,
)
from bridge.contract.base import Params
from bridge.rpc.dispatch import HOST_ONLY, Method, RequestContext


async def query(context: RequestContext, params: AuditQueryParams) -> Sequence[dict[str, Any]]:
    """The records that fit, newest first, as they were written."""
    return await asyncio.to_thread(context.services.audit.query, **dict(params))


async def export(context: RequestContext, params: AuditExportParams) -> AuditExport | AuditExportFile:
    """The records that fit, oldest first: as text, or in a file of `.vault-bridge/exports/`."""
    audit = context.services.audit
    filters = {name: value for name, value in dict(params).items() if name not in {"format", "path"}}
    if params.path is None:
        return AuditExport(**await asyncio.to_thread(audit.export, params.format, **filters))
    return AuditExportFile(**await asyncio.to_thread(audit.export_to, params.path, params.format, **filters))


async def clear(context: RequestContext, _params: Params) -> AuditCleared:
    """Remove every record."""
    return AuditCleared(**await asyncio.to_thread(context.services.audit.clear, context.session.name))


async def verify(context: RequestContext, _params: Params) -> AuditVerification:
    """Whether the log is as it was written."""
    return AuditVerification.model_validate(await asyncio.to_thread(context.services.audit.verify))


async def stats(context: RequestContext, _params: Params) -> AuditStats:
    """Its size and state."""
    return AuditStats(**await asyncio.to_thread(context.services.audit.stats))


METHODS = (
    Method("audit.query", query, list[AuditRecord], AuditQueryParams, HOST_ONLY),
    Method("audit.export", export, AuditExport | AuditExportFile, AuditExportParams, HOST_ONLY),
    Method("audit.clear", clear, AuditCleared, roles=HOST_ONLY),
    Method("audit.verify", verify, AuditVerification, roles=HOST_ONLY),
    Method("audit.stats", stats, AuditStats, roles=HOST_ONLY),
)
