"""Listing, calling and setting tools, and the results of calls: `tools.*`, `history.*`, `policy.explain`, `settings.*`.

A call has a result, a ticket while it is not done, and a preview of its effects. The settings themselves are in
`bridge/settings/model.py`.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from bridge.contract.base import ANY_TEXT, Anything, Params, Wire
from bridge.contract.consent import (
    ClientName,
    ConsentClass,
    ConsentMode,
    Decision,
    FilePreview,
    Id,
    Operation,
    RiskLevel,
)
from bridge.errors import ErrorType, RateLimited, ToolFailure

Format = Literal["bridge", "ollama", "openai", "mcp", "text"]
Wait = Annotated[float, Field(ge=0, le=86_400)]
Arguments = Annotated[dict[str, Any], BeforeValidator(lambda sent: {} if sent is None else sent)]
"""A call's arguments; `null` is none."""


class ToolsListParams(Params):
    """The form of the list."""

    form: Format = Field(default="bridge", alias="format")


class ToolSummary(Wire):
    """A tool as the settings show it."""

    name: str
    title: str
    description: str
    risk: RiskLevel
    consent_class: ConsentClass


class ToolDescription(ToolSummary):
    """Everything about a tool.

    Attributes:
        icon: The name of a Lucide icon.
        parameters: A JSON Schema without references.
        operation: Its kind of effect.
        consent_mode: The mode in force.
        requires_consent: Whether a call may ask.
        can_bypass: Whether the user may set it to always allow.
        requires_preview: Whether a question shows what would be written.
        can_undo: Whether its changes are in the history.
        provider: The family of tools it came with.
    """

    icon: str
    parameters: dict[str, Any]
    operation: Operation
    consent_mode: ConsentMode
    requires_consent: bool
    can_bypass: bool
    requires_preview: bool
    can_undo: bool
    provider: str


class ToolFunction(Wire):
    """A tool as Ollama's and OpenAI's interfaces describe functions."""

    name: str
    description: str
    parameters: dict[str, Any]


class FunctionTool(Wire):
    """One member of the `tools` of a request to Ollama or OpenAI."""

    type: Literal["function"] = "function"
    function: ToolFunction


class McpAnnotations(Wire):
    """MCP's hints about a tool; those that say nothing of it are left out.

    Attributes:
        read_only_hint: It changes nothing.
        destructive_hint: It may change or remove what is there.
        idempotent_hint: A second call with the same arguments does nothing more.
        open_world_hint: It reaches beyond this vault.
    """

    read_only_hint: bool
    destructive_hint: bool | None = None
    idempotent_hint: bool | None = None
    open_world_hint: bool

    @model_serializer(mode="wrap")
    def _without_nothing(self, render: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in render(self).items() if value is not None}


class McpTool(Wire):
    """A tool as MCP's `tools/list` describes it. `output_schema` is left out where there is none."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None = None
    annotations: McpAnnotations

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON object without a shape that is not said."""
        return {name: value for name, value in super().to_wire().items() if value is not None}


class NamedCall(Params):
    """A tool and its arguments."""

    name: Id
    arguments: Arguments = Field(default_factory=dict)


class CallOptions(Params):
    """The members that calls of tools, chains and templates have in common, as `tools.call` describes them."""

    call_id: Id | None = None
    wait: Wait | None = None
    reason: Annotated[str, Field(max_length=2000)] | None = None
    withdraw: bool = False
    ask: bool = True
    draft: Id | None = None
    ticket_if_alone: bool = False


class ToolCallParams(CallOptions, NamedCall):
    """One call. `wait` (seconds) bounds the reply, not the call; `draft` is the draft that it is made in.

    With `withdraw` the call ends when its caller leaves before it is answered; without `ask` nobody is asked. With
    `ticket_if_alone` the reply does not wait for a person where nobody is there to be asked. Without `carry` the answer
    carries nothing that the person has sent.
    """

    carry: bool = True


class ToolResultParams(Params):
    """A call made before. `withdraw`, `ticket_if_alone` and `carry` are as in `tools.call`."""

    call_id: Id
    wait: Wait | None = None
    withdraw: bool = False
    ticket_if_alone: bool = False
    carry: bool = True


class ToolPreviewParams(NamedCall):
    """A call that is only to be shown."""


class ToolCancelParams(Params):
    """A call that is no longer wanted."""

    call_id: Id


class Cancelled(Wire):
    """The result of cancelling: whether a call was stopped."""

    cancelled: bool


class ExplainParams(NamedCall):
    """A call that a client of this name or id might make; without one, a program that nobody gave a name."""

    client: ClientName | None = None


Origin = Literal["typed", "obsidian", "program"]
"""The author of a change made without the bridge."""


class HistoryListParams(Params):
    """A choice of changes: how many, older than which, to which file or note, since when, by which client and tool.

    `since` is an ISO 8601 time, `client` a name or an id, `grant` the id of the answer that allowed them. `outside`
    says whether only what was changed without the bridge is listed, or none of it, and `origin` whose changes of those;
    only the person's own programs hear of that.
    """

    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    before: Id | None = None
    path: Annotated[str, Field(min_length=1, max_length=4096)] | None = None
    since: Id | None = None
    client: ClientName | None = None
    tool: Id | None = None
    grant: Id | None = None
    outside: bool | None = None
    origin: Origin | None = None


