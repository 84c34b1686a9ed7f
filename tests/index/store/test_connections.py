"""Who waits for the index's file is let go when it is closed, and nothing that fails takes a place for good."""

import sqlite3
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.index.store.database import READERS, Connections
from tests.patience import PATIENCE


def test_who_waits_for_a_reader_ends_when_all_are_closed(tmp_path: Path) -> None:
    connections = Connections(tmp_path, "/vault")
    reading, closed = threading.Barrier(READERS + 1), threading.Event()

    def ask(hold: bool) -> None:
        with suppress(sqlite3.Error), connections.reading() as connection:
            if hold:
                reading.wait(PATIENCE)
                closed.wait(PATIENCE)
            connection.execute("SELECT 1").fetchall()

    asking = [threading.Thread(target=ask, args=(True,), daemon=True) for _ in range(READERS)]
    for thread in asking:
        thread.start()
    reading.wait(PATIENCE)
    late = [threading.Thread(target=ask, args=(False,), daemon=True) for _ in range(2 * READERS)]
    for thread in late:
        thread.start()
    connections.close()
    closed.set()
    for thread in (*asking, *late):
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_reading_that_fails_gives_its_place_back(tmp_path: Path) -> None:
    connections = Connections(tmp_path, "/vault")
    for _ in range(2 * READERS):
        with pytest.raises(sqlite3.OperationalError), connections.reading() as connection:
            connection.execute("SELECT nothing FROM nowhere")
    connections.close()
