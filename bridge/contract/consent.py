"""The question a person is asked, the answers there are, and what is remembered of them."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, SKIP_UNKNOWN, Event, Params, Wire

Id = Annotated[str, Field(min_length=1, max_length=200)]
Path = Annotated[str, Field(max_length=4096)]
Indices = list[Annotated[int, Field(ge=0)]]
ClientName = Annotated[str, Field(min_length=1, max_length=80)]


class Operation(StrEnum):
    """What a tool does to the vault or to the world outside."""

    READ = "read"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    NETWORK = "network"
    EXECUTE = "execute"


class RiskLevel(StrEnum):
    """How much harm a tool could do, as the question shows it."""

    SAFE = "safe"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ConsentMode(StrEnum):
    """When a tool asks: what the user set for it."""

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
    """What a person may answer."""

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
    """The call in other words: how far into the vault it reaches.

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


class ConsentRequest(Event):
    """One open question, which is also the event that announces it. Times are ISO 8601 UTC.

    `hunks_supported`: an answer may leave hunks of the diffs out. `brief`: the user wants few words about this
    (developer mode).
    """

    event_name: ClassVar[str] = "consent.requested"

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
    choices: Annotated[tuple[Decision, ...], Field(json_schema_extra={**SKIP_UNKNOWN})]
    preview: Preview | None = None
    plan_digest: str | None = None
    hunks_supported: bool = False
    created_at: str
    expires_at: str
    scope: Scope | None = None
    brief: bool = False


class ConsentResolved(Event):
    """A question has ended. `decision` and `by` are None when nobody decided."""

    event_name: ClassVar[str] = "consent.resolved"

    request_id: str
    decision: Annotated[Decision, ANY_TEXT] | None = None
    outcome: Annotated[Outcome, ANY_TEXT] | None = None
    by: str | None = None


class KeptHunks(Params):
    """The hunks of one file's diff that are wanted, counted from 0."""

    path: Path
    keep: Indices


class RespondParams(Params):
    """One answer. For a write it carries the digest of the plan that was shown, and what is wanted of it."""

    request_id: Id
    decision: Annotated[Decision, Field(strict=False)]
    plan_digest: Annotated[str, Field(max_length=200)] | None = None
    feedback: Annotated[str, Field(max_length=10_000)] | None = None
    hunks: list[KeptHunks] | dict[Path, Indices] | None = None

    @property
    def kept(self) -> dict[str, Indices] | None:
        """The wanted hunks by file; both ways of writing them mean the same."""
        if isinstance(self.hunks, list):
            return {file.path: file.keep for file in self.hunks}
        return self.hunks


class ConsentReply(Wire):
    """What `consent.respond` returns. `outcome` and `by` say how the question ended, whoever ended it.

    `plan_digest` is that of exactly what will be written, after a yes to a write: where hunks were left out, not that
    of the question.
    """

    accepted: bool
    outcome: Outcome | None = None
    by: str | None = None
    reason: str | None = None
    plan_digest: str | None = None


class Grant(Wire):
    """One answer that holds.

    Attributes:
        grant_id: By which it is taken back.
        kind: Where it is kept and what for: in memory for the session (`session`; `call` for one denied call that is
            not asked about again; `auto` for an operation approved without asking), in the permission file, or as the
            tool's consent mode.
        client: Who it was given to; None: everybody.
        session_id: The session it ends with; None: it does not end with one.
        tool: The tool it is about; None: every tool that does this.
        target: What it is about; None: everything.
        operation: In the permission file: read, write or execute; of an approved operation: create or update.
        decision: What was said.
        feedback: What the person said with a denial.
        since: When, where that is known.
        expires: When it lapses if it is not used until then, where it does.
    """

    grant_id: str
    kind: Annotated[Literal["session", "call", "auto", "file", "mode"], ANY_TEXT]
    client: str | None = None
    session_id: str | None = None
    tool: str | None = None
    target: str | None = None
    operation: str | None = None
    decision: Annotated[Decision, ANY_TEXT]
    feedback: str | None = None
    since: str | None = None
    expires: str | None = None


class RevokeParams(Params):
    """A grant or denial, by the id that `consent.grants` shows."""

    grant_id: Id


class Revoked(Wire):
    """Whether there was such a grant."""

    revoked: bool


class AutoApproveParams(Params):
    """Which operation is approved without asking, and for whom; without a client for everybody."""

    operation: Literal["create", "update"]
    enabled: bool
    client: ClientName | None = None


class AutoApproved(Wire):
    """What holds now; without a grant, the operation is asked about again."""

    enabled: bool
    grant: Grant | None
