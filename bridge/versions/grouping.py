"""Rules for who made a change, which changes belong together, which are moves, and what they add up to since a time.

A change is made by the bridge, by the person in an Obsidian editor, by Obsidian itself, or by another program. What the
bridge writes is announced, and never recorded as another program's. Obsidian says what it writes. That is believed only
of a file that is seen to be so.

Entries to which more may come are of other programs, of Obsidian, and of each note that somebody types in; Obsidian's
configuration has its own.
"""

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple, Protocol

from bridge.vault.paths import folders_above
from bridge.vault.plan import ChangePlan, is_hidden
from bridge.versions.database import Database
from bridge.versions.states import Effect, Entry, KnownState, Origin, Side, TimedEffect, Unknown, Version

QUIET_SECONDS = 10.0
"""Changes that come so soon after one another belong together."""

LONGEST_SECONDS = 600.0
"""Longest time in which changes to several files can belong together, in seconds."""

SAME_NOTE_SECONDS = 300.0
"""Changes to one file alone belong together when they come so soon after one another,"""

NOTE_SECONDS = 3600.0
"""for so long: what somebody types is saved every other second."""


@dataclass(slots=True)
class OpenEntry:
    """The last entry, to which more may come.

    Attributes:
        number: Which it is.
        began: When its first change was seen, in seconds since 1970.
        ended: When its last was.
        attended: Whether the bridge was running.
        paths: The files that it is about.
    """

    number: int
    began: float
    ended: float
    attended: bool
    paths: set[str]

    def copy(self) -> "OpenEntry":
        """Return a copy, to which one can return."""
        return OpenEntry(self.number, self.began, self.ended, self.attended, set(self.paths))

    def takes(self, path: str, now: float, *, attended: bool) -> bool:
        """Return whether a change belongs to this entry."""
        if attended != self.attended or now < self.ended:
            return False
        if not self.attended:
            return True
        if self.paths == {path}:
            return now - self.ended <= SAME_NOTE_SECONDS and now - self.began <= NOTE_SECONDS
        return now - self.ended <= QUIET_SECONDS and now - self.began <= LONGEST_SECONDS


def moves_found(effects: Sequence[Effect]) -> list[Effect]:
    """Return the same effects, with what went in one place and came in another as a move.

    That is known by what the system calls the file, else by its bytes, where no other file has them.
    """
    rest, moves = list(effects), list[Effect]()
    for key in (lambda effect: effect.file_id, _by_bytes):
        found = _paired(rest, key)
        taken = {place for move in found for place in move.places}
        rest = [effect for effect in rest if effect.path not in taken]
        moves += found
    return sorted([*rest, *moves], key=lambda effect: effect.path)


def followed(entry: Entry, entries: Iterable[Entry]) -> tuple[Effect, ...]:
    """Return an entry's effects, with where each file that it moved has gone since by later moves without the bridge.

    Args:
        entry: The entry.
        entries: All that there are, newest first.
    """
    places = {effect.new_path: effect.new_path for effect in entry.effects if effect.new_path}
    if not places:
        return entry.effects
    for one in reversed([one for one in entries if one.number > entry.number]):
        went = {effect.path: effect.new_path for effect in one.effects if effect.new_path}
        places = {first: went.get(now, now) for first, now in places.items()}
    return tuple(one._replace(new_path=places.get(one.new_path)) if one.new_path else one for one in entry.effects)


def _paired(effects: Sequence[Effect], key: Callable[[Effect], Hashable | None]) -> list[Effect]:
    """Return pairs of one disappearance and one appearance that share a key, as moves."""
    went: dict[Hashable, list[Effect]] = {}
    came: dict[Hashable, list[Effect]] = {}
    for effect in effects:
        if (effect.before is None) != (effect.after is None) and (value := key(effect)) is not None:
            (went if effect.after is None else came).setdefault(value, []).append(effect)
    return [
        Effect(gone[0].path, gone[0].before, came[value][0].after, new_path=came[value][0].path)
        for value, gone in went.items()
        if len(gone) == 1 and len(came.get(value, ())) == 1
    ]


