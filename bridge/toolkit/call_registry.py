"""Idempotent calls: one call id, one execution, however often and over however many connections it is asked for.

A person may take longer to decide than a client waits. So a call with an id goes on when its caller hangs up, a
bounded `wait` gets a ticket instead of an answer, and the same id asked again finds the same execution. Finished calls
are kept for 24 hours; writes are found in the journal also after a restart.

A call and its result are their caller's. A client with a name finds them from any of its connections. A program without
one finds them on its connection alone, unless the id is a random UUID: nobody guesses one, so it is itself the right to
ask again from another connection.
"""

import asyncio
import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson

from bridge.clock import Clock
from bridge.contract.base import Event
from bridge.contract.result import PendingCall, ToolResult
from bridge.errors import InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.identity.caller import Caller
from bridge.journal.ledger import Ledger
from bridge.journal.record import HistoryEntry
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.tool_call import Phase, ToolCall
from bridge.vault.plan import content_hash

KEPT_SECONDS = 24 * 60 * 60
MOST_KEPT = 2_000
"""Finished calls kept in memory. Reads can be repeated, writes are in the journal."""


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
        on_delivered: Awaited before a result is handed out by `result`, or to a call that was made before.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        ledger: Ledger,
        clock: Clock,
        on_delivered: Callable[[Caller, ToolCall], Awaitable[None]],
    ) -> None:
        self._on_delivered = on_delivered
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
        tool_call.call_id = call_id or str(uuid.uuid4())
        tool_call.call_key = call_key(caller, tool_call.call_id)
        tool_call.arguments_hash = content_hash(orjson.dumps([name, arguments], option=orjson.OPT_SORT_KEYS))
        known = self._find(tool_call)
        if isinstance(known, ToolResult):
            return known
        if isinstance(known, HistoryEntry):
            return await self._hand_out(caller, tool_call.call_id, known)
        answer = await self._await(known, wait)
        if known.tool_call is not tool_call and isinstance(answer, ToolResult):
            await self._on_delivered(caller, known.tool_call)
        return answer

    async def result(self, caller: Caller, call_id: str, wait: float | None = None) -> ToolResult | PendingCall:
        """The result of an earlier call of this caller, or its ticket after `wait` seconds.

        Args:
            caller: Who asks.
            call_id: The call.
            wait: Seconds; None waits to the end.

        Returns:
            `not_found` for what this caller has not called, as for what nobody has.
        """
        found = self._calls.get(call_key(caller, call_id))
        if found is None:
            entry = self._recorded(caller, call_id)
            if entry is not None:
                return await self._hand_out(caller, call_id, entry)
            missing = NotFound(f"There is no call {call_id!r}; results are kept for 24 hours. Make the call again")
            return ToolResult.failed(missing)
        answer = await self._await(found, wait)
        if isinstance(answer, ToolResult):
            await self._on_delivered(caller, found.tool_call)
        return answer

    def cancel(self, caller: Caller, call_id: str) -> bool:
        """Stop a call of this caller that has not begun to write. Returns whether it was stopped."""
        found = self._calls.get(call_key(caller, call_id))
        if found is None or found.task.done() or found.tool_call.phase in {Phase.WRITING, Phase.DONE}:
            return False
        return found.task.cancel()

    def end_client(self, client_id: str) -> None:
        """A client was revoked: stop its calls that have not begun to write, and forget its results."""
        for key, call in list(self._calls.items()):
            if call.tool_call.caller.client.id == client_id:
                if call.tool_call.phase not in {Phase.WRITING, Phase.DONE}:
                    call.task.cancel()
                del self._calls[key]

    async def stop(self) -> None:
        """Cancel what runs and wait for what is being written."""
        tasks = [call.task for call in self._calls.values() if not call.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _find(self, tool_call: ToolCall) -> _Call | HistoryEntry | ToolResult:
        """The run of this call id: one in memory, one in the journal or a new one; or why there is none."""
        call_id, key = tool_call.call_id or "", tool_call.call_key or ""
        self._forget()
        found = self._calls.get(key)
        if found is not None:
            if found.tool_call.arguments_hash != tool_call.arguments_hash:
                return _used_otherwise(call_id)
            return found
        entry = self._recorded(tool_call.caller, call_id)
        if entry is not None:
            same = entry.arguments_hash == tool_call.arguments_hash
            return entry if same else _used_otherwise(call_id)
        call = _Call(tool_call, asyncio.create_task(self._run(tool_call)))
        self._calls[key] = call
        call.task.add_done_callback(lambda _: setattr(call, "finished", self._clock.monotonic()))
        return call

    async def _hand_out(self, caller: Caller, call_id: str, entry: HistoryEntry) -> ToolResult:
        """The result of a write that an earlier run of the bridge made."""
        await self._on_delivered(caller, ToolCall(caller, entry.tool, None, call_id, execution_id=entry.execution_id))
        return _recorded(entry)

    def _recorded(self, caller: Caller, call_id: str) -> HistoryEntry | None:
        """What the journal has of a call; one that an earlier version wrote is found by a random UUID alone."""
        found = self._ledger.find_call(call_key(caller, call_id))
        if found is None and _is_random(call_id):
            found = self._ledger.find_call(call_id)
        return found

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
        """Drop what finished more than a day ago, and beyond the most we keep the oldest of the client with most."""
        old = self._clock.monotonic() - KEPT_SECONDS
        finished: dict[str, list[str]] = defaultdict(list)
        for moment, key in sorted(
            (call.finished, key) for key, call in self._calls.items() if call.finished is not None
        ):
            if moment < old:
                del self._calls[key]
            else:
                finished[self._calls[key].tool_call.caller.subject].append(key)
        for _ in range(sum(map(len, finished.values())) - MOST_KEPT):
            del self._calls[max(finished.values(), key=len).pop(0)]


def call_key(caller: Caller, call_id: str) -> str:
    """Under what a call is kept, in memory and in the journal: its id, and whom it holds for."""
    holder = caller.subject if caller.client.is_shared and _is_random(call_id) else caller.session_id
    return content_hash(orjson.dumps([holder, call_id]))


def _is_random(call_id: str) -> bool:
    """Whether nobody could guess this id: a UUID of version 4 (RFC 9562, 5.4), in its usual spelling."""
    try:
        read = uuid.UUID(call_id)
    except ValueError:
        return False
    return read.version == 4 and str(read) == call_id.lower()  # noqa: PLR2004 - the version's number


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
