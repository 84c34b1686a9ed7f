"""The folders that one piece of work needs, each opened once and held while it is used."""

from collections import OrderedDict
from types import TracebackType
from typing import Self

from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import VaultRoot

_MOST_HELD = 32
"""A process may have only so many descriptors (256 on macOS), and a plan may touch thousands of folders."""


class FolderCache:
    """Folders of the vault, opened when first asked for. Use it in `with`.

    Links are not followed: a plan names the real places, and what was approved must not be led elsewhere since.

    Args:
        root: The vault.
    """

    def __init__(self, root: VaultRoot) -> None:
        self._root = root
        self._held: OrderedDict[VaultPath, Folder] = OrderedDict()

    def parent(self, path: str) -> tuple[Folder, str]:
        """The folder that holds a path, and the path's name in it. Good until the next call.

        Raises:
            NotFound: The folder is not there.
            PermissionDenied: It is closed to tools.
        """
        place = parse_path(path)
        return self.folder(place.parent), place.name

    def inside(self, path: str) -> Folder:
        """The folder that a path names; the vault itself when it is empty. Raises what `parent` raises."""
        return self.folder(parse_path(path) if path else VaultPath.root())

    def folder(self, path: VaultPath) -> Folder:
        """A folder by its path. Good until the next call. Raises what `parent` raises."""
        folder = self._held.get(path)
        if folder is None:
            if len(self._held) >= _MOST_HELD:
                self._held.popitem(last=False)[1].close()
            folder = self._held[path] = self._root.folder(path, follow=False)
        self._held.move_to_end(path)
        return folder

    def forget(self, path: str) -> None:
        """Let a folder go, because it was removed: its path may soon mean another."""
        folder = self._held.pop(parse_path(path), None)
        if folder is not None:
            folder.close()

    def close(self) -> None:
        """Let all folders go."""
        while self._held:
            self._held.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