def _by_bytes(effect: Effect) -> Hashable | None:
    side = effect.before or effect.after
    return side if isinstance(side, bytes) else None


LATE_SECONDS = 30.0
"""Seconds by which a change can have been seen earlier than others of its entry."""


class OpenEntries:
    """The entries that later changes may belong to. A change to a file ends every other entry about the file."""

    def __init__(self) -> None:
        self._last: dict[tuple[Origin, bool], OpenEntry] = {}
        self._typed: dict[str, OpenEntry] = {}

    def copy(self) -> "OpenEntries":
        """Return a copy, to which one can return."""
        copied = OpenEntries()
        copied._last = {key: entry.copy() for key, entry in self._last.items()}
        copied._typed = {path: entry.copy() for path, entry in self._typed.items()}
        return copied

    def end(self) -> None:
        """Close all entries, so that later changes go into new ones."""
        self._last.clear()
        self._typed.clear()

    def end_for(self, paths: Iterable[str]) -> None:
        """Close entries because the bridge has changed files, except for typing in others."""
        self._last.clear()
        for path in paths:
            self._typed.pop(path, None)

    def end_of(self, path: str, origin: Origin) -> None:
        """Close the entry of this origin that is about a file."""
        for key, entry in self._about(path):
            if key is origin:
                self._drop(entry)

    def end_others(self, path: str, origin: Origin) -> OpenEntry | None:
        """Close the entries of all other origins that are about a file; return the one of typing in it."""
        fold = None
        for key, entry in self._about(path):
            if key is not origin:
                self._drop(entry)
                fold = entry if key is Origin.TYPED else fold
        return fold

    def go_on(self, path: str, fold: OpenEntry | None) -> None:
        """Reopen an entry of typing in a file that did not end after all."""
        if fold is not None:
            self._typed[path] = fold

    def entry_for(self, database: Database, path: str, now: float, origin: Origin, *, attended: bool) -> OpenEntry:
        """Return the entry that a change belongs to: one that is open, or a new one.

        Args:
            database: Where it is kept.
            path: The file.
            now: The time, in seconds since 1970.
            origin: Whose change it is.
            attended: Whether the bridge was running.
        """
        typed = origin is Origin.TYPED
        entry = self._typed.get(path) if typed else self._last.get((origin, is_hidden(path)))
        if entry is not None and origin is not Origin.PROGRAM and 0 < entry.ended - now <= LATE_SECONDS:
            now = entry.ended  # Obsidian said so later than of another
        if entry is not None and typed:
            takes = entry.ended <= now <= entry.began + NOTE_SECONDS
        else:
            takes = entry is not None and entry.takes(path, now, attended=attended)
        if entry is None or not takes:
            number = database.new_entry(now, unattended=not attended, origin=origin)
            entry = OpenEntry(number, now, now, attended, set())
            self._keep(entry, path, origin)
        else:
            database.extend_entry(entry.number, now)
        entry.ended = now
        entry.paths.add(path)
        return entry

    def take_out(self, number: int, path: str) -> None:
        """Record that an entry has done nothing to a file after all."""
        for entry in self._all():
            if entry.number == number:
                entry.paths.discard(path)
                if not entry.paths:
                    self._drop(entry)

    def turn(self, number: int, path: str, origin: Origin) -> bool:
        """Make an entry that is about one file alone one of another origin, where none is open of that.

        Returns:
            Whether it was done.
        """
        entry = next((one for one in self._all() if one.number == number and one.paths == {path}), None)
        taken = path in self._typed if origin is Origin.TYPED else (origin, is_hidden(path)) in self._last
        if entry is None or taken:
            return False
        self._drop(entry)
        self._keep(entry, path, origin)
        return True

    def _keep(self, entry: OpenEntry, path: str, origin: Origin) -> None:
        if origin is Origin.TYPED:
            self._typed = {note: one for note, one in self._typed.items() if entry.ended - one.began <= NOTE_SECONDS}
            self._typed[path] = entry
        else:
            self._last[origin, is_hidden(path)] = entry

    def _about(self, path: str) -> list[tuple[Origin, OpenEntry]]:
        found = [(origin, entry) for (origin, _), entry in self._last.items() if path in entry.paths]
        return [*found, *((Origin.TYPED, entry) for entry in (self._typed.get(path),) if entry is not None)]

    def _all(self) -> Iterator[OpenEntry]:
        yield from [*self._last.values(), *self._typed.values()]

    def _drop(self, entry: OpenEntry) -> None:
        self._last = {key: one for key, one in self._last.items() if one is not entry}
        self._typed = {path: one for path, one in self._typed.items() if one is not entry}


