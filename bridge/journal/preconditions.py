"""The effects of a list of changes on each path, and the check that the vault is still as they expect.

Applying, recovering and reversing a change all need to know in which states each path may be found if the change
was interrupted anywhere, and which bytes each step pushes aside. A file is followed through its moves and edits,
so that the bytes it had at first are kept once, under the path it had at first. This looks at no disk.

The check hashes every file again, in the order of the steps. It looks and never writes. It is made when a person has
said yes, and again, under the write lock, when the plan is applied.
"""

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field

from bridge.errors import Conflict, NotFound
from bridge.journal.on_disk import OTHER, FolderCache, file_hash
from bridge.vault.disk import as_failure, is_real_folder
from bridge.vault.paths import fold
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash

FOLDER = "folder"
"""The state of a path where a folder is. A file's state is the hash of its bytes, and None is nothing."""

PathState = str | None


@dataclass(slots=True)
class PathEffect:
    """The effect of the changes on one path.

    Attributes:
        first: Its state before the change.
        last: Its state after the change.
        states: Every state it is in at some time.
        mode: The permissions of what was there first.
    """

    first: PathState
    last: PathState
    states: set[PathState] = field(default_factory=set)
    mode: int | None = None


@dataclass(slots=True, eq=False)
class TracedFile:
    """One file on its way through the steps.

    Attributes:
        origin: Where it was first; None for one that the change makes.
        first: The hash of the bytes it had first.
        last: The hash of the bytes it has in the end; None when it is deleted.
        place: Where it is in the end.
        kept: Whether a step so far has pushed its first bytes aside.
    """

    origin: str | None
    first: PathState
    last: PathState
    place: str
    kept: bool = False


@dataclass(slots=True)
class PathEffects:
    """The effects of a list of changes.

    Attributes:
        by_path: The effect on each path, in the order in which the paths are first touched.
        files: For each step, the file it is about; None for folders.
        homes: For each path that a file was moved away from, where its first bytes may be since.
        keeps: For each step, the path under which the bytes that it pushes aside are kept; None when it pushes
            nothing aside that was there before the change.
    """

    by_path: dict[str, PathEffect] = field(default_factory=dict)
    files: list[TracedFile | None] = field(default_factory=list)
    keeps: list[str | None] = field(default_factory=list)
    homes: dict[str, list[str]] = field(default_factory=dict)

    def step(self, path: str, before: PathState, after: PathState, mode: int | None = None) -> None:
        """Note that a step takes a path from one state to another."""
        effect = self.by_path.get(path)
        if effect is None:
            effect = self.by_path[path] = PathEffect(before, before, {before}, mode)
        effect.last = after
        effect.states.add(after)


def follow_changes(changes: Sequence[Change], modes: Sequence[int | None]) -> PathEffects:
    """Follow the changes.

    Args:
        changes: The steps, which must fit each other.
        modes: For each step, the permissions of what it finds; a folder to be made that has some is there already.
    """
    found = PathEffects()
    at: dict[str, TracedFile] = {}
    for change, mode in zip(changes, modes, strict=True):
        file, keep = None, None
        match change.kind:
            case ChangeKind.CREATE:
                file = at[change.path] = TracedFile(None, None, change.after, change.path)
                found.step(change.path, None, change.after)
            case ChangeKind.MODIFY | ChangeKind.DELETE:
                file = at.get(change.path) or TracedFile(change.path, change.before, change.before, change.path)
                if file.origin is not None and not file.kept and change.before != change.after:
                    keep, file.kept = file.origin, True
                file.last = change.after
                at[change.path] = file
                found.step(change.path, change.before, change.after, mode)
                if change.kind is ChangeKind.DELETE:
                    del at[change.path]
            case ChangeKind.MOVE:
                file = at.pop(change.path, None) or TracedFile(change.path, change.before, change.before, change.path)
                new_path = file.place = change.new_path or change.path
                at[new_path] = file
                if file.origin is not None and change.before == file.first:
                    found.homes.setdefault(file.origin, []).append(new_path)
                found.step(change.path, change.before, None, mode)
                found.step(new_path, None, change.before)
            case ChangeKind.MKDIR:
                found.step(change.path, None if mode is None else FOLDER, FOLDER, mode)
            case ChangeKind.RMDIR:
                found.step(change.path, FOLDER, None, mode)
        found.files.append(file)
        found.keeps.append(keep)
    return found


StateAndStat = tuple[PathState, os.stat_result | None]
"""The state of a path, and the disk's own record of it."""

_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


def check_preconditions(plan: ChangePlan, folders: FolderCache) -> tuple[os.stat_result | None, ...]:
    """Check every step of a plan against the disk, as the earlier steps will leave it.

    Returns:
        For each step, the state of what it finds; None if it finds nothing, or what an earlier step made.

    Raises:
        Conflict: A file was changed or removed since it was read (`stale`), or something has the place of what is to
            be made (`exists`).
        ExecutionFailed: The disk cannot be read.
    """
    checker = PreconditionCheck(folders)
    return tuple(checker.step(change) for change in plan.changes)


