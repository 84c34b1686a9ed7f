"""Connecting the programs in which people use agents, as the wire shows it."""

from typing import Annotated

from pydantic import Field

from bridge.contract.base import Params, Wire
from bridge.contract.consent import FilePreview

AgentId = Annotated[str, Field(min_length=1, max_length=40)]


class AgentInfo(Wire):
    """A program that can be connected.

    Attributes:
        agent: Its id.
        title: What people call it.
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
    """What connecting or disconnecting would do, not done yet.

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
    """What was done.

    Attributes:
        backup: Where the configuration's bytes of before are; None where they were not needed.
        added_client: Whether a client was added.
        revoked_client: Whether one was revoked.
        then: What the person does next, as a sentence.
    """

    backup: str | None
    added_client: bool
    revoked_client: bool
    then: str


class AgentPreviewParams(Params):
    """Which program, and whether it is to be disconnected."""

    agent: AgentId
    remove: bool = False


class AgentDoParams(Params):
    """Which program, and which plan was shown."""

    agent: AgentId
    digest: str
