"""The file in which versions are kept: whole or not at all whatever is torn off it, and never over its budget."""

import contextlib
import os
import random
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.versions.database import NAME, Database, content_of
from bridge.versions.states import KeepRules, KnownState
from tests.versions.recorded_vault import RecordedVault, digest


def noise(size: int) -> bytes:
    return random.Random(1).randbytes(size)  # noqa: S311 - noise that does not compress


def states_of(database: Database) -> dict[str, bytes | None]:
    """Each file with the bytes that are kept of it; each must be whole."""
    found = {}
    for path, known in database.files().items():
        assert known.digest is not None
        found[path] = database.content(known.digest)
        assert found[path] is not None
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, bytes | None]]]:
    """A database of which only the log has the latest, and its states after each transaction."""
    live, copy = tmp_path_factory.mktemp("live"), tmp_path_factory.mktemp("copy")
    states: list[dict[str, bytes | None]] = []
    with closing(Database(live, 50)) as database:
        database.checkpoint(truncate=True)
        states.append(states_of(database))
        for number in range(12):
            with database.writing():
                content = content_of(f"state {number}\n".encode() * (number + 1) * 40)
                database.put_content(content)
                database.put_file(f"note {number % 3}.md", KnownState(1, 1, 1, content.digest, float(number)))
            states.append(states_of(database))
        for file in live.iterdir():
            shutil.copy(file, copy)
    return copy, states


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_end_is_torn_off_an_earlier_state_is_there_and_whole(
    written: tuple[Path, list[dict[str, bytes | None]]], data: st.DataObject
) -> None:
    folder, states = written
    size = (folder / f"{NAME}-wal").stat().st_size
    assert size > 10_000
    left = data.draw(st.integers(0, size))
    garbage = data.draw(st.binary(max_size=40))
    with tempfile.TemporaryDirectory() as place:
        for name in (NAME, f"{NAME}-wal"):
            shutil.copy(folder / name, place)
        log = Path(place) / f"{NAME}-wal"
        os.truncate(log, left)
        with log.open("ab") as file:
            file.write(garbage)
        with closing(Database(Path(place), 50)) as database:
            assert states_of(database) in states
            with database.writing():
                database.put_file("after.md", KnownState(1, 1, 1, None, 0.0))
        with closing(Database(Path(place), 50)) as database:
            assert "after.md" in database.files()


def test_bytes_that_are_damaged_are_not_handed_out(tmp_path: Path) -> None:
    with closing(Database(tmp_path, 50)) as database:
        content = content_of(noise(1000))
        with database.writing():
            database.put_content(content)
    with closing(sqlite3.connect(tmp_path / NAME)) as raw:
        raw.execute("UPDATE contents SET data = ?", (b"x" * 1000,))
        raw.commit()
    with closing(Database(tmp_path, 50)) as database:
        assert database.content(content.digest) is None


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with closing(Database(tmp_path, 50)) as database:
        content = content_of(b"text")
        with contextlib.suppress(OSError), database.writing():
            database.put_content(content)
            raise OSError("torn")
        assert content.digest not in database.held
        assert database.content(content.digest) is None


def on_disk(recorded: RecordedVault) -> int:
    return sum(file.stat().st_size for file in recorded.store.iterdir())


@pytest.mark.slow
def test_the_budget_is_never_exceeded_and_what_matters_least_goes_first(tmp_path: Path) -> None:
    recorded = RecordedVault(tmp_path / "Vault", tmp_path / "store", rules=KeepRules(megabytes=50))
    chance = random.Random(7)  # noqa: S311 - noise that does not compress
    mine = chance.randbytes(600_000)
    recorded.write("mine.txt", mine)
    recorded.write("mine.md", mine[:1000])
    recorded.look()
    recorded.write("mine.md", b"an agent was here\n")
    recorded.look()
    entry = recorded.entries[0]
    highest = 0
    for number in range(90):
        recorded.clock.move(700)
        recorded.write(f"log {number % 4}.md", chance.randbytes(1_000_000))
        recorded.look()
        if number % 5 == 0:
            recorded.recorder.maintain()
        highest = max(highest, on_disk(recorded))
    assert 30 << 20 < highest <= 50 << 20
    assert recorded.recorder.kept().fault is None
    recorded.undo(entry)
    assert (recorded.folder / "mine.md").read_bytes() == mine[:1000]
    recorded.stop()


