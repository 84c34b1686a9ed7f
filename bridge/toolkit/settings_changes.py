"""What changed between two states of the settings, for the log: key by key, and never a secret."""

import threading
from collections.abc import Callable
from typing import Any

from bridge.settings.model import Settings
from bridge.toolkit.actor import current_actor


class SettingsChanges:
    """Hears of every change of the settings, and tells what it was and whose.

    Args:
        current: The settings as they are now.
        note: Writes a record of a kind.
    """

    def __init__(self, current: Settings, note: Callable[[str, dict[str, Any]], None]) -> None:
        self._current = current
        self._note = note
        self._lock = threading.Lock()

    def changed(self, settings: Settings) -> None:
        """The settings are these now."""
        with self._lock:
            before, self._current = self._current, settings
        if differences := changes(before, settings):
            self._note("settings", {"by": current_actor.get(), "changes": differences})


def changes(before: Settings, after: Settings) -> dict[str, dict[str, Any]]:
    """`{key: {from, to}}` for each key that differs. Of encrypted keys only the names are told."""
    old, new = before.to_wire(), after.to_wire()
    return {
        (field.alias or name): {"from": old[field.alias or name], "to": new[field.alias or name]}
        for name, field in Settings.model_fields.items()
        if getattr(before, name) != getattr(after, name)
    }
