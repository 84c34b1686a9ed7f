"""Someone else's hand between a crash and the recovery, or while it runs: what they wrote is never touched."""

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.errors import Conflict
from bridge.journal.journal import BeginRecord, Recovery, encode
from bridge.journal.ledger import Ledger
from tests.journal.small_vault import FILES, SHAPES, HookedDisk, Killed, SmallVault, Step, plan_of

EDIT = b"typed by a person\n"
IDEAS, MEETING, OLD, EMPTY, SCAN, _ = FILES


def old(path: str) -> bytes:
    return FILES[path][1]


def at(operation: str, name: str, act: Callable[[], None]) -> Callable[[int, str, str], None]:
    """A hook that acts once, before the first such operation."""
    acted = False

    def hook(_number: int, done: str, about: str) -> None:
        nonlocal acted
        if not acted and (done, about) == (operation, name):
            acted = True
            act()

    return hook


def die() -> None:
    raise Killed


def crash(small: SmallVault, steps: tuple[Step, ...], hook: Callable[[int, str, str], None]) -> None:
    """Apply a plan in a process that dies at some operation."""
    with pytest.raises(Killed), small.ledger(HookedDisk(hook)) as ledger:
        ledger.apply(plan_of(*steps), small.cause("change-x"))


def recover(small: SmallVault, hook: Callable[[int, str, str], None] | None = None) -> Recovery:
    """The next start."""
    with small.ledger(HookedDisk(hook) if hook else None, recover=False) as ledger:
        return ledger.recover()


def kept(small: SmallVault) -> dict[str, bytes]:
    """What is in the backups of the change."""
    folder = small.backup("change-x")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


TWO = (("modify", MEETING, old(MEETING), b"ours\n"), ("modify", EMPTY, b"", b"ours too\n"))


def edit_then_die(small: SmallVault, target: str, operation: str, name: str) -> Callable[[int, str, str], None]:
    """An edit in the last instant before a file is taken, and a kill before anyone could look at what was taken."""
    taken = False

    def hook(_number: int, done: str, about: str) -> None:
        nonlocal taken
        if taken:
            raise Killed
        if (done, about) == (operation, name):
            small.write(target, EDIT)
            taken = True

    return hook


def test_an_edit_that_was_swapped_out_unseen_is_put_back_after_a_kill(small: SmallVault) -> None:
    crash(small, TWO, edit_then_die(small, MEETING, "swap", "Meeting.md"))
    assert small.read(MEETING) == b"ours\n"
    recovery = recover(small)
    assert small.read(MEETING) == EDIT
    assert recovery.rolled_back == ("change-x",)
    assert not [path for path in small.tree() if ".vault-bridge-" in path]


def test_an_edit_that_was_taken_out_for_deletion_unseen_is_put_back_after_a_kill(small: SmallVault) -> None:
    name = ".vault-bridge-change-x-0.swap"
    crash(small, (("delete", MEETING, old(MEETING)),), edit_then_die(small, MEETING, "move_new", name))
    assert not (small.folder / MEETING).exists()
    recovery = recover(small)
    assert small.read(MEETING) == EDIT
    assert recovery.rolled_back == ("change-x",)


def test_an_edit_that_was_swapped_out_unseen_is_kept_when_its_place_is_taken_by_another(small: SmallVault) -> None:
    crash(small, TWO, edit_then_die(small, MEETING, "swap", "Meeting.md"))
    small.write(MEETING, b"typed even later\n")
    recovery = recover(small)
    assert small.read(MEETING) == b"typed even later\n"
    assert kept(small) == {MEETING: EDIT}
    assert recovery.conflicted == ("change-x",)
    assert f"kept as {MEETING!r}" in recovery.messages[0]


def test_two_files_that_have_no_other_place_are_both_kept(small: SmallVault) -> None:
    crash(small, TWO, edit_then_die(small, MEETING, "swap", "Meeting.md"))
    small.write(MEETING, b"typed even later\n")
    (small.folder / "Notes" / ".vault-bridge-change-x-7.back").write_bytes(b"nobody knows this\n")
    recover(small)
    assert kept(small) == {MEETING: EDIT, f"{MEETING}.1": b"nobody knows this\n"}


def test_both_are_kept_where_the_name_has_no_room_for_a_number(small: SmallVault) -> None:
    long = f"{'ü' * 126}.md"
    small.write(long, b"old\n")
    crash(small, (("modify", long, b"old\n", b"ours\n"),), edit_then_die(small, long, "swap", long))
    small.write(long, b"typed even later\n")
    (small.folder / ".vault-bridge-change-x-7.back").write_bytes(b"nobody knows this\n")
    assert recover(small).conflicted == ("change-x",)
    assert sorted(kept(small).values()) == sorted([EDIT, b"nobody knows this\n"])
    assert small.read(long) == b"typed even later\n"


