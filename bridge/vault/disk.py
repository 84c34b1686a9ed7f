"""Every system call that touches a vault, one method each.

Where the system can (Linux, macOS), a folder is a descriptor and names are looked up in it (`openat` and its kin), so
that no path can be swapped under us. Elsewhere (Windows) a folder is an absolute path string, and `folder.py` checks
the way to it before each use. Tests put faults in here: `before` is called ahead of every call that changes the disk.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bridge.vault.rename import rename_new, rename_swap
from bridge.vault.syncing import CAN_SYNC, sync_file_system

if sys.platform == "darwin":
    from fcntl import F_FULLFSYNC, fcntl

At = int | str
"""A folder held open (a descriptor), or its absolute path where the system has no `dir_fd`."""

_HAS_DIR_FD = {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd and os.scandir in os.supports_fd
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | _NOFOLLOW | _CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NOFOLLOW | _CLOEXEC | getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | _NOFOLLOW | _CLOEXEC | getattr(os, "O_DIRECTORY", 0)


class Disk:
    """The system calls. A name is always one path component.

    Args:
        descriptors: Whether folders are held by descriptor; None asks the system.
    """

    def __init__(self, *, descriptors: bool | None = None) -> None:
        self.descriptors = _HAS_DIR_FD if descriptors is None else descriptors

    def before(self, operation: str, name: str) -> None:
        """Called before every system call that changes the disk.

        Args:
            operation: create, append, truncate, write, chown, chmod, fsync, sync_folder, sync_all, replace, move_new,
                swap, link, unlink, mkdir or rmdir.
            name: The name it is about, or empty when it is about an open file or folder.
        """

    # -- looking ------------------------------------------------------------------------------------------------

    def open_top(self, path: str) -> At:
        """Hold the vault's own folder, through any links on the way to it."""
        return os.open(path, _FOLDER & ~_NOFOLLOW) if self.descriptors else path

    def open_folder(self, at: At, name: str) -> At:
        """Hold a folder in a folder; `OSError` when it is a link or no folder."""
        if isinstance(at, int):
            return os.open(name, _FOLDER, dir_fd=at)
        path = str(Path(at, name))
        if not is_real_folder(os.lstat(path)):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        return path

    def again(self, at: At) -> At:
        """A second hold of the same folder. Not a `dup`: that would share the place up to which it is listed."""
        return os.open(".", _FOLDER, dir_fd=at) if isinstance(at, int) else at

    def release(self, at: At) -> None:
        """Let a folder go."""
        if isinstance(at, int):
            os.close(at)

    def stat(self, at: At, name: str) -> os.stat_result:
        """The name's own state, links not followed."""
        path, fd = _where(at, name)
        return os.stat(path, dir_fd=fd, follow_symlinks=False)

    def readlink(self, at: At, name: str) -> str:
        """Where a symbolic link points, as written in it."""
        path, fd = _where(at, name)
        return os.readlink(path, dir_fd=fd)

    @contextmanager
    def scan(self, at: At) -> Iterator[Iterator[os.DirEntry[str]]]:
        """The entries of a folder."""
        with os.scandir(at) as entries:
            yield entries

    def open_read(self, at: At, name: str) -> int:
        """Open a name for reading, never through a link, never waiting for the other end of a pipe."""
        path, fd = _where(at, name)
        return os.open(path, _READ, dir_fd=fd)

    def read(self, fd: int, size: int) -> bytes:
        """Up to so many bytes; none at the end."""
        return os.read(fd, size)

    def close(self, fd: int) -> None:
        """Close a file."""
        os.close(fd)

    # -- changing -----------------------------------------------------------------------------------------------

    def create(self, at: At, name: str, mode: int) -> int:
        """Open a file for writing that did not exist; `FileExistsError` when anything has the name."""
        self.before("create", name)
        path, fd = _where(at, name)
        return os.open(path, _CREATE, mode, dir_fd=fd)

    def append(self, at: At, name: str, mode: int) -> int:
        """Open a file of our own for writing at its end; made when missing."""
        self.before("append", name)
        path, fd = _where(at, name)
        return os.open(path, _APPEND, mode, dir_fd=fd)

    def truncate(self, fd: int, size: int) -> None:
        """Cut an open file to so many bytes."""
        self.before("truncate", "")
        os.ftruncate(fd, size)

    def write(self, fd: int, data: memoryview) -> int:
        """Write some of the bytes; returns how many."""
        self.before("write", "")
        return os.write(fd, data)

    def chown(self, fd: int, owner: tuple[int, int]) -> None:
        """Give an open file an owner and a group, or at least the group, where the system has them and lets us."""
        if hasattr(os, "fchown"):
            self.before("chown", "")
            try:
                os.fchown(fd, *owner)
            except PermissionError:
                with suppress(PermissionError):
                    os.fchown(fd, -1, owner[1])

    def chmod(self, fd: int, mode: int) -> None:
        """Give an open file its permissions, where the system has them."""
        if hasattr(os, "fchmod"):
            self.before("chmod", "")
            os.fchmod(fd, mode)

    def fsync(self, fd: int) -> None:
        """Make an open file's bytes durable. macOS needs its own call to empty the drive's cache."""
        self.before("fsync", "")
        _full_sync(fd)

    def sync_folder(self, at: At) -> None:
        """Make a folder's entries durable. Windows does so itself."""
        if isinstance(at, int):
            self.before("sync_folder", "")
            os.fsync(at)

    @property
    def can_sync_all(self) -> bool:
        """Whether `sync_all` is there."""
        return self.descriptors and CAN_SYNC

    def sync_all(self, at: At) -> None:
        """Make everything durable that was written to the file system of a folder."""
        if isinstance(at, int):
            self.before("sync_all", "")
            sync_file_system(at)

    def replace(self, at: At, name: str, to: At, to_name: str) -> None:
        """Rename; what had the new name is gone."""
        self.before("replace", to_name)
        path, fd = _where(at, name)
        to_path, to_fd = _where(to, to_name)
        os.replace(path, to_path, src_dir_fd=fd, dst_dir_fd=to_fd)

    def move_new(self, at: At, name: str, to: At, to_name: str) -> None:
        """Rename; `FileExistsError` when anything has the new name. Atomic wherever the system can do that."""
        self.before("move_new", to_name)
        if rename_new(_where(at, name), _where(to, to_name)):
            return
        # No such call here, or not on this file system: a second name, then the first one away.
        if stat.S_ISREG(self.stat(at, name).st_mode) and self._link(at, name, to, to_name):
            self.unlink(at, name)
            return
        # Not even links (FAT), or a folder: look, then rename. Only another program between the two could lose.
        try:
            self.stat(to, to_name)
        except FileNotFoundError:
            self.replace(at, name, to, to_name)
        else:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), to_name)

    def swap(self, at: At, name: str, to: At, to_name: str) -> bool:
        """Let two names change places in one step.

        Returns:
            False when the system or this file system cannot; then nothing has happened.
        """
        self.before("swap", name)
        return rename_swap(_where(at, name), _where(to, to_name))

    def _link(self, at: At, name: str, to: At, to_name: str) -> bool:
        self.before("link", to_name)
        path, fd = _where(at, name)
        to_path, to_fd = _where(to, to_name)
        try:
            os.link(path, to_path, src_dir_fd=fd, dst_dir_fd=to_fd, follow_symlinks=False)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            return False
        return True

    def unlink(self, at: At, name: str) -> None:
        """Remove a name of a file."""
        self.before("unlink", name)
        path, fd = _where(at, name)
        os.unlink(path, dir_fd=fd)

    def mkdir(self, at: At, name: str, mode: int) -> None:
        """Make a folder."""
        self.before("mkdir", name)
        path, fd = _where(at, name)
        os.mkdir(path, mode, dir_fd=fd)

    def rmdir(self, at: At, name: str) -> None:
        """Remove an empty folder."""
        self.before("rmdir", name)
        path, fd = _where(at, name)
        os.rmdir(path, dir_fd=fd)


def is_link(state: os.stat_result) -> bool:
    """Whether this is a symbolic link, a Windows junction, or anything else that stands for another place."""
    if stat.S_ISLNK(state.st_mode):
        return True
    # The bit of IO_REPARSE_TAGs that are "name surrogates"; cloud placeholders (OneDrive) do not have it.
    return bool(getattr(state, "st_reparse_tag", 0) & 0x20000000)


def is_real_folder(state: os.stat_result) -> bool:
    """Whether this is a folder and not something that stands for one."""
    return stat.S_ISDIR(state.st_mode) and not is_link(state)


def _where(at: At, name: str) -> tuple[str, int | None]:
    """A name in a folder, as the `os` functions take it."""
    return (name, at) if isinstance(at, int) else (str(Path(at, name)), None)


def _full_sync(fd: int) -> None:
    if sys.platform == "darwin":
        try:
            fcntl(fd, F_FULLFSYNC)
        except OSError:  # network disks do not know it
            os.fsync(fd)
    else:
        os.fsync(fd)
