"""How much there is in the vault: counted by a sweep, again after something changed."""

import threading
from dataclasses import dataclass
from datetime import datetime

from bridge.clock import Clock
from bridge.vault.files import VaultFiles


@dataclass(frozen=True, slots=True)
class Count:
    """What a sweep found. `files` are all files outside dot-folders, `notes` the Markdown files among them."""

    notes: int
    files: int
    swept: datetime


class Survey:
    """Counts files, and counts anew only when told that the vault changed.

    Args:
        files: The vault's files.
        clock: For the time of a sweep.
    """

    def __init__(self, files: VaultFiles, clock: Clock) -> None:
        self._files = files
        self._clock = clock
        self._lock = threading.Lock()
        self._count: Count | None = None

    def changed(self) -> None:
        """Forget the count: something changed."""
        self._count = None

    def count(self) -> Count:
        """The count as of the last change. Blocks while it sweeps."""
        with self._lock:
            count = self._count
            if count is None:
                paths = [entry.path for entry in self._files.walk(include_hidden=True)]
                notes = sum(path.suffix.lower() == ".md" for path in paths)
                count = self._count = Count(notes, len(paths), self._clock.now())
            return count
