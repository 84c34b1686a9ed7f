"""The log on disk: lines appended to `logs/tools.log`, and the generations that it was rotated into.

Oldest first: `tools.log.5.gz` to `tools.log.1.gz`, then `tools.log.0` (rotated and not yet packed), then `tools.log`.
Appending only ever renames; `rotation.py` packs and drops, in the background.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from typing import Final

from bridge.audit.log_file import LogFile
from bridge.vault.folder import Folder
from bridge.vault.line_file import LineFile

FOLDER: Final = "logs"
NAME: Final = "tools.log"
ROTATED: Final = f"{NAME}.0"
GENERATIONS: Final = tuple(f"{NAME}.{number}.gz" for number in (1, 2, 3, 4, 5))
"""Newest first."""
MAX_SIZE: Final = 10 * 1024 * 1024
"""Bytes of the live file after which it is rotated."""


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
        self._live = LineFile(NAME)

    def append(self, line: bytes) -> None:
        """Write one line at the end, in one piece: the only place where the log is written to.

        Args:
            line: Without its line break, and without any in it.

        Raises:
            OSError: It could not be written wholly; then nothing of it is there, as far as the disk allows.
        """
        with self.lock, self.folder() as folder:
            self._make_room(folder, len(line))
            self._live.append(folder, line + b"\n")

    @contextlib.contextmanager
    def sources(self) -> Iterator[list[LogFile]]:
        """All files, oldest first, as they are at this moment.

        Raises:
            OSError: The log cannot be read. One that does not exist has no files.
        """
        with contextlib.ExitStack() as stack:
            found: dict[str, LogFile] = {}
            with self.lock, contextlib.suppress(FileNotFoundError), self._state.child(FOLDER) as folder:
                names = set(folder.names())
                for name in (*reversed(GENERATIONS), ROTATED, NAME):
                    if name in names:
                        found[name] = stack.enter_context(LogFile(name, folder.open(name)))
            if is_packed_already(found):
                del found[ROTATED]
            yield list(found.values())

    def cut_torn_end(self) -> None:
        """Remove what a crash left of a line at the end of the live file.

        Raises:
            OSError: It could not be removed.
        """
        with self.lock, self.folder() as folder:
            with LogFile(NAME, folder.open(NAME)) as live:
                whole = live.size if live.ends_whole() else live.size - len(live.last())
            self._live.cut(folder, whole)

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

    def _make_room(self, folder: Folder, size: int) -> None:
        """Put the live file aside when so many bytes more are too many.

        It grows on while the last one is still there, or another program holds it (Windows).
        """
        try:
            full = folder.stat(NAME).st_size > max(self._max_size - size, 0)
            if full and not folder.exists(ROTATED):
                folder.replace(NAME, folder, ROTATED)
        except OSError:
            return

    def folder(self) -> Folder:
        """The folder of the logs, made when missing, for its user only."""
        try:
            return self._state.child(FOLDER)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):  # another thread was faster
                self._state.mkdir(FOLDER, mode=0o700)
            return self._state.child(FOLDER)


def is_packed_already(found: Mapping[str, LogFile]) -> bool:
    """Whether the rotated file is in the newest generation: a crash came before it was taken away."""
    packed, rotated = found.get(GENERATIONS[0]), found.get(ROTATED)
    return packed is not None and rotated is not None and packed.first() == rotated.first() != b""
