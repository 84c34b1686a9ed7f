"""The client's session, and the state of the bridge: `session.*`, `events.subscribe`, and the methods of status.

`index.compare` takes a host's report on Obsidian's own index and returns how the bridge's index differs from it.
"""

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
    """The answer to `GET /health`. The vault's name is for those who show a token."""

    ok: Literal[True] = True
    version: str
    vault: str | None
    protocol: int = PROTOCOL


class SessionInfo(Wire):
    """The caller's identity, session and vault.

    Attributes:
        role: `host` for the person's own programs, `agent` for all others.
        client: The client, for people: the name that the person gave it, or that it has none.
        client_id: Its credential.
        capabilities: Its permissions.
        session_id: Its session.
        vault: The vault's name.
        version: The bridge's version.
        protocol: The version of the protocol; see `PROTOCOL`. Bridges that do not say speak version 1.
        tools: The names of the enabled tools.
        host_connected: Whether there is a consent screen.
        wait_seconds: The time an agent's call should wait for a person before its ticket is handed on.
        max_output_bytes: The most bytes of a result for a model.
        structured_results: Whether its results over MCP have structured content: with every tool there is.
        sent_back: The number of its drafts that the person has sent back.
        sent: Whether its next answer carries something that the person has sent it.
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
    sent: bool = False


class SessionNameParams(Params):
    """The introduction of a client.

    Attributes:
        client: Its name for itself.
        can: The abilities of a host.
        brief: Whether it disconnects after one call, so that no answer can hold for its session.
    """

    client: Annotated[ClientName, AfterValidator(_shown)]
    can: list[Ability] | None = None
    brief: bool = False


class SessionName(Wire):
    """The name of this connection now, and what its host can do."""

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
    """The events to subscribe to; the list replaces the one before."""

    kinds: list[Subscription]


class Subscribed(Wire):
    """The events that this connection is sent beside those that all of its role are."""

    kinds: tuple[str, ...]


class LimitUse(Wire):
    """The use of a limit.

    Attributes:
        limit: Calls a minute.
        used: Calls of the last 60 seconds.
        queued: Calls that wait.
    """

    limit: int
    used: int
    queued: int


class SemanticStatus(Wire):
    """The progress of search by meaning.

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
        sentence: The sentence to agree to.
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
    """An agreement to have notes embedded on another machine.

    Attributes:
        endpoint: The server that the person was shown: scheme, host and port.
    """

    endpoint: str = Field(min_length=1, max_length=2048)


class VaultStatus(Wire):
    """The state of the bridge's knowledge of the vault.

    Attributes:
        notes: Markdown files.
        files: All files but hidden ones, notes included.
        indexed: Notes whose content is known.
        indexing: Whether files are still to be read.
        last_sweep: When the whole disk was last compared with what is known; None before the first time.
        in_place: Whether the vault's folder is where it was when the bridge started; else nothing is written.
        by_name_only: The number of notes and canvases that cannot be read, or are too much to be understood.
        named_only: The first of their paths, for the person's own programs.
        semantic: The progress of search by meaning.
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
    """The confinement of programs that agents have started on this computer.

    Attributes:
        confines: Whether anything confines them.
        sentence: What confines them, or that nothing does.
        lacks: A sentence for each thing that a program can do all the same.
    """

    confines: bool
    sentence: str
    lacks: tuple[str, ...]


class Faults(Wire):
    """The present faults, each as a sentence that says what to do.

    Attributes:
        faults: Those of the files that people write.
        unprotected: The programs that were told to ask before they edit the vault, and may do so without.
    """

    faults: tuple[str, ...]
    unprotected: tuple[str, ...] = ()


MOST_FILES = 2_000
"""Files of one `index.compare`."""
MOST_DIFFERENCES = 5_000
"""Differences of one answer; the others are counted."""


class ObsidianFacts(Params):
    """The content of Obsidian's `metadataCache` for one note.

    Attributes:
        resolved: The number of links to each file (`resolvedLinks`).
        unresolved: The number of links to each path at which no file is (`unresolvedLinks`).
        tags: Its tags (`getAllTags`); None when Obsidian has not read the note yet.
        mtime: When it was modified, in milliseconds since 1970, as Obsidian knows it.
        size: Its bytes, as Obsidian knows them.
    """

    resolved: dict[str, Annotated[int, Field(ge=0)]]
    unresolved: dict[str, Annotated[int, Field(ge=0)]]
    tags: list[str] | None
    mtime: Annotated[float, Field(ge=0)]
    size: Annotated[int, Field(ge=0)]


class CompareParams(Params):
    """Obsidian's facts on some notes, the unsaved ones among them and, once, the paths of all notes it knows."""

    files: Annotated[dict[str, ObsidianFacts], Field(max_length=MOST_FILES)]
    unsaved: list[str] = Field(default_factory=list)
    notes: list[str] | None = None


DifferenceKind = Literal["link", "unresolved", "tag", "tag_order", "note"]


class IndexDifference(Wire):
    """One thing about which Obsidian and the bridge differ.

    Attributes:
        path: The note.
        kind: `link`: links to a file; `unresolved`: links to where no file is; `tag`: uses of a tag; `tag_order`: the
            same tags in another order; `note`: the note itself, which only one of them knows.
        target: The file, the link's path or the tag; for `tag_order` and `note` empty.
        obsidian: Obsidian's count.
        bridge: The bridge's count.
    """

    path: str
    kind: DifferenceKind
    target: str = ""
    obsidian: int
    bridge: int


class UncomparedNote(Wire):
    """A note that cannot be compared now, and so says nothing about either index.

    Attributes:
        path: The note.
        reason: `unsaved`: an editor holds text that is not on disk; `changed`: one of them has not read the note as it
            is now; `unread`: one of them has not read it at all yet.
    """

    path: str
    reason: Literal["unsaved", "changed", "unread"]


class IndexComparison(Wire):
    """The result of comparing some notes.

    Attributes:
        compared: The number of notes compared.
        links: The number of links that the bridge counted in them.
        tags: The number of tags.
        differences: The differences, by note.
        more: The number of differences beyond those listed.
        uncompared: The notes that were left out.
    """

    compared: int
    links: int
    tags: int
    differences: tuple[IndexDifference, ...]
    more: int
    uncompared: tuple[UncomparedNote, ...]
