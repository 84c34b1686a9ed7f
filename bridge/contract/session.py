"""Who is connected, to what, and how the bridge is: `session.*`, `events.subscribe`, and the methods of status."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from bridge.contract.base import ANY_TEXT, SKIP_UNKNOWN, Params, Wire
from bridge.contract.consent import ClientName, Path
from bridge.contract.identity import Capability

PROTOCOL: Final = 5
"""The version of what `docs/protocol.md` describes. It counts up when a client could notice a change."""

Role = Literal["agent", "host"]
Ability = Literal["consent", "write", "dirty", "runTool"]
Subscription = Literal["vault.changed"]


def _shown(name: str) -> str:
    """Check that a name draws nothing in a question: nothing invisible, nothing that turns the text around."""
    if not name.isprintable() or name != name.strip():
        raise ValueError("a name has only printable characters, and no spaces around them")
    return name


class Health(Wire):
    """What `GET /health` answers. The vault's name is for those who show a token."""

    ok: Literal[True] = True
    version: str
    vault: str | None
    protocol: int = PROTOCOL


class SessionInfo(Wire):
    """Who the caller is, and where.

    Attributes:
        role: `host` for the person's own programs, `agent` for all others.
        client: The client, for people: the name that the person gave it, or that it has none.
        client_id: Its credential.
        capabilities: What it may do.
        session_id: Its session.
        vault: The vault's name.
        version: Of the bridge.
        protocol: Of the wire: see `PROTOCOL`. Bridges that do not say speak version 1.
        tools: The names of the enabled tools.
        host_connected: Whether there is a consent screen.
        wait_seconds: How long an agent's call should wait for a person before its ticket is handed on.
        max_output_bytes: How long a result for a model may be.
        structured_results: Whether its results over MCP have structured content: with every tool there is.
        sent_back: How many drafts of its the person has sent back.
    """

    role: Annotated[Role, ANY_TEXT]
    client: str
    client_id: str = ""
    capabilities: Annotated[tuple[Capability, ...], Field(json_schema_extra={**SKIP_UNKNOWN})] = ()
    session_id: str
    vault: str
    version: str
    protocol: int = PROTOCOL
    tools: tuple[str, ...]
    host_connected: bool
    wait_seconds: int = 40
    max_output_bytes: int = 65_536
    structured_results: bool = False
    sent_back: int = 0


class SessionNameParams(Params):
    """How a client introduces itself.

    Attributes:
        client: What it calls itself.
        can: What a host can do.
        brief: Whether it disconnects after one call, so that no answer can hold for its session.
    """

    client: Annotated[ClientName, AfterValidator(_shown)]
    can: list[Ability] | None = None
    brief: bool = False


class SessionName(Wire):
    """How this connection is named now, and what its host can do."""

    client: str
    session_id: str
    can: tuple[str, ...]


class AttachParams(Params):
    """A file the user handed to the conversation."""

    path: Path


class Attached(Wire):
    """Every file that was attached in this session."""

    attached: tuple[str, ...]


class SubscribeParams(Params):
    """Which events; the list replaces the one before."""

    kinds: list[Subscription]


class Subscribed(Wire):
    """The events that this connection is sent beside those that all of its role are."""

    kinds: tuple[str, ...]


class LimitUse(Wire):
    """How much of a limit is used.

    Attributes:
        limit: Calls a minute.
        used: Calls of the last 60 seconds.
        queued: Calls that wait.
    """

    limit: int
    used: int
    queued: int


class SemanticStatus(Wire):
    """How far search by meaning is.

    Attributes:
        state: `off`; `missing`: no model is installed; `waiting` for the index; `embedding`: notes are being prepared;
            `paused`, `ready` or `failed`; `not_allowed`: the model runs on another machine, to which nobody has agreed.
        reason: Why it is paused (`battery` or `load`), failed or not allowed (a sentence, for the person alone).
        model: The model; empty where there is none.
        done: Notes that are prepared.
        total: Notes that there are to prepare.
        passages: Passages of them that are compared.
        size: Bytes on the disk.
        endpoint: Where it is not allowed: the server that would have to be agreed to, for the person alone.
        sentence: What the person would agree to.
    """

    state: Literal["off", "missing", "waiting", "embedding", "paused", "ready", "failed", "not_allowed"]
    reason: str = ""
    model: str = ""
    done: int = 0
    total: int = 0
    passages: int = 0
    size: int = 0
    endpoint: str | None = None
    sentence: str | None = None


class SemanticAllowParams(Params):
    """Agreeing to have notes embedded on another machine.

    Attributes:
        endpoint: The server that the person was shown: scheme, host and port.
    """

    endpoint: str = Field(min_length=1, max_length=2048)


class VaultStatus(Wire):
    """How much is known of the vault.

    Attributes:
        notes: Markdown files.
        files: All files but hidden ones, notes included.
        indexed: Notes whose content is known.
        indexing: Whether files are still to be read.
        last_sweep: When the whole disk was last compared with what is known; None before the first time.
        in_place: Whether the vault's folder is where it was when the bridge started; else nothing is written.
        by_name_only: How many notes and canvases were given up: they cannot be read, or are too much to be understood.
        named_only: The first of their paths, for the person's own programs.
        semantic: How far search by meaning is.
    """

    notes: int
    files: int
    indexed: int
    indexing: bool
    last_sweep: str | None
    by_name_only: int
    named_only: tuple[str, ...]
    in_place: bool = True
    semantic: SemanticStatus = SemanticStatus(state="off")


class SandboxStatus(Wire):
    """What confines the programs that agents have started on this computer.

    Attributes:
        confines: Whether anything does.
        sentence: What does, or that nothing does.
        lacks: A sentence for each thing that a program can do all the same.
    """

    confines: bool
    sentence: str
    lacks: tuple[str, ...]


class Faults(Wire):
    """What is wrong, each as a sentence that says what to do.

    Attributes:
        faults: With the files that people write.
        unprotected: The programs that were told to ask before they edit the vault, and may do so without.
    """

    faults: tuple[str, ...]
    unprotected: tuple[str, ...] = ()
