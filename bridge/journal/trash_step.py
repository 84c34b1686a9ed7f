"""Deleting into the trash: what goes is one thing, a folder as one folder, so that a desktop can restore it as one.

The trash is not ours: it may be emptied, be on another disk, take only a part, or fail in its own words. So copies of
all bytes are in the backups, durable, before anything is given to it; undo needs only those. Then everything is looked
at once more, and given away whole. If the system's trash does not take it, the vault's own `.trash` does (rule 77 of
docs/obsidian.md). If anything fails, either all is gone or all is there.

The system's trash is reached through send2trash, which takes an absolute path and so trusts every name on the way
to it. So the path is checked first: it must lead to the very folder that is held open.

What someone writes to a file in the very last instant goes into the trash with it and is found there.
"""

import contextlib
import errno
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from send2trash import send2trash

from bridge.errors import ExecutionFailed, ToolFailure
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import TOGETHER, Backups, FolderCache, hash_or_none
from bridge.journal.preconditions import stale
from bridge.vault.disk import as_failure, is_real_folder
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, with_tail
from bridge.vault.plan import Change, ChangeKind, Disposal
from bridge.vault.root import VaultRoot

LOCAL_TRASH = ".trash"

Trasher = Callable[[str], None]
"""Puts a file or folder, by its absolute path, into the system's trash. It may raise whatever it likes."""


def system_trash(path: str) -> None:
    """Put a file or folder into the system's trash, from which the desktop can restore it to its place.

    Args:
        path: Its absolute path.
    """
    send2trash(path)


def real_path(root: VaultRoot, folder: Folder, name: str) -> str:
    """Return the absolute path of a name in a folder that is held open, for programs that know no held folders.

    Args:
        root: The vault.
        folder: The folder, found without following links.
        name: The name in it.

    Raises:
        OSError: That path leads to another folder or file by now (`ESTALE`), or to nothing.
    """
    where = root.path.joinpath(*folder.path.parts)
    same_way = os.path.realpath(where) == str(where)
    path = where / name
    if not same_way or not os.path.samestat(path.lstat(), folder.stat(name)):
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), name)
    return str(path)


def local_trash(root: VaultRoot) -> Folder:
    """Return the vault's own trash, held open; made when missing, as Obsidian would make it.

    Args:
        root: The vault.

    Raises:
        OSError: It is a link or no folder, or cannot be made.
    """
    with root.folder(VaultPath.root()) as top:
        try:
            return top.child(LOCAL_TRASH)
        except FileNotFoundError:
            top.mkdir(LOCAL_TRASH)
            top.sync()
            return top.child(LOCAL_TRASH)


def put_into(folder: Folder, name: str, trash: Folder) -> str:
    """Move a file or folder into the vault's own trash, in one step of the system.

    Everything lies there side by side, whatever folder it came from. What has a name that is taken gets a number, as
    files do in Obsidian: `Note.md`, `Note 1.md`, `Note 2.md`. (How Obsidian itself names them there is not documented.)

    Args:
        folder: The folder it is in.
        name: Its name there.
        trash: Where it goes.

    Returns:
        Its name in the trash.

    Raises:
        OSError: It could not be moved, and is where it was.
    """
    for candidate in _names(name, whole=is_real_folder(folder.stat(name))):
        try:
            folder.move_new(name, trash, candidate)
        except FileExistsError:
            continue
        return candidate
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)


def _names(name: str, *, whole: bool) -> Iterator[str]:
    """Yield the name, then the name with a number before its extension."""
    yield name
    stem, dot, extension = name.rpartition(".")
    if whole or not stem:
        stem, dot, extension = name, "", ""
    for number in range(1, 100_000):
        yield with_tail(stem, f" {number}{dot}{extension}")


_DELETES = {ChangeKind.DELETE, ChangeKind.RMDIR}
_REPLACED = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ESTALE}
_logger = logging.getLogger(__name__)


def trash_targets(changes: Sequence[Change]) -> list[str]:
    """Return what a plan that only deletes puts into the trash: the outermost of its paths.

    Raises:
        ValueError: The plan does something else too.
    """
    if not all(change.kind in _DELETES for change in changes):
        raise ValueError("A plan that puts something into the trash can do nothing else")
    folders = {change.path for change in changes if change.kind is ChangeKind.RMDIR}
    return [change.path for change in changes if change.path.rpartition("/")[0] not in folders]


