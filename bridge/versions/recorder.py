"""Record of what other programs do to the vault, made as the index comes upon it, with the bytes from before.

The index shows what it has read before it takes it in. What the ledger writes is announced, so it is known and never
recorded. Nothing here may fail towards the index: what cannot be kept is said, and looked for again.
"""

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from bridge.clock import Clock, stamp_of
from bridge.contract.versions import VersionsStatus
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan
from bridge.versions.comparing import Comparing, KnownFiles
from bridge.versions.database import NAME, SHORT, Database, content_of
from bridge.versions.grouping import BridgeWrites, ObsidianWrite, Since, WriteLedger, moves_found, sides, since
from bridge.versions.reading import (
    Prepared,
    affordable,
    configuration_files,
    file_id,
    identity,
    is_another,
    is_gone,
    made_ready,
    portions,
    read_whole,
)
from bridge.versions.states import PREFIX, Entry, KeepRules, ListedFile, Origin, SeenFile, Side, Unknown, Version

logger = logging.getLogger(__name__)
T = TypeVar("T")

PRUNE_SECONDS = 3600.0
"""Seconds between removals of versions that are too old."""


class Recorder:
    """The recorder of every file's state, other programs' changes and the bytes. Any thread may use it.

    Args:
        folder: The folder in which it is kept, for this user only; not in the vault.
        files: The vault.
        clock: The time.
        rules: How much is kept.
        own: What the bridge itself has written, perhaps without this having heard of it.

    Attributes:
        revision: Counts up whenever anything is recorded.
    """

    def __init__(
        self, folder: Path, files: VaultFiles, clock: Clock, *, rules: Callable[[], KeepRules], own: WriteLedger
    ) -> None:
        self._folder = folder
        self._files = files
        self._root = files.root
        self._clock = clock
        self._rules = rules
        self._lock = threading.RLock()
        self._db: Database | None = None
        self._known = KnownFiles()
        self._own = BridgeWrites(own)
        self._comparing = Comparing(self._known, self._own)
        self._recording = False
        self._dirty = False
        self._fault: str | None = None
        self._stays_off: str | None = None
        self._look: Callable[[], None] = lambda: None
        self._failures = self._failures_before = 0
        self.revision = 0
        self._pruned = 0.0
        with self._lock:
            self._begin()

    # -- what the index tells -----------------------------------------------------------------------------------

    def prepare(self, files: Iterable[SeenFile]) -> Prepared:
        """Hash and compress what was read, where it is not kept yet. Takes no lock.

        Args:
            files: The files.
        """
        if not self._recording or self._comparing.since is None:
            return {}  # at the beginning the index comes first, and everything is read after it
        return self._prepared(files)

    def record_seen(self, prepared: Prepared, paths: Iterable[str]) -> None:
        """Record that files exist with these bytes, which only another program can have changed since they were read.

        Args:
            prepared: The files, with others perhaps.
            paths: Those of them that count.
        """
        see = self._comparing.record_seen
        if ready := [prepared[path] for path in paths if path in prepared]:
            self._record(lambda database, now: [see(database, one, now) for one in ready])

    def record_gone(self, paths: Iterable[str]) -> None:
        """Record that files are gone, as far as the index can see: each is looked for once more."""
        listed = [path for path in paths if path in self._known]
        if listed and self._recording and self._root.in_place():
            lose = self._comparing.record_gone
            if gone := [path for path in listed if is_gone(self._root, path)]:
                self._record(lambda database, now: [lose(database, path, now) for path in gone])

    def missing(self, files: Sequence[ListedFile]) -> Iterator[Prepared]:
        """Compare what is recorded with a look at the whole vault; what is not recorded is read, in portions.

        Args:
            files: All of the vault's files; those of Obsidian's configuration are looked for here.
        """
        if not self._recording:
            return
        files = [*files, *configuration_files(self._root)]
        with self._lock:
            self._failures_before = self._failures
            known, rules = self._known.all(), self._rules()
            held = set() if self._db is None else self._db.held
            short = self._db is not None and self._db.short
        self.record_gone(known.keys() - {file.path for file in files})
        wanted, later = list[ListedFile](), list[ListedFile]()
        for file in files:
            old = known.get(file.path)
            changed = old is None or not old.is_as(file)
            unkept = old is None or old.digest is None or (old.digest not in held and not short)
            if (changed or unkept) and rules.covers(file.path):
                (wanted if changed else later).append(file)
        yield from self._read([file.path for file in wanted])
        nothing: list[str] = []
        yield from self._read(self._ask(lambda database: affordable(later, database), nothing))

    def begin_with(self, look: Callable[[], None]) -> None:
        """Say how a look at the whole vault is asked for, where the recording begins anew."""
        self._look = look

    def scan_completed(self) -> None:
        """Record that a scan of the whole vault is complete, and all that it found is recorded."""
        if not self._recording or self._failures != self._failures_before:
            return
        self._comparing.attended = True
        self._own.all_seen()
        if self._comparing.since is None or not self._comparing.configured:
            now, heard = self._comparing.since or self._now(), self._own.ledger.last_id()
            is_new = self._comparing.since is None

            def begin(database: Database, _now: float) -> None:
                database.set_meta("configured", 1)
                if is_new:
                    database.set_meta("since", now)
                    database.set_meta("heard", heard)

            if self._record(begin):
                self._comparing.since, self._comparing.configured = now, True
            if is_new and self._comparing.since is not None:
                logger.info("Changes by other programs are recorded from now on")

    # -- what the ledger tells ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self, plan: ChangePlan, execution_id: str) -> Iterator[None]:
        """Treat a plan's states of its files as the bridge's own while it is carried out.

        Args:
            plan: The plan.
            execution_id: The change's name.
        """
        with self._lock:
            self._own.expect(plan, execution_id)
        try:
            yield
        finally:
            with self._lock:
                self._own.expect_nothing()

    def wrote(self, plan: ChangePlan) -> None:
        """Record that a plan was carried out, with the new state of its files and earlier changes by others."""
        if not self._recording:
            return
        rules = self._rules()
        starts, ends = ({path: end for path, end in side.items() if rules.covers(path)} for side in sides(plan))
        contents = [content_of(data, bytes.fromhex(digest)) for digest, data in plan.blobs.items()]

        def write(database: Database, now: float) -> None:
            for path, start in starts.items():
                self._comparing.found_before(database, path, start, now)
            self._comparing.opens.end_for(ends)  # what comes now starts from another state
            for path, end in ends.items():
                self._comparing.record_left(database, path, end, now)
            for content in contents:
                database.keep(content, now)
            database.set_meta("heard", self._own.last)

        if not self._record(write):
            with self._lock:
                self._own.miss(ends)

    # -- what Obsidian tells ------------------------------------------------------------------------------------

    def hear(self, writes: Iterable[ObsidianWrite]) -> None:
        """Take note of what Obsidian says it has written, or will. It is believed of files that are seen to be so.

        Args:
            writes: What it says.
        """
        with self._lock:
            if not self._recording:
                return
            explained = self._comparing.hear(writes, self._now())
            if explained:
                self._record(lambda database, _now: self._comparing.explain(database, explained))

    # -- now and then -------------------------------------------------------------------------------------------

    def maintain(self) -> None:
        """Make what is new durable, and let go what is old or too much. Called every few seconds."""
        with self._lock:
            rules = self._rules()
            if rules.on != self._recording and self._stays_off is None:
                self._switch(on=rules.on)
            database = self._db
            if database is None:
                return
            try:
                now = self._now()
                if database.budget != rules.megabytes << 20:
                    database.resize(rules.megabytes, now)
                if self._comparing.is_due(now):
                    self._record(self._comparing.tidy)
                if now - self._pruned >= PRUNE_SECONDS:
                    self._prune(database, rules, now)
                if self._dirty:
                    database.checkpoint()
                    self._dirty = False
            except (sqlite3.Error, OSError) as error:
                self._failed(error)

    def close(self) -> None:
        """Stop, with everything on the disk."""
        with self._lock:
            self._recording = False
            database, self._db = self._db, None
            if database is not None:
                database.close()

    def forget(self, path: str) -> bool:
        """Let the earlier versions of a file or folder go for good.

        Returns:
            Whether there were any.
        """
        found: list[bool] = []

        def forget(database: Database, _now: float) -> None:
            self._comparing.opens.end()
            found.append(database.forget(path))

        with self._lock:
            done = self._record(forget, even_off=True)
            if done and self._db is not None:
                self._clear(self._db)
        return done and any(found)

    def forget_everything(self) -> None:
        """Let all go for good, also what could not be read, and begin anew.

        Raises:
            OSError: It could not be removed.
        """
        with self._lock:
            self.close()
            for file in self._folder.glob(f"{NAME}*"):
                file.unlink(missing_ok=True)
            self._begin()
        self._look()

    # -- questions ----------------------------------------------------------------------------------------------

    @property
    def fault(self) -> str | None:
        """Return why recording is incomplete; None if it is complete. Answers at once."""
        return self._fault or self._stays_off or (SHORT if self._db is not None and self._db.short else None)

    def entries(self, since: float = 0.0) -> list[Entry]:
        """Return every entry, newest first.

        Args:
            since: Only those that ended then or later, in seconds since 1970.
        """
        return self._entries(lambda _number, ended: ended >= since)

    def entry(self, entry_id: str) -> Entry | None:
        """Return one entry, by its name."""
        return next(iter(self._entries(lambda number, _ended: f"{PREFIX}{number}" == entry_id)), None)

    def entry_of(self, path: str) -> str | None:
        """Return the name of the entry that left a file as it is; None if none did, as far as was recorded."""

        def ask(database: Database) -> str | None:
            number = database.last_entry(path)
            effect = None if number is None else database.effect(number, path)
            return f"{PREFIX}{number}" if effect is not None and effect.after == self.is_as(path) else None

        nobody: str | None = None
        return None if self._fault or not self._recording else self._ask(ask, nobody)

    @property
    def answered(self) -> int | None:
        """Return the last entry that a person was told of, or need not be; None if nobody was ever asked."""
        nobody: int | None = None
        return self._ask(lambda database: database.meta("answered"), nobody)

    def mark_answered(self, number: int) -> None:
        """Remember that a person has been told of every entry up to one."""
        self._record(lambda database, _now: database.set_meta("answered", number))

    def end_entry(self) -> None:
        """Close the current entry: somebody has looked at it, so later changes belong to a new one."""
        with self._lock:
            self._comparing.opens.end()

    def versions(self, path: str) -> list[Version]:
        """Return the states that a file had, newest first; the first is the present one, if there is one."""

        def ask(database: Database) -> list[Version]:
            now = self._known.get(path)
            current = [Version(now.seen, None, now.digest, database.size(now.digest))] if now and now.digest else []
            return current + [
                Version(since, until, digest, database.size(digest)) for since, until, digest in database.versions(path)
            ]

        return self._ask(ask, [])

    def since(self, moment: float, *, typed: bool = False) -> Since:
        """Return what other programs did to files after a time, taken together.

        Args:
            moment: The time, in seconds since 1970.
            typed: Whether to include what a person typed in Obsidian.
        """
        none = Since((), {}, ())
        return self._ask(
            lambda database: since(database.effects_since(moment, typed=typed), moment, self.versions), none
        )

    def paths(self) -> set[str]:
        """Return every path that has versions."""
        nothing: set[str] = set()
        return self._ask(Database.paths, nothing) | self._known.all().keys()

    def is_held(self, digest: bytes) -> bool:
        """Return whether this content is kept."""
        return self._db is not None and digest in self._db.held

    def bytes_of(self, digest: bytes) -> bytes | None:
        """Return bytes by their hash, which is checked; None if they are not kept."""
        return self._ask(lambda database: database.content(digest), None)

    def is_as(self, path: str) -> Side:
        """Return the last seen state of a file."""
        known = self._known.get(path)
        if known is None:
            return None
        return Unknown.BYTES if known.digest is None else known.digest

    def kept(self) -> VersionsStatus:
        """Return the state of the recording."""
        nothing = list[tuple[int, float, float, bool, Origin]](), set[bytes](), 0, self._rules().megabytes << 20
        entries, held, size, budget = self._ask(lambda one: (one.entries(), one.held, one.on_disk, one.budget), nothing)
        begun, since, known = [began for _, began, *_ in entries], self._comparing.since, self._known.all().values()
        return VersionsStatus(
            on=self._recording,
            since=None if since is None else stamp_of(since),
            files=len(known),
            whole=sum(one.digest in held for one in known),
            entries=len(entries),
            oldest=stamp_of(min(begun)) if begun else None,
            bytes=size,
            budget=budget,
            fault=self.fault,
        )

    def _entries(self, wanted: Callable[[int, float], bool]) -> list[Entry]:
        """Return the requested entries, newest first."""
        return self._ask(
            lambda database: [
                Entry(number, began, ended, unattended, tuple(moves_found(database.effects(number))), origin)
                for number, began, ended, unattended, origin in database.entries()
                if wanted(number, ended)
            ],
            [],
        )

    # -- within: beginning and ending ---------------------------------------------------------------------------

    def _begin(self) -> None:
        """Open what is kept and take it up."""
        self._begin_anew()
        self._dirty = False
        self._fault = self._stays_off = None
        self._own.last, self._pruned = None, 0.0
        rules = self._rules()
        if not rules.on and not (self._folder / NAME).exists():
            self._recording = False
            return
        try:
            self._db = Database(self._folder, rules.megabytes)
            self._known.load(self._db)
            self._comparing.since = self._db.meta("since")
            self._comparing.configured = bool(self._db.meta("configured"))
            self._own.last = self._db.meta("heard")
            here = identity(self._root)
            if is_another(self._root, self._db.meta("root"), here, self._known.all()):
                self._stays_off = _STRANGE
            else:
                self._db.set_meta("root", here)
        except (sqlite3.Error, OSError) as error:
            logger.warning("Changes by other programs cannot be recorded (%s)", error)
            if self._db is not None:
                self._db.close()
            self._db = None
            self._known.load(None)
            self._stays_off = _UNUSABLE
        self._recording = rules.on and self._stays_off is None
        if self._db is not None and not rules.on:
            self._switch(on=False)
        if self._recording and self._comparing.since is not None:
            self._own.begin(self._own.last)

    def _begin_anew(self) -> None:
        """Know of nothing, so that the next look at the whole vault is the first."""
        self._known.load(None)
        self._comparing.opens.end()
        self._comparing.doubt()
        self._comparing.since = None
        self._comparing.attended = self._comparing.configured = False

    def _switch(self, *, on: bool) -> None:
        """Switch recording on or off. What happened meanwhile is nobody's entry: it begins anew."""
        if on:
            if self._db is None:
                self._begin()
            self._recording = self._stays_off is None
            self._look()
            return
        self._recording = False

        def begin_anew(database: Database, _now: float) -> None:
            database.drop_files()
            database.set_meta("since", None)
            database.set_meta("configured", None)

        if self._db is not None and self._record(begin_anew, even_off=True):
            self._clear(self._db)
            self._begin_anew()

    # -- within: reading ----------------------------------------------------------------------------------------

    def _prepared(self, files: Iterable[SeenFile]) -> Prepared:
        rules = self._rules()
        wanted = (self._whole(one) for one in files if rules.covers(one.path))
        return {one.path: made_ready(one, self._db, file_id(self._root, one)) for one in wanted}

    def _whole(self, seen: SeenFile) -> SeenFile:
        """Return a file that was read in part, now read whole, if only that tells whether and how it changed."""
        old = self._known.get(seen.path)
        changed = self._own.concern(seen.path) or (old is not None and not old.is_as(seen))
        if seen.data is None and self._comparing.since is not None and changed:
            return read_whole(self._files, seen.path, self._db) or seen
        return seen

    def _read(self, paths: Iterable[str]) -> Iterator[Prepared]:
        """Yield files, read whole, in portions."""
        yield from map(self._prepared, portions(read_whole(self._files, path, self._db) for path in paths))

    # -- within: writing ----------------------------------------------------------------------------------------

    def _record(self, work: Callable[[Database, float], object], *, even_off: bool = False) -> bool:
        """Do something in one transaction; if it fails, nothing is known or kept of it.

        Returns:
            Whether it was done; it is not when the disk fails or nothing is recorded.
        """
        with self._lock:
            database = self._db
            if database is None or not (self._recording or even_off):
                return False
            opened = self._comparing.opens.copy()
            try:
                with self._known.changing(), database.writing():
                    work(database, self._now())
            except (sqlite3.Error, OSError) as error:
                self._comparing.opens = opened
                self._comparing.doubt()
                self._failed(error)
                return False
            self._dirty = True
            self.revision += 1
            self._fault = None
            return True

    def _prune(self, database: Database, rules: KeepRules, now: float) -> None:
        """Remove what is older than the user wants, and what the user has excluded since."""
        with database.writing():
            database.drop_before(now - rules.days * 86400.0)
            left_out = [path for path in self._known.all() if not rules.covers(path)]
            for path in left_out:
                database.drop_file(path)
                database.forget(path)
        self._known.leave_out(left_out)
        self._clear(database)
        self._pruned = now
        database.look_again()

    def _clear(self, database: Database) -> None:
        """Let the bytes go that nothing refers to any more."""
        try:
            database.clear()
        except (sqlite3.Error, OSError) as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        if self._fault is None:
            logger.warning("Changes by other programs cannot be recorded just now (%s)", error)
        self._fault = _FAILED.format(error)

    # -- within -------------------------------------------------------------------------------------------------

    def _ask(self, question: Callable[[Database], T], otherwise: T) -> T:
        with self._lock:
            if self._db is None:
                return otherwise
            try:
                return question(self._db)
            except (sqlite3.Error, OSError) as error:
                self._failed(error)
                return otherwise

    def _now(self) -> float:
        """Return the time in whole milliseconds, as times are shown."""
        return round(self._clock.now().timestamp(), 3)


_FAILED = "Changes by other programs cannot be recorded just now ({}); this is tried again"
_UNUSABLE = (
    "Changes by other programs are not recorded: the record of earlier ones cannot be read. "
    "`vault-bridge restore --forget-everything` deletes it and starts a new one"
)
_STRANGE = (
    "Changes by other programs are not recorded: another vault is in this place now. Put the earlier one back and "
    "restart the bridge, or delete what is kept of it with `vault-bridge restore --forget-everything`"
)
