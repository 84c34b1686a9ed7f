"""Rules for which changes belong together, and which of them are moves."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from bridge.versions.states import Effect, Entry

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
    for key in (_by_id, _by_bytes):
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


def _by_id(effect: Effect) -> Hashable | None:
    return effect.file_id


def _by_bytes(effect: Effect) -> Hashable | None:
    side = effect.before or effect.after
    return side if isinstance(side, bytes) else None
