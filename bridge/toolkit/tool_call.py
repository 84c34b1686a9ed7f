"""One call on its way through the pipeline, as others may see it."""

import asyncio
import contextlib
import unicodedata
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeVar

import orjson

from bridge.audit.records import phrase
from bridge.contract.base import Event
from bridge.identity.caller import Caller
from bridge.policy.targets import Target
from bridge.vault.plan import ChangePlan, content_hash
from bridge.vault.text import counted

T = TypeVar("T")

LARGE = 64 * 1024
"""Bytes of a request from which on its arguments are looked through in a thread."""
LONGEST_SUMMARY = 300
"""Characters in which a call is named."""
_LONG: Final = 64 * 1024  # characters of a text that are made plain in one step


class Phase(StrEnum):
    """The progress of a call. From WRITING on it can no longer be cancelled."""

    QUEUED = "queued"
    PREPARING = "preparing"
    ASKING = "asking"
    RUNNING = "running"
    WRITING = "writing"
    DONE = "done"


class TimeLimit:
    """The time limit of a tool's method. A person's time does not count.

    Args:
        timeout: The time-out that the method runs in.
    """

    def __init__(self, timeout: asyncio.Timeout) -> None:
        self._timeout = timeout
        self._pauses = 0
        self._left = 0.0

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Let no time pass in the block; pauses may overlap."""
        loop = asyncio.get_running_loop()
        when = self._timeout.when()
        if self._pauses == 0 and when is not None:
            self._left = when - loop.time()
            self._timeout.reschedule(None)
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            if self._pauses == 0:
                with contextlib.suppress(RuntimeError):  # the method has ended meanwhile
                    self._timeout.reschedule(loop.time() + self._left)


async def uncancelled(work: "asyncio.Future[T]") -> T:
    """Return what comes of work that is done to its end: a closed connection or a bridge that stops may cancel us.

    Where it matters later, `asyncio.current_task().cancelling()` says that somebody did.
    """
    while not work.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([work])
    return work.result()


@dataclass(slots=True)
class ToolCall:
    """The changing state of one call.

    Attributes:
        caller: The caller.
        tool: What is called.
        call_id: The caller's own id for the call, which makes it idempotent.
        call_key: Under what the call is kept: the id, and whom it holds for.
        params: The arguments as the tool's parameters, once they are known to fit.
        arguments_hash: Of tool and arguments, to recognise a call id used twice for different things.
        reason: Why, in the caller's words.
        wait_for_host: Whether a question may wait for a person to connect.
        ticket_until: Until when a person can answer, where the caller has a ticket and comes back for the answer.
        since: When the call was made, where that was before the bridge started.
        asked: Whether a person was asked.
        waited: Seconds for which its questions, and those of its parts, were open; None where it asked nothing.
        before_run: Awaited before anything is done that is not in the ledger.
        execution_id: Our id of it.
        phase: How far it is.
        request_id: The open question, while one is open.
        grant: The answer given before that has allowed the call, where one did.
        allowed_by_person: Whether a person has allowed this very call, singly or by an answer that is counted.
        passed: The place that it takes in the windows of the rate limits, while it takes one.
        waits: What it waits for, while that is a limit: a sentence for the caller.
        size: Bytes of the request that it came in.
        fingerprint: What the same call, made again, has again; set once its arguments are known to fit.
        notify: Sends the caller an event.
        incomplete_before: How many incomplete answers the index had given when the call began.
        comments: What the person said to the caller with each yes.
        made: The plan that was carried out for it, once it is.
        time_limit: Of the tool's method that runs now.
        may_ask: Whether a person may be asked about it; else it is refused where they would be.
        counted: Whether it counts against the rate limits.
        admitted: Whether it has come past lookup, validation and limit.
        decided: Whether the rules, or a person, have decided about it. Nothing is done before.
        authorized: What the person, or an earlier answer of theirs, has allowed in this call.
        within: The chain that it is a part of. Whoever made that waits for it, and so for the questions of its parts.
        ticket_at_once: Whether its caller gets a ticket as soon as a person must be asked, whoever is there.
        alone: Set while its question is open and nobody was there to see it.
    """

    caller: Caller
    tool: str
    arguments: Any
    call_id: str | None = None
    call_key: str | None = None
    params: Any = None
    arguments_hash: str | None = None
    reason: str | None = None
    wait_for_host: bool = False
    ticket_until: datetime | None = None
    since: datetime | None = None
    asked: bool = False
    waited: float | None = None
    before_run: Callable[[], Awaitable[None]] | None = field(default=None, repr=False)
    execution_id: str = ""
    phase: Phase = Phase.QUEUED
    request_id: str | None = None
    grant: str | None = None
    allowed_by_person: bool = False
    passed: float | None = None
    waits: str | None = None
    size: int = 0
    fingerprint: str | None = None
    notify: Callable[[Event], None] = field(default=lambda _event: None, repr=False)
    incomplete_before: int = 0
    may_ask: bool = True
    counted: bool = True
    admitted: bool = False
    decided: bool = False
    authorized: set[Target] = field(default_factory=set, repr=False)
    comments: list[str] = field(default_factory=list, repr=False)
    made: ChangePlan | None = field(default=None, repr=False)
    time_limit: TimeLimit | None = field(default=None, repr=False)
    within: "ToolCall | None" = field(default=None, repr=False)
    ticket_at_once: bool = False
    alone: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @property
    def event_members(self) -> dict[str, Any]:
        """Return the members that all events of the call have; without an id of the caller's own, none is sent."""
        named = {"execution_id": self.execution_id, "tool": self.tool, "client": self.caller.name}
        return named | ({"call_id": self.call_id} if self.call_id else {})

    def part(self, tool: str, arguments: dict[str, Any], size: int, caller: Caller | None = None) -> "ToolCall":
        """Return a call that is a part of this one.

        Args:
            tool: The tool that it calls.
            arguments: Its arguments.
            size: Their bytes.
            caller: Who calls; as of this one, with no more rights.
        """
        return ToolCall(
            caller or self.caller,
            tool,
            arguments,
            reason=self.reason,
            wait_for_host=self.wait_for_host,
            may_ask=self.may_ask,
            counted=self.counted,
            size=size,
            within=self.whole,
        )

    @property
    def whole(self) -> "ToolCall":
        """Return the call that its client has made: the chain that it is a part of, or the call itself."""
        return self if self.within is None else self.within


