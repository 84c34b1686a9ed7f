"""The settings of one vault: `.vault-bridge/settings.json` holds what differs from the defaults, and is read live.

What was in force is never loosened by a mistake: a file with a fault is refused whole, and the last good settings,
of which a copy is kept in `settings.last-good.json`, stay in force. The file is an object of settings, and of keys that
another version may know.
"""

import contextlib
import difflib
import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from bridge.clock import Clock, SystemClock
from bridge.contract.consent import ConsentMode
from bridge.errors import InvalidParameters
from bridge.records.folder import RecordFolder, RecordStore
from bridge.settings.model import (
    LONGEST_NAME,
    Settings,
    SettingsChange,
    guarded,
    is_guarded,
    merge,
    no_effect,
    schema,
    warnings,
)
from bridge.vault.disk import as_failure
from bridge.vault.folder import Folder, write_atomic

logger = logging.getLogger(__name__)

FILE = "settings.json"
CONFIRMED: Final = "confirmed.json"
LAST_GOOD = "settings.last-good.json"
BROKEN = "settings.broken-"
"""The prefix of the name of a file that was put aside; the time follows."""
KEYS = "encryptedKeys"
"""The setting that holds API keys, encrypted; `keys.set` and the like change it, and nothing else."""
_SETTLED = 2.0
"""Seconds after which a file's times tell every later change: the coarsest clock of a file system in use (FAT)."""
MAX_BYTES = 1024 * 1024
"""A file larger than this was not written for us."""
NAMES = tuple(field.alias or name for name, field in Settings.model_fields.items())


class SettingsFault(ValueError):
    """The file cannot be used; the text says where and why."""


def parse(data: bytes) -> dict[str, Any]:
    """Return everything in the file. What is known in it is valid.

    Raises:
        SettingsFault: Naming the line, or the key.
    """
    if len(data) > MAX_BYTES:
        raise SettingsFault(f"it is larger than {MAX_BYTES:,} bytes")
    try:
        values = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        raise SettingsFault(f"line {error.lineno}: {error.msg} (column {error.colno})") from None
    if not isinstance(values, dict):
        raise SettingsFault("line 1: it must hold one JSON object")
    try:
        Settings.parse(known(values))
    except InvalidParameters as error:
        raise SettingsFault(error.message) from None
    return values


def write(values: dict[str, Any]) -> bytes:
    """Return the bytes of a file with these values."""
    return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def known(values: dict[str, Any]) -> dict[str, Any]:
    """Return the settings among the values."""
    return {key: value for key, value in values.items() if key in NAMES}


