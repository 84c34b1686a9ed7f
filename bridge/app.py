"""The composition root: every service of one vault, built by constructor, started and stopped in order.

Nothing else in the project builds a service. Where a lower room calls a higher one (the ledger the index, the
index the hosts), the callback is plugged in here.
"""

import asyncio
import gc
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from bridge import __version__
from bridge.audit.log import AuditLog
from bridge.audit.maintenance import LogMaintenance
from bridge.audit.service import AuditService
from bridge.clock import Clock, SystemClock
from bridge.consent.broker import Broker
from bridge.consent.client_grants import ClientGrants
from bridge.consent.grant_expiry import GrantExpiry
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.discovery import Discovery
from bridge.contract.events import LimitHit, ToolsChanged
from bridge.contract.result import ToolResult
from bridge.identity.store import ClientStore
from bridge.index.comparison import compare
from bridge.index.index_thread import Watcher
from bridge.index.vault_index import VaultIndex
from bridge.journal.ledger import Ledger
from bridge.journal.record import Recovery
from bridge.policy.limits import RateLimits
from bridge.policy.redaction import Secrets
from bridge.rpc.editors import HostEditors
from bridge.rpc.hub import Hub, VaultEvents
from bridge.rpc.services import Services
from bridge.server.lock import VaultLock
from bridge.server.run_folder import RunFolder, cache_folder
from bridge.server.server import Server
from bridge.settings.changes import SettingsChange
from bridge.settings.store import SettingsStore
from bridge.toolkit.audit_step import AuditStep
from bridge.toolkit.call_registry import CallRegistry
from bridge.toolkit.consent_step import ConsentStep
from bridge.toolkit.console import log_call, redacted_console
from bridge.toolkit.permitted import SessionFiles
from bridge.toolkit.pipeline import Pipeline
from bridge.toolkit.rate_limit_step import RateLimitStep
from bridge.toolkit.registry import ToolRegistry
from bridge.toolkit.tool_call import ToolCall
from bridge.tools import providers
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.folder import Folder
from bridge.vault.plan import ChangePlan
from bridge.vault.root import VaultRoot

WORKERS = 8
"""Threads for tools. More would not be faster; fewer would let slow calls hold up quick ones."""

SWITCH_SECONDS = 0.001
"""How long a busy thread may keep the interpreter from the event loop; Python's own default is five times that."""

SWEEP_SECONDS = 60.0
"""How often grants that nobody uses are ended, and the use of the others is written down."""

RETAIN_SECONDS = 24 * 60 * 60.0
"""How often old backups are looked for."""


