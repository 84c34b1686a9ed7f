"""Keeping the index as the disk is: sweeps, single paths that changed, and our own writes.

What is read is read without the index's lock, so that our own writes wait only for what is being taken in just then.
A path that we wrote ourselves meanwhile was perhaps read too early: it is not taken in, but looked at again. So is a
file that had changed just before it was read, because it may have changed again in the same instant of the disk's
clock: it is taken in, but remembered as unsettled.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from bridge.clock import Clock
from bridge.errors import NotFound, ToolFailure
from bridge.index.index_state import IndexState
from bridge.index.knowledge import IndexedFile
from bridge.index.texts.arena import walk_key
from bridge.index.tree import (
    RACY_SECONDS,
    ChangedFolder,
    FileReading,
    NotAFile,
    SweptFolders,
    indexed,
    is_parsed,
    is_visible,
    look,
    open_folder,
    parent,
    read,
    sweep,
)
from bridge.vault.files import VaultFiles
from bridge.vault.folder import Folder
from bridge.vault.paths import folders_above, known_path
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.versions.reading import Prepared
from bridge.versions.states import SeenFile

if TYPE_CHECKING:
    from datetime import datetime

    from bridge.versions.recorder import Recorder


BATCH_FILES = 256
BATCH_BYTES = 1 << 20
"""Bytes that are read before they are added in one transaction, which takes some tens of milliseconds."""

RETRY_SECONDS = 60.0
"""Seconds for which a file that cannot be read is left alone."""

LARGE = 8 << 20
"""Bytes of a note from which our own writes do not wait for it to be read."""

Batch = dict[str, FileReading | NotAFile]
"""What was read, by path; `NotAFile` where there is no file (any more)."""


EVERY_SECONDS = 0.1
FEW = 50
"""Number of files that are read too quickly for progress to be worth showing."""

OnProgress = Callable[[int, int], None]
"""Called with how many files are read, and how many there are to read."""
logger = logging.getLogger(__name__)
MANY = 2000
"""Paths that are sorted in one go."""
CHECKPOINT_BATCHES = 16
"""Batches of a build until what was written is brought from SQLite's log into its file: some tens of megabytes."""
OnChange = Callable[[str, str], None]
"""Called with a path and what became of it: `created`, `modified` or `deleted`."""


class Progress:
    """A counter of what is read in one go.

    Args:
        clock: The time.
        report: Called at the beginning, every tenth of a second, and at the end; not for small things.
    """

    def __init__(self, clock: Clock, report: OnProgress) -> None:
        self._clock = clock
        self._report = report
        self._reported_at = float("-inf")
        self.done = 0
        self.total = 0

    def begin(self, total: int) -> None:
        """Set how many files are to be read."""
        self.done, self.total = 0, total
        self._maybe(at_once=True)

    def step(self, files: int) -> None:
        """Count more files that were read."""
        self.done += files
        self._maybe(at_once=self.done >= self.total)

    def _maybe(self, *, at_once: bool) -> None:
        now = self._clock.monotonic()
        if self.total > FEW and (at_once or now - self._reported_at >= EVERY_SECONDS):
            self._reported_at = now
            self._report(self.done, self.total)


