"""What the methods reach of the rest of the bridge. `app.py` fills it in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bridge.agents.connection import Connector
from bridge.audit.service import AuditService
from bridge.chat.chats import Chats
from bridge.chat.endpoints import AgreedEndpoints
from bridge.clock import Clock
from bridge.consent.broker import Broker
from bridge.consent.grants import GrantStore
from bridge.consent.web_readers import WebReaders
from bridge.contract.index_comparison import IndexComparison
from bridge.custom.custom_tools import CustomTools
from bridge.drafts.store import Drafts
from bridge.identity.caller import Caller
from bridge.identity.store import ClientStore
from bridge.index.knowledge import IndexStatus, Knowledge
from bridge.index.vectors.vector_index import VectorStatus
from bridge.journal.ledger import Ledger
from bridge.keys.store import KeyStore
from bridge.rpc.host_runs import HostRuns
from bridge.rpc.hub import Hub
from bridge.servers.servers import Servers
from bridge.settings.store import SettingsStore
from bridge.toolkit.call_registry import CallRegistry
from bridge.toolkit.permitted import Denials
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.rate_limit_step import RateLimitStep
from bridge.toolkit.registry import ToolRegistry
from bridge.tools.history.mending import LinkMender
from bridge.tools.templates.template_store import TemplateStore
from bridge.versions.allowed_edits import AllowedEdits
from bridge.versions.notices import Notices
from bridge.versions.recorder import Recorder
from bridge.versions.restoring import Restoring
from bridge.web.search.search import WebSearch
from bridge.web.services import WebServices


class VectorPort(Protocol):
    """What the methods ask of the vectors."""

    def status(self) -> VectorStatus:
        """How far they are."""

    def changed(self) -> None:
        """Something may have changed. Returns at once."""

    def rebuild(self) -> None:
        """Throw them away, and make them anew. Returns at once."""


@dataclass(frozen=True)
class Services:
    """Everything the methods of one vault reach.

    Attributes:
        vault: The vault's name, as callers see it.
        version: Of the bridge.
        registry: The tools.
        calls: Runs them.
        pipeline: Previews and explains calls.
        settings: The settings.
        keys: The API keys.
        search: Searches the web.
        broker: The open questions.
        grants: The remembered answers.
        ledger: The history.
        audit: The log.
        limits: The rate limits.
        status: How much is known of the vault.
        vectors: The vectors of notes, for search by meaning.
        embedding_servers: The addresses outside this machine to which notes may be sent for that.
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
        agents: Connects the programs in which people use agents.
        seen: Called when a client has said who it is.
        session_ended: Called with the id of a session that nobody can go on with.
        drafts: The drafts of clients.
        templates: The chains that the user keeps under a name.
        web: The way to the web.
        web_readers: The clients that have read from it.
        servers: Other MCP servers.
        recorder: What other programs changed.
        restoring: Takes that back.
        notices: What the person is told of it.
        allowed_edits: What clients were allowed to change with their own editors.
        mender: Mends the links that it broke.
        chats: The chat with a model.
        custom: The user's own tools.
        host_runs: Their runs in Obsidian.
        note: Logs what is no call: its kind, and what happened.
    """

    vault: str
    version: str
    registry: ToolRegistry
    calls: CallRegistry
    pipeline: Pipeline
    settings: SettingsStore
    keys: KeyStore
    search: WebSearch
    broker: Broker
    grants: GrantStore
    ledger: Ledger
    audit: AuditService
    limits: RateLimitStep
    status: Callable[[], IndexStatus]
    vectors: VectorPort
    embedding_servers: AgreedEndpoints
    in_place: Callable[[], bool]
    by_name_only: Callable[[], Sequence[str]]
    compare: Callable[..., IndexComparison]
    knowledge: Callable[[bool], Knowledge]
    closed: Denials
    faults: Callable[[], list[str]]
    unprotected: Callable[[], list[str]]
    attached: dict[str, list[str]]
    hub: Hub
    clock: Clock
    clients: ClientStore
    agents: Connector
    seen: Callable[[Caller], None]
    session_ended: Callable[[str], None]
    note: Callable[[str, dict[str, Any]], None]
    drafts: Drafts
    templates: TemplateStore
    web: WebServices
    web_readers: WebReaders
    servers: Servers
    recorder: Recorder
    restoring: Restoring
    notices: Notices
    allowed_edits: AllowedEdits
    mender: LinkMender
    chats: Chats
    custom: CustomTools
    host_runs: HostRuns
