"""The vault as it was at a time: what other programs changed since is taken back together, as near as it is kept."""

import os
import sqlite3
from contextlib import closing

import pytest

from bridge.errors import Conflict, NotFound
from bridge.vault.plan import ChangeKind, ChangePlan
from bridge.versions.database import NAME, Database
from bridge.versions.restoring import EarlierPlan
from tests.versions.recorded_vault import RecordedVault, all_bytes, overwriting

MINUTE = 60.0


def now(recorded: RecordedVault) -> float:
    """The time, a minute after whatever was before."""
    recorded.clock.move(MINUTE)
    return recorded.clock.now().timestamp()


def go_back(recorded: RecordedVault, plan: EarlierPlan) -> ChangePlan:
    built = plan.build("then")
    recorded.apply(built, f"restore-{len(recorded.ledger.history())}")
    return built


def write_and_look(recorded: RecordedVault, path: str, data: bytes | str) -> None:
    recorded.clock.move(MINUTE)
    recorded.write(path, data)
    recorded.look()


def test_the_vault_is_as_it_was_whatever_was_done_to_it_since(recorded: RecordedVault) -> None:
    write_and_look(recorded, "a.md", b"\xef\xbb\xbf1\r\n")
    then, before = now(recorded), all_bytes(recorded.folder)
    write_and_look(recorded, "a.md", "2\n")
    write_and_look(recorded, "new.md", "new\n")
    (recorded.folder / "Folder" / "c.md").unlink()
    (recorded.folder / "Folder").rmdir()
    write_and_look(recorded, "a.md", "3\n")
    recorded.clock.move(MINUTE)
    (recorded.folder / "b.md").rename(recorded.folder / "moved.md")
    recorded.look()
    plan = go_back(recorded, recorded.restoring.earlier_plan(then))
    assert all_bytes(recorded.folder) == before
    assert any(change.kind is ChangeKind.MOVE for change in plan.changes)
    assert plan.warnings == ()
    with pytest.raises(NotFound, match="as it was"):
        recorded.restoring.earlier_plan(then).build("then")


def test_it_is_one_change_of_the_ledger_and_undone_like_any(recorded: RecordedVault) -> None:
    then = now(recorded)
    for number in range(20):
        write_and_look(recorded, f"note {number}.md", f"{number}\n")
    write_and_look(recorded, "a.md", "2\n")
    after = all_bytes(recorded.folder)
    go_back(recorded, recorded.restoring.earlier_plan(then))
    (change,) = recorded.ledger.history()
    recorded.apply(recorded.ledger.undo_plan(change.execution_id)[1], "undo-1")
    assert all_bytes(recorded.folder) == after


@pytest.mark.parametrize(
    ("within", "without", "left"),
    [("Folder", (), {"a.md"}), (None, ("Folder",), {"Folder/c.md"}), (None, ("a.md",), {"a.md"})],
)
def test_only_one_folder_or_all_but_some_files(
    recorded: RecordedVault, within: str | None, without: tuple[str, ...], left: set[str]
) -> None:
    then, before = now(recorded), all_bytes(recorded.folder)
    write_and_look(recorded, "a.md", "2\n")
    write_and_look(recorded, "Folder/c.md", "2\n")
    go_back(recorded, recorded.restoring.earlier_plan(then, within, without))
    now_there = all_bytes(recorded.folder)
    assert {path for path in before if before[path] != now_there[path]} == left


def test_a_deleted_folder_comes_back_out_of_an_entry_that_did_more(recorded: RecordedVault) -> None:
    recorded.write("Folder/Deep/d.md", "four\n")
    recorded.look()
    recorded.clock.move(MINUTE)
    (recorded.folder / "a.md").unlink()
    for path in ("Folder/c.md", "Folder/Deep/d.md"):
        (recorded.folder / path).unlink()
    (recorded.folder / "Folder" / "Deep").rmdir()
    (recorded.folder / "Folder").rmdir()
    recorded.look()
    recorded.undo(recorded.entries[0], ["Folder"])
    assert all_bytes(recorded.folder) == {
        "b.md": b"two\n",
        "Folder/c.md": b"three\n",
        "Folder/Deep/d.md": b"four\n",
    }
    with pytest.raises(NotFound, match="nothing to do"):
        recorded.restoring.undo_plan(recorded.entries[0].id, ["Fold"])


def test_a_file_that_was_changed_since_stays_and_the_diff_is_shown(recorded: RecordedVault) -> None:
    then = now(recorded)
    write_and_look(recorded, "a.md", "theirs\n")
    write_and_look(recorded, "b.md", "theirs\n")
    recorded.write("a.md", "mine\n")
    plan = recorded.restoring.earlier_plan(then)
    (left,) = plan.left
    assert (left.path, left.why) == ("a.md", "it was changed since")
    assert left.diff is not None
    assert "-mine\n+one" in left.diff.diff
    built = go_back(recorded, plan)
    assert any("a.md stays as it is" in warning for warning in built.warnings)
    there = all_bytes(recorded.folder)
    assert (there["a.md"], there["b.md"]) == (b"mine\n", b"two\n")


def test_what_the_bridge_changed_in_between_is_not_taken_back_with_it(recorded: RecordedVault) -> None:
    then = now(recorded)
    write_and_look(recorded, "a.md", "theirs\n")
    recorded.apply(overwriting(recorded, "a.md", "ours\n"), "ours-1")
    write_and_look(recorded, "a.md", "theirs again\n")
    with pytest.raises(Conflict, match="the bridge changed it too"):
        recorded.restoring.earlier_plan(then).build("then")
    assert (recorded.folder / "a.md").read_bytes() == b"theirs again\n"


