"""The tickets: calls that go on while their caller is away, kept in the user's own folder until a day after their end.

A ticket is written down before its caller gets it, and its result before anybody gets that. So whatever ends the
bridge, the next start knows which calls still wait for a person, and what became of the others. Of a write, the
ledger's journal has the last word: it is written before the vault is.

A ticket is one file, which is replaced as a whole. While the call waits, it holds the arguments; afterwards only the
result. What is in it is the user's own, so no other user can read it and no log repeats it.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Literal

from pydantic import BaseModel

from bridge.clock import Clock, moment_of, stamp
from bridge.contract.tools import AWAIT_DECISION, PendingCall, TicketState, ToolResult
from bridge.errors import ExecutionFailed, InvalidParameters, NotFound
from bridge.records.folder import RecordFolder, RecordStore
from bridge.vault.plan import HistoryEntry

logger = logging.getLogger(__name__)

KEPT: Final = timedelta(hours=24)
"""The time for which the result of a ticket is kept."""
MOST_ENDED: Final = 100
"""Tickets of one client that are kept after their end."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Bytes of the files of one client."""
MOST_BYTES_OF_ONE: Final = 4 * 1024 * 1024
"""Bytes of one file; a call or a result that is larger is not written down."""
SWEEP_SECONDS: Final = 60 * 60.0
_OPEN: Final = frozenset({"waiting_for_person", "running"})


@dataclass(frozen=True, slots=True)
class Ticket:
    """The facts of a call that has a ticket.

    Attributes:
        key: Under what the call is kept, here and in the journal.
        call_id: The ticket.
        client_id: The credential that called.
        session_id: The session it is listed for.
        calls_itself: The name that the program gave itself.
        tool: The tool that was called.
        summary: The call in the caller's words.
        reason: Why, in the caller's words.
        arguments_hash: Of tool and arguments.
        since: When it was made, ISO 8601 UTC.
        until: Until when a person can answer; of one that has ended, until when it is kept.
        state: What has become of it; `running` also when it was, when the bridge was killed.
        size: Bytes of its file.
    """

    key: str
    call_id: str
    client_id: str
    session_id: str
    calls_itself: str | None
    tool: str
    summary: str
    reason: str | None
    arguments_hash: str
    since: str
    until: str
    state: TicketState = "waiting_for_person"
    size: int = 0

    def __post_init__(self) -> None:
        moment_of(self.since)
        moment_of(self.until)

    @property
    def is_open(self) -> bool:
        """Return whether it has no result yet."""
        return self.state in _OPEN

    @property
    def file(self) -> str:
        """Return the name of its file."""
        return f"{hashlib.sha256(self.key.encode()).hexdigest()[:32]}.json"


class _File(BaseModel):
    """The file of one ticket, in which the call's arguments or, after its end, its result are kept as JSON."""

    version: Literal[1] = 1
    ticket: Ticket
    arguments: Any = None
    result: Any = None


