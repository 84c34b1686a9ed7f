"""A folder held open: everything is done in that very folder, wherever its name leads by now.

Names are single components and links are never followed. `Folder` knows no policy: dot-folders, spelling and
links are `root.py`'s matter. It raises plain `OSError`s; `files.py` turns them into failures that agents can read.

The bridge's own files are small ones that are replaced whole, and those whose lines are only ever appended.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from bridge.vault.disk import Disk, FolderHandle, Hold, is_link, is_real_folder
from bridge.vault.paths import VaultPath

__all__ = ["NEW_FILE_MODE", "NEW_FOLDER_MODE", "Disk", "Folder"]

_CHUNK = 1 << 20


def _umask() -> int:
    """Return the process's umask. No call only reads it, so this runs once, when the module is imported."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


NEW_FILE_MODE = 0o666 & ~_umask()
"""The permissions that any program of this user gives a new note."""
NEW_FOLDER_MODE = 0o777
"""The permissions asked for a new folder; the system takes the umask off."""


class Folder(contextlib.AbstractContextManager["Folder"]):
    """A folder, held open. Use it in `with`, or `close` it. One thread at a time may list it; see `reopen`.

    Args:
        disk: The system calls.
        at: The hold on the folder, which this object takes over.
        path: Its place in the vault.
        top: Without descriptors, the vault's own absolute path: the way from there is checked before each use.
    """

    def __init__(self, disk: Disk, at: FolderHandle, path: VaultPath, *, top: str = "") -> None:
        self.disk = disk
        self.path = path
        self._hold: FolderHandle | None = at
        self._top = top
        self._way: list[str] = []
        plain = at.below if isinstance(at, Hold) else at
        if isinstance(plain, str):
            inner = Path(plain).relative_to(top).parts
            self._way = [str(Path(top, *inner[: count + 1])) for count in range(len(inner))]

    # -- looking ------------------------------------------------------------------------------------------------

    def child(self, name: str) -> "Folder":
        """Hold the folder of this name.

        Args:
            name: One path component.

        Raises:
            OSError: It is a link (`NotADirectoryError`, ELOOP), no folder, or cannot be opened.
        """
        return Folder(self.disk, self.disk.open_folder(self.handle(), name), self.path.child(name), top=self._top)

    def child_made(self, name: str, *, mode: int = 0o700) -> "Folder":
        """Open a folder as `child` does, made first if it is missing; by default for this user only."""
        try:
            return self.child(name)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # another thread or process was faster
                self.mkdir(name, mode=mode)
            return self.child(name)

    def reopen(self) -> "Folder":
        """Return a second hold on the same folder, for another thread or another time, closed on its own."""
        return Folder(self.disk, self.disk.reopen(self.handle()), self.path, top=self._top)

    def stat(self, name: str) -> os.stat_result:
        """Return the state of a name itself, links not followed.

        Args:
            name: One path component.

        Raises:
            OSError: Nothing has the name, or it cannot be looked at.
        """
        return self.disk.stat(self.handle(), name)

    def exists(self, name: str) -> bool:
        """Return whether anything has this name, including a dangling link."""
        try:
            self.stat(name)
        except FileNotFoundError:
            return False
        return True

    def readlink(self, name: str) -> str:
        """Return the target that is written in a symbolic link."""
        return self.disk.readlink(self.handle(), name)

    def entries(self) -> list[os.DirEntry[str]]:
        """Return everything in it, in no order. The entries' own methods work while the folder is held."""
        with self.disk.scan(self.handle()) as entries:
            return list(entries)

    def names(self) -> list[str]:
        """Return the names of everything in it, in no order."""
        return [entry.name for entry in self.entries()]

    def open(self, name: str) -> BinaryIO:
        """Return a regular file, opened to be streamed; the caller closes it. Raises what `read` raises.

        Args:
            name: Its name.
        """
        fd, _state = self._open_regular(name)
        return os.fdopen(fd, "rb")

    def read(self, name: str, *, limit: int | None = None) -> bytes:
        """Return the bytes of a regular file.

        Args:
            name: Its name.
            limit: The most bytes to read; None for all.

        Raises:
            OSError: It is not there, a link, a folder, a pipe, a device, or cannot be read.
        """
        return self.read_with_state(name, limit=limit)[0]

    def read_with_state(self, name: str, *, limit: int | None = None) -> tuple[bytes, os.stat_result]:
        """Read as `read` does, and return the state of the very file that was read too.

        Args:
            name: Its name.
            limit: The most bytes to read; None for all.
        """
        fd, state = self._open_regular(name)
        try:
            return self._read_all(fd, state.st_size, limit), state
        finally:
            self.disk.close(fd)

    # -- changing -----------------------------------------------------------------------------------------------

    def create(
        self,
        name: str,
        data: bytes | Iterable[memoryview],
        *,
        mode: int = 0o600,
        owner: tuple[int, int] | None = None,
        sync: bool,
    ) -> None:
        """Write a file that did not exist.

        Args:
            name: Its name; `FileExistsError` when anything has it.
            data: Its bytes, whole or in pieces.
            mode: Its permissions, exactly (the umask is not taken off; see `NEW_FILE_MODE`).
            owner: The user and group it is given, if the system lets us; None leaves it to the system.
            sync: Whether its bytes are durable when this returns. The folder's entry is not: see `sync`.

        Raises:
            OSError: The disk is full or failed. What was written of the file is left for the caller to remove.
        """
        fd = self.disk.create(self.handle(), name, mode)
        try:
            self._require_here(fd, name)
            for piece in [memoryview(data)] if isinstance(data, bytes) else data:
                rest = piece
                while rest:
                    rest = rest[self.disk.write(fd, rest) :]
            if owner is not None:
                self.disk.chown(fd, owner)
            self.disk.chmod(fd, mode)
            if sync:
                self.disk.fsync(fd)
        finally:
            self.disk.close(fd)

    def replace(self, name: str, to: "Folder", to_name: str) -> None:
        """Rename; whatever had the new name is gone, in the same instant.

        Args:
            name: The name in this folder.
            to: The folder it goes to.
            to_name: Its name there.
        """
        self.disk.replace(self.handle(), name, to.handle(), to_name)

    def move_new(self, name: str, to: "Folder", to_name: str) -> None:
        """Rename, refusing to overwrite.

        On a disk that ignores case, `example.md` may become `Example.md`: that is one file, not two (rule 9 of
        docs/obsidian.md).

        Args:
            name: The name in this folder.
            to: The folder it goes to.
            to_name: Its name there.

        Raises:
            FileExistsError: Something else has the new name.
        """
        try:
            self.disk.move_new(self.handle(), name, to.handle(), to_name)
        except FileExistsError:
            if not self._is_respelling(name, to, to_name):
                raise
            self.replace(name, to, to_name)

    def swap(self, name: str, to: "Folder", to_name: str) -> bool:
        """Let two names change places in one step, so that nothing is ever missing and nothing is lost.

        Args:
            name: The name in this folder.
            to: The folder of the other name.
            to_name: The other name.

        Returns:
            False when the system or this file system cannot; then nothing has happened.
        """
        return self.disk.swap(self.handle(), name, to.handle(), to_name)

    @contextlib.contextmanager
    def open_to_append(self, name: str) -> Iterator[int]:
        """Hold a file of the bridge's own open for writing at its end, made when missing: its descriptor."""
        fd = self.disk.append(self.handle(), name, 0o600)
        try:
            yield fd
        finally:
            self.disk.close(fd)

    def unlink(self, name: str) -> None:
        """Remove a file's name."""
        self.disk.unlink(self.handle(), name)

    def mkdir(self, name: str, *, mode: int = NEW_FOLDER_MODE) -> None:
        """Make a folder; `FileExistsError` when anything has the name."""
        self.disk.mkdir(self.handle(), name, mode)

    def rmdir(self, name: str) -> None:
        """Remove an empty folder."""
        self.disk.rmdir(self.handle(), name)

    def chmod(self, name: str, mode: int) -> None:
        """Give a regular file its permissions."""
        fd, _state = self._open_regular(name)
        try:
            self.disk.chmod(fd, mode)
        finally:
            self.disk.close(fd)

    def set_mode(self, mode: int) -> None:
        """Give the folder itself its permissions, where folders are held by descriptor."""
        at = self.handle()
        if isinstance(at, int):
            self.disk.chmod(at, mode)

    def sync(self) -> None:
        """Make the entries of this folder durable: names made, moved and removed."""
        self.disk.sync_folder(self.handle())

    # -- holding ------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let it go. Closing twice does nothing."""
        hold, self._hold = self._hold, None
        if hold is not None:
            self.disk.release(hold)

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Return whether it has been closed."""
        return self._hold is None

    def handle(self) -> FolderHandle:
        """Return the hold, for the system calls.

        Without descriptors, every folder on the way is looked at again: none may have become a link.
        """
        if self._hold is None:
            raise ValueError(f"The folder {str(self.path)!r} has been closed")
        for step in self._way:
            if not is_real_folder(os.lstat(step)):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(self.path))
        return self._hold

    def _open_regular(self, name: str) -> tuple[int, os.stat_result]:
        """Open a regular file: looked at before, because opening some devices does something, and again when open."""
        _require_regular(self.stat(name), name)
        fd = self.disk.open_read(self.handle(), name)
        try:
            state = os.fstat(fd)
            _require_regular(state, name)
            self._require_here(fd, name)
        except BaseException:
            self.disk.close(fd)
            raise
        return fd, state

    def _require_here(self, fd: int, name: str) -> None:
        """Refuse, without descriptors, an open file that is not the one of this name here, by the path as it is now."""
        if not self.disk.descriptors and not os.path.samestat(os.fstat(fd), self.stat(name)):
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), name)

    def _read_all(self, fd: int, size: int, limit: int | None) -> bytes:
        """Read to the end. The size only says how much to ask for: a file may grow while it is read."""
        want = size + 1 if limit is None else min(limit, size + 1)
        first = self.disk.read(fd, want) if want else b""
        if len(first) == size < want:
            return first
        pieces, total = [first], len(first)
        while pieces[-1] and (limit is None or total < limit):
            pieces.append(self.disk.read(fd, _CHUNK if limit is None else min(_CHUNK, limit - total)))
            total += len(pieces[-1])
        return first if total == len(first) else b"".join(pieces)

    def _is_respelling(self, name: str, to: "Folder", to_name: str) -> bool:
        """Return whether two names are one entry on a disk that ignores case or Unicode form."""
        try:
            same = os.path.samestat(self.stat(name), to.stat(to_name))
        except FileNotFoundError:
            return False
        return same and name != to_name and to_name not in to.names()


def _require_regular(state: os.stat_result, name: str) -> None:
    """Refuse links, folders, pipes, sockets and devices, each with the error that opening it would have given."""
    if is_link(state):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    if stat.S_ISDIR(state.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), name)


class LineFile:
    """The end of one such file. Used by one thread at a time.

    It is opened anew for each line, so it may be renamed, replaced or removed between two.

    Args:
        name: Its name in its folder.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._end: int | None = None
        """The size after our last line; a file of another size may end in the middle of one."""
        self._failed: os.stat_result | None = None
        """The file before a line that failed and could not be cut off again."""

    def append(self, folder: Folder, line: bytes, *, sync: bool = False) -> int:
        """Add a line. Where the file ends in the middle of another, that one gets its line break first.

        Args:
            folder: The folder it is in.
            line: With its line break, and without another in it.
            sync: Whether the line is durable when this returns.

        Returns:
            Where in the file the line begins, in bytes.

        Raises:
            OSError: The disk is full or failed. Nothing of the line is there, or it is cut off before the next one.
        """
        is_new = not folder.exists(self._name)
        with folder.open_to_append(self._name) as fd:
            start = self._usable_end(folder, fd)
            before = os.fstat(fd)
            data = memoryview(b"\n" * (start > before.st_size) + line)
            self._end, self._failed = None, before
            try:
                _write(folder, fd, data)
                if sync:
                    folder.disk.fsync(fd)
            except OSError:
                with contextlib.suppress(OSError):
                    folder.disk.truncate(fd, before.st_size)
                    self._failed = None
                raise
            self._end, self._failed = before.st_size + len(data), None
        if is_new and sync:
            folder.sync()
        return start

    def cut(self, folder: Folder, size: int) -> None:
        """Remove everything after so many bytes: the beginning of a line that did not become whole.

        Raises:
            OSError: It could not be removed.
        """
        with folder.open_to_append(self._name) as fd:
            folder.disk.truncate(fd, size)

    def _usable_end(self, folder: Folder, fd: int) -> int:
        """Return where the next line begins: at the end of the file, or after a missing line break."""
        state = os.fstat(fd)
        if self._failed is not None and os.path.samestat(state, self._failed):
            folder.disk.truncate(fd, self._failed.st_size)
            state = os.fstat(fd)
        size = state.st_size
        return size if size in {0, self._end} or _ends_with_break(folder, self._name) else size + 1


