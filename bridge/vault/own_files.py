"""Files of the bridge's own: small ones that are replaced whole, and those whose lines are only ever appended."""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator, Mapping

from bridge.vault.folder import Folder


@contextlib.contextmanager
def open_to_append(folder: Folder, name: str) -> Iterator[int]:
    """Hold a file of the bridge's own open for writing at its end, made when missing: its descriptor."""
    fd = folder.append(name)
    try:
        yield fd
    finally:
        folder.disk.close(fd)


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
        with open_to_append(folder, self._name) as fd:
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
        with open_to_append(folder, self._name) as fd:
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
