"""The question a person is asked, what it is about, the answers there are, and what is remembered of them."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, OWN_QUESTION, SKIP_UNKNOWN, Event, Params, Wire


class TargetKind(StrEnum):
    """The kind of thing that a call touches."""

    FILE = "file"
    FOLDER = "folder"
    URL = "url"
    COMMAND = "command"
    SERVER_TOOL = "server_tool"
    CUSTOM_TOOL = "custom_tool"


class Reach(StrEnum):
    """The reach of a lasting answer: the rungs of all ladders, each kind of target having some of them."""

    FILE = "file"
    FOLDER = "folder"
    VAULT = "vault"
    PAGE = "page"
    SECTION = "section"
    SITE = "site"
    COMMAND = "command"
    EXECUTABLE = "executable"
    TOOL = "tool"
    SERVER = "server"
    CUSTOM_TOOL = "custom_tool"


class TargetView(Wire):
    """One thing that a call touches.

    Attributes:
        kind: Its kind.
        label: Its name, as people know it.
    """

    kind: TargetKind
    label: str


Id = Annotated[str, Field(min_length=1, max_length=200)]
Path = Annotated[str, Field(max_length=4096)]
Indices = list[Annotated[int, Field(ge=0)]]
ClientName = Annotated[str, Field(min_length=1, max_length=80)]


class Operation(StrEnum):
    """The effect of a tool on the vault or on the world outside."""

    READ = "read"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    NETWORK = "network"
    EXECUTE = "execute"


class RiskLevel(StrEnum):
    """The harm that a tool could do, as the question shows it."""

    SAFE = "safe"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Addition(StrEnum):
    """An addition that a change makes without doing anything else (`docs/protocol.md`, "Additions")."""

    CREATE = "create"
    APPEND = "append"
    TAG = "tag"
    PROPERTY = "property"


class ConsentMode(StrEnum):
    """The user's setting for when a tool asks."""

    ALWAYS_ASK = "always_ask"
    SESSION_ALLOW = "session_allow"
    ALWAYS_ALLOW = "always_allow"
    NEVER_ALLOW = "never_allow"


class ConsentClass(StrEnum):
    """The limit to which a tool may ever be trusted (`docs/protocol.md`, "Asking")."""

    ALWAYS = "always"
    SESSION = "session"
    NEVER = "never"


class Covers(StrEnum):
    """The scope of a remembered answer: every use of the tool, or the target shown."""

    TOOL = "tool"
    TARGET = "target"


class Holder(StrEnum):
    """The holder of an answer: one connection of a program without a name, one client, or everyone."""

    CONNECTION = "connection"
    CLIENT = "client"
    EVERYONE = "everyone"


class Coverage(StrEnum):
    """The subject of an answer.

    Attributes:
        CALL: This call alone.
        TOOL: Every use of one tool.
        READING: Reading, with whatever tool does nothing but read the vault.
        ADDING: Changes that only add, counted in files, until a time.
        CHANGING: Changes, with whatever tool.
        REQUESTS: Requests to the network, with whatever tool.
        RUNNING: Running programs, other servers' tools and the user's own, with whatever tool.
        LOOKING: Seeing what the person looks at in Obsidian. No question offers it.
        SHOWING: Opening notes in Obsidian without a click of the person's. No question offers it.
    """

    CALL = "call"
    TOOL = "tool"
    READING = "reading"
    ADDING = "adding"
    CHANGING = "changing"
    REQUESTS = "requests"
    RUNNING = "running"
    LOOKING = "looking"
    SHOWING = "showing"


class Until(StrEnum):
    """The end of an answer's validity."""

    ONCE = "once"
    DISCONNECT = "disconnect"
    STOP = "stop"
    TIME = "time"
    REVOKED = "revoked"
    UNUSED = "unused"


class Decision(StrEnum):
    """An answer that a person may give."""

    ALLOW_ONCE = "allow_once"
    ALLOW_SESSION = "allow_session"
    ALLOW_ALWAYS = "allow_always"
    DENY_ONCE = "deny_once"
    DENY_SESSION = "deny_session"
    DENY_ALWAYS = "deny_always"

    @property
    def allows(self) -> bool:
        """Return whether this is one of the three decisions that allow."""
        return self.value.startswith("allow")


class Outcome(StrEnum):
    """The way a question ended. Every question has exactly one outcome."""

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


class ShownPicture(Wire):
    """An image that a file becomes, made small to be shown.

    Attributes:
        mime_type: Of `data`.
        data: The small image, base64.
        width: Pixels of the image itself.
        height: Pixels of the image itself.
    """

    mime_type: str
    data: str
    width: int
    height: int


