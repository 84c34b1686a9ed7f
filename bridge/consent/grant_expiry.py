"""Permanent grants lapse when they are not used: the permission file, without what has not been used for long.

When a grant was used last is kept in `.vault-bridge/grants.json`, apart from `permissions.json`, which stays as people
write it. An entry written by hand counts from when it was first seen. Denials never end.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

import orjson

from bridge.clock import Clock, stamp
from bridge.consent.permission_file import LETTERS, NOT_ASKED, PermissionEntry, PermissionFile, PermissionTable
from bridge.errors import ToolFailure
from bridge.policy.consent import Letter
from bridge.policy.targets import Rung, Target
from bridge.vault.folder import Folder, write_atomic

logger = logging.getLogger(__name__)

FILE = "grants.json"
_MOST_BYTES = 16 * 1024 * 1024

Key = tuple[str, str]
"""A key of the permission file and a letter; or a tool and `MODE`, for a tool that was allowed for good."""
MODE = "mode"


class GrantExpiry:
    """The permanent grants that are still in use. May be used from several threads.

    Nothing is written when a grant is used; `sweep` writes, from time to time.

    Args:
        permissions: The permission file.
        state: The vault's `.vault-bridge` folder, held open.
        clock: The wall clock.
        days: After how many days without use a grant ends; None: never.
    """

    def __init__(
        self, permissions: PermissionFile, state: Folder, *, clock: Clock, days: Callable[[], int | None]
    ) -> None:
        self._permissions = permissions
        self._state = state
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

    def use(self, grants: Iterable[tuple[PermissionEntry, Letter]]) -> None:
        """Note that grants have decided a call.

        Args:
            grants: The entries, and which of their letters counted.
        """
        self._mark((entry.key, letter) for entry, letter in grants)

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
                gone = [
                    letter
                    for letter, new in zip(LETTERS, living.codes.get(key, code), strict=True)
                    if new == NOT_ASKED and letter in code
                ]
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
            written = orjson.loads(self._state.read(FILE, limit=_MOST_BYTES))
            return {
                (key, letter): datetime.fromisoformat(moment)
                for key, letters in written.items()
                for letter, moment in letters.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            logger.warning(".vault-bridge/%s cannot be read (%s); grants count from now", FILE, error)
            return {}

    def _write(self) -> None:
        codes = self._permissions.table().codes
        with self._lock:
            if not self._dirty:
                return
            # What is no longer granted is forgotten; granted again, it counts from then.
            self._used = {
                (key, letter): used
                for (key, letter), used in self._used.items()
                if letter == MODE or letter in codes.get(key, "")
            }
            written: dict[str, dict[str, Any]] = {}
            for (key, letter), used in self._used.items():
                written.setdefault(key, {})[letter] = stamp(used)
            self._dirty = False
        try:
            write_atomic(self._state, FILE, orjson.dumps(written, option=orjson.OPT_INDENT_2))
        except OSError:
            self._dirty = True
            raise