@dataclass(slots=True)
class PathScan:
    """The result of looking at some paths.

    Attributes:
        files: Files that are there.
        folders: Folders that are there.
        gone: Known files that no longer exist.
        gone_folders: Known folders that no longer exist.
    """

    files: list[IndexedFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    gone_folders: list[str] = field(default_factory=list)


class Indexer:
    """The reader of the vault into the index. Every method may be called from any thread.

    Args:
        files: The vault.
        clock: The time.
        state: What is known so far.
        progress: Counts how far a build is.
        on_change: Called with each file that another program changed, when the index has taken it in.

    Attributes:
        last_sweep: When the disk was last compared wholly; None before the first time.
        swept_at: The same, on the clock's monotonic scale.
        named: Set once every file is known by its name.
        built: Set once the disk has been compared wholly for the first time.
        recorder: Is shown what is read before it is taken in; None if nobody records.
    """

    def __init__(
        self, files: VaultFiles, clock: Clock, state: IndexState, *, progress: Progress, on_change: OnChange
    ) -> None:
        self._files = files
        self._clock = clock
        self._state = state
        self._progress = progress
        self._on_change = on_change
        self._unsettled: dict[str, tuple[float, bytes]] = {}
        self._working = threading.Lock()
        self._noting = threading.Lock()
        self._noted: set[str] = set()
        self._writing: AbstractSet[str] = frozenset()
        self._held: set[str] = set()
        self._written: set[str] = set()
        self._stopping = False
        self.last_sweep: datetime | None = None
        self.swept_at = float("-inf")
        self.named = threading.Event()
        self.built = threading.Event()
        self.recorder: Recorder | None = None

    def stop(self) -> None:
        """Give up what is under way, soon."""
        self._stopping = True

    # -- what other programs did --------------------------------------------------------------------------------

    def note(self, paths: Iterable[str]) -> int:
        """Remember paths that have changed, as far as is known, until they are taken in.

        Returns:
            How many are remembered.
        """
        with self._noting:
            for path in filter(is_visible, paths):
                (self._held if path in self._writing else self._noted).add(path)
            return len(self._noted)

    def take_noted(self) -> None:
        """Look at the paths that were noted: files, or folders with all that is in them."""
        with self._session():
            self._take_noted()

    def sweep(self, *, thorough: bool = False) -> bool:
        """Compare the whole disk and take in what differs.

        Args:
            thorough: Whether files that had only just changed when they were read are looked at again at once.

        Returns:
            Whether it was done to the end.
        """
        with self._session():
            if not self._sweep("", quiet=self.last_sweep is None):
                return False
            self.built.set()
            self.last_sweep = self._clock.now()
            self.swept_at = self._clock.monotonic()
            self._record_missing()
            if thorough:
                self._read_again(self._unsettled_paths())
            self._take_noted()
            return not self._stopping

    @property
    def next_check(self) -> float | None:
        """Return when a file that had only just changed should be read again, on the clock's monotonic scale."""
        return min((due for due, _digest in self._unsettled.copy().values()), default=None)

    def check_due(self) -> None:
        """Look again at the files that had only just changed when they were read."""
        with self._session():
            self._read_again(self._unsettled_paths(self._clock.monotonic()))

    # -- what we did ourselves ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self, plan: ChangePlan) -> Iterator[None]:
        """Hold back reports on a plan's files while it is carried out: `applied` reads them once.

        Args:
            plan: The plan. Only one is carried out at a time.
        """
        with self._noting:
            self._writing = frozenset(plan.targets)
        try:
            yield
        finally:
            with self._noting:
                held, self._held, self._writing = self._held, set(), frozenset()
            self.note(held)

    def applied(self, plan: ChangePlan) -> bool:
        """Take in what a plan changed, before its call returns.

        Returns:
            Whether notes so large were changed that they are only noted: reading one may take seconds.
        """
        paths = [path for path in plan.targets if is_visible(path)]
        state = self._state
        with self._noting:
            self._held.difference_update(paths)  # they are read from now on
        with state.lock:
            births = _births(plan, state)
            self._written.update(paths)
            seen = self._scan(paths, everything=True)
            self._let_go(seen.gone, seen.gone_folders, ours=True)
            state.set_folders(seen.folders, [])
            large = {file.path: file for file in seen.files if file.size > LARGE and is_parsed(file.path, file.size)}
            for batch in self._batches([file.path for file in seen.files if file.path not in large], births):
                self._record(batch, self._prepared(batch))
                self._commit(batch)
            for file in large.values():
                state.see(file)
            self.note(large)
            return bool(large)

    # -- within a session ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _session(self) -> Iterator[None]:
        """Let one at a time compare the disk with what is known."""
        with self._working:
            with self._state.lock:
                self._written.clear()
            yield

    def _take_noted(self) -> None:
        with self._noting:
            paths, self._noted = self._noted, set()
        if not paths:
            return
        with self._state.lock:
            self._written -= paths  # we look at them now, after we wrote them
        seen = self._scan(paths)
        tree = self._state.tree
        self._let_go(seen.gone, seen.gone_folders)
        became = {file.path: "modified" if tree.get(file.path) else "created" for file in seen.files}
        self._read(became, became)
        for folder in seen.folders:
            if not self._stopping:
                self._sweep(folder)

    def _sweep(self, start: str, *, quiet: bool = False) -> bool:
        """Compare a folder and all that is in it.

        Args:
            start: The folder; empty for the vault.
            quiet: Whether `on_change` is not called.

        Returns:
            Whether it was done to the end.
        """
        state, found = self._state, SweptFolders()
        reported: dict[str, str] = {}
        gone: list[str] = []
        try:
            for folder in sweep(self._files, state.tree, known_path(start), found, lambda: self._stopping):
                reported |= self._see(folder)
                gone.extend(folder.gone)
        except NotFound:  # it went before we came
            pass
        except ToolFailure as failure:
            logger.warning("The vault cannot be compared with the index (%s); it is tried again", failure.message)
            return False
        if self._stopping:
            return False
        with state.lock:
            state.set_folders([path for path in found.come if path], [])
        lost = [folder for folder in state.tree.below(start) if folder and folder not in found.folders]
        self._let_go(gone, lost, quiet=quiet)
        if not start:
            self.named.set()
        below = f"{start}/" if start else ""
        unread = (path for path in state.unread if path.startswith(below))
        return self._read({*reported, *unread}, {} if quiet else reported)

    def _see(self, folder: ChangedFolder) -> dict[str, str]:
        """Know the names in a folder before their content is read.

        Returns:
            The files to be read, with what became of them.
        """
        state = self._state
        with state.lock:
            ours = {path for path in self._written if parent(path) == folder.path} if self._written else set()
            known = {file.path: file for file in state.tree.inside(folder.path)}
            if ours:  # they were listed before or after we wrote them
                self.note(ours)
                listed = {file.path: file for file in folder.files if file.path not in ours}
                listed |= {path: known[path] for path in ours if path in known}
                folder.files = [listed[path] for path in sorted(listed)]
                folder.gone = [path for path in folder.gone if path not in ours]
            reported = {
                file.path: "modified" if file.path in known else "created"
                for file in folder.changed
                if file.path not in ours
            }
            state.see_folder(folder.path, folder.files, changed=reported)
        return reported

    def _read_again(self, paths: Iterable[str]) -> None:
        self._read(paths, dict.fromkeys(paths, "modified"), quick=True)

    def _read(self, paths: Iterable[str], reported: Mapping[str, str], *, quick: bool = False) -> bool:
        """Read files and take them in, batch by batch; what changes meanwhile comes in between.

        Args:
            paths: The files.
            reported: What became of those that `on_change` is called with.
            quick: Whether they are hardly changed, so that it is no build.

        Returns:
            Whether it was done to the end.
        """
        ordered = self._in_order(set(paths))
        long = len(ordered) > BATCH_FILES and not quick
        if long:
            self._progress.begin(len(ordered))
        for number, batch in enumerate(self._batches(ordered), 1):
            if self._stopping:
                return False
            prepared = self._prepared(batch)
            with self._state.lock:
                early = batch.keys() & self._written
                self.note(early)
                sure = {path: reading for path, reading in batch.items() if path not in early}
                self._record(sure, prepared)
                self._commit(sure)
            for path, reading in sure.items():
                if isinstance(reading, FileReading) and path in reported and not reading.same:
                    self._on_change(path, reported[path])
            if long:
                self._progress.step(len(batch))
                if number % CHECKPOINT_BATCHES == 0:
                    self._state.checkpoint()
                self._take_noted()
        return True

    def _prepared(self, batch: Batch) -> Prepared | None:
        """Return the files that were read, ready to be recorded."""
        if self.recorder is None:
            return None
        return self.recorder.prepare(
            SeenFile(file.path, file.size, file.mtime_ns, file.changed_ns, data if len(data) == file.size else None)
            for reading in batch.values()
            if isinstance(reading, FileReading) and (data := reading.data) is not None and (file := reading.file)
        )

    def _record(self, batch: Batch, prepared: Prepared | None) -> None:
        """Have files recorded that are about to be taken in. The index's lock is held."""
        if self.recorder is not None:
            self.recorder.record_gone([path for path, reading in batch.items() if isinstance(reading, NotAFile)])
            if prepared is not None:
                self.recorder.record_seen(prepared, batch)

    def _record_missing(self) -> None:
        """Record, after a scan of the whole vault, what was not, such as files from before the recording."""
        if self.recorder is None:
            return
        for prepared in self.recorder.missing(self._state.tree.files()):
            if self._stopping:
                return
            with self._state.lock:
                self.recorder.record_seen(prepared, prepared.keys() - self._written)
            self._take_noted()
        self.recorder.scan_completed()

    def _in_order(self, paths: set[str]) -> list[str]:
        """Return paths in the order of a walk. Of many, only known ones, because sorting them would take long."""
        if len(paths) <= MANY:
            return sorted(paths, key=walk_key)
        return [file.path for file in self._state.tree.files() if file.path in paths]

    def _let_go(self, files: Iterable[str], folders: Iterable[str], *, ours: bool = False, quiet: bool = False) -> None:
        """Forget files, and folders with all that was in them.

        Args:
            files: The files.
            folders: The folders.
            ours: Whether it was us; else what we wrote meanwhile is not forgotten.
            quiet: Whether `on_change` is not called.
        """
        state = self._state
        with state.lock:
            tree = state.tree
            below = list(dict.fromkeys(inner for folder in folders for inner in tree.below(folder)))
            every = dict.fromkeys([*files, *(file.path for folder in below for file in tree.inside(folder))])
            early = set() if ours else every.keys() & self._written
            self.note(early)
            gone: Batch = {path: NotAFile.NOTHING for path in every if path not in early}
            if gone:
                self._record(gone, None)
                self._commit(gone)
            kept = {outer for path in early for outer in folders_above(path)}
            state.set_folders([], [folder for folder in below if folder not in kept])
        if not quiet and not ours:
            for path in gone:
                self._on_change(path, "deleted")

    # -- looking and reading ------------------------------------------------------------------------------------

    def _scan(self, paths: Iterable[str], *, everything: bool = False) -> PathScan:
        """Return what is there now.

        Args:
            paths: The paths to look at.
            everything: Whether to list unchanged files too.
        """
        seen = PathScan()
        for place, inside in groupby(sorted(set(paths), key=walk_key), key=parent):
            folder = open_folder(self._files.root, place)
            with folder or contextlib.nullcontext():
                for path in inside:
                    found = look(folder, path.rpartition("/")[2]) if folder is not None else NotAFile.NOTHING
                    if isinstance(found, NotAFile):
                        if self._state.tree.get(path) is not None:
                            seen.gone.append(path)
                    else:
                        file = indexed(path, found)
                        if everything or path in self._unsettled or self._state.differs(file):
                            seen.files.append(file)
                    if found is NotAFile.FOLDER:
                        seen.folders.append(path)
                    elif self._state.tree.has_folder(path):
                        seen.gone_folders.append(path)
        return seen

    def _batches(self, paths: Iterable[str], births: Mapping[str, int] | None = None) -> Iterator[Batch]:
        """Yield the files, read, in portions to be committed each.

        Args:
            paths: The files, those of a folder one after the other.
            births: When some of them were made, if that is known better than from the disk.
        """
        batch: Batch = {}
        size = 0
        for place, inside in groupby(paths, key=parent):
            folder = open_folder(self._files.root, place)
            with folder or contextlib.nullcontext():
                for path in inside:
                    reading = self._read_file(folder, path, births or {}) if folder is not None else NotAFile.NOTHING
                    batch[path] = reading
                    size += len(reading.data or b"") if isinstance(reading, FileReading) else 0
                    if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
                        yield batch
                        batch, size = {}, 0
        if batch:
            yield batch

    def _commit(self, batch: Batch) -> None:
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

    def _unsettled_paths(self, now: float | None = None) -> list[str]:
        """Return the files that must be checked again: all, or those that are due."""
        return [path for path, (due, _digest) in self._unsettled.copy().items() if now is None or due <= now]

    def _is_known(self, reading: FileReading) -> bool:
        return reading.same and not reading.settled and reading.file == self._state.tree.get(reading.file.path)

    def _read_file(self, folder: Folder, path: str, births: Mapping[str, int]) -> FileReading | NotAFile:
        known = self._state.tree.get(path)
        read_before = self._unsettled.get(path) if not self._state.is_unread(path) else None
        digest = read_before[1] if read_before is not None else None
        reading = read(folder, path, now_ns=int(self._clock.now().timestamp() * 1e9), known=digest)
        if isinstance(reading, NotAFile):
            return reading
        born = min(reading.file.created_ns, births.get(path, reading.file.created_ns))
        if known is not None:
            born = min(born, known.created_ns)
        return reading._replace(file=reading.file._replace(created_ns=born))


def _births(plan: ChangePlan, state: IndexState) -> dict[str, int]:
    """Return the creation times of files that a plan moves, by their new paths."""
    births: dict[str, int] = {}
    for change in plan.changes:
        if change.kind is ChangeKind.MOVE and change.new_path is not None:
            known = state.tree.get(change.path)
            born = births.pop(change.path, None if known is None else known.created_ns)
            if born is not None:
                births[change.new_path] = born
    return births
