"""The log on disk: lines appended to `logs/tools.log`, and the generations that it was rotated into.

Oldest first: `tools.log.5.gz` to `tools.log.1.gz`, then `tools.log.0` (rotated and not yet packed), then `tools.log`.
Appending only ever renames; packing and dropping are `audit_housekeeping.py`'s matter, in the background.
"""

import contextlib
import errno
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Final

from bridge.audit.gzip_blocks import DamagedError
from bridge.audit.source import Source
from bridge.vault.folder import Folder

FOLDER: Final = "logs"
NAME: Final = "tools.log"
ROTATED: Final = f"{NAME}.0"
GENERATIONS: Final = tuple(f"{NAME}.{number}.gz" for number in (1, 2, 3, 4, 5))
"""Newest first (seed L: the last five, compressed)."""
MAX_SIZE: Final = 10 * 1024 * 1024
"""Bytes of the live file (seed L: 10 MB)."""


class AuditFiles:
    """The files of one log. May be used from several threads.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
        max_size: Bytes after which the live file is rotated.

    Attributes:
        lock: Held while names or the end of the live file change.
    """

    def __init__(self, state: Folder, max_size: int = MAX_SIZE) -> None:
        self._state = state
        self._max_size = max_size
        self.lock = threading.RLock()
        self._left_at: int | None = None
        """The size after our last line; a file of another size may end in the middle of one."""

    def append(self, line: bytes) -> None:
        """Write one line at the end, in one piece: the only place where the log is written to.

        Args:
            line: Without its line break, and without any in it.

        Raises:
            OSError: It could not be written wholly; then nothing of it is there, as far as the disk allows.
        """
        with self.lock, self.folder() as folder:
            fd = folder.append(NAME)
            try:
                size = os.fstat(fd).st_size
                if size and size + len(line) > self._max_size and _rotate(folder):
                    folder.disk.close(fd)
                    fd = -1
                    fd = folder.append(NAME)
                    size = 0
                start = b"" if size in {0, self._left_at} or _ends_with_break(folder) else b"\n"
                data = memoryview(start + line + b"\n")
                self._left_at = None
                _write(folder, fd, data, size)
                self._left_at = size + len(data)
            finally:
                if fd >= 0:
                    folder.disk.close(fd)

    @contextlib.contextmanager
    def sources(self) -> Iterator[list[Source]]:
        """All files, oldest first, as they are at this moment.

        Raises:
            OSError: The log cannot be read. One that does not exist has no files.
        """
        with contextlib.ExitStack() as stack:
            found: dict[str, Source] = {}
            with self.lock, contextlib.suppress(FileNotFoundError), self._state.child(FOLDER) as folder:
                names = set(folder.names())
                for name in (*reversed(GENERATIONS), ROTATED, NAME):
                    if name in names:
                        found[name] = stack.enter_context(Source(name, folder.open(name)))
            if is_packed_already(found):
                del found[ROTATED]
            yield list(found.values())

    def cut_torn_end(self) -> None:
        """Remove what a crash left of a line at the end of the live file.

        Raises:
            OSError: It could not be removed.
        """
        with self.lock, self.folder() as folder:
            with Source(NAME, folder.open(NAME)) as live:
                whole = live.size if live.ends_whole() else live.size - len(live.last())
            fd = folder.append(NAME)
            try:
                folder.disk.truncate(fd, whole)
            finally:
                folder.disk.close(fd)

    def sync(self) -> None:
        """Make everything that was appended durable.

        Raises:
            OSError: The disk failed.
        """
        with self._state.child(FOLDER) as folder:
            for name in (ROTATED, NAME):
                with self.lock:
                    fd = folder.append(name) if folder.exists(name) else None
                if fd is not None:
                    try:
                        folder.disk.fsync(fd)
                    finally:
                        folder.disk.close(fd)
            folder.sync()

    def replaced(self) -> None:
        """The live file is another one now. To be called with the lock held."""
        self._left_at = None

    def folder(self) -> Folder:
        """The folder of the logs, made when missing, for its user only."""
        try:
            return self._state.child(FOLDER)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # another thread was faster
                self._state.mkdir(FOLDER, mode=0o700)
            return self._state.child(FOLDER)


def is_packed_already(found: Mapping[str, Source]) -> bool:
    """Whether the rotated file is in the newest generation: a crash came before it was taken away."""
    packed, rotated = found.get(GENERATIONS[0]), found.get(ROTATED)
    if packed is None or rotated is None:
        return False
    try:
        return packed.first() == rotated.first()
    except DamagedError:
        return False


def _rotate(folder: Folder) -> bool:
    """Put the live file aside; False when the last one is still there, or another program holds it (Windows)."""
    if folder.exists(ROTATED):
        return False
    try:
        folder.replace(NAME, folder, ROTATED)
    except OSError:
        return False
    return True


def _write(folder: Folder, fd: int, data: memoryview, size: int) -> None:
    """Write all of it or nothing: the beginning of a line is taken away again."""
    written = folder.disk.write(fd, data)
    if written == len(data):
        return
    with contextlib.suppress(OSError):
        folder.disk.truncate(fd, size)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _ends_with_break(folder: Folder) -> bool:
    with folder.open(NAME) as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
