"""Applying plans: what is checked, what is kept, what is told."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import Conflict, ExecutionFailed, NotFound
from bridge.journal.ledger import Ledger
from bridge.vault.folder import NEW_FILE_MODE
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, content_hash
from bridge.vault.root import VaultRoot
from tests.journal.small_vault import FILES, SHAPES, HookedDisk, SmallVault, Step, plan_of, posix_only

IDEAS, MEETING, OLD, EMPTY, SCAN, _ = FILES


def old(path: str) -> bytes:
    return FILES[path][1]


# -- checking ---------------------------------------------------------------------------------------------------

STALE: dict[str, Step] = {
    "changed": ("modify", MEETING, b"something else", b"new"),
    "missing": ("modify", "Notes/None.md", b"", b"new"),
    "missing folder": ("delete", "None/None.md", b""),
    "a folder": ("modify", "Notes", b"", b"new"),
    "below a file": ("modify", f"{MEETING}/x.md", b"", b"new"),
    "deleted and changed": ("delete", MEETING, b"something else"),
    "moved and changed": ("move", MEETING, "Moved.md", b"something else"),
    "into a missing folder": ("create", "None/New.md", b"new"),
    "moved into a missing folder": ("move", MEETING, "None/New.md", old(MEETING)),
    "a folder that is none": ("rmdir", "None"),
    "a folder that is a file": ("rmdir", MEETING),
    "a folder that is not empty": ("rmdir", "Archive"),
}
EXISTS: dict[str, Step] = {
    "create": ("create", MEETING, b"new"),
    "create, other case": ("create", "Notes/MEETING.md", b"new"),
    "create over a folder": ("create", "Archive", b"new"),
    "create, other form": ("create", "Caf\u00e9.md", b"new"),
    "move": ("move", MEETING, IDEAS, old(MEETING)),
    "move, other case": ("move", MEETING, "IDEAS.md", old(MEETING)),
    "mkdir over a file": ("mkdir", IDEAS),
    "mkdir, other case": ("mkdir", "archive"),
}


@pytest.mark.parametrize(
    ("code", "step"),
    [("stale", step) for step in STALE.values()] + [("exists", step) for step in EXISTS.values()],
    ids=[*STALE, *EXISTS],
)
def test_a_plan_that_does_not_fit_the_vault_is_refused_and_nothing_is_written(
    small: SmallVault, code: str, step: Step
) -> None:
    small.write("Cafe\u0301.md", b"")
    before = small.tree()
    plan = plan_of(("modify", IDEAS, old(IDEAS), b"new ideas"), step)
    with small.ledger() as ledger:
        for refuse in (lambda: ledger.check(plan), lambda: ledger.apply(plan, small.cause())):
            with pytest.raises(Conflict) as caught:
                refuse()
            assert caught.value.code == code
            assert "again" in caught.value.message or "another name" in caught.value.message
    assert small.tree() == before
    assert not small.journal.exists()
    assert small.applied == []


@pytest.mark.parametrize("steps", SHAPES.values(), ids=SHAPES.keys())
def test_a_plan_that_fits_passes_the_check_which_writes_nothing(small: SmallVault, steps: tuple[Step, ...]) -> None:
    disk = HookedDisk()
    before = small.tree()
    with small.ledger(disk) as ledger:
        disk.count = 0
        ledger.check(plan_of(*steps))
        assert disk.count == 0
    assert small.tree() == before


def test_a_name_may_change_its_case(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("move", MEETING, "Notes/MEETING.md", old(MEETING)))
        assert "Notes/MEETING.md" in small.tree()
        small.undo(ledger)
    assert MEETING in small.tree()


def test_a_folder_that_someone_made_meanwhile_is_taken_as_it_is(small: SmallVault) -> None:
    # Two questions may be open about notes in the same new folder; the second yes must not fail for it.
    with small.ledger() as ledger:
        small.apply(ledger, ("mkdir", "New"), ("create", "New/One.md", b"1"))
        small.apply(ledger, ("mkdir", "New"), ("create", "New/Two.md", b"2"))
        small.undo(ledger)
        assert small.read("New/One.md") == b"1"


def test_bytes_that_are_not_those_of_the_plan_are_refused(small: SmallVault) -> None:
    plan = plan_of(("modify", MEETING, old(MEETING), b"shown to the person"))
    forged = ChangePlan(plan.operation, plan.summary, plan.changes, {content_hash(b"shown to the person"): b"other"})
    with small.ledger() as ledger, pytest.raises(ValueError, match="not those that the plan names"):
        ledger.apply(forged, small.cause())


@posix_only
def test_a_linked_note_is_changed_where_it_really_is(small: SmallVault) -> None:
    (small.folder / "Link.md").symlink_to(MEETING)
    with small.ledger() as ledger, VaultRoot(small.folder) as root:
        real = root.resolve(parse_path("Link.md"))
        small.apply(ledger, ("modify", str(real), old(MEETING), b"new"))
        assert (small.folder / "Link.md").is_symlink()
        assert small.read("Link.md") == small.read(MEETING) == b"new"
        with pytest.raises(Conflict):
            small.apply(ledger, ("modify", "Link.md", b"new", b"newer"))


def test_a_folder_that_goes_while_the_plan_is_applied_makes_it_stale(small: SmallVault) -> None:
    def hook(_number: int, operation: str, name: str) -> None:
        if operation == "swap" and name == "Ideas.md":
            disk.hook = lambda _number, _operation, _name: None
            (small.folder / "Archive").rename(small.folder / "Archive 2")

    before = small.tree()
    disk = HookedDisk(hook)
    with small.ledger(disk) as ledger, pytest.raises(Conflict) as caught:
        small.apply(ledger, ("modify", IDEAS, old(IDEAS), b"new"), ("create", "Archive/New.md", b"new"))
    assert (caught.value.code, caught.value.data["path"]) == ("stale", "Archive/New.md")
    (small.folder / "Archive 2").rename(small.folder / "Archive")
    assert small.tree() == before


def test_bytes_that_the_disk_garbles_are_not_put_into_place(small: SmallVault) -> None:
    class GarblingDisk(HookedDisk):
        def write(self, fd: int, data: memoryview) -> int:
            self.before("write", "")
            return os.write(fd, bytes(data).replace(b"done", b"d\0ne"))

    before = small.tree()
    with small.ledger(GarblingDisk()) as ledger, pytest.raises(ExecutionFailed, match="disk failed"):
        small.apply(ledger, *SHAPES["modify"])
    assert small.tree() == before


def test_a_ledger_recovers_by_itself_and_only_once(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
    with small.ledger(recover=False) as ledger:
        small.apply(ledger, ("create", "New.md", b""))
        assert len(ledger.history()) == 2
        assert ledger.recover() is ledger.recover()
        assert len(ledger.history()) == 2


@pytest.mark.parametrize("name", ["../outside", "a/b", ""])
def test_an_id_that_leads_out_of_the_backups_is_refused(small: SmallVault, name: str) -> None:
    with small.ledger() as ledger, pytest.raises(ValueError, match="cannot name a change"):
        ledger.apply(plan_of(*SHAPES["modify"]), small.cause().__class__(name, "t", "c", "s"))


def test_an_id_names_one_change_only(small: SmallVault) -> None:
    with small.ledger() as ledger:
        ledger.apply(plan_of(("create", "One.md", b"")), small.cause("same"))
        with pytest.raises(ValueError, match="already"):
            ledger.apply(plan_of(("create", "Two.md", b"")), small.cause("same"))


# -- what is kept -----------------------------------------------------------------------------------------------


@posix_only
def test_backups_are_plain_files_at_the_same_places(small: SmallVault) -> None:
    times = {path: (small.folder / path).stat().st_mtime_ns for path in FILES}
    with small.ledger() as ledger:
        done = small.apply(ledger, *SHAPES["mixed"])
    assert done.backup == ".vault-bridge/backups/change-1/"
    folder = small.backup("change-1")
    kept = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert {path: place.read_bytes() for path, place in kept.items()} == {IDEAS: old(IDEAS), SCAN: old(SCAN)}
    assert {path: place.stat().st_mtime_ns for path, place in kept.items()} == {IDEAS: times[IDEAS], SCAN: times[SCAN]}
    assert {path.stat().st_mode & 0o777 for path in [folder, *folder.rglob("*")] if path.is_dir()} == {0o700}


def test_a_change_that_replaces_nothing_has_no_backup(small: SmallVault) -> None:
    with small.ledger() as ledger:
        assert small.apply(ledger, *SHAPES["create with new parents"]).backup is None
        assert small.apply(ledger, *SHAPES["move"]).backup is None
    assert not (small.folder / ".vault-bridge" / "backups").exists()


@posix_only
@pytest.mark.parametrize("swaps", [True, False])
def test_permissions_and_owner_of_a_file_stay(small: SmallVault, *, swaps: bool) -> None:
    owner = (1234, 2345) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(small.folder / OLD, *owner)
    with small.ledger(HookedDisk(swaps=swaps)) as ledger:
        small.apply(ledger, *SHAPES["modify in several folders"])
    assert {path: mode for path, (mode, _data) in small.tree().items() if path in FILES} == {
        path: mode for path, (mode, _data) in FILES.items()
    }
    state = (small.folder / OLD).stat()
    assert (state.st_uid, state.st_gid) == owner


@posix_only
def test_a_new_file_gets_the_permissions_of_any_new_file(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["create with new parents"])
    assert small.tree()["New/Deep/Note.md"][0] == NEW_FILE_MODE


@pytest.mark.parametrize("swaps", [True, False])
def test_a_second_name_of_a_file_keeps_the_old_bytes_and_cannot_spoil_the_backup(
    small: SmallVault, tmp_path: Path, *, swaps: bool
) -> None:
    other = tmp_path / "other-name"
    os.link(small.folder / MEETING, other)
    with small.ledger(HookedDisk(swaps=swaps)) as ledger:
        small.apply(ledger, *SHAPES["modify"])
        assert other.read_bytes() == old(MEETING)
        other.write_bytes(b"changed under the other name")
        small.undo(ledger)
    assert small.read(MEETING) == old(MEETING)
    assert other.read_bytes() == b"changed under the other name"


@posix_only
def test_a_file_with_a_second_name_is_kept_whatever_its_name_is_and_what_lies_beside_it(
    small: SmallVault, tmp_path: Path
) -> None:
    files = {"A.md.copy": b"beside\n", "A.md": b"linked\n", f"{'x' * 252}.md": b"long\n"}
    for number, (name, data) in enumerate(files.items()):
        (small.folder / name).write_bytes(data)
        os.link(small.folder / name, tmp_path / f"other {number}")
    with small.ledger() as ledger:
        small.apply(ledger, *(("delete", name, data) for name, data in files.items()))
        assert not any((small.folder / name).exists() for name in files)
        small.undo(ledger)
    assert {name: small.read(name) for name in files} == files


def test_without_backups_nothing_is_kept_and_undo_says_why(small: SmallVault) -> None:
    small.keep = False
    with small.ledger() as ledger:
        assert small.apply(ledger, *SHAPES["mixed"]).backup is None
        assert not small.backup("change-1").exists()
        assert [entry.can_undo for entry in ledger.history()] == [False]
        with pytest.raises(NotFound, match="patchBackupEnabled"):
            ledger.undo_plan("change-1")
        small.apply(ledger, ("create", "Other.md", b"x"))
        assert ledger.history()[0].can_undo
        small.undo(ledger)
        assert not (small.folder / "Other.md").exists()


def test_hidden_files_of_the_ledger_are_gone_when_it_is_done(small: SmallVault) -> None:
    with small.ledger() as ledger:
        for steps in SHAPES.values():
            before = small.tree()
            small.apply(ledger, *steps)
            assert not [path for path in small.tree() if ".vault-bridge-" in path]
            small.undo(ledger)
            assert small.tree() == before


@posix_only
def test_the_bridges_own_folder_is_for_its_user_only(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
    state = small.folder / ".vault-bridge"
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [state, state / "journal", state / "backups"]}
    assert set(modes.values()) == {0o700}
    assert stat.S_IMODE(small.journal.stat().st_mode) == 0o600


@posix_only
def test_a_folder_of_backups_that_is_a_link_is_refused_and_nothing_is_written(
    small: SmallVault, tmp_path: Path
) -> None:
    before = small.tree()
    (tmp_path / "Outside").mkdir()
    (small.folder / ".vault-bridge").mkdir()
    (small.folder / ".vault-bridge" / "backups").symlink_to(tmp_path / "Outside")
    with small.ledger() as ledger, pytest.raises(ExecutionFailed, match="link"):
        small.apply(ledger, *SHAPES["mixed"])
    assert small.tree() == before
    assert list((tmp_path / "Outside").iterdir()) == []


@pytest.mark.slow
@posix_only
def test_a_large_file_is_changed_without_being_copied(tmp_path: Path) -> None:
    data = b"a line of a very long note\n" * 4_000_000
    small = SmallVault(tmp_path / "Vault", {"Large.md": (0o644, data)})
    new, inode = b"changed " + data, (small.folder / "Large.md").stat().st_ino
    with small.ledger() as ledger:
        small.apply(ledger, ("modify", "Large.md", data, new))
        assert small.read("Large.md") == new
        # The old file itself is the backup: nothing was copied.
        backup = (small.backup("change-1") / "Large.md").stat()
        assert (backup.st_ino, backup.st_size) == (inode, len(data))


# -- what is told -----------------------------------------------------------------------------------------------


def test_a_listener_is_called_with_each_plan_before_apply_returns(small: SmallVault) -> None:
    with small.ledger() as ledger:
        done = small.apply(ledger, *SHAPES["modify"])
        assert small.applied == [done.plan]
        small.undo(ledger)
        assert [plan.reversal for plan in small.applied] == [None, "undo"]


def test_a_follower_that_fails_does_not_undo_the_change(small: SmallVault) -> None:
    def fail(_plan: Any) -> None:
        raise RuntimeError("the index is broken")

    with small.ledger() as ledger:
        ledger._on_applied = fail
        small.apply(ledger, *SHAPES["modify"])
        assert ledger.history()[0].state == "applied"


def test_a_ledger_that_was_closed_lets_its_files_go(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
        ledger.close()
        small.apply(ledger, ("create", "After.md", b""))
    assert isinstance(ledger, Ledger)
    assert small.read("After.md") == b""
