"""Who changed a file without the bridge: the person in an editor of Obsidian, Obsidian otherwise, or another program.

Obsidian says what it writes. That is believed only of a file that is seen to be so.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from bridge.versions.grouping import OpenEntry
from bridge.versions.states import Effect, Known, Origin, Side

BELIEVED_SECONDS = 30.0
"""How long after Obsidian has said what it writes that must be seen, or the other way round."""

_MOST = 20_000
"""What is remembered of what Obsidian said, and of what was seen, at most."""


class ObsidianWrite(NamedTuple):
    """What Obsidian says that it has written.

    Attributes:
        path: Which file or folder it was.
        digest: SHA-256 of the bytes; None where it was deleted or moved.
        source: Where it was before, of one that was moved here.
        typed: Whether an editor saved it.
    """

    path: str
    digest: bytes | None
    source: str | None = None
    typed: bool = False


@dataclass(frozen=True, slots=True)
class Step:
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


class Told:
    """What Obsidian has said that it wrote, until it is seen or too old."""

    def __init__(self) -> None:
        self._writes: dict[str, list[ObsidianWrite]] = {}
        self._order: deque[tuple[float, ObsidianWrite]] = deque()
        self.anything = False
        """Whether anything was ever told."""

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
        """What Obsidian said that explains a change; None where nothing does.

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
        """It was seen: the same bytes a second time are another's. What holds for a folder holds for all in it."""
        if write.digest is not None:
            self._drop(write)

    def _drop(self, write: ObsidianWrite) -> None:
        for place in _places(write):
            kept = [one for one in self._writes.get(place, ()) if one is not write]  # others may be equal
            if kept:
                self._writes[place] = kept
            else:
                self._writes.pop(place, None)


class Steps:
    """The changes of the last moments that Obsidian may yet say were its own."""

    def __init__(self) -> None:
        self._steps: dict[str, list[Step]] = {}
        self._went: dict[str, tuple[float, Side]] = {}

    def add(self, step: Step) -> None:
        """A change was seen. Of very many, not all are remembered."""
        if len(self._steps) < _MOST:
            self._steps.setdefault(step.path, []).append(step)

    def left(self, path: str, before: Side, at: float) -> None:
        """A file went, and was so."""
        self._went[path] = (at, before)

    def was(self, path: str) -> Side:
        """What a file was that went; None where it is not known."""
        return self._went[path][1] if path in self._went else None

    def of(self, path: str) -> list[Step]:
        """Those of one file, the oldest first."""
        return self._steps.get(path, [])

    def below(self, folder: str) -> list[str]:
        """The files with such changes that lie in a folder, or that are meant themselves."""
        return [path for path in self._steps if path == folder or path.startswith(f"{folder}/")]

    def forget(self, path: str) -> None:
        """Somebody else's change came after them, or they were dealt with."""
        self._steps.pop(path, None)

    def clear(self) -> None:
        """Forget all."""
        self._steps.clear()
        self._went.clear()

    def forget_old(self, now: float) -> None:
        """Forget what nobody has said anything of in time."""
        for path in [path for path, steps in self._steps.items() if not _is_new(steps[-1].at, now)]:
            del self._steps[path]
        for path in [path for path, (at, _) in self._went.items() if not _is_new(at, now)]:
            del self._went[path]


def origin_of(write: ObsidianWrite | None) -> Origin:
    """Whose a change is that something explains, or nothing."""
    if write is None:
        return Origin.PROGRAM
    return Origin.TYPED if write.typed and write.digest is not None else Origin.OBSIDIAN


def _explains(
    write: ObsidianWrite, path: str, rest: str, change: tuple[Side, Side], was: Callable[[str], Side]
) -> bool:
    """Whether what was written here, or in a folder above, is this change."""
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
    """A path and the folders above it, each with the rest of the path."""
    place = path
    while place:
        yield place, path[len(place) :]
        place = place.rpartition("/")[0]


def _places(write: ObsidianWrite) -> tuple[str, ...]:
    return (write.path,) if write.source is None or write.source == write.path else (write.path, write.source)


def _is_new(at: float, now: float) -> bool:
    return 0 <= now - at <= BELIEVED_SECONDS
