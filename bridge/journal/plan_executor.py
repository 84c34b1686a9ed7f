"""Carry out the steps of a plan, one at a time: each can be taken back, and none overwrites what it did not know.

The journal has the plan already. New bytes are written beside the target and synced, those of many files with one wait;
then the two files change places in one step of the system, and what came out is hashed: if someone wrote to the file in
the last instant, it is put back. The same holds for what is moved and deleted. So there is no moment at which an edit
of someone else can be lost. Only if the system cannot let two files change places (Windows, some network disks)
there is one: the microseconds between the last look and the rename.

A program that reads a file, changes it and writes it to disk races with an editor that holds its text. So a file that
is open in Obsidian is written by Obsidian (`Editors`), and one with text that is not saved yet is not written at all.
Whatever the program says it did, the disk is asked: only the new bytes there mean that the step is done.
"""

import contextlib
import errno
import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from bridge.contract.hosts import WriteOutcome
from bridge.errors import Conflict, DeadlineExceeded, ToolFailure
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import TOGETHER, Backups, FolderCache, copy_durably, file_hash, hash_or_none, hidden_name
from bridge.journal.preconditions import PathEffects, exists, follow_changes, stale
from bridge.vault.disk import is_real_folder
from bridge.vault.folder import NEW_FILE_MODE, Folder
from bridge.vault.paths import fold
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash
from bridge.vault.text import BOM

_TOUCHES = {ChangeKind.MODIFY, ChangeKind.DELETE, ChangeKind.MOVE}


class OpenFiles(NamedTuple):
    """The open files, and those of them with text that is not on disk yet."""

    open: frozenset[str] = frozenset()
    unsaved: frozenset[str] = frozenset()


class Editors:
    """A program with editors, if one is connected: here, nothing is, ever.

    Called from worker threads; every wait is bounded.
    """

    @property
    def connected(self) -> bool:
        """Return whether an editor is connected. Costs nothing."""
        return False

    def look(self, paths: Sequence[str]) -> OpenFiles:
        """Return which of these files are open; none if no editor is connected any more.

        Args:
            paths: Vault-relative.

        Raises:
            DeadlineExceeded: It is connected and gave no answer.
        """
        del paths
        return OpenFiles()

    def write(self, path: str, expected: str, text: str) -> WriteOutcome | None:
        """Write a file, if its bytes have the expected hash.

        Args:
            path: Vault-relative.
            expected: The sha256, in hex, of the bytes that are to be replaced.
            text: The whole new text.

        Returns:
            What became of it; None when nobody said, so that it may or may not have been written.
        """
        del path, expected, text
        return None


def touched(plan: ChangePlan) -> tuple[str, ...]:
    """Return the files whose text a plan changes, moves or removes."""
    return tuple(dict.fromkeys(change.path for change in plan.changes if change.kind in _TOUCHES))


def unsaved_warnings(plan: ChangePlan, editors: Editors) -> Iterator[str]:
    """Yield what a person should know about open editors before they answer.

    Args:
        plan: The plan in question.
        editors: The editors.

    Yields:
        One sentence for each file with text that is not saved, or one when Obsidian does not answer.
    """
    if not editors.connected or not (paths := touched(plan)):
        return
    try:
        unsaved = editors.look(paths).unsaved
    except ToolFailure:
        yield "Obsidian did not say whether these files hold text that is not saved yet"
        return
    for path in paths:
        if path in unsaved:
            yield (
                f"{path!r} is open in Obsidian with text that is not saved yet. That text is never overwritten: "
                "this change will be refused unless the text is as the change expects it"
            )


def refuse_unsaved(plan: ChangePlan, editors: Editors) -> OpenFiles:
    """Return which of a plan's files are open, unless one has unsaved text.

    Raises:
        Conflict: A file has text that is not saved yet (`stale`), or this cannot be found out (`busy`).
    """
    if not editors.connected or not (paths := touched(plan)):
        return OpenFiles()
    try:
        found = editors.look(paths)
    except DeadlineExceeded:
        raise Conflict(
            "Obsidian is connected but does not say which of the files hold text that is not saved yet, so nothing "
            "was written; try again, or ask the user to look at Obsidian",
            code="busy",
        ) from None
    for path in paths:
        if path in found.unsaved:
            raise unsaved(path)
    return found


