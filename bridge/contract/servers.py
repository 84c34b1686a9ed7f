"""Programs on this machine: other MCP servers, and the programs in which people use agents."""

from typing import Annotated, Any, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, Params, Wire
from bridge.contract.consent import FilePreview

ServerName = Annotated[str, Field(min_length=1, max_length=60)]
State = Annotated[Literal["off", "starting", "ready", "failed"], ANY_TEXT]


class ServerToolInfo(Wire):
    """A tool of a server.

    Attributes:
        name: The server's name for it.
        call: The name by which agents call it.
        title: For people, in the server's words.
        description: For models, in the server's words.
        takes: Its schema, in lines for people.
        read_only: Whether it says that it changes nothing.
        destructive: Whether it says that it destroys.
        change: How it describes itself otherwise than when it was allowed, as a diff; its whole description where it
            was never allowed; None when it is as it was.
    """

    name: str
    call: str
    title: str
    description: str
    takes: str
    read_only: bool
    destructive: bool
    change: str | None = None


class ServerInfo(Wire):
    """A server that the person has entered.

    Attributes:
        name: Its name.
        description: Its purpose, in the person's words.
        told: The program or address, line by line; of variables and headers their names only.
        enabled: Whether `mcp_loader` loads it.
        trusted: Whether its tools may be called without a question.
        state: Its state.
        reason: Why it has failed.
        change: How it is started or reached otherwise than when it was allowed; as of a tool.
        tools: Its tools, as it described them last; none before it was connected once.
        faults: A sentence for each of its tools that cannot be used.
        log: The last lines that it wrote to its error output.
        digest: Names exactly what is shown here of the server and its tools; `servers.trust` takes it.
    """

    name: str
    description: str
    told: tuple[str, ...]
    enabled: bool
    trusted: bool
    state: State
    reason: str
    change: str | None
    tools: tuple[ServerToolInfo, ...]
    faults: tuple[str, ...]
    log: tuple[str, ...]
    digest: str


class ServerList(Wire):
    """All servers.

    Attributes:
        servers: Those that are entered, in their order.
        file: Where they are entered.
        fault: Why that file cannot be used; None while it can.
        allowed: Whether other servers are allowed at all.
    """

    servers: tuple[ServerInfo, ...]
    file: str
    fault: str | None
    allowed: bool


class FoundServer(Wire):
    """A server in the configuration of a program on this machine.

    Attributes:
        agent: The program's id.
        program: The program's name, for people.
        name: The server's name here: that of there, made to fit.
        told: The program or address.
        fault: Why it cannot be taken over, as a sentence; None when it can.
        known: Whether a server of this name is entered already.
    """

    agent: str
    program: str
    name: str
    told: tuple[str, ...]
    fault: str | None
    known: bool


class ServerParams(Params):
    """An MCP server, by its name."""

    name: ServerName


class ServerAddParams(ServerParams):
    """A server to enter, as `mcp.json` has it; one of its name is replaced where that is said."""

    entry: dict[str, Any]
    replace: bool = False


class ServerTrustParams(ServerParams):
    """A server, whether to trust it, and the digest of what was shown of it."""

    trusted: bool = True
    digest: str | None = None


class ServerEnableParams(ServerParams):
    """A server, and whether `mcp_loader` loads it."""

    enabled: bool


class ServerImportParams(Params):
    """A server to import, and the program whose configuration has it."""

    agent: ServerName
    name: ServerName


AgentId = Annotated[str, Field(min_length=1, max_length=40)]


class AgentInfo(Wire):
    """A program that can be connected.

    Attributes:
        agent: Its id.
        title: Its name, for people.
        file: Its configuration.
        here: Whether it seems to be on this machine.
        client: As which client it is connected to this vault; None when it is not.
        fault: Why its configuration cannot be used, as a sentence; None when it can.
    """

    agent: str
    title: str
    file: str
    here: bool
    client: str | None = None
    fault: str | None = None


class AgentPlan(Wire):
    """A plan: the effects of connecting or disconnecting a program, before anything is done.

    Attributes:
        agent: The program's id.
        client: The client it is in the bridge.
        removes: Whether the connection is taken back.
        files: Each file that changes, with its diff; none where nothing is to do.
        kept: Sentences about what is left as it is.
        digest: Names exactly this plan.
    """

    agent: str
    client: str
    removes: bool
    files: tuple[FilePreview, ...]
    kept: tuple[str, ...]
    digest: str


class AgentOutcome(Wire):
    """The result of connecting or disconnecting a program.

    Attributes:
        backup: The file with the configuration as it was before; None where it was not needed.
        added_client: Whether a client was added.
        revoked_client: Whether one was revoked.
        then: The person's next step, as a sentence.
    """

    backup: str | None
    added_client: bool
    revoked_client: bool
    then: str


class AgentPreviewParams(Params):
    """The program, and whether to disconnect it."""

    agent: AgentId
    remove: bool = False


class AgentDoParams(Params):
    """The program, and the plan that was shown."""

    agent: AgentId
    digest: str
