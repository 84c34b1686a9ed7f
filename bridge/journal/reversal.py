"""The plan that takes a change back: its steps turned round, last first, with the bytes from its backups.

A redo is the same thing done to the undo. Where a change wrote to one file several times, the plan goes straight to
the first bytes. What was written into a file since stays, where it does not meet what goes back; where it does, the
file stays as it is.

`foresee` previews the undoing of several changes, newest first, from hashes. A change can be undone once the changes
built on it are, so each is compared with the vault as it would be after undoing those before it in the list.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple

from bridge.errors import Conflict, ExecutionFailed, NotFound, ToolFailure
from bridge.journal.journal import BeginRecord, Units
from bridge.journal.on_disk import OTHER, Backups, FolderCache, hash_or_none
from bridge.journal.preconditions import (
    FOLDER,
    PathEffect,
    PathState,
    PreconditionCheck,
    TracedFile,
    follow_changes,
    stale,
    state_on_disk,
)
from bridge.vault.edits import merge
from bridge.vault.paths import parse_path
from bridge.vault.plan import Change, ChangeKind, ChangePlan, Disposal, LeftFile, content_hash, operation_of, preview

if TYPE_CHECKING:
    from bridge.contract.consent import FilePreview

_NAMED = 20
"""Files that stay and that a question names."""


class Reversal:
    """One change, or several in a row, to be taken back.

    What cannot be taken back stays as it is, with all that belongs with it, and the plan names it.

    Args:
        begins: The changes, as the journal has them, the oldest first: ones that were applied.
        folders: The vault's folders.
        backups: The store for the bytes from before it.
        after: The bytes that it left in a file, where they are still kept somewhere: what was written into the file
            since is then merged where it does not meet what goes back.
    """

    def __init__(
        self,
        begins: Sequence[BeginRecord],
        folders: FolderCache,
        backups: Backups,
        after: Callable[[TracedFile], bytes | None],
    ) -> None:
        self._begins = begins
        self._after = after
        self._begin = begins[0] if len(begins) == 1 else _as_one(begins)
        self._folders = folders
        self._backups = backups
        self._units = Units(*begins)
        effects = follow_changes(self._begin.changes, self._begin.modes)
        self._steps = list(zip(self._begin.changes, self._begin.modes, effects.files, strict=True))
        self._left: dict[str, _Refusal] = {}
        """Refusals by unit; a folder is a unit by itself, with a final slash."""
        self._torn: set[int] = set()
        self._reset()

    def _reset(self) -> None:
        self._unit = ""
        self._changes: list[tuple[str, Change, FilePreview]] = []
        self._warnings: list[str] = []
        self._blobs: dict[str, bytes] = {}
        self._made: set[str] = set()
        self._gone: set[str] = set()
        self._back_at_first: set[int] = set()
        self._now_at: dict[int, str | None] = {}

    def plan(
        self, kind: Literal["undo", "redo"], reverses: str, summary: str, disposal: Disposal | None = None
    ) -> ChangePlan:
        """Return the inverse plan. A redo is planned as a whole or not at all.

        Args:
            kind: What it is called.
            reverses: The change that it takes back or repeats.
            summary: That change's sentence.
            disposal: Destination of what it deletes.

        Raises:
            Conflict: A file was edited since (`edited_since`), and nothing else is to be done.
            ExecutionFailed: A backup is missing or damaged, and nothing else is to be done.
            NotFound: No backups were kept.
        """
        self._refuse_torn()
        while refused := self._attempt():
            self._left |= refused
        self._drop_idle_folders()
        files = any(not change.of_folder for _unit, change, _shown in self._changes)
        if self._left and (kind == "redo" or not files):
            failure = next(iter(self._left.values())).failure
            if isinstance(failure, Conflict):
                path = failure.data.get("path", "")
                raise Conflict(
                    f"{path!r} was edited after this change, and {kind} would lose that edit, so nothing was written. "
                    "Undo the later change first, or copy what you need by hand from "
                    f"{Backups.shown(self._begin.execution_id)!r}",
                    code="edited_since",
                    data={"path": path},
                ) from failure
            raise failure
        left = tuple(self._named_left())
        warnings = [*map(str, left[:_NAMED]), *self._warnings]
        if left[_NAMED:]:
            warnings.insert(_NAMED, f"{len(left) - _NAMED:,} more files stay as they are")
        if self._begin.disposal is not None:
            warnings.append("What was put into the trash stays there as well")
        changes = tuple(change for _unit, change, _shown in self._changes)
        return ChangePlan(
            operation=operation_of(changes),
            summary=f"{kind.capitalize()} {reverses}: {summary}{' (in part)' if left else ''}",
            changes=changes,
            blobs=self._blobs,
            previews=tuple(shown for _unit, _change, shown in self._changes),
            warnings=tuple(warnings),
            reversal=kind,
            reverses=reverses,
            disposal=None if left else disposal,
            about=() if left else tuple(path for path in self._begin.subjects if path.endswith("/")),
            left=left,
            units=self._units.named(),
        )

    def _attempt(self) -> dict[str, "_Refusal"]:
        """Plan everything except what is left already; return what turns out to be impossible, to be left too."""
        self._reset()
        refused: dict[str, _Refusal] = {}
        for change, mode, file in reversed(self._steps):
            self._unit = f"{change.path}/" if file is None else self._units.of(change.path)
            if self._unit in self._left or self._unit in refused:
                continue
            try:
                if file is None:
                    self._reverse_folder(change, existed=mode is not None)
                else:
                    self._reverse_file(change, file)
            except (Conflict, ExecutionFailed) as failure:
                refused[self._unit] = self._refusal(failure)
        if refused:
            return refused
        self._keep_folders()
        check = PreconditionCheck(self._folders)
        for unit, change, _shown in self._changes:
            if unit not in refused:
                try:
                    check.step(change)
                except (Conflict, ExecutionFailed) as failure:
                    refused[unit] = self._refusal(failure)
        return refused

    # -- what is left -------------------------------------------------------------------------------------------

    def _refuse_torn(self) -> None:
        """Leave files that somebody else changed between two of the changes."""
        states: dict[str, str | None] = {}
        for change, _mode, file in self._steps:
            if file is None:
                continue
            target = change.new_path or change.path
            found = [(change.path, change.before)] if change.kind is not ChangeKind.CREATE else []
            found += [(target, None)] if change.kind in {ChangeKind.CREATE, ChangeKind.MOVE} else []
            for path, expected in found:
                if states.get(path, expected) != expected:
                    why = "it was changed by somebody else in between"
                    self._left.setdefault(self._units.of(path), _Refusal(path, why, stale(path)))
                    self._torn.add(id(file))
            states[change.path] = None
            states[target] = change.after

    def _drop_idle_folders(self) -> None:
        """Leave out folders that would be made again only for files that stay elsewhere."""
        stay = {file.origin for change, _, file in self._steps if file and self._units.of(change.path) in self._left}
        used = {change.new_path or change.path for _unit, change, _shown in self._changes if not change.of_folder}
        idle: set[str] = set()
        for path in sorted((change.path for _, change, _ in self._changes if change.kind is ChangeKind.MKDIR))[::-1]:
            inside = f"{path}/"
            if any(one and one.startswith(inside) for one in stay) and not any(p.startswith(inside) for p in used):
                idle.add(path)
            else:
                used.add(path)
        kept, not_made = [], set[str]()
        for step in self._changes:
            change = step[1]
            if change.kind is ChangeKind.MKDIR and change.path in idle:
                not_made.add(change.path)
            elif change.kind is ChangeKind.RMDIR and change.path in not_made:
                not_made.remove(change.path)
            else:
                kept.append(step)
        self._changes = kept

    def _refusal(self, failure: Conflict | ExecutionFailed) -> "_Refusal":
        path = str(failure.data.get("path", ""))
        if not isinstance(failure, Conflict):
            first, _comma, _rest = failure.message.partition(", so ")
            return _Refusal(path, f"{first[0].lower()}{first[1:]}", failure)
        if failure.code == "exists":
            return _Refusal(path, "something else is in its place now", failure)
        gone = state_on_disk(path, self._folders)[0] is None
        return _Refusal(path, "it was moved or deleted since" if gone else "it was edited since", failure)

    def _named_left(self) -> Iterator[LeftFile]:
        """Yield every file that stays as it is, and folders that stay for their own reasons."""
        seen: set[str] = set()
        for change, _mode, file in self._steps:
            refusal = self._left.get(f"{change.path}/" if file is None else self._units.of(change.path))
            if file is None:
                path = change.path
            elif id(file) not in self._torn and (
                (file.origin, file.first) == (file.place, file.last) or file.origin is file.last is None
            ):
                continue  # as it was, and at no time did the changes replace anybody else's bytes
            else:
                path = file.place if file.last is not None else file.origin or file.place
            if refusal is not None and path not in seen:
                seen.add(path)
                own = file is None or refusal.path in {"", path, file.origin, file.place}
                yield LeftFile(path, refusal.why if own else f"it belongs together with {refusal.path}, which stays")

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
                self._now_at[id(file)] = file.first
                self._add(Change(ChangeKind.CREATE, change.path, after=file.first), None, content)
            case ChangeKind.MODIFY if file.origin is not None and id(file) not in self._back_at_first:
                self._back_at_first.add(id(file))
                if file.first != file.last:
                    old, content = self._merged(file)
                    before, after = content_hash(old), content_hash(content)
                    self._now_at[id(file)] = after
                    if before != after:
                        self._add(Change(ChangeKind.MODIFY, change.path, before=before, after=after), old, content)
            case ChangeKind.MOVE:
                self._make_parents(change.path)
                content_now = self._moved(file)
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
        for number, (_unit, change, _shown) in enumerate(self._changes):
            if change.kind is ChangeKind.RMDIR:
                removed[change.path] = number
            elif change.kind is ChangeKind.MKDIR and change.path in removed:
                kept |= {removed.pop(change.path), number}
        self._changes = [step for number, step in enumerate(self._changes) if number not in kept]

    def _make_parents(self, path: str) -> None:
        """Make the folders above a path that someone has removed since."""
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
        subjects = self._begin.subjects
        follows = bool(subjects) and change.kind is ChangeKind.MODIFY and not _is_within(change.path, subjects)
        # A folder is made for whoever needs it, and so belongs to nobody.
        unit = f"{change.path}/" if change.of_folder else self._unit
        self._changes.append((unit, change, preview(change, old, new, follows=follows)))
        if new is not None:
            self._blobs[change.after or ""] = new

    # -- bytes --------------------------------------------------------------------------------------------------

    def _read(self, file: TracedFile) -> bytes:
        """Return the bytes that the change left in a file."""
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
        """Return a file's bytes now, and as they were before the change with all that was written into it since."""
        now, first = self._now(file), self._first_bytes(file)
        if content_hash(now) == file.last:
            return now, first
        last = self._after(file)
        found = None if last is None else merge(last, first, now)
        if found is None or found.data is None or found.clashes:
            raise stale(file.place)
        self._warnings.append(f"{file.place!r} was edited since; that stays")
        return now, found.data

    def _moved(self, file: TracedFile) -> str | None:
        """Return the hash of a file's bytes at the place that it is moved back from."""
        if id(file) not in self._now_at:
            try:
                now = hash_or_none(*self._folders.parent(file.place))
            except (OSError, ToolFailure) as error:
                raise stale(file.place, gone=True) from error
            if now is None:
                raise stale(file.place, gone=True)
            if now != file.last and file.first == file.last:
                self._warnings.append(f"{file.place!r} was edited since; that stays")
            self._now_at[id(file)] = now
        return self._now_at[id(file)]

    def _kept(self, file: TracedFile) -> Iterator[tuple[BeginRecord, str]]:
        """Yield where a file's first bytes may be kept: the change that replaced them, and its name at that time."""
        if len(self._begins) == 1:
            yield self._begin, file.origin or ""
            return
        for one in self._begins:
            for other in follow_changes(one.changes, one.modes).files:
                if other is not None and other.first == file.first and other.origin:
                    yield one, other.origin

    def _first_bytes(self, file: TracedFile) -> bytes:
        """Return the bytes that a file had before the change."""
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
            "safely and nothing was written. Restore the file from a copy of your own",
            data={"path": path},
        )


