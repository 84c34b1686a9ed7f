"""Looking at paths, reading files and taking them in: what may have been read too early is not trusted.

A file that changed just before it was read may have changed again in the same instant of the disk's clock. It is
taken in, but remembered as unsettled, and looked at again.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from bridge.clock import Clock
from bridge.index.file_reading import RACY_SECONDS, FileReading, NotAFile, is_parsed, look, open_folder, read
from bridge.index.index_state import IndexState
from bridge.index.knowledge import IndexedFile
from bridge.index.tree import indexed, parent, walk_key
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot

BATCH_FILES = 256
BATCH_BYTES = 1 << 20
"""Bytes that are read before they are added in one transaction, which takes some tens of milliseconds."""

RETRY_SECONDS = 60.0
"""Seconds for which a file that cannot be read is left alone."""

LARGE = 8 << 20
"""Bytes of a note from which our own writes do not wait for it to be read."""

Batch = dict[str, FileReading | NotAFile]
"""Files, read, by path; what is none (any more) is `NotAFile`."""


@dataclass(slots=True)
class PathScan:
    """The result of looking at some paths.

    Attributes:
        files: Files that are there.
        large: Those of them that are notes and large.
        folders: Folders that are there.
        gone: Known files that no longer exist.
        gone_folders: Known folders that no longer exist.
    """

    files: list[str] = field(default_factory=list)
    large: list[IndexedFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    gone_folders: list[str] = field(default_factory=list)

    def add(self, file: IndexedFile) -> None:
        """Record that a file is there."""
        self.files.append(file.path)
        if file.size > LARGE and is_parsed(file.path, file.size):
            self.large.append(file)


class Ingest:
    """The part that adds files to the index.

    Args:
        root: The vault.
        clock: The time.
        state: What is known so far.
    """

    def __init__(self, root: VaultRoot, clock: Clock, state: IndexState) -> None:
        self._root = root
        self._clock = clock
        self._state = state
        self._unsettled: dict[str, tuple[float, bytes]] = {}

    def scan(self, paths: Iterable[str], *, everything: bool = False) -> PathScan:
        """Return what is there now.

        Args:
            paths: The paths to look at.
            everything: Whether to list unchanged files too.
        """
        seen = PathScan()
        for place, inside in groupby(sorted(set(paths), key=walk_key), key=parent):
            folder = open_folder(self._root, place)
            with folder or contextlib.nullcontext():
                for path in inside:
                    found = look(folder, path.rpartition("/")[2]) if folder is not None else NotAFile.NOTHING
                    if isinstance(found, NotAFile):
                        if self._state.tree.get(path) is not None:
                            seen.gone.append(path)
                    else:
                        file = indexed(path, found)
                        if everything or path in self._unsettled or self._state.differs(file):
                            seen.add(file)
                    if found is NotAFile.FOLDER:
                        seen.folders.append(path)
                    elif self._state.tree.has_folder(path):
                        seen.gone_folders.append(path)
        return seen

    def batches(self, paths: Iterable[str], births: Mapping[str, int] | None = None) -> Iterator[Batch]:
        """Yield the files, read, in portions to be committed each.

        Args:
            paths: The files, those of a folder one after the other.
            births: When some of them were made, if that is known better than from the disk.
        """
        batch: Batch = {}
        size = 0
        for place, inside in groupby(paths, key=parent):
            folder = open_folder(self._root, place)
            with folder or contextlib.nullcontext():
                for path in inside:
                    reading = self._read(folder, path, births or {}) if folder is not None else NotAFile.NOTHING
                    batch[path] = reading
                    size += len(reading.data or b"") if isinstance(reading, FileReading) else 0
                    if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
                        yield batch
                        batch, size = {}, 0
        if batch:
            yield batch

    def commit(self, batch: Batch) -> None:
        """Take in what was read. The index's lock is held."""
        readings = [reading for reading in batch.values() if isinstance(reading, FileReading)]
        gone = [path for path, reading in batch.items() if isinstance(reading, NotAFile)]
        new = [reading for reading in readings if not self._is_known(reading)]
        if new or gone:
            self._state.commit(new, gone)
        again = self._clock.monotonic() + RACY_SECONDS
        for reading in readings:
            path = reading.file.path
            if reading.settled:
                self._unsettled.pop(path, None)
            else:
                due = again if reading.data is not None else again + RETRY_SECONDS
                self._unsettled[path] = (due, reading.digest)
        for path in gone:
            self._unsettled.pop(path, None)

    def unsettled(self, now: float | None = None) -> list[str]:
        """Return the files that must be checked again: all, or those that are due."""
        return [path for path, (due, _digest) in self._unsettled.copy().items() if now is None or due <= now]

    @property
    def next_check(self) -> float | None:
        """Return when the next of them is due, on the clock's monotonic scale."""
        return min((due for due, _digest in self._unsettled.copy().values()), default=None)

    def _is_known(self, reading: FileReading) -> bool:
        return reading.same and not reading.settled and reading.file == self._state.tree.get(reading.file.path)

    def _read(self, folder: Folder, path: str, births: Mapping[str, int]) -> FileReading | NotAFile:
        known = self._state.tree.get(path)
        read_before = self._unsettled.get(path) if not self._state.is_unread(path) else None
        digest = read_before[1] if read_before is not None else None
        reading = read(folder, path, now_ns=int(self._clock.now().timestamp() * 1e9), known=digest)
        if isinstance(reading, NotAFile):
            return reading
        born = min(reading.file.created_ns, births.get(path, reading.file.created_ns))
        if known is not None:
            born = min(born, known.created_ns)
        return reading.born(born)
