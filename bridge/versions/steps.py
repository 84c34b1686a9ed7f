"""The steps of a plan that brings files back. Bytes are put back whatever they are, text or not."""

from bridge.contract.consent import FilePreview, Operation
from bridge.errors import Conflict, NotFound
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash, preview

_OPERATIONS = {ChangeKind.CREATE: Operation.CREATE, ChangeKind.DELETE: Operation.DELETE}


class Steps:
    """A plan being put together.

    Args:
        files: The vault, which is only looked at.

    Attributes:
        changes: Its steps so far.
    """

    def __init__(self, files: VaultFiles) -> None:
        self._files = files
        self._previews: list[FilePreview] = []
        self._blobs: dict[str, bytes] = {}
        self._afterwards: list[Change] = []
        self._made: set[VaultPath] = set()
        self.changes: list[Change] = []

    def create(self, path: str, data: bytes) -> None:
        """A file that is to be there again, or anew. Raises Conflict where a file is in the place of its folder."""
        self._make_parents(path)
        self._blobs[content_hash(data)] = data
        self._add(Change(ChangeKind.CREATE, path, after=content_hash(data)), None, data)

    def modify(self, path: str, now: bytes, data: bytes) -> None:
        """A file that is to have other bytes."""
        self._blobs[content_hash(data)] = data
        self._add(Change(ChangeKind.MODIFY, path, before=content_hash(now), after=content_hash(data)), now, data)

    def delete(self, path: str, now: bytes) -> None:
        """A file that is to go."""
        self._add(Change(ChangeKind.DELETE, path, before=content_hash(now)), now, None)

    def move(self, path: str, new_path: str, now: bytes, data: bytes) -> None:
        """A file that is to be elsewhere, perhaps with other bytes.

        Raises:
            Conflict: A file is in the place of its folder.
        """
        self._make_parents(new_path)
        digest = content_hash(now)
        change = Change(ChangeKind.MOVE, path, new_path, before=digest, after=digest)
        if data == now:
            self._add(change, None, None)
        else:
            self._add(change, now, data)
            self._blobs[content_hash(data)] = data
            self._afterwards.append(Change(ChangeKind.MODIFY, new_path, before=digest, after=content_hash(data)))

    def plan(self, text: str, warnings: list[str]) -> ChangePlan:
        """The plan. There must be steps."""
        kinds = {change.kind for change in self.changes} - {ChangeKind.MKDIR}
        return ChangePlan(
            operation=_OPERATIONS.get(kinds.pop(), Operation.UPDATE) if len(kinds) == 1 else Operation.UPDATE,
            summary=text,
            changes=(*self.changes, *self._afterwards),
            blobs=self._blobs,
            previews=tuple(self._previews),
            warnings=tuple(warnings),
            restores=True,
        )

    def _add(self, change: Change, old: bytes | None, new: bytes | None) -> None:
        self.changes.append(change)
        self._previews.append(preview(change, old, new))

    def _make_parents(self, path: str) -> None:
        missing = [one for one in parse_path(path).parents if one not in self._made and not self._is_folder(one)]
        for parent in missing:
            if self._files.exists(parent):
                raise Conflict(f"there is a file now where its folder {str(parent)!r} was", code="exists")
        for parent in missing:
            self._made.add(parent)
            self._add(Change(ChangeKind.MKDIR, str(parent)), None, None)

    def _is_folder(self, path: VaultPath) -> bool:
        try:
            self._files.root.folder(path).close()
        except NotFound:
            return False
        return True
