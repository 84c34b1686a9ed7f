"""Take an interrupted change back: every path as it was before, but for those that someone else wrote to since.

What is still in the way is never deleted before it has been looked at: it is taken out under a hidden name, hashed,
and put back if it is not ours. Old bytes come back by renames alone wherever the disk allows, so that this works on a
full disk too.
"""

import errno
import stat
from collections.abc import Callable

from bridge.errors import NotFound
from bridge.journal import temp_names
from bridge.journal.backups import copy_durably
from bridge.journal.file_hash import hash_or_none
from bridge.journal.path_effects import FOLDER
from bridge.journal.unfinished import Spare, Unfinished
from bridge.vault.folder import Folder


def roll_back(change: Unfinished) -> list[str]:
    """Take the change back. May be interrupted and begun again.

    Args:
        change: What is on disk of it.

    Returns:
        The paths that the change had reached and that were left alone, because someone else wrote to them since.
        When there are none, nothing is left of the change, and its backups are removed.

    Raises:
        OSError: The disk is full or failed; nothing is lost, and this can be tried again.
        ExecutionFailed: The same, said by the vault.
    """
    work = _RollBack(change)
    work.make_folders()
    work.restore_files()
    work.remove_files()
    work.restore_modes()
    # Bytes from before the change are thrown away only where they are back in their place.
    work.left += change.put_away(work.missing()).difference(work.left)
    work.remove_folders()
    change.sync()
    if not work.left and not change.saved:
        change.backups.remove(change.begin.execution_id)
    return work.left