def _write(folder: Folder, fd: int, data: memoryview) -> None:
    """Write all of it. A disk that fills up takes a part, and says why when it is given the rest."""
    written = folder.disk.write(fd, data)
    if written < len(data):
        written += folder.disk.write(fd, data[written:])
    if written < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _ends_with_break(folder: Folder, name: str) -> bool:
    with folder.open(name) as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def write_atomic(folder: Folder, name: str, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file and make it durable before it takes the name.

    Args:
        folder: The folder.
        name: The file's name; an old file of this name is replaced.
        data: All of its bytes.
        mode: Its permissions.

    Raises:
        OSError: The disk is full or failed; the old file is untouched.
    """
    write_all(folder, {name: data}, mode=mode)


def write_all(folder: Folder, files: Mapping[str, bytes], *, mode: int = 0o600) -> None:
    """Write files that belong together: all are durable before the first one takes its name.

    Args:
        folder: The folder.
        files: All bytes of each, by its name; old files of these names are replaced.
        mode: Their permissions.

    Raises:
        OSError: The disk is full or failed. Where there was no room for all of them, the old files are untouched.
    """
    temporary = {name: f".{name}.{secrets.token_hex(4)}.tmp" for name in files}
    try:
        for name, data in files.items():
            folder.create(temporary[name], data, mode=mode, sync=True)
        for name in files:
            folder.replace(temporary[name], folder, name)
    except OSError:
        for left in temporary.values():
            with contextlib.suppress(OSError):
                folder.unlink(left)
        raise
    folder.sync()
