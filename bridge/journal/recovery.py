"""An interrupted change is finished, or taken back: every path as it was, except those that someone else wrote to.

Every path is judged by itself, by the hash of what is there: bytes from before the change, bytes that some step made,
or bytes that someone else wrote since. So nothing depends on the order in which a failing disk kept the steps, and the
work may itself be interrupted and begun again. What someone else wrote is never touched.

What is still in the way is never deleted before it has been looked at: it is taken out under a hidden name, hashed,
and put back if it is not ours. Old bytes come back by renames alone wherever the disk allows, so that this works on a
full disk too.
"""

import contextlib
import errno
import stat
from collections.abc import Callable
from itertools import count
from typing import Literal, NamedTuple

from bridge.errors import InvalidParameters, NotFound, PermissionDenied
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import (
    OTHER,
    Backups,
    FolderCache,
    copy_durably,
    find_hidden,
    free_back_name,
    hash_or_none,
    hidden_name,
)
from bridge.journal.preconditions import FOLDER, PathEffect, PathEffects, PathState, follow_changes, state_on_disk
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, parse_path, with_tail
from bridge.vault.plan import Change, ChangeKind
from bridge.vault.root import VaultRoot


class RecoveryOutcome(NamedTuple):
    """The result of recovering an interrupted change.

    Attributes:
        outcome: `conflicted` when it could be taken back only in part.
        message: What a person should know; None when there is nothing.
    """

    outcome: Literal["done", "rolled_back", "conflicted"]
    message: str | None = None


class HiddenFile(NamedTuple):
    """A hidden file that a step or a rollback left beside its target, with known bytes.

    Attributes:
        folder: Where it is.
        name: Its name there.
        hash: Of its bytes.
        owner: The path it had before the change, if that is known.
    """

    folder: VaultPath
    name: str
    hash: str
    owner: str | None = None


def take_back(begin: BeginRecord, attempted: int | None, root: VaultRoot, backups: Backups) -> RecoveryOutcome:
    """Take back a change that failed in this very process.

    Args:
        begin: The change.
        attempted: The number of the step that failed; None when all had been carried out.
        root: The vault.
        backups: The store for what was pushed aside.

    Raises:
        OSError: The disk is full or failed. It can be tried again, with `recover_change`.
        ToolFailure: The same, said by the vault.
    """
    with FolderCache(root) as folders:
        return UnfinishedChange(begin, folders, backups, attempted).roll_back()


def recover_change(begin: BeginRecord, root: VaultRoot, backups: Backups) -> RecoveryOutcome:
    """Deal with a change that an earlier process left unfinished.

    It is completed if only the mark is missing, and taken back otherwise. Arguments and errors are as of `take_back`.
    """
    with FolderCache(root) as folders:
        try:
            unfinished = UnfinishedChange(begin, folders, backups)
        except (InvalidParameters, PermissionDenied):
            why = "names paths that are closed to tools; it was left alone"
            return RecoveryOutcome("conflicted", f"The interrupted change {begin.execution_id} {why}")
        return unfinished.complete() if unfinished.is_whole() else unfinished.roll_back()


