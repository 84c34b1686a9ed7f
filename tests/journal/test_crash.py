"""Whatever interrupts the ledger, and wherever: afterwards all files of a plan are old, or all are new."""

import itertools
import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.vault import disk as disk_module
from tests.journal.small_vault import SHAPES, HookedDisk, Killed, SmallVault, Step, TearingDisk, Tree, plan_of

MOST_OPERATIONS = 400

DISKS: dict[str, Callable[[Callable[[int, str, str], None]], HookedDisk]] = {
    "plain": HookedDisk,
    "names cannot change places": lambda hook: HookedDisk(hook, swaps=False),
    "paths instead of descriptors": lambda hook: HookedDisk(hook, descriptors=False, swaps=False),
    "backups on another disk": lambda hook: HookedDisk(hook, descriptors=False, apart=".vault-bridge"),
    "a folder on another disk": lambda hook: HookedDisk(hook, descriptors=False, apart="Archive"),
}


class DyingDisk:
    """A hook that lets the process die at the nth change, and keeps it dead."""

    def __init__(self, at: int) -> None:
        self._at = at
        self.died = False

    def __call__(self, number: int, _operation: str, _name: str) -> None:
        if number >= self._at:
            self.died = True
            raise Killed


def die_while_applying(small: SmallVault, steps: tuple[Step, ...], disk: HookedDisk) -> bool:
    """Whether the process died before the plan was applied."""
    try:
        with small.ledger(disk) as ledger:
            ledger.apply(plan_of(*steps), small.cause("change-x"))
    except Killed:
        return True
    return False


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], SmallVault]:
    """Makes a small vault again and again."""
    pattern = SmallVault(tmp_path / "Pattern").folder

    def make() -> SmallVault:
        shutil.rmtree(tmp_path / "Vault", ignore_errors=True)
        shutil.copytree(pattern, tmp_path / "Vault")
        return SmallVault(tmp_path / "Vault", {})

    return make


def trees(fresh: Callable[[], SmallVault], steps: tuple[Step, ...]) -> tuple[Tree, Tree]:
    """The vault before and after a change that nothing interrupts."""
    small = fresh()
    old = small.tree()
    with small.ledger() as ledger:
        ledger.apply(plan_of(*steps), small.cause("change-x"))
    return old, small.tree()


def assert_agreement(small: SmallVault, steps: tuple[Step, ...], old: Tree, new: Tree) -> None:
    """All old or all new, no hidden file left, the history knows, and what comes next works."""
    with small.ledger() as ledger:
        tree = small.tree()
        assert tree in (old, new)
        entries = ledger.history()
        if tree == new:
            assert [(entry.execution_id, entry.state) for entry in entries] == [("change-x", "applied")]
            small.undo(ledger)
            assert small.tree() == old
        else:
            assert entries == []
            assert not small.backup("change-x").exists()
            ledger.apply(plan_of(*steps), small.cause("change-y"))
            assert small.tree() == new


CASES = (
    [(shape, "plain") for shape in SHAPES]
    + [
        (shape, disk)
        for shape in ("modify", "mixed", "files with the same bytes", "two files change names")
        for disk in list(DISKS)[1:]
    ]
    + [(shape, "a folder on another disk") for shape in ("move", "delete")]
)


@pytest.mark.long
@pytest.mark.parametrize(("shape", "kind"), CASES)
def test_a_kill_at_any_operation_leaves_all_old_or_all_new(
    fresh: Callable[[], SmallVault], shape: str, kind: str
) -> None:
    steps, disk = SHAPES[shape], DISKS[kind]
    old, new = trees(fresh, steps)
    outcomes = set()
    for at in range(1, MOST_OPERATIONS):
        small = fresh()
        if not die_while_applying(small, steps, disk(DyingDisk(at))):
            break
        with small.ledger(disk(lambda _number, _operation, _name: None)):
            outcomes.add("old" if small.tree() == old else "new")
        assert_agreement(small, steps, old, new)
    else:
        pytest.fail("the plan never ended")
    assert outcomes == {"old", "new"}


