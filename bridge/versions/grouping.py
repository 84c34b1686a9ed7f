"""Which changes belong together, and which of them are moves."""

from collections.abc import Sequence
from dataclasses import dataclass

from bridge.versions.states import Effect

QUIET_SECONDS = 10.0
"""Changes that come so soon after one another belong together."""

LONGEST_SECONDS = 600.0
"""How long changes to several files can belong together."""

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
        """The same, to come back to."""
        return OpenEntry(self.number, self.began, self.ended, self.attended, set(self.paths))

    def takes(self, path: str, now: float, *, attended: bool) -> bool:
        """Whether a change belongs to it."""
        if attended != self.attended or now < self.ended:
            return False
        if not self.attended:
            return True
        if self.paths == {path}:
            return now - self.ended <= SAME_NOTE_SECONDS and now - self.began <= NOTE_SECONDS
        return now - self.ended <= QUIET_SECONDS and now - self.began <= LONGEST_SECONDS


def moves_found(effects: Sequence[Effect]) -> list[Effect]:
    """The same, with what went in one place and came in another as a move, where no other file has its bytes."""
    went: dict[bytes, list[Effect]] = {}
    came: dict[bytes, list[Effect]] = {}
    for effect in effects:
        if isinstance(effect.before, bytes) and effect.after is None:
            went.setdefault(effect.before, []).append(effect)
        elif isinstance(effect.after, bytes) and effect.before is None:
            came.setdefault(effect.after, []).append(effect)
    moved = {
        digest: (gone[0], came[digest][0])
        for digest, gone in went.items()
        if len(gone) == 1 and len(came.get(digest, ())) == 1
    }
    taken = {effect.path for pair in moved.values() for effect in pair}
    moves = [Effect(gone.path, digest, digest, new_path=new.path) for digest, (gone, new) in moved.items()]
    return sorted([*(effect for effect in effects if effect.path not in taken), *moves], key=lambda effect: effect.path)
