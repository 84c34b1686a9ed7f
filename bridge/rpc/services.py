"""What the methods need of the rest of the bridge, as the narrowest shapes that will do. `app.py` fills them in."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bridge.consent.broker import Host
from bridge.contract.consent import ConsentReply, ConsentRequest, Decision, Operation
from bridge.contract.index_comparison import IndexComparison, ObsidianFacts
from bridge.index.knowledge import Knowledge
from bridge.journal.record import HistoryEntry
from bridge.settings.model import Settings
from bridge.toolkit.permitted import Denials
from bridge.toolkit.registry import ToolRegistry
from bridge.toolkit.tool_call import Caller, Role, ToolCall
from bridge.vault.partial import Kept

Notify = Callable[[str, dict[str, Any]], None]


class CallDesk(Protocol):
    """Runs tools, once for each call id (`toolkit/call_registry.py`)."""

    async def call(
        self,
        caller: Caller,
        name: str,
        arguments: Any,
        *,
        call_id: str | None = None,
        wait: float | None = None,
        reason: str | None = None,
        notify: Notify | None = None,
    ) -> dict[str, Any]:
        """A ToolResult, or a ticket when `wait` ran out. `notify` may be called from any thread."""
        ...

    async def result(self, call_id: str, wait: float | None = None) -> dict[str, Any]:
        """The result of an earlier call, or its ticket."""
        ...

    def cancel(self, call_id: str) -> bool:
        """Stop a call that has not begun to write."""
        ...


class Previewer(Protocol):
    """Says what a call would do (`toolkit/pipeline.py`)."""

    async def preview(self, tool_call: ToolCall) -> dict[str, Any]:
        """`{"plan": {...}}`; raises the ToolFailure the call itself would end in."""
        ...

    async def explain(self, tool_call: ToolCall) -> dict[str, Any]:
        """What would become of a call, and which rule decides."""
        ...


class SettingsDesk(Protocol):
    """The settings in force (`settings/store.py`)."""

    @property
    def current(self) -> Settings:
        """As they are now."""
        ...

    def update(self, patch: dict[str, Any], *, by: str | None = None) -> tuple[Settings, list[str]]:
        """Merge a patch in; blocking."""
        ...

    def reset(self, section: str | None = None, *, by: str | None = None) -> Settings:
        """Back to the defaults; blocking."""
        ...


class ConsentDesk(Protocol):
    """The open questions (`consent/broker.py`)."""

    @property
    def connected(self) -> bool:
        """Whether anybody could answer."""
        ...

    def attach(self, host: Host) -> None:
        """A consent screen is there; it is sent every open question."""
        ...

    def detach(self, host: Host) -> None:
        """It is gone. Its leaving answers nothing."""
        ...

    def pending(self) -> Sequence[ConsentRequest]:
        """Every open question."""
        ...

    async def respond(
        self,
        request_id: str,
        decision: Decision,
        *,
        plan_digest: str | None,
        feedback: str | None,
        by: str,
        hunks: Kept | None = None,
    ) -> ConsentReply:
        """Answer one; the first valid answer wins."""
        ...


class GrantDesk(Protocol):
    """What people have said before (`consent/grants.py`)."""

    def list(self) -> Sequence[Any]:
        """Every grant and denial in force."""
        ...

    def revoke(self, grant_id: str, by: str | None = None) -> bool:
        """Forget one; False when there is none."""
        ...

    def auto_approve(self, operation: Operation, client: str | None, *, enabled: bool) -> Any:
        """Approve an operation without asking, or no longer; the grant, where there is one."""
        ...


class ChangeLog(Protocol):
    """The vault's changes (`journal/ledger.py`)."""

    def history(self, *, limit: int = 50, before: str | None = None) -> Sequence[HistoryEntry]:
        """Newest first; blocking."""
        ...


class AuditLogDesk(Protocol):
    """The audit log (`audit/service.py`). Everything blocks."""

    def query(
        self,
        *,
        tool: str | None = None,
        client: str | None = None,
        kind: str | None = None,
        text: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 100,
        before: str | None = None,
    ) -> Sequence[Mapping[str, Any]]:
        """Records that fit, newest first."""
        ...

    def export(self, form: Literal["json", "csv"], **filters: str | None) -> Mapping[str, Any]:
        """The records as a text, oldest first."""
        ...

    def export_to(self, path: str, form: Literal["json", "csv"], **filters: str | None) -> Mapping[str, Any]:
        """The records in a file of their own."""
        ...

    def clear(self, by: str) -> Mapping[str, Any]:
        """Remove every record; a signed-off one stays."""
        ...

    def verify(self) -> Mapping[str, Any]:
        """Whether all of it is as it was written."""
        ...

    def stats(self) -> Mapping[str, Any]:
        """Its size and state."""
        ...


class IndexDesk(Protocol):
    """Holds the index beside Obsidian's own (`index/comparison.py`)."""

    def __call__(
        self, files: Mapping[str, ObsidianFacts], *, unsaved: Collection[str], known: Iterable[str] | None
    ) -> IndexComparison:
        """Where they do not say the same; blocking."""
        ...


@dataclass(frozen=True)
class Services:
    """Everything the methods of one vault reach.

    Attributes:
        vault: The vault's name, as callers see it.
        version: Of the bridge.
        registry: The tools.
        calls: Runs them.
        pipeline: Previews them.
        settings: The settings.
        broker: The open questions.
        grants: The remembered answers.
        ledger: The history.
        audit: The log.
        limits: `limits.status` of one session id.
        status: `vault.status`.
        compare: `index.compare`.
        knowledge: What callers of a role may know of the vault's files.
        closed: What agents may not see.
        faults: What is wrong with files that people write, each as a sentence; blocking.
        attached: Vault-relative paths the user attached, by session id; tools read what hosts write here.
        note: Logs what is no call: its kind, and what happened.
    """

    vault: str
    version: str
    registry: ToolRegistry
    calls: CallDesk
    pipeline: Previewer
    settings: SettingsDesk
    broker: ConsentDesk
    grants: GrantDesk
    ledger: ChangeLog
    audit: AuditLogDesk
    limits: Callable[[str], Any]
    status: Callable[[], Any]
    compare: IndexDesk
    knowledge: Callable[[Role], Knowledge]
    closed: Denials
    faults: Callable[[], list[str]]
    attached: dict[str, list[str]]
    note: Callable[[str, dict[str, Any]], None] = field(default=lambda _kind, _facts: None)
