"""limits.status, vault.status and bridge.faults: how much is left, what is known, and what is wrong."""

import asyncio
from typing import Any

from bridge.contract.base import Params
from bridge.rpc.method import HOST_ONLY, Method, RequestContext


def limits(exchange: RequestContext, _params: Params) -> Any:
    """For each tool the limit, what this session used in the last minute, and what is queued."""
    return exchange.services.limits(exchange.session.session_id)


def vault(exchange: RequestContext, _params: Params) -> Any:
    """How many notes and files there are, and how far the index is."""
    return exchange.services.status()


async def faults(exchange: RequestContext, _params: Params) -> dict[str, Any]:
    """What is wrong with the settings and the permission file."""
    return {"faults": await asyncio.to_thread(exchange.services.faults)}


METHODS = (
    Method("limits.status", limits),
    Method("vault.status", vault),
    Method("bridge.faults", faults, roles=HOST_ONLY),
)