def without_bulk(arguments: Any, bulky: frozenset[str]) -> Any:
    """Return arguments to be shown, with the number of items of each list that is too much for that."""
    if not bulky or not isinstance(arguments, dict):
        return arguments
    return {
        name: f"[{counted(len(value), 'item')}]" if name in bulky and isinstance(value, list) else value
        for name, value in arguments.items()
    }


def in_own_words(action: str, tool_call: ToolCall) -> str:
    """Return a call in its caller's words, where the question's own sentence may say what the caller may not read.

    Args:
        action: How its tool's use is worded (`audit/records.py`); empty where nothing is known of the tool.
        tool_call: The call.
    """
    given = tool_call.arguments if isinstance(tool_call.arguments, dict) else {}
    said = phrase(action, given.get, past=False) if action else tool_call.tool
    return said[:LONGEST_SUMMARY]


def call_fingerprint(*parts: Any) -> str:
    """Return what a repeated call has in common; white space and invisible characters make no other call.

    Args:
        parts: The tool's names and the arguments: JSON values.
    """
    return content_hash(orjson.dumps([_plain(part) for part in parts], option=orjson.OPT_SORT_KEYS))


def _plain(value: Any) -> Any:
    """Return a JSON value without what can be changed in a text while a person would still call it the same."""
    match value:
        case str() if len(value) <= _LONG:
            return " ".join(_visible(value).split())
        case str():  # in pieces, so that other threads have their turn, and without any white space for the same reason
            pieces = (value[start : start + _LONG] for start in range(0, len(value), _LONG))
            return "".join("".join(_visible(piece).split()) for piece in pieces)
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {name: _plain(item) for name, item in value.items()}
    return value


def _visible(text: str) -> str:
    for character in set(text):
        if unicodedata.category(character) == "Cf":
            text = text.replace(character, "")
    return unicodedata.normalize("NFKC", text)
