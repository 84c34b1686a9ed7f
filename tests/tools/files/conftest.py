"""The file tools in a whole pipeline: a person who allows what they are asked, a ledger that writes, real files."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from bridge.audit.log import AuditLog
from bridge.clock import SystemClock
from bridge.consent.broker import Broker
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.base import Event
from bridge.contract.consent import ConsentRequest
from bridge.contract.result import ToolResult
from bridge.index.vault_index import VaultIndex
from bridge.journal.ledger import Ledger
from bridge.policy.limits import RateLimits
from bridge.settings.model import MAX_RATE
from bridge.settings.store import SettingsStore
from bridge.toolkit.audit_step import AuditStep
from bridge.toolkit.consent_step import ConsentStep
from bridge.toolkit.permitted import SessionFiles
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.rate_limit_step import RateLimitStep
from bridge.toolkit.registry import ToolRegistry
from bridge.toolkit.tool_call import Caller, ToolCall
from bridge.tools import providers
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan
from bridge.vault.root import VaultRoot
from scripts.lib.consenting import YesHost


class Person(YesHost):
    """Somebody who says yes, and remembers what they were asked.

    Attributes:
        asked: The questions.
        before_answer: Done while they think.
    """

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker)
        self.asked: list[dict[str, Any]] = []
        self.before_answer: Callable[[], object] = lambda: None

    def notify(self, event: Event) -> None:
        if isinstance(event, ConsentRequest):
            self.asked.append(event.to_wire())
            self.before_answer()
        super().notify(event)


@dataclass
class Desk:
    """Calls tools as an agent does.

    Attributes:
        vault: The vault's folder.
        person: Who is asked.
        ledger: What has been done.
        settings: The settings.
        session_files: What the user attached.
        services: What the tools are built from.
    """

    vault: Path
    person: Person
    ledger: Ledger
    settings: SettingsStore
    session_files: SessionFiles
    services: ToolServices
    pipeline: Pipeline = field(repr=False)

    async def call(
        self, tool: str, *, role: Literal["agent", "host"] = "agent", session: str = "agent-1", **arguments: Any
    ) -> ToolResult:
        """A call's result, whatever it is."""
        return await self.pipeline.call(ToolCall(Caller(role, "Robot", session), tool, arguments))

    async def done(self, tool: str, **arguments: Any) -> ToolResult:
        """The result of a call that does what it is asked."""
        result = await self.call(tool, **arguments)
        assert result.success, result.text
        return result

    async def text(self, tool: str, **arguments: Any) -> str:
        """What a model reads, of a success or a failure."""
        return (await self.call(tool, **arguments)).text

    def put(self, name: str, data: bytes | str = b"", modified: float | None = None) -> Path:
        """A file of the vault."""
        path = self.vault / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        if modified is not None:
            os.utime(path, (modified, modified))
        return path

    def bytes_of(self, name: str) -> bytes:
        """What a file of the vault holds."""
        return (self.vault / name).read_bytes()

    def shut(self, path: str) -> None:
        """The person closes a file, or a folder (`Private/`), for reading and writing."""
        rules = json.dumps({path: "---"})
        (self.vault / ".vault-bridge" / "permissions.json").write_text(rules, encoding="utf-8")

    async def undo(self) -> None:
        """The person takes the last change back."""
        assert (await self.call("history_undo", role="host")).success


@pytest.fixture
def desk(vault: Path, indexed: Callable[[Path], VaultIndex]) -> Iterator[Desk]:
    """All tools of the bridge over a small vault."""
    clock = SystemClock()
    root = VaultRoot(vault)
    state = root.state()
    settings = SettingsStore(state)
    settings.update({"enabledTools": ["*"], "globalRateLimit": MAX_RATE})
    broker = Broker(clock=clock)
    grants = GrantStore(
        PermissionFile(state, clock=clock),
        clock=clock,
        modes=lambda: settings.current.consent_mode,
        set_mode=settings.set_mode,
    )
    ledger = Ledger(root, clock=clock, keep_backups=lambda: settings.current.patch_backup_enabled)
    ledger.recover()
    session_files = SessionFiles()
    services = ToolServices(
        files=VaultFiles(root),
        everything=indexed(vault),
        history=ledger,
        clock=clock,
        denied=grants.closed,
        handed=session_files.handed,
    )
    registry = ToolRegistry()
    for provider in providers(services):
        registry.register(provider)
    audit = AuditLog(state, clock=clock, settings=lambda: settings.current)
    auditing = AuditStep(audit, registry, clock)
    person = Person(broker)
    broker.attach(person)

    async def finished(tool_call: ToolCall, result: ToolResult, plan: ChangePlan | None, seconds: float) -> None:
        if plan is not None:
            session_files.applied(tool_call.caller.session_id, plan)
        await auditing.finished(tool_call, result, plan, seconds)

    with ThreadPoolExecutor(4) as workers:
        pipeline = Pipeline(
            registry=registry,
            rate_limit=RateLimitStep(RateLimits(), clock, lambda _hit: None),
            consent=ConsentStep(broker, grants, clock, auditing.decided),
            ledger=ledger,
            settings=lambda: settings.current,
            clock=clock,
            workers=workers,
            on_event=lambda _event: None,
            on_finished=finished,
        )
        yield Desk(vault, person, ledger, settings, session_files, services, pipeline)
    asyncio.run(registry.stop())
    auditing.close()
    ledger.close()
    state.close()
    root.close()