class PreconditionCheck:
    """The vault as it is, overlaid with what the steps so far will have done.

    Args:
        folders: The vault's folders.
    """

    def __init__(self, folders: FolderCache) -> None:
        self._folders = folders
        self._overlay: dict[str, StateAndStat] = {}
        self._listed: dict[str, dict[str, list[str]]] = {}

    def step(self, change: Change) -> os.stat_result | None:
        """Check one step, then take it as done. Raises what `check_preconditions` raises."""
        match change.kind:
            case ChangeKind.CREATE:
                self._make_room(change.path)
                self._overlay[change.path] = change.after, None
                return None
            case ChangeKind.MODIFY | ChangeKind.DELETE:
                state = self._expect(change)
                self._overlay[change.path] = change.after, state
            case ChangeKind.MOVE:
                state = self._expect(change)
                self._overlay[change.path] = None, None
                self._make_room(change.new_path or "")
                self._overlay[change.new_path or ""] = change.before, state
            case ChangeKind.MKDIR:
                state = self._expect_folder_or_room(change.path)
                self._overlay[change.path] = FOLDER, state
            case ChangeKind.RMDIR:
                now, state = self._look(change.path)
                if now != FOLDER:
                    raise stale(change.path, gone=now is None)
                self._expect_empty(change.path)
                self._overlay[change.path] = None, None
        return state

    def _expect_folder_or_room(self, path: str) -> os.stat_result | None:
        """Return the state of a folder, which must exist or have room."""
        now, state = self._look(path)
        if now == FOLDER:
            return state
        try:
            self._make_room(path)
        except Conflict:
            now, made = self._look(path)
            if now != FOLDER:
                raise
            return made  # by another plan, between our two looks: this check may run without the write lock
        return state

    def _look(self, path: str) -> StateAndStat:
        return self._overlay.get(path) or state_on_disk(path, self._folders)

    def _expect(self, change: Change) -> os.stat_result | None:
        now, state = self._look(change.path)
        if now != change.before:
            raise stale(change.path, gone=now is None)
        return state

    def _make_room(self, path: str) -> None:
        """Check that something can be made at this path: its folder exists, and no name matches, however spelled."""
        parent, slash, name = path.rpartition("/")
        if parent and self._look(parent)[0] != FOLDER:
            raise stale(parent, gone=True)
        alike = self._names(parent).setdefault(fold(name), [])
        for other in alike:
            if self._is_left(parent + slash + other):
                raise exists(parent + slash + other)
        alike.append(name)

    def _expect_empty(self, path: str) -> None:
        """Check that the steps so far have emptied the folder."""
        for name in [name for names in self._names(path).values() for name in names]:
            if self._is_left(f"{path}/{name}"):
                raise Conflict(
                    f"The folder {path!r} now holds {name!r}; list it again and plan the change anew",
                    code="stale",
                    data={"path": f"{path}/{name}"},
                )

    def _is_left(self, path: str) -> bool:
        """Return whether something that was listed is still there after the steps so far."""
        return path not in self._overlay or self._overlay[path][0] is not None

    def _names(self, parent: str) -> dict[str, list[str]]:
        """Return the names in a folder, on disk and to be made, by what they share with other spellings."""
        if parent not in self._listed:
            self._listed[parent] = {}
            try:
                for name in self._folders.inside(parent).names():
                    self._listed[parent].setdefault(fold(name), []).append(name)
            except NotFound:
                pass
            except OSError as error:
                raise as_failure(error, parent) from error
        return self._listed[parent]


def state_on_disk(path: str, folders: FolderCache) -> StateAndStat:
    """Return the current state of a path.

    Raises:
        ExecutionFailed: It cannot be read.
    """
    try:
        folder, name = folders.parent(path)
        state = folder.stat(name)
        if is_real_folder(state):
            return FOLDER, state
        if not stat.S_ISREG(state.st_mode):
            return OTHER, state
        return file_hash(folder, name)
    except NotFound:
        return None, None
    except OSError as error:
        if error.errno in _GONE:
            return None, None
        raise as_failure(error, path) from error


def read_before(change: Change, folders: FolderCache) -> bytes:
    """Return the bytes that a change starts from.

    Raises:
        Conflict: They are no longer there (`stale`).
        ExecutionFailed: They cannot be read.
    """
    try:
        folder, name = folders.parent(change.path)
        data = folder.read(name)
    except NotFound:
        raise stale(change.path, gone=True) from None
    except OSError as error:
        if error.errno in _GONE:
            raise stale(change.path, gone=True) from None
        raise as_failure(error, change.path) from error
    if content_hash(data) != change.before:
        raise stale(change.path)
    return data


def stale(path: str, *, gone: bool = False) -> Conflict:
    """Return the refusal because a file has changed since it was read."""
    what = "is no longer there" if gone else "has changed since it was read"
    return Conflict(
        f"{path!r} {what}, so nothing was written; read it again and retry", code="stale", data={"path": path}
    )


def exists(path: str) -> Conflict:
    """Return the refusal because something with this name exists already."""
    return Conflict(
        f"{path!r} exists already; choose another name, or read it and change it instead",
        code="exists",
        data={"path": path},
    )
