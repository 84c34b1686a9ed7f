"""What a tool call answers, for scripts."""

from dataclasses import dataclass
from typing import Any, Self

from bridge.client.errors import ToolFailed


@dataclass(frozen=True, slots=True)
class Result:
    """A ToolResult, or the ticket of a call that waits for a person.

    Attributes:
        raw: The JSON object as the bridge sent it.
    """

    raw: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Whether the tool did what was asked."""
        return self.raw.get("success") is True

    @property
    def pending(self) -> bool:
        """Whether a person has yet to decide; `Connection.result(call_id)` has the answer later."""
        return self.raw.get("status") == "pending"

    @property
    def call_id(self) -> str | None:
        """Of a pending call: what to ask for later."""
        return self.raw.get("callId")

    @property
    def data(self) -> Any:
        """For programs."""
        return self.raw.get("data")

    @property
    def text(self) -> str:
        """For people and models."""
        return str(self.raw.get("text", ""))

    @property
    def error(self) -> str | None:
        """What went wrong and what to do next; None when nothing did."""
        return self.raw.get("error")

    @property
    def error_type(self) -> str | None:
        """The kind of failure."""
        return self.raw.get("errorType")

    @property
    def code(self) -> str | None:
        """`data.code` of a failure, such as `denied_by_user`."""
        return self.data.get("code") if isinstance(self.data, dict) and not self.ok else None

    @property
    def execution_id(self) -> str | None:
        """The execution's name in the log and in the history."""
        return self.raw.get("executionId")

    def or_raise(self) -> Self:
        """This result, if the tool did what was asked.

        Raises:
            ToolFailed: It did not, or has not yet.
        """
        if self.ok:
            return self
        if self.pending:
            raise ToolFailed(f"A person has yet to decide; ask for {self.call_id!r} later", None, "pending")
        raise ToolFailed(self.error or "The tool failed", self.error_type, self.code)
