"""One connection that writes and a few that read, each used by one thread at a time."""

import contextlib
import queue
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from bridge.index.store.schema import FILE, connect, make_tables, open_file

READERS = 4
"""More would not be faster: SQLite's work is short, and there are few cores."""


class Connections:
    """The index's file, open; or an index in memory, which readers and the writer take turns at.

    The readers are opened at once, so that a file that is deleted while it is used loses nothing.

    Args:
        folder: Where the file lies; None keeps everything in memory.
        vault: The vault's real path.

    Raises:
        OSError: The folder cannot be used.
        sqlite3.Error: The file cannot be made.
    """

    def __init__(self, folder: Path | None, vault: str) -> None:
        self.in_memory = folder is None
        self._turn = threading.RLock()
        self._readers: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._all: list[sqlite3.Connection] = []
        if folder is None:
            self._writer = connect(":memory:")
            self._all.append(self._writer)
            make_tables(self._writer, vault)
            return
        self._writer = open_file(folder, vault)
        self._all.append(self._writer)
        try:
            for _ in range(READERS):
                self._all.append(connect(folder / FILE))
                self._readers.put(self._all[-1])
        except sqlite3.Error:
            self.close()
            raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to ask. What was committed before is seen; hold it only briefly."""
        if self.in_memory:
            with self._turn:
                yield self._writer
            return
        connection = self._readers.get()
        try:
            yield connection
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._readers.put(connection)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is seen afterwards, or nothing."""
        with self._turn:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._writer.execute("ROLLBACK")
                raise

    def checkpoint(self) -> None:
        """Bring what was written from SQLite's log into the file itself. It may wait for the disk."""
        with self.reading() as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Close everything, when nobody asks any more."""
        with self._turn:
            for connection in reversed(self._all):
                connection.close()
