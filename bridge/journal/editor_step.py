"""The step of a plan that an editor carries out: a file that is open is written by the program that has it open.

The plan is in the journal already and the old bytes are in the backups, as with every other step. Whatever the
program says of what it did, the disk is asked: only the new bytes there mean that the step is done.
"""

import os
import time
from collections import Counter
from collections.abc import Callable

from bridge.contract.host_requests import WriteOutcome
from bridge.errors import DeadlineExceeded
from bridge.journal.backups import Backups
from bridge.journal.editors import Editors, refuse_unsaved, unsaved
from bridge.journal.file_hash import hash_or_none
from bridge.journal.preconditions import stale
from bridge.vault.folder import Folder
from bridge.vault.plan import Change, ChangePlan, content_hash
from bridge.vault.text import BOM

SETTLE_SECONDS = 2.0
"""How long the disk may take to show what an editor wrote."""
_LOOK_SECONDS = 0.01
LARGEST = 2 << 20
"""Bytes of a file that go through an editor. A larger file has no text unsaved, and is written on disk."""

_NOT_WRITTEN: set[WriteOutcome | None] = {"stale", "unsaved", "missing", "failed"}


class EditorStep:
    """One plan's dealings with open editors.

    Args:
        editors: Who has files open.
        plan: The plan.
        backups: Where old bytes are kept.
        execution_id: The change.

    Raises:
        Conflict: A file has text in an editor that is not saved yet; nothing has been done.
    """

    def __init__(self, editors: Editors, plan: ChangePlan, backups: Backups, execution_id: str) -> None:
        self._editors = editors
        self._backups = backups
        self._id = execution_id
        opened = refuse_unsaved(plan, editors).open
        # An editor knows a file by its path, which must not be one that a step before gave to another file.
        steps = Counter(path for change in plan.changes for path in (change.path, change.new_path) if path in opened)
        self._ours = {path for path, count in steps.items() if count == 1}

    def write(self, change: Change, folder: Folder, name: str, keep: str | None, new: bytes) -> bool:
        """Have a file written by the editor it is open in.

        Args:
            change: The step, a `modify`.
            folder: The folder that the file is in.
            name: Its name there.
            keep: The path under which its old bytes are to be kept; None when they are kept already.
            new: The new bytes.

        Returns:
            Whether it was; otherwise nothing has been done, and the step is to be carried out on disk.

        Raises:
            Conflict: The file is neither as it was nor as it should be, or has text that is not saved yet.
            OSError: The disk is full or failed.
        """
        if change.path not in self._ours or not _is_plain(new):
            return False
        try:
            old = folder.read(name, limit=LARGEST + 1)
        except FileNotFoundError:
            raise stale(change.path, gone=True) from None
        if not _is_plain(old):
            return False
        if content_hash(old) != change.before:
            raise stale(change.path)
        if keep is not None:
            self._backups.copy(folder, name, self._id, keep)
        outcome = self._editors.write(change.path, change.before, new.decode())
        now = _settled(lambda: hash_or_none(folder, name), change, outcome)
        if now == change.after:
            _make_durable(folder, name)
            return True
        if keep is not None and (now == change.before or outcome in _NOT_WRITTEN):
            self._backups.drop(self._id, keep)  # nothing was replaced
        self._explain(change, outcome, now)
        return False

    def _explain(self, change: Change, outcome: WriteOutcome | None, now: str | None) -> None:
        """Raise, unless the file is as it was and may be written on disk."""
        if outcome == "unsaved":
            raise unsaved(change.path)
        if now != change.before or outcome in {"stale", "written"}:
            raise stale(change.path, gone=now is None)
        try:
            if change.path in self._editors.look([change.path]).unsaved:
                raise unsaved(change.path)
        except DeadlineExceeded:
            return  # when it was asked before, nothing was unsaved


def _settled(look: Callable[[], str | None], change: Change, outcome: WriteOutcome | None) -> str | None:
    """The hash of what is on disk, once it shows what the editor did."""
    patience = time.monotonic() + SETTLE_SECONDS
    while (now := look()) != change.after and time.monotonic() < patience:
        if outcome in _NOT_WRITTEN or (outcome is None and now == change.before):
            break
        time.sleep(_LOOK_SECONDS)
    return now


def _is_plain(data: bytes) -> bool:
    """Whether an editor gives these bytes back as they are: UTF-8 without a byte order mark, and not too many."""
    if len(data) > LARGEST or data.startswith(BOM) or b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _make_durable(folder: Folder, name: str) -> None:
    """The editor's program does not sync what it writes. Windows has no way to for a file that is open for reading."""
    if os.name == "posix":
        with folder.open(name) as file:
            folder.disk.fsync(file.fileno())
