"""Authors of changes: the bridge, the person in an Obsidian editor, Obsidian itself, or another program.

What the bridge writes is announced, and never recorded as another program's. Obsidian says what it writes. That is
believed only of a file that is seen to be so.
"""

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.versions.grouping import OpenEntry
from bridge.versions.states import Effect, Known, Origin, Side

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
    old: Known | None
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
        for place, rest in _above(path):
            for write in self._writes.get(place, ()):
                if _explains(write, path, rest, (before, after), was):
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


def _above(path: str) -> Iterator[tuple[str, str]]:
    """Yield a path and the folders above it, each with the rest of the path."""
    place = path
    while place:
        yield place, path[len(place) :]
        place = place.rpartition("/")[0]


def _places(write: ObsidianWrite) -> tuple[str, ...]:
    return (write.path,) if write.source is None or write.source == write.path else (write.path, write.source)


def _is_new(at: float, now: float) -> bool:
    return 0 <= now - at <= BELIEVED_SECONDS


class Ledger(Protocol):
    """A record of what the bridge has written, including writes that nobody was told about."""

    def written_since(self, execution_id: str | None, /) -> Mapping[str, set[str | None]]:
        """Return what may have been written after a change: hashes by path, with None if the file may be gone."""
        ...

    def last_id(self) -> str | None:
        """Return the last change that was begun; None if there never was one."""
        ...


class BridgeWrites:
    """The file states that the bridge itself has made.

    Args:
        ledger: What it has written.

    Attributes:
        last: The name of the change that is being made or was made last; None if none was heard of.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._expected: dict[str, set[bytes | None]] = {}
        self._unheard: dict[str, set[bytes | None]] = {}
        self.last: str | None = None

    def begin(self, heard: str | None) -> None:
        """Find out what was written after the last change that was heard of."""
        self._unheard = {
            path: {None if one is None else bytes.fromhex(one) for one in hashes}
            for path, hashes in self._ledger.written_since(heard).items()
        }

    def last_begun(self) -> str | None:
        """Return the last change of all, whether it was heard of or not."""
        return self._ledger.last_id()

    @contextlib.contextmanager
    def expecting(self, plan: ChangePlan, execution_id: str) -> Iterator[None]:
        """Expect each of a plan's files as it was, as it becomes, or missing, while it is carried out."""
        expected: dict[str, set[bytes | None]] = {}
        for change in plan.changes:
            for path in (change.path, change.new_path):
                if path is not None and not change.of_folder:
                    hashes = {bytes.fromhex(digest) for digest in (change.before, change.after) if digest}
                    expected.setdefault(path, {None}).update(hashes)
        self._expected = expected
        self.last = execution_id
        try:
            yield
        finally:
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
        if not change.of_folder:
            before, after = (bytes.fromhex(digest) if digest else None for digest in (change.before, change.after))
            starts.setdefault(change.path, before)
            ends[change.path] = None if change.kind in {ChangeKind.MOVE, ChangeKind.DELETE} else after
            if change.kind is ChangeKind.MOVE and change.new_path is not None:
                starts.setdefault(change.new_path, None)
                ends[change.new_path] = after
    return starts, ends
