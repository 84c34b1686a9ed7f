"""The caller of a tool: a client, known by its credential, on one connection, with the name that it gives itself."""

from typing import Final, Literal, NamedTuple

from bridge.contract.identity import Capability, ClientInfo

SHARED_ID: Final = "shared"
"""The id of the shared credential (`agent.json`), which stands for every program that nobody gave a name."""
UNNAMED: Final = "a program without a name of its own"
"""Name that people are shown for a program with the shared credential."""
HOST_ID: Final = "host"
"""The id of the person's own programs (`host.json`): the plugin and the command line."""

EXPLANATION: Final = "explanation"
"""The connection of calls that are not made: the person asks what would become of them."""


class Client(NamedTuple):
    """The holder of one credential.

    Attributes:
        id: The credential's id.
        name: The name that the person gave it; None for the shared credential, which stands for no one in particular.
        capabilities: What it may do.
        preset: The named set of tools that it has, in place of the one that all have; None: that one.
        elicitation: Whether its user may say yes in the client itself to single calls of it that only read notes.
        drafts: Whether it works in drafts: what it writes is staged, and no call of it waits for a person.
    """

    id: str
    name: str | None
    capabilities: frozenset[Capability]
    preset: str | None = None
    elicitation: bool = False
    drafts: bool = False

    @property
    def is_shared(self) -> bool:
        """Return whether this is the credential of all programs that nobody named."""
        return self.id == SHARED_ID

    @property
    def is_person(self) -> bool:
        """Return whether these are the person's own programs, whose calls are the person's."""
        return self.id == HOST_ID


SHARED: Final = Client(SHARED_ID, None, frozenset({Capability.CALL}))
DEMO: Final = Client("demo", "The demonstration of Vault Bridge", frozenset({Capability.CALL}))
"""The client that asks the question of `demo.ask`. It has no token, so nobody can act as it."""
CHAT_ID: Final = "chat"
"""The id of the person's chat with a model, whose calls are the model's and not the person's."""
CHAT: Final = Client(CHAT_ID, "Chat", frozenset({Capability.CALL}))
"""The chat. It has no token, so no program can be it; what it may do is decided as for any other client."""
HOST: Final = Client(HOST_ID, "Obsidian or the terminal", frozenset(Capability))


class Caller(NamedTuple):
    """The caller of one call.

    Attributes:
        client: The client whose credential the connection showed.
        connection: The id of the connection; over HTTP each request is one.
        calls_itself: The name that the program gave itself, which proves nothing.
        draft: The draft that the call names, if any.
        chain: The execution id of the chain that the call is part of, if any. Nobody can send it.
        brief: Whether the connection ends with the call.
    """

    client: Client
    connection: str
    calls_itself: str | None = None
    draft: str | None = None
    chain: str | None = None
    brief: bool = False

    @property
    def has_session(self) -> bool:
        """Return whether an answer for its session would apply to a later call."""
        return not (self.brief and self.client.is_shared)

    @property
    def subject(self) -> str:
        """Return the id that denials, limits, open questions and counters apply to: its credential's, not a name."""
        return self.client.id

    @property
    def explains(self) -> bool:
        """Return whether nothing is executed: the person asks what a call would do."""
        return self.connection == EXPLANATION

    @property
    def session_id(self) -> str:
        """Return the id that answers for a session, call ids, results and attached files apply to.

        A named client keeps them however often it reconnects; a program without a name has them on one connection.
        """
        return self.connection if self.client.is_shared else self.client.id

    @property
    def name(self) -> str:
        """Return the caller's name for people: the one that the person gave, else the program's own, marked so."""
        if self.client.is_person:
            return self.calls_itself or self.client.name or ""
        if self.client.name is not None:
            return self.client.name
        said = f", calls itself {self.calls_itself!r}" if self.calls_itself else ""
        return f"{UNNAMED}{said}"

    @property
    def role(self) -> Literal["agent", "host"]:
        """Return its role for older clients and records: the person's own programs are hosts, all others agents."""
        return "host" if self.client.is_person else "agent"

    @property
    def sees_changes_of(self) -> str | None:
        """Return whose changes it may list, undo and redo: its own; None for everybody's, if it administers."""
        return None if self.can(Capability.ADMINISTER) else self.subject

    def can(self, capability: Capability) -> bool:
        """Return whether the caller may do something."""
        return capability in self.client.capabilities


PERSON: Final = Caller(HOST, "here")
"""The person, where no connection is involved."""


def as_if_calling(client: ClientInfo) -> Caller:
    """Return a client as it would call, without a connection of its own.

    Args:
        client: As the person's screens know it.
    """
    capabilities = frozenset(client.capabilities)
    facts = (client.client_id, client.name, capabilities, client.preset, client.elicitation, client.drafts)
    return Caller(Client(*facts), EXPLANATION)
