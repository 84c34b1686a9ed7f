"""What the rooms around this one and this one tell each other of files."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

PREFIX = "outside-"
"""How the ids of entries begin; no change of the ledger is called so."""


class Seen(NamedTuple):
    """A file as it was read.

    Attributes:
        path: Its vault path.
        size: Its bytes, counted by the disk.
        mtime_ns: When it was changed.
        changed_ns: When its entry on the disk was changed, where the system tells.
        data: All its bytes; None where not all of them were read.
    """

    path: str
    size: int
    mtime_ns: int
    changed_ns: int
    data: bytes | None


class Known(NamedTuple):
    """What is known of a file that is there.

    Attributes:
        size: Its bytes; -1 where only their hash is known.
        mtime_ns: When it was changed.
        changed_ns: When its entry on the disk was changed.
        digest: SHA-256 of its bytes; None where they were never read as a whole.
        seen: Since when it is so, in seconds since 1970.
        foreign: Whether another program made it while it was recorded.
        file_id: What the system knows it by whatever it is called; None where that is not known.
    """

    size: int
    mtime_ns: int
    changed_ns: int
    digest: bytes | None
    seen: float
    foreign: bool = False
    file_id: str | None = None

    def is_as(self, seen: Seen) -> bool:
        """Whether the disk says that it is still the same."""
        return (self.size, self.mtime_ns, self.changed_ns) == (seen.size, seen.mtime_ns, seen.changed_ns)


class Unknown(Enum):
    """Instead of a hash: there was a file, and its bytes are not known."""

    BYTES = "bytes"


class Origin(Enum):
    """Who made a change without the bridge."""

    TYPED = "typed"
    """The person, in an editor of Obsidian."""
    OBSIDIAN = "obsidian"
    """Obsidian otherwise, or one of its plugins."""
    PROGRAM = "program"
    """Another program, as far as anybody can tell."""


Side = bytes | Unknown | None
"""A file before or after a change: the SHA-256 of its bytes, `Unknown.BYTES`, or None where there was none."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an entry did to one file.

    Attributes:
        path: Which, or where it was.
        before: As it was.
        after: As it was left.
        new_path: Where it went, of one that was moved.
        file_id: Of one that came or went: what the system knows it by.
    """

    path: str
    before: Side
    after: Side
    new_path: str | None = None
    file_id: str | None = None

    @property
    def is_only_moved(self) -> bool:
        """Whether it was moved, with the same bytes."""
        return self.new_path is not None and self.before == self.after

    @property
    def places(self) -> tuple[str, ...]:
        """Every path it is about."""
        return (self.path,) if self.new_path is None else (self.path, self.new_path)


class TimedEffect(NamedTuple):
    """What an entry did to one file, and when it was seen to do that first and last, in seconds since 1970."""

    effect: Effect
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Entry:
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
        """Its name."""
        return f"{PREFIX}{self.number}"


@dataclass(frozen=True, slots=True)
class Version:
    """One state that a file had.

    Attributes:
        since: From when on it was seen so, in seconds since 1970.
        until: When it was seen to be another, or gone; None of the state that it has now.
        digest: SHA-256 of its bytes.
        size: How many they are; None where they are not kept.
    """

    since: float
    until: float | None
    digest: bytes
    size: int | None


@dataclass(frozen=True, slots=True)
class KeepRules:
    """How much is kept, as the user has set it.

    Attributes:
        days: How long.
        megabytes: How much of the disk it may take, with all that belongs to it.
        left_out: Folders of which nothing is recorded.
        on: Whether anything is recorded.
    """

    days: int = 14
    megabytes: int = 500
    left_out: tuple[str, ...] = ()
    on: bool = True

    def covers(self, path: str) -> bool:
        """Whether a file is recorded."""
        return not self.left_out or not any(path == folder or path.startswith(f"{folder}/") for folder in self.left_out)


@dataclass(frozen=True, slots=True)
class Kept:
    """How things stand.

    Attributes:
        on: Whether outside changes are recorded.
        since: Since when they are, in seconds since 1970; None before the first look is complete.
        files: Files that are known.
        whole: Those of them whose bytes are kept.
        entries: How many entries there are.
        oldest: When the first of them began.
        bytes: What it takes of the disk.
        budget: What it may take.
        fault: Why something is not recorded, as a sentence; None when all is well.
    """

    on: bool
    since: float | None
    files: int
    whole: int
    entries: int
    oldest: float | None
    bytes: int
    budget: int
    fault: str | None
