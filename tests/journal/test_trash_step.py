"""What is deleted goes into the trash as one thing; whatever fails, all of it is gone or all of it is there."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from bridge.errors import Conflict, ExecutionFailed
from bridge.journal.plan_executor import OpenFiles
from bridge.vault.person_edits import is_divisible
from tests.journal.open_editors import OpenEditors
from tests.journal.small_vault import FILES, SHAPES, HookedDisk, Killed, SmallVault, Step, plan_of, posix_only

MOST_OPERATIONS = 200
EDIT = b"typed by a person in this very moment\n"
IDEAS, MEETING, OLD, EMPTY, SCAN, _ = FILES
SYSTEM = SHAPES["delete into the system's trash"]
LOCAL = SHAPES["delete into the vault's trash"]
ONE: tuple[Step, ...] = (("disposal", "system"), ("delete", MEETING, FILES[MEETING][1]))
FOLDER: tuple[Step, ...] = (
    ("disposal", "system"),
    ("delete", EMPTY, b""),
    ("delete", SCAN, FILES[SCAN][1]),
    ("rmdir", "Archive"),
)
DISKS: dict[str, Callable[[Callable[[int, str, str], None]], HookedDisk]] = {
    "plain": HookedDisk,
    "paths instead of descriptors": lambda hook: HookedDisk(hook, descriptors=False, swaps=False),
    "backups on another disk": lambda hook: HookedDisk(hook, descriptors=False, apart=".vault-bridge"),
}


@dataclass
class SecondLook(OpenEditors):
    """Editors that are a moment to do something: when they are asked the second time, all copies have been made."""

    on: int = 2
    moment: Callable[[], None] = lambda: None

    def look(self, paths: Sequence[str]) -> OpenFiles:
        found = super().look(paths)
        if self.asked == self.on:
            self.moment()
        return found


def nothing(_number: int, _operation: str, _name: str) -> None:
    """The hook of a disk that is well."""


def local(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The same steps, into the vault's own trash."""
    return (("disposal", "local"), *steps[1:])


def in_trash(small: SmallVault) -> dict[str, bytes]:
    """The files in both trashes, by the ends of their paths."""
    found = {}
    for trash in (small.trash.folder, small.folder / ".trash"):
        for path in trash.rglob("*"):
            if path.is_file():
                found[path.relative_to(trash).as_posix()] = path.read_bytes()
    return found


# -- where it goes --------------------------------------------------------------------------------------------------


def test_a_folder_is_given_to_the_systems_trash_as_one_folder_by_its_real_path(small: SmallVault) -> None:
    with small.ledger() as ledger:
        done = small.apply(ledger, *FOLDER)
    assert small.trash.given == [str(small.folder / "Archive")]
    assert sorted(in_trash(small)) == ["0 Archive/2024.md", "0 Archive/Scan.bin"]
    assert done.disposal == "system"
    assert done.backup == f".vault-bridge/backups/{done.execution_id}/"
    assert (small.backup(done.execution_id) / SCAN).read_bytes() == FILES[SCAN][1]


def test_the_vaults_own_trash_takes_names_without_their_folders_and_numbers_those_that_are_taken(
    small: SmallVault,
) -> None:
    for name in ("Meeting.md", "Meeting 1.md", "Archive"):
        (small.folder / ".trash").mkdir(exist_ok=True)
        (small.folder / ".trash" / name).write_bytes(b"earlier")
    with small.ledger() as ledger:
        small.apply(ledger, *local(ONE))
        done = small.apply(ledger, *local(FOLDER))
    assert (small.folder / ".trash/Meeting 2.md").read_bytes() == FILES[MEETING][1]
    assert (small.folder / ".trash/Archive 1/Scan.bin").read_bytes() == FILES[SCAN][1]
    assert (small.folder / ".trash/Meeting.md").read_bytes() == b"earlier"
    assert done.disposal == "local"
    assert small.trash.given == []


