"""One call on its way through the pipeline, as others may see it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bridge.contract.base import Event
from bridge.contract.session import Role


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. The client's name is one it gave itself."""

    role: Role
    client: str
    session_id: str


class Phase(StrEnum):
    """How far a call is. From WRITING on it can no longer be cancelled."""

    QUEUED = "queued"
    PREPARING = "preparing"
    ASKING = "asking"
    RUNNING = "running"
    WRITING = "writing"
    DONE = "done"


@dataclass(slots=True)
class ToolCall:
    """The changing state of one call.

    Attributes:
        caller: Who calls.
        tool: What is called.
        call_id: The caller's own id for the call, which makes it idempotent.
        arguments_hash: Of tool and arguments, to recognise a call id used twice for different things.
        reason: Why, in the caller's words.
        wait_for_host: Whether a question may wait for a person to connect.
        execution_id: Our id of it.
        phase: How far it is.
        request_id: The open question, while one is open.
        notify: Sends the caller an event.
        incomplete_before: How many incomplete answers the index had given when the call began.
    """

    caller: Caller
    tool: str
    arguments: Any
    call_id: str | None = None
    arguments_hash: str | None = None
    reason: str | None = None
    wait_for_host: bool = False
    execution_id: str = ""
    phase: Phase = Phase.QUEUED
    request_id: str | None = None
    notify: Callable[[Event], None] = field(default=lambda _event: None, repr=False)
    incomplete_before: int = 0
