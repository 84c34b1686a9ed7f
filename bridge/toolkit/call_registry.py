"""Idempotent calls: one call id, one execution, however often and over however many connections it is asked for.

A person may take longer to decide than a client waits. So a call with an id goes on when its caller hangs up, a
bounded `wait` gets a ticket instead of an answer, and the same id asked again finds the same execution. The results of
finished calls are kept for 24 hours, as far as there is room; writes are found in the journal also after a restart, and
so is everything that has a ticket (`tickets.py`). A ticket that still waited when the bridge stopped is asked about
again: the tool plans anew, and what the journal has is not done a second time.

What one client can make us hold is bounded in bytes, while its calls run and after they have ended.

A call and its result are their caller's. A client with a name finds them from any of its connections. A program without
one finds them on its connection alone, unless the id is a random UUID: nobody guesses one, so it is itself the right to
ask again from another connection.
"""

import asyncio
import contextlib
import uuid
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import orjson

from bridge.clock import moment_of, stamp
from bridge.contract.base import Event
from bridge.contract.tools import AWAIT_DECISION, PendingCall, TicketInfo, ToolResult
from bridge.errors import NotFound, PermissionDenied, RateLimited
from bridge.identity.caller import CHAT, HOST, SHARED, Caller, Client
from bridge.json_values import held_by
from bridge.toolkit import tickets as answers
from bridge.toolkit.fairness import FairTurns
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.tickets import Ticket, Tickets
from bridge.toolkit.tool_call import LARGE, Phase, ToolCall, in_own_words
from bridge.vault.plan import HistoryEntry, content_hash

KEPT_SECONDS = 24 * 60 * 60
MOST_KEPT = 2_000
"""Finished calls kept in memory. Reads can be repeated, writes are in the journal."""
MOST_RESULTS = 32 * 1024 * 1024
"""Bytes of the results that are kept for one client; its newest is kept in any case."""
MOST_RESULTS_OF_ALL = 64 * 1024 * 1024
MOST_RUNNING = 32 * 1024 * 1024
"""Bytes that the requests whose calls run take, for one client: as they came, and once read."""


@dataclass(slots=True)
class _Call:
    tool_call: ToolCall
    task: asyncio.Task[ToolResult]
    since: datetime
    finished: float | None = None
    size: int = 0
    opening: asyncio.Future[bool] | None = None
    """Writes its ticket down, once it has one; whether that outlives the bridge."""


@dataclass(slots=True)
class _Ended:
    """The ended calls of one client, the oldest first, and the bytes of their results."""

    calls: deque[_Call] = field(default_factory=deque)
    size: int = 0