@pytest.mark.parametrize("name", ["Ein sehr langer Name " + "ä" * 116, ".md", "archive.tar.gz", "Without"])
def test_every_name_finds_a_place_in_the_vaults_trash(tmp_path: Path, name: str) -> None:
    small = SmallVault(tmp_path / "Vault", {name: (0o644, b"2")})
    (small.folder / ".trash").mkdir()
    (small.folder / ".trash" / name).write_bytes(b"1")
    with small.ledger() as ledger:
        small.apply(ledger, ("disposal", "local"), ("delete", name, b"2"))
    found = sorted(path.name for path in (small.folder / ".trash").iterdir())
    stem, dot, end = name.rpartition(".") if name != ".md" else ("", "", "")
    assert found in (sorted([name, f"{stem} 1{dot}{end}"]), sorted([name, f"{name} 1"])) or len(name) > 100
    assert len(found) == 2


@pytest.mark.parametrize("fails", [OSError(errno.EACCES, "no"), RuntimeError("/home/ada/secret"), TimeoutError()])
@pytest.mark.parametrize("steps", [ONE, FOLDER])
def test_what_the_systems_trash_will_not_take_goes_into_the_vaults(
    small: SmallVault, fails: Exception, steps: tuple[Step, ...], caplog: pytest.LogCaptureFixture
) -> None:
    small.trash.fails = fails
    old = small.tree()
    with small.ledger() as ledger:
        done = small.apply(ledger, *steps)
        assert done.disposal == "local"
        assert (small.folder / ".trash" / Path(str(steps[-1][1])).name).exists()
        assert "secret" not in caplog.text
        small.undo(ledger)
    assert small.tree() == old


@pytest.mark.parametrize("steps", [ONE, FOLDER])
def test_a_trash_that_fails_when_it_has_already_taken_everything_is_believed_by_what_is_gone(
    small: SmallVault, steps: tuple[Step, ...]
) -> None:
    small.trash.fails, small.trash.after = OSError(errno.EIO, "late"), True
    with small.ledger() as ledger:
        assert small.apply(ledger, *steps).disposal == "system"
    assert not (small.folder / ".trash").exists()


def test_a_trash_that_says_yes_and_does_nothing_is_not_believed(small: SmallVault) -> None:
    small.trash.folder.mkdir()
    with small.ledger() as ledger:
        ledger._trash = lambda _path: None
        assert small.apply(ledger, *FOLDER).disposal == "local"
    assert not (small.folder / "Archive").exists()


def test_a_trash_that_takes_only_a_part_gets_everything_back(small: SmallVault) -> None:
    old = small.tree()

    def partly(path: str) -> None:
        Path(path, "Scan.bin").unlink()
        raise OSError(errno.ENOSPC, "full")

    with small.ledger() as ledger:
        ledger._trash = partly
        with pytest.raises(ExecutionFailed, match="took only a part of 'Archive'") as caught:
            small.apply(ledger, *FOLDER)
        assert "All files of this change are as they were" in caught.value.message
        assert ledger.history() == []
    assert small.tree() == old


@posix_only
@pytest.mark.parametrize("what", ["link", "file"])
def test_a_vaults_trash_that_is_no_folder_is_refused_and_nothing_is_gone(
    small: SmallVault, tmp_path: Path, what: str
) -> None:
    outside = tmp_path / "Outside"
    outside.mkdir()
    if what == "link":
        (small.folder / ".trash").symlink_to(outside)
    else:
        (small.folder / ".trash").write_bytes(b"")
    old = small.tree()
    with (
        small.ledger() as ledger,
        pytest.raises(ExecutionFailed, match=r"'.trash' in the vault is a link or no folder"),
    ):
        small.apply(ledger, *local(FOLDER))
    assert small.tree() == old
    assert list(outside.iterdir()) == []


def test_what_lies_on_another_disk_than_the_vaults_trash_is_left_where_it_is(small: SmallVault) -> None:
    small.trash.fails = OSError(errno.EACCES, "no trash on that disk")
    old = small.tree()
    with small.ledger(HookedDisk(descriptors=False, apart="Archive")) as ledger:
        with pytest.raises(ExecutionFailed, match="another disk"):
            small.apply(ledger, ("disposal", "system"), ("delete", SCAN, FILES[SCAN][1]))
        assert ledger.history() == []
    assert small.tree() == old


