"""Every system call that touches a vault, one method each; and a vault with changes laid over it.

Where the system can (Linux, macOS), a folder is a descriptor and names are looked up in it (`openat` and its kin), so
that no path can be swapped under us. Elsewhere (Windows) a folder is an absolute path string, and `folder.py` checks
the way to it before each use. Tests put faults in here: `before` is called ahead of every call that changes the disk.

`Layer` holds what differs from a vault: files with other bytes, new folders, names that are gone. `OverlayDisk` is the
system calls of a vault seen through one. It only looks: whatever would change the disk is refused with `EROFS`, so
nothing that is built on it (`VaultRoot`, `VaultFiles`, the index) can write to the vault by mistake.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, cast

from bridge.errors import Conflict, ExecutionFailed, InvalidParameters, NotFound, ToolFailure
from bridge.vault.paths import VaultPath

if sys.platform == "darwin":
    from fcntl import F_FULLFSYNC, fcntl


class Hold(NamedTuple):
    """A folder of a vault that is seen through a layer (`OverlayDisk`).

    Attributes:
        below: The vault's own folder there, held; None if only the layer has one.
        way: Its place in the vault.
    """

    below: int | str | None
    way: tuple[str, ...]


FolderHandle = int | str | Hold
"""A folder held open (a descriptor), its absolute path if the system has no `dir_fd`, or either under a layer."""

_Where = tuple[str, int | None]
"""A name and the descriptor of the folder it is in; or an absolute path and None."""

_HAS_DIR_FD = {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd and os.scandir in os.supports_fd
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | _NOFOLLOW | _CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NOFOLLOW | _CLOEXEC | getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | _NOFOLLOW | _CLOEXEC | getattr(os, "O_DIRECTORY", 0)


_AT_FDCWD = -2 if sys.platform == "darwin" else -100
_RENAME_NOREPLACE = 1
_RENAME_EXCL = 4
_RENAME_SWAP = 2
"""Linux calls it RENAME_EXCHANGE; the number is the same."""
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""Errors of kernels and file systems that do not have the call."""


def _c_function(name: str, *arguments: type) -> Callable[..., int] | None:
    """Return a function of the C library that Python has no call for; None if there is none."""
    try:
        function = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (AttributeError, OSError, TypeError):
        return None
    function.argtypes = list(arguments)
    function.restype = ctypes.c_int
    call: Callable[..., int] = function
    return call


_RENAME = _c_function(
    "renameatx_np" if sys.platform == "darwin" else "renameat2",
    *(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint),
)
"""Renames without overwriting, and swaps two names, in one step. Windows has only the first, and in Python."""
_SYNCFS = _c_function("syncfs", ctypes.c_int) if sys.platform.startswith("linux") else None
"""Makes a whole file system durable: thousands of new files cost one wait. Only on Linux does it wait until done."""


