"""How much what a program writes has grown."""

import os
import shutil
import time
from collections.abc import Sequence
from typing import Final

_AGAIN: Final = 0.2
"""Seconds after which a measure is taken again, at the earliest."""
_SHARE: Final = 10
"""How many times as long as a measure takes it is not taken again."""
_BLOCK: Final = 512
"""Bytes of the blocks of `st_blocks`."""
_LEAST_FREE: Final = 256 * 1024 * 1024
"""Bytes that a program must leave free on the disk."""


class Growth:
    """The size of some folders, measured now and then.

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

    def is_too_much(self) -> bool:
        """Whether they have grown by more, or the disk is full. Looks only where the last look is some time ago."""
        now = time.monotonic()
        if not self._folders or now < self._next:
            return False
        # A file that was deleted while a program writes to it has no name any more, and only shows in the free space.
        full = self._free_bytes() < _LEAST_FREE < self._free
        too_much = full or self._size() - self._first > self._limit
        spent = time.monotonic() - now
        self._next = now + max(_AGAIN, spent * _SHARE)
        return too_much

    def _size(self) -> int:
        total = 0
        pending = list(self._folders)
        while pending:
            try:
                with os.scandir(pending.pop()) as entries:
                    for entry in entries:
                        state = entry.stat(follow_symlinks=False)
                        total += state.st_blocks * _BLOCK if hasattr(state, "st_blocks") else state.st_size
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
