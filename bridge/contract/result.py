"""ToolResult: the one shape of every tool's answer (seed L, "ToolResult")."""

from typing import Any

from pydantic import Field

from bridge.contract.base import Wire
from bridge.errors import ErrorType, RateLimited, ToolFailure


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
    """

    success: bool
    data: Any = None
    text: str = ""
    error: str | None = None
    error_type: ErrorType | None = None
    execution_id: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

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
        return wire

    @classmethod
    def failed(
        cls, failure: ToolFailure, *, execution_id: str | None = None, metadata: dict[str, Any] | None = None
    ) -> "ToolResult":
        """The result that tells of a failure."""
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
