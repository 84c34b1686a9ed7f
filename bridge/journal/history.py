"""The ledger's history: every change with its state, held in memory, its diff, and the plans that undo or redo one.

The bytes from before a change are in its own backups. Those from after it are still in the file, or were replaced
by a later change and are in its backups.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import tee
from typing import Literal, NamedTuple

from bridge.clock import Clock
from bridge.contract.consent import FilePreview
from bridge.contract.tools import ChangeDiff
from bridge.errors import ExecutionFailed, InvalidParameters, NotFound, ToolFailure
from bridge.journal.journal import BeginRecord, Cause, Journal, OutcomeRecord, Units, only
from bridge.journal.on_disk import Backups, FolderCache
from bridge.journal.preconditions import TracedFile, follow_changes
from bridge.journal.reversal import Foreseen, Reversal, foresee
from bridge.vault.paths import fold
from bridge.vault.plan import (
    Change,
    ChangeKind,
    ChangePlan,
    HistoryEntry,
    HistoryState,
    LeftFile,
    content_hash,
    preview,
)
from bridge.vault.root import VaultRoot


def _shown(begin: BeginRecord, search: "BytesOfChange") -> Iterator[tuple[FilePreview, bool]]:
    """Yield the preview of each file and folder, and whether some of its bytes are lost."""
    effects = follow_changes(begin.changes, begin.modes)
    seen: set[int] = set()
    for change, file in zip(begin.changes, effects.files, strict=True):
        if file is None:
            yield preview(change, None, None), False
        elif id(file) not in seen and (file.origin is not None or file.last is not None):
            seen.add(id(file))
            step = _as_one(file)
            old, new = search.before(file), search.after(file)
            lost = (old is None) != (step.before is None) or (new is None) != (step.after is None)
            if lost or old == new:
                old = new = None
            yield preview(step, old, new), lost


def _as_one(file: TracedFile) -> Change:
    """Return all that a change did to one file as one step."""
    if file.origin is None:
        return Change(ChangeKind.CREATE, file.place, after=file.last)
    if file.last is None:
        return Change(ChangeKind.DELETE, file.origin, before=file.first)
    if file.origin != file.place:
        return Change(ChangeKind.MOVE, file.origin, file.place, before=file.first, after=file.last)
    return Change(ChangeKind.MODIFY, file.place, before=file.first, after=file.last)


class BytesOfChange:
    """The bytes that files had before and after a change.

    Args:
        begin: The change, as the journal has it.
        later: The changes after it, oldest first; read only as far as they are needed.
        folders: The vault's folders.
        backups: Of all changes.
    """

    def __init__(
        self, begin: BeginRecord, later: Iterable[BeginRecord], folders: FolderCache, backups: Backups
    ) -> None:
        self._begin = begin
        self._later = iter(later)
        self._folders = folders
        self._backups = backups

    def before(self, file: TracedFile) -> bytes | None:
        """Return the bytes that a file had before; None if it was not there, or they are lost."""
        if file.origin is None or file.first is None:
            return None
        if file.first == file.last:
            return self.after(file)
        return self._backup(self._begin, file.origin, file.first)

    def after(self, file: TracedFile) -> bytes | None:
        """Return the bytes that a file had afterwards; None if it was gone, or they are lost."""
        if file.last is None:
            return None
        places = [file.place]
        self._later, laters = tee(self._later)  # it is read only as far as it is needed, and once
        for later in laters:
            files = follow_changes(later.changes, later.modes).files
            for other in {id(file): file for file in files if file is not None}.values():
                if other.origin not in places:
                    continue
                if other.first == file.last and other.first != other.last:
                    return self._backup(later, other.origin, file.last)
                places.append(other.place)
        return next((found for place in reversed(places) if (found := self._disk(place, file.last)) is not None), None)

    def _backup(self, begin: BeginRecord, path: str, wanted: str) -> bytes | None:
        with contextlib.suppress(OSError, ToolFailure):
            data = self._backups.read(begin.execution_id, path)
            return data if data is not None and content_hash(data) == wanted else None
        return None

    def _disk(self, place: str, wanted: str) -> bytes | None:
        with contextlib.suppress(OSError, ToolFailure):
            folder, name = self._folders.parent(place)
            data = folder.read(name)
            return data if content_hash(data) == wanted else None
        return None


CALLS_KEPT = timedelta(hours=24)
"""Time for which a call id is remembered (`docs/protocol.md`, `callId`)."""

Outcome = Literal["open", "done", "rolled_back", "conflicted"]


@dataclass(slots=True)
class RecordedChange:
    """One application of a plan: a change's own, or that of an undo or a redo.

    Attributes:
        shown: As the history shows it, but for its state.
        kind: Which of the three.
        changes: The changes that it is about: itself, or those it takes back or repeats, the newest first.
        offset: Where its line is in the journal.
        staying: Of an undo, everything that belongs with what it left as it was: its unit by its folded path. Of
            several changes, one may know a file that stays by an earlier name, or only what belongs together with it.
        outcome: Its end.
    """

    shown: HistoryEntry
    kind: Literal["change", "undo", "redo"]
    changes: tuple[str, ...]
    offset: int
    staying: dict[str, str]
    outcome: Outcome = "open"

    @property
    def change(self) -> str:
        """Return the change that it is about; of several, the newest."""
        return self.changes[0]

    def left_with(self, paths: Iterable[str], others: Iterable[str]) -> tuple[LeftFile, ...]:
        """Return what it left as it was that belongs together both with one of some paths and with one of others."""
        if not self.staying:
            return ()
        units = {self.staying.get(fold(path)) for path in paths} & {self.staying.get(fold(path)) for path in others}
        return tuple(one for one in self.shown.left if self.staying[fold(one.path)] in units)


class _Head(NamedTuple):
    """The latest application that determines the state of a change, or of some of its files.

    Attributes:
        recorded: The change itself, or its undo or redo.
        only: The files that it still determines, by those that were named when the others were taken back;
            None: all.
    """

    recorded: RecordedChange
    only: frozenset[str] | None = None

    @property
    def undoes(self) -> bool:
        """Return whether it took something back."""
        return self.recorded.kind == "undo"


class History:
    """Every change of the vault. Changes nothing itself. Readers and the one writer may be different threads.

    Args:
        root: The vault.
        clock: For how long ago a call was.
        kept: Bytes by their hash, where somebody else has kept them; None if nobody has.
    """

    def __init__(self, root: VaultRoot, clock: Clock, kept: Callable[[str], bytes | None]) -> None:
        self._root = root
        self._kept = kept
        self._journal = Journal(root)
        self._backups = Backups(root)
        self._clock = clock
        self._recorded: dict[str, RecordedChange] = {}
        self._heads: dict[str, tuple[_Head, ...]] = {}
        """For each change what had the last word on it: itself, or the last undo or redo of it.

        Several, where an undo left files out: what had it before then still has it on those.
        """
        self._calls: dict[str, RecordedChange] = {}
        self._unended: dict[str, RecordedChange] = {}

    # -- writing ------------------------------------------------------------------------------------------------

    def _begun(self, begin: BeginRecord, offset: int) -> None:
        """Record that a plan is about to be applied; its record is at this offset of the journal."""
        cause = begin.cause
        files = [path for change in begin.changes if not change.of_folder for path in change.places] or [
            change.path for change in begin.changes
        ]
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
            credential=cause.credential,
            summary=begin.summary,
            grant=cause.grant,
            left=begin.left,
        )
        changes = (
            (cause.execution_id,) if cause.kind == "change" or not cause.reverses else tuple(cause.reverses.split(","))
        )
        staying = Units(begin).around(one.path for one in begin.left) if begin.left else {}
        recorded = RecordedChange(shown, cause.kind, changes, offset, staying)
        self._recorded[cause.execution_id] = self._unended[cause.execution_id] = recorded

    def _ended(self, outcome: OutcomeRecord) -> None:
        """Record the outcome of a change."""
        recorded = self._recorded.get(outcome.execution_id)
        if recorded is None:
            return
        if outcome.kind == "dropped":
            recorded.shown = recorded.shown._replace(can_undo=False)
            return
        recorded.outcome = outcome.kind
        self._unended.pop(outcome.execution_id, None)
        if outcome.kind != "rolled_back":
            for change in recorded.changes:
                self._heads[change] = (*self._remaining(change, recorded), _Head(recorded))
            if recorded.shown.call_id is not None:
                self._calls[recorded.shown.call_id] = recorded

    # -- looking back -------------------------------------------------------------------------------------------

    def _open(self) -> list[RecordedChange]:
        """Return applications that were begun and not ended, newest first."""
        return list(self._unended.values())[::-1]

    def _applications(self) -> list[RecordedChange]:
        """Return every application, oldest first."""
        return list(self._recorded.values())

    def last_id(self) -> str | None:
        """Return the last application of a plan that was begun, an undo or redo too; None if there was none."""
        return next(reversed(list(self._recorded)), None)

    def written_since(self, execution_id: str | None) -> dict[str, set[str | None]]:
        """Return what may have been written after a change, including changes that were taken back.

        Args:
            execution_id: The last known change; None or an unknown id for all.

        Returns:
            For each file, the hashes of its bytes before and after; None among them if it may be gone.
        """
        known = self._recorded.get(execution_id or "")
        written: dict[str, set[str | None]] = {}
        for recorded in self._applications():
            if known is None or recorded.offset > known.offset:
                with contextlib.suppress(ExecutionFailed):  # no longer in the journal
                    for change in self._journal.read(recorded.offset).changes:
                        for path in () if change.of_folder else change.places:
                            written.setdefault(path, {None}).update({change.before, change.after})
        return written

    def history(
        self, *, limit: int = 50, before: str | None = None, credential: str | None = None
    ) -> list[HistoryEntry]:
        """Return the changes of this vault, newest first.

        Args:
            limit: Maximum number.
            before: Only those older than this execution id, or than this ISO 8601 time.
            credential: Only those asked for with this credential; None for all.

        Raises:
            InvalidParameters: `before` is neither.
        """
        changes = self._changes(credential) if before is None else self._before(before, credential)
        return [self._entry(recorded) for recorded in changes[:limit]]

    def find_call(self, call_id: str, *, of_any_age: bool = False) -> HistoryEntry | None:
        """Return the change that a call id of the last 24 hours (or any age) made, or None. Touches no disk."""
        recorded = self._calls.get(call_id)
        if recorded is None:
            return None
        if not of_any_age and datetime.fromisoformat(recorded.shown.time) < self._clock.now() - CALLS_KEPT:
            return None
        return self._entry(recorded) if recorded.kind == "change" else recorded.shown

    def undo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """Return the plan that takes a change back, to be applied like any other. Writes nothing.

        Args:
            execution_id: The change; None is the newest that is not undone.
            credential: Only changes asked for with this credential; None for all.

        Returns:
            The change's id, and the plan.

        Raises:
            NotFound: There is no such change, or it is undone already.
            Conflict: A file was edited since (`edited_since`), and nothing else is to be taken back. Otherwise the plan
                leaves it out (`ChangePlan.left`), and a second undo of the change is of what was left out.
            ExecutionFailed: A backup is missing or damaged, and nothing else is to be taken back.
        """
        changes = self._changes(credential)
        applied = (recorded.change for recorded in changes if self._state(recorded.change) == "applied")
        change = execution_id or next(applied, None)
        if change is None:
            raise NotFound("There is nothing to undo")
        return change, self._one_reversal(change, "undo", credential)

    def undo_several_plan(self, execution_ids: Collection[str], credential: str | None = None) -> ChangePlan:
        """Return the one plan that takes several changes back, newest first. Writes nothing.

        Args:
            execution_ids: The changes. What was undone or repeated together with one of them goes along.
            credential: Only changes asked for with this credential; None for all.

        Raises:
            NotFound: One of them is not there, is undone already, or its backup was not kept.
            Conflict: A file was edited since, or between them (`edited_since`), and nothing else is to be taken back.
            ExecutionFailed: A backup is missing or damaged, and nothing else is to be taken back.
        """
        chosen = [one for one in self._changes(credential) if one.shown.execution_id in execution_ids]
        if missing := sorted(set(execution_ids) - {one.shown.execution_id for one in chosen}):
            raise _unknown(missing[0])
        for one in chosen:
            if (why := self._no_undo(one)) is not None:
                raise NotFound(f"The change {one.change!r} cannot be undone: {why[0].lower()}{why[1:]}")
        return self._reversal([one.change for one in chosen], "undo", credential)

    def redo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """Return the plan that applies an undone change again; without an id, the one that was undone last.

        Takes, returns and raises what `undo_plan` does, but leaves nothing out: all of it is made again, or nothing.
        """
        undone = (
            recorded.change
            for recorded in reversed(self._applications())
            if recorded.kind == "undo"
            and any(head.recorded is recorded for head in self._heads.get(recorded.change, ()))
            and recorded.outcome == "done"
            and _is_of(self._recorded[recorded.change], credential)
        )
        change = execution_id or next(undone, None)
        if change is None:
            raise NotFound("There is nothing to redo")
        return change, self._one_reversal(change, "redo", credential)

    def diff(self, execution_id: str) -> ChangeDiff:
        """Return what a change did to each file, whatever has happened to it since. Blocks.

        Args:
            execution_id: The change, or an undo or redo of one.

        Raises:
            NotFound: There is no such change.
            ExecutionFailed: The journal no longer holds it.
        """
        recorded = self._recorded.get(execution_id)
        if recorded is None or recorded.change not in self._heads:
            raise _unknown(execution_id)
        begin = self._journal.read(recorded.offset)
        with FolderCache(self._root) as folders:
            found = list(_shown(begin, BytesOfChange(begin, self._later(recorded), folders, self._backups)))
        lost = tuple(shown.path for shown, is_lost in found if is_lost)
        return ChangeDiff(files=tuple(shown for shown, _ in found), lost=lost)

    def foresee_undo(self, execution_ids: Collection[str]) -> dict[str, Foreseen]:
        """Return what undoing several changes, newest first, would do. Writes nothing, and hashes all their files.

        Args:
            execution_ids: The changes; unknown ids are left out.

        Returns:
            In the order of undoing, why each could not be undone, or which of its files would stay as they are.

        Raises:
            ExecutionFailed: The journal no longer holds one of them.
        """
        found: dict[str, Foreseen] = {}
        heads: dict[int, _Head] = {}
        for recorded in self._changes(None):
            change = recorded.shown.execution_id
            if change in execution_ids:
                found[change] = Foreseen(self._no_undo(recorded))
                if found[change].why is None:
                    heads |= {head.recorded.offset: head for head in self._to_turn([change], "undo")}
        begins = (self._read(head) for head in heads.values())
        with FolderCache(self._root) as folders:

            def planned(begin: BeginRecord) -> ChangePlan | None:
                try:
                    return self._reversing([heads[self._recorded[begin.execution_id].offset]], [begin], folders)(
                        "undo", begin.execution_id, ""
                    )
                except ToolFailure:
                    return None

            for head, seen in zip(heads.values(), foresee(begins, folders, planned), strict=True):
                units = Units(self._read(head)) if seen.left else None
                for change in head.recorded.changes:
                    if change in found:
                        own = units.around(self._recorded[change].shown.files) if units else {}
                        left = tuple(one for one in seen.left if fold(one.path) in own)
                        found[change] = Foreseen(seen.why, (*found[change].left, *left))
        return found

    def _later(self, *changes: RecordedChange) -> Iterator[BeginRecord]:
        """Yield later changes to files of the given ones, followed through renames, oldest first."""
        places = {path for recorded in changes for path in recorded.shown.files}
        first = min(recorded.offset for recorded in changes)
        for later in self._applications():
            if later.offset > first and later.outcome == "done" and not places.isdisjoint(later.shown.files):
                places.update(later.shown.files)
                yield self._journal.read(later.offset)

    def _no_undo(self, recorded: RecordedChange) -> str | None:
        """Return why a change can never be undone, whatever the state of the vault."""
        shown = self._entry(recorded)
        if shown.state == "conflicted":
            return "It was interrupted and only partly taken back"
        if shown.state == "undone" and not shown.left:
            return "It is undone already"
        return None if shown.can_undo else "Its backup was not kept"

    def _earlier_modes(self, cause: Cause) -> dict[str, Iterator[int]]:
        """Return the permissions that an undo or redo restores to what it makes anew, in that order."""
        modes: dict[str, list[int]] = {}
        if cause.kind != "change" and cause.reverses:
            for head in self._to_turn(cause.reverses.split(","), cause.kind):
                begin = self._read(head)
                for step, mode in reversed(list(zip(begin.changes, begin.modes, strict=True))):
                    if mode is not None and step.kind in {ChangeKind.DELETE, ChangeKind.RMDIR}:
                        modes.setdefault(step.path, []).append(mode)
        return {path: iter(known) for path, known in modes.items()}

    def _one_reversal(self, change: str, kind: Literal["undo", "redo"], credential: str | None) -> ChangePlan:
        recorded = self._recorded.get(change)
        if recorded is not None and not _is_of(recorded, credential):
            recorded = None
        if recorded is not None and recorded.kind != "change":
            raise NotFound(f"{change!r} is itself the {recorded.kind} of {recorded.change!r}; give that id instead")
        if recorded is None or change not in self._heads:
            raise _unknown(change)
        shown = self._entry(recorded)
        if shown.state == "conflicted":
            raise NotFound(
                f"The change {change!r} was interrupted and only partly taken back, so it has no {kind}; the bytes "
                f"from before it are in {self._backups.shown(self._heads[change][-1].recorded.shown.execution_id)!r}"
            )
        if (shown.state == "undone") != (kind == "redo") and not (kind == "undo" and shown.left):
            done, other = ("undone", "redo") if kind == "undo" else ("applied", "undo")
            raise NotFound(f"The change {change!r} is {done} already; use {other} to turn that round")
        return self._reversal([change], kind, credential)

    def _reversal(self, chosen: Collection[str], kind: Literal["undo", "redo"], credential: str | None) -> ChangePlan:
        """Return the plan that reverses changes; what was undone or repeated together is reversed together."""
        heads = self._to_turn(chosen, kind)
        for recorded in (head.recorded for head in heads):
            # Others' changes may have been undone or repeated together with one of the caller's.
            if not all(_is_of(self._recorded[change], credential) for change in recorded.changes):
                who = f"The change {recorded.change!r} was repeated together with changes of others"
                raise NotFound(f"{who}; ask the user")
        changes = tuple(dict.fromkeys(change for head in heads for change in head.recorded.changes))
        own = self._recorded[changes[0]]
        begins = [self._read(head) for head in heads]
        # What went into the trash goes there again, if that is all there is to do.
        alone = kind == "redo" and len(changes) == len(heads) == 1
        disposal = self._journal.read(own.offset).disposal if alone else None
        summary = f"{len(changes)} changes" if len(changes) > 1 else own.shown.summary
        with FolderCache(self._root) as folders:
            return self._reversing(heads, begins, folders)(kind, ",".join(changes), summary, disposal)

    def _reversing(
        self, heads: Sequence[_Head], begins: Sequence[BeginRecord], folders: FolderCache
    ) -> Callable[..., ChangePlan]:
        """Return the planner that reverses applications, newest first, given what was later written to their files."""
        found = BytesOfChange(begins[0], self._later(*(head.recorded for head in heads)), folders, self._backups)

        def after(file: TracedFile) -> bytes | None:
            data = found.after(file)
            return data if data is not None or not isinstance(file.last, str) else self._kept(file.last)

        return Reversal(begins[::-1], folders, self._backups, after).plan

    def _to_turn(self, changes: Collection[str], kind: Literal["undo", "redo"]) -> list[_Head]:
        """Return what has to be reversed to undo or repeat some changes, newest first."""
        found: dict[int, _Head] = {}
        known, waiting = set[str](), list(changes)
        while waiting:
            change = waiting.pop()
            if change not in known:
                known.add(change)
                for head in self._heads.get(change, ()):
                    if head.undoes == (kind == "redo"):
                        found[head.recorded.offset] = head
                        waiting += head.recorded.changes
        return [found[offset] for offset in sorted(found, reverse=True)]

    def _remaining(self, change: str, recorded: RecordedChange) -> Iterator[_Head]:
        """Yield what still determines files of a change after an undo or redo that may have left some out."""
        for head in self._heads.get(change, ()):
            if head.undoes != (recorded.kind == "redo"):
                yield head
            elif recorded.staying:
                files = head.recorded.shown.files if head.only is None else head.only
                if own := frozenset(path for path in files if fold(path) in recorded.staying):
                    yield head._replace(only=own)

    def _read(self, head: _Head) -> BeginRecord:
        """Return an application's record, limited to the files that it still determines."""
        return only(self._journal.read(head.recorded.offset), head.only)

    def _changes(self, credential: str | None) -> list[RecordedChange]:
        """Return every change that is in the history, of one credential or of all (None), newest first."""
        return [
            recorded
            for recorded in reversed(self._applications())
            if recorded.kind == "change" and recorded.change in self._heads and _is_of(recorded, credential)
        ]

    def _before(self, before: str, credential: str | None) -> list[RecordedChange]:
        changes = self._changes(credential)
        if before in self._recorded:
            ids = [recorded.shown.execution_id for recorded in changes]
            return changes[ids.index(before) + 1 :] if before in ids else changes
        try:
            moment = datetime.fromisoformat(before)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise InvalidParameters(
                f"{before!r} is neither the id of a change nor a time; take the executionId of the last entry you have"
            )
        return [recorded for recorded in changes if datetime.fromisoformat(recorded.shown.time) < moment]

    def _state(self, change: str) -> HistoryState:
        """Return the state of a change that is not open."""
        heads = self._heads[change]
        if any(head.recorded.outcome == "conflicted" for head in heads):
            return "conflicted"
        return "undone" if any(head.undoes for head in heads) else "applied"

    def _entry(self, recorded: RecordedChange) -> HistoryEntry:
        """Return a change as the history shows it now."""
        heads = self._heads.get(recorded.change)
        if not heads:
            return recorded.shown
        state = self._state(recorded.change)
        last = [head for head in heads if head.undoes == (state == "undone")] or heads
        still = {path for head in heads if not head.undoes for path in head.only or ()}
        named = {one.path: one for head in last for one in head.recorded.left_with(still, recorded.shown.files)}
        left = tuple(named.values()) if state == "undone" else ()
        can_undo = all(head.recorded.shown.can_undo for head in last)
        return recorded.shown._replace(state=state, can_undo=can_undo, left=left)


def _is_of(recorded: RecordedChange, credential: str | None) -> bool:
    return credential is None or recorded.shown.credential == credential


def _unknown(change: str) -> NotFound:
    return NotFound(f"There is no change {change!r} in the history; history.list shows those there are")