@posix_only
def test_the_systems_trash_is_never_given_a_path_that_leads_elsewhere_by_now(small: SmallVault, tmp_path: Path) -> None:
    # Between the last look and the trash the vault itself is moved, and a link to someone else's files takes its place.
    elsewhere = tmp_path / "Elsewhere"
    shutil.copytree(small.folder, elsewhere)
    moved = tmp_path / "Moved"

    def swap() -> None:
        if not moved.exists():
            small.folder.rename(moved)
            small.folder.symlink_to(elsewhere)

    small.editors = SecondLook(small.folder, open=set(), moment=swap)
    with small.ledger() as ledger:
        done = small.apply(ledger, *FOLDER)
    assert small.trash.given == []
    assert done.disposal == "local"
    assert (moved / ".trash/Archive/Scan.bin").exists()
    assert (elsewhere / SCAN).read_bytes() == FILES[SCAN][1]


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="their trash cannot be put into a folder of a test")
def test_the_desktop_can_restore_what_was_deleted_to_its_place(tmp_path: Path) -> None:
    # The real trash, in a process whose home is a folder of this test.
    small = SmallVault(tmp_path / "Vault", {"Notes/Über.md": (0o644, b"text"), "Notes/Deep/x.bin": (0o644, b"\0")})
    program = (
        "import sys; from pathlib import Path; from bridge.vault.root import VaultRoot\n"
        "from bridge.vault.paths import parse_path; from bridge.journal.trash_step import real_path, system_trash\n"
        "with VaultRoot(Path(sys.argv[1])) as root, root.folder(parse_path('Notes')) as folder:\n"
        "    [system_trash(real_path(root, folder, name)) for name in sys.argv[2:]]\n"
    )
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    arguments = [sys.executable, "-c", program, str(small.folder), "Über.md", "Deep"]
    done = subprocess.run(arguments, env={**os.environ, **home}, check=False, capture_output=True, text=True)  # noqa: S603 (our own interpreter)
    assert done.returncode == 0, done.stderr
    assert list((small.folder / "Notes").iterdir()) == []
    trash = tmp_path / "data/Trash"
    assert (trash / "files/Über.md").read_bytes() == b"text"
    assert (trash / "files/Deep/x.bin").read_bytes() == b"\0"
    for name in ("Über.md", "Deep"):
        told = (trash / f"info/{name}.trashinfo").read_text(encoding="utf-8")
        assert told.splitlines()[1] == f"Path={quote(str(small.folder / 'Notes' / name))}"


# -- undo and redo --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [SYSTEM, LOCAL])
def test_undo_needs_no_trash_and_redo_deletes_into_it_again(small: SmallVault, steps: tuple[Step, ...]) -> None:
    old = small.tree()
    with small.ledger() as ledger:
        small.apply(ledger, *steps)
        new = small.tree()
        for trash in (small.trash.folder, small.folder / ".trash"):
            shutil.rmtree(trash, ignore_errors=True)
        change, plan = ledger.undo_plan()
        assert plan.disposal is None
        assert "What was put into the trash stays there as well" in plan.warnings
        ledger.apply(plan, small.cause(kind="undo", reverses=change))
        assert small.tree() == old
        change, plan = ledger.redo_plan()
        assert plan.disposal == steps[0][1]
        assert ledger.apply(plan, small.cause(kind="redo", reverses=change)).disposal == plan.disposal
        assert small.tree() == new
        assert any(name.endswith("Old.md") for name in in_trash(small))
        small.undo(ledger)
        assert small.tree() == old


def test_without_backups_it_is_in_the_trash_and_has_no_undo(small: SmallVault) -> None:
    small.keep = False
    with small.ledger() as ledger:
        done = small.apply(ledger, *FOLDER)
        assert done.backup is None
        assert not ledger.history()[0].can_undo
    assert not small.backup(done.execution_id).exists()
    assert len(in_trash(small)) == 2


def test_the_digest_tells_where_things_go_and_the_plan_cannot_be_parted() -> None:
    plans = [plan_of(*FOLDER), plan_of(*local(FOLDER)), plan_of(*FOLDER[1:])]
    assert len({plan.digest for plan in plans}) == 3
    assert not is_divisible(plans[0])


def test_a_plan_that_does_something_else_too_cannot_go_into_the_trash(small: SmallVault) -> None:
    old = small.tree()
    with small.ledger() as ledger, pytest.raises(ValueError, match="can do nothing else"):
        small.apply(ledger, *FOLDER, ("create", "New.md", b""))
    assert small.tree() == old
    assert not small.journal.exists()


