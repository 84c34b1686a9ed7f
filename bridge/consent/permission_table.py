"""What the permission file says, ready to be asked. Pure. How keys are spelled is in `policy/targets.py`."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from bridge.contract.targets import Reach, TargetKind
from bridge.policy.consent import Letter
from bridge.policy.targets import Rung, Target, fold_key, parse_key

LETTERS: tuple[Letter, ...] = ("r", "w", "x")
"""Read, write, execute: what each of the three characters is about."""
DENIED = "-"
NOT_ASKED = "?"


@dataclass(frozen=True, slots=True)
class PermissionEntry:
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
        self._keys: defaultdict[Rung, list[str]] = defaultdict(list)
        self._allowed: dict[tuple[Rung, Letter], PermissionEntry] = {}
        self._denied: dict[tuple[TargetKind, str, Letter], PermissionEntry] = {}
        for key, code in codes.items():
            rung = parse_key(key)
            self._keys[rung].append(key)
            for letter, character in zip(LETTERS, code, strict=True):
                if character == DENIED:
                    self._deny(rung, letter, PermissionEntry(key, code))
                elif character == letter:
                    self._allowed[rung, letter] = PermissionEntry(key, code)

    @property
    def denies(self) -> bool:
        """Whether anything is denied at all."""
        return bool(self._denied)

    def denials(self) -> Self:
        """Return the same without anything that allows."""
        codes = {}
        for key, code in self.codes.items():
            codes[key] = "".join(DENIED if character == DENIED else NOT_ASKED for character in code)
        return type(self)(codes)

    def denial(self, targets: Iterable[Target], letters: Iterable[Letter]) -> PermissionEntry | None:
        """Return the entry that denies one of the targets one of the letters."""
        if not self._denied:
            return None
        wanted = tuple(letters)
        seen: set[Rung] = set()
        for target in targets:
            for rung in target.rungs():
                if rung in seen:
                    continue
                seen.add(rung)
                place = fold_key(rung.key)
                for letter in wanted:
                    if entry := self._denied.get((rung.kind, place, letter)):
                        return entry
        return None

    def closes(self, path: str) -> PermissionEntry | None:
        """Return the entry that denies reading a file, by its path. Quick: searches ask it of every file."""
        place = fold_key(path)
        while True:
            if entry := self._denied.get((TargetKind.FILE, place, "r")):
                return entry
            if not place:
                return None
            place = place.rpartition("/")[0]

    def grant(self, targets: Iterable[Target], letters: Iterable[Letter]) -> PermissionEntry | None:
        """Return an entry that allows, when every target is allowed every letter. Nothing is allowed to no target."""
        grants = self.grants(targets, letters)
        return grants[-1][0] if grants else None

    def grants(self, targets: Iterable[Target], letters: Iterable[Letter]) -> list[tuple[PermissionEntry, Letter]]:
        """Return all entries that together allow every letter to every target; none when one is not allowed."""
        found: list[tuple[PermissionEntry, Letter]] = []
        wanted = tuple(letters)
        for target in targets:
            rungs = target.rungs()
            for letter in wanted:
                entry = next((entry for rung in rungs if (entry := self._allowed.get((rung, letter)))), None)
                if entry is None:
                    return []
                found.append((entry, letter))
        return found

    def keys_for(self, rung: Rung) -> list[str]:
        """Return the keys, as written, that name exactly this rung; a new one where there is none.

        Raises:
            ValueError: No key can name it: a command is written down by its executable alone.
        """
        if rung.reach is Reach.COMMAND:
            raise ValueError("the file names executables, not single commands")
        return self._keys.get(rung) or [rung.key]

    def _deny(self, rung: Rung, letter: Letter, entry: PermissionEntry) -> None:
        self._denied[rung.kind, fold_key(rung.key), letter] = entry
        if rung.reach is Reach.EXECUTABLE and rung.key.startswith("/"):
            # Someone who writes `/Diary.md` may mean the vault's: too much is denied rather than too little.
            self._denied[TargetKind.FILE, fold_key(rung.key[1:]), letter] = entry
