"""The thread that looks after the log: seals it soon after it was written to, packs it, and drops what is too old."""

import threading
from collections.abc import Callable
from typing import Final

from bridge.audit.log import AuditLog
from bridge.settings.model import Settings

PAUSE_SECONDS: Final = 0.5
"""From a record to its seal: what is logged in that time is sealed together."""
DAY_SECONDS: Final = 86_400.0
LOOK_SECONDS: Final = 3_600.0
"""Seconds between checks whether a day has passed; a machine that sleeps does not count the hours."""


class LogMaintenance:
    """The log's background work. Start it once; `close` seals the log and ends.

    Args:
        log: The log.
        settings: The settings as they are now: a new retention is applied at once.
        monotonic: Seconds that never jump.
    """

    def __init__(self, log: AuditLog, settings: Callable[[], Settings], monotonic: Callable[[], float]) -> None:
        self._log = log
        self._settings = settings
        self._monotonic = monotonic
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="audit-keeper", daemon=True)

    def start(self) -> None:
        """Begin with what a crash left and what has become too old."""
        self._thread.start()

    def close(self) -> None:
        """Seal what there is, and end."""
        self._stopped.set()
        self._log.has_work.set()
        self._thread.join()
        self._log.seal()

    def _run(self) -> None:
        days, due = self._days(), 0.0
        while not self._stopped.is_set():
            self._log.seal()
            self._log.tidy()
            now = self._monotonic()
            if now >= due or days != self._days():
                days, due = self._days(), now + DAY_SECONDS
                self._log.retain()
            self._log.has_work.wait(LOOK_SECONDS)
            self._stopped.wait(PAUSE_SECONDS)
            self._log.has_work.clear()

    def _days(self) -> int | None:
        return self._settings().audit_log_retention_days