def unknown(values: dict[str, Any]) -> list[str]:
    """Return the keys that are no settings, each with the nearest one that is, for people."""
    described = []
    for key in values:
        if key in NAMES:
            continue
        near = difflib.get_close_matches(key[:LONGEST_NAME], NAMES, n=1)
        described.append(f"{key[:LONGEST_NAME]!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
    return described


class Confirmations:
    """The settings that open something and that a person has set on this computer, by key.

    A settings file lies in the vault, and vaults are synced and shared. So what it says of some settings is a proposal
    until a person sets the same here; that is kept in the user's own folder, outside the vault.

    Args:
        folder: Where it is kept; None: nowhere, so that nothing is confirmed but what is set from now on.
    """

    def __init__(self, folder: RecordFolder | None = None) -> None:
        fault = f"{CONFIRMED} cannot be used, so nothing counts as confirmed: {{why}}"
        self._file = None
        if folder is not None:
            self._file = RecordStore(folder, CONFIRMED, dict[str, Any], fault=fault, replace_damaged=True)
        self._values = self._file.load({}) if self._file else {}

    def holds(self, key: str, value: Any) -> bool:
        """Return whether exactly this value was set here."""
        return key in self._values and self._values[key] == value

    def confirm(self, values: Mapping[str, Any]) -> None:
        """Remember that a person has set these values here. Not called from two threads at a time.

        Raises:
            ExecutionFailed: That cannot be written down; nothing is confirmed.
        """
        kept = self._values | dict(values)
        if self._file is not None:
            self._file.save(kept)
        self._values = kept


def unconfirmed(values: dict[str, Any], confirmations: Confirmations) -> list[str]:
    """Return the keys of the values that wait for a person to set them on this computer."""
    return [key for key, value in guarded(values).items() if not confirmations.holds(key, value)]


def in_force(values: dict[str, Any], confirmations: Confirmations) -> Settings:
    """Return the settings of a file's values, without what nobody has confirmed on this computer.

    Raises:
        InvalidParameters: They are no settings.
    """
    proposed = unconfirmed(values, confirmations)
    return Settings.parse({key: value for key, value in known(values).items() if key not in proposed})


class SettingsStore:
    """The store that loads, changes and keeps the settings. May be used from several threads.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
        confirmations: What a person has set on this computer. Other values of such settings do not act.
        clock: Tells a file that may still be changing from one that has settled, and names files put aside.
    """

    def __init__(
        self, state: Folder, *, confirmations: Confirmations | None = None, clock: Clock | None = None
    ) -> None:
        self._state = state
        self._confirmations = confirmations or Confirmations()
        self._clock = clock or SystemClock()
        self._lock = threading.RLock()
        self._listeners: list[Callable[[SettingsChange], None]] = []
        self._seen: tuple[int, ...] | None = None
        self._data: bytes | None = None
        self._start_fault: str | None = None
        self._fault: str | None = None
        self._values: dict[str, Any] = {}
        self._current = Settings()
        self._load()

    @property
    def current(self) -> Settings:
        """Return the settings in force: the file's as it is now. While they are being changed, those from before.

        Each use looks at the file; the object itself never changes, so one is enough for a whole call.
        """
        if self._lock.acquire(blocking=False):
            try:
                self._refresh()
            finally:
                self._lock.release()
        return self._current

    @property
    def latest(self) -> Settings:
        """Return the settings as last read, without a look at the file: enough in a call that began with `current`."""
        return self._current

    @property
    def is_new(self) -> bool:
        """Return whether nobody has set anything yet: the moment to offer a preset."""
        return not self._values and self._start_fault is None

    @property
    def faults(self) -> list[str]:
        """Return what is wrong with the file and what to do, for people."""
        with self._lock:
            self._refresh()
            proposed = " ".join(map(_proposal, unconfirmed(self._values, self._confirmations)))
            found = (self._start_fault, self._fault, _ignored(self._values), proposed)
            return [fault for fault in found if fault]

    def on_change(self, listener: Callable[[SettingsChange], None]) -> None:
        """Have a listener called with every change.

        Args:
            listener: Called once the change is in force and before `update` returns, in the thread that changed or
                read the settings.
        """
        self._listeners.append(listener)

    def update(
        self, patch: dict[str, Any], *, by: str | None = None, confirms: bool = False
    ) -> tuple[Settings, list[str]]:
        """Merge a patch in deeply: all of it or nothing, validated as a whole, on disk before it is in force.

        Args:
            patch: JSON, by the settings' keys; None sets a value to null.
            by: The name of the host that asks, for the log.
            confirms: Whether it is a person on this computer who sets it, so that all of it acts.

        Returns:
            The settings as they are then, and warnings about the keys of the patch.

        Raises:
            InvalidParameters: Naming the key and what is wrong with it.
            ExecutionFailed: The disk is full or failed; the old settings stay in force.
        """
        if "ollamaApiKey" in patch:
            raise InvalidParameters("'ollamaApiKey' is not a setting; store it encrypted with `keys.set`")
        if KEYS in patch:
            raise InvalidParameters("'encryptedKeys' is not set by hand; use `keys.set`")
        with self._lock:
            self._refresh()
            settings = Settings.parse(merge(known(self._values), patch))
            risky = guarded(patch)
            self._confirm({key: patch[key] for key in patch if is_guarded(key) and (confirms or key not in risky)})
            current = self._commit(merge(self._values, patch), by)
            idle = [_proposal(key) for key in unconfirmed(patch, self._confirmations)]
            return current, [*warnings(settings, patch), *idle]

    def set_mode(self, tool: str, mode: ConsentMode | None, by: str | None = None) -> None:
        """Set one tool's consent mode.

        Args:
            tool: Its name; it need not exist.
            mode: None goes back to the tool's default.
            by: The name of the host that asks, for the log.

        Raises:
            ExecutionFailed: The disk is full or failed; the old settings stay in force.
        """
        with self._lock:
            self._refresh()
            modes = {key: value for key, value in self._values.get("consentMode", {}).items() if key != tool}
            self._commit(self._values | {"consentMode": modes | ({tool: mode.value} if mode else {})}, by)

    def store_keys(self, keys: Mapping[str, str], *, by: str | None = None) -> None:
        """Put these encrypted keys in the place of those there are.

        Args:
            keys: Each by its name.
            by: The name of the host that asks, for the log.

        Raises:
            ExecutionFailed: The disk is full or failed; the old ones stay.
        """
        with self._lock:
            self._refresh()
            others = {key: value for key, value in self._values.items() if key != KEYS}
            self._commit(others | ({KEYS: dict(keys)} if keys else {}), by)

    def reset(self, section: str | None = None, *, by: str | None = None) -> Settings:
        """Reset to the defaults, of one section or of all. Keys that are no settings, and API keys, are kept.

        Args:
            section: As in `SECTIONS`; None: all.
            by: The name of the host that asks, for the log.

        Raises:
            InvalidParameters: There is no such section; the message names those there are.
            ExecutionFailed: The disk is full or failed; the old settings stay in force.
        """
        sections = {key: str(member["section"]) for key, member in schema()["properties"].items()}
        if section is not None and section not in sections.values():
            there = ", ".join(dict.fromkeys(sections.values()))
            raise InvalidParameters(f"There is no section {section!r}. Sections: {there}")
        with self._lock:
            self._refresh()
            dropped = {key for key, where in sections.items() if section in {None, where}}
            kept = {key: value for key, value in self._values.items() if key not in dropped or key == KEYS}
            self._confirm(dict.fromkeys(filter(is_guarded, dropped)))
            return self._commit(kept, by)

    def _confirm(self, values: dict[str, Any]) -> None:
        """Confirm values that were set here. One that opens nothing takes back what was confirmed before."""
        if any(not self._confirmations.holds(key, value) for key, value in values.items()):
            self._confirmations.confirm(values)

    def _commit(self, values: dict[str, Any], by: str | None) -> Settings:
        Settings.parse(known(values))
        data = write(values)
        try:
            if self._fault is not None and self._state.exists(FILE):
                self._put_aside()
            write_atomic(self._state, FILE, data)
        except OSError as error:
            raise as_failure(error, f".vault-bridge/{FILE}") from error
        self._accept(values, data, by)
        self._fault = None
        return self._current

    def _accept(self, values: dict[str, Any], data: bytes, by: str | None = None) -> None:
        """Put settings in force, and keep a copy for a start that finds the file broken."""
        self._values, self._data, self._seen = values, data, None
        before, self._current = self._current, in_force(values, self._confirmations)
        self._keep_copy(write(known(values)))
        if self._current != before:
            change = SettingsChange(before, self._current, by)
            for listener in self._listeners:
                listener(change)

    def _keep_copy(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            if self._state.read(LAST_GOOD, limit=MAX_BYTES) == data:
                return
        try:
            write_atomic(self._state, LAST_GOOD, data)
        except OSError as error:
            logger.warning(".vault-bridge/%s cannot be written: %s", LAST_GOOD, error.strerror)

    # -- reading ------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        """Read the file at the start; a broken one is put aside, and the last good settings serve."""
        try:
            data = self._state.read(FILE, limit=MAX_BYTES + 1)
            self._accept(parse(data), data)
        except FileNotFoundError:
            return
        except (OSError, SettingsFault) as error:
            self._start_fault = self._replace(_why(error))
            logger.warning("%s", self._start_fault)
        if ignored := _ignored(self._values):
            logger.warning("%s", ignored)
        if idle := no_effect(self._values):
            logger.warning(".vault-bridge/%s sets what has no effect in this version: %s", FILE, ", ".join(idle))

    def _replace(self, why: str) -> str:
        """Put a broken file aside and its last good version in its place; what to tell people."""
        kept = None
        with contextlib.suppress(OSError):
            kept = self._put_aside()
        what = "the defaults"
        with contextlib.suppress(OSError, SettingsFault):
            values = parse(self._state.read(LAST_GOOD, limit=MAX_BYTES + 1))
            self._values, self._current, what = values, in_force(values, self._confirmations), "the last good ones"
            if kept is not None:
                self._data = write(values)
                write_atomic(self._state, FILE, self._data)
        where = (
            f" It is kept as .vault-bridge/{kept}: set what you need of it again with"
            if kept
            else " Correct it, or use"
        )
        return (
            f".vault-bridge/{FILE} could not be used: {why}. The bridge uses {what} instead.{where} "
            "`vault-bridge settings set`" + (", then delete it" if kept else "")
        )

    def _put_aside(self) -> str:
        name = f"{BROKEN}{self._clock.now():%Y%m%dT%H%M%S%f}.json"
        self._state.move_new(FILE, self._state, name)
        return name

    def _refresh(self) -> None:
        """Read the file again when it may have changed. A faulty one changes nothing and stays for its writer."""
        try:
            state = self._state.stat(FILE)
            seen = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
            if seen == self._seen:
                return
            data = self._state.read(FILE, limit=MAX_BYTES + 1)
            settled = self._clock.now().timestamp() - state.st_mtime > _SETTLED
            if data != self._data:
                self._judge(data)
            self._seen = seen if settled else None
        except FileNotFoundError:
            if self._values:
                self._refuse("it is gone", None)
            else:
                self._fault = None  # whatever was wrong with it: nothing had been set
        except OSError as error:
            self._refuse(_why(error), None)

    def _judge(self, data: bytes) -> None:
        try:
            values = parse(data)
        except SettingsFault as fault:
            self._refuse(str(fault), data)
            return
        # One that was tolerated at the start still is; a new one is most likely a slip of the hand.
        if new := unknown({key: None for key in values if key not in self._values}):
            self._refuse(f"unknown setting {', '.join(new)}", data)
            return
        self._fault = None
        self._accept(values, data)

    def _refuse(self, why: str, data: bytes | None) -> None:
        fault = (
            f".vault-bridge/{FILE} cannot be used: {why}. Until it is corrected, the settings from before stay in force"
        )
        if fault != self._fault:
            logger.warning("%s", fault)
        self._fault, self._data, self._seen = fault, data, None


def _proposal(key: str) -> str:
    return (
        f"{key} is set in .vault-bridge/{FILE}, but not confirmed on this computer, so it does not act. You can "
        f"set it here, in the settings, or with `vault-bridge settings set {key}=...`"
    )


def _ignored(values: dict[str, Any]) -> str | None:
    keys = unknown(values)
    return f".vault-bridge/{FILE} has keys that are no settings and do nothing: {', '.join(keys)}" if keys else None


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
