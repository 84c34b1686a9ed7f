"""What other programs do to the vault, recorded as the index comes upon it, with the bytes from before.

The index shows what it has read before it takes it in. What the ledger writes is announced, so it is known and never
recorded. Nothing here may fail towards the index: what cannot be kept is said, and looked for again.
"""

import contextlib
import hashlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from bridge.clock import Clock
from bridge.errors import ToolFailure
from bridge.vault.files import VaultFiles
from bridge.vault.paths import known_path
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.versions.database import NAME, Content, Database, NoRoom, VersionRow, content_of
from bridge.versions.grouping import OpenEntry, moves_found
from bridge.versions.states import Effect, Entry, KeepRules, Kept, Known, Seen, Side, Unknown, Version

logger = logging.getLogger(__name__)
T = TypeVar("T")

BURST_SECONDS = 10.0
"""Of a file that changes more often, not every state in between is kept."""

PRUNE_SECONDS = 3600.0
"""How often what is too old is looked for."""

SAFE_SECONDS = 24 * 3600.0
"""How long the state before an entry is kept whatever the space."""

BATCH_FILES = 256
BATCH_BYTES = 1 << 20
ATTACHMENT_BYTES = 64 << 20
"""How many bytes of attachments are read after one look at the whole vault."""

ATTACHMENT_SHARE = 0.8
"""The share of the budget beyond which no attachment is kept, so that there is room for texts."""

_SAMPLE = 200
"""Files that are looked for when the vault's folder is another than it was."""


class OwnWrites(Protocol):
    """What the bridge itself has written: the ledger."""

    def written_since(self, execution_id: str | None, /) -> Mapping[str, set[str | None]]:
        """What may have been written after a change: by path the hashes of it, None where it may be gone."""
        ...

    def last_id(self) -> str | None:
        """The last that was begun; None where nothing ever was."""
        ...


class ListedFile(Protocol):
    """A file as the index knows it."""

    @property
    def path(self) -> str:
        """Its vault path."""
        ...

    @property
    def size(self) -> int:
        """Its bytes."""
        ...

    @property
    def mtime_ns(self) -> int:
        """When it was changed."""
        ...

    @property
    def changed_ns(self) -> int:
        """When its entry on the disk was changed."""
        ...


class _Ready(NamedTuple):
    """A file that was read, hashed and compressed."""

    seen: Seen
    digest: bytes | None
    content: Content | None


@dataclass(slots=True)
class _Pending:
    """What becomes true when a transaction has ended well."""

    known: dict[str, Known | None] = field(default_factory=dict)


class Prepared:
    """Files that were read, ready to be recorded without doing more than that."""

    def __init__(self, ready: Mapping[str, _Ready]) -> None:
        self._ready = ready

    def of(self, paths: Iterable[str]) -> list[_Ready]:
        """Those among some paths."""
        return [self._ready[path] for path in paths if path in self._ready]

    @property
    def paths(self) -> set[str]:
        """Which they are."""
        return set(self._ready)