def test_copies_of_many_files_are_made_durable_in_one_call(tmp_path: Path) -> None:
    small = SmallVault(tmp_path / "Vault", {f"Many/{number}.md": (0o644, b"%d" % number) for number in range(40)})
    called: list[str] = []
    disk = HookedDisk(lambda _number, operation, _name: called.append(operation))
    steps = [("delete", f"Many/{number}.md", b"%d" % number) for number in range(40)]
    with small.ledger(disk) as ledger:
        called.clear()
        small.apply(ledger, ("disposal", "system"), *steps, ("rmdir", "Many"))
    if disk.can_sync_all:
        assert called.count("sync_all") == 1
        assert called.count("fsync") == 1  # the journal
        assert called.index("sync_all") < called.index("trash")
    assert called.count("trash") == 1
    assert len(list(small.backup("change-1").rglob("*.md"))) == 40


# -- someone else writes --------------------------------------------------------------------------------------------


def test_an_editor_with_unsaved_text_stops_it_also_when_it_was_typed_while_we_copied(small: SmallVault) -> None:
    opened = SecondLook(small.folder, open=set(FILES), on=1, moment=lambda: opened.type(IDEAS, "newer"))
    small.editors = opened
    old = small.tree()
    with small.ledger() as ledger:
        for _again in range(2):  # the second time it is unsaved from the beginning
            with pytest.raises(Conflict) as caught:
                small.apply(ledger, *ONE, ("delete", IDEAS, FILES[IDEAS][1]))
            assert caught.value.data == {"code": "stale", "path": IDEAS, "unsaved": True}
    assert small.tree() == old
    assert small.trash.given == []
    assert list((small.folder / ".vault-bridge/backups").iterdir()) == []


@pytest.mark.parametrize("what", ["new file", "edit", "removed", "hidden file"])
def test_what_changes_while_we_copy_is_stale_and_leaves_nothing_behind(small: SmallVault, what: str) -> None:
    place = small.folder / {"new file": "Archive/New.md", "hidden file": "Archive/.new"}.get(what, SCAN)

    def change() -> None:
        place.unlink(missing_ok=True)
        if what != "removed":
            place.write_bytes(EDIT)

    small.editors = SecondLook(small.folder, open=set(), moment=change)
    with small.ledger() as ledger:
        with pytest.raises(Conflict) as caught:
            small.apply(ledger, *FOLDER)
        assert caught.value.code == "stale"
        assert ledger.history() == []
    assert small.trash.given == []
    assert (small.folder / EMPTY).exists()
    assert place.exists() == (what != "removed")
    assert list((small.folder / ".vault-bridge/backups").iterdir()) == []


def in_place(path: Path) -> None:
    """As Obsidian writes."""
    path.write_bytes(EDIT)


def by_rename(path: Path) -> None:
    """As vim, Syncthing and most editors write."""
    other = path.with_name("edited.tmp")
    other.write_bytes(EDIT)
    other.replace(path)


@pytest.mark.long
@pytest.mark.parametrize("edit", [in_place, by_rename])
@pytest.mark.parametrize("steps", [FOLDER, local(FOLDER), ONE, local(ONE)])
def test_an_edit_at_any_moment_survives_and_the_plan_is_all_or_nothing(
    tmp_path: Path, steps: tuple[Step, ...], edit: Callable[[Path], None]
) -> None:
    target = str(steps[-1][1]) if steps[-1][0] == "delete" else SCAN
    outcomes: set[str | None] = set()
    for at in range(1, MOST_OPERATIONS):
        small = SmallVault(tmp_path / str(at))
        edited = False

        def hook(number: int, _operation: str, _name: str, at: int = at, small: SmallVault = small) -> None:
            nonlocal edited
            if number == at and (small.folder / target).parent.exists():
                edited = True
                edit(small.folder / target)

        disk = HookedDisk()
        with small.ledger(disk) as ledger:
            disk.count, disk.hook = 0, hook
            try:
                small.apply(ledger, *steps)
                outcomes.add("applied")
                assert target != SCAN or not (small.folder / EMPTY).exists()
            except Conflict as conflict:
                outcomes.add(conflict.code)
                assert small.read(target) == EDIT
                assert (small.folder / EMPTY).exists()
                assert ledger.history() == []
            ended = disk.count < at
        if edited:
            kept = [*in_trash(small).values(), *(data for _mode, data in small.tree().values())]
            assert EDIT in kept, f"the edit at operation {at} was lost"
        if ended:
            break
    else:
        pytest.fail("the plan never ended")
    assert outcomes == {"applied", "stale"}


