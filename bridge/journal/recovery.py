"""A change that was interrupted is finished or taken back."""

from dataclasses import dataclass
from typing import Literal

from bridge.errors import InvalidParameters, PermissionDenied
from bridge.journal.backups import Backups
from bridge.journal.folder_cache import FolderCache
from bridge.journal.journal_records import Begin
from bridge.journal.rollback import roll_back
from bridge.journal.unfinished import Unfinished
from bridge.vault.root import VaultRoot


@dataclass(frozen=True, slots=True)
class Mended:
    """How an interrupted change ended.

    Attributes:
        outcome: `conflicted` when it could be taken back only in part.
        message: What a person should know; None when there is nothing.
    """

    outcome: Literal["done", "rolled_back", "conflicted"]
    message: str | None = None


def take_back(begin: Begin, attempted: int | None, root: VaultRoot, backups: Backups) -> Mended:
    """Take back a change that failed in this very process.

    Args:
        begin: The change.
        attempted: The number of the step that failed; None when all had been carried out.
        root: The vault.
        backups: Where what was pushed aside is.

    Raises:
        OSError: The disk is full or failed. It can be tried again, with `mend`.
        ToolFailure: The same, said by the vault.
    """
    with FolderCache(root) as folders:
        unfinished = Unfinished(begin, folders, backups, attempted)
        return _taken_back(unfinished, roll_back(unfinished))


def mend(begin: Begin, root: VaultRoot, backups: Backups) -> Mended:
    """Deal with a change that an earlier process left unfinished.

    It is completed if only the mark is missing, and taken back otherwise. Arguments and errors are as of `take_back`.
    """
    with FolderCache(root) as folders:
        try:
            unfinished = Unfinished(begin, folders, backups)
        except (InvalidParameters, PermissionDenied):
            told = (
                f"The interrupted change {begin.execution_id} names paths that are closed to tools; it was left alone"
            )
            return Mended("conflicted", told)
        if not unfinished.is_whole():
            return _taken_back(unfinished, roll_back(unfinished))
        unfinished.complete()
        if not begin.keep:
            backups.remove(begin.execution_id)
        return Mended("done", _message(begin, [], unfinished.saved))


def _taken_back(unfinished: Unfinished, left: list[str]) -> Mended:
    conflicted = left or unfinished.saved
    return Mended("conflicted" if conflicted else "rolled_back", _message(unfinished.begin, left, unfinished.saved))


def _message(begin: Begin, left: list[str], saved: list[str]) -> str | None:
    """What a person should know when someone else wrote to the same files."""
    told = []
    if left:
        files = ", ".join(map(repr, left))
        told.append(f"{files} had been edited meanwhile or could not be put back, and were left as they are")
    if saved:
        told.append(f"bytes that had no other place were kept as {', '.join(map(repr, saved))}")
    if not told:
        return None
    backup = Backups.shown(begin.execution_id)
    return f"The change {begin.execution_id} was interrupted: {'; '.join(told)}. Look into {backup!r} for those bytes"
