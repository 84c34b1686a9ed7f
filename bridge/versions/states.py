"""Data about files that this room and those around it exchange."""

from enum import Enum
from typing import NamedTuple, Protocol

PREFIX = "outside-"
"""The beginning of entries' ids; no change in the ledger has it."""


class SeenFile(NamedTuple):
    """A file as it was read.

    Attributes:
        path: Its vault path.
        size: Its bytes, counted by the disk.
        mtime_ns: When it was changed.
        changed_ns: When its entry on the disk was changed, if the system tells.
        data: All its bytes; None if not all of them were read.
    """

    path: str
    size: int
    mtime_ns: int
    changed_ns: int
    data: bytes | None


class ListedFile(Protocol):
    """A file as the index knows it."""

    @property
    def path(self) -> str:
        """Return its vault path."""

    @property
    def size(self) -> int:
        """Return its size in bytes."""

    @property
    def mtime_ns(self) -> int:
        """Return when the file was modified, in nanoseconds."""

    @property
    def changed_ns(self) -> int:
        """Return when its entry on the disk was changed, in nanoseconds."""


class KnownState(NamedTuple):
    """A file's last known state.

    Attributes:
        size: Its bytes; -1 where only their hash is known.
        mtime_ns: Time when it was modified.
        changed_ns: Time when its entry on the disk was changed.
        digest: SHA-256 of its bytes; None if they were never read as a whole.
        seen: Time since when it has been so, in seconds since 1970.
        foreign: Whether another program made it while it was recorded.
        file_id: The system's id for it, which survives renaming; None if it is not known.
    """

    size: int
    mtime_ns: int
    changed_ns: int
    digest: bytes | None
    seen: float
    foreign: bool = False
    file_id: str | None = None

    def is_as(self, seen: ListedFile) -> bool:
        """Return whether size and times on the disk are still the same."""
        return (self.size, self.mtime_ns, self.changed_ns) == (seen.size, seen.mtime_ns, seen.changed_ns)


class Unknown(Enum):
    """A stand-in for a hash: there was a file, and its bytes are not known."""

    BYTES = "bytes"


class Origin(Enum):
    """The author of a change made without the bridge."""

    TYPED = "typed"
    """The person, in an editor of Obsidian."""
    OBSIDIAN = "obsidian"
    """Obsidian otherwise, or one of its plugins."""
    PROGRAM = "program"
    """Another program, as far as is known."""


Side = bytes | Unknown | None
"""A file before or after a change: the SHA-256 of its bytes, `Unknown.BYTES`, or None if there was none."""


class Effect(NamedTuple):
    """A change that an entry made to one file.

    Attributes:
        path: The file's path, or its path before a move.
        before: The state before.
        after: The state after.
        new_path: The path that it was moved to, if it was moved.
        file_id: The system's id for a file that appeared or disappeared.
    """

    path: str
    before: Side
    after: Side
    new_path: str | None = None
    file_id: str | None = None

    @property
    def is_only_moved(self) -> bool:
        """Return whether it was moved, with the same bytes."""
        return self.new_path is not None and self.before == self.after

    @property
    def places(self) -> tuple[str, ...]:
        """Return every path it is about."""
        return (self.path,) if self.new_path is None else (self.path, self.new_path)


class TimedEffect(NamedTuple):
    """A change to one file, and when it was first and last seen, in seconds since 1970."""

    effect: Effect
    began: float
    ended: float


class Entry(NamedTuple):
    """Changes by other programs that came close together.

    Attributes:
        number: Its place in the order of all.
        began: When its first change was seen, in seconds since 1970.
        ended: When its last was.
        unattended: Whether they were made while the bridge was not running, so that only their end is known.
        effects: What they did, moves recognised, by path.
        origin: Who made them.
    """

    number: int
    began: float
    ended: float
    unattended: bool
    effects: tuple[Effect, ...]
    origin: Origin = Origin.PROGRAM

    @property
    def id(self) -> str:
        """Return its name."""
        return f"{PREFIX}{self.number}"


class Version(NamedTuple):
    """One state that a file had.

    Attributes:
        since: From when on it was seen so, in seconds since 1970.
        until: When it was seen to be another, or gone; None of the state that it has now.
        digest: SHA-256 of its bytes.
        size: How many they are; None if they are not kept.
    """

    since: float
    until: float | None
    digest: bytes
    size: int | None


class KeepRules(NamedTuple):
    """The user's settings for how much is kept.

    Attributes:
        days: Days for which versions are kept.
        megabytes: Limit on disk space, everything included.
        left_out: Folders in which nothing is recorded.
        on: Whether anything is recorded.
    """

    days: int = 14
    megabytes: int = 500
    left_out: tuple[str, ...] = ()
    on: bool = True

    def covers(self, path: str) -> bool:
        """Return whether a file is recorded."""
        return not self.left_out or not any(path == folder or path.startswith(f"{folder}/") for folder in self.left_out)
