"""Progress of a build, reported often enough to watch and not more."""

import threading
from collections.abc import Callable

from bridge.clock import Clock

EVERY_SECONDS = 0.1
FEW = 50
"""Files that are read sooner than anyone could look."""

OnProgress = Callable[[int, int], None]
"""Called with how many files are read, and how many there are to read."""


class Progress:
    """A counter of what is read in one go.

    Args:
        clock: The time.
        report: Called at the beginning, every tenth of a second, and at the end; not for small things.
    """

    def __init__(self, clock: Clock, report: OnProgress) -> None:
        self._clock = clock
        self._report = report
        self._lock = threading.Lock()
        self._reported_at = float("-inf")
        self.done = 0
        self.total = 0

    def begin(self, total: int) -> None:
        """Set how many files are to be read."""
        with self._lock:
            self.done, self.total = 0, total
        self._maybe(at_once=True)

    def step(self, files: int) -> None:
        """Count more files that were read."""
        with self._lock:
            self.done += files
        self._maybe(at_once=self.done >= self.total)

    def _maybe(self, *, at_once: bool) -> None:
        now = self._clock.monotonic()
        if self.total > FEW and (at_once or now - self._reported_at >= EVERY_SECONDS):
            self._reported_at = now
            self._report(self.done, self.total)
