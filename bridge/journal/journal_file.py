"""The journal file: lines are only ever appended.

A line that a crash tore at the end is cut off; a line in the middle that cannot be read is reported and passed over.
"""

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass

from bridge.errors import ExecutionFailed
from bridge.journal.journal_records import Begin, Line, decode, encode
from bridge.vault.folder import Disk, Folder

NAME = "journal.jsonl"
_MAX_LINE = 1 << 28


@dataclass(frozen=True, slots=True)
class Written:
    """A line and where it is in the file."""

    offset: int
    line: Line


class Log:
    """The journal of one vault. Used by one thread at a time.

    Args:
        open_folder: Opens the folder it is in, made when missing.
    """

    def __init__(self, open_folder: Callable[[], Folder]) -> None:
        self._open_folder = open_folder
        self._disk = Disk()
        self._fd: int | None = None
        self._size = 0
        self._torn = False

    def load(self) -> tuple[list[Written], int]:
        """Every line that can be read, oldest first, and how many cannot. A torn end is cut off.

        Raises:
            OSError: The file cannot be read.
        """
        found: list[Written] = []
        damaged = offset = 0
        with self._open_folder() as folder:
            if not folder.exists(NAME):
                return [], 0
            with folder.open(NAME) as file:
                for data in file:
                    if not data.endswith(b"\n"):
                        break
                    if data.strip():
                        try:
                            found.append(Written(offset, decode(data)))
                        except ValueError:
                            damaged += 1
                    offset += len(data)
                torn = os.fstat(file.fileno()).st_size > offset
        if torn:
            self._cut(offset)
        return found, damaged

    def append(self, line: Line, *, sync: bool) -> int:
        """Add a line, in one write.

        Args:
            line: What happened or is about to.
            sync: Whether the line is durable when this returns.

        Returns:
            Where in the file it begins, for `read`.

        Raises:
            OSError: The disk is full or failed; the journal is as it was.
        """
        data = encode(line)
        fd = self._descriptor()
        if self._torn:
            self._cut(self._size)
        offset, disk = self._size, self._disk
        self._torn = True
        try:
            written = disk.write(fd, memoryview(data))
            while written < len(data):
                written += disk.write(fd, memoryview(data)[written:])
            if sync:
                disk.fsync(fd)
        except OSError:
            with contextlib.suppress(OSError):
                self._cut(offset)
            raise
        self._torn = False
        self._size = offset + len(data)
        return offset

    def read(self, offset: int) -> Begin:
        """The beginning of a change again.

        Args:
            offset: Where its line begins.

        Raises:
            ExecutionFailed: The journal no longer holds it.
        """
        try:
            with self._open_folder() as folder, folder.open(NAME) as file:
                file.seek(offset)
                line = decode(file.readline(_MAX_LINE))
        except (OSError, ValueError) as error:
            raise _lost() from error
        if not isinstance(line, Begin):
            raise _lost()
        return line

    def close(self) -> None:
        """Let the file go."""
        fd, self._fd = self._fd, None
        if fd is not None:
            self._disk.close(fd)

    def _descriptor(self) -> int:
        """The file, open for appending: opened anew when someone removed or replaced it under us."""
        if self._fd is not None and os.fstat(self._fd).st_nlink:
            return self._fd
        self.close()
        with self._open_folder() as folder:
            made = not folder.exists(NAME)
            self._disk = folder.disk
            self._fd = folder.append(NAME)
            self._size = os.fstat(self._fd).st_size
            self._torn = False
            if made:
                folder.sync()
        return self._fd

    def _cut(self, size: int) -> None:
        """Remove what comes after `size` bytes: the beginning of a line that did not become whole."""
        fd = self._descriptor()
        self._disk.truncate(fd, size)
        self._size = size
        self._torn = False


def _lost() -> ExecutionFailed:
    return ExecutionFailed(
        "The journal no longer holds this change, so it cannot be taken back; "
        "its files may still be in '.vault-bridge/backups', to be copied back by hand"
    )