@dataclass(slots=True, eq=False)
class TrashStep:
    """One plan that deletes, on its way into the trash.

    Attributes:
        begin: The plan, as the journal has it.
        root: The vault.
        folders: The vault's folders.
        backups: The store for the copies.
        trash: The system's trash.
        check: Raises when a file has text in an editor that is not saved yet.
        attempted: None: any of the steps may have begun.
        went_to: The trash that was used; the vault's own if anything went there.
    """

    begin: BeginRecord
    root: VaultRoot
    folders: FolderCache
    backups: Backups
    trash: Trasher
    check: Callable[[], object]
    attempted: None = None
    went_to: Disposal | None = None
    _states: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _moved: list[tuple[str, str]] = field(default_factory=list)
    _asked: bool = False

    def run(self) -> None:
        """Copy everything, look once more, and give it away.

        Raises:
            Conflict: The vault is not as the plan believes; nothing is gone.
            ToolFailure: The disk is full or failed; what may be missing is in the backups.
        """
        try:
            self._back_up()
            self.check()
            self._look_again()
            for path in trash_targets(self.begin.changes):
                # A folder that is held would be followed wherever someone moves it.
                self.folders.close()
                self._discard(path)
        except Exception:
            self._give_back()
            if not self._asked and not self._moved:
                # Nothing is gone, so an edit that came between is none that this change could have met.
                with contextlib.suppress(OSError, ToolFailure):
                    self.backups.remove(self.begin.execution_id)
            raise

    # -- before anything goes -----------------------------------------------------------------------------------

    def _back_up(self) -> None:
        """Copy every file, and make the copies durable."""
        files = [change for change in self.begin.changes if change.kind is ChangeKind.DELETE]
        together = len(files) >= TOGETHER and self.root.disk.can_sync_all
        for change in files:
            try:
                self._copy(change, sync=not together)
            except OSError as error:
                if error.errno in _REPLACED:
                    raise stale(change.path, gone=error.errno == errno.ENOENT) from error
                raise as_failure(error, change.path) from error
        if together:
            try:
                self.backups.sync()
            except OSError as error:
                raise as_failure(error, self.backups.shown(self.begin.execution_id)) from error

    def _copy(self, change: Change, *, sync: bool) -> None:
        folder, name = self.folders.parent(change.path)
        self._states[change.path] = _identity(folder.stat(name))
        self.backups.copy(folder, name, self.begin.execution_id, change.path, sync=sync)
        if self.backups.hash(self.begin.execution_id, change.path) != change.before:
            raise stale(change.path)

    def _look_again(self) -> None:
        """Check that everything is as it was copied, and nothing more has come."""
        self.folders.close()
        inside: dict[str, set[str]] = {}
        for change in self.begin.changes:
            parent, _, name = change.path.rpartition("/")
            inside.setdefault(parent, set()).add(name)
        for change in self.begin.changes:
            try:
                if change.kind is ChangeKind.RMDIR:
                    same = set(self.folders.inside(change.path).names()) == inside.get(change.path, set())
                else:
                    folder, name = self.folders.parent(change.path)
                    same = _identity(folder.stat(name)) == self._states[change.path]
            except (OSError, ToolFailure):
                same = False
            if not same:
                raise stale(change.path)

    # -- giving away --------------------------------------------------------------------------------------------

    def _discard(self, path: str) -> None:
        folder, name = self.folders.parent(path)
        if self.begin.disposal == "system" and self._to_system(folder, name, path):
            self.went_to = self.went_to or "system"
            with contextlib.suppress(OSError):
                folder.sync()  # after a crash, the disk itself shows that it is gone
            return
        self._to_local(folder, name, path)
        self.went_to = "local"

    def _to_system(self, folder: Folder, name: str, path: str) -> bool:
        """Give it to the system's trash. False when it is still there, untouched."""
        try:
            before = folder.stat(name)
        except FileNotFoundError:
            raise stale(path, gone=True) from None
        try:
            place = real_path(self.root, folder, name)
        except OSError:
            return False  # no absolute path leads there any more; we have the folder itself
        asked, self._asked = self._asked, True
        try:
            self.trash(place)
        except Exception as error:  # noqa: BLE001 (every desktop's trash fails in its own way, and some after the fact)
            # Its own words may hold paths outside the vault.
            _logger.warning("The system's trash did not take %r (%s)", path, type(error).__name__)
        try:
            if not os.path.samestat(before, folder.stat(name)):
                return True  # something new has the name already
        except FileNotFoundError:
            return True
        self.folders.close()
        if self._missing(path):
            raise ExecutionFailed(
                f"The system's trash took only a part of {path!r}. Empty it or free some space, and try again"
            )
        self._asked = asked
        return False

    def _missing(self, path: str) -> bool:
        """Return whether anything that was to be deleted is gone already."""
        for change in self.begin.changes:
            if change.path == path or change.path.startswith(f"{path}/"):
                try:
                    folder, name = self.folders.parent(change.path)
                    folder.stat(name)
                except (OSError, ToolFailure):
                    return True
        return False

    def _to_local(self, folder: Folder, name: str, path: str) -> None:
        if folder.closed:
            folder, name = self.folders.parent(path)
        try:
            with local_trash(self.root) as trash:
                taken = put_into(folder, name, trash)
                self._moved.append((taken, path))
                before = next(change.before for change in self.begin.changes if change.path == path)
                if before is not None and hash_or_none(trash, taken) != before:
                    raise stale(path)
                trash.sync()
            folder.sync()
        except FileNotFoundError:
            raise stale(path, gone=True) from None
        except OSError as error:
            raise _refused(error, path) from error

    def _give_back(self) -> None:
        """Bring what is in the vault's own trash back to its place, the very files; where that fails, copies are."""
        if not self._moved:
            return
        try:
            with local_trash(self.root) as trash:
                while self._moved:
                    taken, path = self._moved[-1]
                    self.folders.close()
                    folder, name = self.folders.parent(path)
                    trash.move_new(taken, folder, name)
                    self._moved.pop()
        except (OSError, ToolFailure):
            _logger.warning("What is in %r could not be brought back from there", LOCAL_TRASH)


def _identity(state: os.stat_result) -> tuple[int, ...]:
    """Return values that differ once a file has been written to or replaced."""
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _refused(error: OSError, path: str) -> ToolFailure:
    if error.errno in {errno.ENOTDIR, errno.ELOOP}:
        return ExecutionFailed(
            f"{LOCAL_TRASH!r} in the vault is a link or no folder, so nothing can go there; remove it"
        )
    if error.errno == errno.EXDEV:
        return ExecutionFailed(
            f"{path!r} lies on another disk than {LOCAL_TRASH!r} of the vault, and the system's trash did not take it. "
            "Delete it by hand"
        )
    return as_failure(error, path)