class CallRegistry:
    """Every call of every session, by id.

    Args:
        pipeline: Runs them. Its ledger remembers writes across restarts.
        on_delivered: Awaited before a result is handed out by `result`, or to a call that was made before.
        tickets: Keeps what has a ticket.
    """

    def __init__(
        self, pipeline: Pipeline, on_delivered: Callable[[Caller, ToolCall], Awaitable[None]], tickets: Tickets
    ) -> None:
        self._on_delivered = on_delivered
        self._pipeline = pipeline
        self._clock = pipeline.clock
        self._tickets = tickets
        self._turns = FairTurns()
        self._stopping = False
        self._calls: dict[str, _Call] = {}
        self._ended: dict[str, _Ended] = defaultdict(_Ended)
        """What is kept, by client: it is never looked through, because every call asks what of it is too much."""
        self._running: dict[str, int] = defaultdict(int)  # bytes that the requests whose calls run take, by client

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
        size: int = 0,
        may_ask: bool = True,
        ticket_if_alone: bool = False,
    ) -> ToolResult | PendingCall:
        """Run a tool, or find the run that this call id already names.

        Args:
            caller: The caller.
            name: The tool.
            arguments: Its arguments.
            call_id: Makes the call idempotent and lets it outlive the connection.
            wait: Seconds until a ticket is returned instead of a result; None waits to the end.
            reason: Shown to the person who is asked.
            notify: Called with the call's progress, from any thread.
            size: Bytes of the request that it came in.
            may_ask: Whether a person may be asked; else a call that would ask is refused.
            ticket_if_alone: Whether a ticket is returned already when nobody turns out to be there to be asked.

        Returns:
            The result, or a ticket when `wait` ran out.
        """
        tool_call = ToolCall(caller, name, arguments, call_id, reason=reason, wait_for_host=wait is not None, size=size)
        if caller.client.drafts:  # no call of it waits for a person
            ticket_if_alone = tool_call.wait_for_host = tool_call.ticket_at_once = True
        tool_call.may_ask = may_ask
        if notify is not None:
            tool_call.notify = notify
        tool = self._pipeline.registry.get(name, caller)
        if tool is not None and tool.spec.own:
            return await self._run(tool_call)  # it waits for no person, and no longer than it says
        if call_id is None and wait is None and not caller.client.drafts:
            return await self._run(tool_call)
        tool_call.call_id = call_id or str(uuid.uuid4())
        tool_call.call_key = call_key(caller, tool_call.call_id)

        def hashed() -> str:
            return content_hash(orjson.dumps([name, arguments], option=orjson.OPT_SORT_KEYS))

        tool_call.arguments_hash = await asyncio.to_thread(hashed) if size > LARGE else hashed()
        known = self._find(tool_call)
        if isinstance(known, ToolResult):
            return known
        if not isinstance(known, _Call):
            return await self._hand_out(caller, tool_call.call_id, known)
        answer = await self._await(known, wait, ticket_if_alone=ticket_if_alone)
        if known.tool_call is not tool_call and isinstance(answer, ToolResult):
            await self._on_delivered(caller, known.tool_call)
        return answer

    async def result(
        self, caller: Caller, call_id: str, wait: float | None = None, *, ticket_if_alone: bool = False
    ) -> ToolResult | PendingCall:
        """Return the result of an earlier call of this caller, or its ticket after `wait` seconds.

        Args:
            caller: The caller.
            call_id: The call.
            wait: Seconds; None waits to the end.
            ticket_if_alone: As of `call`.

        Returns:
            `not_found` for what this caller has not called, as for what nobody has.
        """
        found = self._calls.get(call_key(caller, call_id))
        if found is None:
            kept = self._kept(caller, call_id)
            if kept is not None:
                return await self._hand_out(caller, call_id, kept)
            missing = NotFound(
                f"There is no call {call_id!r} of this client in the last 24 hours, or it only read and its result is "
                f"not kept any more. It has changed nothing. Make the call again; `{AWAIT_DECISION}` without a ticket "
                "lists the tickets there are"
            )
            return ToolResult.failed(missing)
        answer = await self._await(found, wait, ticket_if_alone=ticket_if_alone or caller.client.drafts)
        if isinstance(answer, ToolResult):
            await self._on_delivered(caller, found.tool_call)
        return answer

    def cancel(self, caller: Caller, call_id: str) -> bool:
        """Stop a call of this caller that has not begun to write. Returns whether it was stopped."""
        found = self._calls.get(call_key(caller, call_id))
        if found is None or found.task.done() or found.tool_call.phase in {Phase.WRITING, Phase.DONE}:
            return False
        return found.task.cancel()

    def tickets(self, caller: Caller) -> list[TicketInfo]:
        """Return the state of this caller's calls that have a ticket: those that wait first, then the newest.

        A client with a name has those of all its connections, and a program without one those of this connection.
        """
        shown = [self._info(ticket) for ticket in self._tickets.of_session(caller.session_id)]
        return sorted(shown, key=lambda info: info.state not in {"waiting_for_person", "running"})

    async def resume(self, current: Callable[[Client], Client | None], *, run: bool = True) -> None:
        """Take up what still waited when the bridge stopped: ask again, or say why that is not possible.

        Args:
            current: Returns a client as it is now; None when it was revoked.
            run: False where this bridge lives too short for that: then the next one does it.
        """
        await self._tickets.load()
        if not run:
            return
        for ticket in self._tickets.waiting():
            ended = self._ended_meanwhile(ticket) or await self._take_up(ticket, _client(ticket.client_id, current))
            if ended is not None:
                await self._tickets.end(ticket.key, ended)

    def not_taken_up(self) -> list[Ticket]:
        """Return what waited when the last bridge stopped and this one does not ask about, oldest first."""
        now = stamp(self._clock.now())
        return [one for one in self._tickets.waiting() if one.key not in self._calls and one.until > now]

    async def end_client(self, client_id: str) -> None:
        """End the calls of a revoked client that have not begun to write, and forget its results."""
        for key, call in list(self._calls.items()):
            if call.tool_call.caller.client.id == client_id:
                if call.tool_call.phase not in {Phase.WRITING, Phase.DONE}:
                    call.task.cancel()
                del self._calls[key]
        self._ended.pop(client_id, None)
        await self._tickets.forget_client(client_id)

    async def stop(self) -> None:
        """Cancel what runs and wait for what is being written. What has a ticket is taken up at the next start."""
        self._stopping = True
        tasks = [call.task for call in self._calls.values() if not call.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._tickets.close()

    def _find(self, tool_call: ToolCall) -> _Call | Ticket | HistoryEntry | ToolResult:
        """Return the run of this call id: one in memory, one that was kept or a new one; or why there is none."""
        call_id, key = tool_call.call_id or "", tool_call.call_key or ""
        self._forget()
        found = self._calls.get(key)
        if found is not None:
            if found.tool_call.arguments_hash != tool_call.arguments_hash:
                return answers.used_otherwise(call_id)
            return found
        kept = self._kept(tool_call.caller, call_id)
        if kept is not None:
            same = kept.arguments_hash == tool_call.arguments_hash
            return kept if same else answers.used_otherwise(call_id)
        return self._begin(tool_call)

    def _begin(self, tool_call: ToolCall) -> _Call:
        """Start a call that can be found by its id."""
        key = tool_call.call_key or ""
        tool_call.before_run = partial(self._tickets.begin, key)
        since = tool_call.since or self._clock.now()
        call = _Call(tool_call, asyncio.create_task(self._run_kept(tool_call)), since)
        self._calls[key] = call
        call.task.add_done_callback(partial(self._finished, call))
        return call

    def _finished(self, call: _Call, task: asyncio.Task[ToolResult]) -> None:
        """Keep of a call what can still be asked for: its result, and the hash of its arguments."""
        call.finished = self._clock.monotonic()
        call.tool_call.arguments = call.tool_call.params = None
        call.tool_call.notify = lambda _event: None
        if not task.cancelled() and task.exception() is None:
            call.size = len(orjson.dumps(task.result().to_wire(), default=str))
        if self._calls.get(call.tool_call.call_key or "") is call:  # its client was not revoked
            ended = self._ended[call.tool_call.caller.subject]
            ended.calls.append(call)
            ended.size += call.size
        if call.size > LARGE:  # what small ones add up to is looked at when the next call comes
            self._forget()

    async def _hand_out(self, caller: Caller, call_id: str, kept: Ticket | HistoryEntry) -> ToolResult | PendingCall:
        """Return the result of a call that is not in memory."""
        if isinstance(kept, Ticket) and kept.is_open:  # this bridge takes up nothing, as it lives too short
            return answers.pending_call(call_id, state="waiting_for_person", expires_at=kept.until)
        result = await self._tickets.result(kept) if isinstance(kept, Ticket) else answers.recorded(kept)
        if result is None:
            entry = self._recorded(caller, call_id)
            result = answers.result_not_kept(call_id) if entry is None else answers.recorded(entry)
        execution_id = result.execution_id or ""
        await self._on_delivered(caller, ToolCall(caller, kept.tool, None, call_id, execution_id=execution_id))
        return result

    def _kept(self, caller: Caller, call_id: str) -> Ticket | HistoryEntry | None:
        """Return what is kept of a call that is not in memory: its ticket, with the result, or the journal's entry."""
        return self._tickets.find(call_key(caller, call_id)) or self._recorded(caller, call_id)

    def _recorded(self, caller: Caller, call_id: str) -> HistoryEntry | None:
        """Return the journal's entry of a call; one that an earlier version wrote is found by a random UUID alone."""
        found = self._pipeline.ledger.find_call(call_key(caller, call_id))
        if found is None and _is_random(call_id):
            found = self._pipeline.ledger.find_call(call_id)
        return found

    async def _run(self, tool_call: ToolCall) -> ToolResult:
        """Run a call, if its client does not have too much running already."""
        client = tool_call.caller.subject
        held = tool_call.size + held_by(tool_call.arguments, MOST_RUNNING)
        if self._running[client] and self._running[client] + held > MOST_RUNNING:
            return ToolResult.failed(
                RateLimited(
                    f"The calls of this client that still run hold {self._running[client]:,} bytes, and no more than "
                    f"{MOST_RUNNING:,} may be held. Wait until they have ended, then call again",
                    retry_after=1,
                )
            )
        self._running[client] += held
        work = self._pipeline.call(tool_call)
        try:
            return await (work if tool_call.caller.client.is_person else self._turns.run(client, work))
        finally:
            self._running[client] -= held
            if not self._running[client]:
                del self._running[client]

    async def _run_kept(self, tool_call: ToolCall) -> ToolResult:
        """Run a call. What becomes of one that has a ticket is written down before anybody gets to know it."""
        try:
            result = await self._run(tool_call)
            if tool_call.since is not None and not result.success and not tool_call.asked:
                result = answers.not_resumed(result.error or "it failed")
        except asyncio.CancelledError:  # nobody above this task: being cancelled is the call's result
            refusal = PermissionDenied("The call was cancelled before it did anything", code="cancelled")
            result = ToolResult.failed(refusal, execution_id=tool_call.execution_id)
            if self._stopping:
                return result
        ending = asyncio.ensure_future(self._tickets.end(tool_call.call_key or "", result))
        while not ending.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([ending])
        return result

    async def _await(self, call: _Call, wait: float | None, *, ticket_if_alone: bool) -> ToolResult | PendingCall:
        if ticket_if_alone:
            alone = asyncio.create_task(call.tool_call.alone.wait())
            await asyncio.wait([call.task, alone], timeout=wait, return_when=asyncio.FIRST_COMPLETED)
            alone.cancel()
        else:
            await asyncio.wait([call.task], timeout=wait)
        return call.task.result() if call.task.done() else await self._give_ticket(call)

    async def _give_ticket(self, call: _Call) -> ToolResult | PendingCall:
        """Return a ticket for a call that goes on. Its question then lives for hours; it ends with the call's id."""
        tool_call = call.tool_call
        call_id, consent = tool_call.call_id or "", self._pipeline.consent
        until = self._clock.now() + timedelta(hours=self._pipeline.settings().ticket_hours)
        outlives = False
        if tool_call.ticket_until is not None:
            outlives = True
        elif (not tool_call.caller.client.is_shared or _is_random(call_id)) and consent.keep_waiting(tool_call, until):
            outlives, tool_call.ticket_until = True, until
        if outlives:
            if call.opening is None:
                call.opening = asyncio.create_task(self._tickets.open(self._ticket(call), tool_call.arguments))
            outlives = await asyncio.shield(call.opening)
        if call.task.done():
            result = call.task.result()
            await self._tickets.end(tool_call.call_key or "", result)
            return result
        asked_until = consent.expires_at(tool_call)
        kept_until = None if tool_call.ticket_until is None else stamp(tool_call.ticket_until)
        return answers.pending_call(
            call_id,
            request_id=tool_call.request_id,
            waits=tool_call.waits,
            state="running" if asked_until is None else "waiting_for_person",
            expires_at=asked_until or kept_until,
            outlives=outlives,
            shown=consent.was_shown(tool_call),
            in_drafts=tool_call.caller.client.drafts,
        )

    def _ticket(self, call: _Call) -> Ticket:
        tool_call, caller = call.tool_call, call.tool_call.caller
        tool = self._pipeline.registry.get(tool_call.tool, caller)
        return Ticket(
            key=tool_call.call_key or "",
            call_id=tool_call.call_id or "",
            client_id=caller.client.id,
            session_id=caller.session_id,
            calls_itself=caller.calls_itself,
            tool=tool_call.tool,
            summary=in_own_words("" if tool is None else tool.spec.action, tool_call),
            reason=tool_call.reason,
            arguments_hash=tool_call.arguments_hash or "",
            since=stamp(call.since),
            until=stamp(tool_call.ticket_until or call.since),
            state="running" if tool_call.phase is Phase.RUNNING else "waiting_for_person",
        )

    def _info(self, ticket: Ticket) -> TicketInfo:
        call = self._calls.get(ticket.key)
        state, expires = ticket.state, ticket.until
        if ticket.is_open and call is not None:
            asked_until = self._pipeline.consent.expires_at(call.tool_call)
            state = "running" if asked_until is None else "waiting_for_person"
            expires = asked_until or expires
        return TicketInfo.of(ticket, ticket=ticket.call_id, state=state, expires_at=expires)

    def _ended_meanwhile(self, ticket: Ticket) -> ToolResult | None:
        """Return the result of a ticket that waited when the bridge stopped; None when it waits still."""
        entry = self._pipeline.ledger.find_call(ticket.key, of_any_age=True)
        if entry is not None:
            return answers.recorded(entry)
        if ticket.state == "running":
            return answers.interrupted(ticket)
        if moment_of(ticket.until) <= self._clock.now():
            return ToolResult.failed(
                PermissionDenied(
                    f"Nobody answered by {ticket.until}. Nothing was done. Make the call again if it is still wanted",
                    code="timed_out",
                )
            )
        return None

    async def _take_up(self, ticket: Ticket, client: Client | None) -> ToolResult | None:
        """Go on with a call that waited when the bridge stopped: the same call, planned anew for the vault as it is.

        Args:
            ticket: Its ticket.
            client: Whoever made it; None where nobody has that credential any more.

        Returns:
            Why that is not possible; None where it is.
        """
        if client is None:
            return answers.not_resumed("the client that made it was revoked")
        caller = Caller(client, f"ticket-{ticket.file}", ticket.calls_itself)
        if self._pipeline.registry.get(ticket.tool, caller) is None:
            return answers.not_resumed(f"there is no tool {ticket.tool!r} any more")
        arguments = await self._tickets.arguments(ticket)
        if arguments is None:
            return answers.not_resumed("what it was to do cannot be read")
        tool_call = ToolCall(
            caller,
            ticket.tool,
            arguments,
            call_id=ticket.call_id,
            call_key=ticket.key,
            arguments_hash=ticket.arguments_hash,
            reason=ticket.reason,
            wait_for_host=True,
            ticket_until=moment_of(ticket.until),
            since=moment_of(ticket.since),
            size=ticket.size,
            counted=False,
        )
        written = self._begin(tool_call).opening = asyncio.get_running_loop().create_future()
        written.set_result(True)
        return None

    def _forget(self) -> None:
        """Drop what finished more than a day ago, and beyond what we keep the oldest of the client with most."""
        old = self._clock.monotonic() - KEPT_SECONDS
        for client, ended in list(self._ended.items()):
            while ended.calls and (ended.calls[0].finished or 0.0) < old:
                self._drop(client)
            while ended.size > MOST_RESULTS and len(ended.calls) > 1:
                self._drop(client)
        while sum(ended.size for ended in self._ended.values()) > MOST_RESULTS_OF_ALL and (
            several := [client for client, ended in self._ended.items() if len(ended.calls) > 1]
        ):
            self._drop(max(several, key=lambda client: self._ended[client].size))
        for _ in range(sum(len(ended.calls) for ended in self._ended.values()) - MOST_KEPT):
            self._drop(max(self._ended, key=lambda client: len(self._ended[client].calls)))

    def _drop(self, client: str) -> None:
        """Forget the oldest call of a client that has ended."""
        ended = self._ended[client]
        call = ended.calls.popleft()
        ended.size -= call.size
        del self._calls[call.tool_call.call_key or ""]
        if not ended.calls:
            del self._ended[client]


def call_key(caller: Caller, call_id: str) -> str:
    """Return the key of a call, in memory and in the journal: from its id, and from whom it holds for."""
    holder = caller.subject if caller.client.is_shared and _is_random(call_id) else caller.session_id
    return content_hash(orjson.dumps([holder, call_id]))


def _is_random(call_id: str) -> bool:
    """Return whether nobody could guess this id: a UUID of version 4 (RFC 9562, 5.4), in its usual spelling."""
    try:
        read = uuid.UUID(call_id)
    except ValueError:
        return False
    return read.version == 4 and str(read) == call_id.lower()  # noqa: PLR2004 - the version's number


def _client(client_id: str, current: Callable[[Client], Client | None]) -> Client | None:
    """Return whoever holds a credential now; None when it was revoked."""
    own = {client.id: client for client in (SHARED, HOST, CHAT)}
    return own.get(client_id) or current(Client(client_id, None, frozenset()))
