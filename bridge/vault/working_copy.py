"""A copy of what may be seen of a vault, in which a program may do what it likes, and what it did there.

Nothing in the vault is touched. What is in folders whose name begins with a dot, what the user has closed, and what
is large and no note, is not in the copy.
"""

import contextlib
import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from bridge.vault.disk import as_failure
from bridge.vault.files import FileStat, VaultFiles, WalkedFolder
from bridge.vault.paths import folders_above, without_middle
from bridge.vault.plan import content_hash
from bridge.vault.text import is_note

_SHARE_BYTES: Final = 0x40049409
"""FICLONE: two files share their bytes until one of them changes, if the disk can do that (ioctl_ficlone(2))."""
_WORTH_SHARING: Final = 256 * 1024
_CHUNK: Final = 1 << 20
_LONGEST_SHOWN: Final = 200
_Signature = tuple[int, int, int, int]


class CopiedFile(NamedTuple):
    """One file of the copy as it was made.

    Attributes:
        source: The file in the vault, as it was then.
        digest: The hash of its bytes.
        signature: What tells whether the copy was touched.
    """

    source: FileStat
    digest: str
    signature: _Signature


@dataclass(slots=True)
class Differences:
    """The changes that were made in a copy. Paths are relative to the vault.

    Attributes:
        changed: The files whose content changed.
        made: The files that are new.
        gone: The files that are no longer there.
        folders_made: New folders without a file in them.
        folders_gone: Folders that are no longer there, inner ones first.
        odd: Entries that cannot be in a vault, with the reason.
        copied: The former state of the files in `changed` and `gone`.
    """

    changed: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    folders_made: list[str] = field(default_factory=list)
    folders_gone: list[str] = field(default_factory=list)
    odd: list[tuple[str, str]] = field(default_factory=list)
    copied: dict[str, CopiedFile] = field(default_factory=dict)


