"""The log on disk: lines appended at its end, and read from its end backwards."""

import errno
import os
import threading
from collections.abc import Iterator

from bridge.vault.folder import Folder

FOLDER = "logs"
NAME = "tools.log"

_BLOCK = 64 * 1024
_MAX_LINE = 4 * 1024 * 1024
"""No line of ours is longer; a longer one is passed over rather than held in memory."""


class AuditFile:
    """`.vault-bridge/logs/tools.log`. May be used from several threads.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
    """

    def __init__(self, state: Folder) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._left_at: int | None = None
        """The size after our last line; a file of another size may end in the middle of one."""

    def append(self, line: bytes) -> None:
        """Write one line at the end, in one piece: the only place where the log is written.

        What a crash left of a line stays where it is, and the new line begins on its own.

        Args:
            line: Without its line break, and without any in it.

        Raises:
            OSError: It could not be written, or not wholly.
        """
        with self._lock, self._folder() as folder:
            fd = folder.append(NAME)
            try:
                size = os.fstat(fd).st_size
                start = b"" if size in {0, self._left_at} or _ends_with_break(folder) else b"\n"
                data = memoryview(start + line + b"\n")
                self._left_at = None
                if folder.disk.write(fd, data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self._left_at = size + len(data)
            finally:
                folder.disk.close(fd)

    def backwards(self) -> Iterator[bytes]:
        """The lines, newest first, as they were when this began. Holds a few blocks in memory, however long the log.

        Raises:
            OSError: The log cannot be read. One that does not exist has no lines.
        """
        try:
            with self._state.child(FOLDER) as folder:
                file = folder.open(NAME)
        except FileNotFoundError:
            return
        with file:
            position = file.seek(0, os.SEEK_END)
            rest, too_long = b"", False
            while position > 0:
                size = min(_BLOCK, position)
                position -= size
                file.seek(position)
                lines = (file.read(size) + rest).split(b"\n")
                if too_long:
                    lines[-1] = b""
                    too_long = len(lines) == 1
                rest = lines[0]
                yield from filter(None, reversed(lines[1:]))
                if len(rest) > _MAX_LINE:
                    rest, too_long = b"", True
            if rest:
                yield rest

    def _folder(self) -> Folder:
        """The folder of the logs, made when missing, for its user only."""
        try:
            return self._state.child(FOLDER)
        except FileNotFoundError:
            self._state.mkdir(FOLDER, mode=0o700)
            return self._state.child(FOLDER)


def _ends_with_break(folder: Folder) -> bool:
    with folder.open(NAME) as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
