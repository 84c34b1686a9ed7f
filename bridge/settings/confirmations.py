"""Confirmations: the settings that open something and that a person has set on this computer.

A settings file lies in the vault, and vaults are synced and shared. So what it says of some settings is a proposal
until a person sets the same here; that is kept in the user's own folder, outside the vault.
"""

import threading
from collections.abc import Mapping
from typing import Any, Final

from bridge.records.folder import RecordFolder
from bridge.records.store import RecordStore

FILE: Final = "confirmed.json"


class Confirmations:
    """The confirmed values, by the settings' keys. May be used from several threads.

    Args:
        folder: Where it is kept; None: nowhere, so that nothing is confirmed but what is set from now on.
    """

    def __init__(self, folder: RecordFolder | None = None) -> None:
        fault = f"{FILE} cannot be used, so nothing counts as confirmed: {{why}}"
        self._file = None
        if folder is not None:
            self._file = RecordStore(folder, FILE, dict[str, Any], fault=fault, replace_damaged=True)
        self._lock = threading.Lock()
        self._values = self._file.load({}) if self._file else {}

    def holds(self, key: str, value: Any) -> bool:
        """Return whether exactly this value was set here."""
        return key in self._values and self._values[key] == value

    def confirm(self, values: Mapping[str, Any]) -> None:
        """Remember that a person has set these values here.

        Raises:
            ExecutionFailed: That cannot be written down; nothing is confirmed.
        """
        with self._lock:
            known = self._values | dict(values)
            if self._file is not None:
                self._file.save(known)
            self._values = known
