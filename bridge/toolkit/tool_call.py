"""One call on its way through the pipeline, as others may see it."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bridge.contract.base import Event
from bridge.identity.caller import Caller
from bridge.policy.targets import Target


class Phase(StrEnum):
    """How far a call is. From WRITING on it can no longer be cancelled."""

    QUEUED = "queued"
    PREPARING = "preparing"
    ASKING = "asking"
    RUNNING = "running"
    WRITING = "writing"
    DONE = "done"


class TimeLimit:
    """What ends a tool's method when its time is up. A person's time does not count.

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


@dataclass(slots=True)
class ToolCall:
    """The changing state of one call.

    Attributes:
        caller: Who calls.
        tool: What is called.
        call_id: The caller's own id for the call, which makes it idempotent.
        call_key: Under what the call is kept: the id, and whom it holds for.
        arguments_hash: Of tool and arguments, to recognise a call id used twice for different things.
        reason: Why, in the caller's words.
        wait_for_host: Whether a question may wait for a person to connect.
        execution_id: Our id of it.
        phase: How far it is.
        request_id: The open question, while one is open.
        notify: Sends the caller an event.
        incomplete_before: How many incomplete answers the index had given when the call began.
        time_limit: Of the tool's method that runs now.
        authorized: What the person, or an earlier answer of theirs, has allowed in this call.
    """

    caller: Caller
    tool: str
    arguments: Any
    call_id: str | None = None
    call_key: str | None = None
    arguments_hash: str | None = None
    reason: str | None = None
    wait_for_host: bool = False
    execution_id: str = ""
    phase: Phase = Phase.QUEUED
    request_id: str | None = None
    notify: Callable[[Event], None] = field(default=lambda _event: None, repr=False)
    incomplete_before: int = 0
    authorized: set[Target] = field(default_factory=set, repr=False)
    time_limit: TimeLimit | None = field(default=None, repr=False)