class Disk:
    """The system calls. A name is always one path component.

    Args:
        descriptors: Whether folders are held by descriptor; None asks the system.
    """

    def __init__(self, *, descriptors: bool | None = None) -> None:
        self.descriptors = _HAS_DIR_FD if descriptors is None else descriptors

    def before(self, operation: str, name: str) -> None:
        """Do nothing; called before every system call that changes the disk.

        Args:
            operation: create, append, truncate, write, chown, chmod, fsync, sync_folder, sync_all, replace, move_new,
                swap, link, unlink, mkdir or rmdir.
            name: The name it is about, or empty when it is about an open file or folder.
        """

    # -- looking ------------------------------------------------------------------------------------------------

    def open_top(self, path: str) -> FolderHandle:
        """Hold the vault's own folder, through any links on the way to it."""
        return os.open(path, _FOLDER & ~_NOFOLLOW) if self.descriptors else path

    def open_folder(self, at: FolderHandle, name: str) -> FolderHandle:
        """Hold a folder in a folder; `OSError` when it is a link or no folder."""
        if isinstance(at, int):
            return os.open(name, _FOLDER, dir_fd=at)
        path = _where(at, name)[0]
        if not is_real_folder(os.lstat(path)):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        return path

    def reopen(self, at: FolderHandle) -> FolderHandle:
        """Return a second hold of the same folder. Not a `dup`: that would share the place up to which it is listed."""
        return os.open(".", _FOLDER, dir_fd=at) if isinstance(at, int) else at

    def release(self, at: FolderHandle) -> None:
        """Let a folder go."""
        if isinstance(at, int):
            os.close(at)

    def stat(self, at: FolderHandle, name: str) -> os.stat_result:
        """Return the name's own state, links not followed."""
        path, fd = _where(at, name)
        return os.stat(path, dir_fd=fd, follow_symlinks=False)

    def readlink(self, at: FolderHandle, name: str) -> str:
        """Return the target of a symbolic link, as written in it."""
        path, fd = _where(at, name)
        return os.readlink(path, dir_fd=fd)

    @contextmanager
    def scan(self, at: FolderHandle) -> Iterator[Iterator[os.DirEntry[str]]]:
        """Provide the entries of a folder."""
        with os.scandir(plain(at)) as entries:
            yield entries

    def open_read(self, at: FolderHandle, name: str) -> int:
        """Open a name for reading, never through a link, never waiting for the other end of a pipe."""
        path, fd = _where(at, name)
        return os.open(path, _READ, dir_fd=fd)

    def read(self, fd: int, size: int) -> bytes:
        """Return up to so many bytes; none at the end."""
        return os.read(fd, size)

    def close(self, fd: int) -> None:
        """Close a file."""
        os.close(fd)

    # -- changing -----------------------------------------------------------------------------------------------

    def create(self, at: FolderHandle, name: str, mode: int) -> int:
        """Open a file for writing that did not exist; `FileExistsError` when anything has the name."""
        self.before("create", name)
        path, fd = _where(at, name)
        return os.open(path, _CREATE, mode, dir_fd=fd)

    def append(self, at: FolderHandle, name: str, mode: int) -> int:
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
        """Give an open file an owner and a group, or at least the group, if the system has them and lets us."""
        if hasattr(os, "fchown"):
            self.before("chown", "")
            try:
                os.fchown(fd, *owner)
            except PermissionError:
                with suppress(PermissionError):
                    os.fchown(fd, -1, owner[1])

    def chmod(self, fd: int, mode: int) -> None:
        """Give an open file its permissions, if the system has them."""
        if hasattr(os, "fchmod"):
            self.before("chmod", "")
            os.fchmod(fd, mode)

    def fsync(self, fd: int) -> None:
        """Make an open file's bytes durable. macOS needs its own call to empty the drive's cache."""
        self.before("fsync", "")
        if sys.platform == "darwin":
            try:
                fcntl(fd, F_FULLFSYNC)
            except OSError:  # network disks do not know it
                os.fsync(fd)
        else:
            os.fsync(fd)

    def sync_folder(self, at: FolderHandle) -> None:
        """Make a folder's entries durable. Windows does so itself."""
        if isinstance(at, int):
            self.before("sync_folder", "")
            os.fsync(at)

    @property
    def can_sync_all(self) -> bool:
        """Return whether `sync_all` is available."""
        return self.descriptors and _SYNCFS is not None

    def sync_all(self, at: FolderHandle) -> None:
        """Make everything durable that was written to the file system of a folder."""
        if isinstance(at, int):
            self.before("sync_all", "")
            ctypes.set_errno(0)
            if _SYNCFS is None or _SYNCFS(at) != 0:
                raise _last_error()

    def replace(self, at: FolderHandle, name: str, to: FolderHandle, to_name: str) -> None:
        """Rename; what had the new name is gone."""
        self.before("replace", to_name)
        path, fd = _where(at, name)
        to_path, to_fd = _where(to, to_name)
        os.replace(path, to_path, src_dir_fd=fd, dst_dir_fd=to_fd)

    def move_new(self, at: FolderHandle, name: str, to: FolderHandle, to_name: str) -> None:
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

    def swap(self, at: FolderHandle, name: str, to: FolderHandle, to_name: str) -> bool:
        """Let two names change places in one step.

        Returns:
            False when the system or this file system cannot; then nothing has happened.
        """
        self.before("swap", name)
        return sys.platform != "win32" and _rename(_where(at, name), _where(to, to_name), _RENAME_SWAP)

    def _link(self, at: FolderHandle, name: str, to: FolderHandle, to_name: str) -> bool:
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

    def unlink(self, at: FolderHandle, name: str) -> None:
        """Remove a name of a file."""
        self.before("unlink", name)
        path, fd = _where(at, name)
        os.unlink(path, dir_fd=fd)

    def mkdir(self, at: FolderHandle, name: str, mode: int) -> None:
        """Make a folder."""
        self.before("mkdir", name)
        path, fd = _where(at, name)
        os.mkdir(path, mode, dir_fd=fd)

    def rmdir(self, at: FolderHandle, name: str) -> None:
        """Remove an empty folder."""
        self.before("rmdir", name)
        path, fd = _where(at, name)
        os.rmdir(path, dir_fd=fd)


