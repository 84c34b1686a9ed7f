"""Listing and calling tools: `tools.*`, `history.undo`, `policy.explain`. `result.py` has what becomes of a call."""

from typing import Annotated, Any, Literal

from pydantic import Field

from bridge.contract.base import Params, Wire
from bridge.contract.consent import ClientName, ConsentClass, ConsentMode, Id, Operation, RiskLevel

Format = Literal["bridge", "ollama", "openai", "mcp", "text"]
Wait = Annotated[float, Field(ge=0, le=86_400)]


class ToolsListParams(Params):
    """In which form."""

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
        operation: What it does.
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
    """MCP's hints about a tool."""

    title: str
    read_only_hint: bool
    destructive_hint: bool
    idempotent_hint: bool
    open_world_hint: bool


class McpTool(Wire):
    """A tool as MCP's `tools/list` describes it."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    annotations: McpAnnotations


class ToolCallParams(Params):
    """One call. `wait` (seconds) bounds the reply, not the call."""

    name: Id
    arguments: dict[str, Any] = Field(default_factory=dict)
    call_id: Id | None = None
    wait: Wait | None = None
    reason: Annotated[str, Field(max_length=2000)] | None = None


class ToolResultParams(Params):
    """A call made before."""

    call_id: Id
    wait: Wait | None = None


class ToolPreviewParams(Params):
    """A call that is only to be shown."""

    name: Id
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolCancelParams(Params):
    """A call that is no longer wanted."""

    call_id: Id


class Cancelled(Wire):
    """Whether a call was stopped."""

    cancelled: bool


class ExplainParams(Params):
    """A call that a client of this name or id might make; without one, a program that nobody gave a name."""

    name: Id
    arguments: dict[str, Any] = Field(default_factory=dict)
    client: ClientName | None = None


class HistoryListParams(Params):
    """How many, older than which change, and to which file or note."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    before: Id | None = None
    path: Annotated[str, Field(min_length=1, max_length=4096)] | None = None


class ChangeEntry(Wire):
    """One change of the vault.

    Attributes:
        execution_id: Its name.
        tool: The tool that made it.
        client: Who asked for it.
        time: When, ISO 8601 in UTC.
        state: `applied`, `undone`, or `conflicted` when a crash interrupted it and it could be taken back in part only.
        files: Every path it touched.
        added: Lines added.
        removed: Lines removed.
        can_undo: Whether the bytes it replaced were kept.
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


class ReverseParams(Params):
    """Which change; by default the newest not yet undone, or the last undone."""

    execution_id: Id | None = None
