"""The plan that takes a change back: its steps turned round, last first, with the bytes from its backups.

A redo is the same thing done to the undo. Where a change wrote to one file several times, the plan goes straight to
the first bytes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from bridge.contract.consent import FilePreview, Operation
from bridge.errors import Conflict, ExecutionFailed, NotFound, ToolFailure
from bridge.journal.backups import Backups
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import FolderCache
from bridge.journal.path_effects import TracedFile, follow_changes
from bridge.journal.preconditions import check_preconditions, stale
from bridge.vault.merging import merge
from bridge.vault.paths import parse_path
from bridge.vault.plan import Change, ChangeKind, ChangePlan, Disposal, content_hash, preview

_OPERATIONS = {ChangeKind.CREATE: Operation.CREATE, ChangeKind.DELETE: Operation.DELETE}


class Reversal:
    """One change, or several in a row, to be taken back.

    Args:
        begins: The changes, as the journal has them, the oldest first: ones that were applied, and nothing else came
            between them to the files that they share.
        folders: The vault's folders.
        backups: Where the bytes from before it are.
        after: The bytes that it left in a file, where they are still kept somewhere: what was written into the file
            since is then merged where it does not meet what goes back.
    """

    def __init__(
        self,
        begins: Sequence[BeginRecord],
        folders: FolderCache,
        backups: Backups,
        after: Callable[[TracedFile], bytes | None] = lambda _file: None,
    ) -> None:
        self._begins = begins
        self._after = after
        self._begin = begins[0] if len(begins) == 1 else _as_one(begins)
        self._folders = folders
        self._backups = backups
        self._changes: list[Change] = []
        self._previews: list[FilePreview] = []
        self._warnings: list[str] = []
        self._blobs: dict[str, bytes] = {}
        self._made: set[str] = set()
        self._gone: set[str] = set()
        self._back_at_first: set[int] = set()

    def plan(
        self, kind: Literal["undo", "redo"], reverses: str, summary: str, disposal: Disposal | None = None
    ) -> ChangePlan:
        """The inverse plan.

        Args:
            kind: What it is called.
            reverses: The change that it takes back or repeats.
            summary: That change's sentence.
            disposal: Where what it deletes goes.

        Raises:
            Conflict: A file was edited since (`edited_since`).
            ExecutionFailed: A backup is missing or damaged.
        """
        effects = follow_changes(self._begin.changes, self._begin.modes)
        steps = list(zip(self._begin.changes, self._begin.modes, effects.files, strict=True))
        try:
            for change, mode, file in reversed(steps):
                if file is None:
                    self._reverse_folder(change, existed=mode is not None)
                else:
                    self._reverse_file(change, file)
            if self._begin.disposal is not None:
                self._warnings.append("What was put into the trash stays there as well")
            self._keep_folders()
            kinds = {change.kind for change in self._changes} - {ChangeKind.MKDIR, ChangeKind.RMDIR}
            plan = ChangePlan(
                operation=_OPERATIONS.get(kinds.pop(), Operation.UPDATE) if len(kinds) == 1 else Operation.UPDATE,
                summary=f"{kind.capitalize()} {reverses}: {summary}",
                changes=tuple(self._changes),
                blobs=self._blobs,
                previews=tuple(self._previews),
                warnings=tuple(self._warnings),
                reversal=kind,
                reverses=reverses,
                disposal=disposal,
                about=tuple(path for path in self._begin.subjects if path.endswith("/")),
            )
            check_preconditions(plan, self._folders)
        except Conflict as conflict:
            raise self._edited(conflict, kind) from conflict
        return plan

    def _edited(self, conflict: Conflict, kind: str) -> Conflict:
        return edited_since(conflict.data.get("path", ""), kind, self._begin.execution_id)

    # -- steps --------------------------------------------------------------------------------------------------

    def _reverse_file(self, change: Change, file: TracedFile) -> None:
        if file.origin is None and file.last is None:
            return  # made and removed by the same change
        match change.kind:
            case ChangeKind.CREATE:
                self._add(Change(ChangeKind.DELETE, change.path, before=file.last), self._read(file))
                self._gone.add(change.path)
            case ChangeKind.DELETE:
                self._make_parents(change.path)
                content = self._first_bytes(file)
                self._back_at_first.add(id(file))
                self._add(Change(ChangeKind.CREATE, change.path, after=file.first), None, content)
            case ChangeKind.MODIFY if file.origin is not None and id(file) not in self._back_at_first:
                self._back_at_first.add(id(file))
                if file.first != file.last:
                    old, content = self._merged(file)
                    hashes = content_hash(old), content_hash(content)
                    if hashes[0] != hashes[1]:
                        self._add(
                            Change(ChangeKind.MODIFY, change.path, before=hashes[0], after=hashes[1]), old, content
                        )
            case ChangeKind.MOVE:
                self._make_parents(change.path)
                content_now = file.first if id(file) in self._back_at_first else file.last
                new_path = change.new_path or ""
                self._add(Change(ChangeKind.MOVE, new_path, change.path, before=content_now, after=content_now))
                self._gone.add(new_path)
            case _:
                pass

    def _reverse_folder(self, change: Change, *, existed: bool) -> None:
        if change.kind is ChangeKind.RMDIR:
            self._make_parents(change.path)
            self._make(change.path)
        elif not existed:
            try:
                names = [] if change.path in self._made else self._folders.inside(change.path).names()
            except NotFound:
                return  # someone removed it since
            if any(f"{change.path}/{name}" not in self._gone for name in names):
                self._warnings.append(f"The folder {change.path} stays, because there is something else in it")
                return
            self._add(Change(ChangeKind.RMDIR, change.path))
            self._gone.add(change.path)

    def _keep_folders(self) -> None:
        """Leave a folder that would be removed and made anew: one change had removed it, and a later one made it."""
        removed: dict[str, int] = {}
        kept: set[int] = set()
        for number, change in enumerate(self._changes):
            if change.kind is ChangeKind.RMDIR:
                removed[change.path] = number
            elif change.kind is ChangeKind.MKDIR and change.path in removed:
                kept |= {removed.pop(change.path), number}
        self._changes = [change for number, change in enumerate(self._changes) if number not in kept]
        self._previews = [shown for number, shown in enumerate(self._previews) if number not in kept]

    def _make_parents(self, path: str) -> None:
        """Folders above a path that someone removed since."""
        for parent in map(str, parse_path(path).parents):
            if parent not in self._made:
                try:
                    self._folders.inside(parent)
                except NotFound:
                    self._make(parent)

    def _make(self, path: str) -> None:
        self._made.add(path)
        self._add(Change(ChangeKind.MKDIR, path))

    def _add(self, change: Change, old: bytes | None = None, new: bytes | None = None) -> None:
        self._changes.append(change)
        subjects = self._begin.subjects
        follows = bool(subjects) and change.kind is ChangeKind.MODIFY and not _is_within(change.path, subjects)
        self._previews.append(preview(change, old, new, follows=follows))
        if new is not None:
            self._blobs[change.after or ""] = new

    # -- bytes --------------------------------------------------------------------------------------------------

    def _read(self, file: TracedFile) -> bytes:
        """The bytes that the change left in a file."""
        data = self._now(file)
        if content_hash(data) != file.last:
            raise stale(file.place)
        return data

    def _now(self, file: TracedFile) -> bytes:
        try:
            folder, name = self._folders.parent(file.place)
            return folder.read(name)
        except (OSError, ToolFailure) as error:
            raise stale(file.place, gone=True) from error

    def _merged(self, file: TracedFile) -> tuple[bytes, bytes]:
        """A file's bytes now, and as they were before the change with all that was written into it since."""
        now, first = self._now(file), self._first_bytes(file)
        if content_hash(now) == file.last:
            return now, first
        last = None if file.place != file.origin else self._after(file)
        found = None if last is None else merge(last, first, now)
        if found is None or found.data is None or found.clashes:
            raise stale(file.place)
        self._warnings.append(f"{file.place!r} was edited since; that stays")
        return now, found.data

    def _kept(self, file: TracedFile) -> Iterator[tuple[BeginRecord, str]]:
        """Where a file's first bytes may be kept: with the change that pushed them aside, by its name at that time."""
        if len(self._begins) == 1:
            yield self._begin, file.origin or ""
            return
        for one in self._begins:
            for other in follow_changes(one.changes, one.modes).files:
                if other is not None and other.first == file.first and other.origin:
                    yield one, other.origin

    def _first_bytes(self, file: TracedFile) -> bytes:
        """The bytes that a file had before the change."""
        begin, path, data = self._begin, file.origin or "", None
        for one, kept in self._kept(file):
            with suppress(OSError):
                data = self._backups.read(one.execution_id, kept)
            if data is not None and content_hash(data) == file.first:
                return data
        if not begin.keep:
            raise NotFound(
                f"No backup was kept of {path!r} (the setting 'patchBackupEnabled' was off), so this cannot be done "
                "and nothing was written. Restore the file from a copy of your own"
            )
        what = "is missing" if data is None else "is damaged"
        raise ExecutionFailed(
            f"The backup of {path!r} in {Backups.shown(begin.execution_id)!r} {what}, so this cannot be done "
            "safely and nothing was written. Restore the file from a copy of your own"
        )