class UnfinishedChange:
    """One interrupted change.

    Looking at it already tidies: bytes that were being written are removed, and an edit of someone else that the
    change had taken out without knowing is put back.

    Args:
        begin: The change, as the journal has it.
        folders: The vault's folders.
        backups: The store for what was pushed aside.
        attempted: The number of the last step that may have begun; None when nobody knows.
    """

    def __init__(
        self, begin: BeginRecord, folders: FolderCache, backups: Backups, attempted: int | None = None
    ) -> None:
        count = len(begin.changes) if attempted is None else attempted + 1
        self.begin = begin
        self._id = begin.execution_id
        self.folders = folders
        self.backups = backups
        self.changes: tuple[Change, ...] = begin.changes[:count]
        self.effects: PathEffects = follow_changes(self.changes, begin.modes[:count])
        self._by_path = self.effects.by_path
        self.last_only = self._paths_of_last_step() if attempted is not None else set()
        """Paths of the last step alone: if someone else's bytes are there, the step did not get to write its own."""
        self.saved: list[str] = []
        """Paths of which bytes that nobody else has were put into the backups."""
        self.left: list[str] = []
        """Paths that the change had reached and that are left alone; more turn up while we work."""
        self.hidden_files: list[HiddenFile] = []
        self._gather()
        self.now: dict[str, PathState] = {path: state_on_disk(path, folders)[0] for path in self._by_path}

    # -- judging ------------------------------------------------------------------------------------------------

    def is_whole(self) -> bool:
        """Return whether every step was carried out, so that only the mark is missing."""
        return all(map(self._is_last, self._by_path))

    def _is_last(self, path: str) -> bool:
        """Return whether the change has done all it does to a path."""
        effect = self._by_path[path]
        if len(effect.states) == 1:
            return True
        if self._is_foreign(path):
            # What goes into the trash is copied into the backups first, so a backup proves nothing.
            return self.begin.disposal is None and self._was_done(path)
        # Where the bytes are the same before and after (removed and made again, say), only a backup proves it.
        needs_backup = effect.first == effect.last and path in self.effects.keeps
        return self.now[path] == effect.last and (not needs_backup or self._was_done(path))

    def _is_foreign(self, path: str) -> bool:
        """Return whether someone else changed this path since: its state is not one that the change knows."""
        return self.now[path] not in self._by_path[path].states

    def _was_done(self, path: str) -> bool:
        """Return whether the change reached a path before someone else did: its old bytes are then somewhere else."""
        first = self._by_path[path].first
        if first is None or first == FOLDER:
            return path not in self.last_only
        return (
            any(hidden.hash == first and hidden.owner in {path, None} for hidden in self.hidden_files)
            or any(self._is_at_home(path, home) for home in self.effects.homes.get(path, ()))
            or self.backups.hash(self._id, path) == first
        )

    def _is_at_home(self, path: str, home: str) -> bool:
        """Return whether a path's first file is at a destination of its move, and not needed there."""
        first = self._by_path[path].first
        return self.now[home] == first and self._by_path[home].first != first

    # -- making whole -------------------------------------------------------------------------------------------

    def complete(self) -> RecoveryOutcome:
        """Put away what the last steps left, and make everything durable."""
        self._put_away({path for path in self.effects.keeps if path is not None})
        self._sync()
        if not self.begin.keep:
            self.backups.remove(self._id)
        return RecoveryOutcome("done", self._message())

    def roll_back(self) -> RecoveryOutcome:
        """Take the change back. May be interrupted and begun again.

        When no path is left alone, because someone else wrote to it since, nothing is left of the change, and its
        backups are removed.

        Raises:
            OSError: The disk is full or failed; nothing is lost, and this can be tried again.
            ExecutionFailed: The same, said by the vault.
        """
        self.left = [path for path in self._by_path if self._is_foreign(path) and self._was_done(path)]
        self._make_folders()
        self._restore_files()
        self._remove_files()
        self._restore_modes()
        # Bytes from before the change are thrown away only where they are back in their place.
        self.left += self._put_away(self._missing()).difference(self.left)
        self._remove_folders()
        self._sync()
        if self.left or self.saved:
            return RecoveryOutcome("conflicted", self._message())
        self.backups.remove(self._id)
        return RecoveryOutcome("rolled_back")

    def _message(self) -> str | None:
        """Return what a person should know if someone else wrote to the same files."""
        reasons = []
        if self.left:
            files = ", ".join(map(repr, self.left))
            reasons.append(f"{files} had been edited meanwhile or could not be put back, and were left as they are")
        if self.saved:
            reasons.append(f"bytes that had no other place were kept as {', '.join(map(repr, self.saved))}")
        if not reasons:
            return None
        return (
            f"The change {self._id} was interrupted: {'; '.join(reasons)}. "
            f"Look into {Backups.shown(self._id)!r} for those bytes"
        )

    def _put_away(self, wanted: set[str]) -> set[str]:
        """Remove the spare files; those with the first bytes of a wanted path go into the backups, if not there yet.

        Returns:
            The paths whose bytes went there.

        Raises:
            OSError: The disk is full or failed.
        """
        kept = set()
        for hidden in self.hidden_files:
            keep = next((path for path in wanted if self._lacks(path, hidden.hash)), None)
            folder = self.folders.folder(hidden.folder)
            if keep is None:
                folder.unlink(hidden.name)
            else:
                self.backups.take(folder, hidden.name, self._id, keep, replace=True)
                kept.add(keep)
        self.hidden_files.clear()
        return kept

    def _sync(self) -> None:
        """Make every folder that the change touched durable."""
        for path in {parse_path(path).parent for path in self._by_path}:
            try:
                self.folders.folder(path).sync()
            except NotFound:
                continue

    def _save(self, folder: Folder, name: str, path: str) -> None:
        """Keep bytes that nobody else has, and that have no place in the vault, in the backups of this change."""
        parent, slash, last = path.rpartition("/")
        for number in count():
            spelling = parent + slash + with_tail(last, f".{number}") if number else path
            with contextlib.suppress(FileExistsError):
                self.backups.take(folder, name, self._id, spelling)
                self.saved.append(spelling)
                return

    def _lacks(self, path: str, content: str) -> bool:
        effect: PathEffect | None = self._by_path.get(path)
        return effect is not None and effect.first == content and self.backups.hash(self._id, path) != content

    def _paths_of_last_step(self) -> set[str]:
        *earlier, last = self.changes
        return set(last.places).difference(*(change.places for change in earlier))

    # -- what lies about ----------------------------------------------------------------------------------------

    def _gather(self) -> None:
        """Find the hidden files of the change in every folder it touches."""
        known = {state for effect in self._by_path.values() for state in effect.states}
        for parent in dict.fromkeys(parse_path(path).parent for path in self._by_path):
            try:
                folder = self.folders.folder(parent)
            except NotFound:
                continue
            for name, step, suffix in find_hidden(folder, self._id):
                if suffix == "part":
                    folder.unlink(name)
                    continue
                found = hash_or_none(folder, name) or OTHER
                if suffix == "swap" and step < len(self.changes):
                    self._judge(step, folder, name, found)
                elif found in known:
                    self.hidden_files.append(HiddenFile(parent, name, found))
                else:
                    self._save(folder, name, next(path for path in self._by_path if parse_path(path).parent == parent))

    def _judge(self, step: int, folder: Folder, swap: str, found: str) -> None:
        """Decide what to do with the file that a step had beside its target."""
        change, file = self.changes[step], self.effects.files[step]
        if found == change.before:
            owner = file.origin if file is not None and file.first == found else None
            self.hidden_files.append(HiddenFile(folder.path, swap, found, owner))
        elif change.kind is ChangeKind.MODIFY and found == change.after:
            folder.unlink(swap)
        else:
            # Someone's edit that came in the last instant, taken out and not yet looked at.
            self._give_back(change, folder, swap)

    def _give_back(self, change: Change, folder: Folder, swap: str) -> None:
        name = parse_path(change.path).name
        there = hash_or_none(folder, name)
        if there is None and change.kind is not ChangeKind.MODIFY:
            folder.move_new(swap, folder, name)
            return
        given_back = there is not None and there == change.after and folder.swap(name, folder, swap)
        if given_back and hash_or_none(folder, swap) == change.after:
            folder.unlink(swap)
        else:
            self._save(folder, swap, change.path)

    # -- taking back --------------------------------------------------------------------------------------------

    def _make_folders(self) -> None:
        """Make folders again that were removed, outermost first."""
        for path, effect in sorted(self._by_path.items(), key=lambda item: item[0].count("/")):
            if effect.first == FOLDER and self.now[path] is None:
                try:
                    folder, name = self.folders.parent(path)
                except NotFound:
                    self.left.append(path)
                    continue
                folder.mkdir(name)
                if effect.mode is not None:
                    self.folders.inside(path).set_mode(effect.mode)
                self.now[path] = FOLDER

    def _restore_files(self) -> None:
        """Restore files that were changed, moved away or deleted.

        Several of them may have had the same bytes. So each first gets the very file it was, and what is then left
        may serve for any.
        """
        pending = [
            path
            for path, effect in self._by_path.items()
            if effect.first not in {None, FOLDER, self.now[path]} and not self._is_foreign(path)
        ]
        for fetch in (self._fetch_own, self._fetch_any):
            pending = [path for path in pending if not self._restore(path, fetch)]
        # Where there is nothing now, someone else had removed the file before this change could.
        self.left += [path for path in pending if self.now[path] is not None]

    def _remove_files(self) -> None:
        """Remove files that were made, or moved to a new place and are back at their old one."""
        for path, effect in self._by_path.items():
            if effect.first is not None or self.now[path] in {None, FOLDER} or self._is_foreign(path):
                continue
            folder, name = self.folders.parent(path)
            back = free_back_name(folder, self._id)
            folder.move_new(name, folder, back)
            found = hash_or_none(folder, back)
            if found is not None and found in effect.states:
                self.hidden_files.append(HiddenFile(folder.path, back, found))
                self.now[path] = None
            else:
                folder.move_new(back, folder, name)
                self.left.append(path)

    def _missing(self) -> set[str]:
        """Return the files that are not as they were."""
        return {path for path, effect in self._by_path.items() if effect.first not in {None, FOLDER, self.now[path]}}

    def _restore_modes(self) -> None:
        """Restore permissions, which differ if the same bytes came from another file of this change."""
        for path, effect in self._by_path.items():
            if effect.mode is not None and effect.first != FOLDER and self.now[path] == effect.first:
                folder, name = self.folders.parent(path)
                if stat.S_IMODE(folder.stat(name).st_mode) != effect.mode:
                    folder.chmod(name, effect.mode)

    def _remove_folders(self) -> None:
        """Remove folders that were made, innermost first; those in which someone put something stay."""
        for path, effect in sorted(self._by_path.items(), key=lambda item: -item[0].count("/")):
            if effect.first is None and self.now[path] == FOLDER:
                folder, name = self.folders.parent(path)
                try:
                    folder.rmdir(name)
                except OSError as error:
                    if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}:
                        raise
                else:
                    self.folders.forget(path)

    # -- one file -----------------------------------------------------------------------------------------------

    def _restore(self, path: str, fetch: Callable[[str, str, Folder], HiddenFile | None]) -> bool:
        """Bring a file back from where `fetch` finds it. False when that is nowhere."""
        try:
            folder, name = self.folders.parent(path)
        except NotFound:
            self.left.append(path)
            return True
        hidden = fetch(path, self._by_path[path].first or "", folder)
        if hidden is not None and not self._put(path, folder, name, hidden):
            self.left.append(path)
        return hidden is not None

    def _fetch_own(self, path: str, content: str, folder: Folder) -> HiddenFile | None:
        """Bring the very file that was at a path beside it."""
        found = self._from_backup(path, content, folder)
        if found is not None:
            return found
        for hidden in self.hidden_files:
            if hidden.owner == path:
                return self._from_hidden(hidden, folder)
        for home in self.effects.homes.get(path, ()):
            if self._is_at_home(path, home):
                self.now[home] = None
                return self._bring(*self.folders.parent(home), folder, content)
        return None

    def _fetch_any(self, _path: str, content: str, folder: Folder) -> HiddenFile | None:
        """Bring any file with the right bytes that nothing else needs."""
        for hidden in self.hidden_files:
            if hidden.hash == content:
                return self._from_hidden(hidden, folder)
        alike = [path for path, effect in self._by_path.items() if effect.first == content]
        for path in alike:
            found = self._fetch_own(path, content, folder)
            if found is not None:
                return found
        return None

    def _from_backup(self, path: str, content: str, folder: Folder) -> HiddenFile | None:
        if self.backups.hash(self._id, path) != content:
            return None
        with self.backups.open(self._id, path) as place:
            return self._bring(*place, folder, content)

    def _from_hidden(self, hidden: HiddenFile, folder: Folder) -> HiddenFile:
        self.hidden_files.remove(hidden)
        if hidden.folder == folder.path:
            return hidden
        return self._bring(self.folders.folder(hidden.folder), hidden.name, folder, hidden.hash)

    def _bring(self, source: Folder, name: str, folder: Folder, content: str) -> HiddenFile:
        back = free_back_name(folder, self._id)
        try:
            source.move_new(name, folder, back)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy(source, name, folder, back)
            source.unlink(name)
        return HiddenFile(folder.path, back, content)

    def _copy(self, source: Folder, name: str, folder: Folder, back: str) -> None:
        """Copy a file so that it has the new name only when it is whole."""
        part = hidden_name(self._id, 0, "part")
        copy_durably(source, name, folder, part)
        folder.move_new(part, folder, back)

    def _put(self, path: str, folder: Folder, name: str, hidden: HiddenFile) -> bool:
        """Give a file its old place. False when someone else has just written there; then both files are kept."""
        hidden_files, states = self.hidden_files, self._by_path[path].states
        if self.now[path] is None:
            try:
                folder.move_new(hidden.name, folder, name)
            except FileExistsError:
                hidden_files.append(hidden)
                return False
        elif not folder.swap(name, folder, hidden.name):
            return self._put_without_swap(path, folder, name, hidden)
        else:
            found = hash_or_none(folder, hidden.name)
            if found is None or found not in states:
                folder.swap(name, folder, hidden.name)
                hidden_files.append(hidden)
                return False
            hidden_files.append(HiddenFile(folder.path, hidden.name, found))
        self.now[path] = hidden.hash
        return True

    def _put_without_swap(self, path: str, folder: Folder, name: str, hidden: HiddenFile) -> bool:
        """Put a file as `_put` does, if two files cannot change places: a copy, a last check, then the rename."""
        copy = free_back_name(folder, self._id)
        self._copy(folder, name, folder, copy)
        found = hash_or_none(folder, copy)
        if found is None or found not in self._by_path[path].states or hash_or_none(folder, name) != found:
            folder.unlink(copy)
            self.hidden_files.append(hidden)
            return False
        folder.replace(hidden.name, folder, name)
        self.hidden_files.append(HiddenFile(folder.path, copy, found))
        self.now[path] = hidden.hash
        return True
