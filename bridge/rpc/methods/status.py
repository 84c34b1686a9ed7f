"""limits.status and vault.status: how much is left, and what is known."""

from typing import Any

from bridge.contract.base import Params
from bridge.rpc.method import Exchange, Method


def limits(exchange: Exchange, _params: Params) -> Any:
    """For each tool the limit, what this session used in the last minute, and what is queued."""
    return exchange.services.limits(exchange.session.session_id)


def vault(exchange: Exchange, _params: Params) -> Any:
    """How many notes and files there are, and how far the index is."""
    return exchange.services.status()


METHODS = (
    Method("limits.status", limits),
    Method("vault.status", vault),
)
