"""Notifications to clients: a class for each event. `consent.py` has those about questions."""

from typing import Annotated, ClassVar, Literal

from bridge.contract.base import ANY_TEXT, TOOL_PROGRESS, TOOLS_CHANGED, Event, SparseEvent


class ToolStarted(SparseEvent):
    """A call has begun. `call_id` is the caller's own id for it."""

    event_name: ClassVar[str] = "tool.started"

    execution_id: str
    tool: str
    client: str
    call_id: str | None = None


class ToolProgress(ToolStarted):
    """The progress of a long call. `total` is None when that is not known."""

    event_name: ClassVar[str] = TOOL_PROGRESS

    done: int
    total: int | None
    message: str


class ToolOutput(ToolStarted):
    """A piece of an answer that comes in pieces; the result has all of them. Sent to whoever called."""

    event_name: ClassVar[str] = "tool.output"

    text: str


class ToolFinished(ToolStarted):
    """A call has ended."""

    event_name: ClassVar[str] = "tool.finished"

    success: bool
    duration_ms: float


class ToolsChanged(Event):
    """`tools.list` returns other tools than before. Sent to every client."""

    event_name: ClassVar[str] = TOOLS_CHANGED


class DraftsChanged(Event):
    """A draft was begun, changed or ended; `drafts.list` has them. Sent to those who administer."""

    event_name: ClassVar[str] = "drafts.changed"


class ClientsChanged(Event):
    """A client was added, renamed, revoked, or may do more than before. Sent to those who administer.

    `message` says what happened, in one sentence for a person.
    """

    event_name: ClassVar[str] = "clients.changed"

    message: str


class LimitHit(Event):
    """A call has to wait, or is refused, because of a rate limit. `retry_after` is in seconds."""

    event_name: ClassVar[str] = "limits.hit"

    tool: str
    retry_after: int
    message: str
    client: str


class AuditAppended(SparseEvent):
    """The log has a new record; these are the members of it that hosts need at once, as far as it has them."""

    event_name: ClassVar[str] = "audit.appended"

    timestamp: str
    kind: str
    tool: str | None = None
    execution_id: str | None = None
    client: str | None = None
    success: bool | None = None
    error_type: str | None = None
    outcome: str | None = None
    rule: str | None = None
    event: str | None = None


class VaultChanged(SparseEvent):
    """A file has changed, and whoever asks about it now is answered with the change known.

    `entry` is the change of another program that this belongs to, in the history. Only the person's own programs are
    sent it.
    """

    event_name: ClassVar[str] = "vault.changed"

    path: str
    change: Annotated[Literal["created", "modified", "deleted"], ANY_TEXT]
    entry: str | None = None


class VaultMoved(Event):
    """The vault's folder is not in its place any more, or is again. `message` says what that means, for a person."""

    event_name: ClassVar[str] = "vault.moved"

    in_place: bool
    message: str


class IndexProgress(Event):
    """The number of files read so far, of those to be read."""

    event_name: ClassVar[str] = "index.progress"

    done: int
    total: int
