"""A disk that is full, broken or forbidden: a change fails with a sentence, and nothing is lost."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bridge.errors import ExecutionFailed
from bridge.vault.disk import FolderHandle
from tests.journal.small_vault import FILES, SHAPES, HookedDisk, SmallVault, plan_of, posix_only

MOST_OPERATIONS = 200
NEEDS_SPACE = {"create", "append", "write", "mkdir", "link", "fsync"}
Hook = Callable[[int, str, str], None]


def nothing(_number: int, _operation: str, _name: str) -> None:
    """The hook of a disk that is well."""


def fail_at(at: int, code: int, *, once: bool, only: set[str] | None = None) -> tuple[Hook, list[int]]:
    """A hook that makes the nth change fail, or all from the nth on; and the list of those that failed."""
    failed: list[int] = []

    def hook(number: int, operation: str, name: str) -> None:
        if (number == at if once else number >= at) and (only is None or operation in only):
            failed.append(number)
            raise OSError(code, os.strerror(code), name)

    return hook, failed


@pytest.mark.long
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize(
    ("shape", "swaps"),
    [("modify in several folders", True), ("modify", False), ("mixed", True), ("two files change names", True)],
)
def test_one_failing_operation_leaves_all_old_or_all_new(tmp_path: Path, shape: str, code: int, *, swaps: bool) -> None:
    for at in range(1, MOST_OPERATIONS):
        small = SmallVault(tmp_path / str(at))
        old = small.tree()
        disk = HookedDisk(swaps=swaps)
        with small.ledger(disk) as ledger:
            disk.count = 0
            disk.hook, failed = fail_at(at, code, once=True)
            plan = plan_of(*SHAPES[shape])
            try:
                ledger.apply(plan, small.cause("change-x"))
            except ExecutionFailed as failure:
                disk.hook = nothing
                assert small.tree() == old
                told = failure.message
                assert "Traceback" not in told
                assert str(tmp_path) not in told
                assert ledger.history() == []
                ledger.apply(plan, small.cause("change-y"))
            disk.hook = nothing
            new = small.tree()
            assert new != old
            small.undo(ledger)
            assert small.tree() == old
        with small.ledger():
            assert small.tree() == old
        if not failed:
            return
    pytest.fail("the plan never ended")


def test_files_that_are_written_ahead_leave_nothing_when_one_operation_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.journal.plan_executor.TOGETHER", 2)
    plan = plan_of(*SHAPES["modify in several folders"])
    for at in range(1, MOST_OPERATIONS):
        small = SmallVault(tmp_path / str(at))
        old = small.tree()
        disk = HookedDisk()
        with small.ledger(disk) as ledger:
            disk.count = 0
            disk.hook, failed = fail_at(at, errno.ENOSPC, once=True, only=NEEDS_SPACE | {"sync_all"})
            try:
                ledger.apply(plan, small.cause("change-x"))
            except ExecutionFailed:
                assert small.tree() == old
        if not failed and disk.count < at:
            return
    pytest.fail("the plan never ended")


@posix_only
def test_rights_that_change_after_bytes_were_written_ahead_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.journal.plan_executor.TOGETHER", 2)
    small = SmallVault(tmp_path)

    def hook(_number: int, operation: str, _name: str) -> None:
        if operation in {"sync_all", "fsync"}:
            (small.folder / "Ideas.md").chmod(0o604)

    with small.ledger(HookedDisk(hook)) as ledger:
        ledger.apply(plan_of(*SHAPES["modify in several folders"]), small.cause("change-x"))
    assert small.tree()["Ideas.md"][0] == 0o604


@pytest.mark.parametrize("shape", ["modify in several folders", "delete", "mixed"])
def test_a_disk_that_stays_full_gets_everything_back_at_once(tmp_path: Path, shape: str) -> None:
    # Taking a change back needs no space: it is done by renames.
    for at in range(1, MOST_OPERATIONS):
        small = SmallVault(tmp_path / str(at))
        old = small.tree()
        disk = HookedDisk()
        with small.ledger(disk) as ledger:
            disk.count = 0
            disk.hook, failed = fail_at(at, errno.ENOSPC, once=False, only=NEEDS_SPACE)
            try:
                ledger.apply(plan_of(*SHAPES[shape]), small.cause("change-x"))
            except ExecutionFailed as failure:
                told = failure.message
                assert "disk is full" in told
                assert "free some space" in told
                assert small.tree() == old
            else:
                assert small.tree() != old
        expected = small.tree()
        with small.ledger():
            assert small.tree() == expected
        if not failed:
            return
    pytest.fail("the plan never ended")


def test_a_disk_that_fails_for_good_is_mended_at_the_next_start(tmp_path: Path) -> None:
    open_changes = 0
    for at in range(1, MOST_OPERATIONS):
        small = SmallVault(tmp_path / str(at))
        old = small.tree()
        disk = HookedDisk()
        with small.ledger(disk) as ledger:
            disk.count = 0
            disk.hook, failed = fail_at(at, errno.EIO, once=False)
            try:
                ledger.apply(plan_of(*SHAPES["mixed"]), small.cause("change-x"))
            except ExecutionFailed as failure:
                open_changes += "could not be taken back yet" in failure.message
        with small.ledger() as ledger:
            assert small.tree() == old or ledger.history()[0].execution_id == "change-x"
            if ledger.history():
                small.undo(ledger)
            assert small.tree() == old
        if not failed:
            break
    assert open_changes > 10


def test_what_could_not_be_taken_back_comes_before_the_next_change(small: SmallVault) -> None:
    old = small.tree()
    disk = HookedDisk()
    with small.ledger(disk) as ledger:
        disk.count = 0
        disk.hook, _failed = fail_at(12, errno.EIO, once=False)
        with pytest.raises(ExecutionFailed, match="could not be taken back yet"):
            small.apply(ledger, *SHAPES["modify in several folders"])
        assert small.tree() != old
        with pytest.raises(ExecutionFailed, match="Nothing is written before that"):
            small.apply(ledger, ("create", "Other.md", b""))
        disk.hook = nothing
        small.apply(ledger, ("create", "Other.md", b""))
        assert small.tree().keys() - old.keys() == {"Other.md"}
        assert {path: there for path, there in small.tree().items() if path != "Other.md"} == old


def test_recovery_that_fails_says_so_and_does_not_stop_the_start(small: SmallVault) -> None:
    disk = HookedDisk()
    with small.ledger(disk) as ledger:
        disk.count = 0
        disk.hook, _failed = fail_at(12, errno.EIO, once=False)
        with pytest.raises(ExecutionFailed):
            small.apply(ledger, *SHAPES["modify in several folders"])
    disk.hook, _failed = fail_at(0, errno.EACCES, once=False)
    with small.ledger(disk, recover=False) as ledger:
        recovery = ledger.recover()
        assert recovery.rolled_back == ()
        assert "refuses access" in recovery.messages[0]
    with small.ledger(recover=False) as ledger:
        assert len(ledger.recover().rolled_back) == 1


def test_a_mark_that_could_not_be_written_comes_later(small: SmallVault) -> None:
    disk = HookedDisk()
    with small.ledger(disk) as ledger:
        written = 0

        def hook(_number: int, operation: str, name: str) -> None:
            nonlocal written
            written += operation == "swap"
            if written and operation == "write":
                raise OSError(errno.ENOSPC, "full", name)

        disk.hook = hook
        small.apply(ledger, ("modify", "Ideas.md", small.read("Ideas.md"), b"new"))
        assert small.journal.read_bytes().count(b'"done"') == 0
        disk.hook = nothing
        small.apply(ledger, ("create", "Other.md", b""))
    assert small.journal.read_bytes().count(b'"done"') == 2


def test_an_error_that_is_none_of_the_disks_is_passed_on_and_everything_taken_back(small: SmallVault) -> None:
    old = small.tree()

    def hook(_number: int, operation: str, _name: str) -> None:
        if operation == "rmdir":
            raise RuntimeError("a fault of ours")

    with small.ledger(HookedDisk(hook)) as ledger:
        with pytest.raises(RuntimeError, match="a fault of ours"):
            small.apply(ledger, *SHAPES["delete"])
        assert small.tree() == old
        assert ledger.history() == []


class UnreadableDisk(HookedDisk):
    """A disk that cannot read one file."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def open_read(self, at: FolderHandle, name: str) -> int:
        if name == self._name:
            raise OSError(errno.EIO, "unreadable")
        return super().open_read(at, name)


