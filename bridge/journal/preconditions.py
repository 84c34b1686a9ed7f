"""Is the vault still as the plan believes? Every file is hashed again, in the order of the steps.

Looks and never writes. Done when a person has said yes, and again, under the write lock, when the plan is applied.
"""

import errno
import os
import stat

from bridge.errors import Conflict, NotFound
from bridge.journal.on_disk import OTHER, FolderCache, file_hash
from bridge.journal.path_effects import FOLDER, PathState
from bridge.vault.disk import as_failure, is_real_folder
from bridge.vault.name_folding import fold
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash

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
        f"{path!r} {what}, so nothing was written; read it again and retry",
        code="stale",
        data={"path": path},
    )


def exists(path: str) -> Conflict:
    """Return the refusal because something with this name exists already."""
    return Conflict(
        f"{path!r} exists already; choose another name, or read it and change it instead",
        code="exists",
        data={"path": path},
    )