def tune_process() -> None:
    """Make the event loop quick to answer, in a process that does nothing but serve. Call it after the start.

    Busy worker threads hand the interpreter over sooner, and what was made until now, which lives as long as the
    process, is never again looked through for garbage: that took up to 30 ms at a time.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()


class Bridge:
    """One vault, served. Use it in `async with`, or `start` and `stop` it.

    Args:
        vault: The vault's folder.
        port: Where to listen on 127.0.0.1; 0 takes a free port.
        consent: `deny` refuses whatever would be asked.
        clock: Time.
        brief: Whether it lives only as long as one command.

    Attributes:
        discovery: Where the bridge listens, once it has started.
        index: What is known of the vault's notes.
        recovery: What the start found half done, and what became of it.
        services: What the protocol's methods reach.
        settings: The settings.
    """

    discovery: Discovery
    index: VaultIndex
    recovery: Recovery
    services: Services
    settings: SettingsStore

    def __init__(
        self,
        vault: Path,
        *,
        port: int = 0,
        consent: Literal["ask", "deny"] = "ask",
        clock: Clock | None = None,
        brief: bool = False,
    ) -> None:
        self._vault = vault
        self._port = port
        self._deny_all = consent == "deny"
        self._clock = clock or SystemClock()
        self._brief = brief
        self._stack = AsyncExitStack()
        self._session_files = SessionFiles()

    async def start(self) -> None:
        """Start serving.

        Raises:
            StartError: The vault cannot be opened, or another process serves it.
        """
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise

    async def stop(self) -> None:
        """Stop serving: finish what is being written, cancel the rest, let everything go."""
        await self._stack.aclose()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _start(self) -> None:
        stack = self._stack
        secrets = Secrets()
        stack.enter_context(redacted_console(secrets))
        root = VaultRoot(self._vault)
        stack.callback(root.close)
        run = RunFolder(root.path)
        stack.enter_context(VaultLock(run))
        state = stack.enter_context(root.state())
        workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="tool")
        stack.callback(workers.shutdown, cancel_futures=True)

        files = VaultFiles(root)
        self.settings = SettingsStore(state, clock=self._clock)
        broker = Broker(clock=self._clock)
        hub = Hub(broker)
        permissions = PermissionFile(state, clock=self._clock)
        clients, answers = self._clients(RunFolder(root.path, kind="clients", durable=True))
        grants = self._grants(permissions, state, answers)
        stack.callback(grants.sweep)
        await asyncio.to_thread(grants.sweep)
        self._repeat(SWEEP_SECONDS, grants.sweep, at_once=False)
        events = VaultEvents(hub, grants.closed)
        self.index = await asyncio.to_thread(self._open_index, files, events)
        stack.push_async_callback(asyncio.to_thread, self.index.close)
        ledger = Ledger(
            root,
            clock=self._clock,
            keep_backups=lambda: self.settings.current.patch_backup_enabled,
            on_applied=lambda plan: _applied(plan, self.index, events),
            editors=HostEditors(hub, self._clock),
        )
        stack.callback(ledger.close)
        self.recovery = await asyncio.to_thread(ledger.recover)
        self._repeat(RETAIN_SECONDS, partial(_retain, ledger, self.settings), at_once=True)

        registry = ToolRegistry(on_change=lambda: hub.notify_everyone(ToolsChanged()))
        stack.push_async_callback(registry.stop)
        tool_services = ToolServices(
            files=files,
            everything=self.index,
            history=ledger,
            clock=self._clock,
            denied=grants.closed,
            handed=self._session_files.handed,
        )
        for provider in providers(tool_services):
            await registry.add(provider)

        audit = AuditLog(
            state,
            clock=self._clock,
            settings=lambda: self.settings.latest,
            secrets=secrets,
            key_store=RunFolder(root.path, kind="audit", durable=True),
        )
        maintenance = LogMaintenance(audit, lambda: self.settings.current, self._clock.monotonic)
        maintenance.start()
        stack.callback(maintenance.close)
        audit_step = AuditStep(audit, registry, self._clock, on_appended=hub.notify_hosts)
        stack.callback(audit_step.close)
        self._note_life(audit_step)
        limits = RateLimitStep(RateLimits(), self._clock, lambda hit: _limited(hit, audit_step, hub))
        pipeline = Pipeline(
            registry=registry,
            rate_limit=limits,
            consent=ConsentStep(broker, grants, self._clock, audit_step.decided, deny_all=self._deny_all),
            ledger=ledger,
            settings=lambda: self.settings.current,
            clock=self._clock,
            workers=workers,
            on_event=hub.notify_hosts,
            on_finished=lambda *ended: self._finished(audit_step, *ended),
            incomplete_answers=lambda: self.index.incomplete_answers,
        )
        calls = CallRegistry(pipeline, ledger, self._clock, on_delivered=audit_step.delivered)
        stack.push_async_callback(calls.stop)
        self.services = Services(
            vault=root.name,
            version=__version__,
            registry=registry,
            calls=calls,
            pipeline=pipeline,
            settings=self.settings,
            broker=broker,
            grants=grants,
            ledger=ledger,
            audit=AuditService(audit, state),
            limits=limits,
            status=self.index.status,
            compare=partial(compare, self.index),
            knowledge=lambda person: self.index if person else tool_services.index,
            closed=grants.closed,
            faults=lambda: [
                *self.settings.faults,
                *(fault for fault in (permissions.fault, clients.fault, answers.fault) if fault is not None),
            ],
            attached=self._session_files.attached,
            hub=hub,
            clock=self._clock,
            clients=clients,
            seen=lambda caller: clients.seen(caller.client, caller.calls_itself),
            session_ended=lambda session: _session_ended(session, grants, self._session_files),
            note=audit_step.note,
        )
        self._watch(root)
        server = Server(self.services, hub, run=run, state=state)
        for token in server.tokens.values():
            secrets.add(token)
        stack.push_async_callback(server.stop)
        self.discovery = await server.start(self._port)
        self.index.start()

    def _open_index(self, files: VaultFiles, events: VaultEvents) -> VaultIndex:
        """What was known at the last stop. Blocks."""
        place = cache_folder(files.root.path)
        return VaultIndex(files, self._clock, folder=place, on_change=events.changed, on_progress=events.progress)

    def _watch(self, root: VaultRoot) -> None:
        """Watch for what other programs change, for the index."""
        watcher = Watcher(root.path, self.index.changed, self.index.unwatched)
        watcher.start()
        self._stack.push_async_callback(asyncio.to_thread, watcher.stop)

    async def _finished(
        self, audit_step: AuditStep, tool_call: ToolCall, result: ToolResult, plan: ChangePlan | None, seconds: float
    ) -> None:
        """A call has ended: remember what it wrote, and log it, in developer mode on the console too."""
        if plan is not None:
            self._session_files.applied(tool_call.caller.session_id, plan)
        if self.settings.latest.developer_mode:
            log_call(tool_call, result, seconds)
        await audit_step.finished(tool_call, result, plan, seconds)

    def _note_life(self, audit_step: AuditStep) -> None:
        """Log the start, what it found half done, every change of the settings, and the end.

        A bridge that lives as long as one command is not worth a record, unless it recovered something.
        """

        def note_settings(change: SettingsChange) -> None:
            audit_step.note("settings", {"by": change.by, "changes": change.differences()})

        self.settings.on_change(note_settings)
        recovered = {"rolledBack": list(self.recovery.rolled_back), "completed": list(self.recovery.completed)}
        recovered |= {"conflicted": list(self.recovery.conflicted)}
        if self._brief and not any(recovered.values()):
            return
        life = {"version": __version__, "pid": os.getpid()}
        audit_step.note("bridge", {"event": "started"} | life | {"recovered": recovered})
        self._stack.callback(audit_step.note, "bridge", {"event": "stopped"} | life)

    def _clients(self, folder: RunFolder) -> tuple[ClientStore, ClientGrants]:
        """The clients with a name of their own, and what they were allowed for good."""
        clients = ClientStore(folder, clock=self._clock)
        answers = ClientGrants(
            folder, clock=self._clock, days=lambda: self.settings.current.grant_expiry_days, name_of=clients.name_of
        )
        return clients, answers

    def _grants(self, permissions: PermissionFile, state: Folder, answers: ClientGrants) -> GrantStore:
        """The remembered answers, bound to the settings both ways."""
        grants = GrantStore(
            permissions,
            clock=self._clock,
            modes=lambda: self.settings.current.consent_mode,
            set_mode=self.settings.set_mode,
            clients=answers,
            expiry=GrantExpiry(
                permissions, state, clock=self._clock, days=lambda: self.settings.current.grant_expiry_days
            ),
        )

        def modes_changed(change: SettingsChange) -> None:
            for tool, mode in change.modes().items():
                grants.mode_set(tool, mode)

        self.settings.on_change(modes_changed)
        return grants

    def _repeat(self, seconds: float, work: Callable[[], object], *, at_once: bool) -> None:
        """Do something in a thread, now and then, until the bridge stops."""

        async def repeat() -> None:
            if at_once:
                await asyncio.to_thread(work)
            while True:
                await asyncio.sleep(seconds)
                await asyncio.to_thread(work)

        self._stack.callback(asyncio.create_task(repeat()).cancel)


def _retain(ledger: Ledger, settings: SettingsStore) -> None:
    """Remove backups that are older than the user wants to keep them."""
    ledger.prune(settings.current.backup_retention_days)


def _session_ended(session_id: str, grants: GrantStore, session_files: SessionFiles) -> None:
    """Nobody can go on with a session: what was remembered for it goes."""
    grants.end_session(session_id)
    session_files.forget(session_id)


def _limited(hit: LimitHit, audit_step: AuditStep, hub: Hub) -> None:
    """Announce and log that somebody has to wait."""
    hub.notify_hosts(hit)
    audit_step.note("limit", hit.to_wire())


def _applied(plan: ChangePlan, index: VaultIndex, events: VaultEvents) -> None:
    """The ledger has made a change: first the index knows it, then the hosts. Called from a worker thread."""
    try:
        index.applied(plan)
    finally:
        events.applied(plan)