def unsaved(path: str) -> Conflict:
    """Return the refusal because an editor has newer text than the disk."""
    return Conflict(
        f"{path!r} is open in Obsidian with text that is not saved yet, so nothing was written; "
        "wait some seconds until Obsidian has saved it, read it again and retry",
        code="stale",
        data={"path": path, "unsaved": True},
    )


SETTLE_SECONDS = 2.0
"""Time that the disk may take to show what an editor wrote."""
_LOOK_SECONDS = 0.01
LARGEST = 2 << 20
"""Bytes of a file that go through an editor. A larger file has no text unsaved, and is written on disk."""

_NOT_WRITTEN: set[WriteOutcome | None] = {"stale", "unsaved", "missing", "failed"}


class EditorStep:
    """One plan's dealings with open editors.

    Args:
        editors: Who has files open.
        plan: The plan.
        backups: The store for old bytes.
        execution_id: The change.

    Raises:
        Conflict: A file has text in an editor that is not saved yet; nothing has been done.
    """

    def __init__(self, editors: Editors, plan: ChangePlan, backups: Backups, execution_id: str) -> None:
        self._editors = editors
        self._backups = backups
        self._id = execution_id
        opened = refuse_unsaved(plan, editors).open
        # An editor knows a file by its path, which must not be one that a step before gave to another file.
        steps = Counter(path for change in plan.changes for path in change.places if path in opened)
        self._ours = {path for path, count in steps.items() if count == 1}

    def write(self, change: Change, folder: Folder, name: str, keep: str | None, new: bytes) -> bool:
        """Have a file written by the editor it is open in.

        Args:
            change: The step, a `modify`.
            folder: The folder that the file is in.
            name: Its name there.
            keep: The path under which its old bytes are to be kept; None when they are kept already.
            new: The new bytes.

        Returns:
            Whether it was; otherwise nothing has been done, and the step is to be carried out on disk.

        Raises:
            Conflict: The file is neither as it was nor as it should be, or has text that is not saved yet.
            OSError: The disk is full or failed.
        """
        if change.path not in self._ours or not _is_plain(new):
            return False
        try:
            old = folder.read(name, limit=LARGEST + 1)
        except FileNotFoundError:
            raise stale(change.path, gone=True) from None
        if not _is_plain(old):
            return False
        if content_hash(old) != change.before:
            raise stale(change.path)
        if keep is not None:
            self._backups.copy(folder, name, self._id, keep)
        outcome = self._editors.write(change.path, change.before, new.decode())
        now = _settled(lambda: hash_or_none(folder, name), change, outcome)
        if now == change.after:
            _make_durable(folder, name)
            return True
        if keep is not None and (now == change.before or outcome in _NOT_WRITTEN):
            self._backups.drop(self._id, keep)  # nothing was replaced
        self._explain(change, outcome, now)
        return False

    def _explain(self, change: Change, outcome: WriteOutcome | None, now: str | None) -> None:
        """Raise, unless the file is as it was and may be written on disk."""
        if outcome == "unsaved":
            raise unsaved(change.path)
        if now != change.before or outcome in {"stale", "written"}:
            raise stale(change.path, gone=now is None)
        try:
            if change.path in self._editors.look([change.path]).unsaved:
                raise unsaved(change.path)
        except DeadlineExceeded:
            return  # when it was asked before, nothing was unsaved


def _settled(look: Callable[[], str | None], change: Change, outcome: WriteOutcome | None) -> str | None:
    """Return the hash of what is on disk, once it shows what the editor did."""
    patience = time.monotonic() + SETTLE_SECONDS
    while (now := look()) != change.after and time.monotonic() < patience:
        if outcome in _NOT_WRITTEN or (outcome is None and now == change.before):
            break
        time.sleep(_LOOK_SECONDS)
    return now