@pytest.mark.slow
def test_where_nothing_may_go_the_bytes_are_left_out_and_that_is_said(tmp_path: Path) -> None:
    recorded = RecordedVault(tmp_path / "Vault", tmp_path / "store", rules=KeepRules(megabytes=50))
    chance = random.Random(7)  # noqa: S311 - noise that does not compress
    for number in range(60):
        recorded.write(f"note {number}.md", chance.randbytes(1_000_000))
    recorded.look()
    kept = recorded.recorder.kept()
    assert on_disk(recorded) <= 50 << 20
    assert 20 < kept.whole < 60 == kept.files
    assert "outsideVersionsMegabytes" in (kept.fault or "")
    recorded.clock.move(3600)
    for number in range(60):
        (recorded.folder / f"note {number}.md").unlink()
    recorded.look()
    assert len(recorded.entries[0].effects) == 60
    plan = recorded.undo(recorded.entries[0])
    assert len(plan.changes) == kept.whole
    assert plan.warnings
    recorded.stop()


@pytest.mark.slow
def test_a_smaller_budget_is_kept_at_once(tmp_path: Path) -> None:
    recorded = RecordedVault(tmp_path / "Vault", tmp_path / "store", rules=KeepRules(megabytes=120))
    chance = random.Random(7)  # noqa: S311 - noise that does not compress
    for number in range(80):
        recorded.write(f"note {number}.md", chance.randbytes(1_000_000))
    recorded.look()
    assert on_disk(recorded) > 80 << 20
    recorded.rules = KeepRules(megabytes=50)
    recorded.recorder.maintain()
    assert on_disk(recorded) <= 50 << 20
    recorded.write("note 1.md", "small\n")
    recorded.look()
    assert recorded.recorder.bytes_of(digest(b"small\n")) == b"small\n"
    recorded.stop()


def test_a_full_file_is_said_and_the_index_goes_on(tmp_path: Path) -> None:
    recorded = RecordedVault(tmp_path / "Vault", tmp_path / "store")
    recorded.write("a.md", "one\n")
    recorded.look()
    database = recorded.recorder._db
    assert database is not None
    pages = database._db.execute("PRAGMA page_count").fetchone()[0]
    database._db.execute(f"PRAGMA max_page_count={pages}")
    for number in range(200):
        recorded.write(f"new {number}.md", f"text {number}\n" * 50)
    recorded.look()
    assert len(recorded.index.files()) == 201
    assert "full" in (recorded.recorder.kept().fault or "")
    database.set_budget(50)
    recorded.look()
    assert recorded.recorder.kept().fault is None
    assert recorded.recorder.kept().whole == 201
    assert len(recorded.entries[0].effects) == 200
    recorded.stop()


@pytest.mark.parametrize("kept_before", [False, True])
def test_after_a_transaction_that_failed_just_what_is_there_counts_as_kept(tmp_path: Path, kept_before: bool) -> None:
    """What counts as kept is not written again, and what is there cannot be written twice."""
    content = content_of(b"text\n")
    with closing(Database(tmp_path, 50)) as database:
        if kept_before:
            with database.writing():
                database.put_content(content)
        with contextlib.suppress(OSError), database.writing():
            if kept_before:
                database.drop_unused([content.digest])
            database.put_content(content)
            if not kept_before:
                database.drop_unused([content.digest])
            raise OSError("full")
        with database.writing():
            database.put_content(content)
        assert database.content(content.digest) == b"text\n"
