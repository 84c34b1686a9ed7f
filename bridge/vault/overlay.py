"""A vault with changes laid over it: every look shows them, and the disk has none of them.

`Layer` holds what differs: files with other bytes, new folders, names that are gone. `OverlayDisk` is the system calls
of a vault seen through one. It only looks: whatever would change the disk is refused with `EROFS`, so nothing that is
built on it (`VaultRoot`, `VaultFiles`, the index) can write to the vault by mistake.
"""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from bridge.vault.disk import Disk, FolderHandle, Hold, is_real_folder, plain
from bridge.vault.paths import VaultPath

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
        del follow_symlinks
        return not self.is_dir()

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether it is a folder."""
        del follow_symlinks
        return Path(self.path).is_dir()

    def is_symlink(self) -> bool:
        """Return False: it never is a link."""
        return False

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return its state."""
        del follow_symlinks
        return os.lstat(self.path)


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