def test_a_kill_while_files_are_written_ahead_leaves_all_old_or_all_new(
    fresh: Callable[[], SmallVault], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.journal.plan_executor.TOGETHER", 2)
    steps = SHAPES["modify in several folders"]
    old, new = trees(fresh, steps)
    seen: set[str] = set()
    outcomes = set()
    for at in range(1, MOST_OPERATIONS):
        small, dying = fresh(), DyingDisk(at)

        def watched(number: int, operation: str, name: str, dying: DyingDisk = dying) -> None:
            seen.add(operation)
            dying(number, operation, name)

        if not die_while_applying(small, steps, HookedDisk(watched)):
            break
        with small.ledger():
            outcomes.add("old" if small.tree() == old else "new")
        assert_agreement(small, steps, old, new)
    else:
        pytest.fail("the plan never ended")
    assert outcomes == {"old", "new"}
    assert ("sync_all" in seen) == HookedDisk().can_sync_all


@pytest.mark.long
@pytest.mark.parametrize("shape", ["mixed", "two files change names"])
@pytest.mark.parametrize("kind", ["plain", "names cannot change places"])
def test_a_kill_during_recovery_is_recovered_from_too(fresh: Callable[[], SmallVault], shape: str, kind: str) -> None:
    steps, disk = SHAPES[shape], DISKS[kind]
    old, new = trees(fresh, steps)
    for at in range(4, MOST_OPERATIONS, 5):
        for second in range(1, MOST_OPERATIONS):
            small = fresh()
            if not die_while_applying(small, steps, disk(DyingDisk(at))):
                return
            dying = DyingDisk(second)
            try:
                with small.ledger(disk(dying)):
                    pass
            except Killed:
                pass
            if not dying.died:
                break
            assert_agreement(small, steps, old, new)


def test_a_kill_between_the_two_halves_of_a_move_is_recovered_from(
    fresh: Callable[[], SmallVault], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where no rename refuses to overwrite, a move is a second name and then the first one away.
    monkeypatch.setattr(disk_module, "rename_new", lambda _source, _target: False)
    test_a_kill_at_any_operation_leaves_all_old_or_all_new(fresh, "mixed", "plain")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a real kill needs a process that forks")
@pytest.mark.parametrize("shape", ["modify", "create with new parents", "mixed", "delete into the system's trash"])
def test_a_process_that_really_dies_leaves_all_old_or_all_new(fresh: Callable[[], SmallVault], shape: str) -> None:
    steps = SHAPES[shape]
    old, new = trees(fresh, steps)
    for at in range(1, MOST_OPERATIONS):
        small = fresh()
        if run_until_death(small, steps, at) == 0:
            break
        assert_agreement(small, steps, old, new)
    else:
        pytest.fail("the plan never ended")


def run_until_death(small: SmallVault, steps: tuple[Step, ...], at: int) -> int:
    """Apply the plan in a child that dies at the nth change, in the middle of it if it is a write."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child only calls the system and exits
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        with small.ledger(TearingDisk(at)) as ledger:
            ledger.apply(plan_of(*steps), small.cause("change-x"))
        os._exit(0)
    finally:
        os._exit(1)


@pytest.mark.long
@pytest.mark.parametrize("kept", list(itertools.product([True, False], repeat=4)))
def test_a_disk_that_keeps_only_some_of_the_steps_is_recovered_from(
    fresh: Callable[[], SmallVault], kept: tuple[bool, ...]
) -> None:
    # After a power failure any of the renames may be missing, not only the last ones.
    steps = SHAPES["modify in several folders"]
    old, new = trees(fresh, steps)
    small = fresh()
    with small.ledger() as ledger:
        ledger.apply(plan_of(*steps), small.cause("change-x"))
    forget_last_line(small)
    for (_kind, path, *_), is_kept in zip(steps, kept, strict=True):
        if not is_kept:
            (small.backup("change-x") / path).replace(small.folder / path)
    with small.ledger():
        assert small.tree() == (new if all(kept) else old)
    assert_agreement(small, steps, old, new)


def forget_last_line(small: SmallVault) -> None:
    """The journal as it is when its last line never reached the disk."""
    lines = small.journal.read_bytes().splitlines(keepends=True)
    small.journal.write_bytes(b"".join(lines[:-1]))
