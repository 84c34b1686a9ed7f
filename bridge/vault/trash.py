"""Deleted files, which go to the system's trash, or to the vault's `.trash` (rule 77 of docs/obsidian.md).

The system's trash is reached through send2trash, which takes an absolute path and so trusts every name on the way
to it. So the path is checked first: it must lead to the very folder that is held open.
"""

import errno
import os
from collections.abc import Callable, Iterator

from send2trash import send2trash

from bridge.vault.folder import Folder
from bridge.vault.paths import MAX_NAME_BYTES, VaultPath
from bridge.vault.root import VaultRoot

LOCAL_TRASH = ".trash"

Trasher = Callable[[str], None]
"""Puts a file or folder, by its absolute path, into the system's trash. It may raise whatever it likes."""


def system_trash(path: str) -> None:
    """Put a file or folder into the system's trash, from which the desktop can restore it to its place.

    Args:
        path: Its absolute path.
    """
    send2trash(path)


def real_path(root: VaultRoot, folder: Folder, name: str) -> str:
    """Return the absolute path of a name in a folder that is held open, for programs that know no held folders.

    Args:
        root: The vault.
        folder: The folder, found without following links.
        name: The name in it.

    Raises:
        OSError: That path leads to another folder or file by now (`ESTALE`), or to nothing.
    """
    where = root.path.joinpath(*folder.path.parts)
    same_way = os.path.realpath(where) == str(where)
    path = where / name
    if not same_way or not os.path.samestat(path.lstat(), folder.stat(name)):
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), name)
    return str(path)


def local_trash(root: VaultRoot) -> Folder:
    """Return the vault's own trash, held open; made when missing, as Obsidian would make it.

    Args:
        root: The vault.

    Raises:
        OSError: It is a link or no folder, or cannot be made.
    """
    with root.folder(VaultPath.root()) as top:
        try:
            return top.child(LOCAL_TRASH)
        except FileNotFoundError:
            top.mkdir(LOCAL_TRASH)
            top.sync()
            return top.child(LOCAL_TRASH)


def put_into(folder: Folder, name: str, trash: Folder) -> str:
    """Move a file or folder into the vault's own trash, in one step of the system.

    Everything lies there side by side, whatever folder it came from. What has a name that is taken gets a number, as
    files do in Obsidian: `Note.md`, `Note 1.md`, `Note 2.md`. (How Obsidian itself names them there is not documented.)

    Args:
        folder: The folder it is in.
        name: Its name there.
        trash: Where it goes.

    Returns:
        Its name in the trash.

    Raises:
        OSError: It could not be moved, and is where it was.
    """
    is_folder = _is_folder(folder, name)
    for candidate in _names(name, whole=is_folder):
        try:
            folder.move_new(name, trash, candidate)
        except FileExistsError:
            continue
        return candidate
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)


def _is_folder(folder: Folder, name: str) -> bool:
    try:
        folder.child(name).close()
    except OSError:
        return False
    return True


def _names(name: str, *, whole: bool) -> Iterator[str]:
    """Yield the name, then the name with a number before its extension."""
    yield name
    stem, dot, extension = ("", "", "") if whole else name.rpartition(".")
    if not stem:
        stem, dot, extension = name, "", ""
    for number in range(1, 100_000):
        tail = f" {number}{dot}{extension}"
        room = MAX_NAME_BYTES - len(tail.encode())
        yield stem.encode()[:room].decode("utf-8", "ignore") + tail
