"""Comparison of each file with its last known state, and the entry that each change goes into, in one transaction.

The last known states are held in memory (`KnownFiles`) and in the database.
"""

import contextlib
from collections.abc import Iterable, Iterator

from bridge.vault.plan import is_hidden
from bridge.versions.database import Database, VersionRow
from bridge.versions.grouping import (
    BELIEVED_SECONDS,
    BridgeWrites,
    ObsidianWrite,
    OpenEntries,
    ReportedWrites,
    SeenChange,
    SeenChanges,
    origin_of,
)
from bridge.versions.reading import ReadFile
from bridge.versions.states import Effect, KnownState, Origin, Side, Unknown


class KnownFiles:
    """Every file with what is known of it. One thread at a time changes it; any may ask."""

    def __init__(self) -> None:
        self._known: dict[str, KnownState] = {}
        self._changed: dict[str, KnownState | None] | None = None

    def load(self, database: Database | None) -> None:
        """Take the list up that a database has; None: an empty one."""
        self._known = {} if database is None else database.files()

    def get(self, path: str) -> KnownState | None:
        """Return what is known of a file, without the changes of an unfinished transaction."""
        return self._known.get(path)

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def all(self) -> dict[str, KnownState]:
        """Return everything known, as it is now."""
        return self._known.copy()

    def leave_out(self, paths: list[str]) -> None:
        """Know nothing of some files any more; the database knows it already."""
        for path in paths:
            del self._known[path]

    # -- in a transaction ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Keep changes to oneself during a transaction: they count for others once it has ended well."""
        changed: dict[str, KnownState | None] = {}
        self._changed = changed
        try:
            yield
        finally:
            self._changed = None
        for path, known in changed.items():
            if known is None:
                self._known.pop(path, None)
            else:
                self._known[path] = known

    def latest(self, path: str) -> KnownState | None:
        """Return what is known of a file, with the changes of the current transaction."""
        if self._changed is not None and path in self._changed:
            return self._changed[path]
        return self._known.get(path)

    def put(self, database: Database, path: str, known: KnownState) -> None:
        """Record the state of a file."""
        database.put_file(path, known)
        if self._changed is not None:
            self._changed[path] = known

    def drop(self, database: Database, path: str) -> None:
        """Record that a file is gone."""
        database.drop_file(path)
        if self._changed is not None:
            self._changed[path] = None


BURST_SECONDS = 10.0
"""Of a file that changes more often, not every state in between is kept."""


ALIKE = 0.5
"""The share of a file that must still be there for it to be the same one, moved."""

PART_SECONDS = 5.0
"""Seconds for which a file may be seen half-written before all of it is there."""

_COMPARED = 20_000
"""Bytes of each that are compared."""


