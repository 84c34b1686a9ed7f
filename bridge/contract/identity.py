"""Clients as the wire shows them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from bridge.contract.base import SKIP_UNKNOWN, Params, Wire


class Capability(StrEnum):
    """What a client may do.

    `call`: call tools. `answer`: answer the questions of others, never its own. `administer`: change settings, read
    the log and the whole history, manage clients.
    """

    CALL = "call"
    ANSWER = "answer"
    ADMINISTER = "administer"


class ClientInfo(Wire):
    """A client with a name of its own, as the list of connected programs shows it. Times are ISO 8601 UTC.

    Attributes:
        client_id: Its id, which stays when it is renamed.
        name: The name that the person gave it.
        calls_itself: What the program called itself when it connected last; None before it has.
        capabilities: What it may do.
        added: When it was added.
        last_seen: When it connected last; None before it has.
        connected: How many connections of it are open.
    """

    client_id: str
    name: str
    calls_itself: str | None = None
    capabilities: Annotated[tuple[Capability, ...], Field(json_schema_extra={**SKIP_UNKNOWN})]
    added: str
    last_seen: str | None = None
    connected: int = 0


class NewClient(Wire):
    """A client that was just added. The token is shown this once; the bridge keeps only its hash."""

    client: ClientInfo
    token: str


Name = Annotated[str, Field(min_length=1, max_length=80)]
ClientId = Annotated[str, Field(min_length=1, max_length=100)]


class ClientAddParams(Params):
    """What the person calls the program."""

    name: Name


class ClientRenameParams(Params):
    """Which client, and what it is called from now on."""

    client_id: ClientId
    name: Name


class ClientRevokeParams(Params):
    """Which client."""

    client_id: ClientId


class ClientAllowParams(Params):
    """Which client, and what it may do beside what it may already."""

    client_id: ClientId
    capability: Annotated[Capability, Field(strict=False)]
