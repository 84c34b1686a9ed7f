"""The diff of a past change: from the backups, and from the files as far as nobody has edited them.

The bytes from before a change are in its own backups. Those from after it are still in the file, or were replaced
by a later change and are in its backups.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from bridge.contract.consent import FilePreview
from bridge.errors import ToolFailure
from bridge.journal.backups import Backups
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import FolderCache
from bridge.journal.path_effects import TracedFile, follow_changes
from bridge.journal.record import ChangeDiff
from bridge.vault.plan import Change, ChangeKind, content_hash, preview

_FOLDERS = {ChangeKind.MKDIR, ChangeKind.RMDIR}


def change_diff(begin: BeginRecord, later: Iterable[BeginRecord], folders: FolderCache, backups: Backups) -> ChangeDiff:
    """Return the diff of a change that was applied, whatever has happened to it since.

    Args:
        begin: The change, as the journal has it.
        later: The changes after it, oldest first; read only as far as they are needed.
        folders: The vault's folders.
        backups: Of all changes.
    """
    found = list(_shown(begin, BytesOfChange(begin, later, folders, backups)))
    return ChangeDiff(tuple(shown for shown, _ in found), tuple(shown.path for shown, lost in found if lost))


def _shown(begin: BeginRecord, search: "BytesOfChange") -> Iterator[tuple[FilePreview, bool]]:
    """Yield the preview of each file and folder, and whether some of its bytes are lost."""
    effects = follow_changes(begin.changes, begin.modes)
    seen: set[int] = set()
    for change, file in zip(begin.changes, effects.files, strict=True):
        if file is None:
            yield preview(change, None, None), False
        elif id(file) not in seen and (file.origin is not None or file.last is not None):
            seen.add(id(file))
            step = _as_one(file)
            old, new = search.before(file), search.after(file)
            lost = (old is None) != (step.before is None) or (new is None) != (step.after is None)
            if lost or old == new:
                old = new = None
            yield preview(step, old, new), lost


def _as_one(file: TracedFile) -> Change:
    """Return all that a change did to one file as one step."""
    if file.origin is None:
        return Change(ChangeKind.CREATE, file.place, after=file.last)
    if file.last is None:
        return Change(ChangeKind.DELETE, file.origin, before=file.first)
    if file.origin != file.place:
        return Change(ChangeKind.MOVE, file.origin, file.place, before=file.first, after=file.last)
    return Change(ChangeKind.MODIFY, file.place, before=file.first, after=file.last)


class BytesOfChange:
    """The bytes that files had before and after a change.

    Args:
        begin: The change, as the journal has it.
        later: The changes after it, oldest first; read only as far as they are needed.
        folders: The vault's folders.
        backups: Of all changes.
    """

    def __init__(
        self, begin: BeginRecord, later: Iterable[BeginRecord], folders: FolderCache, backups: Backups
    ) -> None:
        self._begin = begin
        self._later = iter(later)
        self._read: list[BeginRecord] = []
        self._folders = folders
        self._backups = backups

    def before(self, file: TracedFile) -> bytes | None:
        """Return the bytes that a file had before; None if it was not there, or they are lost."""
        if file.origin is None or file.first is None:
            return None
        if file.first == file.last:
            return self.after(file)
        return self._backup(self._begin, file.origin, file.first)

    def after(self, file: TracedFile) -> bytes | None:
        """Return the bytes that a file had afterwards; None if it was gone, or they are lost."""
        if file.last is None:
            return None
        places = [file.place]
        for later in chain(self._read, self._more()):
            for other in _files(later):
                if other.origin not in places:
                    continue
                if other.first == file.last and other.first != other.last:
                    return self._backup(later, other.origin, file.last)
                places.append(other.place)
        return next((found for place in reversed(places) if (found := self._disk(place, file.last)) is not None), None)

    def _more(self) -> Iterable[BeginRecord]:
        for later in self._later:
            self._read.append(later)
            yield later

    def _backup(self, begin: BeginRecord, path: str, wanted: str) -> bytes | None:
        try:
            data = self._backups.read(begin.execution_id, path)
        except (OSError, ToolFailure):
            return None
        return data if data is not None and content_hash(data) == wanted else None

    def _disk(self, place: str, wanted: str) -> bytes | None:
        try:
            folder, name = self._folders.parent(place)
            data = folder.read(name)
        except (OSError, ToolFailure):
            return None
        return data if content_hash(data) == wanted else None


def _files(begin: BeginRecord) -> Sequence[TracedFile]:
    effects = follow_changes(begin.changes, begin.modes)
    return list({id(file): file for file in effects.files if file is not None}.values())
