"""What a log, an export or an error may hold of any value: JSON, of bounded size, without secrets."""

import enum
import math
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import islice
from typing import Any

from bridge.policy.secrets import REDACTED, Secrets, hide_secrets, is_sensitive

MAX_TEXT = 2_000
"""Characters of one string."""
MAX_DEPTH = 12
"""Containers inside containers."""
MAX_MEMBERS = 200
"""Members of one object or array."""
MAX_VALUES = 5_000
"""Values of the whole."""
MAX_CHARACTERS = 40_000
"""Characters of the whole that are searched for secrets; strings after them are only measured."""

_SCANNED = 8_192
"""Characters past the cut that are searched too: a key may begin before the cut and end after it."""
_LONGEST_NAME = 64
"""Characters at the end of a member's name that say whether it is sensitive; names are remembered, so not whole."""
_SAFE_INTEGER = 2**63
"""Integers from here on are written as text: not every JSON reader can hold them."""


def redact(value: Any, sensitive: frozenset[str] = frozenset(), secrets: Secrets | None = None) -> Any:
    """A copy that may be logged.

    Members with sensitive names and key-like strings become `[REDACTED]`; long strings, deep and large structures are
    cut, with a note that says so; what is not JSON is named by its type.

    Args:
        value: Anything.
        sensitive: Names of members whose values are secret, besides the usual ones; case and separators do not count.
        secrets: Secrets of our own.
    """
    return _Redaction(sensitive, secrets).value(value, MAX_DEPTH)


def redact_text(text: str, secrets: Secrets | None = None) -> str:
    """The text without secrets and lone surrogates, cut after 2,000 characters with a note of its length."""
    if len(text) <= MAX_TEXT:
        return hide_secrets(_valid(text), secrets)
    shown = hide_secrets(_valid(text[: MAX_TEXT + _SCANNED]), secrets)
    if len(text) > MAX_TEXT + _SCANNED:
        # What was searched may end with the beginning of a key, too short to be recognised.
        shown = shown[:-MAX_TEXT]
    return f"{shown[:MAX_TEXT]}… [{len(text):,} characters]"


class _Redaction:
    """One walk over a value, with what is left of its budget."""

    def __init__(self, sensitive: frozenset[str], secrets: Secrets | None) -> None:
        self._sensitive = sensitive
        self._secrets = secrets
        self._values = MAX_VALUES
        self._characters = MAX_CHARACTERS

    def value(self, value: Any, depth: int) -> Any:
        """The value as JSON may hold it."""
        self._values -= 1
        if isinstance(value, enum.Enum):
            value = value.value
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple | set | frozenset):
            return self._sequence(value, len(value), depth)
        if isinstance(value, str):
            return self._text(value)
        return _scalar(value)

    def _text(self, text: str) -> str:
        if self._characters <= 0:
            return f"[{len(text):,} characters]"
        self._characters -= min(len(text), MAX_TEXT + _SCANNED)
        return redact_text(text, self._secrets)

    def _mapping(self, members: Mapping[Any, Any], depth: int) -> Any:
        if depth == 0 or self._values <= 0:
            return f"[{len(members):,} members]"
        kept: dict[str, Any] = {}
        for key, member in islice(members.items(), MAX_MEMBERS):
            name = key if isinstance(key, str) else str(_scalar(key))
            secret = is_sensitive(name[-_LONGEST_NAME:], self._sensitive)
            kept[self._text(name)] = REDACTED if secret else self.value(member, depth - 1)
        if len(members) > MAX_MEMBERS:
            kept["…"] = f"[{len(members) - MAX_MEMBERS:,} more members]"
        return kept

    def _sequence(self, items: Iterable[Any], count: int, depth: int) -> Any:
        if depth == 0 or self._values <= 0:
            return f"[{count:,} items]"
        kept = [self.value(item, depth - 1) for item in islice(items, MAX_MEMBERS)]
        if count > MAX_MEMBERS:
            kept.append(f"[{count - MAX_MEMBERS:,} more items]")
        return kept


def _scalar(value: Any) -> Any:
    """What is neither text nor container."""
    shown: Any
    match value:
        case None | bool():
            shown = value
        case int():
            shown = int(value) if abs(value) < _SAFE_INTEGER else f"[integer of {value.bit_length()} bits]"
        case float():
            shown = float(value) if math.isfinite(value) else str(float(value))
        case bytes() | bytearray() | memoryview():
            shown = f"[{len(value):,} bytes]"
        case date():
            shown = value.isoformat()
        case _:
            shown = f"[{type(value).__name__}]"
    return shown


def _valid(text: str) -> str:
    """The text with lone surrogates, which UTF-8 cannot hold, written as escapes; of a subclass, a plain string."""
    text = text[:]
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
