"""The results of a tool call: its result, a ticket for one that is not done, and a preview of its effects."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, Anything, Wire
from bridge.contract.consent import ConsentClass, ConsentMode, Decision, FilePreview, Operation, RiskLevel
from bridge.errors import ErrorType, RateLimited, ToolFailure


class TextPart(Wire):
    """A text."""

    type: Literal["text"] = "text"
    text: str


class DataPart(Wire):
    """Structured data."""

    type: Literal["data"] = "data"
    data: Anything


class ImagePart(Wire):
    """An image; `data` is base64."""

    type: Literal["image"] = "image"
    mime_type: str
    data: str


class NotePart(Wire):
    """A link to a note of this vault."""

    type: Literal["note"] = "note"
    path: str
    title: str


class LinkPart(Wire):
    """A link to something outside this vault, as another server named it."""

    type: Literal["link"] = "link"
    uri: str
    name: str
    mime_type: str | None = None


ResultPart = TextPart | DataPart | ImagePart | NotePart | LinkPart
"""A piece of a tool's answer that its text cannot carry."""


class ToolResult(Wire):
    """The answer to a tool call, also when it failed: a failed tool is not a protocol error.

    Attributes:
        success: Whether the tool did what was asked.
        data: For programs.
        text: For a model to read; on failure the error with `Error: ` before it.
        error: The error, and what to do next.
        error_type: The kind of failure.
        execution_id: Names this execution in the log and in the history.
        metadata: `durationMs`, `truncated`, `total`, `retryAfter` and the like.
        parts: Content that is not text: images, structured data, links to notes. Left out where there is none.
    """

    success: bool
    data: Anything = None
    text: str = ""
    error: str | None = None
    error_type: Annotated[ErrorType, ANY_TEXT] | None = None
    execution_id: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    parts: tuple[ResultPart, ...] = ()

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON object without members that do not apply. `data` is not validated, for speed."""
        wire: dict[str, Any] = {"success": self.success}
        if self.success or self.data is not None:
            wire["data"] = self.data
        wire["text"] = self.text
        if not self.success:
            wire["error"] = self.error
            wire["errorType"] = self.error_type
        if self.execution_id is not None:
            wire["executionId"] = self.execution_id
        wire["metadata"] = self.metadata
        if self.parts:
            wire["parts"] = [part.to_wire() for part in self.parts]
        return wire

    @classmethod
    def failed(
        cls, failure: ToolFailure, *, execution_id: str | None = None, metadata: dict[str, Any] | None = None
    ) -> "ToolResult":
        """Return the result of a call that failed.

        Args:
            failure: Why; its `data` becomes members of the result's `data`.
            execution_id: Names the execution, where it came that far.
            metadata: Such as `durationMs`; of a rate limit `retryAfter` is added.
        """
        metadata = dict(metadata or {})
        if isinstance(failure, RateLimited):
            metadata["retryAfter"] = failure.retry_after
        return cls(
            success=False,
            error=failure.message,
            error_type=failure.error_type,
            data={"error_type": failure.error_type.value} | failure.data,
            text=f"Error: {failure.message}",
            execution_id=execution_id,
            metadata=metadata,
        )


AWAIT_DECISION: Final = "await_decision"
"""The tool that waits for what becomes of a call that has a ticket."""


class PendingCall(Wire):
    """A call that goes on although its caller's `wait` has run out; `await_decision` has the result later.

    Attributes:
        call_id: Names the call: its ticket.
        request_id: The open question; None when there is none.
        waits: Where it waits because of a rate limit: how long and why, in one or more sentences.
        state: Whether it waits for a person or goes on without one.
        expires_at: Until when a person can answer, ISO 8601 UTC; None when nobody is asked and nothing is kept.
        text: For a model to read: what to do next.
    """

    status: Literal["pending"] = "pending"
    call_id: str
    request_id: str | None
    waits: str | None = None
    state: Annotated[Literal["waiting_for_person", "running"], ANY_TEXT] = "running"
    expires_at: str | None = None
    text: str = ""


TicketState = Literal["waiting_for_person", "running", "done", "denied", "expired", "cancelled", "failed"]


class TicketInfo(Wire):
    """A call that has a ticket, as `await_decision` lists it.

    Attributes:
        ticket: The call's id.
        tool: The tool that was called.
        summary: The call in its caller's own words: nothing that the caller may not know yet.
        state: Its state.
        since: When it was made, ISO 8601 UTC.
        expires_at: Until when a person can answer, or until when its result is kept.
    """

    ticket: str
    tool: str
    summary: str
    state: TicketState
    since: str
    expires_at: str


class CallPlan(Wire):
    """The effect of a call; for a read, all that can be said in advance."""

    tool: str
    operation: Operation
    risk_level: RiskLevel
    risk_reasons: tuple[str, ...] = ()
    summary: str
    targets: tuple[str, ...]


class WritePlan(CallPlan):
    """The effect of a write on each file."""

    digest: str
    files: tuple[FilePreview, ...]
    warnings: tuple[str, ...]


class RequestPlan(CallPlan):
    """The exact request or command that a call would send or run."""

    request: str
    warnings: tuple[str, ...]


class CallPreview(Wire):
    """The result of `tools.preview`."""

    plan: WritePlan | RequestPlan | CallPlan


class Refusal(Wire):
    """The fate of a call that does not get as far as the rules, or is refused before them."""

    outcome: Literal["deny", "fail"]
    rule: str
    why: str


class Explanation(Wire):
    """The verdict of the rules on a call.

    Attributes:
        outcome: The outcome of the call.
        rule: The rule that decides.
        why: The reason and how to change it, for people.
        choices: The answers open to a person; empty unless `outcome` is `ask`.
        targets: The things that the call touches.
        operation: The call's kind of effect.
        consent_class: The limit to which its tool may be trusted.
        mode: The user's setting for the tool.
        summary: The question's sentence.
        elicitation: Whether the client's own user could say yes in the client itself, for this once.
    """

    outcome: Literal["allow", "ask", "deny"]
    rule: str
    why: str
    choices: tuple[Decision, ...]
    targets: tuple[str, ...]
    operation: Operation
    consent_class: Annotated[ConsentClass, Field(alias="class")]
    mode: ConsentMode
    summary: str
    elicitation: bool = False
