"""The foundation of everything else: the vault, its settings, the connections, and how long all of it lasts."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bridge.clock import Clock
from bridge.consent.broker import Broker
from bridge.contract.events import ToolsChanged
from bridge.index.file_texts import AllFileTexts
from bridge.index.vectors.vectors import Vectors
from bridge.policy.redaction import Secrets
from bridge.ports import Late, Signal
from bridge.records.folder import RunFolder
from bridge.rpc.hub import Hub
from bridge.rpc.services import Parts
from bridge.server.lock import vault_lock
from bridge.settings.model import SettingsChange
from bridge.settings.store import Confirmations, SettingsStore
from bridge.toolkit.audit_step import redacted_console
from bridge.toolkit.permitted import SessionFiles
from bridge.toolkit.registry import ToolRegistry
from bridge.vault.files import VaultFiles
from bridge.vault.folder import Folder
from bridge.vault.plan import ChangePlan
from bridge.vault.root import MOVED, VaultRoot


class WrittenByPeople(Protocol):
    """A file that people write, in which there may be a mistake."""

    @property
    def fault(self) -> str | None:
        """Return what is wrong with it, as a sentence; None where nothing is."""


class Faults:
    """The faults of files that people write, and of what is kept for them."""

    def __init__(self) -> None:
        self._sources: tuple[Callable[[], Sequence[str]], ...] = ()

    def look_at(self, *files: WrittenByPeople) -> None:
        """Ask these files, too."""
        for file in files:
            self.ask(lambda file=file: () if file.fault is None else (file.fault,))  # type: ignore[misc]

    def ask(self, source: Callable[[], Sequence[str]]) -> None:
        """Ask somebody else, too."""
        self._sources = (*self._sources, source)

    def all(self) -> list[str]:
        """Return all there are, each as a sentence. Blocks."""
        return [fault for source in self._sources for fault in source()]


@dataclass(frozen=True)
class Base:
    """The foundation: it is there before anything else, and until everything else has ended.

    Attributes:
        root: The vault's folder, held open.
        files: All of the vault's files.
        state: The vault's `.vault-bridge` folder, held open.
        run: The vault's run folder; the vault's lock is held.
        clock: The time.
        secrets: What no log and no console may show.
        settings: The settings.
        broker: The open questions.
        hub: The connections.
        registry: The tools.
        loop: The event loop that serves.
        stack: What is closed when the bridge stops, the last one first.
        brief: Whether the bridge lives only as long as one command.
        faults: The faults of files that people write.
        parts: What may be left out, as the protocol's methods reach it.
        vectors: Compares by meaning, if the bridge can.
        file_texts: The texts of files that are no notes, of the kinds that the bridge reads.
        ports: Where the bridge itself listens.
        session_files: What each session has written or attached.
        writing: What is open while we change files: each is called with the change.
        started: The bridge listens, and begins to follow the vault.
        applied: We have changed files. Called from a worker thread; who hears of it first knows it first.
        changed: Another program has changed a file, and the index knows: its path, and what became of it.
        touched: Other programs have touched these paths.
        clients_changed: There are other clients than before, or they may do something else.
        session_ended: Nobody can go on with a session (its id).
    """

    root: VaultRoot
    files: VaultFiles
    state: Folder
    run: RunFolder
    clock: Clock
    secrets: Secrets
    settings: SettingsStore
    broker: Broker
    hub: Hub
    registry: ToolRegistry
    loop: asyncio.AbstractEventLoop
    stack: AsyncExitStack
    brief: bool
    faults: Faults = field(default_factory=Faults)
    parts: Parts = field(default_factory=Parts)
    vectors: Late[Vectors] = field(default_factory=lambda: Late("Search by meaning"))
    file_texts: AllFileTexts = field(default_factory=AllFileTexts)
    ports: set[int] = field(default_factory=set)
    session_files: SessionFiles = field(default_factory=SessionFiles)
    writing: list[Callable[[ChangePlan], AbstractContextManager[None]]] = field(default_factory=list)
    started: Signal[[]] = field(default_factory=Signal)
    applied: Signal[[ChangePlan]] = field(default_factory=Signal)
    changed: Signal[[str, str]] = field(default_factory=Signal)
    touched: Signal[[set[str]]] = field(default_factory=Signal)
    clients_changed: Signal[[]] = field(default_factory=Signal)
    session_ended: Signal[[str]] = field(default_factory=Signal)

    def kept(self, kind: str) -> RunFolder:
        """Return the folder outside the vault in which something of this vault is kept for good."""
        return RunFolder(self.root.path, kind=kind, durable=True)

    def stop_in_thread(self, stop: Callable[[], object]) -> None:
        """Call a function that blocks when the bridge stops."""
        self.stack.push_async_callback(asyncio.to_thread, stop)

    def threads(self, count: int, name: str) -> ThreadPoolExecutor:
        """Return so many threads, until the bridge stops."""
        threads = ThreadPoolExecutor(count, thread_name_prefix=name)
        self.stack.callback(threads.shutdown, cancel_futures=True)
        return threads

    def on_loop(self, call: Callable[[], object]) -> None:
        """Call a function on the event loop, from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended, and with it whoever would hear of it
            self.loop.call_soon_threadsafe(call)

    def tools_follow(self, setting: str) -> None:
        """Tell everyone that the tools have changed when a setting does, by its name in the model."""

        def switched(change: SettingsChange) -> None:
            if getattr(change.before, setting) != getattr(change.after, setting):
                self.on_loop(lambda: self.hub.notify_everyone(ToolsChanged()))

        self.settings.on_change(switched)

    def repeat(self, seconds: float, work: Callable[[], object], *, at_once: bool = False) -> None:
        """Do something in a thread, now and then, until the bridge stops."""

        async def repeat() -> None:
            if at_once:
                await asyncio.to_thread(work)
            while True:
                await asyncio.sleep(seconds)
                await asyncio.to_thread(work)

        self.stack.callback(asyncio.create_task(repeat()).cancel)


def open_base(vault: Path, stack: AsyncExitStack, *, clock: Clock, brief: bool) -> Base:
    """Open a vault for this process alone. Call it on the event loop that serves.

    Raises:
        StartError: It cannot be opened, or another process serves it.
    """
    secrets = Secrets()
    stack.enter_context(redacted_console(secrets))
    settings: Late[SettingsStore] = Late("The settings")
    root = VaultRoot(vault, portable=lambda: settings.get().current.portable_names)
    stack.callback(root.close)
    run = RunFolder(root.path)
    state = stack.enter_context(root.state())
    stack.enter_context(vault_lock(run, state))
    confirmations = Confirmations(RunFolder(root.path, kind="settings", durable=True))
    settings.fill(SettingsStore(state, confirmations=confirmations, clock=clock))
    broker = Broker(clock=clock)
    hub = Hub(broker)
    base = Base(
        root=root,
        files=VaultFiles(root),
        state=state,
        run=run,
        clock=clock,
        secrets=secrets,
        settings=settings.get(),
        broker=broker,
        hub=hub,
        registry=ToolRegistry(on_change=lambda: hub.notify_everyone(ToolsChanged())),
        loop=asyncio.get_running_loop(),
        stack=stack,
        brief=brief,
    )
    base.faults.ask(lambda: () if root.in_place() else (MOVED,))
    base.faults.ask(lambda: base.settings.faults)
    base.session_ended.on(base.session_files.forget)
    return base
