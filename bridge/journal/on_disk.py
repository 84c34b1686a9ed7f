"""Access to the disk: folders held while they are used, files by their hash, and the hidden files of a step."""

import errno
import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AbstractContextManager

from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import VaultRoot, record_look

_MOST_HELD = 32
"""A process may have only so many descriptors (256 on macOS), and a plan may touch thousands of folders."""


class FolderCache(AbstractContextManager["FolderCache"]):
    """Folders of the vault, opened when first asked for. Use it in `with`.

    Links are not followed: a plan names the real places, and what was approved must not be led elsewhere since.

    Args:
        root: The vault.
    """

    def __init__(self, root: VaultRoot) -> None:
        self._root = root
        self._held: OrderedDict[VaultPath, Folder] = OrderedDict()

    def parent(self, path: str) -> tuple[Folder, str]:
        """Return the folder that holds a path, and the path's name in it. Good until the next call.

        Raises:
            NotFound: The folder is not there.
            PermissionDenied: It is closed to tools.
        """
        record_look(path)
        place = parse_path(path)
        return self.folder(place.parent), place.name

    def inside(self, path: str) -> Folder:
        """Return the folder that a path names; the vault itself when it is empty. Raises what `parent` raises."""
        record_look(path)
        return self.folder(parse_path(path) if path else VaultPath.root())

    def folder(self, path: VaultPath) -> Folder:
        """Return a folder by its path. Good until the next call. Raises what `parent` raises."""
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

    def __exit__(self, *_error: object) -> None:
        self.close()


OTHER = "other"
"""Stands for the hash of what is no regular file: never what anybody expects."""
_NOT_REGULAR = {errno.ELOOP, errno.EISDIR, errno.ENXIO}
TOGETHER = 32
"""From so many new files on, they are made durable together, if the system has one call for that."""
_WHOLE = 1 << 20
"""Up to this many bytes a file is read in one go."""


def file_hash(folder: Folder, name: str) -> tuple[str, os.stat_result]:
    """Return the sha256 of a regular file, in hex, and the state of the very file that was hashed.

    Raises:
        OSError: It is not there, no regular file, or cannot be read.
    """
    data, state = folder.read_with_state(name, limit=_WHOLE)
    if len(data) < _WHOLE:
        return hashlib.sha256(data).hexdigest(), state
    digest = hashlib.sha256()
    with folder.open(name) as file:
        while piece := file.read(_WHOLE):
            digest.update(piece)
        return digest.hexdigest(), os.fstat(file.fileno())


def hash_or_none(folder: Folder, name: str) -> str | None:
    """Return the sha256 of a file, `OTHER` for a link, a folder or a device, and None when nothing has the name.

    Raises:
        OSError: It cannot be read.
    """
    try:
        return file_hash(folder, name)[0]
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _NOT_REGULAR:
            return OTHER
        raise


def part_name(execution_id: str, step: int) -> str:
    """Return the name under which a step writes new bytes."""
    return f".vault-bridge-{execution_id}-{step}.part"


def swap_name(execution_id: str, step: int) -> str:
    """Return the name that a step exchanges with the old file, or moves it to."""
    return f".vault-bridge-{execution_id}-{step}.swap"


def free_back_name(folder: Folder, execution_id: str) -> str:
    """Return a name for a file on its way back that nothing in the folder has."""
    number = 0
    while folder.exists(f".vault-bridge-{execution_id}-{number}.back"):
        number += 1
    return f".vault-bridge-{execution_id}-{number}.back"


def find_hidden(folder: Folder, execution_id: str) -> Iterator[tuple[str, int, str]]:
    """Yield the hidden files of a change in a folder: the name, its number and its kind."""
    prefix = f".vault-bridge-{execution_id}-"
    for name in sorted(folder.names()):
        if name.startswith(prefix):
            number, _, suffix = name.removeprefix(prefix).partition(".")
            if number.isdecimal() and suffix in {"part", "swap", "back"}:
                yield name, int(number), suffix
