"""The settings of one vault on disk: `.vault-bridge/settings.json` holds what differs from the defaults."""

import threading
from collections.abc import Callable
from typing import Any

import orjson

from bridge.contract.consent import ConsentMode
from bridge.errors import InvalidParameters, StartError
from bridge.settings import Settings, merge, warnings
from bridge.vault.atomic import write_atomic
from bridge.vault.failures import explain
from bridge.vault.folder import Folder

FILE = "settings.json"


class SettingsStore:
    """Loads, changes and keeps the settings.

    Args:
        state: The vault's `.vault-bridge` folder, held open.

    Raises:
        StartError: When the file cannot be read or holds something it may not; the file is left as it is.
    """

    def __init__(self, state: Folder) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._listeners: list[Callable[[Settings], None]] = []
        self._values = self._load()
        self.current = self._parse_file(self._values)

    @property
    def is_new(self) -> bool:
        """Whether nobody has set anything yet: the moment to offer a preset."""
        return not self._values

    def on_change(self, listener: Callable[[Settings], None]) -> None:
        """Have `listener` told of every change."""
        self._listeners.append(listener)

    def update(self, patch: dict[str, Any]) -> tuple[Settings, list[str]]:
        """Merge a patch in deeply: all of it or nothing, validated as a whole, on disk before it is in force.

        Returns:
            The settings as they are then, and warnings about values that are risky.

        Raises:
            InvalidParameters: Naming the key and what is wrong with it.
            ExecutionFailed: The disk is full or failed; the old settings stay in force.
        """
        if "ollamaApiKey" in patch:
            raise InvalidParameters("'ollamaApiKey' is not a setting; store it encrypted with `keys.set`")
        if "encryptedKeys" in patch:
            raise InvalidParameters("'encryptedKeys' is not set by hand; use `keys.set`")
        with self._lock:
            return self._commit(merge(self._values, patch))

    def set_mode(self, tool: str, mode: ConsentMode | None) -> None:
        """Set one tool's consent mode; None goes back to the tool's default."""
        with self._lock:
            modes = {key: value for key, value in self._values.get("consentMode", {}).items() if key != tool}
            self._commit(self._values | {"consentMode": modes | ({tool: mode.value} if mode else {})})

    def reset(self, section: str | None = None) -> Settings:
        """Back to the defaults, of one section or of all.

        Raises:
            InvalidParameters: When there is no such section; it names those there are.
        """
        sections: dict[str, set[str]] = {}
        for name, field in Settings.model_fields.items():
            extra = field.json_schema_extra
            where = str(extra["section"]) if isinstance(extra, dict) else ""
            sections.setdefault(where, set()).add(field.alias or name)
        if section is not None and section not in sections:
            raise InvalidParameters(f"There is no section {section!r}. Sections: {', '.join(sections)}")
        with self._lock:
            dropped = set().union(*sections.values()) if section is None else sections[section]
            kept = {key: value for key, value in self._values.items() if key not in dropped}
            return self._commit(kept)[0]

    def _commit(self, values: dict[str, Any]) -> tuple[Settings, list[str]]:
        settings = Settings.parse(values)
        text = orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        try:
            write_atomic(self._state, FILE, text)
        except OSError as error:
            raise explain(error, f".vault-bridge/{FILE}") from error
        self._values, self.current = values, settings
        for listener in self._listeners:
            listener(settings)
        return settings, warnings(settings)

    def _load(self) -> dict[str, Any]:
        try:
            values = orjson.loads(self._state.read(FILE))
        except FileNotFoundError:
            return {}
        except (OSError, orjson.JSONDecodeError) as error:
            raise _broken(str(error)) from None
        if not isinstance(values, dict):
            raise _broken("it must hold a JSON object")
        return values

    @staticmethod
    def _parse_file(values: dict[str, Any]) -> Settings:
        try:
            return Settings.parse(values)
        except InvalidParameters as error:
            raise _broken(error.message) from None


def _broken(fault: str) -> StartError:
    return StartError(
        f"The settings cannot be used: {fault}",
        hint="Mend .vault-bridge/settings.json in the vault, or delete it to go back to the defaults.",
    )