class LeftFile(Wire):
    """A file that an undo left as it was.

    Attributes:
        path: Where it is, or was.
        why: Why, in words that go on after a colon.
    """

    path: str
    why: str


class ChangeEntry(Wire):
    """One change of the vault.

    Attributes:
        execution_id: Its name.
        tool: The tool that made it.
        client: The client that asked for it.
        time: When, ISO 8601 in UTC.
        state: `applied`, `undone`, or `conflicted` when a crash interrupted it and it could be taken back in part only.
        files: Every path it touched.
        added: Lines added.
        removed: Lines removed.
        can_undo: Whether the bytes it replaced were kept.
        client_id: The id of that client's token.
        who: The client that asked for it, for people; in quotation marks where it is only what a program calls itself.
        summary: A summary in a sentence.
        grant: The id of the remembered answer that allowed it.
        outside: Whether it was done without the bridge.
        origin: Its author then: `typed` (the person, in an editor of Obsidian), `obsidian` (Obsidian otherwise), or
            `program` (another program, as far as anybody can tell).
        broken_links: Links that broke by it and are not mended, where another program moved files.
        left: Of a change that is undone, the files that its undo left as they were; a second undo is of these.
    """

    execution_id: str
    tool: str
    client: str
    time: str
    state: str
    files: tuple[str, ...]
    added: int
    removed: int
    can_undo: bool
    client_id: str
    who: str = ""
    summary: str = ""
    grant: str | None = None
    outside: bool = False
    origin: str | None = None
    broken_links: int = 0
    left: tuple[LeftFile, ...] = ()


class ReverseParams(Params):
    """A change to reverse; by default the newest not yet undone, or the last undone."""

    execution_id: Id | None = None


class UndoParams(ReverseParams):
    """A change to undo; of one by another program, perhaps only some of its files."""

    paths: Annotated[list[Annotated[str, Field(min_length=1, max_length=4096)]], Field(min_length=1)] | None = None


class HistoryDiffParams(Params):
    """A change, by the id of its call."""

    execution_id: Id


class ChangeDiff(Wire):
    """The effect of a change on each file.

    Attributes:
        files: The files, with their diffs.
        lost: Files of which the bytes from before or after are no longer kept.
    """

    files: tuple[FilePreview, ...]
    lost: tuple[str, ...] = ()


class UndoAllParams(Params):
    """A choice of changes: these, or all that fit; at least one member is needed. `preview` shows the effect on each.

    Members are as those of `history.list`.
    """

    execution_ids: Annotated[list[Id], Field(min_length=1, max_length=1000)] | None = None
    since: Id | None = None
    client: ClientName | None = None
    tool: Id | None = None
    grant: Id | None = None
    preview: bool = False


class UndoneChange(ChangeEntry):
    """A change that was to be undone.

    Attributes:
        undone: It is, or would be.
        why: Why not, as a sentence; None when it is.
    """

    undone: bool = False
    why: str | None = None


class UndoneAll(Wire):
    """The result, real or previewed, of undoing several changes.

    Attributes:
        changes: All of them, in the order in which they are undone: newest first.
        undone: The number of changes that are undone.
        skipped: The number of those that are not, each for its own reason.
        files: Files that are as they were before.
        text: The same in a sentence.
    """

    changes: tuple[UndoneChange, ...]
    undone: int
    skipped: int
    files: int
    text: str


Section = Literal["tools", "chat", "apis", "network", "performance", "privacy", "toolSpecific"]
"""The sections of the settings screen."""


class SettingsUpdateParams(Params):
    """Merged deeply into what is set, validated as a whole."""

    patch: dict[str, Any]


class SettingsResetParams(Params):
    """One section, or everything."""

    section: Section | None = None


class SettingsUpdated(Wire):
    """All settings as they are now, and a sentence for each value that is allowed and risky."""

    settings: dict[str, Any]
    warnings: tuple[str, ...] = ()


class SettingsSection(Wire):
    """One section of the form."""

    id: str
    title: str
    description: str


class ToolSetting(ToolSummary):
    """A tool with what is set for it.

    Attributes:
        group: Of the settings screen: what kinds of tools belong together.
        enabled: Whether agents can see it.
        mode: When it asks.
        modes: The modes it can be set to, the most cautious first; each differs from the others for this tool.
        rate: The calls a minute that one client can make.
        default_rate: The same where nothing is set.
    """

    group: str
    enabled: bool
    mode: ConsentMode
    modes: tuple[ConsentMode, ...]
    rate: int
    default_rate: int


class SettingsSchema(Wire):
    """The JSON Schema of the settings, and what a form needs beside it.

    Attributes:
        properties: The schema of each setting, by its name.
        sections: The sections of the form, in order.
        presets: Named sets for `enabledTools`.
        tools: Every tool that the settings can be about: also those that are not enabled.
    """

    type: Literal["object"] = "object"
    title: str
    description: str
    additional_properties: bool = False
    properties: dict[str, Any]
    sections: tuple[SettingsSection, ...]
    presets: dict[str, tuple[str, ...]]
    tools: tuple[ToolSetting, ...]


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


CallAnswer = ToolResult | PendingCall
"""The answer to a call: its result, or its ticket."""

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
