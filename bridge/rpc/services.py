"""What the methods reach of the rest of the bridge. `app.py` fills it in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bridge.audit.service import AuditService
from bridge.clock import Clock
from bridge.consent.broker import Broker
from bridge.consent.grants import GrantStore
from bridge.contract.index_comparison import IndexComparison
from bridge.identity.caller import Caller
from bridge.identity.store import ClientStore
from bridge.index.knowledge import IndexStatus, Knowledge
from bridge.journal.ledger import Ledger
from bridge.rpc.hub import Hub
from bridge.settings.store import SettingsStore
from bridge.toolkit.call_registry import CallRegistry
from bridge.toolkit.permitted import Denials
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.rate_limit_step import RateLimitStep
from bridge.toolkit.registry import ToolRegistry


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
        broker: The open questions.
        grants: The remembered answers.
        ledger: The history.
        audit: The log.
        limits: The rate limits.
        status: How much is known of the vault.
        compare: Compares Obsidian's index with ours; see `index/comparison.py`. Blocking.
        knowledge: What may be known of the vault's files: all of it by the person, and by others what is not closed.
        closed: What agents may not see.
        faults: What is wrong with files that people write, each as a sentence; blocking.
        attached: Vault-relative paths the user attached, by session id; tools read what hosts write here.
        hub: The connections.
        clock: The time.
        clients: The clients with a name of their own.
        seen: Called when a client has said who it is.
        session_ended: Called with the id of a session that nobody can go on with.
        note: Logs what is no call: its kind, and what happened.
    """

    vault: str
    version: str
    registry: ToolRegistry
    calls: CallRegistry
    pipeline: Pipeline
    settings: SettingsStore
    broker: Broker
    grants: GrantStore
    ledger: Ledger
    audit: AuditService
    limits: RateLimitStep
    status: Callable[[], IndexStatus]
    compare: Callable[..., IndexComparison]
    knowledge: Callable[[bool], Knowledge]
    closed: Denials
    faults: Callable[[], list[str]]
    attached: dict[str, list[str]]
    hub: Hub
    clock: Clock
    clients: ClientStore
    seen: Callable[[Caller], None]
    session_ended: Callable[[str], None]
    note: Callable[[str, dict[str, Any]], None]
