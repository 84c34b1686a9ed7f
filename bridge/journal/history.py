"""What the journal says, held in memory: every change, its state, and which change or undo had the last word on it."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from bridge.errors import InvalidParameters
from bridge.journal.journal_records import Begin, Mark
from bridge.journal.record import HistoryEntry, HistoryState
from bridge.vault.plan import ChangeKind

Outcome = Literal["open", "done", "rolled_back", "conflicted"]
_FOLDER_KINDS = {ChangeKind.MKDIR, ChangeKind.RMDIR}


@dataclass(slots=True)
class Known:
    """What is remembered of one application of a plan, a change's own or an undo's or redo's.

    Attributes:
        shown: As the history shows it, but for its state.
        kind: Which of the three.
        change: The change that it is about: itself, or the one it takes back or repeats.
        summary: The plan's sentence.
        offset: Where its line is in the journal.
        outcome: How it ended.
    """

    shown: HistoryEntry
    kind: Literal["change", "undo", "redo"]
    change: str
    summary: str
    offset: int
    outcome: Outcome = "open"


class History:
    """Every change of the vault. Readers and the one writer may be different threads."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._heads: dict[str, Known] = {}
        self._calls: dict[str, Known] = {}
        self._open: dict[str, Known] = {}

    def begin(self, begin: Begin, offset: int) -> None:
        """A plan is about to be applied."""
        cause = begin.cause
        files = [
            path
            for change in begin.changes
            for path in (change.path, change.new_path)
            if path and (change.kind not in _FOLDER_KINDS)
        ] or [change.path for change in begin.changes]
        shown = HistoryEntry(
            execution_id=cause.execution_id,
            tool=cause.tool,
            client=cause.client,
            time=begin.time,
            state="applied",
            files=tuple(dict.fromkeys(files)),
            added=begin.added,
            removed=begin.removed,
            call_id=cause.call_id,
            arguments_hash=cause.arguments_hash,
            can_undo=begin.keep or not begin.pushes_aside,
        )
        change = cause.execution_id if cause.kind == "change" else cause.reverses or cause.execution_id
        known = Known(shown, cause.kind, change, begin.summary, offset)
        self._known[cause.execution_id] = self._open[cause.execution_id] = known

    def mark(self, mark: Mark) -> None:
        """Something became of a change."""
        known = self._known.get(mark.execution_id)
        if known is None:
            return
        if mark.kind == "dropped":
            known.shown = replace(known.shown, can_undo=False)
            return
        known.outcome = mark.kind
        self._open.pop(mark.execution_id, None)
        if mark.kind != "rolled_back":
            self._heads[known.change] = known
            if known.shown.call_id is not None:
                self._calls[known.shown.call_id] = known

    def get(self, execution_id: str) -> Known | None:
        """One application, by its id."""
        return self._known.get(execution_id)

    def head(self, change: str) -> Known | None:
        """What had the last word on a change: itself, or the last undo or redo of it."""
        return self._heads.get(change)

    def open(self) -> list[Known]:
        """Applications that were begun and not ended, newest first."""
        return list(self._open.values())[::-1]

    def applications(self) -> list[Known]:
        """Every application, oldest first."""
        return list(self._known.values())

    def state(self, change: str) -> HistoryState:
        """The state of a change that is not open."""
        head = self._heads[change]
        if head.outcome == "conflicted":
            return "conflicted"
        return "undone" if head.kind == "undo" else "applied"

    def changes(self) -> list[Known]:
        """Every change that is in the history, newest first."""
        return [
            known
            for known in reversed(list(self._known.values()))
            if known.kind == "change" and known.change in self._heads
        ]

    def newest_applied(self) -> str | None:
        """The change that an undo without an id means."""
        return next((known.change for known in self.changes() if self.state(known.change) == "applied"), None)

    def last_undone(self) -> str | None:
        """The change that a redo without an id means."""
        for known in reversed(list(self._known.values())):
            if known.kind == "undo" and self._heads.get(known.change) is known and known.outcome == "done":
                return known.change
        return None

    def entry(self, known: Known) -> HistoryEntry:
        """A change as the history shows it now."""
        head = self._heads.get(known.change, known)
        return replace(known.shown, state=self.state(known.change), can_undo=head.shown.can_undo)

    def find_call(self, call_id: str, since: datetime) -> HistoryEntry | None:
        """The application that a call led to, unless it is older."""
        known = self._calls.get(call_id)
        if known is None or datetime.fromisoformat(known.shown.time) < since:
            return None
        return self.entry(known) if known.kind == "change" else known.shown

    def before(self, entries: list[Known], before: str) -> list[Known]:
        """Those that are older than an execution id or a time.

        Raises:
            InvalidParameters: It is neither.
        """
        if before in self._known:
            ids = [known.shown.execution_id for known in entries]
            return entries[ids.index(before) + 1 :] if before in ids else entries
        try:
            moment = datetime.fromisoformat(before)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise InvalidParameters(
                f"{before!r} is neither the id of a change nor a time; take the executionId of the last entry you have"
            )
        return [known for known in entries if datetime.fromisoformat(known.shown.time) < moment]
