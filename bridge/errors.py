"""Everything that can go wrong, in one tree.

BridgeError
├── ToolFailure            the agent should read it and adapt: becomes a ToolResult with `success: false`
│   ├── InvalidParameters
│   ├── PermissionDenied   always with a code
│   ├── NotFound
│   ├── Ambiguous          with the candidates
│   ├── Conflict           with a code
│   ├── ExecutionFailed
│   ├── RateLimited        with the seconds to wait
│   ├── NetworkFailure
│   └── DeadlineExceeded
├── ProtocolError          the caller broke the protocol: becomes a JSON-RPC error
└── StartError             the bridge cannot start: the command line prints it and exits 1
    └── AlreadyServed      another process serves the vault

This module imports nothing of the project. Which failure is which is the table "Failures" of `docs/protocol.md`.
Every message says what to do next, and never holds a token, a traceback or a path outside the vault.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any


class ErrorType(StrEnum):
    """The `errorType` of a failed ToolResult."""

    PERMISSION_DENIED = "permission_denied"
    INVALID_PARAMETERS = "invalid_parameters"
    EXECUTION_FAILED = "execution_failed"
    RATE_LIMITED = "rate_limited"
    NETWORK_ERROR = "network_error"
    TIMEOUT = "timeout"
    NOT_FOUND = "not_found"
    AMBIGUOUS = "ambiguous"
    CONFLICT = "conflict"


class BridgeError(Exception):
    """Root of the tree. `str(error)` is fit to be shown to the user and to an agent."""


class ToolFailure(BridgeError):
    """A tool did not do what was asked.

    Args:
        message: An explanation, and what to do next.
        code: The machine-readable `data.code`, where the kind has one.
        data: Further facts for programs, merged into the result's `data`.
    """

    error_type: ErrorType = ErrorType.EXECUTION_FAILED

    def __init__(self, message: str, *, code: str | None = None, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.data: dict[str, Any] = dict(data or {})
        if code is not None:
            self.data["code"] = code


class InvalidParameters(ToolFailure):
    """An argument is unknown, missing, of the wrong type or makes no sense."""

    error_type = ErrorType.INVALID_PARAMETERS


class PermissionDenied(ToolFailure):
    """Codes: outside_vault, protected, tool_disabled, denied_by_user, denied_by_rule, no_ui, timed_out, cancelled.

    And not_allowed_yet: a person would have to be asked, and the caller did not want that.
    """

    error_type = ErrorType.PERMISSION_DENIED

    def __init__(self, message: str, *, code: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message, code=code, data=data)


class NotFound(ToolFailure):
    """The error for a file, note, heading, block or execution that is not there.

    Args:
        message: What is not there.
        code: The machine-readable `data.code`, where the kind has one.
        data: Further facts for programs.
        wanted: The path or name of the file or note that is not there. The nearest names are added for a caller that
            may read them.
    """

    error_type = ErrorType.NOT_FOUND

    def __init__(
        self, message: str, *, code: str | None = None, data: dict[str, Any] | None = None, wanted: str | None = None
    ) -> None:
        super().__init__(message, code=code, data=data)
        self.wanted = wanted


class Ambiguous(ToolFailure):
    """Several things fit; the caller must choose.

    Args:
        message: What was ambiguous.
        candidates: What fits, most likely first.
    """

    error_type = ErrorType.AMBIGUOUS

    def __init__(self, message: str, *, candidates: Sequence[Any], data: dict[str, Any] | None = None) -> None:
        super().__init__(
            message,
            data={"error_type": "ambiguous", "match_count": len(candidates), "candidates": list(candidates)}
            | (data or {}),
        )


class Conflict(ToolFailure):
    """The vault is not as the caller believed. Codes: stale, exists, no_match, edited_since, busy, moved."""

    error_type = ErrorType.CONFLICT

    def __init__(self, message: str, *, code: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message, code=code, data=data)


class ExecutionFailed(ToolFailure):
    """The disk is full, the I/O failed, or the tool crashed."""

    error_type = ErrorType.EXECUTION_FAILED


class RateLimited(ToolFailure):
    """Too many calls in the last 60 seconds and the queue is full, or too many questions or bytes at once.

    Args:
        message: The limit that was reached.
        retry_after: Seconds until a call can pass.
    """

    error_type = ErrorType.RATE_LIMITED

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NetworkFailure(ToolFailure):
    """The other side of the network did not answer as it should."""

    error_type = ErrorType.NETWORK_ERROR


class DeadlineExceeded(ToolFailure):
    """The call took longer than it may."""

    error_type = ErrorType.TIMEOUT


class ProtocolError(BridgeError):
    """The caller broke JSON-RPC or the protocol.

    Args:
        code: A JSON-RPC error code.
        message: A short sentence.
        hint: What to do instead; sent as `error.data.hint`.
    """

    def __init__(self, code: int, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


class StartError(BridgeError):
    """The bridge cannot start.

    Args:
        message: What is in the way.
        hint: What the user can do.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(f"{message}\n{hint}" if hint else message)
        self.message = message
        self.hint = hint


class AlreadyServed(StartError):
    """Another process serves the vault, or is just starting or stopping to."""