class WorkingCopy:
    """A copy of a vault's files. Made once, and thrown away after one use, so nothing planted in it is ever followed.

    Args:
        files: The vault's files, as far as they may be seen.
        place: A folder for the copy, which does not exist yet.
        largest: Bytes of the largest file that is copied; notes are copied whatever their size.

    Attributes:
        place: As given.
        left_out: The files that are too large, by their places in the vault.
    """

    def __init__(self, files: VaultFiles, place: Path, largest: int) -> None:
        self.place = place
        self.left_out: dict[str, Path] = {}
        self._files = files
        self._largest = largest
        self._copied: dict[str, CopiedFile] = {}
        self._folders: set[str] = set()

    def make(self) -> None:
        """Copy everything. Blocks. Raises OSError when there is no room."""
        self.place.mkdir(mode=0o700)
        for walked in self._files.walk_folders(include_hidden=True):
            folder = str(walked.folder.path) if walked.folder.path.parts else ""
            target = self.place / folder
            if folder:
                target.mkdir(mode=0o700, exist_ok=True)
                self._folders.add(folder)
            for file in walked.files:
                path = str(file.path)
                if is_too_large(file, self._largest):
                    self.left_out[path] = self._files.root.path / path
                    continue
                with contextlib.suppress(FileNotFoundError, PermissionError, NotADirectoryError):
                    self._copied[path] = _copy(walked, self.place / path, file)

    def differences(self) -> Differences:
        """Return what has changed since the copy. Blocks. Only plain files are opened; nothing is followed or run.

        What the program has closed, even to itself, is opened again: permissions are no change.
        """
        _make_readable(self.place, self.place.lstat())
        found = Differences(copied=self._copied)
        seen: set[str] = set()
        folders: set[str] = set()
        with_files: set[str] = set()
        for path, state in self._entries(found.odd):
            if path in self.left_out:
                continue
            if fault := _fault(path, state):
                found.odd.append((path, fault))
            elif stat.S_ISDIR(state.st_mode):
                folders.add(path)
            else:
                seen.add(path)
                with_files.update(folders_above(path))
                copied = self._copied.get(path)
                if copied is None:
                    found.made.append(path)
                elif _signature(state) != copied.signature and _hash(self.place / path) != copied.digest:
                    found.changed.append(path)
        found.gone = [path for path in self._copied if path not in seen]
        found.folders_made = sorted(folders - self._folders - with_files)
        found.folders_gone = sorted(self._folders - folders, key=lambda path: (-path.count("/"), path))
        return found

    def read(self, path: str) -> bytes:
        """Return the bytes of a file in the copy. Raises OSError, for a link too."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(self.place / path, flags), "rb") as file:
            return file.read()

    def size(self, path: str) -> int:
        """Return the bytes that a file in the copy has."""
        return (self.place / path).lstat().st_size

    def _entries(self, odd: list[tuple[str, str]]) -> Iterator[tuple[str, os.stat_result]]:
        """Yield everything in the copy, folders before what is in them; of dot-folders only that they are there.

        Folders that no path leads to are added to `odd`. Raises ExecutionFailed where another cannot be read: what is
        in it would seem to be gone.
        """
        pending = [""]
        while pending:
            folder = pending.pop()
            try:
                with os.scandir(self.place / folder) as entries:
                    inside = sorted((entry.name, entry.stat(follow_symlinks=False)) for entry in entries)
            except OSError as error:
                if error.errno != errno.ENAMETOOLONG:
                    raise as_failure(error, folder) from error
                odd.append((without_middle(folder, _LONGEST_SHOWN), "its path is too long"))
                continue
            for name, state in inside:
                path = f"{folder}/{name}" if folder else name
                if name == ".git":
                    continue  # where the vault's own is shown
                _make_readable(self.place / path, state)
                yield path, state
                if stat.S_ISDIR(state.st_mode) and not name.startswith("."):
                    pending.append(path)


def is_too_large(file: FileStat, largest: int) -> bool:
    """Return whether a file is left out of a copy because of its size."""
    return file.size > largest and not is_note(str(file.path))


def _copy(walked: WalkedFolder, target: Path, file: FileStat) -> CopiedFile:
    """Copy one file, sharing its bytes if the disk can do that. Raises OSError."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    mode = (file.mode & 0o777) | 0o600
    with walked.folder.open(file.path.name) as source, os.fdopen(os.open(target, flags, mode), "w+b") as copy:
        if file.size < _WORTH_SHARING:
            data = source.read()
            copy.write(data)
        else:
            if not _share(source, copy):
                shutil.copyfileobj(source, copy, _CHUNK)
                copy.flush()
            copy.seek(0)
            data = copy.read()
    digest = content_hash(data)
    with contextlib.suppress(OSError):
        os.utime(target, ns=(file.mtime_ns, file.mtime_ns))
    return CopiedFile(file, digest, _signature(target.lstat()))


def _share(source: BinaryIO, copy: BinaryIO) -> bool:
    if sys.platform != "linux":
        return False
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        fcntl.ioctl(copy.fileno(), _SHARE_BYTES, source.fileno())
    except OSError:
        return False
    return True


def _make_readable(place: Path, state: os.stat_result) -> None:
    """Let the owner of a file or folder of the copy look into it, if the program has taken that away."""
    wanted = {stat.S_IFDIR: 0o700, stat.S_IFREG: 0o400}.get(stat.S_IFMT(state.st_mode), 0)
    if state.st_mode & wanted != wanted:
        with contextlib.suppress(OSError):
            place.chmod(stat.S_IMODE(state.st_mode) | wanted)


def _signature(state: os.stat_result) -> _Signature:
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _hash(place: Path) -> str:
    try:
        return content_hash(place.read_bytes())
    except OSError:
        return ""


def _fault(path: str, state: os.stat_result) -> str:
    """Return why something cannot be taken over into a vault; empty if it can."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is no text"
    name = path.rpartition("/")[2]
    if stat.S_ISDIR(state.st_mode):
        return "folders whose name begins with a dot are not for tools" if name.startswith(".") else ""
    if stat.S_ISLNK(state.st_mode):
        return "it is a link"
    return "" if stat.S_ISREG(state.st_mode) else "it is no file"
