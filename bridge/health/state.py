"""The vault's folder and its disk, the bridge's own folder in it, and the kept content of files changed by others."""

import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from bridge.audit.files import FOLDER as LOGS
from bridge.audit.files import NAME as LOG
from bridge.clock import moment_of
from bridge.consent.permission_file import FILE as PERMISSIONS
from bridge.consent.permission_file import PermissionFileFault, parse_permissions
from bridge.contract.discovery import STATE_FOLDER
from bridge.health.finding import Finding, LookedAtFolder
from bridge.journal.journal import NAME as JOURNAL
from bridge.journal.journal import BeginRecord, JournalRecord, OutcomeRecord, decode
from bridge.records.folder import place
from bridge.settings.model import Settings, no_effect
from bridge.settings.store import BROKEN, Confirmations, SettingsFault, in_force, parse, unconfirmed, unknown
from bridge.settings.store import FILE as SETTINGS
from bridge.vault.paths import unsafe_name
from bridge.vault.text import counted
from bridge.versions.database import NAME, Summary, summary_of

TOLERANCE = timedelta(minutes=5)
"""By how much clocks may differ."""
OLDEST = datetime(2025, 1, 1, tzinfo=UTC)
"""No clock that is right shows an earlier time."""
_TAIL = 256 * 1024
_MEGABYTE = 1 << 20
_FORGET = "`vault-bridge restore --forget-everything` throws it away and begins anew"
LOW, EMPTY = 1024 * _MEGABYTE, 50 * _MEGABYTE
"""Free bytes below which a disk is nearly full, and below which writing is about to fail."""
WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
NEARLY = 0.8
_MARK = ".obsidian"
MOST_NAMED = 10
"""Files that are named for one reason; all of them are counted."""


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
        cure = f"Correct what you need of them with `settings set`, then delete {kept[0]}"
        yield Finding("settings", "warn", what, cure)
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


def settings_of(vault: Path) -> tuple[Settings, list[str]]:
    """Return the settings in force and those only proposed in the vault; the defaults where its file cannot be used."""
    confirmations = Confirmations(LookedAtFolder(place(Path(vault).resolve(), kind="settings")))
    try:
        values = parse((vault / STATE_FOLDER / SETTINGS).read_bytes())
        return in_force(values, confirmations), unconfirmed(values, confirmations)
    except (OSError, SettingsFault):
        return Settings(), []  # `check_settings` says why


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
    begun = [line.execution_id for line in lines if isinstance(line, BeginRecord)]
    if unfinished := [execution_id for execution_id in begun if execution_id not in ended]:
        what = f"A change is not finished: {', '.join(unfinished)}"
        yield Finding("journal", "warn", what, "If no bridge runs, start one: it takes it back whole or completes it")
    elif not damaged:
        yield Finding("journal", "ok", f"Changes: {len(begun)}, all finished")


def check_clock(vault: Path) -> Iterator[Finding]:
    """Check whether the clock is right, as far as earlier records can tell."""
    now = datetime.now(UTC)
    newest = max(_moments([line.time for line in _journal(vault)[0]] + _logged(vault)), default=now)
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


def _moments(times: list[Any]) -> Iterator[datetime]:
    """Yield those that are times with a zone: the files may have been changed by others."""
    for time in times:
        with suppress(ValueError, TypeError):
            yield moment_of(time)


def _logged(vault: Path) -> list[Any]:
    """Return the times of the log's last records."""
    file = vault / STATE_FOLDER / LOGS / LOG
    if not file.is_file():
        return []
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - _TAIL))
        lines = stream.read().splitlines()[-100:]
    times = []
    for line in lines:
        with suppress(orjson.JSONDecodeError, KeyError, TypeError):
            times.append(orjson.loads(line)["timestamp"])
    return times


def check_vault(vault: Path) -> Iterator[Finding]:
    """Check whether the folder is there and can be used."""
    if not vault.is_dir():
        yield Finding("vault", "fail", f"{vault} is not a folder", "Name the vault's folder with --vault")
    elif not os.access(vault, os.R_OK | os.X_OK):
        yield Finding("vault", "fail", "The vault cannot be read", f"Give yourself the right to read {vault}")
    elif not os.access(vault, os.W_OK):
        yield Finding("vault", "fail", "The vault cannot be written", f"Give yourself the right to write to {vault}")
    elif not (vault / _MARK).is_dir():
        cure = "Open it once as a vault in Obsidian, if it is meant"
        yield Finding("vault", "warn", f"{vault} has no {_MARK} folder", cure)
    else:
        yield Finding("vault", "ok", str(vault))


def check_nesting(vault: Path) -> Iterator[Finding]:
    """Check whether one vault lies in another: both would serve and watch the same notes."""
    outer = [folder for folder in vault.parents if (folder / _MARK).is_dir()]
    inner = [folder for folder in _folders(vault) if folder != vault and (folder / _MARK).is_dir()]
    cure = "Serve one of the two, or move one out of the other"
    for other, where in ((outer, "lies in the vault"), (inner, "holds the vault")):
        if other:
            yield Finding("nesting", "warn", f"The vault {where} {other[0]}", cure)
    if not outer and not inner:
        yield Finding("nesting", "ok", "No vault in a vault")