def test_an_edit_during_the_recovery_is_not_overwritten(small: SmallVault) -> None:
    crash(small, TWO, at("swap", "2024.md", die))
    recovery = recover(small, at("swap", "Meeting.md", lambda: small.write(MEETING, EDIT)))
    assert small.read(MEETING) == EDIT
    assert recovery.conflicted == ("change-x",)
    assert kept(small) == {MEETING: old(MEETING)}


def test_where_names_cannot_change_places_an_edit_during_the_recovery_is_not_overwritten(small: SmallVault) -> None:
    with pytest.raises(Killed), small.ledger(HookedDisk(at("replace", "2024.md", die), swaps=False)) as ledger:
        ledger.apply(plan_of(*TWO), small.cause("change-x"))
    edit = at("create", ".vault-bridge-change-x-0.part", lambda: small.write(MEETING, EDIT))
    with small.ledger(HookedDisk(edit, swaps=False), recover=False) as ledger:
        assert ledger.recover().conflicted == ("change-x",)
    assert small.read(MEETING) == EDIT
    assert kept(small)[MEETING] == old(MEETING)


def test_a_new_file_that_is_edited_during_the_recovery_stays(small: SmallVault) -> None:
    steps = (("create", "New.md", b"ours\n"), *TWO)
    crash(small, steps, at("swap", "Meeting.md", die))
    back = ".vault-bridge-change-x-0.back"
    recovery = recover(small, at("move_new", back, lambda: small.write("New.md", EDIT)))
    assert small.read("New.md") == EDIT
    assert recovery.conflicted == ("change-x",)


def test_a_file_that_appears_where_a_deleted_one_comes_back_stays(small: SmallVault) -> None:
    steps = (("delete", MEETING, old(MEETING)), *TWO[1:])
    crash(small, steps, at("swap", "2024.md", die))
    recovery = recover(small, at("move_new", "Meeting.md", lambda: small.write(MEETING, EDIT)))
    assert small.read(MEETING) == EDIT
    assert recovery.conflicted == ("change-x",)
    assert kept(small) == {MEETING: old(MEETING)}


def test_a_moved_file_whose_old_place_was_taken_is_kept(small: SmallVault) -> None:
    steps = (("move", MEETING, "Moved.md", old(MEETING)), *TWO[1:])
    crash(small, steps, at("swap", "2024.md", die))
    small.write(MEETING, EDIT)
    recovery = recover(small)
    assert small.read(MEETING) == EDIT
    assert recovery.conflicted == ("change-x",)
    assert kept(small) == {MEETING: old(MEETING)}
    assert not (small.folder / "Moved.md").exists()


def test_files_whose_folder_is_gone_are_kept(small: SmallVault) -> None:
    steps = (("delete", MEETING, old(MEETING)), ("delete", OLD, old(OLD)), *TWO[1:])
    crash(small, steps, at("swap", "2024.md", die))
    shutil.rmtree(small.folder / "Notes")
    recovery = recover(small)
    assert recovery.conflicted == ("change-x",)
    assert kept(small) == {MEETING: old(MEETING), OLD: old(OLD)}
    assert small.read(EMPTY) == b""


def test_a_removed_folder_whose_own_folder_is_gone_is_reported(small: SmallVault) -> None:
    steps = (
        ("move", OLD, "Old.md", old(OLD)),
        ("rmdir", "Notes/Deep/Er"),
        ("rmdir", "Notes/Deep"),
        *SHAPES["delete"],
    )
    crash(small, steps, at("rmdir", "Archive", die))
    shutil.rmtree(small.folder / "Notes")
    recovery = recover(small)
    assert recovery.conflicted == ("change-x",)
    assert "'Notes/Deep/Er'" in recovery.messages[0]
    assert kept(small) == {OLD: old(OLD)}
    assert (small.read(EMPTY), small.read(SCAN)) == (b"", old(SCAN))
    assert not (small.folder / "Old.md").exists()


def test_a_new_folder_in_which_someone_put_a_file_stays(small: SmallVault) -> None:
    steps = (("mkdir", "New"), ("create", "New/Ours.md", b"ours\n"), *TWO[1:])
    crash(small, steps, at("swap", "2024.md", die))
    small.write("New/Theirs.md", EDIT)
    recovery = recover(small)
    assert recovery.rolled_back == ("change-x",)
    assert {path for path in small.tree() if path.startswith("New")} == {"New", "New/Theirs.md"}


@pytest.mark.parametrize("keep", [True, False])
def test_a_change_that_only_lacks_its_mark_is_completed_also_under_a_later_edit(
    small: SmallVault, *, keep: bool
) -> None:
    small.keep = keep
    with small.ledger() as ledger:
        ledger.apply(plan_of(*SHAPES["modify in several folders"]), small.cause("change-x"))
        small.keep = True
    if not keep:  # the marks of both kinds are lost, and so is the removal of the backups
        small.backup("change-x").mkdir(parents=True)
    lines = small.journal.read_bytes().splitlines(keepends=True)
    small.journal.write_bytes(lines[0])
    if keep:
        small.write(IDEAS, EDIT)
    new = small.tree()
    recovery = recover(small)
    assert recovery.completed == ("change-x",)
    assert small.tree() == new
    assert small.backup("change-x").exists() == keep
    with small.ledger() as ledger:
        assert ledger.history()[0].state == "applied"
        if keep:
            assert [one.path for one in ledger.undo_plan()[1].left] == [IDEAS]


