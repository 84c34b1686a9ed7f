"""A process that is killed while it reads the vault, and a disk that is full: answers are right all the same."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.index.index_world import World

pytestmark = pytest.mark.slow

BUILD = """
import os, sys
from pathlib import Path
from bridge.clock import SystemClock
from bridge.index.indexer import Indexer
from bridge.index.vault_index import VaultIndex
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot

kill_at, where = int(sys.argv[3]), sys.argv[4]
commit, done = Indexer._commit, []

def dying(ingest, batch):
    if where == "before" and len(done) == kill_at:
        os._exit(9)
    commit(ingest, batch)
    done.append(1)
    if where == "after" and len(done) == kill_at:
        ingest._state.texts.save()
        os._exit(9)

Indexer._commit = dying
index = VaultIndex(VaultFiles(VaultRoot(Path(sys.argv[1]))), SystemClock(), folder=Path(sys.argv[2]))
index.refresh()
os._exit(9)
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    folder, cache = tmp_path / "Vault", tmp_path / "cache"
    folder.mkdir()
    cache.mkdir()
    for number in range(700):
        (folder / f"Folder {number % 7}").mkdir(exist_ok=True)
        text = f"---\naliases: n{number}\n---\n[[Note {number + 1}]] #tag{number % 5} words\n"
        (folder / f"Folder {number % 7}" / f"Note {number}.md").write_text(text, encoding="utf-8")
    with contextlib.closing(World(folder, cache)) as world:
        yield world


@pytest.mark.slow
@pytest.mark.parametrize(("at", "where"), [(0, "before"), (1, "before"), (1, "after"), (2, "after"), (99, "after")])
def test_a_process_killed_while_it_builds_leaves_nothing_wrong(world: World, at: int, where: str) -> None:
    world.index.close()
    command = [sys.executable, "-c", BUILD, str(world.folder), str(world.cache), str(at), where]
    assert subprocess.run(command, check=False).returncode == 9  # noqa: S603 - ours
    (world.folder / "Folder 1" / "Note 1.md").write_text("changed since [[Note 5]]", encoding="utf-8")
    (world.folder / "Folder 2" / "Note 2.md").unlink()
    world.open()
    world.index.refresh()
    assert world.wrong == []


def test_a_disk_that_is_full_is_done_without(world: World, caplog: pytest.LogCaptureFixture) -> None:
    store = world.index._state.store
    with store.writing() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    store._writer.execute(f"PRAGMA max_page_count = {pages + 20}")
    world.index.refresh()
    world.index.refresh()
    assert world.wrong == []
    assert world.index._state.store is not store
    assert "full" in caplog.text


def test_a_question_that_is_wrong_loses_nothing(world: World) -> None:
    world.index.refresh()
    store = world.index._state.store
    with pytest.raises(sqlite3.Error, match="syntax"):
        world.index.search(lambda connection: connection.execute("SELECT FROM").fetchall())
    with pytest.raises(sqlite3.Error, match="fts5"):
        world.index.search(lambda connection: connection.execute("SELECT * FROM fulltext('AND')").fetchall())
    assert world.index._state.store is store


def test_a_worn_full_text_index_is_filled_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.store.fulltext.MANY_DISCARDED", 20)
    for place in world.folder.rglob("*.md"):
        os.utime(place, ns=(10**18, 10**18))
    world.index.refresh()
    for round_ in range(3):
        for number in range(300):
            place = world.write(f"Folder {number % 7}/Note {number}.md", f"round {round_} [[Note 5]] number{number}")
            os.utime(place, ns=(10**18 + round_, 10**18 + round_))
        world.index.refresh()
    key = world.index.search(lambda connection: connection.execute("SELECT key FROM fulltext_made").fetchone())
    world.index._state.tidy(lambda: True)
    assert world.index.status().indexing
    world.index.refresh()
    assert world.wrong == []
    assert key != world.index.search(lambda connection: connection.execute("SELECT key FROM fulltext_made").fetchone())
    discarded = "SELECT count(*) FROM fulltext_discarded"
    assert world.index.search(lambda connection: connection.execute(discarded).fetchone()) == (0,)
    world.reopen()
    world.write("Folder 1/Note 1.md", "again")
    world.index.refresh()
    assert world.index.search(lambda connection: connection.execute(discarded).fetchone()) == (1,)