class _Refusal(NamedTuple):
    """The reason why a file, and everything that belongs to it, stays as it is."""

    path: str
    why: str
    failure: Conflict | ExecutionFailed


def _as_one(begins: Sequence[BeginRecord]) -> BeginRecord:
    """Return changes in a row as one."""
    subjects = [begin.subjects or tuple(change.path for change in begin.changes) for begin in begins]
    has_subjects = any(begin.subjects for begin in begins)
    return begins[0]._replace(
        changes=tuple(change for begin in begins for change in begin.changes),
        modes=tuple(mode for begin in begins for mode in begin.modes),
        keep=all(begin.keep for begin in begins),
        disposal=next((begin.disposal for begin in begins if begin.disposal), None),
        subjects=tuple(dict.fromkeys(path for paths in subjects for path in paths)) if has_subjects else (),
    )


def _is_within(path: str, subjects: tuple[str, ...]) -> bool:
    """Return whether a path is one of some subjects, or lies in a folder among them."""
    return any(path == each or (each.endswith("/") and path.startswith(each)) for each in subjects)


class Foreseen(NamedTuple):
    """The expected result of undoing a change.

    Attributes:
        why: The reason why it cannot be undone at all; None if it can.
        left: The files that would stay as they are.
    """

    why: str | None = None
    left: tuple[LeftFile, ...] = ()


