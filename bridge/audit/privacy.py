"""What of a record may be logged: nothing secret, and of the rest what the privacy settings allow."""

from typing import Any

import re2

from bridge.audit.anonymous import without_paths
from bridge.audit.vault_names import VaultNames
from bridge.policy.redaction import Secrets, redact
from bridge.settings.model import Settings

MAX_FILES = 1_000
"""Files of one change that its record lists; the journal knows all."""

NOT_LOGGED = "[NOT LOGGED]"

_QUOTED = re2.compile(r"\"[^\"]*\"|'[^']*'")


def loggable(
    record: dict[str, Any],
    settings: Settings,
    sensitive: frozenset[str],
    secrets: Secrets | None,
    names: VaultNames,
) -> dict[str, Any]:
    """The record without secrets, bounded, and as the privacy settings have it.

    Args:
        record: JSON, or nearly.
        settings: As they are now.
        sensitive: Names of parameters whose values must not be logged, besides the usual ones.
        secrets: The bridge's own secrets, such as its tokens.
        names: Of the vault's notes, files and folders.
    """
    shown = _redacted(record, sensitive, secrets)
    if not settings.log_parameter_values:
        shown = without_values(shown)
    return without_paths(shown, names) if settings.anonymize_log else shown


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
