"""The permission file, `.vault-bridge/permissions.json`, read live: a change by hand holds for the next decision.

It is an object of keys, each with three characters of `rwx`, `-` and `?`. People may edit it, so a fault is reported
with its line; and it decides what agents may do, so a file with one fault is refused whole.

What it allows lapses when it is not used. When a line was used last is kept in `.vault-bridge/grants.json`, apart from
the file, which stays as people write it. A line written by hand counts from when it was first seen. Denials never end.
"""

import contextlib
import json
import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Self

import orjson

from bridge.clock import Clock, moment_of, stamp
from bridge.contract.consent import Reach, TargetKind
from bridge.errors import ExecutionFailed, ToolFailure
from bridge.policy.consent import Letter
from bridge.policy.targets import Rung, Target, fold_key, parse_key
from bridge.vault.folder import Folder, write_atomic

logger = logging.getLogger(__name__)

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
        kept = {ord(letter): NOT_ASKED for letter in LETTERS}
        return type(self)({key: code.translate(kept) for key, code in self.codes.items()})

    def denial(self, targets: Iterable[Target], letters: Iterable[Letter]) -> PermissionEntry | None:
        """Return the entry that denies one of the targets one of the letters."""
        if not self._denied:
            return None
        wanted = tuple(letters)
        for rung in dict.fromkeys(rung for target in targets for rung in target.rungs()):
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
    except ValueError:
        raise PermissionFileFault("a number in it is too long, and no value is a number") from None
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

    Attributes:
        state: The folder.
    """

    def __init__(self, state: Folder, *, clock: Clock) -> None:
        self.state = state
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
                try:
                    keys = table.keys_for(rung)
                except ValueError as error:
                    why = f"{rung.key!r} cannot be written into .vault-bridge/{FILE}: {error}"
                    raise ExecutionFailed(why) from None
                for key in keys:
                    old = codes.get(key, NOT_ASKED * len(LETTERS))
                    codes[key] = "".join(characters.get(letter, was) for letter, was in zip(LETTERS, old, strict=True))
            said = {key: code for key, code in codes.items() if set(code) != {NOT_ASKED}}
            try:
                write_atomic(self.state, FILE, dump_permissions(said))
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
            data = self.state.read(FILE, limit=MAX_BYTES + 1)
        except FileNotFoundError:
            self._data, self._seen = None, ()
            if self._table.codes or self._fault is not None:  # else the table stays the same object, for those who ask
                self._table, self._fault, self._seen = PermissionTable({}), None, None
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
            state = self.state.stat(FILE)
        except FileNotFoundError:
            return ()
        return (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)

    def _judge(self, data: bytes) -> None:
        try:
            self._table, self._fault = PermissionTable(parse_permissions(data)), None
            self._data, self._seen = data, None
        except PermissionFileFault as fault:
            self._refuse(str(fault), data)

    def _refuse(self, why: str, data: bytes | None) -> None:
        fault = (
            f".vault-bridge/{FILE} cannot be used: {why}. Until it is repaired it allows nothing; its last denials hold"
        )
        if fault != self._fault:
            logger.warning("%s", fault)
        self._fault = fault
        self._table = self._table.denials()
        self._data, self._seen = data, None


_USED_FILE = "grants.json"
_MOST_BYTES = 16 * 1024 * 1024

Key = tuple[str, str]
"""A key of the permission file and a letter; or a tool and `MODE`, for a tool that was allowed for good."""
MODE = "mode"


class GrantExpiry:
    """The permanent grants that are still in use. May be used from several threads.

    Nothing is written when a grant is used; `sweep` writes, from time to time.

    Args:
        permissions: The permission file; what was used is kept beside it.
        clock: The wall clock.
        days: After how many days without use a grant ends; None: never.
    """

    def __init__(self, permissions: PermissionFile, *, clock: Clock, days: Callable[[], int | None]) -> None:
        self._permissions = permissions
        self._state = permissions.state
        self._clock = clock
        self._days = days
        self._lock = threading.RLock()
        self._used: dict[Key, datetime] = self._load()
        self._dirty = False
        self._raw: PermissionTable | None = None
        self._living = PermissionTable({})
        self._until: datetime | None = None
        self._for_days: int | None = None

    def table(self) -> PermissionTable:
        """Return what the permission file says now, with `?` for what has lapsed."""
        raw, days = self._permissions.table(), self._days()
        if days is None:
            return raw
        with self._lock:
            now = self._clock.now()
            if raw is not self._raw or days != self._for_days or (self._until is not None and now >= self._until):
                self._judge(raw, days, now)
            return self._living

    def lapsed(self, targets: Iterable[Target], letters: Iterable[Letter]) -> str | None:
        """Return why something that the file allows is asked about all the same; None if it is not."""
        days = self._days()
        entry = self._permissions.table().grant(targets, letters)
        if entry is None or days is None:
            return None
        return f"`.vault-bridge/permissions.json` allowed it by {entry.key!r}, which was not used for {days} days"

    def expires(self, key: str, letter: str) -> datetime | None:
        """Return when a grant lapses if it is not used until then.

        Args:
            key: A key of the permission file.
            letter: What it allows.

        Returns:
            None when it does not lapse, or has not been seen yet.
        """
        days = self._days()
        with self._lock:
            used = self._used.get((key, letter))
        return None if days is None or used is None else used + timedelta(days=days)

    def use(self, targets: Iterable[Target], letters: Iterable[Letter]) -> None:
        """Note that the lines which allow some targets some letters have decided a call."""
        self._mark((entry.key, letter) for entry, letter in self.table().grants(targets, letters))

    def renew(self, rungs: Iterable[Rung], letters: Iterable[Letter]) -> None:
        """Count the days of something anew that was granted again."""
        table = self._permissions.table()
        wanted = tuple(letters)
        self._mark((key, letter) for rung in rungs for key in table.keys_for(rung) for letter in wanted)
        with self._lock:
            self._raw = None

    def use_tool(self, tool: str, *, granted: bool = False) -> None:
        """Note that a tool that was allowed for good was used.

        Args:
            tool: Its name.
            granted: It is allowed for good only now.
        """
        if granted or (tool, MODE) in self._used:
            self._mark([(tool, MODE)])

    def sweep(self, forget_tool: Callable[[str], None]) -> None:
        """Write down what was used, and take back what has lapsed. Blocking.

        Args:
            forget_tool: Takes back that a tool is allowed for good.
        """
        if self._permissions.fault is not None:
            return  # what it said before may be said again once it is repaired
        days = self._days()
        table = self._permissions.table()
        living = self.table()
        try:
            for key, code in table.codes.items():
                now = living.codes.get(key, code)
                gone = [letter for letter in LETTERS if letter in code and letter not in now]
                if gone:
                    self._permissions.forget(key, gone)
                    logger.info("the grant %r of %r lapsed", "".join(gone), key)
            for tool in self._lapsed_tools(days):
                forget_tool(tool)
                logger.info("the grant of the tool %r lapsed", tool)
            self._write()
        except (OSError, ToolFailure) as error:
            logger.warning("when grants were used cannot be written: %s", error)

    def _judge(self, raw: PermissionTable, days: int, now: datetime) -> None:
        """Work out what is in use."""
        self._raw, self._for_days, self._until = raw, days, None
        span = timedelta(days=days)
        codes = dict(raw.codes)
        for key, code in raw.codes.items():
            for letter in LETTERS:
                if letter not in code:
                    continue
                used = self._seen((key, letter), now)
                if now - used >= span:
                    codes[key] = codes[key].replace(letter, NOT_ASKED)
                elif self._until is None or used + span < self._until:
                    self._until = used + span
        self._living = raw if codes == raw.codes else PermissionTable(codes)

    def _seen(self, key: Key, now: datetime) -> datetime:
        """Return when a grant was used last; now when it is new, or when that was in the future by a wrong clock."""
        used = self._used.get(key)
        if used is None or used > now:
            self._used[key] = used = now
            self._dirty = True
        return used

    def _mark(self, keys: Iterable[Key]) -> None:
        now = self._clock.now()
        with self._lock:
            for key in keys:
                self._used[key] = now
                self._dirty = True

    def _lapsed_tools(self, days: int | None) -> list[str]:
        now = self._clock.now()
        with self._lock:
            if days is None:
                return []
            tools = [key for key in self._used if key[1] == MODE]
            gone = [key for key in tools if now - self._seen(key, now) >= timedelta(days=days)]
            for key in gone:
                del self._used[key]
                self._dirty = True
            return [tool for tool, _ in gone]

    def _load(self) -> dict[Key, datetime]:
        """Return what an earlier run wrote; nothing when that cannot be read, and then everything counts from now."""
        try:
            written = orjson.loads(self._state.read(_USED_FILE, limit=_MOST_BYTES))
            return {(key, letter): moment_of(at) for key, letters in written.items() for letter, at in letters.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            logger.warning(".vault-bridge/%s cannot be read (%s); grants count from now", _USED_FILE, error)
            return {}

    def _write(self) -> None:
        codes = self._permissions.table().codes
        with self._lock:
            if not self._dirty:
                return
            # What is no longer granted is forgotten; granted again, it counts from then.
            granted = (key for key in self._used if key[1] == MODE or key[1] in codes.get(key[0], ""))
            self._used = {key: self._used[key] for key in granted}
            written: dict[str, dict[str, Any]] = {}
            for (key, letter), used in self._used.items():
                written.setdefault(key, {})[letter] = stamp(used)
            self._dirty = False
        try:
            write_atomic(self._state, _USED_FILE, orjson.dumps(written, option=orjson.OPT_INDENT_2))
        except OSError:
            self._dirty = True
            raise
