"""Growth of what a program writes."""

import os
import shutil
import time
from collections.abc import Sequence
from typing import Final

from bridge.sandbox.processes import nameless, size_on_disk

_AGAIN: Final = 0.2
"""Seconds after which a measure is taken again, at the earliest."""
_SHARE: Final = 10
"""Minimum time between measurements, as a multiple of the last one's duration."""
_LEAST_FREE: Final = 256 * 1024 * 1024
"""Bytes that a program must leave free on the disk."""
_FILE: Final = 16 * 1024
"""Bytes that a file counts at least, an empty one too: it takes an inode, and time to compare and to remove."""


class Growth:
    """The size of some folders, measured now and then, with that of files that have no name in them any more.

    Args:
        folders: All that can be written.
        limit: Bytes by which they may grow, together.
    """

    def __init__(self, folders: Sequence[str], limit: int) -> None:
        self._folders = folders
        self._limit = limit
        self._free = self._free_bytes()
        self._first = self._size()
        self._next = 0.0

    def is_too_much(self, processes: Sequence[int] = ()) -> bool:
        """Return whether they have grown by more, or the disk is full. Measures only some time after the last time.

        Args:
            processes: Processes that may hold files without a name.
        """
        now = time.monotonic()
        if not self._folders or now < self._next:
            return False
        held, free = nameless(processes), self._free_bytes()
        full = free < _LEAST_FREE < self._free
        # Of a file that is only mapped, or on its way between two processes, nothing shows but the space that it takes.
        hidden = held.hides and self._free - free > self._limit
        most = self._first + self._limit - held.size
        too_much = full or hidden or self._size(most) > most
        spent = time.monotonic() - now
        self._next = now + max(_AGAIN, spent * _SHARE)
        return too_much

    def _size(self, enough: float = float("inf")) -> int:
        """Return the size of everything in the folders, or of so much of it that it is more than enough."""
        total = 0
        pending = list(self._folders)
        while pending and total <= enough:
            try:
                with os.scandir(pending.pop()) as entries:
                    for entry in entries:
                        state = entry.stat(follow_symlinks=False)
                        total += max(size_on_disk(state), _FILE)
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(entry.path)
            except OSError:
                continue  # it was removed while we looked
        return total

    def _free_bytes(self) -> int:
        try:
            return min((shutil.disk_usage(folder).free for folder in self._folders), default=0)
        except OSError:
            return 0