def rename_new(source: _Where, target: _Where) -> bool:
    """Rename, unless the target exists.

    Returns:
        False when the system or this file system cannot do that in one step; then nothing has happened.

    Raises:
        FileExistsError: Something has the new name.
        OSError: Whatever else went wrong.
    """
    if sys.platform == "win32":
        Path(source[0]).rename(target[0])  # refuses to overwrite on Windows, and only there
        return True
    return _rename(source, target, _RENAME_EXCL if sys.platform == "darwin" else _RENAME_NOREPLACE)


def _rename(source: _Where, target: _Where, flag: int) -> bool:
    if _RENAME is None:
        return False
    ctypes.set_errno(0)
    (name, fd), (to_name, to_fd) = source, target
    here, there = (_AT_FDCWD if each is None else each for each in (fd, to_fd))
    if _RENAME(here, os.fsencode(name), there, os.fsencode(to_name), flag) == 0:
        return True
    error = _last_error(to_name)
    if error.errno in _UNSUPPORTED:
        return False
    raise error


def _last_error(*names: str) -> OSError:
    """Return the error of the last call to the C library."""
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code), *names)


def is_link(state: os.stat_result) -> bool:
    """Return whether this is a symbolic link, a Windows junction, or anything else that stands for another place.

    Args:
        state: The state of the name itself, links not followed.
    """
    if stat.S_ISLNK(state.st_mode):
        return True
    # The bit of IO_REPARSE_TAGs that are "name surrogates"; cloud placeholders (OneDrive) do not have it.
    return bool(getattr(state, "st_reparse_tag", 0) & 0x20000000)


def is_real_folder(state: os.stat_result) -> bool:
    """Return whether this is a folder and not something that stands for one.

    Args:
        state: The state of the name itself, links not followed.
    """
    return stat.S_ISDIR(state.st_mode) and not is_link(state)


def plain(at: FolderHandle) -> int | str:
    """Return a folder of the disk itself, as the `os` functions take it."""
    if isinstance(at, Hold):
        raise TypeError("a folder under a layer is no folder of the disk")
    return at


def _where(at: FolderHandle, name: str) -> _Where:
    """Return a name in a folder, as the `os` functions take it."""
    at = plain(at)
    return (name, at) if isinstance(at, int) else (str(Path(at, name)), None)


def not_found(path: object) -> NotFound:
    """Return the failure when nothing is there, or nothing that the vault knows of.

    Args:
        path: The path that was asked for.
    """
    return NotFound(f"File or folder not found: {str(path)!r}. Use find to see what there is", wanted=str(path))