class _RollBack:
    def __init__(self, change: Unfinished) -> None:
        self._change = change
        self._id = change.begin.execution_id
        self._folders = change.folders
        self._now = change.now
        self._tracks = change.traced.tracks
        self.left = [path for path in self._tracks if change.is_foreign(path) and change.was_done(path)]
        """Paths that the change had reached and that are left alone; more turn up while we work."""

    def make_folders(self) -> None:
        """Folders that were removed, outermost first."""
        for path, track in sorted(self._tracks.items(), key=lambda item: item[0].count("/")):
            if track.first == FOLDER and self._now[path] is None:
                try:
                    folder, name = self._folders.parent(path)
                except NotFound:
                    self.left.append(path)
                    continue
                folder.mkdir(name)
                if track.mode is not None:
                    self._folders.inside(path).set_mode(track.mode)
                self._now[path] = FOLDER

    def restore_files(self) -> None:
        """Files that were changed, moved away or deleted.

        Several of them may have had the same bytes. So each first gets the very file it was, and what is then left
        may serve for any.
        """
        pending = [
            path
            for path, track in self._tracks.items()
            if track.first not in {None, FOLDER, self._now[path]} and not self._change.is_foreign(path)
        ]
        for fetch in (self._fetch_own, self._fetch_any):
            pending = [path for path in pending if not self._restore(path, fetch)]
        # Where there is nothing now, someone else had removed the file before this change could.
        self.left += [path for path in pending if self._now[path] is not None]

    def remove_files(self) -> None:
        """Files that were made, or moved to a new place and are back at their old one."""
        for path, track in self._tracks.items():
            if track.first is not None or self._now[path] in {None, FOLDER} or self._change.is_foreign(path):
                continue
            folder, name = self._folders.parent(path)
            back = temp_names.free_back(folder, self._id)
            folder.move_new(name, folder, back)
            found = hash_or_none(folder, back)
            if found is not None and found in track.states:
                self._change.spares.append(Spare(folder.path, back, found))
                self._now[path] = None
            else:
                folder.move_new(back, folder, name)
                self.left.append(path)

    def missing(self) -> set[str]:
        """Files that are not as they were."""
        return {path for path, track in self._tracks.items() if track.first not in {None, FOLDER, self._now[path]}}

    def restore_modes(self) -> None:
        """Permissions, which differ where the same bytes came from another file of this change."""
        for path, track in self._tracks.items():
            if track.mode is not None and track.first != FOLDER and self._now[path] == track.first:
                folder, name = self._folders.parent(path)
                if stat.S_IMODE(folder.stat(name).st_mode) != track.mode:
                    folder.chmod(name, track.mode)

    def remove_folders(self) -> None:
        """Folders that were made, innermost first; those in which someone put something stay."""
        for path, track in sorted(self._tracks.items(), key=lambda item: -item[0].count("/")):
            if track.first is None and self._now[path] == FOLDER:
                folder, name = self._folders.parent(path)
                try:
                    folder.rmdir(name)
                except OSError as error:
                    if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}:
                        raise
                else:
                    self._folders.forget(path)

    # -- one file -----------------------------------------------------------------------------------------------

    def _restore(self, path: str, fetch: Callable[[str, str, Folder], Spare | None]) -> bool:
        """Bring a file back from where `fetch` finds it. False when that is nowhere."""
        try:
            folder, name = self._folders.parent(path)
        except NotFound:
            self.left.append(path)
            return True
        spare = fetch(path, self._tracks[path].first or "", folder)
        if spare is not None and not self._put(path, folder, name, spare):
            self.left.append(path)
        return spare is not None

    def _fetch_own(self, path: str, content: str, folder: Folder) -> Spare | None:
        """Bring the very file that was at a path beside it."""
        found = self._from_backup(path, content, folder)
        if found is not None:
            return found
        for spare in self._change.spares:
            if spare.owner == path:
                return self._from_spare(spare, folder)
        for home in self._change.traced.homes.get(path, ()):
            if self._change.is_at_home(path, home):
                self._now[home] = None
                return self._bring(*self._folders.parent(home), folder, content)
        return None

    def _fetch_any(self, _path: str, content: str, folder: Folder) -> Spare | None:
        """Bring any file with the right bytes that nothing else needs."""
        for spare in self._change.spares:
            if spare.hash == content:
                return self._from_spare(spare, folder)
        alike = [path for path, track in self._tracks.items() if track.first == content]
        for path in alike:
            found = self._fetch_own(path, content, folder)
            if found is not None:
                return found
        return None

    def _from_backup(self, path: str, content: str, folder: Folder) -> Spare | None:
        if self._change.backups.hash(self._id, path) != content:
            return None
        with self._change.backups.open(self._id, path) as found:
            return None if found is None else self._bring(*found, folder, content)

    def _from_spare(self, spare: Spare, folder: Folder) -> Spare:
        self._change.spares.remove(spare)
        if spare.folder == folder.path:
            return spare
        return self._bring(self._folders.folder(spare.folder), spare.name, folder, spare.hash)

    def _bring(self, source: Folder, name: str, folder: Folder, content: str) -> Spare:
        back = temp_names.free_back(folder, self._id)
        try:
            source.move_new(name, folder, back)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            self._copy(source, name, folder, back)
            source.unlink(name)
        return Spare(folder.path, back, content)

    def _copy(self, source: Folder, name: str, folder: Folder, back: str) -> None:
        """Copy a file so that it has the new name only when it is whole."""
        part = temp_names.part(self._id, 0)
        copy_durably(source, name, folder, part)
        folder.move_new(part, folder, back)

    def _put(self, path: str, folder: Folder, name: str, spare: Spare) -> bool:
        """Give a file its old place. False when someone else has just written there; then both files are kept."""
        spares, states = self._change.spares, self._tracks[path].states
        if self._now[path] is None:
            try:
                folder.move_new(spare.name, folder, name)
            except FileExistsError:
                spares.append(spare)
                return False
        elif not folder.swap(name, folder, spare.name):
            return self._put_without_swap(path, folder, name, spare)
        else:
            found = hash_or_none(folder, spare.name)
            if found is None or found not in states:
                folder.swap(name, folder, spare.name)
                spares.append(spare)
                return False
            spares.append(Spare(folder.path, spare.name, found))
        self._now[path] = spare.hash
        return True

    def _put_without_swap(self, path: str, folder: Folder, name: str, spare: Spare) -> bool:
        """As `_put`, where two files cannot change places: a copy, a last look, then the rename."""
        copy = temp_names.free_back(folder, self._id)
        self._copy(folder, name, folder, copy)
        found = hash_or_none(folder, copy)
        if found is None or found not in self._tracks[path].states or hash_or_none(folder, name) != found:
            folder.unlink(copy)
            self._change.spares.append(spare)
            return False
        folder.replace(spare.name, folder, name)
        self._change.spares.append(Spare(folder.path, copy, found))
        self._now[path] = spare.hash
        return True
