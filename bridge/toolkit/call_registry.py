"""Idempotent calls: one call id, one execution, however often and over however many connections it is asked for.

A person may take longer to decide than a client waits. So a call with an id goes on when its caller hangs up, a
bounded `wait` gets a ticket instead of an answer, and the same id asked again finds the same execution. Finished calls
are kept for 24 hours; writes are found in the journal also after a restart.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from bridge.clock import Clock
from bridge.contract.base import Event
from bridge.contract.result import PendingCall, ToolResult
from bridge.errors import InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.journal.ledger import Ledger
from bridge.journal.record import HistoryEntry
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.tool_call import Caller, Phase, ToolCall
from bridge.vault.plan import content_hash

KEPT_SECONDS = 24 * 60 * 60
MOST_KEPT = 2_000
"""Finished calls kept in memory; beyond that the oldest go. Reads can be repeated, writes are in the journal."""


@dataclass(slots=True)
class _Call:
    tool_call: ToolCall
    task: asyncio.Task[ToolResult]
    finished: float | None = None


class CallRegistry:
    """Every call of every session, by id.

    Args:
        pipeline: Runs them.
        ledger: Remembers writes across restarts.
        clock: For how long a finished call is kept.
    """

    def __init__(self, pipeline: Pipeline, ledger: Ledger, clock: Clock) -> None:
        self._pipeline = pipeline
        self._ledger = ledger
        self._clock = clock
        self._calls: dict[str, _Call] = {}

    async def call(
        self,
        caller: Caller,
        name: str,
        arguments: Any,
        *,
        call_id: str | None = None,
        wait: float | None = None,
        reason: str | None = None,
        notify: Callable[[Event], None] | None = None,
    ) -> ToolResult | PendingCall:
        """Run a tool, or find the run that this call id already names.

        Args:
            caller: Who calls.
            name: The tool.
            arguments: Its arguments.
            call_id: Makes the call idempotent and lets it outlive the connection.
            wait: Seconds until a ticket is returned instead of a result; None waits to the end.
            reason: Shown to the person who is asked.
            notify: Called with the call's progress, from any thread.

        Returns:
            The result, or a ticket when `wait` ran out.
        """
        tool_call = ToolCall(caller, name, arguments, call_id, reason=reason, wait_for_host=wait is not None)
        if notify is not None:
            tool_call.notify = notify
        if call_id is None and wait is None:
            return await self._pipeline.call(tool_call)
        tool_call.call_id = call_id or f"call-{secrets.token_hex(8)}"
        tool_call.arguments_hash = content_hash(orjson.dumps([name, arguments], option=orjson.OPT_SORT_KEYS))
        known = self._find(tool_call)
        if isinstance(known, ToolResult):
            return known
        return await self._await(known, wait)

    async def result(self, call_id: str, wait: float | None = None) -> ToolResult | PendingCall:
        """The result of an earlier call.

        Args:
            call_id: Names the call.
            wait: Seconds until a ticket is returned instead; None waits to the end.

        Returns:
            The result, or the ticket; a failed result (`not_found`) when there is no such call.
        """
        found = self._calls.get(call_id)
        if found is None:
            entry = self._ledger.find_call(call_id)
            if entry is not None:
                return _recorded(entry)
            missing = NotFound(f"There is no call {call_id!r}; results are kept for 24 hours. Make the call again")
            return ToolResult.failed(missing)
        return await self._await(found, wait)

    def cancel(self, call_id: str) -> bool:
        """Stop a call that has not begun to write. Returns whether it was stopped."""
        found = self._calls.get(call_id)
        if found is None or found.task.done() or found.tool_call.phase in {Phase.WRITING, Phase.DONE}:
            return False
        return found.task.cancel()

    async def stop(self) -> None:
        """Cancel what runs and wait for what is being written."""
        tasks = [call.task for call in self._calls.values() if not call.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _find(self, tool_call: ToolCall) -> _Call | ToolResult:
        """The run of this call id: one in memory, one in the journal, or a new one."""
        call_id = tool_call.call_id or ""
        self._forget()
        found = self._calls.get(call_id)
        if found is not None:
            if found.tool_call.arguments_hash != tool_call.arguments_hash:
                return _used_otherwise(call_id)
            return found
        entry = self._ledger.find_call(call_id)
        if entry is not None:
            same = entry.arguments_hash == tool_call.arguments_hash
            return _recorded(entry) if same else _used_otherwise(call_id)
        call = _Call(tool_call, asyncio.create_task(self._run(tool_call)))
        self._calls[call_id] = call
        call.task.add_done_callback(lambda _: setattr(call, "finished", self._clock.monotonic()))
        return call

    async def _run(self, tool_call: ToolCall) -> ToolResult:
        try:
            return await self._pipeline.call(tool_call)
        except asyncio.CancelledError:  # nobody above this task: being cancelled is the call's result
            refusal = PermissionDenied("The call was cancelled before it did anything", code="cancelled")
            return ToolResult.failed(refusal, execution_id=tool_call.execution_id)

    @staticmethod
    async def _await(call: _Call, wait: float | None) -> ToolResult | PendingCall:
        await asyncio.wait([call.task], timeout=wait)
        if call.task.done():
            return call.task.result()
        return PendingCall(call_id=call.tool_call.call_id or "", request_id=call.tool_call.request_id)

    def _forget(self) -> None:
        """Drop what finished more than a day ago, and the oldest beyond the most we keep."""
        old = self._clock.monotonic() - KEPT_SECONDS
        finished = [(call.finished, call_id) for call_id, call in self._calls.items() if call.finished is not None]
        excess = len(finished) - MOST_KEPT
        for position, (moment, call_id) in enumerate(sorted(finished)):
            if moment < old or position < excess:
                del self._calls[call_id]


def _used_otherwise(call_id: str) -> ToolResult:
    failure: ToolFailure = InvalidParameters(
        f"The call id {call_id!r} was used for another call; use a new id for each new call"
    )
    return ToolResult.failed(failure)


def _recorded(entry: HistoryEntry) -> ToolResult:
    """The result of a write that an earlier run of the bridge made."""
    files = ", ".join(entry.files)
    return ToolResult(
        success=True,
        data={"modified": True, "files": list(entry.files), "state": entry.state, "fromHistory": True},
        text=f"Already done: {files} (as {entry.execution_id})",
        execution_id=entry.execution_id,
        metadata={"durationMs": 0},
    )
