"""Plans applied to files in memory: wholly or not at all, only if every file is as the plan says, and taken back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from bridge.contract.consent import Operation
from bridge.errors import Conflict, NotFound
from bridge.journal.journal import Cause
from bridge.journal.plan_executor import Editors
from bridge.journal.preconditions import exists, stale
from bridge.testing.memory import MemoryTree
from bridge.vault.paths import known_path
from bridge.vault.person_edits import HunkText, KeptHunks, PartialPlan, RevisedPlan, keep_hunks, revise_hunk
from bridge.vault.plan import Applied, Change, ChangeKind, ChangePlan, PlanBuilder, content_hash


@dataclass(slots=True)
class _State:
    """Files and folders, while a plan is tried on them."""

    files: dict[str, bytes]
    folders: set[str]

    def run(self, change: Change, blobs: Mapping[str, bytes]) -> None:
        """Make one change, or raise Conflict."""
        path, target = change.path, change.new_path or change.path
        old = None if change.before is None else self._take(path, change.before)
        match change.kind:
            case ChangeKind.CREATE | ChangeKind.MODIFY | ChangeKind.MOVE:
                self._check_free(target)
                self.files[target] = blobs[change.after or ""] if old is None or change.before != change.after else old
            case ChangeKind.MKDIR:
                self._check_free(path)
                self.folders.add(path)
            case ChangeKind.RMDIR:
                if path not in self.folders or any(
                    other.startswith(path + "/") for other in (*self.files, *self.folders)
                ):
                    raise stale(path)
                self.folders.remove(path)
            case _:
                pass  # a file that is deleted was taken away already

    def _take(self, path: str, digest: str) -> bytes:
        if path not in self.files:
            raise stale(path, gone=True)
        if content_hash(self.files[path]) != digest:
            raise stale(path)
        return self.files.pop(path)

    def _check_free(self, path: str) -> None:
        if path in self.files or path in self.folders:
            raise exists(path)
        parent = path.rpartition("/")[0]
        if parent and parent not in self.folders:
            raise stale(path, gone=True)


@dataclass(slots=True)
class _Applied:
    """A plan that was applied, with everything as it was before and after."""

    cause: Cause
    plan: ChangePlan
    before: _State
    after: _State
    undone: bool = False


class MemoryLedger:
    """The ledger of a tree, as the other is of a folder.

    Args:
        tree: The files.
    """

    def __init__(self, tree: MemoryTree) -> None:
        self.editors = Editors()
        self._tree = tree
        self._applied: dict[str, _Applied] = {}

    def check(self, plan: ChangePlan) -> None:
        """Raise Conflict (`stale`, `exists`) unless everything is as the plan expects."""
        self._after(plan)

    def part(self, plan: ChangePlan, keep: KeptHunks) -> PartialPlan:
        """Return the part of a plan that a person wants, checked."""
        partial = keep_hunks(plan, keep, lambda change: self._tree.files[change.path])
        self.check(partial.plan)
        return partial

    def revise(self, plan: ChangePlan, text: HunkText) -> RevisedPlan:
        """Return the plan with other text in one hunk, checked."""
        self.check(plan)
        return revise_hunk(plan, text, lambda change: self._tree.files[change.path])

    def apply(self, plan: ChangePlan, cause: Cause) -> Applied:
        """Apply a plan wholly, or not at all. Raises Conflict when a file is not as it was."""
        before, after = self._now(), self._after(plan)
        self._tree.replace(after.files, after.folders)
        if cause.reverses is None:
            self._applied[cause.execution_id] = _Applied(cause, plan, before, after)
        else:
            self._applied[cause.reverses].undone = cause.kind == "undo"
        return Applied(cause.execution_id, None, plan, plan.disposal)

    def undo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """Return the plan that takes a change back; the newest one when none is named."""
        return self._reversal("undo", execution_id, credential)

    def redo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """Return the plan that makes an undone change again; the one undone when none is named."""
        return self._reversal("redo", execution_id, credential)

    def _now(self) -> _State:
        return _State(dict(self._tree.files), set(self._tree.folders))

    def _after(self, plan: ChangePlan) -> _State:
        state = self._now()
        for change in plan.changes:
            state.run(change, plan.blobs)
        return state

    def _reversal(
        self, kind: Literal["undo", "redo"], execution_id: str | None, credential: str | None
    ) -> tuple[str, ChangePlan]:
        fitting = [
            name
            for name, done in self._applied.items()
            if done.undone == (kind == "redo") and credential in {None, done.cause.credential}
        ]
        name = execution_id or (fitting[-1] if fitting else "")
        if name not in fitting:
            raise NotFound(f"There is nothing to {kind}" + (f" named {name!r}" if name else ""))
        done = self._applied[name]
        goal, start = (done.before, done.after) if kind == "undo" else (done.after, done.before)
        builder, files, folders = PlanBuilder(self._tree), self._tree.files, self._tree.folders
        for folder in sorted(goal.folders - start.folders - folders):
            builder.mkdir(known_path(folder))
        for path in sorted(goal.files.keys() | start.files.keys()):
            old, new = start.files.get(path), goal.files.get(path)
            if old == new:
                continue
            if files.get(path) != old:
                raise Conflict(f"{path!r} was edited after this change", code="edited_since", data={"path": path})
            if new is None:
                builder.delete(known_path(path), old or b"")
            elif old is None:
                builder.create(known_path(path), new)
            else:
                builder.modify(known_path(path), old, new, follows=path in done.plan.follows)
        for folder in sorted(start.folders - goal.folders, reverse=True):
            builder.rmdir(known_path(folder))
        summary = f"{kind.capitalize()} {name}: {done.plan.summary}"
        plan = builder.build(Operation.UPDATE, summary, about=done.plan.about)
        return name, replace(plan, reversal=kind, reverses=name)
