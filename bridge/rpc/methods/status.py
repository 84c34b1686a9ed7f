"""limits.status, vault.status, bridge.faults and index.compare: how much is left and known, and what is wrong."""

import asyncio

from bridge.clock import stamp
from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.contract.index_comparison import CompareParams, IndexComparison
from bridge.contract.session import Faults, LimitUse, VaultStatus
from bridge.rpc.dispatch import Method, RequestContext


def limits(context: RequestContext, _params: Params) -> dict[str, LimitUse]:
    """For each tool the limit, what this session used in the last minute, and what is queued."""
    services, caller = context.services, context.session.caller
    return services.limits.usage(caller.subject, services.registry.tools(caller), services.settings.current)


def vault(context: RequestContext, _params: Params) -> VaultStatus:
    """How many notes and files there are, and how far the index is."""
    status = context.services.status()
    return VaultStatus(
        notes=status.notes,
        files=status.files,
        indexed=status.indexed,
        indexing=status.indexing,
        last_sweep=None if status.last_sweep is None else stamp(status.last_sweep),
    )


async def faults(context: RequestContext, _params: Params) -> Faults:
    """What is wrong with the settings and the permission file."""
    return Faults(faults=tuple(await asyncio.to_thread(context.services.faults)))


async def compare(context: RequestContext, params: CompareParams) -> IndexComparison:
    """Where Obsidian's index and the bridge's differ."""
    return await asyncio.to_thread(
        context.services.compare, params.files, unsaved=frozenset(params.unsaved), known=params.notes
    )


METHODS = (
    Method("limits.status", limits, dict[str, LimitUse]),
    Method("vault.status", vault, VaultStatus),
    Method("bridge.faults", faults, Faults, needs=Capability.ADMINISTER),
    Method("index.compare", compare, IndexComparison, CompareParams, Capability.ADMINISTER),
)
