"""Worker processes for files that strangers made: each reads one file, and ends with it."""

from collections.abc import Callable
from typing import ClassVar, Final

from bridge.clock import Clock
from bridge.workers.pool import Job, WorkerPool

WORKERS: Final = 2
"""Files that are read at a time."""


class FileWorkers:
    """The readers of files of one kind. Any thread may ask.

    Args:
        clock: The one that deadlines are given in.
        hide: Takes secrets out of what a process said before it ended.

    Attributes:
        job: What the processes do.
    """

    job: ClassVar[Job]

    def __init__(self, clock: Clock, hide: Callable[[str], str]) -> None:
        self._clock = clock
        self._pool = WorkerPool(clock, self.job, hide, WORKERS, reuse=False)

    def close(self) -> None:
        """End the processes. What is being read fails."""
        self._pool.close()
