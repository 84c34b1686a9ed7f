"""The user's own tools, as the wire shows them to the person."""

from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, Anything, Event, Params, Wire

SHORTEST_TIMEOUT: Final = 100
LONGEST_TIMEOUT: Final = 600_000
DEFAULT_TIMEOUT: Final = 30_000
"""Milliseconds."""

Environment = Annotated[Literal["node", "browser", "python"], ANY_TEXT]
"""The place where a tool's code runs: a Node.js process, a Worker in Obsidian, or a Python process."""

ToolName = Annotated[str, Field(max_length=64)]
Timeout = Annotated[int, Field(ge=SHORTEST_TIMEOUT, le=LONGEST_TIMEOUT)]
"""Milliseconds."""


class CustomTool(Wire):
    """A tool of the user's own, as it is stored.

    Attributes:
        name: The name by which agents call it.
        description: A description for people and models.
        code: The body of a function of `parameters`.
        parameters: A JSON Schema of an object: what a call gives it.
        returns: A description of its result.
        timeout: Milliseconds that a run may take.
        environment: Where it runs.
        enabled: Whether agents can call it.
        created_at: When it was added, ISO 8601 in UTC.
        updated_at: When it was changed last.
    """

    name: str
    description: str
    code: str
    parameters: dict[str, Any]
    returns: str | None = None
    timeout: int = DEFAULT_TIMEOUT
    environment: Environment = "node"
    enabled: bool = True
    created_at: str
    updated_at: str


class CustomToolInfo(CustomTool):
    """A stored tool, and how it stands.

    Attributes:
        change: How it differs from what was allowed last, as a diff; all of it where it never was; None where the
            question about its next call will show no difference.
    """

    change: str | None = None


class EnvironmentInfo(Wire):
    """An environment on this computer.

    Attributes:
        environment: The environment.
        available: Whether tools can run in it now.
        sentence: The program and the sandbox that run them, or what is missing and what to do.
    """

    environment: Environment
    available: bool
    sentence: str


class CustomToolList(Wire):
    """All of the user's own tools.

    Attributes:
        tools: The tools, in the order of the file.
        environments: Where tools can run.
        allowed: Whether tools of the user's own may run: `allowCustomTools` is on, and was set on this computer.
        file: Where they are stored.
        fault: Why that file cannot be used; None while it can.
    """

    tools: tuple[CustomToolInfo, ...]
    environments: tuple[EnvironmentInfo, ...]
    allowed: bool
    file: str
    fault: str | None


class CustomToolSaved(Wire):
    """The tool as stored.

    Attributes:
        tool: The tool.
        unchecked: Why the syntax of its code could not be checked, as a sentence; None where it was.
    """

    tool: CustomToolInfo
    unchecked: str | None = None


class CustomResult(Wire):
    """The result of one run.

    Attributes:
        success: Whether it ended by itself, without an error.
        result: The code's result, if there is one.
        error: The error, if there was one.
        execution_time: Milliseconds.
        output: The code's output, cut where it is long.
    """

    success: bool
    result: Anything = None
    error: str | None = None
    execution_time: float
    output: str = ""


class CustomParams(Params):
    """A custom tool, by its name."""

    name: ToolName


class CustomAddParams(CustomParams):
    """A tool to store."""

    description: str
    code: str
    parameters: dict[str, Any]
    returns: str | None = None
    timeout: Timeout = DEFAULT_TIMEOUT
    environment: Literal["node", "browser", "python"] = "node"
    enabled: bool = True


class CustomUpdateParams(CustomParams):
    """The tool to change, and its new values; what is left out stays."""

    description: str | None = None
    code: str | None = None
    parameters: dict[str, Any] | None = None
    returns: str | None = None
    timeout: Timeout | None = None
    environment: Literal["node", "browser", "python"] | None = None
    enabled: bool | None = None


class CustomTestParams(Params):
    """A tool to run once, stored (by its name) or not, and the parameters to run it with."""

    name: ToolName | None = None
    tool: CustomAddParams | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)


class RunToolQuestion(Wire):
    """The request `host.runTool`: run this code in a Worker that only reaches what `custom.call` gives it.

    Attributes:
        run: Names this run; `custom.call` takes it.
        tool: The tool's name.
        code: The body of an async function of `parameters` and `bridge`.
        parameters: Its parameters.
        timeout: Milliseconds after which it is to be ended; those in which `custom.call` is answered are not counted.
    """

    run: str
    tool: str
    code: str
    parameters: dict[str, Any]
    timeout: int


class RunToolAnswer(CustomResult):
    """The result of the run."""


class CustomRunEnded(Event):
    """A run that a host was given is over for the bridge: it is to be ended, and its calls are answered no more.

    Sent to that host.

    Attributes:
        run: The run.
    """

    event_name: ClassVar[str] = "custom.ended"

    run: str


class CustomCallParams(Params):
    """A request to the bridge by the code of a run, passed on by the host that runs it.

    Attributes:
        run: The run.
        kind: `tool` calls a tool with `name` and `arguments`; `fetch` reaches `url` with `method` and `body`; `storage`
            does `operation` with `key` and `value`.
    """

    run: Annotated[str, Field(max_length=100)]
    kind: Literal["tool", "fetch", "storage"]
    name: ToolName | None = None
    arguments: dict[str, Any] | None = None
    url: Annotated[str, Field(max_length=8192)] | None = None
    method: Literal["GET", "POST"] | None = None
    body: str | None = None
    operation: Literal["get", "set", "remove", "clear", "keys"] | None = None
    key: Annotated[str, Field(max_length=200)] | None = None
    value: str | None = None


class CustomAnswer(Wire):
    """The answer to what the code asked.

    Attributes:
        success: Whether it was done.
        result: Of a tool its data, or its text where it has none; of a fetch `{url, status, contentType, body}`, the
            body in base64; of the storage the value, the keys, or null.
        error: Why it was not.
        code: The same for programs, as in a tool's result.
    """

    success: bool
    result: Anything = None
    error: str | None = None
    code: str | None = None