def folder_given(path: object) -> InvalidParameters:
    """Return the failure when a file was needed and a folder was named.

    Args:
        path: The path that was asked for.
    """
    return InvalidParameters(f"Path {str(path)!r} is a folder, not a file; name a file in it")


def special_file_given(path: object) -> InvalidParameters:
    """Return the failure when a file was needed and a pipe, socket or device was named.

    Args:
        path: The path that was asked for.
    """
    return InvalidParameters(f"Path {str(path)!r} is a pipe, socket or device, not a file; choose a file")


def as_failure(error: OSError, path: object) -> ToolFailure:
    """Return the failure to raise `from` an `OSError` about a path of the vault.

    Args:
        error: What the system said. Its own text may hold absolute paths and is not passed on.
        path: The vault path it is about.

    Returns:
        A failure that says what to do next.
    """
    shown = repr(str(path))
    failure: ToolFailure
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR | errno.ELOOP:
            failure = not_found(path)
        case errno.EISDIR:
            failure = folder_given(path)
        case errno.ENXIO:
            failure = special_file_given(path)
        case errno.EEXIST:
            failure = Conflict(f"Something named {shown} exists already; choose another name", code="exists")
        case errno.ESTALE:
            failure = Conflict(f"{shown} was replaced while it was read; try again", code="stale")
        case errno.EACCES | errno.EPERM:
            failure = ExecutionFailed(f"The operating system refuses access to {shown}; check its permissions")
        case errno.ENOSPC | errno.EDQUOT:
            failure = ExecutionFailed(f"The disk is full: {shown} could not be written; free some space and try again")
        case _:
            reason = errno.errorcode.get(error.errno or 0, "unknown error")
            failure = ExecutionFailed(f"The disk failed at {shown} ({reason}); check the disk and try again")
    return failure


_Way = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LaidFile:
    """A file with bytes of the layer's own.

    Attributes:
        bytes_at: The regular file outside the vault that holds them; nothing ever changes it.
    """

    bytes_at: Path


@dataclass(frozen=True, slots=True)
class LaidFolder:
    """A folder that the vault has not, or that was removed and made again."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A file or folder that the vault has and that is not to be seen, with all that is in it."""


Laid = LaidFile | LaidFolder | Gone

_NO_FOLDER: Final = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}
"""The errors of a name that is no folder of the vault's."""
_NOTHING: Final[Mapping[str, Laid]] = {}


class Layer:
    """Files and folders that are laid over a vault. Any thread may look while `lay` replaces them as a whole.

    Args:
        folder: A folder outside the vault; new folders report its state.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._inside: Mapping[_Way, Mapping[str, Laid]] = {}

    def get(self, way: _Way) -> Laid | None:
        """Return what lies at exactly this path; None if the vault shows through."""
        return self._inside.get(way[:-1], _NOTHING).get(way[-1]) if way else None

    def inside(self, way: _Way) -> Mapping[str, Laid]:
        """Return what lies directly in a folder, by name."""
        return self._inside.get(way, _NOTHING)

    def lay(self, changes: Mapping[VaultPath, Laid | None]) -> None:
        """Lay all of this over, in one step; None lets the vault show through again.

        Args:
            changes: What lies at each path.
        """
        inside = {way: dict(names) for way, names in self._inside.items()}
        for path, laid in changes.items():
            names = inside.setdefault(path.parts[:-1], {})
            if laid is None:
                names.pop(path.name, None)
            else:
                names[path.name] = laid
        self._inside = {way: names for way, names in inside.items() if names}


class OverlayEntry:
    """An entry of a folder that only the layer has, as `os.scandir` gives them.

    Args:
        name: Its name.
        path: What has its state: the file with its bytes, or a folder.
    """

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = str(path)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether it is a file."""
        return not self.is_dir(follow_symlinks=follow_symlinks)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether it is a folder."""
        return stat.S_ISDIR(self.stat(follow_symlinks=follow_symlinks).st_mode)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return its state."""
        return Path(self.path).stat(follow_symlinks=follow_symlinks)