def check_space(vault: Path) -> Iterator[Finding]:
    """Check whether there is space for changes, their backups and the log."""
    free = shutil.disk_usage(vault).free
    room = f"{free / 1024**3:.1f} GB free" if free >= LOW else f"{free / 1024**2:.0f} MB free"
    if free >= LOW:
        yield Finding("space", "ok", room)
    else:
        what = f"The disk is {'full' if free < EMPTY else 'nearly full'}: {room}"
        yield Finding("space", "fail" if free < EMPTY else "warn", what, "Make room on the disk that holds the vault")


def check_case(vault: Path) -> Iterator[Finding]:
    """Check whether the disk distinguishes upper and lower case."""
    mark = next((name for name in (_MARK, STATE_FOLDER) if (vault / name).is_dir()), None)
    what = "It is not known whether the disk distinguishes upper and lower case"
    if mark is not None:
        one = "The disk takes 'A.md' and 'a.md' for one file; the bridge takes care of that"
        what = one if (vault / mark.upper()).exists() else "The disk distinguishes upper and lower case"
    yield Finding("case", "ok", what)


def check_names(vault: Path) -> Iterator[Finding]:
    """Check whether there are files and folders that no tool can see, because of their names or where they lead."""
    unseen: dict[str, list[str]] = {}
    for folder, names, files in os.walk(vault):
        for name in sorted([*names, *files]):
            if reason := _unseen(vault, Path(folder, name)):
                unseen.setdefault(reason, []).append(Path(folder, name).relative_to(vault).as_posix())
        names[:] = [name for name in names if not name.startswith(".") and unsafe_name(name) is None]
    for reason, paths in sorted(unseen.items()):
        named = ", ".join(map(repr, paths[:MOST_NAMED]))
        more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
        yield Finding("names", "warn", f"No tool can see what {reason}: {named}{more}", "Rename it, if agents should")
    if not unseen:
        yield Finding("names", "ok", "Tools can see every file that is not hidden")


def _unseen(vault: Path, place: Path) -> str | None:
    """Return why no tool can see something that is not hidden; None when they can."""
    if place.name.startswith("."):
        return None
    if unsafe_name(place.name) is not None:
        return "has such a name, which not every system can have"
    if place.is_symlink() and not Path(os.path.realpath(place)).is_relative_to(os.path.realpath(vault)):
        return "is a link that leads out of the vault"
    if not (place.is_file() or place.is_dir()):
        return "is no file or folder, or a link that leads nowhere"
    return None


def check_watches(vault: Path) -> Iterator[Finding]:
    """Check whether Linux lets all folders of the vault be watched."""
    if not sys.platform.startswith("linux") or not WATCHES.exists():
        yield Finding("watches", "ok", "This system has no limit of folders to watch")
        return
    limit = int(WATCHES.read_text(encoding="ascii"))
    folders = sum(1 for _ in _folders(vault))
    if folders > limit * NEARLY:
        what = f"The vault has {folders} folders, and this user may watch {limit} in all"
        cure = f"Raise the limit: `sudo sysctl fs.inotify.max_user_watches={max(524_288, folders * 4)}`"
        yield Finding("watches", "fail" if folders > limit else "warn", what, cure)
    else:
        yield Finding("watches", "ok", f"Folders to watch: {folders}, of {limit:,} allowed")


def _folders(vault: Path) -> Iterator[Path]:
    """Yield the vault's folders, without what is in dot-folders."""
    for folder, names, _ in os.walk(vault):
        names[:] = [name for name in names if not name.startswith(".")]
        yield Path(folder)


def check_outside_changes(vault: Path) -> Iterator[Finding]:
    """Check whether other programs' changes are recorded, for how many files content is kept, and in how much space."""
    settings, _ = settings_of(vault)
    file = place(Path(os.path.realpath(vault)), kind="versions") / NAME
    if not settings.outside_versions:
        yield Finding("outside changes", "ok", "What other programs change is not recorded: outsideVersions is off")
        return
    if not file.exists():
        yield Finding("outside changes", "ok", "Nothing is recorded yet; the first start begins")
        return
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        what = "Other users can read what files were before other programs changed them"
        yield Finding("outside changes", "fail", what, f"Close it: `chmod 600 {file}`")
        return
    try:
        kept = summary_of(file)
    except sqlite3.Error as error:
        what = f"What is kept of other programs' changes is unusable: {error}"
        yield Finding("outside changes", "fail", what, _FORGET)
        return
    size = sum(one.stat().st_size for one in file.parent.glob(f"{NAME}*")) / _MEGABYTE
    yield _finding(kept, size, settings.outside_versions_megabytes)


def _finding(kept: Summary, size: float, budget: int) -> Finding:
    what = (
        f"Kept: {counted(kept.entries, 'change')} by other programs, in {size:.1f} of {budget} MB; "
        f"the bytes of {kept.whole} of {kept.files} files"
    )
    if size > budget * 0.75 and kept.whole < kept.files:
        remedy = "More space: `vault-bridge settings set outsideVersionsMegabytes 1000`; or leave folders out"
        return Finding("outside changes", "warn", what, remedy)
    return Finding("outside changes", "ok", what)
