"""A file that another program moved is one move, also where it was changed, by what the system knows it by."""

import os
from pathlib import Path

import pytest

from bridge.errors import Conflict
from tests.versions.recorded_vault import RecordedVault, all_bytes

NOTE = "# Plans\n\n" + "".join(f"- line {number} of the plans\n" for number in range(30))


@pytest.fixture
def plans(recorded: RecordedVault) -> Path:
    """A note of some lines, known since a minute."""
    recorded.write("Plans.md", NOTE)
    recorded.look()
    recorded.recorder.end_entry()
    recorded.clock.move(60)
    return recorded.folder / "Plans.md"


def test_a_note_that_was_moved_and_changed_is_one_move_and_taken_back(recorded: RecordedVault, plans: Path) -> None:
    before = all_bytes(recorded.folder)
    new = plans.rename(recorded.folder / "Folder" / "Old plans.md")
    new.write_text(NOTE.replace("line 3 ", "row 3 "))
    recorded.look()
    assert recorded.done()[-1] == {"Plans.md": "Folder/Old plans.md"}
    (shown,) = recorded.restoring.diff(recorded.entries[0]).files
    assert (shown.change, shown.new_path, shown.added, shown.removed) == ("move", "Folder/Old plans.md", 1, 1)
    assert not recorded.restoring.is_undone(recorded.entries[0])
    recorded.undo(recorded.entries[0])
    assert all_bytes(recorded.folder) == before
    recorded.look()
    assert recorded.restoring.is_undone(recorded.entries[0])
    (change,) = recorded.ledger.history()
    recorded.apply(recorded.ledger.undo_plan(change.execution_id)[1], "undo-1")
    assert (recorded.folder / "Folder" / "Old plans.md").read_text() == NOTE.replace("line 3 ", "row 3 ")


def test_it_is_recognised_in_whatever_order_it_is_seen_and_after_a_restart(
    recorded: RecordedVault, plans: Path
) -> None:
    recorded.stop()
    plans.rename(recorded.folder / "0 first.md").write_text(NOTE + "more\n")
    recorded.start()
    recorded.look()
    assert recorded.done()[-1] == {"Plans.md": "0 first.md"}


def test_a_copy_beside_it_does_not_hide_which_of_them_was_moved(recorded: RecordedVault, plans: Path) -> None:
    (recorded.folder / "copy.md").write_text(NOTE)
    plans.rename(recorded.folder / "moved.md")
    recorded.look()
    assert recorded.done()[-1] == {"Plans.md": "moved.md", "copy.md": "made"}


def test_a_moved_note_that_is_saved_again_as_another_file_stays_one_move(recorded: RecordedVault, plans: Path) -> None:
    new = plans.rename(recorded.folder / "moved.md")
    recorded.look()
    for number in range(3):
        (recorded.folder / ".saving").write_text(NOTE + f"{number}\n")
        (recorded.folder / ".saving").replace(new)
        recorded.clock.move(1)
        recorded.look()
    assert recorded.done()[-1] == {"Plans.md": "moved.md"}
    assert recorded.restoring.diff(recorded.entries[0]).files[0].added == 1


def test_another_file_that_the_system_calls_the_same_is_no_move(recorded: RecordedVault, plans: Path) -> None:
    known_by = plans.stat().st_ino
    plans.rename(recorded.folder / "other.md")
    (recorded.folder / "other.md").write_text("Something else altogether: 0123456789\n" * 20)
    assert (recorded.folder / "other.md").stat().st_ino == known_by
    recorded.look()
    assert recorded.done()[-1] == {"Plans.md": "gone", "other.md": "made"}


def test_what_was_moved_and_changed_since_stays(recorded: RecordedVault, plans: Path) -> None:
    new = plans.rename(recorded.folder / "moved.md")
    new.write_text(NOTE + "theirs\n")
    recorded.look()
    new.write_text(NOTE + "mine\n")
    with pytest.raises(Conflict, match="changed, moved or deleted since"):
        recorded.undo(recorded.entries[0])
    assert new.read_text() == NOTE + "mine\n"


@pytest.mark.skipif(os.name != "posix", reason="names differ in case alone")
def test_a_move_to_other_letters_of_the_same_name_is_taken_back(recorded: RecordedVault, plans: Path) -> None:
    plans.rename(recorded.folder / "PLANS.md")
    recorded.look()
    assert recorded.done()[-1] == {"Plans.md": "PLANS.md"}
    recorded.undo(recorded.entries[0])
    assert "Plans.md" in all_bytes(recorded.folder)
    assert "PLANS.md" not in all_bytes(recorded.folder)