def _is_plain(data: bytes) -> bool:
    """Return whether an editor keeps these bytes exactly: UTF-8 without a byte order mark, and not too large."""
    if len(data) > LARGEST or data.startswith(BOM) or b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _make_durable(folder: Folder, name: str) -> None:
    """Sync a file, which the editor's program does not do. Windows has no way to, for a file opened for reading."""
    if os.name == "posix":
        with folder.open(name) as file:
            folder.disk.fsync(file.fileno())


_Rights = tuple[int, tuple[int, int] | None]
"""A file's permissions, and its user and group."""


@dataclass(slots=True, eq=False)
class PlanExecutor:
    """One plan on its way onto the disk.

    Attributes:
        begin: The plan, as the journal has it.
        blobs: The new bytes, by their hash.
        modes: Permissions that certain new files and folders are to have, by path, in the order they are made: those
            they had before.
        folders: The vault's folders.
        backups: The store for what is pushed aside.
        editor_step: Writes files that are open in an editor.
        attempted: The step that may have begun last; None when all have, and only what follows them is left.
    """

    begin: BeginRecord
    blobs: Mapping[str, bytes]
    modes: Mapping[str, Iterator[int]]
    folders: FolderCache
    backups: Backups
    editor_step: EditorStep
    attempted: int | None = 0
    _number: int = 0
    """The step that is being carried out."""
    _effects: PathEffects = field(init=False)
    _changed: set[str] = field(default_factory=set)
    _ahead: dict[int, _Rights] = field(default_factory=dict)
    """The steps whose new bytes lie beside their files already, with the rights that they have."""

    def __post_init__(self) -> None:
        self._effects = follow_changes(self.begin.changes, self.begin.modes)

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
        emptied = []
        # Names that differ in case only may be one place.
        last_uses = {fold(path): number for number, one in enumerate(self.begin.changes) for path in one.places}
        staged = 0
        for number, change in enumerate(self.begin.changes):
            self._number = self.attempted = number
            # A folder that is held would be followed wherever someone moves it; so every step finds its way anew.
            self.folders.close()
            if number >= staged:
                staged = self._stage_ahead(number)
            if change.kind is ChangeKind.RMDIR and last_uses[fold(change.path)] == number:
                emptied.append(change)
            else:
                getattr(self, f"_{change.kind.value}")(change)
        # Folders go last: making one again to take a change back needs space, and everything that may run out of
        # space has been done by now.
        self.attempted = None
        for change in emptied:
            self._rmdir(change)
        for path in self._changed:
            self.folders.inside(path).sync()

    def _place(self, path: str) -> tuple[Folder, str]:
        """Return the folder that a step changes, which is made durable at the end, and the name in it."""
        folder, name = self.folders.parent(path)
        self._changed.add(str(folder.path))
        return folder, name

    # -- the kinds of steps -------------------------------------------------------------------------------------

    def _create(self, change: Change) -> None:
        folder, _name = self._place(change.path)
        part = self._stage(change, folder, next(self.modes.get(change.path, iter(())), NEW_FILE_MODE))
        self._into_place(folder, part, folder, change.path)

    def _modify(self, change: Change) -> None:
        if change.before == change.after:
            return
        folder, name = self._place(change.path)
        new, keep = self.blobs[change.after or ""], self._effects.keeps[self._number]
        if self.editor_step.write(change, folder, name, keep, new):
            return
        swap = hidden_name(self.begin.execution_id, self._number, "swap")
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
        swap = hidden_name(self.begin.execution_id, self._number, "swap")
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
        if self.begin.modes[self._number] is not None:
            return
        folder, name = self._place(change.path)
        try:
            folder.mkdir(name)
        except FileExistsError:
            # Someone made the same folder in the last instant: then it is there, which is all that was wanted.
            if not is_real_folder(folder.stat(name)):
                raise exists(change.path) from None
            return
        mode = next(self.modes.get(change.path, iter(())), None)
        if mode is not None:
            self.folders.inside(change.path).set_mode(mode)

    def _rmdir(self, change: Change) -> None:
        folder, name = self._place(change.path)
        try:
            folder.rmdir(name)
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR}:
                raise stale(change.path, gone=error.errno == errno.ENOENT) from None
            raise
        self.folders.forget(change.path)
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
        changes = self.begin.changes
        following = (changes[number] for number in range(first, len(changes)))
        steps = [*takewhile(lambda step: step.kind is ChangeKind.MODIFY, following)]
        if len(steps) < TOGETHER:
            return first + max(len(steps), 1)
        on_disks: dict[int, str] = {}
        for number, change in enumerate(steps, first):
            with contextlib.suppress(ToolFailure, FileNotFoundError):
                folder, name = self.folders.parent(change.path)
                if not folder.disk.can_sync_all or change.before == change.after:
                    continue
                old = folder.stat(name)
                self._ahead[number] = mode, owner = _rights_of(old)
                self._write_part(number, folder, mode, owner, sync=False)
                on_disks[old.st_dev] = change.path
        for path in on_disks.values():
            folder, _name = self.folders.parent(path)
            folder.disk.sync_all(folder.handle())
        return first + len(steps)

    def _remove_parts(self) -> None:
        """Remove new bytes that no step has taken: an editor wrote its file, or the change has failed."""
        for number in self._ahead:
            with contextlib.suppress(ToolFailure, OSError):
                folder, _name = self.folders.parent(self.begin.changes[number].path)
                folder.unlink(hidden_name(self.begin.execution_id, number, "part"))
        self._ahead.clear()

    def _stage(self, change: Change, folder: Folder, mode: int, owner: tuple[int, int] | None = None) -> str:
        """Write the new bytes beside their place, durably, and read back that they are those that were approved."""
        part = hidden_name(self.begin.execution_id, self._number, "part")
        rights = self._ahead.pop(self._number, None)
        if rights != (mode, owner) or not folder.exists(part):
            if rights is not None:  # they are others by now
                with contextlib.suppress(FileNotFoundError):
                    folder.unlink(part)
            self._write_part(self._number, folder, mode, owner, sync=True)
        if file_hash(folder, part)[0] != change.after:
            raise OSError(errno.EIO, os.strerror(errno.EIO), part)
        return part

    def _write_part(self, number: int, folder: Folder, mode: int, owner: tuple[int, int] | None, *, sync: bool) -> None:
        data = self.blobs[self.begin.changes[number].after or ""]
        folder.create(hidden_name(self.begin.execution_id, number, "part"), data, mode=mode, owner=owner, sync=sync)

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
        keep = self._effects.keeps[self._number]
        if keep is None:
            folder.unlink(name)
        else:
            self.backups.take(folder, name, self.begin.execution_id, keep)

    def _replace_without_swap(self, change: Change, folder: Folder, name: str, swap: str) -> None:
        """Replace a file where two files cannot be exchanged: a durable copy, a last check, then the rename."""
        keep = self._effects.keeps[self._number]
        if keep is not None:
            self.backups.copy(folder, name, self.begin.execution_id, keep)
            if self.backups.hash(self.begin.execution_id, keep) != change.before:
                raise stale(change.path)
        now = hash_or_none(folder, name)
        if now != change.before:
            raise stale(change.path, gone=now is None)
        folder.replace(swap, folder, name)

    def _move_across_disks(self, change: Change, folder: Folder, name: str, to: Folder) -> None:
        """Copy to the new place, then remove the old file as a deletion would."""
        part = hidden_name(self.begin.execution_id, self._number, "part")
        copy_durably(folder, name, to, part)
        if file_hash(to, part)[0] != change.before:
            raise stale(change.path)
        self._into_place(to, part, to, change.new_path or "")
        swap = hidden_name(self.begin.execution_id, self._number, "swap")
        self._take_out(change, folder, name, swap)
        folder.unlink(swap)


def _rights_of(state: os.stat_result) -> tuple[int, tuple[int, int]]:
    return stat.S_IMODE(state.st_mode), (state.st_uid, state.st_gid)
