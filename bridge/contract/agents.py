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