def edited_since(path: str, kind: str, change: str) -> Conflict:
    """The refusal to take something back over a later edit.

    Args:
        path: The file that was edited.
        kind: `undo` or `redo`.
        change: The change that would be taken back.
    """
    return Conflict(
        f"{path!r} was edited after this change, and {kind} would lose that edit, so nothing was written. "
        f"Undo the later change first, or copy what you need by hand from {Backups.shown(change)!r}",
        code="edited_since",
        data={"path": path},
    )


def _as_one(begins: Sequence[BeginRecord]) -> BeginRecord:
    """Changes in a row as one."""
    subjects = [begin.subjects or tuple(change.path for change in begin.changes) for begin in begins]
    has_subjects = any(begin.subjects for begin in begins)
    return replace(
        begins[0],
        changes=tuple(change for begin in begins for change in begin.changes),
        modes=tuple(mode for begin in begins for mode in begin.modes),
        keep=all(begin.keep for begin in begins),
        disposal=next((begin.disposal for begin in begins if begin.disposal), None),
        subjects=tuple(dict.fromkeys(path for paths in subjects for path in paths)) if has_subjects else (),
    )


def _is_within(path: str, subjects: tuple[str, ...]) -> bool:
    """Whether a path is one of some subjects, or lies in a folder among them."""
    return any(path == each or (each.endswith("/") and path.startswith(each)) for each in subjects)
