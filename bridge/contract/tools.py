"""Listing and calling tools: `tools.*`, `history.undo`, `policy.explain`. `result.py` has what becomes of a call."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from bridge.contract.base import Params, Wire
from bridge.contract.consent import ClientName, ConsentClass, ConsentMode, FilePreview, Id, Operation, RiskLevel

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
    """MCP's hints about a tool; those that say nothing of it are left out."""

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


class ToolCallParams(Params):
    """One call. `wait` (seconds) bounds the reply, not the call; `draft` is the draft that it is made in.

    With `withdraw` the call ends when its caller leaves before it is answered; without `ask` nobody is asked. With
    `ticket_if_alone` the reply does not wait for a person where nobody is there to be asked. Without `carry` the answer
    carries nothing that the person has sent.
    """

    name: Id
    arguments: Arguments = Field(default_factory=dict)
    call_id: Id | None = None
    wait: Wait | None = None
    reason: Annotated[str, Field(max_length=2000)] | None = None
    withdraw: bool = False
    ask: bool = True
    draft: Id | None = None
    ticket_if_alone: bool = False
    carry: bool = True


class ToolResultParams(Params):
    """A call made before. `withdraw`, `ticket_if_alone` and `carry` are as in `tools.call`."""

    call_id: Id
    wait: Wait | None = None
    withdraw: bool = False
    ticket_if_alone: bool = False
    carry: bool = True


class ToolPreviewParams(Params):
    """A call that is only to be shown."""

    name: Id
    arguments: Arguments = Field(default_factory=dict)


class ToolCancelParams(Params):
    """A call that is no longer wanted."""

    call_id: Id


class Cancelled(Wire):
    """The result of cancelling: whether a call was stopped."""

    cancelled: bool


class ExplainParams(Params):
    """A call that a client of this name or id might make; without one, a program that nobody gave a name."""

    name: Id
    arguments: Arguments = Field(default_factory=dict)
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
