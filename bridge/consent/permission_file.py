"""`.vault-bridge/permissions.json`, read live, so that a change by hand holds for the next decision.

It is an object of keys, each with three characters of `rwx`, `-` and `?`. People may edit it, so a fault is reported
with its line; and it decides what agents may do, so a file with one fault is refused whole.
"""

import contextlib
import json
import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

from bridge.clock import Clock
from bridge.contract.consent import Reach, TargetKind
from bridge.errors import ExecutionFailed
from bridge.policy.consent import Letter
from bridge.policy.targets import Rung, Target, fold_key, parse_key
from bridge.vault.folder import Folder, write_atomic

LETTERS: tuple[Letter, ...] = ("r", "w", "x")
"""Read, write, execute: what each of the three characters is about."""
DENIED = "-"
NOT_ASKED = "?"


class PermissionEntry(NamedTuple):
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
        """Return whether anything is denied at all."""
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


MAX_BYTES = 4 * 1024 * 1024
"""A file larger than this was not written for us."""


class PermissionFileFault(ValueError):
    """The file cannot be used; the text says where and why."""


class _Members(list[tuple[str, Any]]):
    """The members of a JSON object, duplicates included."""


def parse_permissions(data: bytes) -> dict[str, str]:
    """Return the entries of the file, in its order.

    Args:
        data: The file's bytes.

    Returns:
        Three characters by key.

    Raises:
        PermissionFileFault: With the line and the key.
    """
    if len(data) > MAX_BYTES:
        raise PermissionFileFault(f"it is larger than {MAX_BYTES:,} bytes")
    try:
        text = data.decode("utf-8-sig")
        members = json.loads(text, object_pairs_hook=_Members)
    except UnicodeDecodeError as error:
        raise PermissionFileFault(f"it is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise PermissionFileFault(f"line {error.lineno}: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise PermissionFileFault("it is nested too deeply") from None
    if not isinstance(members, _Members):
        raise PermissionFileFault("line 1: it must hold one JSON object")
    counts = Counter(key for key, _ in members)
    for key, code in members:
        fault = "it is there twice" if counts[key] > 1 else _fault(key, code)
        if fault is not None:
            raise PermissionFileFault(f"line {_line(text, key)}, key {key!r}: {fault}")
    return dict(members)


def dump_permissions(codes: dict[str, str]) -> bytes:
    """Return the bytes of a file with these entries.

    Args:
        codes: Three characters by key.
    """
    return (json.dumps(codes, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _fault(key: str, code: Any) -> str | None:
    """Return what is wrong with one entry."""
    if not isinstance(code, str) or len(code) != len(LETTERS):
        return "the value must be three characters, such as 'rw-'"
    for letter, character in zip(LETTERS, code, strict=True):
        if character not in {letter, DENIED, NOT_ASKED}:
            return f"in {code!r}, {character!r} must be {letter!r} (allowed), '-' (denied) or '?' (not asked)"
    try:
        parse_key(key)
        key.encode("utf-8")
    except ValueError as error:
        return "it is not valid Unicode" if isinstance(error, UnicodeError) else str(error)
    return None


def _line(text: str, key: str) -> int:
    """Return the line a key is last in, from 1."""
    spellings = (json.dumps(key), json.dumps(key, ensure_ascii=False))
    place = max(text.rfind(spelling) for spelling in spellings)
    return text.count("\n", 0, max(place, 0)) + 1


logger = logging.getLogger(__name__)

FILE = "permissions.json"
_SETTLED = 2.0
"""Seconds after which a file's times show every later change: the coarsest clock of a file system in use (FAT)."""


class PermissionFile:
    """The entries of the permission file as they are now.

    A file with a fault allows nothing; the denials of the last good one go on. It is never overwritten: the person
    who wrote it must repair it.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
        clock: Tells a file that may still be changing from one that has settled.
    """

    def __init__(self, state: Folder, *, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._lock = threading.RLock()
        self._table = PermissionTable({})
        self._data: bytes | None = None
        self._seen: tuple[int, ...] | None = None
        self._fault: str | None = None

    @property
    def fault(self) -> str | None:
        """Return what is wrong with the file and what to do, for people; None when nothing is."""
        with self._lock:
            self.table()
            return self._fault

    def table(self) -> PermissionTable:
        """Return what the file says now. Where it is as it was, without waiting for who else looks."""
        with contextlib.suppress(OSError):
            if self._stamp() == self._seen:
                return self._table
        with self._lock:
            self._refresh()
            return self._table

    def set(self, rungs: Iterable[Rung], letters: Iterable[Letter], *, allow: bool) -> None:
        """Write an answer down for good.

        Args:
            rungs: The places it is about.
            letters: What is allowed or denied to be done with them.
            allow: The letter itself, or `-`.

        Raises:
            ExecutionFailed: The file has a fault, cannot be written, or can name no such target; nothing has changed.
        """
        self._change(rungs, {letter: letter if allow else DENIED for letter in letters})

    def forget(self, key: str, letters: Iterable[Letter]) -> None:
        """Take an answer back: `?` again. Raises what `set` raises."""
        self._change([parse_key(key)], dict.fromkeys(letters, NOT_ASKED))

    def _change(self, rungs: Iterable[Rung], characters: dict[Letter, str]) -> None:
        with self._lock:
            table = self.table()
            if self._fault is not None:
                raise ExecutionFailed(self._fault)
            codes = dict(table.codes)
            for rung in rungs:
                for key in _keys(table, rung):
                    old = codes.get(key, NOT_ASKED * len(LETTERS))
                    codes[key] = "".join(characters.get(letter, was) for letter, was in zip(LETTERS, old, strict=True))
            said = {key: code for key, code in codes.items() if set(code) != {NOT_ASKED}}
            try:
                write_atomic(self._state, FILE, dump_permissions(said))
            except OSError as error:
                raise ExecutionFailed(
                    f".vault-bridge/{FILE} cannot be written: {error.strerror}. Make room or correct its permissions"
                ) from error
            self._data = self._seen = None

    def _refresh(self) -> None:
        """Read the file again when it may have changed."""
        try:
            seen = self._stamp()
            if seen == self._seen:
                return
            data = self._state.read(FILE, limit=MAX_BYTES + 1)
        except FileNotFoundError:
            self._data, self._seen = None, ()
            if self._table.codes or self._fault is not None:  # else the table stays the same object, for those who ask
                self._accept({}, None)
        except OSError as error:
            self._refuse(error.strerror or type(error).__name__, None)
        else:
            if data != self._data:
                self._judge(data)
            settled = seen and self._clock.now().timestamp() - seen[2] / 1e9 > _SETTLED
            self._seen = seen if settled else None

    def _stamp(self) -> tuple[int, ...]:
        """Return what is another when the file has changed: inode, size and times; nothing where there is no file."""
        try:
            state = self._state.stat(FILE)
        except FileNotFoundError:
            return ()
        return (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)

    def _judge(self, data: bytes) -> None:
        try:
            self._accept(parse_permissions(data), data)
        except PermissionFileFault as fault:
            self._refuse(str(fault), data)

    def _accept(self, codes: dict[str, str], data: bytes | None) -> None:
        self._table, self._fault = PermissionTable(codes), None
        self._data, self._seen = data, None

    def _refuse(self, why: str, data: bytes | None) -> None:
        fault = (
            f".vault-bridge/{FILE} cannot be used: {why}. Until it is repaired it allows nothing; its last denials hold"
        )
        if fault != self._fault:
            logger.warning("%s", fault)
        self._fault = fault
        self._table = self._table.denials()
        self._data, self._seen = data, None


def _keys(table: PermissionTable, rung: Rung) -> list[str]:
    try:
        return table.keys_for(rung)
    except ValueError as error:
        raise ExecutionFailed(f"{rung.key!r} cannot be written into .vault-bridge/{FILE}: {error}") from None
