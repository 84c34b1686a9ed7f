"""What the permission file says, ready to be asked. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Self

from bridge.consent.permission_keys import canonical, covering, fold, is_executable, upwards

Letter = Literal["r", "w", "x"]
LETTERS: tuple[Letter, ...] = ("r", "w", "x")
"""Read, write, execute: what each of the three characters is about (seed O)."""
DENIED = "-"
NOT_ASKED = "?"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the file: the key as it is written there, and its three characters."""

    key: str
    code: str


class PermissionTable:
    """An immutable set of entries.

    A `-` holds for what the key names and everything below it, whatever else is said below, and does not care about
    case. A letter holds for exactly what the key names, or everything below a key with a final slash; of several, the
    nearest counts. `?` says nothing.

    Args:
        codes: Three characters by key. Keys that name the same thing count together.

    Raises:
        ValueError: A key names nothing.
    """

    def __init__(self, codes: Mapping[str, str]) -> None:
        self.codes = dict(codes)
        self._keys: defaultdict[str, list[str]] = defaultdict(list)
        self._allowed: dict[tuple[str, Letter], Entry] = {}
        self._denied: dict[tuple[str, Letter], Entry] = {}
        for key, code in codes.items():
            place = canonical(key)
            self._keys[place].append(key)
            for letter, character in zip(LETTERS, code, strict=True):
                if character == DENIED:
                    self._deny(place, letter, Entry(key, code))
                elif character == letter:
                    self._allowed[place, letter] = Entry(key, code)

    @property
    def denies(self) -> bool:
        """Whether anything is denied at all."""
        return bool(self._denied)

    def denials(self) -> Self:
        """The same without anything that allows."""
        codes = {}
        for key, code in self.codes.items():
            codes[key] = "".join(DENIED if character == DENIED else NOT_ASKED for character in code)
        return type(self)(codes)

    def denial(self, targets: Iterable[str], letters: Iterable[Letter]) -> Entry | None:
        """The entry that denies one of the targets one of the letters."""
        if not self._denied:
            return None
        wanted = tuple(letters)
        seen: set[str] = set()
        for target in targets:
            for place in upwards(target):
                if place in seen:
                    break  # And so is all above it.
                seen.add(place)
                for letter in wanted:
                    if entry := self._denied.get((place, letter)):
                        return entry
        return None

    def grant(self, targets: Iterable[str], letters: Iterable[Letter]) -> Entry | None:
        """An entry that allows, when every target is allowed every letter. Nothing is allowed to no target."""
        grants = self.grants(targets, letters)
        return grants[-1][0] if grants else None

    def grants(self, targets: Iterable[str], letters: Iterable[Letter]) -> list[tuple[Entry, Letter]]:
        """All entries that together allow every letter to every target; none when one is not allowed."""
        found: list[tuple[Entry, Letter]] = []
        wanted = tuple(letters)
        for target in targets:
            places = covering(target)
            for letter in wanted:
                entry = next((entry for place in places if (entry := self._allowed.get((place, letter)))), None)
                if entry is None:
                    return []
                found.append((entry, letter))
        return found

    def keys_for(self, target: str) -> list[str]:
        """The keys, as written, that name exactly this target; a new one where there is none.

        Raises:
            ValueError: No key can name it.
        """
        place = canonical(target or "/")
        return self._keys.get(place) or [place]

    def _deny(self, place: str, letter: Letter, entry: Entry) -> None:
        self._denied[fold(place), letter] = entry
        if place.startswith("/") and is_executable(place):
            # Someone who writes `/Diary.md` may mean the vault's: too much is denied rather than too little.
            self._denied[fold(place[1:]), letter] = entry