def foresee(
    begins: Iterable[BeginRecord], folders: FolderCache, planned: Callable[[BeginRecord], ChangePlan | None]
) -> Iterator[Foreseen]:
    """Yield, for each change, the expected result of undoing it.

    Args:
        begins: Applied changes, in the order in which they would be undone.
        folders: The vault's folders.
        planned: The plan that undoes one in the vault as it is; None if there is none.
    """
    vault = _Vault(folders)
    undone: set[str] = set()
    for begin in begins:
        by_unit: dict[str, dict[str, PathEffect]] = {}
        units, plan = Units(begin), None
        effects = follow_changes(begin.changes, begin.modes).by_path
        for path, effect in effects.items():
            if effect.first != effect.last and FOLDER not in {effect.first, effect.last}:
                by_unit.setdefault(units.of(path), {})[path] = effect
        left: list[LeftFile] = []
        for files in by_unit.values():
            edited = next((path for path, effect in files.items() if vault[path] != effect.last), None)
            if edited is None:
                vault |= {path: effect.first for path, effect in files.items()}
                undone |= files.keys()
                continue
            plan = plan or planned(begin)
            ends = [] if plan is None else [end for change in plan.changes for end in change.ends()]
            merged = {path: state for path, state in ends if path in files}
            if undone.isdisjoint(files) and merged:
                vault |= merged
                undone |= merged.keys()
            else:
                left.append(LeftFile(edited, "it was edited since"))
                left += [LeftFile(path, f"it belongs together with {edited}") for path in files if path != edited]
        if len(left) < sum(map(len, by_unit.values())) or not left:
            vault |= {path: OTHER for path, effect in effects.items() if effect.first == FOLDER != effect.last}
            yield Foreseen(None, tuple(left))
        else:
            yield Foreseen(f"{left[0].path!r} was edited since")


class _Vault(dict[str, PathState]):
    """The state of each path in the vault as it would be; where nothing was undone, as it is on the disk."""

    def __init__(self, folders: FolderCache) -> None:
        super().__init__()
        self._folders = folders

    def __missing__(self, path: str) -> PathState:
        try:
            self[path] = hash_or_none(*self._folders.parent(path))
        except NotFound:
            self[path] = None
        except (OSError, ToolFailure):
            self[path] = OTHER
        return self[path]
