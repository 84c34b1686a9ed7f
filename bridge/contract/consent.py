"""The question a person is asked, and the answers there are."""

from enum import StrEnum
from typing import Any, Literal

from bridge.contract.base import Wire


class Operation(StrEnum):
    """What a tool does to the world (seed C's operation types, plus the outside world)."""

    READ = "read"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    NETWORK = "network"
    EXECUTE = "execute"


class RiskLevel(StrEnum):
    """Seed L, "Risk-Based Consent"."""

    SAFE = "safe"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ConsentMode(StrEnum):
    """Seed L, "Consent Modes": what the user set for one tool."""

    ALWAYS_ASK = "always_ask"
    SESSION_ALLOW = "session_allow"
    ALWAYS_ALLOW = "always_allow"
    NEVER_ALLOW = "never_allow"


class ConsentClass(StrEnum):
    """How far a tool may ever be trusted (`docs/protocol.md`, "Asking")."""

    ALWAYS = "always"
    SESSION = "session"
    NEVER = "never"


class Covers(StrEnum):
    """What an answer that is remembered holds for: every use of the tool, or the target shown."""

    TOOL = "tool"
    TARGET = "target"


class Decision(StrEnum):
    """Seed O, "User Response Options"."""

    ALLOW_ONCE = "allow_once"
    ALLOW_SESSION = "allow_session"
    ALLOW_ALWAYS = "allow_always"
    DENY_ONCE = "deny_once"
    DENY_SESSION = "deny_session"
    DENY_ALWAYS = "deny_always"

    @property
    def allows(self) -> bool:
        """Whether this is one of the three yeses."""
        return self.value.startswith("allow")


class Outcome(StrEnum):
    """How a question ended. There is exactly one outcome a question."""

    ALLOWED = "allowed"
    DENIED = "denied"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    STALE = "stale"


class ToolFace(Wire):
    """The tool as the question shows it."""

    name: str
    title: str
    description: str
    icon: str


class FilePreview(Wire):
    """What will happen to one file. `diff` is a unified diff of exactly the bytes that will be written."""

    path: str
    change: Literal["create", "modify", "move", "delete", "mkdir", "rmdir"]
    new_path: str | None = None
    added: int = 0
    removed: int = 0
    diff: str = ""
    truncated: bool = False


class Preview(Wire):
    """What the person sees before a write, or the exact request or command of another effect.

    Attributes:
        files: One entry a file, in the order of the plan.
        backup: Where the bytes as they are now will be kept, vault-relative; None when nothing is overwritten.
        warnings: What the person should know and would not see in the diff.
        request: For network tools, the exact request as text; for processes, the argv.
    """

    files: tuple[FilePreview, ...] = ()
    backup: str | None = None
    warnings: tuple[str, ...] = ()
    request: str | None = None


class Scope(Wire):
    """The call in seed C's terms ("PermissionScope").

    Attributes:
        kind: What is done to what.
        target: Where, when it is one place.
        size_bytes: Of a create or update, the bytes that will be written.
        has_backlinks: Of a delete, whether other notes link there, where that is known.
        operation: Of an administrative call, what it is.
        affects_count: How many places it is about.
    """

    kind: Literal["read_in_scope", "read_out_of_scope", "write_create", "write_update", "write_delete", "admin"]
    target: str | None = None
    size_bytes: int | None = None
    has_backlinks: bool | None = None
    operation: str | None = None
    affects_count: int | None = None


class ConsentRequest(Wire):
    """One open question. Times are ISO 8601 UTC.

    `hunks_supported`: an answer may leave hunks of the diffs out. `brief`: the user wants few words about this
    (developer mode).
    """

    request_id: str
    client: str
    session_id: str
    tool: ToolFace
    risk_level: RiskLevel
    operation: Operation
    summary: str
    reason: str | None = None
    parameters: dict[str, Any]
    targets: tuple[str, ...]
    covers: Covers
    can_bypass: bool
    choices: tuple[Decision, ...]
    preview: Preview | None = None
    plan_digest: str | None = None
    hunks_supported: bool = False
    created_at: str
    expires_at: str
    scope: Scope | None = None
    brief: bool = False


class ConsentReply(Wire):
    """What `consent.respond` returns. `outcome` and `by` tell of the question's end, whoever ended it.

    `plan_digest` is that of exactly what will be written, after a yes to a write: where hunks were left out, not that
    of the question.
    """

    accepted: bool
    outcome: Outcome | None = None
    by: str | None = None
    reason: str | None = None
    plan_digest: str | None = None
