"""The kept content of files that other programs changed."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from bridge.contract.discovery import STATE_FOLDER
from bridge.errors import InvalidParameters
from bridge.health.finding import Finding
from bridge.records.folder import place
from bridge.settings.file import SettingsFault, parse
from bridge.settings.model import Settings
from bridge.settings.store import FILE as SETTINGS
from bridge.tools.formatting import counted
from bridge.versions.database import NAME, Summary, summary_of

MEGABYTE = 1 << 20
_FORGET = "`vault-bridge restore --forget-everything` throws it away and begins anew"


def check_outside_changes(vault: Path) -> Iterator[Finding]:
    """Check whether other programs' changes are recorded, for how many files content is kept, and in how much space."""
    settings = _settings(vault)
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
        yield Finding(
            "outside changes", "fail", f"What is kept of other programs' changes is unusable: {error}", _FORGET
        )
        return
    size = sum(one.stat().st_size for one in file.parent.glob(f"{NAME}*")) / MEGABYTE
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


def _settings(vault: Path) -> Settings:
    """Return the settings in the file; another check says where it cannot be used."""
    try:
        return Settings.parse(parse((vault / STATE_FOLDER / SETTINGS).read_bytes()))
    except (OSError, SettingsFault, InvalidParameters):
        return Settings()
