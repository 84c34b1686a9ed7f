"""The history: our own changes in the ledger, and other programs' changes in the recorder."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Final, NamedTuple

from bridge.capabilities.base import Base
from bridge.journal.journal import Recovery
from bridge.journal.ledger import Ledger
from bridge.ports import Late
from bridge.rpc.editors import HostEditors
from bridge.settings.store import SettingsStore
from bridge.vault.plan import ChangePlan
from bridge.versions.recorder import Recorder
from bridge.versions.states import KeepRules

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
    base.repeat(RETAIN_SECONDS, partial(_retain, ledger, base.settings), at_once=True)
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


def _retain(ledger: Ledger, settings: SettingsStore) -> None:
    """Remove backups that are older than the user wants to keep them."""
    ledger.prune(settings.current.backup_retention_days)
