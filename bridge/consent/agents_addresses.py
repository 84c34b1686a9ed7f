"""The addresses that agents put together and wrote into notes: none of them counts as the person's afterwards.

Kept beside the list of clients, each as a hash. Addresses that an agent had read and wrote down unchanged are not here.
"""

import hashlib
import threading
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import Final

from bridge.records.folder import RecordFolder
from bridge.records.store import RecordStore

_FILE: Final = "agents_addresses.json"
MOST: Final = 10_000
"""Addresses that are kept. Beyond that every address counts as an agent's, so that a flood makes none the person's."""


@dataclass(frozen=True, slots=True)
class _Record:
    """One address as the file holds it."""

    hash: str


class AgentsAddresses:
    """All such addresses. May be asked from any thread; adding writes a file.

    Args:
        folder: Where the list is kept.
    """

    def __init__(self, folder: RecordFolder) -> None:
        self._lock = threading.Lock()
        fault = "The list of addresses that agents wrote cannot be used ({why})"
        self._file = RecordStore(folder, _FILE, list[_Record], member="addresses", fault=fault)
        self._kept = dict.fromkeys(record.hash for record in self._file.load([]))

    @property
    def fault(self) -> str | None:
        """Return why the list cannot be used; every address counts as an agent's then. None while it can."""
        return self._file.fault

    def has(self, key: str) -> bool:
        """Return whether an address counts as an agent's.

        Args:
            key: The address as `address_key` has it.
        """
        return self.fault is not None or len(self._kept) >= MOST or _hash(key) in self._kept

    def add(self, keys: Collection[str]) -> None:
        """Remember addresses that an agent is about to write. Blocks.

        Args:
            keys: The addresses.

        Raises:
            ExecutionFailed: The list cannot be written; the agent must not write them.
        """
        with self._lock:
            kept = dict.fromkeys(islice(dict.fromkeys((*self._kept, *map(_hash, keys))), MOST))
            if len(kept) > len(self._kept):
                self._file.save([_Record(value) for value in kept])
                self._kept = kept


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:24]