class OverlayDisk(Disk):
    """The system calls of a vault seen through a layer.

    Args:
        layer: What lies over it.
        descriptors: As of `Disk`.
    """

    def __init__(self, layer: Layer, *, descriptors: bool | None = None) -> None:
        super().__init__(descriptors=descriptors)
        self.layer = layer

    def before(self, operation: str, name: str) -> None:
        """Refuse it: nothing is ever changed through here."""
        raise OSError(errno.EROFS, f"a vault with changes laid over it is only looked at ({operation})", name)

    def open_top(self, path: str) -> FolderHandle:
        """Hold the vault's own folder."""
        return Hold(plain(super().open_top(path)), ())

    def open_folder(self, at: FolderHandle, name: str) -> FolderHandle:
        """Hold a folder of the vault, of the layer, or of both."""
        below, way = _of(at), (*_of(at).way, name)
        laid = self.layer.get(way)
        if isinstance(laid, Gone):
            raise _missing(name)
        if isinstance(laid, LaidFile):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        if below.below is None:
            if laid is None:
                raise _missing(name)
            return Hold(None, way)
        try:
            return Hold(plain(super().open_folder(below.below, name)), way)
        except OSError as error:
            if laid is None or error.errno not in _NO_FOLDER:
                raise
            return Hold(None, way)

    def reopen(self, at: FolderHandle) -> FolderHandle:
        """Return a second hold of the same folder."""
        held = _of(at)
        return Hold(None if held.below is None else plain(super().reopen(held.below)), held.way)

    def release(self, at: FolderHandle) -> None:
        """Let a folder go."""
        if (below := _of(at).below) is not None:
            super().release(below)

    def stat(self, at: FolderHandle, name: str) -> os.stat_result:
        """Return the name's own state: that of the bytes that lie over it, where some do."""
        held = _of(at)
        laid = self.layer.get((*held.way, name))
        if isinstance(laid, LaidFile):
            return os.lstat(laid.bytes_at)
        if isinstance(laid, Gone) or (held.below is None and laid is None):
            raise _missing(name)
        if held.below is None:
            return os.lstat(self.layer.folder)
        if laid is None:
            return super().stat(held.below, name)
        try:
            state = super().stat(held.below, name)
        except FileNotFoundError:
            return os.lstat(self.layer.folder)
        return state if is_real_folder(state) else os.lstat(self.layer.folder)

    def readlink(self, at: FolderHandle, name: str) -> str:
        """Return the target of a symbolic link in the vault; the layer has none."""
        held = _of(at)
        if held.below is None or self.layer.get((*held.way, name)) is not None:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), name)
        return super().readlink(held.below, name)

    @contextmanager
    def scan(self, at: FolderHandle) -> Iterator[Iterator["os.DirEntry[str]"]]:
        """Provide the entries of a folder: the vault's that nothing lies over, and the layer's."""
        held = _of(at)
        laid = self.layer.inside(held.way)
        new = [
            OverlayEntry(name, one.bytes_at if isinstance(one, LaidFile) else self.layer.folder)
            for name, one in laid.items()
            if not isinstance(one, Gone)
        ]
        own = cast("list[os.DirEntry[str]]", new)  # the system's class cannot be made, only imitated
        if held.below is None:
            yield iter(own)
            return
        with super().scan(held.below) as entries:
            yield iter([*(entry for entry in entries if entry.name not in laid), *own])

    def open_read(self, at: FolderHandle, name: str) -> int:
        """Open a name for reading."""
        held = _of(at)
        laid = self.layer.get((*held.way, name))
        if isinstance(laid, LaidFile):
            return super().open_read(str(laid.bytes_at.parent), laid.bytes_at.name)
        if laid is not None or held.below is None:
            raise _missing(name)
        return super().open_read(held.below, name)


def _of(at: FolderHandle) -> Hold:
    if not isinstance(at, Hold):
        raise TypeError("a folder of another disk was given")
    return at


def _missing(name: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
