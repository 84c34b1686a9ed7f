"""The entries to which more may come: of other programs, of Obsidian, and of each note that somebody types in.

Obsidian's configuration has its own.
"""

from collections.abc import Iterable, Iterator

from bridge.vault.plan import is_hidden
from bridge.versions.database import Database
from bridge.versions.grouping import NOTE_SECONDS, OpenEntry
from bridge.versions.states import Origin

LATE_SECONDS = 30.0
"""How much earlier a change can have been seen than others of its entry."""


class OpenEntries:
    """Says which entry a change belongs to. A change to a file ends every other entry that is about the file."""

    def __init__(self) -> None:
        self._last: dict[tuple[Origin, bool], OpenEntry] = {}
        self._typed: dict[str, OpenEntry] = {}

    def copy(self) -> "OpenEntries":
        """The same, to come back to."""
        copied = OpenEntries()
        copied._last = {key: entry.copy() for key, entry in self._last.items()}
        copied._typed = {path: entry.copy() for path, entry in self._typed.items()}
        return copied

    def end(self) -> None:
        """What comes next belongs to new entries."""
        self._last.clear()
        self._typed.clear()

    def end_for(self, paths: Iterable[str]) -> None:
        """The bridge has changed files: what comes now starts from another state. Typing in others goes on."""
        self._last.clear()
        for path in paths:
            self._typed.pop(path, None)

    def end_of(self, path: str, origin: Origin) -> None:
        """The entry of this origin that is about a file is over."""
        for key, entry in self._about(path):
            if key is origin:
                self._drop(entry)

    def end_others(self, path: str, origin: Origin) -> OpenEntry | None:
        """Those of every other origin that are about a file are over; returns the one of typing in it."""
        fold = None
        for key, entry in self._about(path):
            if key is not origin:
                self._drop(entry)
                fold = entry if key is Origin.TYPED else fold
        return fold

    def go_on(self, path: str, fold: OpenEntry | None) -> None:
        """Typing in a file was not ended after all."""
        if fold is not None:
            self._typed[path] = fold

    def has(self, path: str, origin: Origin) -> bool:
        """Whether an entry of this origin has done something to a file."""
        return any(key is origin for key, _ in self._about(path))

    def entry_for(self, database: Database, path: str, now: float, origin: Origin, *, attended: bool) -> OpenEntry:
        """The entry that a change belongs to: one that is open, or a new one.

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

    def left(self, number: int, path: str) -> None:
        """An entry has done nothing to a file after all."""
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
