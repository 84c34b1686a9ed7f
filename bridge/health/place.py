"""The vault's folder and the disk it is on."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bridge.contract.discovery import STATE_FOLDER
from bridge.health.finding import Finding
from bridge.vault.paths import unsafe_name

LOW, EMPTY = 1024 * 1024 * 1024, 50 * 1024 * 1024
"""Free bytes below which a disk is nearly full, and below which writing is about to fail."""
WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
NEARLY = 0.8
_MARK = ".obsidian"
MOST_NAMED = 10
"""Files that are named for one reason; all of them are counted."""


def check_vault(vault: Path) -> Iterator[Finding]:
    """Check whether the folder is there and can be used."""
    if not vault.is_dir():
        yield Finding("vault", "fail", f"{vault} is not a folder", "Name the vault's folder with --vault")
    elif not os.access(vault, os.R_OK | os.X_OK):
        yield Finding("vault", "fail", "The vault cannot be read", f"Give yourself the right to read {vault}")
    elif not os.access(vault, os.W_OK):
        yield Finding("vault", "fail", "The vault cannot be written", f"Give yourself the right to write to {vault}")
    elif not (vault / _MARK).is_dir():
        yield Finding(
            "vault", "warn", f"{vault} has no {_MARK} folder", "Open it once as a vault in Obsidian, if it is meant"
        )
    else:
        yield Finding("vault", "ok", str(vault))


def check_nesting(vault: Path) -> Iterator[Finding]:
    """Check whether one vault lies in another: both would serve and watch the same notes."""
    outer = [folder for folder in vault.parents if (folder / _MARK).is_dir()]
    inner = [folder for folder in _folders(vault) if folder != vault and (folder / _MARK).is_dir()]
    for other, where in ((outer, "lies in the vault"), (inner, "holds the vault")):
        if other:
            yield Finding(
                "nesting", "warn", f"The vault {where} {other[0]}", "Serve one of the two, or move one out of the other"
            )
    if not outer and not inner:
        yield Finding("nesting", "ok", "No vault in a vault")


def check_space(vault: Path) -> Iterator[Finding]:
    """Check whether there is space for changes, their backups and the log."""
    free = shutil.disk_usage(vault).free
    room = f"{free / 1024**3:.1f} GB free" if free >= LOW else f"{free / 1024**2:.0f} MB free"
    if free < EMPTY:
        yield Finding("space", "fail", f"The disk is full: {room}", "Make room on the disk that holds the vault")
    elif free < LOW:
        yield Finding("space", "warn", f"The disk is nearly full: {room}", "Make room on the disk that holds the vault")
    else:
        yield Finding("space", "ok", room)


def check_case(vault: Path) -> Iterator[Finding]:
    """Check whether the disk distinguishes upper and lower case."""
    mark = next((name for name in (_MARK, STATE_FOLDER) if (vault / name).is_dir()), None)
    if mark is None:
        yield Finding("case", "ok", "Not known whether the disk tells upper from lower case")
    elif (vault / mark.upper()).exists():
        yield Finding("case", "ok", "The disk takes 'A.md' and 'a.md' for one file; the bridge takes care of that")
    else:
        yield Finding("case", "ok", "The disk tells upper from lower case")


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
        yield Finding(
            "watches",
            "fail" if folders > limit else "warn",
            f"The vault has {folders} folders, and this user may watch {limit} in all",
            f"Raise the limit: `sudo sysctl fs.inotify.max_user_watches={max(524_288, folders * 4)}`",
        )
    else:
        yield Finding("watches", "ok", f"Folders to watch: {folders}, of {limit:,} allowed")


def _folders(vault: Path) -> Iterator[Path]:
    """Yield the vault's folders, without what is in dot-folders."""
    for folder, names, _ in os.walk(vault):
        names[:] = [name for name in names if not name.startswith(".")]
        yield Path(folder)
