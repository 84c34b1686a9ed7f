"""Editors in which files of the vault may be open: the port through which the ledger reaches Obsidian.

Who reads a file, changes it and writes it to disk races with an editor that holds its text. So a file that is open is
written by the editor's own program, and one with text that is not saved yet is not written at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bridge.contract.host_requests import TrashOutcome, WriteOutcome
from bridge.errors import Conflict, DeadlineExceeded, ToolFailure
from bridge.vault.plan import ChangeKind, ChangePlan

_TOUCHES = {ChangeKind.MODIFY, ChangeKind.DELETE, ChangeKind.MOVE}


@dataclass(frozen=True, slots=True)
class OpenFiles:
    """Which files are open, and which of those hold text that is not on disk yet."""

    open: frozenset[str] = frozenset()
    unsaved: frozenset[str] = frozenset()


class Editors(Protocol):
    """A program with editors, if one is connected. Called from worker threads; every wait is bounded."""

    @property
    def connected(self) -> bool:
        """Whether one is there. Costs nothing."""
        ...

    def look(self, paths: Sequence[str]) -> OpenFiles:
        """Which of these files are open; none when nobody is connected any more.

        Raises:
            DeadlineExceeded: It is connected and gave no answer.
        """
        ...

    def write(self, path: str, expected: str, text: str) -> WriteOutcome | None:
        """Write a file, if its bytes have the expected hash.

        Returns:
            What became of it; None when nobody said, so that it may or may not have been written.
        """
        ...

    def trash(self, paths: Sequence[str]) -> Mapping[str, TrashOutcome] | None:
        """Put files where the user's deleted files go; None when nobody said what became of them."""
        ...


class NoEditors:
    """Nothing is connected, ever."""

    connected = False

    def look(self, paths: Sequence[str]) -> OpenFiles:
        """Nothing is open."""
        del paths
        return OpenFiles()

    def write(self, path: str, expected: str, text: str) -> WriteOutcome | None:
        """Nobody writes."""
        del path, expected, text
        return None

    def trash(self, paths: Sequence[str]) -> Mapping[str, TrashOutcome] | None:
        """Nobody takes anything away."""
        del paths
        return None


def touched(plan: ChangePlan) -> tuple[str, ...]:
    """The files whose text a plan changes, moves or removes."""
    return tuple(dict.fromkeys(change.path for change in plan.changes if change.kind in _TOUCHES))


def unsaved_warnings(plan: ChangePlan, editors: Editors) -> Iterator[str]:
    """What a person should know of open editors before they answer."""
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
    """What is open of a plan's files, when nothing of it is unsaved.

    Raises:
        Conflict: A file has text that is not saved yet (`stale`), or nobody knows whether it has (`busy`).
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
    """An editor has newer text than the disk."""
    return Conflict(
        f"{path!r} is open in Obsidian with text that is not saved yet, so nothing was written; "
        "wait some seconds until Obsidian has saved it, read it again and retry",
        code="stale",
        data={"path": path, "unsaved": True},
    )
