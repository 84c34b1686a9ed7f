"""Looking back: the history, calls that were made before, and the plans that take changes back or repeat them."""

from datetime import timedelta
from typing import Literal

from bridge.clock import Clock
from bridge.errors import NotFound
from bridge.journal.backups import Backups
from bridge.journal.folder_cache import FolderCache
from bridge.journal.history import History
from bridge.journal.journal_file import Log
from bridge.journal.record import HistoryEntry
from bridge.journal.reverse import Reversal
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.root import VaultRoot

CALLS_KEPT = timedelta(hours=24)
"""How long a call id is remembered (`docs/protocol.md`, `callId`)."""


class HistoryQueries:
    """What the ledger has done. Changes nothing.

    Args:
        root: The vault.
        history: Every change.
        log: The journal, for what the history does not hold in memory.
        backups: The bytes from before each change.
        clock: For how long ago a call was.
    """

    def __init__(self, root: VaultRoot, *, history: History, log: Log, backups: Backups, clock: Clock) -> None:
        self._root = root
        self._history = history
        self._log = log
        self._backups = backups
        self._clock = clock

    def history(self, *, limit: int, before: str | None) -> list[HistoryEntry]:
        """The changes of this vault, newest first.

        Args:
            limit: How many.
            before: Only those older than this execution id, or than this ISO 8601 time.

        Raises:
            InvalidParameters: `before` is neither.
        """
        changes = self._history.changes()
        if before is not None:
            changes = self._history.before(changes, before)
        return [self._history.entry(known) for known in changes[:limit]]

    def find_call(self, call_id: str) -> HistoryEntry | None:
        """What a call id of the last 24 hours led to. Touches no disk."""
        return self._history.find_call(call_id, since=self._clock.now() - CALLS_KEPT)

    def undo_plan(self, execution_id: str | None) -> tuple[str, ChangePlan]:
        """The plan that takes a change back.

        Args:
            execution_id: Which; None is the newest that is not undone.

        Returns:
            The change's id, and the plan, to be applied like any other.

        Raises:
            NotFound: There is no such change, or it is undone already.
            Conflict: A file was edited since (`edited_since`).
            ExecutionFailed: A backup is missing or damaged.
        """
        change = execution_id or self._history.newest_applied()
        if change is None:
            raise NotFound("There is nothing to undo: no change is applied that is not undone already")
        return change, self._reversal(change, "undo")

    def redo_plan(self, execution_id: str | None) -> tuple[str, ChangePlan]:
        """The plan that applies an undone change again; without an id, the one that was undone last.

        Takes, returns and raises what `undo_plan` does.
        """
        change = execution_id or self._history.last_undone()
        if change is None:
            raise NotFound("There is nothing to redo: no change is undone")
        return change, self._reversal(change, "redo")

    def earlier_modes(self, change: str | None) -> dict[str, list[int]]:
        """Which permissions an undo or redo of a change gives back to what it makes anew, in the order it does so."""
        head = self._history.head(change or "")
        if head is None:
            return {}
        begin = self._log.read(head.offset)
        modes: dict[str, list[int]] = {}
        for step, mode in reversed(list(zip(begin.changes, begin.modes, strict=True))):
            if mode is not None and step.kind in {ChangeKind.DELETE, ChangeKind.RMDIR}:
                modes.setdefault(step.path, []).append(mode)
        return modes

    def _reversal(self, change: str, kind: Literal["undo", "redo"]) -> ChangePlan:
        known, head = self._history.get(change), self._history.head(change)
        if known is not None and known.kind != "change":
            raise NotFound(f"{change!r} is itself the {known.kind} of {known.change!r}; give that id instead")
        if known is None or head is None:
            raise NotFound(f"There is no change {change!r} in the history; history.list shows those there are")
        state = self._history.state(change)
        if state == "conflicted":
            raise NotFound(
                f"The change {change!r} was interrupted and only partly taken back, so it has no {kind}; "
                f"the bytes from before it are in {self._backups.shown(head.shown.execution_id)!r}"
            )
        if (state == "undone") != (kind == "redo"):
            done, other = ("undone", "redo") if kind == "undo" else ("applied", "undo")
            raise NotFound(f"The change {change!r} is {done} already; use {other} to turn that round")
        begin = self._log.read(head.offset)
        # What went into the trash goes there again.
        disposal = self._log.read(known.offset).disposal if kind == "redo" else None
        with FolderCache(self._root) as folders:
            return Reversal(begin, folders, self._backups).plan(kind, change, known.summary, disposal)
