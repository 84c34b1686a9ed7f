"""What a start reads of the files is what the tables say, whatever became of the rows that make it fast."""

import contextlib
import os
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.index.knowledge import IndexedFile
from bridge.index.store import database
from bridge.index.store.database import FILE
from bridge.index.store.store import Store
from tests.index.index_world import World

FOLDERS = {"": ["a.md", "b.md"], "a": ["a/c.md"], "a/b": [], "é": ["é/x.md", "é/日本.png"], "z": []}

KILLED = """
import os, sys
from pathlib import Path
from bridge.clock import SystemClock
from bridge.index.store import store
from bridge.index.vault_index import VaultIndex
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot

index = VaultIndex(VaultFiles(VaultRoot(Path(sys.argv[1]))), SystemClock(), folder=Path(sys.argv[2]))
index.refresh()
if sys.argv[3] == "while it is kept":
    keep = store.keep_files
    def dying(connection):
        keep(connection)
        os._exit(9)
    store.keep_files = dying
    index.close()
os._exit(9)
"""


def file(path: str, size: int = 1) -> IndexedFile:
    return IndexedFile(path, size, 1_700_000_000_123_456_789, 2, 3)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Some files and folders, of which one is unsettled; kept for the next start."""
    store = Store(tmp_path, "vault")
    with store.change() as writing:
        for folder, paths in FOLDERS.items():
            if folder:
                writing.put_folder(folder)
            for path in paths:
                writing.put(file(path), None, settled=path != "a/c.md")
    store.keep_files()
    yield store
    store.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    folder, cache = tmp_path / "Vault", tmp_path / "cache"
    folder.mkdir()
    cache.mkdir(mode=0o700)
    with contextlib.closing(World(folder, cache)) as world:
        for number in range(20):
            world.write(f"Folder {number % 3}/Note {number}.md", f"[[Note {number + 1}]] #tag")
        world.index.refresh()
        yield world


def rows(place: Path) -> int:
    with contextlib.closing(sqlite3.connect(place / FILE)) as connection:
        return int(connection.execute("SELECT count(*) FROM file_list").fetchone()[0])


def spoil(place: Path, statement: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(place / FILE)) as connection, connection:
        connection.execute(statement, values)


@pytest.mark.parametrize("part", [1, 2, 5000])
def test_what_is_kept_is_what_the_tables_say(store: Store, monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    monkeypatch.setattr(database, "_PART", part)
    with store.change():
        pass
    from_tables = store.files()
    assert {folder: [found.path for found in files] for folder, files in from_tables.folders.items()} == FOLDERS
    assert from_tables.unsettled == ["a/c.md"]
    store.keep_files()
    assert store.files() == from_tables


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE file_list SET content = substr(content, 1, length(content) / 2)",
        "UPDATE file_list SET content = replace(content, 'b.md', 'B.md')",
        "UPDATE file_list SET content = NULL",
        "UPDATE file_list SET content = 'text'",
        "UPDATE file_list SET parts = parts + 1",
        "DELETE FROM file_list WHERE part = (SELECT max(part) FROM file_list)",
        "DELETE FROM file_list",
    ],
)
@pytest.mark.parametrize("part", [2, 5000])
def test_damaged_rows_are_as_if_they_were_not_there(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str, part: int
) -> None:
    monkeypatch.setattr(database, "_PART", part)
    with store.change():
        pass
    from_tables = store.files()
    store.keep_files()
    spoil(tmp_path, damage)
    assert store.files() == from_tables


@pytest.mark.parametrize("content", [b"[]", b"[[],[]]", b"[1,2,3]", b'[[["",9]],[["a.md"],[1]],[]]', b"null", b"\xff"])
def test_rows_of_another_form_are_as_if_they_were_not_there(store: Store, tmp_path: Path, content: bytes) -> None:
    kept = store.files()
    spoil(tmp_path, "UPDATE file_list SET content = ?, crc = ?", content, zlib.crc32(content))
    assert store.files() == kept


@pytest.mark.parametrize(
    "change",
    [
        lambda writing: writing.put(file("new.md"), None, settled=True),
        lambda writing: writing.touch(file("b.md", 7), settled=True),
        lambda writing: writing.touch(file("b.md"), settled=False),
        lambda writing: writing.discard("a.md"),
        lambda writing: writing.put_folder("new"),
        lambda writing: writing.discard_folder("z"),
    ],
)
def test_no_change_leaves_what_was_kept_before_it(store: Store, tmp_path: Path, change: Callable[..., None]) -> None:
    before = store.files()
    assert rows(tmp_path) == 1
    with store.change() as writing:
        change(writing)
    assert rows(tmp_path) == 0
    after = store.files()
    assert after != before
    store.keep_files()
    assert store.files() == after


def test_a_change_that_is_given_up_leaves_it(store: Store, tmp_path: Path) -> None:
    before = store.files()
    with pytest.raises(OverflowError), store.change() as writing:
        writing.put(file("new.md", 1 << 70), None, settled=True)
    assert (rows(tmp_path), store.files()) == (1, before)


def test_it_is_kept_when_the_index_stops(world: World) -> None:
    assert world.cache is not None
    world.index.close()
    assert rows(world.cache) == 1
    (world.folder / "Folder 1" / "Note 1.md").unlink()
    world.write("Folder 1/Note 2.md", "changed")
    world.open()
    world.index.refresh()
    assert world.wrong == []


@pytest.mark.parametrize("when", ["before it is kept", "while it is kept"])
def test_a_process_killed_before_it_is_kept_leaves_nothing_wrong(world: World, when: str) -> None:
    assert world.cache is not None
    world.index.close()
    world.write("Folder 1/Killed.md", "[[Note 1]]")
    command = [sys.executable, "-c", KILLED, str(world.folder), os.fspath(world.cache), when]
    assert subprocess.run(command, check=False).returncode == 9  # noqa: S603 - ours
    assert rows(world.cache) == 0
    world.write("Folder 1/Note 1.md", "changed")
    world.open()
    world.index.refresh()
    assert world.wrong == []
