"""The bridge's own folder in the vault: settings, permissions, journal, log."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson

from bridge.audit.files import FOLDER as LOGS
from bridge.audit.files import NAME as LOG
from bridge.consent.permission_file import FILE as PERMISSIONS
from bridge.consent.permission_file import PermissionFileFault, parse_permissions
from bridge.contract.discovery import STATE_FOLDER
from bridge.health.finding import Finding
from bridge.journal.journal import NAME as JOURNAL
from bridge.journal.journal import BeginRecord, JournalRecord, OutcomeRecord, decode
from bridge.settings.file import SettingsFault, parse, unknown
from bridge.settings.model import no_effect
from bridge.settings.store import BROKEN
from bridge.settings.store import FILE as SETTINGS

TOLERANCE = timedelta(minutes=5)
"""By how much clocks may differ."""
OLDEST = datetime(2025, 1, 1, tzinfo=UTC)
"""No clock that is right shows an earlier time."""
_TAIL = 256 * 1024


def check_folder(vault: Path) -> Iterator[Finding]:
    """Check whether `.vault-bridge` is a real folder for this user only."""
    folder = vault / STATE_FOLDER
    try:
        state = folder.lstat()
    except FileNotFoundError:
        yield Finding("state", "ok", f"No {STATE_FOLDER} yet; the first start makes it")
        return
    if not stat.S_ISDIR(state.st_mode):
        remedy = f"Remove {folder}: the bridge makes a real folder in its place"
        yield Finding("state", "fail", f"{STATE_FOLDER} is a link or a file, so backups are not safe in it", remedy)
    elif hasattr(os, "geteuid") and state.st_uid != os.geteuid():
        remedy = f"Make it yours: `sudo chown -R $USER {folder}`"
        yield Finding("state", "fail", f"{STATE_FOLDER} belongs to another user", remedy)
    elif os.name == "posix" and stat.S_IMODE(state.st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        mode = stat.S_IMODE(state.st_mode)
        remedy = f"Close it: `chmod 700 {folder}`"
        yield Finding("state", "fail", f"Other users can look into {STATE_FOLDER} (mode {mode:o})", remedy)
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield Finding("state", "fail", f"{STATE_FOLDER} cannot be written", f"`chmod 700 {folder}`")
    else:
        yield Finding("state", "ok", f"{STATE_FOLDER} is a folder of yours alone")


def check_settings(vault: Path) -> Iterator[Finding]:
    """Check whether the settings can be used, and whether unusable ones have been set aside."""
    file = vault / STATE_FOLDER / SETTINGS
    kept = sorted(path.name for path in file.parent.glob(f"{BROKEN}*"))
    if kept:
        what = f"Settings that could not be used are kept as {', '.join(kept)}"
        yield Finding(
            "settings", "warn", what, f"Correct what you need of them with `settings set`, then delete {kept[0]}"
        )
    try:
        values = parse(file.read_bytes())
    except FileNotFoundError:
        yield Finding("settings", "ok", "All settings have their defaults")
    except (OSError, SettingsFault) as error:
        yield Finding("settings", "fail", f"{SETTINGS} cannot be used: {error}", f"Correct {file}, or delete it")
    else:
        if ignored := unknown(values):
            what = f"Keys that are no settings do nothing: {', '.join(ignored)}"
            yield Finding("settings", "warn", what, f"Remove or correct them in {file}")
        elif not kept:
            idle = no_effect(values)
            also = f"; no effect in this version: {', '.join(idle)}" if idle else ""
            yield Finding("settings", "ok", f"Settings that differ from their defaults: {len(values)}{also}")


def check_permissions(vault: Path) -> Iterator[Finding]:
    """Check whether the permission file can be used."""
    file = vault / STATE_FOLDER / PERMISSIONS
    try:
        codes = parse_permissions(file.read_bytes())
    except FileNotFoundError:
        yield Finding("permissions", "ok", "Nothing is allowed or denied for good")
    except (OSError, PermissionFileFault) as error:
        yield Finding("permissions", "fail", f"{PERMISSIONS} cannot be used: {error}", f"Correct {file}, or delete it")
    else:
        yield Finding("permissions", "ok", f"{len(codes)} entries")


def check_journal(vault: Path) -> Iterator[Finding]:
    """Check whether a change was interrupted, and whether the journal can be read."""
    lines, damaged = _journal(vault)
    if damaged:
        what = f"{damaged} lines of the journal cannot be read"
        yield Finding("journal", "warn", what, "The changes in them cannot be undone; nothing else is lost")
    ended = {line.execution_id for line in lines if isinstance(line, OutcomeRecord)}
    unfinished = [
        line.execution_id for line in lines if isinstance(line, BeginRecord) and line.execution_id not in ended
    ]
    if unfinished:
        what = f"A change is not finished: {', '.join(unfinished)}"
        yield Finding("journal", "warn", what, "If no bridge runs, start one: it takes it back whole or completes it")
    elif not damaged:
        yield Finding("journal", "ok", f"Changes: {sum(isinstance(line, BeginRecord) for line in lines)}, all finished")


def check_clock(vault: Path) -> Iterator[Finding]:
    """Check whether the clock is right, as far as earlier records can tell."""
    now = datetime.now(UTC)
    times = [line.time for line in _journal(vault)[0]] + _logged(vault)
    newest = max((datetime.fromisoformat(time) for time in times), default=now)
    if now < OLDEST:
        yield Finding("clock", "fail", f"The clock says {now:%Y-%m-%d}", "Set the clock of this machine")
    elif newest > now + TOLERANCE:
        what = f"The journal or the log has a time in the future: {newest:%Y-%m-%d %H:%M} UTC"
        yield Finding("clock", "warn", what, "Set the clock of this machine; grants and logs go by it")
    else:
        yield Finding("clock", "ok", f"{now:%Y-%m-%d %H:%M} UTC")


def _journal(vault: Path) -> tuple[list[JournalRecord], int]:
    """Return the journal's readable records, and the number of damaged lines. An unended last line is being written."""
    file = vault / STATE_FOLDER / "journal" / JOURNAL
    found: list[JournalRecord] = []
    damaged = 0
    if file.is_file():
        with file.open("rb") as stream:
            for data in stream:
                try:
                    found.append(decode(data))
                except ValueError:
                    damaged += data.endswith(b"\n") and bool(data.strip())
    return found, damaged


def _logged(vault: Path) -> list[str]:
    """Return the times of the log's last records."""
    file = vault / STATE_FOLDER / LOGS / LOG
    if not file.is_file():
        return []
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - _TAIL))
        lines = stream.read().splitlines()[-100:]
    times = []
    for line in lines:
        try:
            times.append(orjson.loads(line)["timestamp"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            continue
    return times
