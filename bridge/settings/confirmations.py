"""Which settings that open something a person has set on this computer.

A settings file lies in the vault, and vaults are synced and shared. So what it says of some settings is a proposal
until a person sets the same here; that is kept in the user's own folder, outside the vault.
"""

import logging
import threading
from collections.abc import Mapping
from typing import Any, Final, Protocol

import orjson

from bridge.errors import ExecutionFailed

logger = logging.getLogger(__name__)

FILE: Final = "confirmed.json"


class OwnFolder(Protocol):
    """A folder of the user's, outside the vault, which nobody else can look into."""

    def read(self, name: str) -> bytes | None:
        """The content of a file; None when there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Put a file there whole. Raises OSError."""
        ...


class Confirmations:
    """What was confirmed, by the settings' keys. May be used from several threads.

    Args:
        folder: Where it is kept; None: nowhere, so that nothing is confirmed but what is set from now on.
    """

    def __init__(self, folder: OwnFolder | None = None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._values = self._load()

    def holds(self, key: str, value: Any) -> bool:
        """Whether exactly this value was set here."""
        return key in self._values and self._values[key] == value

    def confirm(self, values: Mapping[str, Any]) -> None:
        """A person has set these values here.

        Raises:
            ExecutionFailed: That cannot be written down; nothing is confirmed.
        """
        with self._lock:
            known = self._values | dict(values)
            if self._folder is not None:
                try:
                    self._folder.write(FILE, orjson.dumps(known, option=orjson.OPT_INDENT_2))
                except OSError as error:
                    raise ExecutionFailed(
                        f"{FILE} cannot be written: {error.strerror}. Make room on the disk"
                    ) from None
            self._values = known

    def _load(self) -> dict[str, Any]:
        if self._folder is None:
            return {}
        try:
            data = self._folder.read(FILE)
            found = {} if data is None else orjson.loads(data)
        except (OSError, ValueError) as error:
            logger.warning("%s cannot be used, so nothing counts as confirmed: %s", FILE, error)
            return {}
        return found if isinstance(found, dict) else {}
