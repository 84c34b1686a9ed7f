"""The rest of the bridge, as the methods reach it. `capabilities/serving.py` fills it in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.ports import Late

if TYPE_CHECKING:
    from bridge.agents.connection import Connector
    from bridge.audit.service import AuditService
    from bridge.chat.chats import Chats
    from bridge.chat.endpoints import AgreedEndpoints
    from bridge.clock import Clock
    from bridge.consent.broker import Broker
    from bridge.consent.grants import GrantStore
    from bridge.consent.screens import Outbox, Screens
    from bridge.consent.web_readers import WebReaders
    from bridge.contract.session import IndexComparison
    from bridge.custom.custom_tools import CustomTools
    from bridge.drafts.store import Drafts
    from bridge.identity.store import ClientStore
    from bridge.index.knowledge import IndexStatus, Knowledge
    from bridge.index.vectors.vectors import Vectors
    from bridge.journal.ledger import Ledger
    from bridge.keys.store import KeyStore
    from bridge.rpc.hosts import HostRuns
    from bridge.rpc.hub import Hub
    from bridge.servers.servers import Servers
    from bridge.settings.store import SettingsStore
    from bridge.toolkit.call_registry import CallRegistry
    from bridge.toolkit.fairness import RateLimitStep
    from bridge.toolkit.permitted import Denials
    from bridge.toolkit.pipeline import Pipeline
    from bridge.toolkit.registry import ToolRegistry
    from bridge.tools.history import LinkMender
    from bridge.tools.templates.templates import TemplateStore
    from bridge.versions.allowed_edits import AllowedEdits
    from bridge.versions.notices import Notices
    from bridge.versions.recorder import Recorder
    from bridge.versions.restoring import Restoring
    from bridge.web.search import WebSearch
    from bridge.web.services import WebServices


@dataclass(frozen=True)
class Parts:
    """The optional parts of a bridge; each is given by its capability.

    Attributes:
        vectors: The vectors of notes, for search by meaning.
        embedding_servers: The addresses outside this machine to which notes may be sent for that.
        web: The way to the web.
        search: Searches the web.
        servers: Other MCP servers.
        custom: The user's own tools.
        host_runs: Their runs in Obsidian.
        restoring: Takes back what other programs changed.
        mender: Mends the links that it broke.
        notices: What the person is told of it.
        allowed_edits: What clients were allowed to change with their own editors.
        audit: Reads the log.
        agents: Connects the programs in which people use agents.
        chats: The chat with a model.
    """

    vectors: "Late[Vectors]" = field(default_factory=lambda: Late("Search by meaning"))
    embedding_servers: "Late[AgreedEndpoints]" = field(default_factory=lambda: Late("Search by meaning"))
    web: "Late[WebServices]" = field(default_factory=lambda: Late("The web"))
    search: "Late[WebSearch]" = field(default_factory=lambda: Late("Search in the web"))
    servers: "Late[Servers]" = field(default_factory=lambda: Late("The list of other servers"))
    custom: "Late[CustomTools]" = field(default_factory=lambda: Late("What runs tools of your own"))
    host_runs: "Late[HostRuns]" = field(default_factory=lambda: Late("What runs tools of your own"))
    restoring: "Late[Restoring]" = field(default_factory=lambda: Late("What restores other programs' changes"))
    mender: "Late[LinkMender]" = field(default_factory=lambda: Late("What restores other programs' changes"))
    notices: "Late[Notices]" = field(default_factory=lambda: Late("What restores other programs' changes"))
    allowed_edits: "Late[AllowedEdits]" = field(default_factory=lambda: Late("The tool for editors of other programs"))
    audit: "Late[AuditService]" = field(default_factory=lambda: Late("What reads the log"))
    agents: "Late[Connector]" = field(default_factory=lambda: Late("What connects programs"))
    chats: "Late[Chats]" = field(default_factory=lambda: Late("The chat"))


class Services(NamedTuple):
    """Everything the methods of one vault reach.

    Attributes:
        vault: The vault's name, as callers see it.
        version: The bridge's version.
        registry: The tools.
        calls: Runs them.
        pipeline: Previews and explains calls.
        settings: The settings.
        keys: The API keys.
        broker: The open questions.
        grants: The remembered answers.
        ledger: The history.
        limits: The rate limits.
        status: How much is known of the vault.
        in_place: Whether the vault's folder is still where it was opened.
        by_name_only: The notes of which the index knows nothing but their names.
        compare: Compares Obsidian's index with ours; see `index/comparison.py`. Blocking.
        knowledge: What may be known of the vault's files: all of it by the person, and by others what is not closed.
        closed: What agents may not see.
        faults: What is wrong with files that people write, each as a sentence; blocking.
        unprotected: The programs that may edit the vault without asking although they were told to ask, each as a
            sentence; blocking.
        attached: Vault-relative paths the user attached, by session id; tools read what hosts write here.
        hub: The connections.
        clock: The time.
        clients: The clients with a name of their own.
        session_ended: Called with the id of a session that nobody can go on with.
        drafts: The drafts of clients.
        templates: The chains that the user keeps under a name.
        web_readers: The clients that have read from it.
        screens: The person's screen in Obsidian.
        outbox: The texts that the person sends to clients.
        recorder: What other programs changed.
        note: Logs what is no call: its kind, and what happened.
        parts: What a bridge may be without; `get` of each returns it, or says that it is left out.
    """

    vault: str
    version: str
    registry: "ToolRegistry"
    calls: "CallRegistry"
    pipeline: "Pipeline"
    settings: "SettingsStore"
    keys: "KeyStore"
    broker: "Broker"
    grants: "GrantStore"
    ledger: "Ledger"
    limits: "RateLimitStep"
    status: "Callable[[], IndexStatus]"
    in_place: Callable[[], bool]
    by_name_only: Callable[[], Sequence[str]]
    compare: "Callable[..., IndexComparison]"
    knowledge: "Callable[[bool], Knowledge]"
    closed: "Denials"
    faults: Callable[[], list[str]]
    unprotected: Callable[[], list[str]]
    attached: dict[str, list[str]]
    hub: "Hub"
    clock: "Clock"
    clients: "ClientStore"
    session_ended: Callable[[str], None]
    note: Callable[[str, dict[str, Any]], None]
    drafts: "Drafts"
    templates: "TemplateStore"
    web_readers: "WebReaders"
    screens: "Screens"
    outbox: "Outbox"
    recorder: "Recorder"
    parts: Parts