class Recorder:
    """What is known of every file, what other programs did to them, and their bytes. Any thread may use it.

    Args:
        folder: Where it is kept, for this user only; not in the vault.
        files: The vault.
        clock: The time.
        rules: How much is kept.
        own: What the bridge itself has written, perhaps without this having heard of it.

    Attributes:
        revision: Counts up whenever anything is recorded.
    """

    def __init__(
        self, folder: Path, files: VaultFiles, clock: Clock, *, rules: Callable[[], KeepRules], own: OwnWrites
    ) -> None:
        self._folder = folder
        self._files = files
        self._root = files.root
        self._clock = clock
        self._rules = rules
        self._lock = threading.RLock()
        self._db: Database | None = None
        self._known: dict[str, Known] = {}
        self._pending: _Pending | None = None
        self._expected: dict[str, set[bytes | None]] = {}
        self._unheard: dict[str, set[bytes | None]] = {}
        self._open: OpenEntry | None = None
        self._since: float | None = None
        self._attended = False
        self._recording = False
        self._dirty = False
        self._short = False
        self._fault: str | None = None
        self._stays_off: str | None = None
        self._own = own
        self._look: Callable[[], None] = lambda: None
        self._failures = self._failures_before = 0
        self.revision = 0
        self._heard_next: str | None = None
        self._pruned = 0.0
        with self._lock:
            self._begin()

    # -- what the index tells -----------------------------------------------------------------------------------

    def prepare(self, files: Iterable[Seen]) -> Prepared:
        """Hash and compress what was read, where it is not kept yet. Takes no lock.

        Args:
            files: The files.
        """
        if not self._recording or self._since is None:
            return Prepared({})  # at the beginning the index comes first, and everything is read after it
        return self._prepared(files)

    def _prepared(self, files: Iterable[Seen]) -> Prepared:
        rules = self._rules()
        return Prepared({file.path: self._made_ready(self._whole(file)) for file in files if rules.covers(file.path)})

    def saw(self, prepared: Prepared, paths: Iterable[str]) -> None:
        """Files are there with these bytes, which nobody but another program can have changed since they were read.

        Args:
            prepared: The files, with others perhaps.
            paths: Those of them that count.
        """
        ready = prepared.of(paths)
        if ready:
            self._record(partial(self._each, self._saw, ready))

    def lost(self, paths: Iterable[str]) -> None:
        """Files are not there any more, as far as the index can see: each is looked for once more."""
        listed = [path for path in paths if path in self._known]
        if listed and self._recording and self._root.in_place():
            gone = [path for path in listed if self._is_gone(path)]
            if gone:
                self._record(partial(self._each, self._lost, gone))

    def missing(self, files: Sequence[ListedFile]) -> Iterator[Prepared]:
        """Compare what is recorded with a look at the whole vault; what is not recorded is read, in portions.

        Args:
            files: All of the vault's files.
        """
        if not self._recording:
            return
        with self._lock:
            self._failures_before = self._failures
            known, rules = self._known.copy(), self._rules()
            held = set() if self._db is None else self._db.held
        self.lost(known.keys() - {file.path for file in files})
        wanted, later = [], []
        for file in files:
            old = known.get(file.path)
            if (
                old is None
                or old.mtime_ns != file.mtime_ns
                or old.changed_ns != file.changed_ns
                or old.size != file.size
            ):
                if rules.covers(file.path):
                    wanted.append(file.path)
            elif (old.digest is None or (old.digest not in held and not self._short)) and rules.covers(file.path):
                later.append(file)
        yield from self._read(wanted)
        yield from self._read(self._attachments(later))

    def begin_with(self, look: Callable[[], None]) -> None:
        """Say how a look at the whole vault is asked for, where the recording begins anew."""
        self._look = look

    def looked(self) -> None:
        """A look at the whole vault is complete, and all that it found is recorded."""
        if not self._recording or self._failures != self._failures_before:
            return
        self._attended = True
        self._unheard = {}
        if self._since is None:
            now, heard = self._now(), self._own.last_id()

            def begin(database: Database, _now: float) -> None:
                database.set_meta("since", now)
                database.set_meta("heard", heard)

            if self._record(begin):
                self._since = now
                logger.info("What other programs change in the vault is recorded from now on")

    # -- what the ledger tells ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self, plan: ChangePlan, execution_id: str) -> Iterator[None]:
        """While a plan is carried out: its states of its files are the bridge's own.

        Args:
            plan: The plan.
            execution_id: The change's name.
        """
        expected: dict[str, set[bytes | None]] = {}
        for change in plan.changes:
            for path in (change.path, change.new_path):
                if path is not None and not change.of_folder:
                    hashes = {bytes.fromhex(digest) for digest in (change.before, change.after) if digest}
                    expected.setdefault(path, {None}).update(hashes)
        with self._lock:
            self._expected = expected
            self._heard_next = execution_id
        try:
            yield
        finally:
            with self._lock:
                self._expected = {}

    def wrote(self, plan: ChangePlan) -> None:
        """A plan was carried out: how its files are now is known, and another program's change before it too."""
        if not self._recording:
            return
        rules = self._rules()
        starts, ends = ({path: end for path, end in side.items() if rules.covers(path)} for side in _sides(plan))
        contents = [content_of(data, bytes.fromhex(digest)) for digest, data in plan.blobs.items()]

        def write(database: Database, now: float) -> None:
            for path, start in starts.items():
                self._found_before(database, path, start, now)
            self._open = None  # what comes now starts from another state
            for path, end in ends.items():
                if end is None:
                    self._forget_file(database, path)
                else:
                    self._know(database, path, Known(-1, 0, 0, end, now))
            for content in contents:
                self._keep(database, content)
            database.set_meta("heard", self._heard_next)

        if not self._record(write):
            with self._lock:
                for path, end in ends.items():
                    self._unheard.setdefault(path, set()).add(end)

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
                if database.budget != rules.megabytes << 20:
                    self._resize(database, rules.megabytes)
                now = self._now()
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

    # -- questions ----------------------------------------------------------------------------------------------

    @property
    def fault(self) -> str | None:
        """Why not everything is recorded; None where it is. Answers at once."""
        return self._fault or self._stays_off or (_SHORT if self._short else None)

    def entries(self, since: float = 0.0) -> list[Entry]:
        """Every entry, newest first.

        Args:
            since: Only those that ended then or later, in seconds since 1970.
        """
        return self._ask(
            lambda database: [
                Entry(number, began, ended, unattended, tuple(moves_found(database.effects(number))))
                for number, began, ended, unattended in database.entries()
                if ended >= since
            ],
            [],
        )

    def entry(self, entry_id: str) -> Entry | None:
        """One of them, by its name."""
        return next((entry for entry in self.entries() if entry.id == entry_id), None)

    @property
    def answered(self) -> int | None:
        """The last entry that a person was told of, or need not be; None where nobody was ever asked."""
        nobody: int | None = None
        return self._ask(lambda database: database.meta("answered"), nobody)

    def mark_answered(self, number: int) -> None:
        """Remember that a person has been told of every entry up to one."""
        self._record(lambda database, _now: database.set_meta("answered", number))

    def end_entry(self) -> None:
        """What comes next belongs to a new entry, because somebody has looked at what the last one did."""
        with self._lock:
            self._open = None

    def versions(self, path: str) -> list[Version]:
        """The states that a file had, newest first; the first is the present one, where there is one."""

        def ask(database: Database) -> list[Version]:
            now = self._known.get(path)
            current = [Version(now.seen, None, now.digest, database.size(now.digest))] if now and now.digest else []
            return current + [
                Version(since, until, digest, database.size(digest)) for since, until, digest in database.versions(path)
            ]

        return self._ask(ask, [])

    def paths(self) -> set[str]:
        """Every path of which there are versions."""
        nothing: set[str] = set()
        return self._ask(Database.paths, nothing) | self._known.keys()

    def is_held(self, digest: bytes) -> bool:
        """Whether bytes are kept."""
        return self._db is not None and digest in self._db.held

    def bytes_of(self, digest: bytes) -> bytes | None:
        """Bytes by their hash, which is checked; None where they are not kept."""
        return self._ask(lambda database: database.content(digest), None)

    def is_as(self, path: str) -> Side:
        """How a file is, as far as was seen."""
        known = self._known.get(path)
        if known is None:
            return None
        return Unknown.BYTES if known.digest is None else known.digest

    def kept(self) -> Kept:
        """How things stand."""

        def ask(database: Database) -> Kept:
            entries = database.entries()
            known = self._known.copy().values()
            return Kept(
                on=self._recording,
                since=self._since,
                files=len(known),
                whole=sum(one.digest in database.held for one in known),
                entries=len(entries),
                oldest=min((began for _, began, _, _ in entries), default=None),
                bytes=database.on_disk,
                budget=database.budget,
                fault=self.fault,
            )

        rules = self._rules()
        nothing = Kept(
            on=False,
            since=None,
            files=0,
            whole=0,
            entries=0,
            oldest=None,
            bytes=0,
            budget=rules.megabytes << 20,
            fault=self.fault,
        )
        return self._ask(ask, nothing)

    def forget(self, path: str) -> bool:
        """Let the earlier versions of a file or folder go for good.

        Returns:
            Whether there were any.
        """
        found: list[bool] = []

        def forget(database: Database, _now: float) -> None:
            self._open = None
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

    # -- within: states -----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Open what is kept and take it up."""
        self._known, self._open, self._since = {}, None, None
        self._attended = self._dirty = self._short = False
        self._fault = self._stays_off = None
        self._heard_next, self._pruned = None, 0.0
        rules = self._rules()
        if not rules.on and not (self._folder / NAME).exists():
            self._recording = False
            return
        try:
            self._db = Database(self._folder, rules.megabytes)
            self._known = self._db.files()
            self._since = self._db.meta("since")
            self._heard_next = self._db.meta("heard")
            identity = self._identity()
            if self._is_strange(self._db.meta("root"), identity):
                self._stays_off = _STRANGE
            else:
                self._db.set_meta("root", identity)
        except (sqlite3.Error, OSError) as error:
            logger.warning("What other programs change cannot be recorded (%s)", error)
            if self._db is not None:
                self._db.close()
            self._db, self._known = None, {}
            self._stays_off = _UNUSABLE
        self._recording = rules.on and self._stays_off is None
        if self._db is not None and not rules.on:
            self._switch(on=False)
        if self._recording and self._since is not None:
            unheard = self._own.written_since(self._heard_next)
            self._unheard = {
                path: {None if one is None else bytes.fromhex(one) for one in hashes}
                for path, hashes in unheard.items()
            }

    def _switch(self, *, on: bool) -> None:
        """Recording was switched on or off. What happened meanwhile is nobody's entry: it begins anew."""
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

        if self._db is not None and self._record(begin_anew, even_off=True):
            self._clear(self._db)
            self._known, self._since, self._open, self._attended = {}, None, None, False

    def _identity(self) -> str:
        state = self._root.path.stat()
        return f"{state.st_dev}:{state.st_ino}"

    def _is_strange(self, before: str | None, now: str) -> bool:
        """Whether another vault lies here now: another folder, in which most files are not that should be there."""
        if before is None or before == now or not self._known:
            return False
        paths = sorted(self._known)
        sample = paths[:: max(1, len(paths) // _SAMPLE)]
        there = sum(not self._is_gone(path) for path in sample)
        return there * 2 < len(sample)

    def _is_gone(self, path: str) -> bool:
        """Whether a file is surely not there: what cannot be looked at is not gone, nor what a cloud has moved out."""
        place = self._root.path / path
        try:
            place.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return not place.with_name(f".{place.name}.icloud").exists()
        except OSError:
            return False
        return False

    # -- within: recording --------------------------------------------------------------------------------------

    def _whole(self, seen: Seen) -> Seen:
        """A file that was read in part, read whole, where only that tells whether it was changed, and to what."""
        old = self._known.get(seen.path)
        changed = seen.path in self._expected or seen.path in self._unheard
        if seen.data is None and self._since is not None and (changed or (old is not None and not old.is_as(seen))):
            return self._read_one(seen.path) or seen
        return seen

    def _made_ready(self, seen: Seen) -> _Ready:
        database = self._db
        if seen.data is None or database is None:
            return _Ready(seen, None, None)
        digest = hashlib.sha256(seen.data).digest()
        content = None if digest in database.held else content_of(seen.data, digest)
        return _Ready(seen, digest, content)

    def _record(self, work: Callable[[Database, float], object], *, even_off: bool = False) -> bool:
        """Do something in one transaction; if it fails, nothing is known or kept of it.

        Returns:
            Whether it was done; it is not when the disk fails or nothing is recorded.
        """
        with self._lock:
            database = self._db
            if database is None or not (self._recording or even_off):
                return False
            opened = None if self._open is None else self._open.copy()
            self._pending = pending = _Pending()
            try:
                with database.writing():
                    work(database, self._now())
            except (sqlite3.Error, OSError) as error:
                self._open = opened
                self._failed(error)
                return False
            finally:
                self._pending = None
            for path, known in pending.known.items():
                if known is None:
                    self._known.pop(path, None)
                else:
                    self._known[path] = known
            self._dirty = True
            self.revision += 1
            self._fault = None
            return True

    @staticmethod
    def _each(work: Callable[[Database, T, float], None], those: Iterable[T], database: Database, now: float) -> None:
        for one in those:
            work(database, one, now)

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        if self._fault is None:
            logger.warning("What other programs change cannot be recorded just now (%s)", error)
        self._fault = _FAILED.format(error)

    def _saw(self, database: Database, ready: _Ready, now: float) -> None:
        seen, digest = ready.seen, ready.digest
        old = self._known_of(seen.path)
        if ready.content is not None:
            self._keep(database, ready.content)
        if digest is None and old is not None and old.is_as(seen):
            return  # not read as a whole, and nothing has happened to it
        new = Known(seen.size, seen.mtime_ns, seen.changed_ns, digest, now)
        if old is None:
            if self._since is not None and not self._is_own(seen.path, digest):
                new = new._replace(foreign=True)
                self._changed(database, seen.path, digest or Unknown.BYTES, now)
            self._know(database, seen.path, new)
        elif digest is not None and digest == old.digest:
            if not old.is_as(seen):
                self._know(database, seen.path, new._replace(seen=old.seen, foreign=old.foreign))
        elif digest is not None and old.digest is None and old.is_as(seen):
            # Now it was read as a whole: what an entry could not say of it, it can now.
            self._know(database, seen.path, new._replace(seen=old.seen, foreign=old.foreign))
            self._completed(database, seen.path, digest)
        else:
            if self._since is not None and not self._is_own(seen.path, digest):
                self._changed(database, seen.path, digest or Unknown.BYTES, now)
            self._know(database, seen.path, new._replace(foreign=old.foreign))
            self._let_go(database, old)

    def _lost(self, database: Database, path: str, now: float) -> None:
        old = self._known_of(path)
        if old is None or (path in self._expected and None in self._expected[path]):
            return
        if self._since is not None and None not in self._unheard.get(path, set()):
            self._changed(database, path, None, now)
        self._forget_file(database, path)

    def _found_before(self, database: Database, path: str, digest: bytes | None, now: float) -> None:
        """The ledger found a file so, before it wrote: if that is new, another program did it shortly before."""
        old = self._known_of(path)
        known: Side = None if old is None else old.digest or Unknown.BYTES
        if self._since is None or known in {digest, Unknown.BYTES} or self._is_own(path, known):
            return
        self._changed(database, path, digest, now)

    def _is_own(self, path: str, digest: Side) -> bool:
        """Whether the ledger has written a file so."""
        own = self._expected.get(path, set()) | self._unheard.get(path, set())
        return digest is not None and digest in own

    def _changed(self, database: Database, path: str, after: Side, now: float) -> None:
        """Another program changed a file: into its entry, and what it was into the versions."""
        old = self._known_of(path)
        before: Side = None if old is None else old.digest or Unknown.BYTES
        if after is None and old is not None and now - old.seen >= BURST_SECONDS and self._is_in_open(path):
            self._open = None  # who undoes a deletion wants what was deleted, not what it was earlier
        entry = self._entry_for(database, path, now)
        effect = database.effect(entry.number, path)
        first = effect.before if effect is not None else before
        if effect is not None and first == after and not isinstance(after, Unknown):
            database.drop_effect(entry.number, path)
            entry.paths.discard(path)
            if not entry.paths:
                self._open = None
        else:
            database.put_effect(entry.number, Effect(path, first, after))
        if old is not None and old.digest is not None:
            between = effect is not None
            if not between or now - old.seen >= BURST_SECONDS:
                database.put_version(VersionRow(path, old.digest, old.seen, now, between, old.foreign))

    def _completed(self, database: Database, path: str, digest: bytes) -> None:
        """An entry left a file whose bytes were not known then, and are now."""
        number = database.last_entry(path)
        effect = None if number is None else database.effect(number, path)
        if number is not None and effect is not None and effect.after is Unknown.BYTES:
            database.put_effect(number, Effect(path, effect.before, digest))

    def _entry_for(self, database: Database, path: str, now: float) -> OpenEntry:
        """The entry that a change belongs to: the last, or a new one."""
        last = self._open
        if last is None or not last.takes(path, now, attended=self._attended):
            number = database.new_entry(now, unattended=not self._attended)
            last = self._open = OpenEntry(number, now, now, self._attended, set())
        else:
            database.extend_entry(last.number, now)
        last.ended = now
        last.paths.add(path)
        return last

    def _is_in_open(self, path: str) -> bool:
        """Whether the last entry has done something to a file."""
        return self._open is not None and path in self._open.paths

    def _known_of(self, path: str) -> Known | None:
        pending = self._pending
        if pending is not None and path in pending.known:
            return pending.known[path]
        return self._known.get(path)

    def _know(self, database: Database, path: str, known: Known) -> None:
        database.put_file(path, known)
        if self._pending is not None:
            self._pending.known[path] = known

    def _forget_file(self, database: Database, path: str) -> None:
        old = self._known_of(path)
        database.drop_file(path)
        if self._pending is not None:
            self._pending.known[path] = None
        self._let_go(database, old)

    def _let_go(self, database: Database, old: Known | None) -> None:
        """What a file was is no longer what it is: its bytes stay if anything else refers to them."""
        if old is not None and old.digest is not None:
            database.drop_unused([old.digest])

    # -- within: room -------------------------------------------------------------------------------------------

    def _keep(self, database: Database, content: Content) -> None:
        """Keep bytes, making room for them; where there is none, their hash alone is known."""
        size = len(content.data)
        if size > database.largest:
            return
        if not database.fits(size):
            try:
                self._make_room(database, size)
            except NoRoom:
                if not self._short:
                    logger.warning("%s", _SHORT)
                self._short = True
                return
        database.put_content(content)

    def _make_room(self, database: Database, size: int) -> None:
        while not database.fits(size):
            if not self._let_something_go(database):
                raise NoRoom

    def _let_something_go(self, database: Database) -> bool:
        """Let one thing go, what matters least first; returns whether there was anything that may go."""
        now = self._now()
        return (
            database.drop_oldest(between=True, foreign=None, before=now + 1, most=1)
            or database.drop_oldest(between=False, foreign=True, before=now - PRUNE_SECONDS, most=1)
            or database.drop_afterwards()
            or database.drop_oldest(between=False, foreign=None, before=now - SAFE_SECONDS, most=1)
        )

    def _resize(self, database: Database, megabytes: int) -> None:
        """Another budget: what is too much goes, and what is kept is made as small."""
        database.set_budget(megabytes)
        self._short = False
        while database.used > database.limit:
            with database.writing():  # one for each, as all of it goes through the log
                if not self._let_something_go(database):
                    self._short = True  # not even what the files are now fits: the largest go first
                    if not database.drop_largest():
                        break
        database.shrink()
        database.set_budget(megabytes)

    def _prune(self, database: Database, rules: KeepRules, now: float) -> None:
        """What is older than the user wants goes, and so does what is left out now."""
        with database.writing():
            database.drop_before(now - rules.days * 86400.0)
            left_out = [path for path in self._known if not rules.covers(path)]
            for path in left_out:
                database.drop_file(path)
                database.forget(path)
        for path in left_out:
            del self._known[path]
        self._clear(database)
        self._pruned = now
        self._short = self._short and not database.fits(database.largest)

    def _clear(self, database: Database) -> None:
        """Let the bytes go that nothing refers to any more, and give the disk back what they took."""
        try:
            more = True
            while more:
                with database.writing():
                    more = database.drop_some_unused()
            database.shrink()
        except (sqlite3.Error, OSError) as error:
            self._failed(error)

    # -- within: reading ----------------------------------------------------------------------------------------

    def _attachments(self, files: Sequence[ListedFile]) -> list[str]:
        """Files whose bytes are not kept and can be now, as many as are read at a time."""
        database = self._db
        if database is None:
            return []
        room = int(database.limit * ATTACHMENT_SHARE) - database.used
        wanted, size = [], 0
        for file in files:
            if file.size <= database.largest and size + file.size <= min(room, ATTACHMENT_BYTES):
                wanted.append(file.path)
                size += file.size
        return wanted

    def _read(self, paths: Sequence[str]) -> Iterator[Prepared]:
        """Files, read whole, in portions."""
        batch: list[Seen] = []
        size = 0
        for path in paths:
            seen = self._read_one(path)
            if seen is None:
                continue
            batch.append(seen)
            size += len(seen.data or b"")
            if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
                yield self._prepared(batch)
                batch, size = [], 0
        if batch:
            yield self._prepared(batch)

    def _read_one(self, path: str) -> Seen | None:
        database = self._db
        if database is None:
            return None
        try:
            data, state = self._files.read(known_path(path), limit=database.largest * 4 + 1)
        except (ToolFailure, OSError):
            return None
        whole = len(data) == state.size
        return Seen(path, state.size, state.mtime_ns, state.changed_ns, data if whole else None)

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
        """In whole milliseconds, as times are shown."""
        return round(self._clock.now().timestamp(), 3)


def _sides(plan: ChangePlan) -> tuple[dict[str, bytes | None], dict[str, bytes | None]]:
    """How a plan finds each file, and how it leaves it, by hashes."""
    starts: dict[str, bytes | None] = {}
    ends: dict[str, bytes | None] = {}
    for change in plan.changes:
        if not change.of_folder:
            before, after = (bytes.fromhex(digest) if digest else None for digest in (change.before, change.after))
            starts.setdefault(change.path, before)
            ends[change.path] = None if change.kind in {ChangeKind.MOVE, ChangeKind.DELETE} else after
            if change.kind is ChangeKind.MOVE and change.new_path is not None:
                starts.setdefault(change.new_path, None)
                ends[change.new_path] = after
    return starts, ends


_SHORT = (
    "The space for earlier versions is used up (setting 'outsideVersionsMegabytes'), so of some files they are not kept"
)
_FAILED = "What other programs change cannot be recorded just now ({}); it is tried again"
_UNUSABLE = (
    "What other programs change is not recorded: what is kept of it cannot be read. "
    "`vault-bridge restore --forget-everything` throws it away and begins anew"
)
_STRANGE = (
    "What other programs change is not recorded: another vault lies in this place now. Put the earlier one back and "
    "restart the bridge, or `vault-bridge restore --forget-everything` throws away what is kept of it"
)
