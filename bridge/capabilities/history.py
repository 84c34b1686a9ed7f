"""The records of what happens: changes in ledger and recorder, the vault in the index, calls in the audit log."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge import __version__
from bridge.audit.log import AuditLog, LogMaintenance
from bridge.capabilities.base import Base
from bridge.index.index_thread import Watcher
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Recovery
from bridge.journal.ledger import Ledger
from bridge.ports import Late
from bridge.records.folder import cache_folder
from bridge.rpc.hosts import HostEditors
from bridge.rpc.hub import PlaceWatch, VaultEvents
from bridge.server.private_files import make_private
from bridge.settings.model import SettingsChange
from bridge.toolkit.audit_step import AuditStep
from bridge.vault.plan import ChangePlan
from bridge.versions.recorder import Recorder
from bridge.versions.states import KeepRules

if TYPE_CHECKING:
    from bridge.audit.service import AuditService


KEEP_SECONDS: Final = 5.0
"""The interval at which records of other programs' changes are made durable."""

RETAIN_SECONDS: Final = 24 * 60 * 60.0
"""The interval at which old backups and old drafts are looked for."""


class History(NamedTuple):
    """The history of changes.

    Attributes:
        ledger: Makes our changes, and takes them back.
        recovery: What the start found half done, and what became of it.
        recorder: What other programs changed. It is shown all that the index reads.
    """

    ledger: Ledger
    recovery: Recovery
    recorder: Recorder


async def open_history(base: Base) -> History:
    """Build it, and deal with what was interrupted."""
    recorder: Late[Recorder] = Late("The recorder")

    @contextmanager
    def announce(plan: ChangePlan, execution_id: str) -> Iterator[None]:
        """Announce a change of ours: whoever records those of others knows it, and whoever reads waits."""
        with ExitStack() as stack:
            stack.enter_context(recorder.get().writing(plan, execution_id))
            for each in base.writing:
                stack.enter_context(each(plan))
            yield

    ledger = Ledger(
        base.root,
        clock=base.clock,
        keep_backups=lambda: base.settings.current.patch_backup_enabled,
        on_applied=base.applied,
        editors=HostEditors(base.hub, base.clock),
        writing=announce,
        kept=lambda digest: recorder.get().bytes_of(bytes.fromhex(digest)),
    )
    base.stack.callback(ledger.close)
    recovery = await asyncio.to_thread(ledger.recover)
    recorder.fill(await asyncio.to_thread(_open_recorder, base, ledger))
    history = History(ledger, recovery, recorder.get())
    base.stack.callback(history.recorder.close)
    base.repeat(KEEP_SECONDS, history.recorder.maintain)
    base.repeat(RETAIN_SECONDS, lambda: ledger.prune(base.settings.current.backup_retention_days), at_once=True)
    base.applied.on(history.recorder.wrote)
    base.faults.look_at(history.recorder)
    return history


def _open_recorder(base: Base, ledger: Ledger) -> Recorder:
    """Open the record of other programs' changes. Blocks."""

    def rules() -> KeepRules:
        current = base.settings.latest
        return KeepRules(
            days=current.outside_versions_days,
            megabytes=current.outside_versions_megabytes,
            left_out=tuple(folder.strip("/") for folder in current.outside_versions_excluded),
            on=current.outside_versions,
        )

    return Recorder(base.kept("versions").path, base.files, base.clock, rules=rules, own=ledger)


PLACE_SECONDS: Final = 5.0
"""The interval of checks that the vault's folder is still in its place."""


async def open_index(base: Base, history: History, events: VaultEvents) -> VaultIndex:
    """Open it, with what was known at the last stop. It follows the vault once it is started."""
    base.changed.on(events.changed)

    def load() -> VaultIndex:
        place = cache_folder(base.root.path)
        return VaultIndex(base.files, base.clock, folder=place, on_change=base.changed, on_progress=events.progress)

    index = await asyncio.to_thread(load)
    base.stop_in_thread(index.close)
    index.record_with(history.recorder)
    base.writing.append(index.writing)
    base.applied.on(index.applied)
    return index


def watch(base: Base, index: VaultIndex) -> None:
    """Watch for what other programs change, and whether the vault is still in its place."""
    base.repeat(PLACE_SECONDS, PlaceWatch(base.root.in_place, base.hub.notify_hosts).look)
    base.touched.on(index.changed)
    watcher = Watcher(base.root.path, base.touched, index.unwatched, index.watched)
    watcher.start()
    base.stop_in_thread(watcher.stop)


async def open_log(base: Base, index: VaultIndex, recovery: Recovery) -> AuditStep:
    """Open it. It notes the start, every change of the settings, and the end."""
    settings, clock = base.settings, base.clock
    audit = AuditLog(
        base.state,
        clock=clock,
        settings=lambda: settings.latest,
        secrets=base.secrets,
        key_store=base.kept("audit"),
        paths=index.paths,
    )
    maintenance = LogMaintenance(audit, lambda: settings.current, clock.monotonic)
    maintenance.start()
    base.stack.callback(maintenance.close)
    log = AuditStep(audit, base.registry, clock, on_appended=base.hub.notify_hosts)
    base.stack.callback(log.close)

    def reader() -> "AuditService":
        from bridge.audit.service import AuditService  # noqa: PLC0415 - slow to import, and only `audit.*` needs it

        return AuditService(audit, base.state)

    base.parts.audit.fill_with(reader)
    _note_life(base, log, recovery)
    await asyncio.to_thread(keep_private, base, log)
    return log


def keep_private(base: Base, log: AuditStep) -> None:
    """Close our own files to others again where something has opened them, and log that. Blocks."""
    if changed := make_private(base.root.path):
        log.note("bridge", {"event": "made_private", "of": ", ".join(changed)})


def _note_life(base: Base, log: AuditStep, recovery: Recovery) -> None:
    """Log the start, what it found half done, every change of the settings, and the end.

    A bridge that lives as long as one command is not worth a record, unless it recovered something.
    """

    def note_settings(change: SettingsChange) -> None:
        log.note("settings", {"by": change.by, "changes": change.differences()})

    base.settings.on_change(note_settings)
    recovered = {"rolledBack": list(recovery.rolled_back), "completed": list(recovery.completed)}
    recovered |= {"conflicted": list(recovery.conflicted)}
    if base.brief and not any(recovered.values()):
        return
    life = {"version": __version__, "pid": os.getpid()}
    log.note("bridge", {"event": "started"} | life | {"recovered": recovered})
    base.stack.callback(log.note, "bridge", {"event": "stopped"} | life)
