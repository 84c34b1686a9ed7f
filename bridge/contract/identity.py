"""Clients as the wire shows them."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from bridge.contract.base import ANY_TEXT, SKIP_UNKNOWN, Params, Wire
from bridge.contract.consent import Until


class Capability(StrEnum):
    """A permission of a client.

    `call`: call tools. `answer`: answer the questions of others, never its own. `administer`: change settings, read
    the log and the whole history, manage clients.
    """

    CALL = "call"
    ANSWER = "answer"
    ADMINISTER = "administer"


class Preset(StrEnum):
    """A named set of tools.

    `minimal`: those that find and read. `agent`: few that do the work of all. `vault`: all for the vault's own files,
    each by itself. `everything`: all there are.
    """

    MINIMAL = "minimal"
    AGENT = "agent"
    VAULT = "vault"
    EVERYTHING = "everything"


class ClientInfo(Wire):
    """A client with a name of its own, as the list of connected programs shows it. Times are ISO 8601 UTC.

    Attributes:
        client_id: Its id, which stays when it is renamed.
        name: The name that the person gave it.
        calls_itself: The program's name for itself when it last connected; None before it has.
        capabilities: Its permissions.
        preset: The named set of tools that it has; None: the one that all have.
        elicitation: Whether its user may say yes in the client itself to single calls of it that only read notes.
        drafts: Whether it works in drafts: what it writes is staged until the person takes it, and no call waits.
        added: When it was added.
        last_seen: When it connected last; None before it has.
        connected: The number of its open connections.
        looking: Until when it may see what the person looks at in Obsidian; None: it may not.
        showing: Until when it may open notes there without a click of the person's; None: it may not.
    """

    client_id: str
    name: str
    calls_itself: str | None = None
    capabilities: Annotated[tuple[Capability, ...], Field(json_schema_extra={**SKIP_UNKNOWN})]
    preset: Annotated[Preset, ANY_TEXT] | None = None
    elicitation: bool = False
    drafts: bool = False
    added: str
    last_seen: str | None = None
    connected: int = 0
    looking: Annotated[Until, ANY_TEXT] | None = None
    showing: Annotated[Until, ANY_TEXT] | None = None


class NewClient(Wire):
    """A client that was just added. The token is shown this once; the bridge keeps only its hash."""

    client: ClientInfo
    token: str


Name = Annotated[str, Field(min_length=1, max_length=80)]


class ClientAddParams(Params):
    """The person's name for the program, the tools that it gets, and whether it works in drafts."""

    name: Name
    preset: Annotated[Preset, Field(strict=False)] = Preset.AGENT
    drafts: bool = False


class ClientRevokeParams(Params):
    """The client to revoke."""

    client_id: Annotated[str, Field(min_length=1, max_length=100)]


class ClientRenameParams(ClientRevokeParams):
    """A client, and its new name."""

    name: Name


Sharing = Literal["session", "always", "no"]
"""Until the bridge stops, until the person takes it back, or not at all."""


class ClientUpdateParams(ClientRevokeParams):
    """A client, and the settings of it that change.

    They are its tools, whether its user may confirm reads in it, whether it works in drafts, and for how long it may
    see what the person looks at or open notes there. Whatever is left out stays as it is.
    """

    preset: Annotated[Preset, Field(strict=False)] | None = None
    elicitation: bool | None = None
    drafts: bool | None = None
    looking: Sharing | None = None
    showing: Sharing | None = None


class ClientAllowParams(ClientRevokeParams):
    """A client, and the capability to add to those it has."""

    capability: Annotated[Capability, Field(strict=False)]
