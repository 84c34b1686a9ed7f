"""What became of each file since it was last seen, and into which entry that goes. Within one transaction."""

from dataclasses import replace

from rapidfuzz.distance import Indel

from bridge.versions.database import Database, VersionRow
from bridge.versions.grouping import OpenEntry
from bridge.versions.known_files import KnownFiles
from bridge.versions.own_writes import OwnWrites
from bridge.versions.reading import Ready
from bridge.versions.room import Room
from bridge.versions.states import Effect, Known, Side, Unknown

BURST_SECONDS = 10.0
"""Of a file that changes more often, not every state in between is kept."""


ALIKE = 0.5
"""The share of a file that must still be there for it to be the same one, moved."""

_COMPARED = 20_000
"""Bytes of each that are compared."""


class Comparing:
    """Compares files with what is known of them.

    Args:
        known: What that is.
        own: What the bridge itself writes.
        room: Where bytes are kept.

    Attributes:
        open: The last entry, to which more may come.
        attended: Whether the bridge has been running since everything was looked at.
        since: Since when there are entries; None before everything was looked at for the first time.
    """

    def __init__(self, known: KnownFiles, own: OwnWrites, room: Room) -> None:
        self._known = known
        self._own = own
        self._room = room
        self.open: OpenEntry | None = None
        self.attended = False
        self.since: float | None = None

    def saw(self, database: Database, ready: Ready, now: float) -> None:
        """A file is there, with these bytes."""
        seen, digest = ready.seen, ready.digest
        old = self._known.latest(seen.path)
        if ready.content is not None:
            self._room.keep(database, ready.content)
        if digest is None and old is not None and old.is_as(seen):
            return  # not read as a whole, and nothing has happened to it
        new = Known(seen.size, seen.mtime_ns, seen.changed_ns, digest, now, file_id=ready.file_id)
        if old is None:
            if self.since is not None and not self._own.wrote(seen.path, digest):
                new = new._replace(foreign=True)
                self._changed(database, seen.path, digest or Unknown.BYTES, now, ready.file_id)
            self._known.put(database, seen.path, new)
        elif digest is not None and digest == old.digest:
            if not old.is_as(seen):
                self._known.put(database, seen.path, new._replace(seen=old.seen, foreign=old.foreign))
        elif digest is not None and old.digest is None and old.is_as(seen):
            # Now it was read as a whole: what an entry could not say of it, it can now.
            self._known.put(database, seen.path, new._replace(seen=old.seen, foreign=old.foreign))
            self._completed(database, seen.path, digest)
        else:
            if self.since is not None and not self._own.wrote(seen.path, digest):
                self._changed(database, seen.path, digest or Unknown.BYTES, now)
            self._known.put(database, seen.path, new._replace(foreign=old.foreign))
            self._let_go(database, old)

    def lost(self, database: Database, path: str, now: float) -> None:
        """A file is not there any more."""
        if self._known.latest(path) is None or self._own.is_taking_away(path):
            return
        if self.since is not None and not self._own.took_away(path):
            self._changed(database, path, None, now)
        self._forget(database, path)

    def found_before(self, database: Database, path: str, digest: bytes | None, now: float) -> None:
        """The ledger found a file so, before it wrote: if that is new, another program did it shortly before."""
        old = self._known.latest(path)
        known: Side = None if old is None else old.digest or Unknown.BYTES
        if self.since is None or known in {digest, Unknown.BYTES} or self._own.wrote(path, known):
            return
        self._changed(database, path, digest, now)

    def left(self, database: Database, path: str, digest: bytes | None, now: float) -> None:
        """The ledger left a file so."""
        if digest is None:
            self._forget(database, path)
        else:
            self._known.put(database, path, Known(-1, 0, 0, digest, now))

    # -- within -------------------------------------------------------------------------------------------------

    def _changed(self, database: Database, path: str, after: Side, now: float, file_id: str | None = None) -> None:
        """Another program changed a file: into its entry, and what it was into the versions.

        Args:
            database: Where it is kept.
            path: The file.
            after: As it is now.
            now: The time.
            file_id: Of one that is new: what the system knows it by.
        """
        old = self._known.latest(path)
        before: Side = None if old is None else old.digest or Unknown.BYTES
        if after is None and old is not None and now - old.seen >= BURST_SECONDS and self._is_in_open(path):
            self.open = None  # who undoes a deletion wants what was deleted, not what it was earlier
        entry = self._entry_for(database, path, now)
        effect = database.effect(entry.number, path)
        first = effect.before if effect is not None else before
        if effect is not None and first == after and not isinstance(after, Unknown):
            database.drop_effect(entry.number, path)
            entry.paths.discard(path)
            if not entry.paths:
                self.open = None
        else:
            if after is None:
                file_id = None if old is None else old.file_id
            elif first is not None:
                file_id = None
            elif effect is not None and effect.after is not None:
                file_id = effect.file_id  # a new file that is saved again, perhaps as another that takes its name
            found = Effect(path, first, after, file_id=file_id)
            same = database.same_file(entry.number, found) if file_id is not None else None
            if same is not None and not _is_alike(database, found, same):
                found = replace(found, file_id=None)  # systems give what one file was known by to the next
            database.put_effect(entry.number, found, now)
        if old is not None and old.digest is not None:
            between = effect is not None
            if not between or now - old.seen >= BURST_SECONDS:
                database.put_version(VersionRow(path, old.digest, old.seen, now, between, old.foreign))

    @staticmethod
    def _completed(database: Database, path: str, digest: bytes) -> None:
        """An entry left a file whose bytes were not known then, and are now."""
        number = database.last_entry(path)
        effect = None if number is None else database.effect(number, path)
        if number is not None and effect is not None and effect.after is Unknown.BYTES:
            database.complete_effect(number, path, digest)

    def _entry_for(self, database: Database, path: str, now: float) -> OpenEntry:
        """The entry that a change belongs to: the last, or a new one."""
        last = self.open
        if last is None or not last.takes(path, now, attended=self.attended):
            number = database.new_entry(now, unattended=not self.attended)
            last = self.open = OpenEntry(number, now, now, self.attended, set())
        else:
            database.extend_entry(last.number, now)
        last.ended = now
        last.paths.add(path)
        return last

    def _is_in_open(self, path: str) -> bool:
        """Whether the last entry has done something to a file."""
        return self.open is not None and path in self.open.paths

    def _forget(self, database: Database, path: str) -> None:
        old = self._known.latest(path)
        self._known.drop(database, path)
        self._let_go(database, old)

    @staticmethod
    def _let_go(database: Database, old: Known | None) -> None:
        """What a file was is no longer what it is: its bytes stay if anything else refers to them."""
        if old is not None and old.digest is not None:
            database.drop_unused([old.digest])


def _is_alike(database: Database, one: Effect, other: Effect) -> bool:
    """Whether what went in one place and came in another is the same file, changed at most in part."""
    gone, came = (one, other) if one.after is None else (other, one)
    if gone.before == came.after:
        return not isinstance(gone.before, Unknown)
    sides = [database.content(side) for side in (gone.before, came.after) if isinstance(side, bytes)]
    texts = [data[:_COMPARED].decode("latin-1") for data in sides if data is not None]
    return len(texts) == len((gone, came)) and Indel.normalized_similarity(*texts, score_cutoff=ALIKE) > 0
