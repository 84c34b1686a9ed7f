"""The files of a vault, read: the only way in which tools look at the disk. Only the ledger (`journal/`) writes.

A folder with everything in it (`subtree`) is had wholly or not at all: what a walk would skip must not be deleted
unseen.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import Enum
from operator import attrgetter
from typing import BinaryIO, NamedTuple

from bridge.errors import InvalidParameters, NotFound, PermissionDenied, ToolFailure
from bridge.vault.disk import as_failure, folder_given, is_link, special_file_given
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, unsafe_name
from bridge.vault.root import OpenPlace, VaultRoot, record_look

_CHUNK = 1 << 20
HAS_CHANGE_TIME = os.name == "posix"
"""Whether `st_ctime` is the time of the last change; on Windows it is the time of creation."""
_EARLIEST, _LATEST = -(1 << 63), (1 << 63) - 1
"""Times that can be kept and shown: of 1677 to 2262. Some disks take others, which are then one of these two."""
_HELD = 32
_PASSED_OVER = {errno.EACCES, errno.EPERM, errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE}
"""The errors of a folder that may not be read, or has become a link or disappeared; a walk goes on without it."""


class FileStat(NamedTuple):
    """The state of a file on disk.

    Attributes:
        path: Its path, as spelled on disk.
        size: Bytes.
        mtime_ns: Time when its bytes last changed, in nanoseconds since 1970.
        mode: Its permissions, without the kind of file.
        created_ns: When it was created, if the disk knows that; else the earlier of the two other times.
        changed_ns: When anything about it changed last, its name and permissions too; 0 if the disk does not know.
    """

    path: VaultPath
    size: int
    mtime_ns: int
    mode: int
    created_ns: int = 0
    changed_ns: int = 0

    @property
    def modified(self) -> datetime:
        """Return when its bytes last changed, in UTC."""
        return datetime.fromtimestamp(self.mtime_ns / 1e9, UTC)


class WalkedFolder(NamedTuple):
    """One folder of a walk, held open until the walk goes on: its files can be read without walking there again.

    Attributes:
        folder: The folder.
        files: The files in it, by name.
    """

    folder: Folder
    files: tuple[FileStat, ...]

    def read(self, file: FileStat, *, limit: int | None = None) -> bytes | None:
        """Return the bytes of one of its files.

        Args:
            file: One of `files`.
            limit: The most bytes; None for all.

        Returns:
            None when the file cannot be read any more. A walk goes on without it.
        """
        try:
            return self.folder.read(file.path.name, limit=limit)
        except OSError:
            return None


class VaultFiles:
    """The files of one vault, to be read. Every method takes a path as written: case and Unicode form are forgiven.

    Args:
        root: The vault.
    """

    def __init__(self, root: VaultRoot) -> None:
        self.root = root

    def find(self, path: VaultPath) -> OpenPlace:
        """Return the place that a path means, links resolved; the caller closes it. Raises as `VaultRoot.find` raises.

        Args:
            path: The file or folder.
        """
        return self.root.find(path)

    def refuse_closed(self, path: VaultPath, place: VaultPath | None = None) -> None:
        """Refuse what may not be seen: nothing, here.

        Args:
            path: The path that was asked for.
            place: Where it leads; None if it says that itself.
        """

    def stat(self, path: VaultPath) -> FileStat:
        """Return the state of a file on disk.

        Args:
            path: Which file.

        Raises:
            NotFound: Nothing is there.
            Ambiguous: Several files fit.
            PermissionDenied: It lies in a dot-folder.
            InvalidParameters: It is a folder, pipe or device.
        """
        with self._file(path) as place:
            return file_stat(place.path, place.state)

    def exists(self, path: VaultPath) -> bool:
        """Return whether a file or folder exists. Otherwise raises what `stat` raises.

        Args:
            path: The file or folder.
        """
        if not path.parts:
            return True
        try:
            self.find(path).folder.close()
        except NotFound:
            return False
        return True

    def is_folder(self, path: VaultPath) -> bool:
        """Return whether a path is a folder. Raises what `stat` raises, including `NotFound`.

        Args:
            path: The file or folder.
        """
        if not path.parts:
            return True
        with self.find(path) as place:
            return place.is_folder

    def read(self, path: VaultPath, *, limit: int | None = None) -> tuple[bytes, FileStat]:
        """Return a file's bytes, and its state as it was when they were read. Raises what `stat` raises.

        Args:
            path: Which file.
            limit: The most bytes; None for all.

        Returns:
            The bytes, at most `limit` of them, and the state of the whole file.
        """
        with self._file(path) as place:
            try:
                data, state = place.folder.read_with_state(place.name, limit=limit)
            except OSError as error:
                raise as_failure(error, path) from error
            return data, file_stat(place.path, state)

    @contextmanager
    def open(self, path: VaultPath) -> Iterator[BinaryIO]:
        """Provide a file, opened to be streamed. Raises what `stat` raises.

        Args:
            path: Which file.
        """
        with self._file(path) as place:
            try:
                file = place.folder.open(place.name)
            except OSError as error:
                raise as_failure(error, path) from error
            with file:
                yield file

    def hash(self, path: VaultPath) -> str:
        """Return the sha256 of a file's bytes, in hex, read in pieces. Raises what `stat` raises.

        Args:
            path: Which file.
        """
        digest = hashlib.sha256()
        with self.open(path) as file:
            while piece := file.read(_CHUNK):
                digest.update(piece)
        return digest.hexdigest()

    def walk(self, *, include_hidden: bool = False) -> Iterator[FileStat]:
        """Yield every file of the vault, once; see `walk_folders`.

        Args:
            include_hidden: Whether files whose name starts with a dot are included.
        """
        for walked in self.walk_folders(include_hidden=include_hidden):
            yield from walked.files

    def walk_folders(self, start: VaultPath | None = None, *, include_hidden: bool = False) -> Iterator[WalkedFolder]:
        """Yield every folder of the vault with its files, in the order of their names, a folder before those inside it.

        Dot-folders are left out, and so are pipes, devices and names that no path can name. Links are not followed:
        what they show inside the vault is met at its own place, so each file is met once and no link is a loop. A
        folder that cannot be read is skipped.

        Args:
            start: Where to begin; None for the vault itself.
            include_hidden: Whether files whose name starts with a dot are included.

        Raises:
            InvalidParameters: The walk should begin at a file; else what `stat` raises.
        """
        for folder, states in self.walk_states(start):
            files = [
                file_stat(folder.path.child(name), state)
                for name, state in states
                if (include_hidden or not name.startswith(".")) and unsafe_name(name) is None
            ]
            yield WalkedFolder(folder, tuple(files))

    def walk_states(self, start: VaultPath | None = None) -> Iterator[tuple[Folder, list[tuple[str, os.stat_result]]]]:
        """Walk as `walk_folders` does, with bare names and states, also of hidden files and those with unsafe names.

        For comparing a whole vault with what is known of it: nothing is built for what is as it was.

        Args:
            start: Where to begin; None for the vault itself.
        """
        top = start or VaultPath.root()
        record_look(top)
        if not self.is_folder(top):
            raise InvalidParameters(f"Path {str(top)!r} is a file, not a folder; name the folder it is in")
        pending: list[tuple[VaultPath, Folder | None]] = [(self.root.resolve(top), None)]
        held: list[Folder] = []
        try:
            while pending:
                path, parent = pending.pop()
                while held and held[-1] is not parent:
                    held.pop().close()
                try:
                    folder = self._enter(path, parent)
                except NotFound:
                    continue
                except OSError as error:
                    if error.errno in _PASSED_OVER:
                        continue
                    raise as_failure(error, path) from error
                held.append(folder)
                files, folders = _list(folder)
                yield folder, files
                keep = folder if len(held) <= _HELD else None
                pending.extend((path.child(name), keep) for name in reversed(folders))
        finally:
            for folder in held:
                folder.close()

    def _enter(self, path: VaultPath, parent: Folder | None) -> Folder:
        """Return a folder of a walk: from its parent when that is still held, else from the vault down."""
        if parent is None or parent.closed:
            return self.root.folder(path, follow=False)
        return parent.child(path.name)

    def _file(self, path: VaultPath) -> OpenPlace:
        """Return the place of a regular file; the caller closes it."""
        if not path.parts:
            raise folder_given("the vault")
        place = self.find(path)
        if stat.S_ISREG(place.state.st_mode):
            return place
        place.folder.close()
        if place.is_folder:
            raise folder_given(path)
        raise special_file_given(path)


def file_stat(path: VaultPath, state: os.stat_result) -> FileStat:
    """Return a file's state, from what the system returned for it.

    Args:
        path: Where the file is.
        state: What `stat` returned, links not followed.
    """
    mtime = max(_EARLIEST, min(state.st_mtime_ns, _LATEST))
    if HAS_CHANGE_TIME:
        changed = state.st_ctime_ns
        born = getattr(state, "st_birthtime", None)
        created = min(mtime, changed) if born is None else int(born * 1_000_000_000)
    else:
        changed, created = 0, getattr(state, "st_birthtime_ns", None) or state.st_ctime_ns
    return FileStat(path, state.st_size, mtime, stat.S_IMODE(state.st_mode), created, changed)


def _list(folder: Folder) -> tuple[list[tuple[str, os.stat_result]], list[str]]:
    """Return the files in a folder, and the names of the folders that walks may enter, each by name."""
    files: list[tuple[str, os.stat_result]] = []
    folders: list[str] = []
    for entry in sorted(folder.entries(), key=_name):
        try:
            if entry.is_file(follow_symlinks=False):
                files.append((entry.name, entry.stat(follow_symlinks=False)))
            elif entry.is_dir(follow_symlinks=False):
                name = entry.name
                if not name.startswith(".") and unsafe_name(name) is None:
                    folders.append(name)
        except OSError:
            continue  # it went while we looked
    return files, folders


_name = attrgetter("name")


class Subtree(NamedTuple):
    """A folder and what is in it.

    Attributes:
        folders: The folder itself and those in it, each before what is in it.
        files: All files, hidden ones too.
    """

    folders: tuple[VaultPath, ...]
    files: tuple[VaultPath, ...]


class Obstacle(Enum):
    """A reason why a folder cannot be handled as a whole."""

    DOT_FOLDER = "dot-folder"
    NAME = "name"
    LINK = "link"
    SPECIAL = "special"


Refuse = Callable[[VaultPath, Obstacle], ToolFailure]
"""The failure for something in a folder that keeps it from being handled as a whole."""


def subtree(
    root: VaultRoot,
    top: VaultPath,
    check: Callable[[VaultPath], None] = lambda _path: None,
    refuse: Refuse | None = None,
    most: int | None = None,
) -> Subtree:
    """Return everything in a folder, in the order of the names.

    Args:
        root: The vault.
        top: The folder, as spelled on disk, links resolved.
        check: Called with every path before anything else is said of it; may raise.
        refuse: Says what is wrong, in the caller's words.
        most: With more files than this it looks no further, and what it gives is not everything.

    Raises:
        PermissionDenied: There is a dot-folder in it (`protected`).
        InvalidParameters: There is a link, a device or a name in it that tools cannot handle.
        ToolFailure: A folder in it cannot be read.
    """
    folders: list[VaultPath] = []
    files: list[VaultPath] = []
    pending = [top]
    while pending and (most is None or len(files) <= most):
        path = pending.pop()
        folders.append(path)
        inner: list[VaultPath] = []
        try:
            with root.folder(path, follow=False) as folder:
                for name in sorted(folder.names()):
                    found = path.child(name)
                    check(found)
                    state = folder.stat(name)
                    if obstacle := _obstacle(found, state.st_mode, linked=is_link(state)):
                        raise refuse(found, obstacle) if refuse else _fault(top, found, obstacle)
                    (inner if stat.S_ISDIR(state.st_mode) else files).append(found)
        except OSError as error:
            raise as_failure(error, path) from error
        pending.extend(reversed(inner))
    return Subtree(tuple(folders), tuple(files))


def _obstacle(found: VaultPath, mode: int, *, linked: bool) -> Obstacle | None:
    """Return why something in a folder keeps it from being handled as a whole; None if it does not."""
    if not linked and stat.S_ISDIR(mode) and found.name.startswith("."):
        return Obstacle.DOT_FOLDER
    if unsafe_name(found.name):
        return Obstacle.NAME
    if linked:
        return Obstacle.LINK
    return None if stat.S_ISDIR(mode) or stat.S_ISREG(mode) else Obstacle.SPECIAL


def _fault(top: VaultPath, found: VaultPath, obstacle: Obstacle) -> ToolFailure:
    if obstacle is Obstacle.DOT_FOLDER:
        return PermissionDenied(
            f"Access denied: {str(top)!r} holds the protected system folder '{found}/', so it cannot be taken as a "
            "whole. Name what else is in it, one by one",
            code="protected",
        )
    what = {
        Obstacle.NAME: f"a name that tools cannot handle ({unsafe_name(found.name)})",
        Obstacle.LINK: f"the link {str(found)!r}",
    }.get(obstacle, f"{str(found)!r}, which is a pipe, socket or device")
    return InvalidParameters(
        f"{str(top)!r} holds {what}, so it cannot be taken as a whole. "
        "Ask the user to look at it, or name what else is in it, one by one"
    )