# -- kills and failing disks ----------------------------------------------------------------------------------------


class DyingDisk:
    """A hook that lets the process die at the nth change, and keeps it dead."""

    def __init__(self, at: int) -> None:
        self._at = at

    def __call__(self, number: int, _operation: str, _name: str) -> None:
        if number >= self._at:
            raise Killed


@pytest.mark.long
@pytest.mark.parametrize("kind", DISKS)
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("steps", [SYSTEM, LOCAL, FOLDER])
def test_a_kill_at_any_operation_leaves_all_old_or_all_new(
    tmp_path: Path, steps: tuple[Step, ...], kind: str, *, apart: bool
) -> None:
    outcomes = set()
    for at in range(1, MOST_OPERATIONS):
        small = SmallVault(tmp_path / str(at))
        small.trash.apart = apart
        old = small.tree()
        try:
            with small.ledger(DISKS[kind](DyingDisk(at))) as ledger:
                ledger.apply(plan_of(*steps), small.cause("change-x"))
        except Killed:
            pass
        else:
            break
        for second in (at, at // 2 + 1, 3):  # and while it recovers
            try:
                with small.ledger(DISKS[kind](DyingDisk(second))):
                    pass
            except Killed:
                pass
        with small.ledger(DISKS[kind](nothing)) as ledger:
            if small.tree() == old:
                outcomes.add("old")
                assert ledger.history() == []
                assert not small.backup("change-x").exists()
                ledger.apply(plan_of(*steps), small.cause("change-y"))
            else:
                outcomes.add("new")
                assert [entry.state for entry in ledger.history()] == ["applied"]
            assert not any(str(step[1]) in small.tree() for step in steps[1:])
            small.undo(ledger)
            assert small.tree() == old
    else:
        pytest.fail("the plan never ended")
    assert outcomes == {"old", "new"}


@pytest.mark.long
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("steps", [SYSTEM, LOCAL])
@pytest.mark.parametrize("once", [True, False])
def test_a_failing_operation_leaves_all_old_or_all_new(
    tmp_path: Path, steps: tuple[Step, ...], code: int, *, apart: bool, once: bool
) -> None:
    for at in range(1, MOST_OPERATIONS):
        small = SmallVault(tmp_path / str(at))
        small.trash.apart = apart
        old = small.tree()
        disk = HookedDisk()
        failed = False

        def hook(number: int, _operation: str, name: str, at: int = at) -> None:
            nonlocal failed
            if number == at if once else number >= at:
                failed = True
                raise OSError(code, os.strerror(code), name)

        with small.ledger(disk) as ledger:
            disk.count, disk.hook = 0, hook
            try:
                ledger.apply(plan_of(*steps), small.cause("change-x"))
            except ExecutionFailed as failure:
                told = failure.message
                assert str(tmp_path) not in told
                assert not once or small.tree() == old
                assert ledger.history() == []
        with small.ledger() as ledger:
            if ledger.history():
                assert not any(str(step[1]) in small.tree() for step in steps[1:])
                small.undo(ledger)
            assert small.tree() == old
        if not failed:
            return
    pytest.fail("the plan never ended")


def test_an_edit_between_a_crash_and_the_next_start_is_never_taken_for_the_deletion(small: SmallVault) -> None:
    # The copy was made and nothing is gone; at the start nobody can tell that from a file made anew at its place.
    def die(_number: int, operation: str, _name: str) -> None:
        if operation == "trash":
            raise Killed

    with pytest.raises(Killed), small.ledger(HookedDisk(die)) as ledger:
        ledger.apply(plan_of(*ONE), small.cause("change-x"))
    small.write(MEETING, EDIT)
    with small.ledger(recover=False) as ledger:
        recovery = ledger.recover()
        assert recovery.conflicted == ("change-x",)
        assert repr(MEETING) in recovery.messages[0]
        assert small.read(MEETING) == EDIT
        assert (small.backup("change-x") / MEETING).read_bytes() == FILES[MEETING][1]