def test_what_was_undone_in_between_is_in_nobodys_way(recorded: RecordedVault) -> None:
    then = now(recorded)
    write_and_look(recorded, "a.md", "theirs\n")
    recorded.undo(recorded.entries[0])
    write_and_look(recorded, "a.md", "theirs again\n")
    go_back(recorded, recorded.restoring.earlier_plan(then))
    assert (recorded.folder / "a.md").read_bytes() == b"one\n"


def test_in_the_middle_of_an_entry_it_is_the_state_of_that_time(recorded: RecordedVault) -> None:
    write_and_look(recorded, "a.md", "1\n")
    recorded.clock.move(100)
    recorded.write("a.md", "2\n")
    recorded.look()
    recorded.clock.move(30)
    then = recorded.clock.now().timestamp()
    recorded.clock.move(100)
    recorded.write("a.md", "3\n")
    recorded.look()
    assert len(recorded.entries) == 1
    go_back(recorded, recorded.restoring.earlier_plan(then))
    assert (recorded.folder / "a.md").read_bytes() == b"2\n"


def test_a_file_that_was_not_touched_since_stays_though_its_entry_went_on(recorded: RecordedVault) -> None:
    recorded.clock.move(MINUTE)
    recorded.write("a.md", "1\n")
    (recorded.folder / "b.md").unlink()
    recorded.look()
    recorded.clock.move(2)
    then = recorded.clock.now().timestamp()
    recorded.clock.move(2)
    recorded.write("Folder/c.md", "3\n")
    recorded.look()
    assert len(recorded.entries) == 1
    go_back(recorded, recorded.restoring.earlier_plan(then))
    assert all_bytes(recorded.folder) == {"a.md": b"1\n", "Folder/c.md": b"three\n"}


def test_of_a_burst_the_nearest_state_is_taken_and_that_is_said(recorded: RecordedVault) -> None:
    recorded.clock.move(MINUTE)
    for number in range(4):
        recorded.write("a.md", f"{number}\n")
        recorded.look()
        recorded.clock.move(2)
        if number == 1:
            then = recorded.clock.now().timestamp()
    plan = recorded.restoring.earlier_plan(then)
    assert list(plan.nearest) == ["a.md"]
    assert plan.nearest["a.md"] < then
    built = go_back(recorded, plan)
    assert "a.md goes back to what it was at" in built.warnings[0]
    assert (recorded.folder / "a.md").read_bytes() == b"one\n"


def test_what_was_made_shortly_before_that_time_is_not_deleted(recorded: RecordedVault) -> None:
    recorded.clock.move(MINUTE)
    for number in range(3):
        recorded.write("new.md", f"{number}\n")
        recorded.look()
        recorded.clock.move(1)
        if number == 1:
            then = recorded.clock.now().timestamp()
        recorded.clock.move(1)
    with pytest.raises(Conflict, match=r"new\.md: "):
        recorded.restoring.earlier_plan(then).build("then")
    assert (recorded.folder / "new.md").read_bytes() == b"2\n"


def test_bytes_that_were_never_kept_are_refused_and_not_guessed(recorded: RecordedVault) -> None:
    write_and_look(recorded, "large.png", b"\x89PNG\r\n\x1a\n" + os.urandom(20_000_000))
    then = now(recorded)
    write_and_look(recorded, "large.png", b"\x89PNG\r\n\x1a\n" + os.urandom(100))
    with pytest.raises(Conflict, match="not kept"):
        recorded.restoring.earlier_plan(then).build("then")


def test_where_a_folder_lies_now_or_a_file_in_its_place_the_rest_comes_back(recorded: RecordedVault) -> None:
    then = now(recorded)
    (recorded.folder / "a.md").unlink()
    write_and_look(recorded, "a.md/inner.md", "a folder\n")
    (recorded.folder / "Folder" / "c.md").unlink()
    (recorded.folder / "Folder").rmdir()
    write_and_look(recorded, "Folder", "a file\n")
    write_and_look(recorded, "b.md", "2\n")
    plan = recorded.restoring.earlier_plan(then)
    go_back(recorded, plan)
    assert (recorded.folder / "b.md").read_bytes() == b"two\n"
    assert {one.path for one in plan.left} == {"a.md", "Folder/c.md"}


def test_a_file_made_by_an_earlier_version_is_taken_up(recorded: RecordedVault) -> None:
    write_and_look(recorded, "a.md", "1\n")
    (before,) = recorded.entries
    recorded.stop()
    with closing(sqlite3.connect(recorded.store / NAME)) as raw:
        raw.execute("DROP INDEX effects_file")
        raw.execute("ALTER TABLE files DROP COLUMN file_id")
        for column in ("began", "ended", "file_id"):
            raw.execute(f"ALTER TABLE effects DROP COLUMN {column}")
        raw.execute("ALTER TABLE entries DROP COLUMN origin")
        raw.execute("PRAGMA user_version=1")
        raw.commit()
    recorded.start()
    recorded.look()
    assert recorded.entries == [before]
    plan = recorded.restoring.earlier_plan(before.began - 1)
    go_back(recorded, plan)
    assert (recorded.folder / "a.md").read_bytes() == b"one\n"
    assert isinstance(recorded.recorder._db, Database)
