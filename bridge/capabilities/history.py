"""What was changed: our own changes in the ledger, and what other programs changed in the recorder."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from bridge.capabilities.base import Base
from bridge.journal.ledger import Ledger
from bridge.journal.record import Recovery
from bridge.ports import Late
from bridge.rpc.editors import HostEditors
from bridge.settings.store import SettingsStore
from bridge.vault.plan import ChangePlan
from bridge.versions.recorder import Recorder
from bridge.versions.states import KeepRules

KEEP_SECONDS: Final = 5.0
"""How often what was recorded of other programs' changes is made durable."""

RETAIN_SECONDS: Final = 24 * 60 * 60.0
"""How often old backups and old drafts are looked for."""


@dataclass(frozen=True)
class History:
    """What was changed.

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
        """A change of ours is about to be made: whoever records those of others knows it, and whoever reads waits."""
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
    """What other programs changed before. Blocks."""

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
