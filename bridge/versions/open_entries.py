"""The entries to which more may come: of other programs, of Obsidian, and of each note that somebody types in.

Obsidian's configuration has its own.
"""

from collections.abc import Iterable, Iterator

from bridge.vault.plan import is_hidden
from bridge.versions.database import Database
from bridge.versions.grouping import NOTE_SECONDS, OpenEntry
from bridge.versions.states import Origin

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

    def has(self, path: str, origin: Origin) -> bool:
        """Return whether an entry of this origin has done something to a file."""
        return any(key is origin for key, _ in self._about(path))

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
