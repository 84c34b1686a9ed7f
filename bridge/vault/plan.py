"""The change plan: everything a write will do, decided before anyone is asked, immutable, with a digest.

What the person approves is the digest of this; what the ledger applies is this. See `docs/architecture.md`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal

import orjson

from bridge.contract.consent import FilePreview, Operation


class ChangeKind(StrEnum):
    """What happens to one path. A folder's move or delete is written out as its folders and files."""

    CREATE = "create"
    MODIFY = "modify"
    MOVE = "move"
    DELETE = "delete"
    MKDIR = "mkdir"
    RMDIR = "rmdir"


Disposal = Literal["system", "local"]
"""Where deleted files go: the system's trash, or the vault's own folder `.trash` (Obsidian's words, rule 77)."""


def content_hash(data: bytes | memoryview) -> str:
    """The name of some bytes: sha256, in hex."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Change:
    """One step of a plan. Steps are applied in order; a later step sees what an earlier one did.

    Attributes:
        kind: What happens.
        path: Where, vault-relative, as spelled on disk.
        new_path: Where to, of a move.
        before: Hash of the bytes it starts from (modify, move, delete).
        after: Hash of the bytes it ends with (create, modify, move; a move keeps its bytes).
    """

    kind: ChangeKind
    path: str
    new_path: str | None = None
    before: str | None = None
    after: str | None = None

    def canonical(self) -> list[str | None]:
        """The form the digest is over."""
        return [self.kind.value, self.path, self.new_path, self.before, self.after]


@dataclass(frozen=True)
class ChangePlan:
    """A list of changes that happens wholly or not at all.

    Attributes:
        operation: create, update or delete: what the plan as a whole is.
        summary: One sentence for the person, such as `Edit Notes/Meeting.md: 3 lines changed`.
        changes: The steps, in order.
        blobs: The staging area: the new bytes, by their hash.
        previews: What to show of each change.
        warnings: What the diff does not show.
        reversal: Whether the plan takes an earlier change back or repeats it. Not part of the digest.
        reverses: That change's execution id. Not part of the digest.
        disposal: Where what is deleted goes, of a plan that does nothing but delete; None when it only stays in the
            backups.
        linked_from: Of a plan that deletes, how many notes link to what goes, where that is known. Not part of the
            digest.
    """

    operation: Operation
    summary: str
    changes: tuple[Change, ...]
    blobs: Mapping[str, bytes] = field(repr=False)
    previews: tuple[FilePreview, ...] = ()
    warnings: tuple[str, ...] = ()
    reversal: Literal["undo", "redo"] | None = None
    reverses: str | None = None
    disposal: Disposal | None = None
    linked_from: int | None = None

    @cached_property
    def digest(self) -> str:
        """`sha256:` over the canonical form of the changes, and of where they put what they delete."""
        form: list[list[str | None]] = [change.canonical() for change in self.changes]
        if self.disposal is not None:
            form.append(["disposal", self.disposal])
        return "sha256:" + content_hash(orjson.dumps(form))

    @property
    def targets(self) -> tuple[str, ...]:
        """Every path the plan touches, in order, once."""
        paths = [path for change in self.changes for path in (change.path, change.new_path) if path]
        return tuple(dict.fromkeys(paths))
