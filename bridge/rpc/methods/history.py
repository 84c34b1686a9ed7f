"""history.*: the vault's changes, and taking them back. Undo and redo are tools: they ask and are logged like any."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.journal.record import HistoryEntry
from bridge.rpc.method import Method, RequestContext
from bridge.rpc.touched import touching, visible

ExecutionId = Annotated[str, Field(min_length=1, max_length=200)]


class ListParams(Params):
    """How many, older than which change, and to which file or note."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    before: ExecutionId | None = None
    path: Annotated[str, Field(min_length=1, max_length=4096)] | None = None


class ReverseParams(Params):
    """Which change; by default the newest not yet undone, or the last undone."""

    execution_id: ExecutionId | None = None


async def list_changes(exchange: RequestContext, params: ListParams) -> list[dict[str, Any]]:
    """This vault's changes, newest first."""
    entries = await asyncio.to_thread(_changes, exchange, params)
    return [
        {
            "executionId": entry.execution_id,
            "tool": entry.tool,
            "client": entry.client,
            "time": entry.time,
            "state": entry.state,
            "files": entry.files,
            "added": entry.added,
            "removed": entry.removed,
            "canUndo": entry.can_undo,
        }
        for entry in entries
    ]


async def undo(exchange: RequestContext, params: ReverseParams) -> dict[str, Any]:
    """Take a change back."""
    return await _reverse(exchange, "history_undo", params)


async def redo(exchange: RequestContext, params: ReverseParams) -> dict[str, Any]:
    """Make an undone change again."""
    return await _reverse(exchange, "history_redo", params)


def _changes(exchange: RequestContext, params: ListParams) -> Sequence[HistoryEntry]:
    """Those that are asked for. An agent is not told of files that are closed to it."""
    services, role = exchange.services, exchange.session.role
    denial = services.closed() if role == "agent" else None
    if params.path is None and denial is None:
        return services.ledger.history(limit=params.limit, before=params.before)
    entries = visible(services.ledger.history(limit=sys.maxsize, before=params.before), denial)
    if params.path is not None:
        entries = touching(params.path, entries, services.knowledge(role))
    return entries[: params.limit]


async def _reverse(exchange: RequestContext, tool: str, params: ReverseParams) -> dict[str, Any]:
    arguments = params.model_dump(by_alias=True, exclude_none=True)
    return await exchange.services.calls.call(exchange.session.caller, tool, arguments)


METHODS = (
    Method("history.list", list_changes, ListParams),
    Method("history.undo", undo, ReverseParams),
    Method("history.redo", redo, ReverseParams),
)
