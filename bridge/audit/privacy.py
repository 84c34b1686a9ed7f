"""What of a record may be logged: nothing secret, and of the rest what the privacy settings allow."""

from collections.abc import Callable, Iterator
from typing import Any

import re2

from bridge.policy.redaction import Secrets, redact
from bridge.settings.model import Settings

MAX_FILES = 1_000
"""Files of one change that its record lists; the journal knows all."""

NOT_LOGGED = "[NOT LOGGED]"
HIDDEN_PATH = "[PATH]"

_OPEN = frozenset(
    (
        *("seq", "timestamp", "kind", "tool", "executionId", "callId", "userId", "client", "role", "by", "success"),
        *("duration", "outcome", "decision", "errorType", "code", "planDigest", "event", "retryAfter", "version"),
    )
)
"""Members of a record that are neither values nor paths."""

_PATH_NAMES = (
    *("path", "paths", "file", "files", "filename", "folder", "directory"),
    *("target", "targets", "note", "notename"),
)
"""What the names of members that hold paths end with, without case and separators."""

_QUOTED = re2.compile(r"\"[^\"]*\"|'[^']*'")
_QUOTED_PATH = re2.compile(r"\"[^\"]*[/\\.][^\"]*\"|'[^']*[/\\.][^']*'|`[^`]*[/\\.][^`]*`")
_PATH_LIKE = re2.compile(
    r"[^\s\"'`,;:()]*[/\\][^\s\"'`,;()]*|"
    r"[^\s\"'`,;:()]+\.(?i:md|canvas|base|pdf|txt|csv|json|ya?ml|html?|png|jpe?g|gif|svg|webp|mp[34]|docx?|js|ts|py)\b"
)


def loggable(
    record: dict[str, Any], settings: Settings, sensitive: frozenset[str], secrets: Secrets | None
) -> dict[str, Any]:
    """The record without secrets, bounded, and as the privacy settings have it.

    Args:
        record: JSON, or nearly.
        settings: As they are now.
        sensitive: Names of parameters whose values must not be logged, besides the usual ones.
        secrets: The bridge's own secrets, such as its tokens.
    """
    shown = _redacted(record, sensitive, secrets)
    if not settings.log_parameter_values:
        shown = without_values(shown)
    return without_paths(shown) if settings.anonymize_log else shown


def without_values(record: dict[str, Any]) -> dict[str, Any]:
    """The record with the names of parameters and of the result's members, and nothing that they hold."""
    kept = dict(record)
    for name in ("parameters", "result", "changes"):
        if name in kept:
            kept[name] = _names_only(kept[name])
    error = record.get("result", {}).get("error") if isinstance(record.get("result"), dict) else None
    if isinstance(error, str):
        # Messages quote what they are about; the rest says what went wrong.
        kept["result"]["error"] = _QUOTED.sub(NOT_LOGGED, error)
    return kept


def without_paths(record: dict[str, Any]) -> dict[str, Any]:
    """The record with every path, and everything that looks like one, replaced by `[PATH]`."""
    named = sorted({path for path in _paths(record, named=False) if len(path) > 1}, key=len, reverse=True)

    def hide(text: str) -> str:
        for path in named:
            text = text.replace(path, HIDDEN_PATH)
        return str(_PATH_LIKE.sub(HIDDEN_PATH, _QUOTED_PATH.sub(HIDDEN_PATH, text)))

    return {
        name: value if name in _OPEN else _walk(value, hide, named=_holds_path(name)) for name, value in record.items()
    }


def _redacted(record: dict[str, Any], sensitive: frozenset[str], secrets: Secrets | None) -> dict[str, Any]:
    files = record.get("files")
    shown: dict[str, Any] = redact(
        {name: value for name, value in record.items() if name != "files"}, sensitive, secrets
    )
    if isinstance(files, list | tuple):
        listed = [redact(file, secrets=secrets) for file in files[:MAX_FILES]]
        more = [f"[{len(files) - MAX_FILES:,} more files]"] if len(files) > MAX_FILES else []
        shown["files"] = listed + more
    return shown


def _names_only(value: Any) -> Any:
    if isinstance(value, dict):
        return dict.fromkeys(value, NOT_LOGGED)
    return None if value is None else NOT_LOGGED


def _paths(value: Any, *, named: bool) -> Iterator[str]:
    """Every text under a name that says it is a path."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _paths(member, named=_holds_path(name))
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, named=named)
    elif named and isinstance(value, str):
        yield value


def _walk(value: Any, hide: Callable[[str], str], *, named: bool) -> Any:
    if isinstance(value, dict):
        return {hide(name): _walk(member, hide, named=_holds_path(name)) for name, member in value.items()}
    if isinstance(value, list):
        return [_walk(item, hide, named=named) for item in value]
    if isinstance(value, str):
        return HIDDEN_PATH if named else hide(value)
    return value


def _holds_path(name: str) -> bool:
    return "".join(character for character in name.lower() if character.isalnum()).endswith(_PATH_NAMES)
