"""Carry out the steps of a plan, one at a time: each can be taken back, and none overwrites what it did not know.

The journal has the plan already. New bytes are written beside the target and synced; then the two files change places
in one step of the system, and what came out is hashed: if someone wrote to the file in the last instant, it is put
back. The same holds for what is moved and deleted. So there is no moment at which an edit of someone else can be
lost. Only where the system cannot let two files change places (Windows, some network disks) there is one: the
microseconds between the last look and the rename.
"""

import errno
import os
import stat
from collections.abc import Callable, Mapping

from bridge.journal.backups import Backups, copy_durably
from bridge.journal.editors import EditorStep
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import FolderCache, file_hash, hash_or_none, part_name, swap_name
from bridge.journal.path_effects import follow_changes
from bridge.journal.preconditions import exists, stale
from bridge.vault.disk import is_real_folder
from bridge.vault.folder import NEW_FILE_MODE, Folder
from bridge.vault.name_folding import fold
from bridge.vault.plan import Change, ChangeKind


class PlanExecutor:
    """One plan on its way onto the disk.

    Args:
        begin: The plan, as the journal has it.
        blobs: The new bytes, by their hash.
        modes: Permissions that certain new files and folders are to have, by path, in the order they are made: those
            they had before.
        folders: The vault's folders.
        backups: Where what is pushed aside goes.
        editor_step: Writes files that are open in an editor.
    """

    def __init__(
        self,
        begin: BeginRecord,
        *,
        blobs: Mapping[str, bytes],
        modes: Mapping[str, list[int]],
        folders: FolderCache,
        backups: Backups,
        editor_step: EditorStep,
    ) -> None:
        self._begin = begin
        self._effects = follow_changes(begin.changes, begin.modes)
        self._blobs = blobs
        self._modes = {path: iter(known) for path, known in modes.items()}
        self._folders = folders
        self._backups = backups
        self._editor_step = editor_step
        self._changed: set[str] = set()
        self.number = 0
        """The step that is being carried out."""
        self.all_done = False
        """Whether only what comes after the steps is left."""

    @property
    def attempted(self) -> int | None:
        """The step that may have begun last; None when all have."""
        return None if self.all_done else self.number

    def run(self) -> None:
        """Carry out all steps and make them durable.

        Raises:
            Conflict: The vault is not as the plan believes; the steps before this one are done.
            OSError: The disk is full or failed; this step may be half done.
        """
        kinds: dict[ChangeKind, Callable[[Change], None]] = {
            ChangeKind.CREATE: self._create,
            ChangeKind.MODIFY: self._modify,
            ChangeKind.DELETE: self._delete,
            ChangeKind.MOVE: self._move,
            ChangeKind.MKDIR: self._mkdir,
            ChangeKind.RMDIR: self._rmdir,
        }
        emptied = []
        last_uses = self._last_uses()
        for number, change in enumerate(self._begin.changes):
            self.number = number
            # A folder that is held would be followed wherever someone moves it; so every step finds its way anew.
            self._folders.close()
            if change.kind is ChangeKind.RMDIR and last_uses[fold(change.path)] == number:
                emptied.append(change)
            else:
                kinds[change.kind](change)
        # Folders go last: making one again to take a change back needs space, and everything that may run out of
        # space has been done by now.
        self.all_done = True
        for change in emptied:
            self._rmdir(change)
        for path in self._changed:
            self._folders.inside(path).sync()

    def _last_uses(self) -> dict[str, int]:
        """For each place the last step that is about it. Names that differ in case only may be one place."""
        changes = enumerate(self._begin.changes)
        return {fold(path): number for number, change in changes for path in (change.path, change.new_path) if path}

    def _place(self, path: str) -> tuple[Folder, str]:
        """The folder that a step changes, which is made durable at the end, and the name in it."""
        folder, name = self._folders.parent(path)
        self._changed.add(str(folder.path))
        return folder, name

    # -- the kinds of steps -------------------------------------------------------------------------------------

    def _create(self, change: Change) -> None:
        folder, _name = self._place(change.path)
        mode = next(self._modes.get(change.path, iter(())), NEW_FILE_MODE)
        part = self._stage(change, folder, mode)
        self._into_place(folder, part, folder, change.path)

    def _modify(self, change: Change) -> None:
        if change.before == change.after:
            return
        folder, name = self._place(change.path)
        new, keep = self._blobs[change.after or ""], self._effects.keeps[self.number]
        if self._editor_step.write(change, folder, name, keep, new):
            return
        swap = swap_name(self._begin.execution_id, self.number)
        try:
            old = folder.stat(name)
        except FileNotFoundError:
            raise stale(change.path, gone=True) from None
        part = self._stage(change, folder, stat.S_IMODE(old.st_mode), (old.st_uid, old.st_gid))
        folder.move_new(part, folder, swap)
        try:
            swapped = folder.swap(name, folder, swap)
        except FileNotFoundError:
            raise stale(change.path, gone=True) from None
        if swapped:
            if hash_or_none(folder, swap) != change.before:
                folder.swap(name, folder, swap)
                raise stale(change.path)
            self._push_aside(folder, swap)
        else:
            self._replace_without_swap(change, folder, name, swap)

    def _delete(self, change: Change) -> None:
        folder, name = self._place(change.path)
        swap = swap_name(self._begin.execution_id, self.number)
        self._take_out(change, folder, name, swap)
        self._push_aside(folder, swap)

    def _move(self, change: Change) -> None:
        new_path = change.new_path or ""
        folder, name = self._place(change.path)
        to, to_name = self._place(new_path)
        try:
            self._into_place(folder, name, to, new_path)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._move_across_disks(change, folder, name, to)
            return
        if hash_or_none(to, to_name) != change.before:
            to.move_new(to_name, folder, name)
            raise stale(change.path)

    def _mkdir(self, change: Change) -> None:
        if self._begin.modes[self.number] is not None:
            return
        folder, name = self._place(change.path)
        try:
            folder.mkdir(name)
        except FileExistsError:
            # Someone made the same folder in the last instant: then it is there, which is all that was wanted.
            if not is_real_folder(folder.stat(name)):
                raise exists(change.path) from None
            return
        mode = next(self._modes.get(change.path, iter(())), None)
        if mode is not None:
            self._folders.inside(change.path).set_mode(mode)

    def _rmdir(self, change: Change) -> None:
        folder, name = self._place(change.path)
        try:
            folder.rmdir(name)
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR}:
                raise stale(change.path, gone=error.errno == errno.ENOENT) from None
            raise
        self._folders.forget(change.path)
        self._changed.discard(change.path)

    # -- parts of steps -----------------------------------------------------------------------------------------

    def _stage(self, change: Change, folder: Folder, mode: int, owner: tuple[int, int] | None = None) -> str:
        """Write the new bytes beside their place, durably, and read back that they are those that were approved."""
        part = part_name(self._begin.execution_id, self.number)
        folder.create(part, self._blobs[change.after or ""], mode=mode, owner=owner, sync=True)
        if file_hash(folder, part)[0] != change.after:
            raise OSError(errno.EIO, os.strerror(errno.EIO), part)
        return part

    def _into_place(self, folder: Folder, name: str, to: Folder, path: str) -> None:
        """Give a file its place in the vault, which must be free."""
        try:
            folder.move_new(name, to, path.rpartition("/")[2])
        except FileExistsError:
            raise exists(path) from None
        except FileNotFoundError:
            raise stale(path, gone=True) from None

    @staticmethod
    def _take_out(change: Change, folder: Folder, name: str, swap: str) -> None:
        """Take a file out of its place under a hidden name, and put it back if it is not the one that was read."""
        try:
            folder.move_new(name, folder, swap)
        except FileNotFoundError:
            raise stale(change.path, gone=True) from None
        if hash_or_none(folder, swap) != change.before:
            folder.move_new(swap, folder, name)
            raise stale(change.path)

    def _push_aside(self, folder: Folder, name: str) -> None:
        """Bring what a step has taken out into the backups, if it was there before the change.

        The backups' folder is not synced: a rename is in the file system's journal as a whole, and syncing the folder
        that the file came from, at the end of all steps, brings that journal to the disk.
        """
        keep = self._effects.keeps[self.number]
        if keep is None:
            folder.unlink(name)
        else:
            self._backups.take(folder, name, self._begin.execution_id, keep)

    def _replace_without_swap(self, change: Change, folder: Folder, name: str, swap: str) -> None:
        """Where two files cannot change places: a durable copy of the old one, a last look, then the rename."""
        keep = self._effects.keeps[self.number]
        if keep is not None:
            self._backups.copy(folder, name, self._begin.execution_id, keep)
            if self._backups.hash(self._begin.execution_id, keep) != change.before:
                raise stale(change.path)
        now = hash_or_none(folder, name)
        if now != change.before:
            raise stale(change.path, gone=now is None)
        folder.replace(swap, folder, name)

    def _move_across_disks(self, change: Change, folder: Folder, name: str, to: Folder) -> None:
        """A copy at the new place, then the old file away, as a deletion would take it."""
        part = part_name(self._begin.execution_id, self.number)
        copy_durably(folder, name, to, part)
        if file_hash(to, part)[0] != change.before:
            raise stale(change.path)
        self._into_place(to, part, to, change.new_path or "")
        swap = swap_name(self._begin.execution_id, self.number)
        self._take_out(change, folder, name, swap)
        folder.unlink(swap)