class FilePreview(Wire):
    """The change to one file. `diff` is a unified diff of exactly the bytes that will be written.

    `follows` marks a file that the call is not about: only links in it follow a move, a deletion or a new rival. `note`
    says what the diff does not show at a glance: that what is lost or comes is no text, or what alone changes where
    nothing that can be read does. `facts` say what becomes of links and properties, each in pieces: words of the bridge
    and text of the note in turns. `links` is how many lead elsewhere afterwards, where each of them is known.
    Files with the same `unit` hang together: they are allowed or left out as one.

    Of a draft that was sent back and is put again, `since` says what the client has made of the file since then, and
    `newer` shows it as a diff. `yours` marks a file in which a person has edited the draft.

    `picture` shows an image that comes from a client.
    """

    path: str
    change: Literal["create", "modify", "move", "delete", "mkdir", "rmdir"]
    new_path: str | None = None
    added: int = 0
    removed: int = 0
    diff: str = ""
    truncated: bool = False
    follows: bool = False
    note: str = ""
    facts: tuple[tuple[str, ...], ...] = ()
    links: int = 0
    unit: str = ""
    yours: bool = False
    since: Literal["", "same", "changed", "new"] = ""
    newer: str = ""
    picture: ShownPicture | None = None


class Take(StrEnum):
    """The side to keep where a draft and someone else changed the same text: the vault's, the draft's, or both in turn.

    Attributes:
        VAULT: The vault's text as it is now.
        DRAFT: The draft's text.
        BOTH: The vault's text, and then the draft's.
    """

    VAULT = "vault"
    DRAFT = "draft"
    BOTH = "both"


class MergePlace(Wire):
    """A place where a draft and someone else changed the same, so that a person chooses.

    Attributes:
        place_id: Its id, by which the choice names it. The same place with the same texts has the same id again.
        path: The file, as the preview names it.
        why: What became of it, as the end of a sentence that begins with the file.
        line: Its first line in the file as it is now, from 1; None where it is the file as a whole.
        vault: The vault's text there; empty where there is none.
        draft: The draft's text there, likewise.
        offers: The sides that can be taken.
        taken: What the person has chosen; None while they have not, and then the draft cannot be allowed with this
            file. Until then the preview shows both, or of a whole file the draft's.
    """

    place_id: str
    path: str
    why: str
    line: int | None = None
    vault: str = ""
    draft: str = ""
    offers: Annotated[tuple[Take, ...], Field(json_schema_extra={**SKIP_UNKNOWN})]
    taken: Annotated[Take, ANY_TEXT] | None = None


class Preview(Wire):
    """A preview for the person: of a write, or of the exact request or command of another effect.

    Attributes:
        files: One entry a file, in the order of the plan.
        backup: Where the bytes as they are now will be kept, vault-relative; None when nothing is overwritten.
        warnings: Warnings of what the diff does not show.
        request: For network tools, the exact request as text; for processes, the argv.
        conflicts: Of a draft, where it and someone else changed the same.
    """

    files: tuple[FilePreview, ...] = ()
    backup: str | None = None
    warnings: tuple[str, ...] = ()
    request: str | None = None
    conflicts: tuple[MergePlace, ...] = ()


class ExtentView(Wire):
    """The extent of an answer, as data and as one sentence: of an answer on offer, and of one that was given.

    Attributes:
        who: Its holder.
        what: Its subject.
        tool: With `tool`, its name.
        operation: The kind of change, where only one is meant: `create` or `update`.
        where: Keys in the spelling of the permission file; empty: everywhere.
        additions: With `adding`, which kinds of additions.
        most_files: With `adding`, how many files may be added to.
        until: Its end.
        expires: The moment, where that is known (ISO 8601 UTC).
        sentence: All of this for people, to be shown as it is.
    """

    who: Annotated[Holder, ANY_TEXT]
    what: Annotated[Coverage, ANY_TEXT]
    tool: str | None = None
    operation: Annotated[Operation, ANY_TEXT] | None = None
    where: tuple[str, ...] = ()
    additions: tuple[str, ...] = ()
    most_files: int | None = None
    until: Annotated[Until, ANY_TEXT]
    expires: str | None = None
    sentence: str


class AnswerOption(ExtentView):
    """One answer that a question offers.

    Attributes:
        option_id: Its id, by which the answer names it.
        decision: The decision.
        label: The text of its button.
        suggested: Whether it is the answer for longer that fits what the client is doing.
    """

    option_id: str
    decision: Decision
    label: str
    suggested: bool = False