def test_a_file_that_cannot_be_read_is_not_changed(small: SmallVault) -> None:
    old = small.tree()
    with small.ledger(UnreadableDisk("Meeting.md")) as ledger, pytest.raises(ExecutionFailed, match="disk failed"):
        small.apply(ledger, *SHAPES["modify"])
    assert small.tree() == old
    assert not small.journal.exists()


def test_an_old_file_that_cannot_be_looked_at_any_more_is_never_thrown_away(small: SmallVault) -> None:
    swap = ".vault-bridge-change-x-0.swap"
    with small.ledger(UnreadableDisk(swap)) as ledger, pytest.raises(ExecutionFailed, match="taken back yet"):
        ledger.apply(plan_of(*SHAPES["modify"]), small.cause("change-x"))
    assert small.read(f"Notes/{swap}") == FILES["Notes/Meeting.md"][1]
    with small.ledger() as ledger:
        small.undo(ledger)
        assert small.read("Notes/Meeting.md") == FILES["Notes/Meeting.md"][1]


def test_a_folder_that_cannot_be_listed_is_not_changed(small: SmallVault) -> None:
    class UnlistableDisk(HookedDisk):
        @contextmanager
        def scan(self, at: FolderHandle) -> Iterator[Iterator[os.DirEntry[str]]]:
            self.hook(0, "scan", "")
            with super().scan(at) as entries:
                yield entries

    hook, _failed = fail_at(0, errno.EACCES, once=True)
    with small.ledger(UnlistableDisk(hook)) as ledger, pytest.raises(ExecutionFailed, match="refuses access"):
        ledger.check(plan_of(*SHAPES["create with new parents"]))
