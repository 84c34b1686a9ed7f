"""Warnings about a change before a person agrees: files that are marked read-only, and files without a backup."""

import stat
from collections.abc import Iterator
from typing import Final

from bridge.errors import ToolFailure
from bridge.vault.paths import known_path
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.vault.root import VaultRoot

NAMED: Final = 5
"""Read-only files that are named; the others are only counted."""

NO_BACKUP: Final = "No backup is kept, so this cannot be undone"

_LOSES = frozenset({ChangeKind.MODIFY, ChangeKind.DELETE})


def needs_backup(plan: ChangePlan) -> bool:
    """Return whether undoing a plan needs bytes that it replaces or deletes."""
    return any(change.kind in _LOSES for change in plan.changes)


def read_only_warnings(root: VaultRoot, plan: ChangePlan) -> Iterator[str]:
    """Yield a sentence for each file that a plan changes, moves or deletes although it is marked read-only.

    Such a mark keeps editors from writing into a file; it does not keep anyone from putting another in its place.

    Args:
        root: The vault.
        plan: The change.
    """
    found = [change.path for change in plan.changes if not change.of_folder and _is_read_only(root, change.path)]
    for path in found[:NAMED]:
        yield f"{path!r} is marked read-only"
    if rest := len(found[NAMED:]):
        yield f"{rest:,} more files are marked read-only"


def _is_read_only(root: VaultRoot, path: str) -> bool:
    try:
        with root.find(known_path(path)) as place:
            return not place.state.st_mode & stat.S_IWUSR
    except (ToolFailure, OSError):
        return False  # it is not there yet, or cannot be looked at: then the change will fail by itself
