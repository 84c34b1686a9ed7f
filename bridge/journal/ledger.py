"""The only way in which the vault is changed: a plan is applied as a whole or not at all, and can be undone.

The journal is written before the vault is. So whatever interrupts the bridge, the next start knows what was under way
and makes every file wholly old or wholly new, all files of a plan alike.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from functools import partial

from bridge.clock import Clock, stamp
from bridge.errors import Conflict, ExecutionFailed, InvalidParameters, NotFound, ToolFailure
from bridge.journal.history import History, RecordedChange
from bridge.journal.journal import JOURNAL, BeginRecord, Cause, OutcomeKind, OutcomeRecord, Recovery, check_id, units_of
from bridge.journal.on_disk import FolderCache
from bridge.journal.plan_executor import Editors, EditorStep, PlanExecutor, refuse_unsaved
from bridge.journal.preconditions import check_preconditions, read_before, stale
from bridge.journal.recovery import recover_change, take_back
from bridge.journal.trash_step import Trasher, TrashStep, system_trash, trash_targets
from bridge.vault.disk import as_failure
from bridge.vault.person_edits import HunkText, KeptHunks, PartialPlan, RevisedPlan, keep_hunks, revise_hunk
from bridge.vault.plan import Applied, ChangeKind, ChangePlan, Disposal, content_hash
from bridge.vault.root import VaultRoot

LONGEST_WAIT = 60.0
"""Seconds that a writer waits for the one before it."""

_WRITING = {ChangeKind.CREATE, ChangeKind.MODIFY}
_logger = logging.getLogger(__name__)


class Ledger(History):
    """The ledger, which applies plans to one vault, one at a time, and remembers them. Any thread may call it.

    Args:
        root: The vault.
        clock: The time.
        keep_backups: Whether bytes that are replaced are kept when a change is done (setting `patchBackupEnabled`).
        on_applied: Called with each plan that was applied, before `apply` returns and before the next plan begins. It
            must not call the ledger.
        editors: Who may have files open.
        trash: The system's trash.
        writing: Entered with each plan and its execution id before the vault is touched, and left when all that there
            is to do for it is done, `on_applied` too. It must not call the ledger.
        kept: Bytes by their hash, where somebody else has kept them; None if nobody has. By them an undo knows what
            was written into a file since.
    """

    def __init__(
        self,
        root: VaultRoot,
        *,
        clock: Clock,
        keep_backups: Callable[[], bool],
        on_applied: Callable[[ChangePlan], None] = lambda _plan: None,
        editors: Editors | None = None,
        trash: Trasher = system_trash,
        writing: Callable[[ChangePlan, str], AbstractContextManager[None]] = lambda _plan, _id: nullcontext(),
        kept: Callable[[str], bytes | None] = lambda _digest: None,
    ) -> None:
        super().__init__(root, clock, kept)
        self.editors: Editors = editors or Editors()
        self._trash = trash
        self._keep_backups = keep_backups
        self._on_applied = on_applied
        self._announced = writing
        self._writer = threading.Lock()
        self._unwritten: list[OutcomeRecord] = []
        self._recovery: Recovery | None = None

    # -- starting and stopping ----------------------------------------------------------------------------------

    def recover(self) -> Recovery:
        """Read the journal and finish or take back what was under way. Comes before anything else, and happens once.

        Returns:
            What was done. A change that cannot be dealt with now, because the disk fails, is named in `messages`, and
            is tried again before the next plan is applied.

        Raises:
            ExecutionFailed: The journal cannot be read.
        """
        with self._writing():
            if self._recovery is None:
                self._recovery = self._recover()
            return self._recovery

    def close(self) -> None:
        """Write down what could not be written before. Comes last, when nothing is applied any more."""
        with self._writing(), contextlib.suppress(OSError):
            self._write_marks()

    def prune(self, days: int | None) -> list[str]:
        """Remove backups that are older than so many days; those changes can no longer be undone.

        Args:
            days: As in the setting `backupRetentionDays`; None keeps them forever.

        Returns:
            The ids of the changes whose backups were removed.
        """
        if days is None:
            return []
        oldest = self._clock.now() - timedelta(days=days)
        removed = []
        with self._writing():
            for recorded in self._applications():
                old = datetime.fromisoformat(recorded.shown.time) < oldest
                if old and recorded.outcome == "done" and recorded.shown.can_undo:
                    with contextlib.suppress(OSError, ToolFailure):
                        self._backups.remove(recorded.shown.execution_id)
                        self._mark("dropped", recorded.shown.execution_id)
                        removed.append(recorded.shown.execution_id)
        return removed

    # -- applying -----------------------------------------------------------------------------------------------

    def check(self, plan: ChangePlan) -> None:
        """Check that the vault is still as the plan expects. Blocks: every file of the plan is hashed.

        Args:
            plan: The plan to apply.

        Raises:
            Conflict: A file changed since (`stale`), or something is in the way (`exists`).
            ExecutionFailed: The disk cannot be read.
        """
        with FolderCache(self._root) as folders:
            check_preconditions(plan, folders)

    def part(self, plan: ChangePlan, keep: KeptHunks) -> PartialPlan:
        """Return the part of a plan that a person wants, checked against the vault as `check` does.

        Args:
            plan: The whole plan.
            keep: For each path the indices of the hunks to keep, from 0; a path that is not named is kept whole.

        Returns:
            The smaller plan, and what of the whole it leaves out.

        Raises:
            InvalidParameters: There is no such part.
            Conflict: As of `check`.
            ExecutionFailed: The disk cannot be read.
        """
        with FolderCache(self._root) as folders:
            partial = keep_hunks(plan, keep, lambda change: read_before(change, folders))
            check_preconditions(partial.plan, folders)
        return partial

    def revise(self, plan: ChangePlan, text: HunkText) -> RevisedPlan:
        """Return the plan with other text in one hunk, checked against the vault as `check` does.

        Args:
            plan: The plan that was shown.
            text: The text, and for which hunk.

        Raises:
            InvalidParameters: There is no such hunk, or the text cannot be written or shown, or changes nothing.
            Conflict: As of `check`.
            ExecutionFailed: The disk cannot be read.
        """
        with FolderCache(self._root) as folders:
            revised = revise_hunk(plan, text, lambda change: read_before(change, folders))
            check_preconditions(revised.plan, folders)
        return revised

    def apply(self, plan: ChangePlan, cause: Cause) -> Applied:
        """Apply a plan wholly, or not at all.

        Args:
            plan: What the person approved.
            cause: The reason; its execution id becomes the change's name and must be new.

        Returns:
            What was applied, and where the bytes from before are.

        Raises:
            ValueError: The plan's bytes are not those it names, or the execution id cannot be used.
            Conflict: The vault is not as the plan believes (`stale`, `exists`), or not in its place any more (`moved`);
                nothing was written. Or another change has been under way for a minute (`busy`).
            ExecutionFailed: The disk is full or failed; nothing was written, or it says what is left.
        """
        check_id(cause.execution_id)
        self._root.check_in_place()
        for digest in {change.after for change in plan.changes if change.kind in _WRITING}:
            if content_hash(plan.blobs[digest or ""]) != digest:
                raise ValueError(f"The staged bytes {digest!r} are not those that the plan names")
        if plan.disposal is not None:
            trash_targets(plan.changes)
        self.recover()
        with self._writing():
            if cause.execution_id in self._recorded:
                raise ValueError(f"There is a change named {cause.execution_id!r} already")
            for interrupted in self._open():  # one that could not be taken back comes first
                self._resolve(interrupted)
            with self._announced(plan, cause.execution_id):
                begin, disposal = self._carry_out(plan, cause)
                self._mark("done", begin.execution_id)
                if not begin.keep:
                    with contextlib.suppress(OSError, ToolFailure):
                        self._backups.remove(begin.execution_id)
                try:
                    self._on_applied(plan)
                except Exception:
                    _logger.exception("The change %s was applied, but a listener failed", begin.execution_id)
        kept = begin.keep and begin.pushes_aside
        backup = self._backups.shown(begin.execution_id) if kept else None
        return Applied(begin.execution_id, backup, plan, disposal)

    # -- within -------------------------------------------------------------------------------------------------

    def _recover(self) -> Recovery:
        try:
            entries, damaged = self._journal.load()
        except OSError as error:
            raise _journal_failed(error) from error
        for entry in entries:
            if isinstance(entry.record, BeginRecord):
                self._begun(entry.record, entry.offset)
            else:
                self._ended(entry.record)
        ended: dict[str, list[str]] = {"done": [], "rolled_back": [], "conflicted": []}
        messages = [f"{damaged} lines of the journal are damaged and were passed over"] if damaged else []
        for recorded in self._open():
            try:
                message = self._resolve(recorded)
                ended[recorded.outcome].append(recorded.shown.execution_id)
            except ExecutionFailed as failure:
                message = failure.message
            if message is not None:
                messages.append(message)
        return Recovery(tuple(ended["rolled_back"]), tuple(ended["done"]), tuple(ended["conflicted"]), tuple(messages))

    def _carry_out(self, plan: ChangePlan, cause: Cause) -> tuple[BeginRecord, Disposal | None]:
        """Check, journal, and carry out; or leave everything as it was."""
        with FolderCache(self._root) as folders:
            editor_step = EditorStep(self.editors, plan, self._backups, cause.execution_id)
            found = check_preconditions(plan, folders)
            begin = BeginRecord(
                cause=cause,
                time=stamp(self._clock.now()),
                digest=plan.digest,
                operation=plan.operation,
                summary=plan.summary,
                changes=plan.changes,
                modes=tuple(None if state is None else state.st_mode & 0o7777 for state in found),
                added=sum(preview.added for preview in plan.previews),
                removed=sum(preview.removed for preview in plan.previews),
                keep=self._keep_backups(),
                disposal=plan.disposal,
                subjects=plan.subjects if plan.about or plan.follows else (),
                units=units_of(plan),
                left=plan.left,
            )
            modes = self._earlier_modes(cause)
            try:
                self._write_marks()
                offset = self._journal.append(begin, sync=True)
            except OSError as error:
                raise _journal_failed(error) from error
            self._begun(begin, offset)
            steps: PlanExecutor | TrashStep
            if plan.disposal is None:
                steps = PlanExecutor(begin, plan.blobs, modes, folders, self._backups, editor_step)
            else:
                check = partial(refuse_unsaved, plan, self.editors)
                steps = TrashStep(begin, self._root, folders, self._backups, self._trash, check)
            try:
                steps.run()
            except Exception as error:
                failure = self._take_back(begin, steps.attempted, error)
                if failure is None:
                    raise
                raise failure from error
        return begin, steps.went_to if isinstance(steps, TrashStep) else None

    def _take_back(self, begin: BeginRecord, attempted: int | None, error: Exception) -> ToolFailure | None:
        """Restore everything as it was after a failure in the middle.

        Returns:
            The failure that the caller gets; None when it is none of the disk's or the vault's.
        """
        step = begin.changes[-1 if attempted is None else attempted]
        where = step.new_path or step.path
        failure = as_failure(error, where) if isinstance(error, OSError) else error
        if isinstance(failure, NotFound | InvalidParameters):
            failure = stale(where, gone=True)  # the folder was there when the plan was checked
        reason = failure.message if isinstance(failure, ToolFailure) else "The bridge failed"
        try:
            recovered = take_back(begin, attempted, self._root, self._backups)
        except (OSError, ToolFailure):
            _logger.exception("The change %s could not be taken back", begin.execution_id)
            return ExecutionFailed(
                f"{reason}. What had been done of this change could not be taken back yet; nothing is lost: it is "
                "tried again before the next change and when the bridge starts. Fix the disk and restart the bridge"
            )
        self._mark(recovered.outcome, begin.execution_id)
        if recovered.message is not None:
            message = f"{reason}. {recovered.message}"
            if isinstance(failure, Conflict):
                return Conflict(message, code=failure.code or "stale", data=failure.data)
            return ExecutionFailed(message)
        if isinstance(failure, ExecutionFailed):
            return ExecutionFailed(f"{reason}. All files of this change are as they were")
        return failure if isinstance(failure, ToolFailure) else None

    def _resolve(self, recorded: RecordedChange) -> str | None:
        """Make an interrupted change whole, one way or the other.

        Returns:
            What a person should know of it.

        Raises:
            ExecutionFailed: The disk is full or failed; the change stays open.
        """
        execution_id = recorded.shown.execution_id
        try:
            recovered = recover_change(self._journal.read(recorded.offset), self._root, self._backups)
        except (OSError, ToolFailure) as error:
            _logger.exception("The interrupted change %s could not be dealt with", execution_id)
            reason = as_failure(error, ", ".join(recorded.shown.files)) if isinstance(error, OSError) else error
            raise ExecutionFailed(
                f"The interrupted change {execution_id} could not be taken back yet: {reason}. "
                "Nothing is written before that; fix the disk and try again"
            ) from error
        self._mark(recovered.outcome, execution_id)
        return recovered.message

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        if not self._writer.acquire(timeout=LONGEST_WAIT):
            raise Conflict("Another change is still being written; try again in a moment", code="busy")
        try:
            yield
        finally:
            self._writer.release()

    def _mark(self, kind: OutcomeKind, execution_id: str) -> None:
        """Note what became of a change.

        If the journal cannot be written now, the mark comes before the next plan; a restart before that finds out
        again by looking at the files.
        """
        mark = OutcomeRecord(kind, execution_id, stamp(self._clock.now()))
        self._ended(mark)
        self._unwritten.append(mark)
        with contextlib.suppress(OSError):
            self._write_marks()

    def _write_marks(self) -> None:
        while self._unwritten:
            self._journal.append(self._unwritten[0], sync=False)
            self._unwritten.pop(0)


def _journal_failed(error: OSError) -> ExecutionFailed:
    failure = as_failure(error, JOURNAL)
    if isinstance(failure, ExecutionFailed):
        return failure
    return ExecutionFailed(f"{JOURNAL!r} in the vault is a link or something else that it should not be; remove it")
