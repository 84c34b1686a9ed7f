"""Carry out the steps of a plan, one at a time: each can be taken back, and none overwrites what it did not know.

The journal has the plan already. New bytes are written beside the target and synced, those of many files with one wait;
then the two files change places in one step of the system, and what came out is hashed: if someone wrote to the file in
the last instant, it is put back. The same holds for what is moved and deleted. So there is no moment at which an edit
of someone else can be lost. Only if the system cannot let two files change places (Windows, some network disks)
there is one: the microseconds between the last look and the rename.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Mapping
from itertools import takewhile

from bridge.errors import ToolFailure
from bridge.journal.editors import EditorStep
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import (
    TOGETHER,
    Backups,
    FolderCache,
    copy_durably,
    file_hash,
    hash_or_none,
    part_name,
    swap_name,
)
from bridge.journal.preconditions import exists, follow_changes, stale
from bridge.vault.disk import is_real_folder
from bridge.vault.folder import NEW_FILE_MODE, Folder
from bridge.vault.paths import fold
from bridge.vault.plan import Change, ChangeKind

_Rights = tuple[int, tuple[int, int] | None]
"""A file's permissions, and its user and group."""


class PlanExecutor:
    """One plan on its way onto the disk.

    Args:
        begin: The plan, as the journal has it.
        blobs: The new bytes, by their hash.
        modes: Permissions that certain new files and folders are to have, by path, in the order they are made: those
            they had before.
        folders: The vault's folders.
        backups: The store for what is pushed aside.
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
        self._ahead: dict[int, _Rights] = {}
        """The steps whose new bytes lie beside their files already, with the rights that they have."""
        self.number = 0
        """The step that is being carried out."""
        self.all_done = False
        """Whether all steps are done, and only what follows them is left."""

    @property
    def attempted(self) -> int | None:
        """Return the step that may have begun last; None when all have."""
        return None if self.all_done else self.number

    def run(self) -> None:
        """Carry out all steps and make them durable.

        Raises:
            Conflict: The vault is not as the plan believes; the steps before this one are done.
            OSError: The disk is full or failed; this step may be half done.
        """
        try:
            self._take_steps()
        finally:
            self._remove_parts()

    def _take_steps(self) -> None:
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
        staged = 0
        for number, change in enumerate(self._begin.changes):
            self.number = number
            # A folder that is held would be followed wherever someone moves it; so every step finds its way anew.
            self._folders.close()
            if number >= staged:
                staged = self._stage_ahead(number)
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
        """Return the last step that is about each place. Names that differ in case only may be one place."""
        changes = enumerate(self._begin.changes)
        return {fold(path): number for number, change in changes for path in (change.path, change.new_path) if path}

    def _place(self, path: str) -> tuple[Folder, str]:
        """Return the folder that a step changes, which is made durable at the end, and the name in it."""
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
        part = self._stage(change, folder, *_rights_of(old))
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

    def _stage_ahead(self, first: int) -> int:
        """Write the new bytes of the files that are modified one after another, and wait once until all are durable.

        A file that has gone is left to its own step, which says so.

        Args:
            first: The number of the first step.

        Returns:
            The number of the step that comes after them.
        """
        changes = self._begin.changes
        following = (changes[number] for number in range(first, len(changes)))
        steps = [*takewhile(lambda step: step.kind is ChangeKind.MODIFY, following)]
        if len(steps) < TOGETHER:
            return first + max(len(steps), 1)
        on_disks: dict[int, str] = {}
        for number, change in enumerate(steps, first):
            with contextlib.suppress(ToolFailure, FileNotFoundError):
                folder, name = self._folders.parent(change.path)
                if not folder.disk.can_sync_all or change.before == change.after:
                    continue
                old = folder.stat(name)
                self._ahead[number] = mode, owner = _rights_of(old)
                self._write_part(number, folder, mode, owner, sync=False)
                on_disks[old.st_dev] = change.path
        for path in on_disks.values():
            folder, _name = self._folders.parent(path)
            folder.disk.sync_all(folder.handle())
        return first + len(steps)

    def _remove_parts(self) -> None:
        """Remove new bytes that no step has taken: an editor wrote its file, or the change has failed."""
        for number in self._ahead:
            with contextlib.suppress(ToolFailure, OSError):
                folder, _name = self._folders.parent(self._begin.changes[number].path)
                folder.unlink(part_name(self._begin.execution_id, number))
        self._ahead.clear()

    def _stage(self, change: Change, folder: Folder, mode: int, owner: tuple[int, int] | None = None) -> str:
        """Write the new bytes beside their place, durably, and read back that they are those that were approved."""
        part = part_name(self._begin.execution_id, self.number)
        rights = self._ahead.pop(self.number, None)
        if rights != (mode, owner) or not folder.exists(part):
            if rights is not None:  # they are others by now
                with contextlib.suppress(FileNotFoundError):
                    folder.unlink(part)
            self._write_part(self.number, folder, mode, owner, sync=True)
        if file_hash(folder, part)[0] != change.after:
            raise OSError(errno.EIO, os.strerror(errno.EIO), part)
        return part

    def _write_part(self, number: int, folder: Folder, mode: int, owner: tuple[int, int] | None, *, sync: bool) -> None:
        data = self._blobs[self._begin.changes[number].after or ""]
        folder.create(part_name(self._begin.execution_id, number), data, mode=mode, owner=owner, sync=sync)

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
        """Replace a file where two files cannot be exchanged: a durable copy, a last check, then the rename."""
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
        """Copy to the new place, then remove the old file as a deletion would."""
        part = part_name(self._begin.execution_id, self.number)
        copy_durably(folder, name, to, part)
        if file_hash(to, part)[0] != change.before:
            raise stale(change.path)
        self._into_place(to, part, to, change.new_path or "")
        swap = swap_name(self._begin.execution_id, self.number)
        self._take_out(change, folder, name, swap)
        folder.unlink(swap)


def _rights_of(state: os.stat_result) -> tuple[int, tuple[int, int]]:
    return stat.S_IMODE(state.st_mode), (state.st_uid, state.st_gid)
