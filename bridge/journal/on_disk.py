"""Access to the disk: folders held while they are used, files by their hash, the hidden files of a step, and backups.

Backups are the bytes as they were before a change: plain files that a person can copy back by hand, in
`.vault-bridge/backups/<execution id>/<path in the vault before the change>`. Where the disk allows, the file that was
pushed aside is itself moved there, so a backup costs no space and no copying, and keeps its times and permissions.
"""

import contextlib
import errno
import hashlib
import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Literal

from bridge.errors import ExecutionFailed
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import STATE_FOLDER, VaultRoot, record_look

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


def hidden_name(execution_id: str, number: int, kind: Literal["part", "swap", "back"]) -> str:
    """Return the name of a hidden file of a change.

    Args:
        execution_id: The change.
        number: The step that it is of, or any number for a file on its way back.
        kind: `part` for new bytes that are being written, `swap` for what changes places with the old file or is the
            old file taken out, `back` for a file on its way back.
    """
    return f".vault-bridge-{execution_id}-{number}.{kind}"


def free_back_name(folder: Folder, execution_id: str) -> str:
    """Return a name for a file on its way back that nothing in the folder has."""
    number = 0
    while folder.exists(hidden_name(execution_id, number, "back")):
        number += 1
    return hidden_name(execution_id, number, "back")


def find_hidden(folder: Folder, execution_id: str) -> Iterator[tuple[str, int, str]]:
    """Yield the hidden files of a change in a folder: the name, its number and its kind."""
    prefix = f".vault-bridge-{execution_id}-"
    for name in sorted(folder.names()):
        if name.startswith(prefix):
            number, _, suffix = name.removeprefix(prefix).partition(".")
            if number.isdecimal() and suffix in {"part", "swap", "back"}:
                yield name, int(number), suffix


_CHUNK = 1 << 20


class Backups:
    """All backups of one vault.

    Args:
        root: The vault.
    """

    def __init__(self, root: VaultRoot) -> None:
        self._root = root

    @staticmethod
    def shown(execution_id: str) -> str:
        """Return the folder of a change's backups, vault-relative with a final `/`."""
        return f"{STATE_FOLDER}/backups/{execution_id}/"

    def take(self, folder: Folder, name: str, execution_id: str, path: str, *, replace: bool = False) -> None:
        """Move a file into the backups, as what was at `path` before the change.

        Args:
            folder: The folder it is in.
            name: Its name there.
            execution_id: The change.
            path: The path it had before the change.
            replace: Whether a damaged backup of this path may be there, and is replaced.

        Raises:
            FileExistsError: There is a backup of this path already.
            OSError: It could not be moved, and is where it was.
            ExecutionFailed: The folder of the backups is none.
        """
        with self._place(execution_id, path) as (place, own_name):
            if replace and place.exists(own_name):
                place.unlink(own_name)
            try:
                folder.move_new(name, place, own_name)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                copy_durably(folder, name, place, own_name)
                folder.unlink(name)
                return
            # A file with a second name elsewhere may change under that name; the backup must not change with it.
            state = place.stat(own_name)
            if stat.S_ISREG(state.st_mode) and state.st_nlink > 1:
                spare = free_back_name(place, execution_id)
                copy_durably(place, own_name, place, spare)
                place.replace(spare, place, own_name)

    def copy(self, folder: Folder, name: str, execution_id: str, path: str, *, sync: bool = True) -> None:
        """Copy a file into the backups and make the copy durable. Raises what `take` raises.

        Args:
            folder: The folder it is in.
            name: Its name there.
            execution_id: The change.
            path: The path it had before the change.
            sync: Whether the copy is durable when this returns; otherwise `sync` must follow.
        """
        with self._place(execution_id, path) as (place, own_name):
            copy_durably(folder, name, place, own_name, sync=sync)
            if sync:
                place.sync()

    def sync(self) -> None:
        """Make all copies durable that were made without, if the system has one call for it."""
        with self._root.state() as state:
            state.disk.sync_all(state.handle())

    def drop(self, execution_id: str, path: str) -> None:
        """Remove one backup, because its file was not changed after all."""
        with contextlib.suppress(FileNotFoundError), self.open(execution_id, path) as (folder, name):
            folder.unlink(name)

    def hash(self, execution_id: str, path: str) -> str | None:
        """Return the hash of a backup; None when there is none."""
        with contextlib.suppress(FileNotFoundError), self.open(execution_id, path) as place:
            return hash_or_none(*place)
        return None

    def read(self, execution_id: str, path: str) -> bytes | None:
        """Return the bytes of a backup; None when there is none."""
        with contextlib.suppress(FileNotFoundError), self.open(execution_id, path) as (folder, name):
            return folder.read(name)
        return None

    def remove(self, execution_id: str) -> None:
        """Remove all backups of a change."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), contextlib.ExitStack() as held:
            state = held.enter_context(self._root.state())
            _remove_tree(held.enter_context(state.child("backups")), execution_id)

    @contextlib.contextmanager
    def open(self, execution_id: str, path: str) -> Iterator[tuple[Folder, str]]:
        """Provide the folder for the backup of a path, and the name in it.

        Raises:
            FileNotFoundError: There is no such folder.
        """
        with contextlib.ExitStack() as held:
            try:
                place = self._walk(held, execution_id, path, Folder.child)
            except NotADirectoryError as error:
                raise FileNotFoundError(*error.args) from error
            yield place

    @contextlib.contextmanager
    def _place(self, execution_id: str, path: str) -> Iterator[tuple[Folder, str]]:
        """Provide the same as `open`, making missing folders."""
        with contextlib.ExitStack() as held:
            try:
                place = self._walk(held, execution_id, path, Folder.child_made)
            except NotADirectoryError:
                raise ExecutionFailed(
                    f"'{STATE_FOLDER}/backups' in the vault is or holds a link, so backups would not be safe in it; "
                    "remove it"
                ) from None
            yield place

    def _walk(
        self, held: contextlib.ExitStack, execution_id: str, path: str, step: Callable[[Folder, str], Folder]
    ) -> tuple[Folder, str]:
        *parents, name = parse_path(path).parts
        folder = held.enter_context(self._root.state())
        for part in ("backups", execution_id, *parents):
            folder = held.enter_context(step(folder, part))
        return folder, name


def copy_durably(folder: Folder, name: str, to: Folder, to_name: str, *, sync: bool = True) -> None:
    """Copy a file with its permissions, a piece at a time; with `sync`, its bytes are durable when this returns.

    Raises:
        OSError: It could not be copied; nothing is left of the copy.
    """
    with folder.open(name) as source:
        mode = stat.S_IMODE(folder.stat(name).st_mode)
        pieces = (memoryview(piece) for piece in iter(lambda: source.read(_CHUNK), b""))
        try:
            to.create(to_name, pieces, mode=mode, sync=sync)
        except FileExistsError:
            raise
        except OSError:
            with contextlib.suppress(OSError):
                to.unlink(to_name)
            raise


def _remove_tree(folder: Folder, name: str) -> None:
    with folder.child(name) as inner:
        for entry in inner.entries():
            if entry.is_dir(follow_symlinks=False):
                _remove_tree(inner, entry.name)
            else:
                inner.unlink(entry.name)
    folder.rmdir(name)