class Tickets:
    """The tickets of one vault. To be used on the event loop; what touches the disk runs in a thread, in order.

    Args:
        folder: Where the files lie.
        clock: For the times.
    """

    def __init__(self, folder: RecordFolder, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._tickets: dict[str, Ticket] = {}
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="tickets")
        self._sweeping: asyncio.Task[None] | None = None

    async def load(self) -> None:
        """Read what an earlier run of the bridge has left, and from now on drop what is over."""
        for ticket in await self._on_disk(self._read_all):
            self._tickets.setdefault(ticket.key, ticket)
        await self._sweep()
        self._sweeping = asyncio.create_task(self._sweep_often())

    async def close(self) -> None:
        """Wait until everything is written."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        await asyncio.to_thread(self._disk.shutdown)

    async def open(self, ticket: Ticket, arguments: Any) -> bool:
        """Note a ticket that is about to be handed out.

        Args:
            ticket: The ticket.
            arguments: Of the call.

        Returns:
            Whether it is written down, so that it outlives the bridge.
        """
        self._tickets[ticket.key] = ticket
        return await self._write(_File(ticket=ticket, arguments=arguments))

    async def begin(self, key: str) -> None:
        """Note that a call begins to do what is not in the ledger, so that it is never done twice."""
        ticket = self._tickets.get(key)
        if ticket is not None and ticket.is_open:
            self._tickets[key] = replace(ticket, state="running")
            await self._write(_File(ticket=self._tickets[key]))

    async def end(self, key: str, result: ToolResult) -> None:
        """Note what became of a call. Nothing happens where it has no ticket, or one that has ended."""
        ticket = self._tickets.get(key)
        if ticket is None or not ticket.is_open:
            return
        ended = replace(ticket, state=_state(result), until=stamp(self._clock.now() + KEPT))
        self._tickets[key] = ended
        if not await self._write(_File(ticket=ended, result=result.to_wire())):
            await self._write(_File(ticket=ended))  # its end, though not its result
        await self._sweep()

    def find(self, key: str) -> Ticket | None:
        """Return the ticket of a call; None when it has none, or had one too long ago."""
        ticket = self._tickets.get(key)
        return None if ticket is None or self._is_over(ticket) else ticket

    def waiting(self) -> list[Ticket]:
        """Return every ticket of which nothing has become yet, the oldest first."""
        return sorted((one for one in self._tickets.values() if one.is_open), key=lambda one: one.since)

    def of_session(self, session_id: str) -> list[Ticket]:
        """Return the tickets that are listed for a caller, the newest first."""
        own = [one for one in self._tickets.values() if one.session_id == session_id and not self._is_over(one)]
        return sorted(own, key=lambda one: one.since, reverse=True)

    async def arguments(self, ticket: Ticket) -> Any:
        """Return the arguments of a call that waits; None when they cannot be read."""
        content = await self._on_disk(self._content, ticket.file)
        return None if content is None else content.arguments

    async def result(self, ticket: Ticket) -> ToolResult | None:
        """Return the result of a call that has ended; None when it was not kept."""
        content = await self._on_disk(self._content, ticket.file)
        return None if content is None or content.result is None else ToolResult.model_validate(content.result)

    async def forget_client(self, client_id: str) -> None:
        """Forget the tickets of a revoked client: nobody can ask for them any more."""
        await self._drop([one for one in self._tickets.values() if one.client_id == client_id])

    async def _write(self, content: _File) -> bool:
        """Write a ticket's file; return whether it is there."""
        ticket = content.ticket
        others = sum(
            one.size for one in self._tickets.values() if one.client_id == ticket.client_id and one.key != ticket.key
        )

        def write() -> int | None:
            try:
                return self._store(ticket.file, min(MOST_BYTES_OF_ONE, MOST_BYTES - others)).save(content)
            except ExecutionFailed as error:
                logger.warning("A ticket cannot be written down: %s", error.message)
                return None

        size = await self._on_disk(write)
        if size is not None and (now := self._tickets.get(ticket.key)) is not None:
            self._tickets[ticket.key] = replace(now, size=size)
        return size is not None

    async def _sweep_often(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            await self._sweep()

    async def _sweep(self) -> None:
        """Drop what ended more than a day ago, and of what ended later what is more than one client may keep."""
        dropped = [one for one in self._tickets.values() if self._is_over(one)]
        for client_id in {one.client_id for one in self._tickets.values()}:
            ended = [one for one in self._tickets.values() if one.client_id == client_id and not one.is_open]
            ended.sort(key=lambda one: one.until, reverse=True)
            held = 0
            for place, ticket in enumerate(ended):
                held += ticket.size
                if place >= MOST_ENDED or held > MOST_BYTES // 2:
                    dropped.append(ticket)
        await self._drop(dropped)

    async def _drop(self, tickets: list[Ticket]) -> None:
        for ticket in tickets:
            self._tickets.pop(ticket.key, None)

        def remove() -> None:
            try:
                self._folder.remove(*(ticket.file for ticket in tickets))
            except OSError as error:
                logger.warning("Tickets that are over cannot be removed: %s", error.strerror)

        if tickets:
            await self._on_disk(remove)

    def _is_over(self, ticket: Ticket) -> bool:
        return not ticket.is_open and moment_of(ticket.until) <= self._clock.now()

    def _read_all(self) -> list[Ticket]:
        return [content.ticket for name in self._folder.names() if (content := self._content(name)) is not None]

    def _content(self, name: str) -> _File | None:
        """Return what a file holds; None if it is missing or cannot be used."""
        return self._store(name).load(None)

    def _store(self, name: str, largest: int = MOST_BYTES_OF_ONE) -> RecordStore[_File | None]:
        fault = f"The ticket {name} is damaged and was passed over: {{why}}"
        return RecordStore[_File | None](self._folder, name, _File, fault=fault, largest=largest)

    async def _on_disk(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do something in the one thread. It is done to its end, also when whoever waits for it goes away."""
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._disk, work, *arguments))


def _state(result: ToolResult) -> TicketState:
    """Return the state of a call with this result."""
    if result.success:
        return "done"
    code = result.data.get("code") if isinstance(result.data, dict) else None
    states: dict[str, TicketState] = {"timed_out": "expired", "cancelled": "cancelled"}
    states |= {"denied_by_user": "denied", "denied_by_rule": "denied"}
    return states.get(str(code), "failed")


LET_READ: Final = (
    "A note that the user lets you read needs no ticket, neither to be read nor to be changed; if this is about one "
    "that you may not read yet, tell them so."
)
"""The advice with a ticket to a client that works in drafts."""


def pending_call(
    call_id: str,
    *,
    state: Literal["waiting_for_person", "running"],
    expires_at: str | None,
    request_id: str | None = None,
    waits: str | None = None,
    outlives: bool = True,
    shown: bool = False,
    in_drafts: bool = False,
) -> PendingCall:
    """Return the answer for a call that goes on, with the sentence that says what to do."""
    if state != "waiting_for_person":
        said = waits or "The call goes on."
    elif shown:
        until = "" if expires_at is None else f", who can answer until {expires_at}"
        said = f"Nothing has been done yet: the user was asked{until}."
    else:
        until = "" if expires_at is None else f" until {expires_at}"
        said = (
            "Nothing has been done yet: nobody is there to be asked, as neither Obsidian with the plugin nor "
            f"`vault-bridge approve` is open. The question waits{until}, and the user sees it on opening one of them. "
            "Tell the user so."
        )
    note = "" if outlives else " A restart of the bridge ends it."
    if in_drafts and state == "waiting_for_person":
        note += f" {LET_READ}"
    return PendingCall(
        call_id=call_id,
        request_id=request_id,
        waits=waits,
        state=state,
        expires_at=expires_at,
        text=f"{said}{note} Do not repeat the call; call `{AWAIT_DECISION}` with the ticket {call_id!r} for its result",
    )


def not_resumed(why: str) -> ToolResult:
    """Return the result of a call that cannot be taken up after a restart."""
    return ToolResult.failed(
        ExecutionFailed(
            f"The bridge was restarted while this call waited for the user, and it could not be taken up again: "
            f"{why.rstrip('.')}. Nothing was done"
        )
    )


def interrupted(ticket: Ticket) -> ToolResult:
    """Return the result of a call that ran when the bridge was killed, and of which no journal knows."""
    return ToolResult.failed(
        ExecutionFailed(
            f"The bridge ended while {ticket.tool!r} ran, so its result is lost. It was not run again, and it has "
            "changed no file of the vault. If it reaches beyond the vault, look what became of it before you repeat it"
        )
    )


def result_not_kept(call_id: str) -> ToolResult:
    """Return the result of a call whose own is kept nowhere."""
    return ToolResult.failed(
        NotFound(f"The call {call_id!r} has ended, but its result was too large to keep. Make the call again")
    )


def used_otherwise(call_id: str) -> ToolResult:
    """Return the result of a call under the id of another."""
    why = f"The call id {call_id!r} was used for another call; use a new id for each new call"
    return ToolResult.failed(InvalidParameters(why))


def recorded(entry: HistoryEntry) -> ToolResult:
    """Return the result of a write that an earlier run of the bridge made."""
    files = ", ".join(entry.files)
    if entry.state == "conflicted":
        return ToolResult.failed(
            ExecutionFailed(
                f"The change {entry.execution_id} was interrupted and could be taken back only in part: {files}. "
                "Look at these files before you go on"
            ),
            execution_id=entry.execution_id,
        )
    return ToolResult(
        success=True,
        data={"modified": True, "files": list(entry.files), "state": entry.state, "fromHistory": True},
        text=f"Already done: {files} (as {entry.execution_id})",
        execution_id=entry.execution_id,
        metadata={"durationMs": 0},
    )
