"""The change plan: everything a write will do, decided before anyone is asked, immutable, with a digest.

What the person approves is the digest of this; what the ledger applies is this. `PlanBuilder` makes one step by step,
with the hashes, staged bytes, previews and missing folders. See `docs/architecture.md`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal, Protocol

import orjson

from bridge.contract.consent import FilePreview, Operation
from bridge.errors import InvalidParameters, NotFound
from bridge.vault.compare import Region
from bridge.vault.diff import Diff, unified_diff
from bridge.vault.paths import VaultPath


class ChangeKind(StrEnum):
    """What happens to one path. A folder's move or delete is written out as its folders and files."""

    CREATE = "create"
    MODIFY = "modify"
    MOVE = "move"
    DELETE = "delete"
    MKDIR = "mkdir"
    RMDIR = "rmdir"


Disposal = Literal["system", "local"]
"""Where deleted files go: the system's trash, or the vault's own folder `.trash` (rule 77 of docs/obsidian.md)."""


def content_hash(data: bytes | memoryview) -> str:
    """The hash by which bytes are named: sha256, in hex.

    Args:
        data: All of them.
    """
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


def preview(
    change: Change, old: bytes | None, new: bytes | None, regions: Sequence[Region] | None = None
) -> FilePreview:
    """What a person is shown of one change.

    Args:
        change: The change.
        old: The bytes before; None when there are none, or when they stay.
        new: The bytes after; None when there are none, or when they stay.
        regions: Where they differ, when that is known.
    """
    shown = Diff("", 0, 0, truncated=False)
    if old is not None or new is not None:
        shown = unified_diff(
            old or b"",
            new or b"",
            old_path=None if old is None else change.path,
            new_path=None if new is None else change.new_path or change.path,
            regions=regions,
        )
    return FilePreview(
        path=change.path,
        change=change.kind.value,
        new_path=change.new_path,
        added=shown.added,
        removed=shown.removed,
        diff=shown.text,
        truncated=shown.truncated,
    )


class Closable(Protocol):
    """A folder that is held open."""

    def close(self) -> None:
        """Let it go."""
        ...


class Folders(Protocol):
    """Where plans look for folders: a vault."""

    def folder(self, path: VaultPath, /) -> Closable:
        """The folder at this path. Raises NotFound when there is none."""
        ...


class PlanBuilder:
    """A plan being built. Paths are as `VaultRoot.resolve` and `resolve_new` give them.

    Steps are kept in the order they are added; a path is changed at most once.

    Args:
        root: The vault, which is only looked at.
    """

    def __init__(self, root: Folders) -> None:
        self._root = root
        self._changes: list[Change] = []
        self._previews: list[FilePreview] = []
        self._blobs: dict[str, bytes] = {}
        self._folders: set[VaultPath] = set()
        self._touched: set[VaultPath] = set()
        self._there: set[VaultPath] = set()
        self._arrived: set[VaultPath] = set()
        self._afterwards: list[Change] = []

    def modify(self, path: VaultPath, old: bytes, new: bytes, regions: Sequence[Region] | None = None) -> None:
        """Change a file's bytes. Nothing is planned when they stay the same.

        Args:
            path: The file.
            old: Its bytes now.
            new: Its bytes afterwards.
            regions: Where they differ, when that is known (`apply_edits` returns it), so that nothing else is compared.
        """
        before, after = content_hash(old), content_hash(new)
        if before == after:
            return
        self._claim(path)
        self._blobs[after] = new
        change = Change(ChangeKind.MODIFY, str(path), before=before, after=after)
        self._add(change, preview(change, old, new, regions))

    def create(self, path: VaultPath, new: bytes) -> None:
        """Create a file, and the folders that are missing above it.

        Args:
            path: Where it will be.
            new: Its bytes.
        """
        self._claim(path)
        self._make_parents(path)
        after = content_hash(new)
        self._blobs[after] = new
        change = Change(ChangeKind.CREATE, str(path), after=after)
        self._add(change, preview(change, None, new))

    def move(
        self, path: VaultPath, new_path: VaultPath, digest: str, edited: tuple[bytes, bytes] | None = None
    ) -> None:
        """Move a file, and create the folders that are missing above its new place. Its bytes may change too.

        A file that was moved may be moved once more, from where it went: so a folder gets another spelling.

        Args:
            path: Where it is.
            new_path: Where it goes.
            digest: The hash of its bytes.
            edited: Its bytes now and afterwards, when they change. One preview shows both the move and the edit.
        """
        if path not in self._arrived:
            self._claim(path)
        self._claim(new_path)
        self._arrived.add(new_path)
        self._make_parents(new_path)
        change = Change(ChangeKind.MOVE, str(path), str(new_path), before=digest, after=digest)
        self._add(change, preview(change, *(edited or (None, None))))
        if edited is not None and edited[0] != edited[1]:
            after = content_hash(edited[1])
            self._blobs[after] = edited[1]
            self._afterwards.append(Change(ChangeKind.MODIFY, str(new_path), before=digest, after=after))

    def delete(self, path: VaultPath, old: bytes) -> None:
        """Delete a file.

        Args:
            path: The file.
            old: Its bytes now.
        """
        self._claim(path)
        change = Change(ChangeKind.DELETE, str(path), before=content_hash(old))
        self._add(change, preview(change, old, None))

    def mkdir(self, path: VaultPath) -> None:
        """Create a folder, and those that are missing above it.

        Args:
            path: Where it will be.
        """
        self._make_parents(path)
        if path not in self._folders:
            self._claim(path)
            self._make(path)

    def rmdir(self, path: VaultPath) -> None:
        """Remove a folder, which the steps before have emptied.

        Args:
            path: The folder.
        """
        if path not in self._folders:
            self._claim(path)
        change = Change(ChangeKind.RMDIR, str(path))
        self._add(change, preview(change, None, None))

    def build(self, operation: Operation, summary: str, warnings: Sequence[str] = ()) -> ChangePlan:
        """The plan.

        Args:
            operation: What the plan as a whole is.
            summary: One sentence for the person.
            warnings: What the diff does not show.

        Raises:
            InvalidParameters: There is nothing to do.
        """
        if not self._changes:
            raise InvalidParameters("Nothing would change: the file already has exactly this content")
        return ChangePlan(
            operation=operation,
            summary=summary,
            changes=(*self._changes, *self._afterwards),
            blobs=self._blobs,
            previews=tuple(self._previews),
            warnings=tuple(warnings),
        )

    def _claim(self, path: VaultPath) -> None:
        if path in self._touched:
            raise InvalidParameters(f"{str(path)!r} would be changed twice in one call; put its changes into one")
        self._touched.add(path)

    def _add(self, change: Change, shown: FilePreview) -> None:
        self._changes.append(change)
        self._previews.append(shown)

    def _make_parents(self, path: VaultPath) -> None:
        for parent in path.parents:
            if parent in self._folders or parent in self._there:
                continue
            if self._is_there(parent):
                self._there.add(parent)
            else:
                self._make(parent)

    def _is_there(self, path: VaultPath) -> bool:
        try:
            self._root.folder(path).close()
        except NotFound:
            return False
        return True

    def _make(self, path: VaultPath) -> None:
        self._folders.add(path)
        change = Change(ChangeKind.MKDIR, str(path))
        self._add(change, preview(change, None, None))
