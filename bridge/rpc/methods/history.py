"""history.*: the vault's changes, and taking them back. Undo and redo are tools: they ask and are logged like any."""

import asyncio
from typing import Annotated, Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.rpc.method import Exchange, Method

ExecutionId = Annotated[str, Field(min_length=1, max_length=200)]


class ListParams(Params):
    """How many, and older than which change."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    before: ExecutionId | None = None


class ReverseParams(Params):
    """Which change; by default the newest not yet undone, or the last undone."""

    execution_id: ExecutionId | None = None


async def list_changes(exchange: Exchange, params: ListParams) -> list[dict[str, Any]]:
    """This vault's changes, newest first."""
    entries = await asyncio.to_thread(exchange.services.ledger.history, limit=params.limit, before=params.before)
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


async def undo(exchange: Exchange, params: ReverseParams) -> dict[str, Any]:
    """Take a change back."""
    return await _reverse(exchange, "history_undo", params)


async def redo(exchange: Exchange, params: ReverseParams) -> dict[str, Any]:
    """Make an undone change again."""
    return await _reverse(exchange, "history_redo", params)


async def _reverse(exchange: Exchange, tool: str, params: ReverseParams) -> dict[str, Any]:
    arguments = params.model_dump(by_alias=True, exclude_none=True)
    return await exchange.services.calls.call(exchange.session.caller, tool, arguments)


METHODS = (
    Method("history.list", list_changes, ListParams),
    Method("history.undo", undo, ReverseParams),
    Method("history.redo", redo, ReverseParams),
)
