"""A change that was interrupted: what of it is on disk, and how to make it whole again.

Every path is judged by itself, by the hash of what is there: bytes from before the change, bytes that some step made,
or bytes that someone else wrote since. So nothing depends on the order in which a failing disk kept the steps, and the
work may itself be interrupted and begun again. What someone else wrote is never touched.
"""

from typing import NamedTuple

from bridge.errors import NotFound
from bridge.journal.backups import Backups
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import OTHER, FolderCache, find_hidden, hash_or_none
from bridge.journal.path_effects import FOLDER, PathEffect, PathEffects, PathState, follow_changes
from bridge.journal.preconditions import state_on_disk
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import Change, ChangeKind


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
        self.folders = folders
        self.backups = backups
        self.changes: tuple[Change, ...] = begin.changes[:count]
        self.effects: PathEffects = follow_changes(self.changes, begin.modes[:count])
        self.last_only = self._paths_of_last_step() if attempted is not None else set()
        """Paths of the last step alone: if someone else's bytes are there, the step did not get to write its own."""
        self.saved: list[str] = []
        """Paths of which bytes that nobody else has were put into the backups."""
        self.hidden_files: list[HiddenFile] = []
        self._gather()
        self.now: dict[str, PathState] = {path: state_on_disk(path, folders)[0] for path in self.effects.by_path}

    # -- judging ------------------------------------------------------------------------------------------------

    def is_whole(self) -> bool:
        """Return whether every step was carried out, so that only the mark is missing."""
        return all(map(self._is_last, self.effects.by_path))

    def _is_last(self, path: str) -> bool:
        """Return whether the change has done all it does to a path."""
        effect = self.effects.by_path[path]
        if len(effect.states) == 1:
            return True
        if self.is_foreign(path):
            # What goes into the trash is copied into the backups first, so a backup proves nothing.
            return self.begin.disposal is None and self.was_done(path)
        # Where the bytes are the same before and after (removed and made again, say), only a backup proves it.
        needs_backup = effect.first == effect.last and path in self.effects.keeps
        return self.now[path] == effect.last and (not needs_backup or self.was_done(path))

    def is_foreign(self, path: str) -> bool:
        """Return whether someone else changed this path since: its state is not one that the change knows."""
        return self.now[path] not in self.effects.by_path[path].states

    def was_done(self, path: str) -> bool:
        """Return whether the change reached a path before someone else did: its old bytes are then somewhere else."""
        first = self.effects.by_path[path].first
        if first is None or first == FOLDER:
            return path not in self.last_only
        return (
            any(hidden.hash == first and hidden.owner in {path, None} for hidden in self.hidden_files)
            or any(self.is_at_home(path, home) for home in self.effects.homes.get(path, ()))
            or self.backups.hash(self.begin.execution_id, path) == first
        )

    def is_at_home(self, path: str, home: str) -> bool:
        """Return whether a path's first file is at a destination of its move, and not needed there."""
        first = self.effects.by_path[path].first
        return self.now[home] == first and self.effects.by_path[home].first != first

    # -- making whole -------------------------------------------------------------------------------------------

    def complete(self) -> None:
        """Put away what the last steps left, and make everything durable."""
        self.put_away({path for path in self.effects.keeps if path is not None})
        self.sync()

    def put_away(self, wanted: set[str]) -> set[str]:
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
                self.backups.take(folder, hidden.name, self.begin.execution_id, keep, replace=True)
                kept.add(keep)
        self.hidden_files.clear()
        return kept

    def sync(self) -> None:
        """Make every folder that the change touched durable."""
        for path in {parse_path(path).parent for path in self.effects.by_path}:
            try:
                self.folders.folder(path).sync()
            except NotFound:
                continue

    def save(self, folder: Folder, name: str, path: str) -> None:
        """Keep bytes that nobody else has, and that have no place in the vault, in the backups of this change."""
        number = 0
        while True:
            spelling = path if not number else f"{path}.{number}"
            try:
                self.backups.take(folder, name, self.begin.execution_id, spelling)
            except FileExistsError:
                number += 1
            else:
                self.saved.append(spelling)
                return

    def _lacks(self, path: str, content: str) -> bool:
        effect: PathEffect | None = self.effects.by_path.get(path)
        return (
            effect is not None
            and effect.first == content
            and self.backups.hash(self.begin.execution_id, path) != content
        )

    def _paths_of_last_step(self) -> set[str]:
        *earlier, last = self.changes
        before = {path for change in earlier for path in (change.path, change.new_path)}
        return {path for path in (last.path, last.new_path) if path and path not in before}

    # -- what lies about ----------------------------------------------------------------------------------------

    def _gather(self) -> None:
        """Find the hidden files of the change in every folder it touches."""
        known = {state for effect in self.effects.by_path.values() for state in effect.states}
        for parent in dict.fromkeys(parse_path(path).parent for path in self.effects.by_path):
            try:
                folder = self.folders.folder(parent)
            except NotFound:
                continue
            for name, step, suffix in find_hidden(folder, self.begin.execution_id):
                if suffix == "part":
                    folder.unlink(name)
                    continue
                found = hash_or_none(folder, name) or OTHER
                if suffix == "swap" and step < len(self.changes):
                    self._judge(step, folder, name, found)
                elif found in known:
                    self.hidden_files.append(HiddenFile(parent, name, found))
                else:
                    self.save(folder, name, self._somewhere_in(parent))

    def _somewhere_in(self, parent: VaultPath) -> str:
        return next(path for path in self.effects.by_path if parse_path(path).parent == parent)

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
            self.save(folder, swap, change.path)
