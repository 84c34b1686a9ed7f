"""The question a person is asked, the answers there are, and what is remembered of them."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, SKIP_UNKNOWN, Event, Params, Wire
from bridge.contract.targets import Reach, RungView, TargetView

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

    Attributes:
        request_id: By which it is answered.
        client: Who asks, for people: the name that the person gave the client, or else that it has none and what it
            calls itself.
        client_id: The credential that asks.
        calls_itself: What the program calls itself, which proves nothing.
        verified: Whether `client` is a name that the person gave.
        session_id: The session that an answer for the session holds for.
        tool: What is called.
        risk_level: How dangerous it is.
        operation: What it does.
        summary: One sentence: what will happen.
        reason: Why, in the caller's words.
        parameters: The call's arguments.
        targets: What the call touches, as people know it.
        touches: The same, each with its kind.
        ladder: The rungs that an answer for longer may name, narrowest first.
        covers: What an answer for longer holds for where it names no rung.
        can_bypass: Whether the user may set the tool to always allow.
        choices: What may be answered.
        preview: What will be written or sent.
        plan_digest: Of exactly what will be written.
        hunks_supported: Whether an answer may leave hunks of the diffs out.
        created_at: When it was asked.
        expires_at: When it ends as a refusal.
        scope: What the call reaches.
        brief: Whether the user wants few words about this (developer mode).
    """

    event_name: ClassVar[str] = "consent.requested"

    request_id: str
    client: str
    client_id: str = ""
    calls_itself: str | None = None
    verified: bool = False
    session_id: str
    tool: ToolFace
    risk_level: RiskLevel
    operation: Operation
    summary: str
    reason: str | None = None
    parameters: dict[str, Any]
    targets: tuple[str, ...]
    touches: tuple[TargetView, ...] = ()
    ladder: Annotated[tuple[RungView, ...], Field(json_schema_extra={**SKIP_UNKNOWN})] = ()
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


class HunkChoice(Params):
    """The hunks of one file's diff that are wanted, counted from 0."""

    path: Path
    keep: Indices


class RespondParams(Params):
    """One answer. For a write it carries the digest of the plan that was shown, and what is wanted of it.

    An answer for longer may name a rung of the question's ladder (`reach`), and whether "always" and "never" hold for
    every client (`everyone`); where it does not, an allow holds for the one client and a denial for all.
    """

    request_id: Id
    decision: Annotated[Decision, Field(strict=False)]
    plan_digest: Annotated[str, Field(max_length=200)] | None = None
    feedback: Annotated[str, Field(max_length=10_000)] | None = None
    hunks: list[HunkChoice] | dict[Path, Indices] | None = None
    reach: Annotated[Reach, Field(strict=False)] | None = None
    everyone: bool | None = None

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
            not asked about again; `auto` for auto-approve), for good for one client (`client`), and for every client in
            the permission file (`file`) or as the tool's consent mode (`mode`).
        client: Who it was given to, by name; None: everybody.
        client_id: The same by id.
        session_id: The session it ends with; None: it does not end with one.
        tool: The tool it is about; None: every tool that does this.
        target: What it is about, as a key of the permission file; None: everything.
        reach: Which rung of the ladder that is.
        operation: In the permission file: read, write or execute; of auto-approve: create or update.
        decision: What was said.
        feedback: What the person said with a denial.
        since: When, where that is known.
        expires: When it lapses if it is not used until then, where it does.
    """

    grant_id: str
    kind: Annotated[Literal["session", "call", "auto", "client", "file", "mode"], ANY_TEXT]
    client: str | None = None
    client_id: str | None = None
    session_id: str | None = None
    tool: str | None = None
    target: str | None = None
    reach: Annotated[Reach, ANY_TEXT] | None = None
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