class Comparing:
    """The comparison of files with what is known of them.

    Args:
        known: What that is.
        own: What the bridge itself writes.

    Attributes:
        opens: The entries to which more may come.
        attended: Whether the bridge has been running since everything was looked at.
        since: Since when there are entries; None before everything was looked at for the first time.
        configured: Whether Obsidian's configuration was looked at then too.
    """

    def __init__(self, known: KnownFiles, own: BridgeWrites) -> None:
        self._known = known
        self._own = own
        self.opens = OpenEntries()
        self._reported = ReportedWrites()
        self._seen_changes = SeenChanges()
        self._held: list[tuple[float, bytes]] = []
        self.attended = False
        self.since: float | None = None
        self.configured = False

    def record_seen(self, database: Database, ready: ReadFile, now: float) -> None:
        """Record that a file exists with this content."""
        seen, digest = ready.seen, ready.digest
        old = self._known.latest(seen.path)
        if ready.content is not None:
            database.keep(ready.content, now)
        if digest is None and old is not None and old.is_as(seen):
            return  # not read as a whole, and nothing has happened to it
        new = KnownState(seen.size, seen.mtime_ns, seen.changed_ns, digest, now, file_id=ready.file_id)
        if old is None:
            if self._is_on(seen.path) and not self._own.wrote(seen.path, digest):
                origin = self._changed(database, seen.path, digest or Unknown.BYTES, now, ready.file_id)
                new = new._replace(foreign=origin is Origin.PROGRAM)
            self._known.put(database, seen.path, new)
        elif digest is not None and digest == old.digest:
            if not old.is_as(seen):
                self._known.put(database, seen.path, new._replace(seen=old.seen, foreign=old.foreign))
        elif digest is not None and old.digest is None and old.is_as(seen):
            # Now it was read as a whole: what an entry could not say of it, it can now.
            self._known.put(database, seen.path, new._replace(seen=old.seen, foreign=old.foreign))
            self._completed(database, seen.path, digest)
        else:
            if self._is_on(seen.path) and not self._own.wrote(seen.path, digest):
                self._changed(database, seen.path, digest or Unknown.BYTES, now)
            self._known.put(database, seen.path, new._replace(foreign=old.foreign))
            self._let_go(database, seen.path, old, now)

    def record_gone(self, database: Database, path: str, now: float) -> None:
        """Record that a file no longer exists."""
        if self._known.latest(path) is None or self._own.is_taking_away(path):
            return
        if self._is_on(path) and not self._own.took_away(path):
            self._changed(database, path, None, now)
        self._forget(database, path, now)

    def found_before(self, database: Database, path: str, digest: bytes | None, now: float) -> None:
        """Record how the ledger found a file before it wrote: if that is new, another program has made it."""
        old = self._known.latest(path)
        known: Side = None if old is None else old.digest or Unknown.BYTES
        if self.since is None or known in {digest, Unknown.BYTES} or self._own.wrote(path, known):
            return
        self._changed(database, path, digest, now)

    def record_left(self, database: Database, path: str, digest: bytes | None, now: float) -> None:
        """Record how the ledger left a file."""
        self._seen_changes.forget(path)
        if digest is None:
            self._forget(database, path, now)
        else:
            self._known.put(database, path, KnownState(-1, 0, 0, digest, now))

    # -- what Obsidian says ------------------------------------------------------------------------------------

    def hear(self, writes: Iterable[ObsidianWrite], now: float) -> list[str]:
        """Remember what Obsidian says that it wrote.

        Returns:
            The files of which a change that was seen is explained by it, the oldest first, to be given to `explain`.
        """
        concerned: dict[str, None] = {}
        for write in writes:
            self._reported.hear(write, now)
            if write.digest is not None:
                concerned[write.path] = None
            else:
                concerned |= dict.fromkeys(self._seen_changes.below(write.path))
                concerned |= dict.fromkeys(self._seen_changes.below(write.source) if write.source else ())
        self._seen_changes.forget_old(now)
        explained = {path: steps[0][0].at for path in concerned if (steps := self._explained(path))}
        return sorted(explained, key=explained.__getitem__)

    def explain(self, database: Database, paths: Iterable[str]) -> None:
        """Move what was seen of some files out of their entry and into one of Obsidian's, which made those changes."""
        for path in paths:
            steps = self._with_parts(database, path, self._explained(path))
            if not steps:
                continue
            first, _ = steps[0]
            self._seen_changes.forget(path)
            _, write = steps[-1]
            alone = len(steps) == 1 and first.previous is None and first.fold is None
            if alone and self.opens.turn(first.entry, path, origin_of(write)):
                database.set_origin(first.entry, origin_of(write))
                self._reported.use(write)
                continue
            if first.previous is None:
                database.drop_effect(first.entry, path)
                self.opens.take_out(first.entry, path)
            else:
                database.put_effect(first.entry, first.previous, first.at if first.old is None else first.old.seen)
            self.opens.go_on(path, first.fold)
            for step, found in steps:
                self._reported.use(found)
                database.drop_version(path, step.at)
                self._enter(database, step, origin_of(found))

    def is_due(self, now: float) -> bool:
        """Return whether old state can be discarded: Obsidian no longer has time to claim the change."""
        self._reported.forget_old(now)
        self._seen_changes.forget_old(now)
        return bool(self._held) and not 0 <= now - self._held[0][0] <= BELIEVED_SECONDS

    def tidy(self, database: Database, now: float) -> None:
        """Let the bytes go that were held back until it was clear which entry needs them."""
        old = [digest for at, digest in self._held if not 0 <= now - at <= BELIEVED_SECONDS]
        self._held = [(at, digest) for at, digest in self._held if 0 <= now - at <= BELIEVED_SECONDS]
        database.drop_unused(old)

    def doubt(self) -> None:
        """Forget what was seen in a transaction that failed: it was not recorded."""
        self._seen_changes.clear()

    def _explained(self, path: str) -> list[tuple[SeenChange, ObsidianWrite]]:
        """Return the last changes to a file, as far back as each is explained, the oldest first."""
        found: list[tuple[SeenChange, ObsidianWrite]] = []
        for step in reversed(self._seen_changes.of(path)):
            write = self._reported.find(path, step.before, step.after, self._was)
            if write is None or any(write is other for _, other in found):
                break
            found.append((step, write))
        return found[::-1]

    def _with_parts(
        self, database: Database, path: str, found: list[tuple[SeenChange, ObsidianWrite]]
    ) -> list[tuple[SeenChange, ObsidianWrite]]:
        """Return the same, with what was seen of a half-written file, and what explains earlier changes."""
        steps = self._seen_changes.of(path)[: -len(found)] if found else []
        for step in reversed(steps):
            later, write = found[0]
            if (own := self._reported.find(path, step.before, step.after, self._was)) is not None:
                found = [(step, own), *found]
            elif 0 <= later.at - step.at <= PART_SECONDS and _is_part(database, step.after, later.after):
                found = [(step, write), *found]
            else:
                break
        return found

    def _was(self, path: str) -> Side:
        """Return the state of a file that was moved away, or is about to be."""
        known = self._known.latest(path)
        return self._seen_changes.was(path) if known is None else known.digest

    # -- within -------------------------------------------------------------------------------------------------

    def _is_on(self, path: str) -> bool:
        """Return whether changes to a file are recorded as entries, and not only its first state."""
        return self.since is not None and (self.configured or not is_hidden(path))

    def _changed(self, database: Database, path: str, after: Side, now: float, file_id: str | None = None) -> Origin:
        """Record a change made without the bridge, in an entry and in the versions; return its origin.

        Args:
            database: Where it is kept.
            path: The file.
            after: As it is now.
            now: The time.
            file_id: Of one that is new: what the system knows it by.
        """
        old = self._known.latest(path)
        before: Side = None if old is None else old.digest or Unknown.BYTES
        self._reported.forget_old(now)
        write = self._reported.find(path, before, after, self._was)
        if after is None:
            self._seen_changes.add_gone(path, before, now)
        step = SeenChange(0, path, before, after, None, old, now, file_id, None)
        if write is not None and self._seen_changes.of(path):
            self._enter(database, step, Origin.PROGRAM)
            self.explain(database, [path])  # with what was seen before it
        else:
            self._enter(database, step, origin_of(write))
        if write is not None:
            self._reported.use(write)
        return origin_of(write)

    def _enter(self, database: Database, step: SeenChange, origin: Origin) -> None:
        """Put a change into the entry that it belongs to, and what the file was into the versions."""
        path, after, old, now = step.path, step.after, step.old, step.at
        fold = self.opens.end_others(path, origin)
        if after is None and old is not None and now - old.seen >= BURST_SECONDS:
            self.opens.end_of(path, origin)  # who undoes a deletion wants what was deleted, not what it was earlier
        attended = self.attended or origin is not Origin.PROGRAM
        entry = self.opens.entry_for(database, path, now, origin, attended=attended)
        effect = database.effect(entry.number, path)
        first = effect.before if effect is not None else step.before
        if effect is not None and first == after and not isinstance(after, Unknown):
            database.drop_effect(entry.number, path)
            self.opens.take_out(entry.number, path)
            earlier = self._seen_changes.of(path)
            self.opens.go_on(path, earlier[0].fold if earlier else None)  # nothing has come between
            is_over = True
        else:
            is_over = origin is not Origin.PROGRAM or not self.attended
            self._put_effect(database, entry.number, Effect(path, first, after, file_id=step.file_id), effect, step)
        if old is not None and old.digest is not None:
            between = effect is not None
            if not between or now - old.seen >= BURST_SECONDS:
                database.put_version(VersionRow(path, old.digest, old.seen, now, between, old.foreign))
        if is_over:
            self._seen_changes.forget(path)
        else:
            self._seen_changes.add(step._replace(entry=entry.number, previous=effect, fold=fold))

    @staticmethod
    def _put_effect(database: Database, number: int, found: Effect, effect: Effect | None, step: SeenChange) -> None:
        """Store what an entry did to a file, with its file id if the file appeared or disappeared."""
        file_id = found.file_id
        if found.after is None:
            file_id = None if step.old is None else step.old.file_id
        elif found.before is not None:
            file_id = None
        elif effect is not None and effect.after is not None:
            file_id = effect.file_id  # a new file that is saved again, perhaps as another that takes its name
        found = found._replace(file_id=file_id)
        same = database.same_file(number, found) if file_id is not None else None
        if same is not None and not _is_alike(database, found, same):
            found = found._replace(file_id=None)  # systems give what one file was known by to the next
        database.put_effect(number, found, step.at)

    @staticmethod
    def _completed(database: Database, path: str, digest: bytes) -> None:
        """Complete an entry that left a file whose bytes were unknown then and are known now."""
        number = database.last_entry(path)
        effect = None if number is None else database.effect(number, path)
        if number is not None and effect is not None and effect.after is Unknown.BYTES:
            database.complete_effect(number, path, digest)

    def _forget(self, database: Database, path: str, now: float) -> None:
        old = self._known.latest(path)
        self._known.drop(database, path)
        self._let_go(database, path, old, now)

    def _let_go(self, database: Database, path: str, old: KnownState | None, now: float) -> None:
        """Drop the former content of a file, unless something else refers to it or may soon."""
        if old is None or old.digest is None:
            return
        if self._reported.anything and self._seen_changes.of(path):
            self._held.append((now, old.digest))
        else:
            database.drop_unused([old.digest])


def _is_part(database: Database, part: Side, whole: Side) -> bool:
    """Return whether a file was seen before it was written completely, or changed while it was being read."""
    if isinstance(part, Unknown):
        return True
    if not (isinstance(part, bytes) and isinstance(whole, bytes)):
        return False
    begun, done = database.content(part), database.content(whole)
    return begun is not None and done is not None and done.startswith(begun)


def _is_alike(database: Database, one: Effect, other: Effect) -> bool:
    """Return whether a file that disappeared and one that appeared are the same, with at most part of it changed."""
    from rapidfuzz.distance import Indel  # noqa: PLC0415 - a start is faster without

    gone, came = (one, other) if one.after is None else (other, one)
    if gone.before == came.after:
        return not isinstance(gone.before, Unknown)
    sides = [database.content(side) for side in (gone.before, came.after) if isinstance(side, bytes)]
    texts = [data[:_COMPARED].decode("latin-1") for data in sides if data is not None]
    return len(texts) == len((gone, came)) and Indel.normalized_similarity(*texts, score_cutoff=ALIKE) > 0