ROUNDING = 0.0005
"""Seconds by which a time that was written out may differ."""


class Since(NamedTuple):
    """The changes to files since a time.

    Attributes:
        effects: The sum of what was done to each file, with moves recognised, by path.
        nearest: Of files whose state at that time is not kept: when it was as it is given instead.
        mixed: Files that the bridge changed too in between, so that one cannot be taken back without the other.
    """

    effects: tuple[Effect, ...]
    nearest: dict[str, float]
    mixed: tuple[Effect, ...]


def since(timed: Iterable[TimedEffect], moment: float, versions: Callable[[str], Sequence[Version]]) -> Since:
    """Add up what was done to files.

    Args:
        timed: What was done to each after the moment, the oldest first.
        moment: The time, in seconds since 1970.
        versions: The states that a file had, newest first.
    """
    whole, nearest, mixed = list[Effect](), dict[str, float](), list[Effect]()
    for path, group in groupby(sorted(timed, key=lambda one: one.effect.path), key=lambda one: one.effect.path):
        steps = list(group)
        before, at = _state_at(steps[0], moment, versions(path))
        after = steps[-1].effect.after
        if before == after and not isinstance(before, Unknown):
            continue
        effect = Effect(path, before, after)
        if _is_whole(steps, before):
            whole.append(effect)
            if at is not None:
                nearest[path] = at
        else:
            mixed.append(effect)
    return Since(tuple(moves_found(whole)), nearest, tuple(mixed))


def find_version(versions: Collection[Version], moment: float) -> Version | None:
    """Return the state that a file had at a time; else the nearest one after it that is kept.

    Args:
        versions: Its states, newest first.
        moment: The time, in seconds since 1970.
    """
    moment += ROUNDING
    at = (one for one in versions if _was_at(one, moment) and one.size is not None)
    return next(at, None) or _next_kept(versions, moment)


def _state_at(first: TimedEffect, moment: float, versions: Sequence[Version]) -> tuple[Side, float | None]:
    """Return a file's state at a time, or the nearest kept one with its own time."""
    before = first.effect.before
    kept = {one.digest for one in versions if one.size is not None}
    if first.began > moment:
        if before is None or before in kept:
            return before, None
    else:
        at = next((one for one in versions if _was_at(one, moment)), None)
        if at is not None and at.size is not None:
            return at.digest, None
        if before in kept:  # changes came too fast to keep each: it was so before the first of them
            return before, next((one.since for one in versions if one.digest == before), first.began)
    later = _next_kept([one for one in versions if one.until is not None], moment)
    return (Unknown.BYTES, None) if later is None else (later.digest, later.since)


def _was_at(version: Version, moment: float) -> bool:
    return version.since <= moment and (version.until is None or moment < version.until)


def _next_kept(versions: Collection[Version], moment: float) -> Version | None:
    later = [one for one in versions if one.since > moment and one.size is not None]
    return later[-1] if later else None


def _is_whole(steps: Sequence[TimedEffect], before: Side) -> bool:
    """Return whether nothing else changed a file in between, at least since it was last in the state to restore."""
    for earlier, later in reversed(list(pairwise(steps))):
        if earlier.effect.after != later.effect.before:
            return later.effect.before == before
    return True


BELIEVED_SECONDS = 30.0
"""Longest time between Obsidian's report of a write and the moment when it is seen, in either order, in seconds."""

_MOST = 20_000
"""Limit on remembered reports from Obsidian, and on remembered changes."""


class ObsidianWrite(NamedTuple):
    """A write that Obsidian has reported.

    Attributes:
        path: The file or folder.
        digest: SHA-256 of the bytes; None if it was deleted or moved.
        source: The former path if it was moved here.
        typed: Whether an editor saved it.
    """

    path: str
    digest: bytes | None
    source: str | None = None
    typed: bool = False


