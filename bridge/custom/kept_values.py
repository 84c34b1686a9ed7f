"""What browser tools keep between their runs: texts under keys, for each tool apart, in a bounded file."""

import hashlib
from typing import Any, Final

from bridge.errors import InvalidParameters
from bridge.records.folder import RecordFolder
from bridge.records.store import RecordStore

MOST_KEYS: Final = 1000
LARGEST: Final = 1 << 20
"""Bytes that one tool may keep."""


class KeptValues:
    """Blocks where it reads or writes.

    Args:
        folder: The user's folder for this vault.
    """

    def __init__(self, folder: RecordFolder) -> None:
        self._folder = folder

    def do(self, tool: str, operation: str, key: str | None, value: str | None) -> Any:
        """Do one thing.

        Args:
            tool: Whose values.
            operation: `get`, `set`, `remove`, `clear` or `keys`.
            key: Which value; none for `clear` and `keys`.
            value: What to set.

        Returns:
            The value for `get`, None where there is none; the keys for `keys`; else None.

        Raises:
            InvalidParameters: A key or a value is missing, or there would be too much.
            ExecutionFailed: The disk is full or failed.
        """
        held = self._load(tool)
        if operation == "keys":
            return list(held)
        if operation == "clear":
            return self._save(tool, {}) if held else None
        if key is None:
            raise InvalidParameters(f"The storage needs a key to {operation}")
        if operation == "get":
            return held.get(key)
        if operation == "remove":
            return self._save(tool, {known: held[known] for known in held if known != key}) if key in held else None
        if value is None:
            raise InvalidParameters("The storage keeps texts: give a value")
        return self._save(tool, {**held, key: value})

    def forget(self, tool: str) -> None:
        """A tool is gone. Raises ExecutionFailed."""
        if self._load(tool):
            self._save(tool, {})

    def _load(self, tool: str) -> dict[str, str]:
        return self._store(tool).load({})

    def _save(self, tool: str, held: dict[str, str]) -> None:
        store = self._store(tool)
        try:
            size = len(store.encoded(held))
        except ValueError:
            raise InvalidParameters("What is kept must be text without half characters (lone surrogates)") from None
        if len(held) > MOST_KEYS or size > LARGEST:
            raise InvalidParameters(f"A tool can keep {MOST_KEYS:,} values and {LARGEST:,} bytes; remove some")
        store.load({})  # a damaged file is copied before it is replaced
        store.save(held)

    def _store(self, tool: str) -> RecordStore[dict[str, str]]:
        """Return the file of a tool. It belongs to the tool alone, which begins anew where it is damaged."""
        return RecordStore(self._folder, _file(tool), dict[str, str], replace_damaged=True)


def _file(tool: str) -> str:
    """Names differ in more than their case here, on every disk."""
    return f"{hashlib.sha256(tool.encode()).hexdigest()[:32]}.json"