class Grant(ExtentView):
    """One answer that holds. One is taken back as a whole.

    Attributes:
        grant_id: Its id, by which it is taken back.
        kind: Where it is kept and what for: in memory for the session (`session`; `call` for one denied call that is
            not asked about again; `auto` for auto-approve), for good in the user's folder (`client`), and for every
            client in the permission file (`file`) or as the tool's consent mode (`mode`).
        client: The client it was given to, by name; None: everybody.
        client_id: The same by id.
        session_id: The session it ends with; None: it does not end with one.
        decision: The decision.
        feedback: The person's words with a denial.
        used_files: With `adding`, how many files have been added to.
        since: When, where that is known.
    """

    grant_id: str
    kind: Annotated[Literal["session", "call", "auto", "client", "file", "mode"], ANY_TEXT]
    client: str | None = None
    client_id: str | None = None
    session_id: str | None = None
    decision: Annotated[Decision, ANY_TEXT]
    feedback: str | None = None
    used_files: int | None = None
    since: str | None = None


class Scope(Wire):
    """The call in other words: how far into the vault it reaches.

    Attributes:
        kind: What is done to what.
        target: Where, when it is one place.
        size_bytes: Of a create or update, the bytes that will be written.
        has_backlinks: Of a delete, whether other notes link there, where that is known.
        operation: Of an administrative call, what it is.
        affects_count: The number of places it is about.
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
        request_id: Its id, by which it is answered.
        client: Who asks, for people: the name that the person gave the client, or else that it has none and what it
            calls itself.
        client_id: The credential that asks.
        calls_itself: The program's name for itself, which proves nothing.
        verified: Whether `client` is a name that the person gave.
        session_id: The session that an answer for the session holds for.
        tool: The tool that is called.
        risk_level: The level of its risk.
        risk_reasons: The reasons for that, in short phrases, the worst first.
        operation: Its kind of effect.
        summary: One sentence: what will happen.
        reason: Why, in the caller's words.
        parameters: The call's arguments.
        targets: The things that the call touches, as people know them.
        touches: The same, each with its kind.
        options: Every answer on offer with its extent: of each decision the narrowest first, which is what an answer
            means that names no option.
        can_bypass: Whether the user may set the tool to always allow.
        choices: The possible answers.
        preview: The text to be written or sent.
        plan_digest: The digest of exactly what will be written.
        hunks_supported: Whether an answer may leave hunks of the diffs out.
        editable: Whether the text that would be written can be edited first (`consent.revise`).
        revised: Whether a person has edited what is to be written.
        created_at: When it was asked.
        expires_at: When it ends as a refusal.
        scope: The reach of the call.
        brief: Whether the user wants few words about this (developer mode).
        waiting: Whether the call has a ticket: its client goes on whenever the question is answered, so it waits
            quietly until `expires_at`.
        draft: The draft that would be taken.
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
    risk_reasons: tuple[str, ...] = ()
    operation: Operation
    summary: str
    reason: str | None = None
    parameters: dict[str, Any]
    targets: tuple[str, ...]
    touches: tuple[TargetView, ...] = ()
    options: Annotated[tuple[AnswerOption, ...], Field(json_schema_extra={**SKIP_UNKNOWN})] = ()
    can_bypass: bool
    choices: Annotated[tuple[Decision, ...], Field(json_schema_extra={**SKIP_UNKNOWN})]
    preview: Preview | None = None
    plan_digest: str | None = None
    hunks_supported: bool = False
    editable: bool = False
    revised: bool = False
    created_at: str
    expires_at: str
    scope: Scope | None = None
    brief: bool = False
    waiting: bool = False
    draft: str | None = None


class ConsentWaiting(Event):
    """The call of an open question has got a ticket: from now on the question waits quietly, until `expires_at`."""

    event_name: ClassVar[str] = "consent.waiting"

    request_id: str
    expires_at: str


class ConsentResolved(Event):
    """A question has ended. `decision` and `by` are None when nobody decided."""

    event_name: ClassVar[str] = "consent.resolved"

    request_id: str
    decision: Annotated[Decision, ANY_TEXT] | None = None
    outcome: Annotated[Outcome, ANY_TEXT] | None = None
    by: str | None = None


class ConsentRevised(ConsentRequest):
    """A person has edited what an open question would write: the same question, with another plan and digest."""

    event_name: ClassVar[str] = "consent.revised"


class OwnQuestion(Event):
    """A question of the client's own that its user may say yes to in the client itself, for this once.

    It goes to the connection that called, where the person has turned that on for the client, and the person's screens
    show the question meanwhile. It holds nothing but what the client has said itself.

    Attributes:
        request_id: Its id, by which it is confirmed (`consent.confirm`).
        call_id: The call that asks.
        message: The question to the user, as one or two sentences.
    """

    event_name: ClassVar[str] = OWN_QUESTION

    request_id: str
    call_id: str | None = None
    message: str


class GrantsChanged(Event):
    """A notice that answers were given, used, taken back or ended. `bounded` are those with a count or an end."""

    event_name: ClassVar[str] = "grants.changed"

    bounded: tuple[Grant, ...] = ()


class HunkChoice(Params):
    """The hunks of one file's diff that are wanted, counted from 0."""

    path: Path
    keep: Indices