class SeenChange(NamedTuple):
    """A change that was seen and is another program's, as far as is known.

    Attributes:
        entry: The entry that it went into.
        path: The file.
        before: What it was.
        after: What it is.
        previous: What the entry had done to the file before this.
        old: What was known of the file.
        at: When it was seen, in seconds since 1970.
        file_id: Of one that is new: what the system knows it by.
        fold: The entry of typing in the file that this ended.
    """

    entry: int
    path: str
    before: Side
    after: Side
    previous: Effect | None
    old: KnownState | None
    at: float
    file_id: str | None
    fold: OpenEntry | None


class ReportedWrites:
    """The writes that Obsidian has reported and that have not been seen yet, until they are too old."""

    def __init__(self) -> None:
        self._writes: dict[str, list[ObsidianWrite]] = {}
        self._order: deque[tuple[float, ObsidianWrite]] = deque()
        self.anything = False
        """Whether any write was ever reported."""

    def hear(self, write: ObsidianWrite, now: float) -> None:
        """Remember one."""
        self.anything = True
        self._order.append((now, write))
        for place in _places(write):
            self._writes.setdefault(place, []).append(write)
        self.forget_old(now)

    def forget_old(self, now: float) -> None:
        """Forget what was not seen in time."""
        order = self._order
        while order and (now - order[0][0] > BELIEVED_SECONDS or now < order[0][0] or len(order) > _MOST):
            self._drop(order.popleft()[1])

    def find(self, path: str, before: Side, after: Side, was: Callable[[str], Side]) -> ObsidianWrite | None:
        """Return the reported write that explains a change; None if there is none.

        Args:
            path: The file.
            before: What it was.
            after: What it is.
            was: Returns what a file was that was moved away.
        """
        if not self._writes:
            return None
        for place in (path, *folders_above(path)):
            for write in self._writes.get(place, ()):
                if _explains(write, path, path[len(place) :], (before, after), was):
                    return write
        return None

    def use(self, write: ObsidianWrite) -> None:
        """Drop a write that was seen: the same bytes again are another's. A folder's stays, for all that is in it."""
        if write.digest is not None:
            self._drop(write)

    def _drop(self, write: ObsidianWrite) -> None:
        for place in _places(write):
            kept = [one for one in self._writes.get(place, ()) if one is not write]  # others may be equal
            if kept:
                self._writes[place] = kept
            else:
                self._writes.pop(place, None)


class SeenChanges:
    """The changes of the last moments that Obsidian may yet say were its own."""

    def __init__(self) -> None:
        self._changes: dict[str, list[SeenChange]] = {}
        self._went: dict[str, tuple[float, Side]] = {}

    def add(self, step: SeenChange) -> None:
        """Remember a change that was seen. Of very many, not all are remembered."""
        if len(self._changes) < _MOST:
            self._changes.setdefault(step.path, []).append(step)

    def add_gone(self, path: str, before: Side, at: float) -> None:
        """Remember the last state of a file that went."""
        self._went[path] = (at, before)

    def was(self, path: str) -> Side:
        """Return the former state of a file that is gone; None if it is not known."""
        return self._went[path][1] if path in self._went else None

    def of(self, path: str) -> list[SeenChange]:
        """Return the changes to one file, the oldest first."""
        return self._changes.get(path, [])

    def below(self, folder: str) -> list[str]:
        """Return the files with such changes in a folder, or the path itself."""
        return [path for path in self._changes if path == folder or path.startswith(f"{folder}/")]

    def forget(self, path: str) -> None:
        """Forget changes after which somebody else's came, or that were dealt with."""
        self._changes.pop(path, None)

    def clear(self) -> None:
        """Forget all."""
        self._changes.clear()
        self._went.clear()

    def forget_old(self, now: float) -> None:
        """Forget what nobody has said anything of in time."""
        for path in [path for path, steps in self._changes.items() if not _is_new(steps[-1].at, now)]:
            del self._changes[path]
        for path in [path for path, (at, _) in self._went.items() if not _is_new(at, now)]:
            del self._went[path]


