"""A vault, its index and its recorder, looked at when the test says so, and restarted as often as it likes."""

import hashlib
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bridge.clock import SystemClock
from bridge.contract.consent import Operation
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.root import VaultRoot
from bridge.versions.recorder import Recorder
from bridge.versions.restoring import Restoring
from bridge.versions.states import Entry, KeepRules


class MovingClock(SystemClock):
    """The machine's, moved on by the test."""

    def __init__(self) -> None:
        self.moved = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.moved

    def move(self, seconds: float) -> None:
        self.moved += timedelta(seconds=seconds)


class RecordedVault:
    """Everything but a socket."""

    def __init__(self, folder: Path, store: Path, *, cache: Path | None = None, rules: KeepRules | None = None) -> None:
        self.folder, self.store, self.cache = folder, store, cache
        self.rules = rules or KeepRules(megabytes=50)
        self.clock = MovingClock()
        self.hears = True
        """Whether the recorder and the index are told of the ledger's changes; a kill may come before that."""
        folder.mkdir(exist_ok=True)
        store.mkdir(exist_ok=True)
        self.start()

    def start(self) -> None:
        self.root = VaultRoot(self.folder)
        self.files = VaultFiles(self.root)
        self.index = VaultIndex(self.files, self.clock, folder=self.cache)
        self.ledger = Ledger(
            self.root,
            clock=self.clock,
            keep_backups=lambda: True,
            on_applied=self._applied,
            writing=self._announce,
        )
        self.ledger.recover()
        self.recorder = Recorder(self.store, self.files, self.clock, rules=lambda: self.rules, own=self.ledger)
        self.index.record_with(self.recorder)
        self.restoring = Restoring(self.recorder, self.files)

    def stop(self) -> None:
        self.recorder.close()
        self.index.close()
        self.ledger.close()
        self.root.close()

    def restart(self) -> None:
        self.stop()
        self.start()

    def look(self) -> None:
        """Compare the whole disk."""
        self.index.refresh()

    def write(self, path: str, data: bytes | str) -> None:
        """What another program does."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)

    def apply(self, plan: ChangePlan, execution_id: str) -> None:
        """What the bridge does."""
        self.ledger.apply(plan, Cause(execution_id, "test", "Ada", "s-1"))

    def undo(self, entry: Entry, paths: list[str] | None = None) -> ChangePlan:
        """Take an entry back."""
        plan = self.restoring.undo_plan(entry.id, paths)
        self.apply(plan, f"restore-{len(self.ledger.history())}")
        return plan

    @property
    def entries(self) -> list[Entry]:
        return self.recorder.entries()

    def done(self) -> list[dict[str, str]]:
        """What each entry says of each file, oldest first: `made`, `changed`, `gone` or where it went."""
        return [
            {
                effect.path: effect.new_path
                or ("made" if effect.before is None else "gone" if effect.after is None else "changed")
                for effect in entry.effects
            }
            for entry in reversed(self.entries)
        ]

    def _announce(self, plan: ChangePlan, execution_id: str) -> AbstractContextManager[None]:
        return self.recorder.writing(plan, execution_id)

    def _applied(self, plan: ChangePlan) -> None:
        if self.hears:
            self.recorder.wrote(plan)
            self.index.applied(plan)


def overwriting(recorded: RecordedVault, path: str, text: str) -> ChangePlan:
    """A plan of the bridge's own."""
    builder = PlanBuilder(recorded.root)
    builder.modify(parse_path(path), (recorded.folder / path).read_bytes(), text.encode())
    return builder.build(Operation.UPDATE, "Edit")


def all_bytes(folder: Path) -> dict[str, bytes]:
    """Every file outside dot-folders."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


def digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