class LineComment(Params):
    """A person's comment on a file of a draft, or on a line of it as in the preview after the change, from 1."""

    path: Path
    line: Annotated[int, Field(ge=1)] | None = None
    text: Annotated[str, Field(min_length=1, max_length=2_000)]


class RespondParams(Params):
    """One answer. For a write it carries the digest of the plan that was shown, and what is wanted of it.

    Without an `option`, the first one of that decision is meant. `comments` and `send_back` are for drafts: with a yes
    to a part, what is left out stays in the draft, and goes back to the client with what the person says.
    """

    request_id: Id
    decision: Annotated[Decision, Field(strict=False)]
    option: Id | None = None
    plan_digest: Annotated[str, Field(max_length=200)] | None = None
    feedback: Annotated[str, Field(max_length=10_000)] | None = None
    hunks: list[HunkChoice] | dict[Path, Indices] | None = None
    comments: Annotated[list[LineComment], Field(max_length=200)] | None = None
    send_back: bool = False

    @property
    def kept(self) -> dict[str, Indices] | None:
        """Return the wanted hunks by file; both ways of writing them mean the same."""
        if isinstance(self.hunks, list):
            return {file.path: file.keep for file in self.hunks}
        return self.hunks


class ConfirmParams(Params):
    """A question about the client's own call to which its user has said yes, for this once."""

    request_id: Id


class RespondAllParams(Params):
    """The answers to several questions that were shown in one list, each as `consent.respond` takes it."""

    answers: Annotated[list[RespondParams], Field(min_length=1, max_length=200)]


class PlanParams(Params):
    """A question, and the plan that was shown with it.

    Attributes:
        request_id: The question.
        plan_digest: The plan's digest.
    """

    request_id: Id
    plan_digest: Annotated[str, Field(max_length=200)]


class ReviseParams(PlanParams):
    """Other text for one hunk of the diff in question.

    Attributes:
        path: The file, as the preview names it.
        hunk: The hunk of its diff, counted from 0.
        text: Its lines afterwards: those around the change, which the diff shows, included.
    """

    path: Path
    hunk: Annotated[int, Field(ge=0)]
    text: Annotated[str, Field(max_length=1_000_000)]


class PlaceChoice(Params):
    """The side chosen for one conflict."""

    place_id: Id
    take: Annotated[Take, Field(strict=False)]


class ResolveParams(PlanParams):
    """A person's choices for the conflicts between a draft and other changes.

    Attributes:
        choices: The side taken at some places; the choices at others stay.
    """

    choices: Annotated[list[PlaceChoice], Field(min_length=1, max_length=10_000)]


class Revision(Wire):
    """The result of `consent.revise` and `consent.resolve`: the question now, or why the text was not accepted."""

    accepted: bool
    question: ConsentRequest | None = None
    reason: str | None = None


class ConsentReply(Wire):
    """The result of `consent.respond`. `outcome` and `by` say how the question ended, whoever ended it.

    `plan_digest` is that of exactly what will be written, after a yes to a write: where hunks were left out, not that
    of the question.
    """

    accepted: bool
    outcome: Outcome | None = None
    by: str | None = None
    reason: str | None = None
    plan_digest: str | None = None
    grant: Grant | None = None


class RevokeParams(Params):
    """A grant or denial, by the id that `consent.grants` shows."""

    grant_id: Id


class Revoked(Wire):
    """The result of revoking a grant: whether it existed."""

    revoked: bool


class AutoApproveParams(Params):
    """The operation to approve without asking, and the client; without a client, for everybody."""

    operation: Literal["create", "update"]
    enabled: bool
    client: ClientName | None = None


class AllowReadingParams(Params):
    """The client, and the folders it reads without asking; `/` is the whole vault, none: it asks each time."""

    client: ClientName
    where: Annotated[list[Path], Field(max_length=20)]


class ReadingAllowed(Wire):
    """The grant by which the client now reads without asking; None when it may read nothing."""

    grant: Grant | None


class AllEnded(Wire):
    """The grants that have been ended; `text` says it in a sentence."""

    ended: tuple[Grant, ...]
    text: str


class AutoApproved(Wire):
    """The state from now on; without a grant, the operation is asked about again."""

    enabled: bool
    grant: Grant | None