def origin_of(write: ObsidianWrite | None) -> Origin:
    """Return the origin of a change, given the write that explains it, if there is one."""
    if write is None:
        return Origin.PROGRAM
    return Origin.TYPED if write.typed and write.digest is not None else Origin.OBSIDIAN


def _explains(
    write: ObsidianWrite, path: str, rest: str, change: tuple[Side, Side], was: Callable[[str], Side]
) -> bool:
    """Return whether a reported write, of this path or of a folder above it, is this change."""
    before, after = change
    if write.digest is not None:
        return not rest and after == write.digest
    if after is None:
        here = write.path if write.source is None else write.source
        return here + rest == path
    if write.source is None or before is not None or write.path + rest != path:
        return False
    return after == was(write.source + rest)


def _places(write: ObsidianWrite) -> tuple[str, ...]:
    return (write.path,) if write.source is None or write.source == write.path else (write.path, write.source)


def _is_new(at: float, now: float) -> bool:
    return 0 <= now - at <= BELIEVED_SECONDS


class WriteLedger(Protocol):
    """A record of what the bridge has written, including writes that nobody was told about."""

    def written_since(self, execution_id: str | None, /) -> Mapping[str, set[str | None]]:
        """Return what may have been written after a change: hashes by path, with None if the file may be gone."""

    def last_id(self) -> str | None:
        """Return the last change that was begun; None if there never was one."""


class BridgeWrites:
    """The file states that the bridge itself has made.

    Args:
        ledger: What it has written.

    Attributes:
        ledger: As given.
        last: The name of the change that is being made or was made last; None if none was heard of.
    """

    def __init__(self, ledger: WriteLedger) -> None:
        self.ledger = ledger
        self._expected: dict[str, set[bytes | None]] = {}
        self._unheard: dict[str, set[bytes | None]] = {}
        self.last: str | None = None

    def begin(self, heard: str | None) -> None:
        """Find out what was written after the last change that was heard of."""
        self._unheard = {
            path: {None if one is None else bytes.fromhex(one) for one in hashes}
            for path, hashes in self.ledger.written_since(heard).items()
        }

    def expect(self, plan: ChangePlan, execution_id: str) -> None:
        """Expect each of a plan's files as it was, as it becomes, or missing, while it is carried out."""
        expected: dict[str, set[bytes | None]] = {}
        for change in plan.changes:
            for path in () if change.of_folder else change.places:
                hashes = {bytes.fromhex(digest) for digest in (change.before, change.after) if digest}
                expected.setdefault(path, {None}).update(hashes)
        self._expected = expected
        self.last = execution_id

    def expect_nothing(self) -> None:
        """Expect none any more: the plan is carried out, or has failed."""
        self._expected = {}

    def miss(self, ends: Mapping[str, bytes | None]) -> None:
        """Remember the results of a plan that could not be recorded."""
        for path, end in ends.items():
            self._unheard.setdefault(path, set()).add(end)

    def all_seen(self) -> None:
        """Forget the missed writes: every file was looked at, so they are known now."""
        self._unheard = {}

    def concern(self, path: str) -> bool:
        """Return whether the bridge may have written a file."""
        return path in self._expected or path in self._unheard

    def wrote(self, path: str, digest: Side) -> bool:
        """Return whether the bridge has given a file this content."""
        return digest is not None and digest in self._expected.get(path, set()) | self._unheard.get(path, set())

    def is_taking_away(self, path: str) -> bool:
        """Return whether a file may be missing because a plan is being carried out."""
        return None in self._expected.get(path, set())

    def took_away(self, path: str) -> bool:
        """Return whether the bridge may have removed a file without having announced it."""
        return None in self._unheard.get(path, set())


def sides(plan: ChangePlan) -> tuple[dict[str, bytes | None], dict[str, bytes | None]]:
    """Return the hash of each file before and after a plan."""
    starts: dict[str, bytes | None] = {}
    ends: dict[str, bytes | None] = {}
    for change in plan.changes:
        for path, end in change.ends():
            starts.setdefault(path, bytes.fromhex(change.before) if change.before and path == change.path else None)
            ends[path] = bytes.fromhex(end) if end else None
    return starts, ends
