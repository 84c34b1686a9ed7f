"""Requests from the bridge to a host that can `dirty` and `write`, and the answers (`docs/protocol.md`)."""

from typing import Literal

from bridge.contract.base import Time, Wire


class DirtyQuestion(Wire):
    """The request `host.dirty`: which of these files are open in an editor, and which of those are unsaved?"""

    paths: tuple[str, ...]


class DirtyAnswer(Wire):
    """The files of the question that are open, and those of them with text that is not on disk yet."""

    open: tuple[str, ...]
    unsaved: tuple[str, ...]


class HostWrite(Wire):
    """One file that is open in an editor. `expected` is the sha256 of the bytes as they are, in hex."""

    path: str
    expected: str
    content: str


class WriteQuestion(Wire):
    """The request `host.write`: write these, if they hold what is expected, and never after `expires_at`."""

    changes: tuple[HostWrite, ...]
    expires_at: Time


WriteOutcome = Literal["written", "stale", "unsaved", "missing", "failed"]
"""`written`; or nothing was: the file held something else, an editor holds text that is not saved, there is no such
file, or the host could not write."""


class WriteResult(Wire):
    """The outcome of writing one file."""

    path: str
    outcome: WriteOutcome


class WriteAnswer(Wire):
    """One result for each change of the question."""

    results: tuple[WriteResult, ...]


class TrashQuestion(Wire):
    """The request `host.trash`: put these where the user's deleted files go (as Obsidian is set)."""

    paths: tuple[str, ...]


TrashOutcome = Literal["trashed", "missing", "failed"]


class TrashResult(Wire):
    """The outcome of moving one file to the trash."""

    path: str
    outcome: TrashOutcome


class TrashAnswer(Wire):
    """One result for each path of the question."""

    results: tuple[TrashResult, ...]
