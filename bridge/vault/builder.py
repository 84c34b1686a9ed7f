"""Build a change plan step by step: hashes, staged bytes, previews and the folders that are missing come from here."""

from collections.abc import Sequence
from typing import Protocol

from bridge.contract.consent import FilePreview, Operation
from bridge.errors import InvalidParameters, NotFound
from bridge.vault.diff import preview
from bridge.vault.edits import Region
from bridge.vault.paths import VaultPath
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash


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
    """A plan in the making. Paths are as `VaultRoot.resolve` and `resolve_new` give them.

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
        """A file gets other bytes. Nothing is planned when they are the same.

        Args:
            path: The file.
            old: Its bytes now.
            new: Its bytes then.
            regions: Where they differ, when that is known (`apply_edits` tells), so that nothing else is compared.
        """
        before, after = content_hash(old), content_hash(new)
        if before == after:
            return
        self._claim(path)
        self._blobs[after] = new
        change = Change(ChangeKind.MODIFY, str(path), before=before, after=after)
        self._add(change, preview(change, old, new, regions))

    def create(self, path: VaultPath, new: bytes) -> None:
        """A file that did not exist, and the folders that are missing above it."""
        self._claim(path)
        self._make_parents(path)
        after = content_hash(new)
        self._blobs[after] = new
        change = Change(ChangeKind.CREATE, str(path), after=after)
        self._add(change, preview(change, None, new))

    def move(self, path: VaultPath, new_path: VaultPath, data: bytes) -> None:
        """A file gets another place, and the folders that are missing above it; its bytes stay.

        Args:
            path: Where it is.
            new_path: Where it goes.
            data: Its bytes.
        """
        self.relocate(path, new_path, content_hash(data))

    def relocate(
        self, path: VaultPath, new_path: VaultPath, digest: str, edited: tuple[bytes, bytes] | None = None
    ) -> None:
        """A file gets another place, and the folders that are missing above it; perhaps other bytes there, too.

        A file that was relocated may be relocated once more, from where it went: so a folder gets another spelling.

        Args:
            path: Where it is.
            new_path: Where it goes.
            digest: The hash of its bytes.
            edited: Its bytes now and then, when they change. One preview shows both the move and the edit.
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
        """A file goes.

        Args:
            path: The file.
            old: Its bytes now.
        """
        self._claim(path)
        change = Change(ChangeKind.DELETE, str(path), before=content_hash(old))
        self._add(change, preview(change, old, None))

    def mkdir(self, path: VaultPath) -> None:
        """A folder that did not exist, and those that are missing above it."""
        self._make_parents(path)
        if path not in self._folders:
            self._claim(path)
            self._make(path)

    def rmdir(self, path: VaultPath) -> None:
        """A folder goes; the steps before have emptied it."""
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
