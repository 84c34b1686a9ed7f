"""The audit log: every call, decision and other event."""

import asyncio
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge import __version__
from bridge.audit.log import AuditLog, LogMaintenance
from bridge.capabilities.base import Base
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Recovery
from bridge.server.private_files import make_private
from bridge.settings.model import SettingsChange
from bridge.toolkit.audit_step import AuditStep

if TYPE_CHECKING:
    from bridge.audit.service import AuditService


class Log(NamedTuple):
    """The log.

    Attributes:
        step: Writes it.
    """

    step: AuditStep

    def note(self, kind: str, facts: dict[str, Any]) -> None:
        """Log what is no call: its kind, and what happened."""
        self.step.note(kind, facts)


async def open_log(base: Base, index: VaultIndex, recovery: Recovery) -> Log:
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
    step = AuditStep(audit, base.registry, clock, on_appended=base.hub.notify_hosts)
    base.stack.callback(step.close)
    log = Log(step)

    def reader() -> "AuditService":
        from bridge.audit.service import AuditService  # noqa: PLC0415 - slow to import, and only `audit.*` needs it

        return AuditService(audit, base.state)

    base.parts.audit.fill_with(reader)
    _note_life(base, log, recovery)
    await asyncio.to_thread(keep_private, base, log)
    return log


def keep_private(base: Base, log: Log) -> None:
    """Close our own files to others again where something has opened them, and log that. Blocks."""
    if changed := make_private(base.root.path):
        log.note("bridge", {"event": "made_private", "of": ", ".join(changed)})


def _note_life(base: Base, log: Log, recovery: Recovery) -> None:
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