def test_what_a_completed_change_left_beside_its_target_goes_into_the_backups(small: SmallVault) -> None:
    # The kill comes when the last file has changed places, and before the old one is put away.
    crash(small, TWO[:1], at("mkdir", "backups", die))
    assert recover(small).completed == ("change-x",)
    assert kept(small) == {MEETING: old(MEETING)}
    with small.ledger() as ledger:
        small.undo(ledger)
    assert small.read(MEETING) == old(MEETING)


def test_a_damaged_copy_in_the_backups_gives_way_to_the_file_itself(small: SmallVault) -> None:
    crash(small, TWO[:1], at("mkdir", "backups", die))
    (small.backup("change-x") / "Notes").mkdir(parents=True)
    (small.backup("change-x") / MEETING).write_bytes(b"half of a cop")
    assert recover(small).completed == ("change-x",)
    assert kept(small) == {MEETING: old(MEETING)}


def test_a_forged_journal_leads_nowhere_outside_and_into_no_closed_folder(small: SmallVault, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_bytes(b"secret")
    before = small.tree()
    for number, path in enumerate(["../secret.txt", ".obsidian/app.json", "/etc/passwd", "a\x00b"]):
        plan = plan_of(("create", path, b"secret"), ("delete", IDEAS, old(IDEAS)))
        begin = BeginRecord(
            small.cause(f"forged-{number}"), "2026-01-01T00:00:00Z", "", plan.operation, "", plan.changes, (None,) * 2
        )
        with contextlib.suppress(FileExistsError):
            small.journal.parent.mkdir(parents=True)
        with small.journal.open("ab") as journal:
            journal.write(encode(begin))
    recovery = recover(small)
    assert len(recovery.conflicted) == 4
    assert "closed to tools" in recovery.messages[0]
    assert small.tree() == before
    assert (tmp_path / "secret.txt").read_bytes() == b"secret"


def test_a_folder_that_someone_fills_at_the_last_moment_is_not_removed(small: SmallVault) -> None:
    before = small.tree()
    fill = at("rmdir", "Archive", lambda: small.write("Archive/Theirs.md", EDIT))
    with small.ledger(HookedDisk(fill)) as ledger, pytest.raises(Conflict) as caught:
        small.apply(ledger, *SHAPES["delete"])
    assert caught.value.code == "stale"
    assert small.read("Archive/Theirs.md") == EDIT
    (small.folder / "Archive/Theirs.md").unlink()
    assert small.tree() == before


@pytest.mark.parametrize("what", ["folder", "file"])
def test_something_that_appears_where_a_folder_is_to_be_made(small: SmallVault, what: str) -> None:
    def appear() -> None:
        if what == "folder":
            (small.folder / "New").mkdir()
        else:
            small.write("New", EDIT)

    with small.ledger(HookedDisk(at("mkdir", "New", appear))) as ledger:
        if what == "folder":
            small.apply(ledger, *SHAPES["create with new parents"])
            assert small.read("New/Deep/Note.md") == b"fresh\n"
        else:
            with pytest.raises(Conflict) as caught:
                small.apply(ledger, *SHAPES["create with new parents"])
            assert caught.value.code == "exists"
            assert small.read("New") == EDIT


def test_a_backup_that_vanished_before_the_recovery_is_reported_and_nothing_else_is_lost(small: SmallVault) -> None:
    crash(small, TWO, at("swap", "2024.md", die))
    shutil.rmtree(small.backup("change-x"))
    recovery = recover(small)
    assert recovery.conflicted == ("change-x",)
    assert "could not be put back" in recovery.messages[0]
    assert small.read(MEETING) == b"ours\n"


def test_a_conflict_in_the_middle_of_a_change_is_reported_to_the_caller(small: SmallVault) -> None:
    def fail(ledger: Ledger) -> None:
        small.apply(ledger, *TWO)

    def edit_both() -> None:
        small.write(MEETING, EDIT)
        small.write(EMPTY, EDIT)

    with small.ledger(HookedDisk(at("swap", "2024.md", edit_both))) as ledger:
        with pytest.raises(Conflict) as caught:
            fail(ledger)
        assert "'Archive/2024.md' has changed since it was read" in caught.value.message
        assert "'Notes/Meeting.md' had been edited meanwhile" in caught.value.message
        assert ledger.history()[0].state == "conflicted"
    assert (small.read(MEETING), small.read(EMPTY)) == (EDIT, EDIT)
