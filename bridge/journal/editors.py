"""Files that are open in an editor: the port through which the ledger reaches Obsidian, and the step it takes.

A program that reads a file, changes it and writes it to disk races with an editor that holds its text. So a file that
is open is written by the editor's own program, and one with text that is not saved yet is not written at all. The plan
is in the journal already and the old bytes are in the backups, as with every other step. Whatever the program says it
did, the disk is asked: only the new bytes there mean that the step is done.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from bridge.contract.hosts import TrashOutcome, WriteOutcome
from bridge.errors import Conflict, DeadlineExceeded, ToolFailure
from bridge.journal.on_disk import Backups, hash_or_none
from bridge.journal.preconditions import stale
from bridge.vault.folder import Folder
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash
from bridge.vault.text import BOM

_TOUCHES = {ChangeKind.MODIFY, ChangeKind.DELETE, ChangeKind.MOVE}


class OpenFiles(NamedTuple):
    """The open files, and those of them with text that is not on disk yet."""

    open: frozenset[str] = frozenset()
    unsaved: frozenset[str] = frozenset()


class Editors(Protocol):
    """A program with editors, if one is connected. Called from worker threads; every wait is bounded."""

    @property
    def connected(self) -> bool:
        """Return whether an editor is connected. Costs nothing."""
        ...

    def look(self, paths: Sequence[str]) -> OpenFiles:
        """Return which of these files are open; none if no editor is connected any more.

        Args:
            paths: Vault-relative.

        Raises:
            DeadlineExceeded: It is connected and gave no answer.
        """
        ...

    def write(self, path: str, expected: str, text: str) -> WriteOutcome | None:
        """Write a file, if its bytes have the expected hash.

        Args:
            path: Vault-relative.
            expected: The sha256, in hex, of the bytes that are to be replaced.
            text: The whole new text.

        Returns:
            What became of it; None when nobody said, so that it may or may not have been written.
        """
        ...

    def trash(self, paths: Sequence[str]) -> Mapping[str, TrashOutcome] | None:
        """Put files where the user's deleted files go.

        Returns:
            What became of each path; None when nobody said.
        """
        ...


class NoEditors:
    """The absence of editors: nothing is connected, ever."""

    connected = False

    def look(self, paths: Sequence[str]) -> OpenFiles:
        """Return that no file is open."""
        del paths
        return OpenFiles()

    def write(self, path: str, expected: str, text: str) -> WriteOutcome | None:
        """Return None: no editor writes."""
        del path, expected, text
        return None

    def trash(self, paths: Sequence[str]) -> Mapping[str, TrashOutcome] | None:
        """Return None: no editor deletes."""
        del paths
        return None


def touched(plan: ChangePlan) -> tuple[str, ...]:
    """Return the files whose text a plan changes, moves or removes."""
    return tuple(dict.fromkeys(change.path for change in plan.changes if change.kind in _TOUCHES))


def unsaved_warnings(plan: ChangePlan, editors: Editors) -> Iterator[str]:
    """Yield what a person should know about open editors before they answer.

    Args:
        plan: The plan in question.
        editors: The editors.

    Yields:
        One sentence for each file with text that is not saved, or one when Obsidian does not answer.
    """
    if not editors.connected or not (paths := touched(plan)):
        return
    try:
        unsaved = editors.look(paths).unsaved
    except ToolFailure:
        yield "Obsidian did not say whether these files hold text that is not saved yet"
        return
    for path in paths:
        if path in unsaved:
            yield (
                f"{path!r} is open in Obsidian with text that is not saved yet. That text is never overwritten: "
                "this change will be refused unless the text is as the change expects it"
            )


def refuse_unsaved(plan: ChangePlan, editors: Editors) -> OpenFiles:
    """Return which of a plan's files are open, unless one has unsaved text.

    Raises:
        Conflict: A file has text that is not saved yet (`stale`), or this cannot be found out (`busy`).
    """
    if not editors.connected or not (paths := touched(plan)):
        return OpenFiles()
    try:
        found = editors.look(paths)
    except DeadlineExceeded:
        raise Conflict(
            "Obsidian is connected but does not say which of the files hold text that is not saved yet, so nothing "
            "was written; try again, or ask the user to look at Obsidian",
            code="busy",
        ) from None
    for path in paths:
        if path in found.unsaved:
            raise unsaved(path)
    return found


def unsaved(path: str) -> Conflict:
    """Return the refusal because an editor has newer text than the disk."""
    return Conflict(
        f"{path!r} is open in Obsidian with text that is not saved yet, so nothing was written; "
        "wait some seconds until Obsidian has saved it, read it again and retry",
        code="stale",
        data={"path": path, "unsaved": True},
    )


SETTLE_SECONDS = 2.0
"""Time that the disk may take to show what an editor wrote."""
_LOOK_SECONDS = 0.01
LARGEST = 2 << 20
"""Bytes of a file that go through an editor. A larger file has no text unsaved, and is written on disk."""

_NOT_WRITTEN: set[WriteOutcome | None] = {"stale", "unsaved", "missing", "failed"}


class EditorStep:
    """One plan's dealings with open editors.

    Args:
        editors: Who has files open.
        plan: The plan.
        backups: The store for old bytes.
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
    """Return the hash of what is on disk, once it shows what the editor did."""
    patience = time.monotonic() + SETTLE_SECONDS
    while (now := look()) != change.after and time.monotonic() < patience:
        if outcome in _NOT_WRITTEN or (outcome is None and now == change.before):
            break
        time.sleep(_LOOK_SECONDS)
    return now


def _is_plain(data: bytes) -> bool:
    """Return whether an editor keeps these bytes exactly: UTF-8 without a byte order mark, and not too large."""
    if len(data) > LARGEST or data.startswith(BOM) or b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _make_durable(folder: Folder, name: str) -> None:
    """Sync a file, which the editor's program does not do. Windows has no way to, for a file opened for reading."""
    if os.name == "posix":
        with folder.open(name) as file:
            folder.disk.fsync(file.fileno())
