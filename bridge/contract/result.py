"""What becomes of a tool call: its result, a ticket for one that is not done, and what it would do."""

from typing import Annotated, Any, Literal

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


ResultPart = TextPart | DataPart | ImagePart | NotePart
"""A piece of a tool's answer that its text cannot carry."""


class ToolResult(Wire):
    """What a tool call answers, also when it failed: a failed tool is not a protocol error.

    Attributes:
        success: Whether the tool did what was asked.
        data: For programs.
        text: For a model to read; on failure the error with `Error: ` before it.
        error: What went wrong and what to do next.
        error_type: The kind of failure.
        execution_id: Names this execution in the log and in the history.
        metadata: `durationMs`, `truncated`, `total`, `retryAfter` and the like.
        parts: What the text cannot carry: images, structured data, links to notes. Left out where there is none.
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
        """The JSON object without the members that do not apply. `data` is passed through unvalidated, for speed."""
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
        """The result of a call that failed.

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


class PendingCall(Wire):
    """A call that goes on although its caller's `wait` has run out; `tools.result` has the result later.

    Attributes:
        call_id: Names the call.
        request_id: The open question; None when there is none.
    """

    status: Literal["pending"] = "pending"
    call_id: str
    request_id: str | None


class CallPlan(Wire):
    """What a call would do: of a read all that can be said before."""

    tool: str
    operation: Operation
    risk_level: RiskLevel
    summary: str
    targets: tuple[str, ...]


class WritePlan(CallPlan):
    """What a write would do to each file."""

    digest: str
    files: tuple[FilePreview, ...]
    warnings: tuple[str, ...]


class RequestPlan(CallPlan):
    """The exact request or command that a call would send or run."""

    request: str
    warnings: tuple[str, ...]


class CallPreview(Wire):
    """What `tools.preview` returns."""

    plan: WritePlan | RequestPlan | CallPlan


class Refusal(Wire):
    """What becomes of a call that does not get as far as the rules, or is refused before them."""

    outcome: Literal["deny", "fail"]
    rule: str
    why: str


class Explanation(Wire):
    """What the rules say of a call.

    Attributes:
        outcome: What would happen.
        rule: The rule that decides.
        why: What decides and how to change it, for people.
        choices: What a person could answer; empty unless `outcome` is `ask`.
        targets: What the call is about.
        operation: What it does.
        consent_class: How far its tool may be trusted.
        mode: What the user set for the tool.
        summary: The question's sentence.
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
