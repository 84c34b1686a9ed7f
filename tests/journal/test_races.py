"""Someone else edits while the ledger works: their bytes are never lost, and never half of a plan is left."""

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from bridge.errors import Conflict
from bridge.journal import ledger as ledger_module
from bridge.vault.folder import Folder
from tests.journal.small_vault import FILES, HookedDisk, SmallVault, plan_of, posix_only
from tests.patience import PATIENCE

EDIT = b"typed by a person in this very moment\n"
MOST_OPERATIONS = 120
IDEAS, MEETING, OLD, EMPTY, SCAN, _ = FILES
Edit = Callable[[Path], None]


def in_place(path: Path) -> None:
    """As Obsidian writes."""
    path.write_bytes(EDIT)


def by_rename(path: Path) -> None:
    """As vim, Syncthing and most editors write."""
    other = path.with_name("edited.tmp")
    other.write_bytes(EDIT)
    other.replace(path)


PLANS: dict[str, tuple[str, tuple[tuple[object, ...], ...]]] = {
    "modify": (MEETING, (("modify", MEETING, FILES[MEETING][1], b"ours\n"),)),
    "delete": (MEETING, (("delete", MEETING, FILES[MEETING][1]),)),
    "move": (MEETING, (("move", MEETING, "Notes/Moved.md", FILES[MEETING][1]),)),
    "create": ("Notes/New.md", (("create", "Notes/New.md", b"ours\n"),)),
    "move onto": ("Notes/Moved.md", (("move", SCAN, "Notes/Moved.md", FILES[SCAN][1]),)),
}


@pytest.mark.long
@pytest.mark.parametrize("edit", [in_place, by_rename])
@pytest.mark.parametrize("kind", PLANS)
def test_an_edit_at_any_moment_survives_and_the_plan_is_all_or_nothing(tmp_path: Path, kind: str, edit: Edit) -> None:
    target, steps = PLANS[kind]
    whole = (("modify", IDEAS, FILES[IDEAS][1], b"first\n"), *steps, ("modify", EMPTY, b"", b"last\n"))
    outcomes: set[str | None] = set()
    for at in range(1, MOST_OPERATIONS):
        small = SmallVault(tmp_path / str(at))
        edited = False

        def hook(number: int, _operation: str, _name: str, at: int = at, small: SmallVault = small) -> None:
            nonlocal edited
            if number == at:
                edited = True
                edit(small.folder / target)

        disk = HookedDisk()
        with small.ledger(disk) as ledger:
            disk.count, disk.hook = 0, hook
            try:
                ledger.apply(plan_of(*whole), small.cause("change-x"))
                outcomes.add("applied")
                assert (small.read(IDEAS), small.read(EMPTY)) == (b"first\n", b"last\n")
            except Conflict as conflict:
                code, told = conflict.code, conflict.message
                outcomes.add(code)
                assert target in told
                assert (small.read(IDEAS), small.read(EMPTY)) == (FILES[IDEAS][1], b"")
                assert ledger.history() == []
            if not edited:
                break
            survivors = [path for path, (_mode, data) in small.tree().items() if data == EDIT]
            kept = small.backup("change-x")
            survivors += [str(path) for path in kept.rglob("*") if path.is_file() and path.read_bytes() == EDIT]
            assert survivors, f"the edit at operation {at} was lost"
            if kind not in {"move", "delete"}:
                assert small.read(target) == EDIT
        assert not [path for path in small.tree() if ".vault-bridge-" in path]
    else:
        pytest.fail("the plan never ended")
    assert outcomes >= {"applied", "exists" if kind in {"create", "move onto"} else "stale"}


@posix_only
@pytest.mark.parametrize("kind", ["modify", "delete", "move"])
@pytest.mark.parametrize("what", ["link", "folder", "nothing", "pipe"])
def test_a_file_that_becomes_something_else_at_the_last_moment_is_left_as_it_is(
    small: SmallVault, kind: str, what: str
) -> None:
    target = small.folder / MEETING

    def hook(_number: int, operation: str, name: str) -> None:
        if operation in {"swap", "move_new"} and (name == target.name or name.endswith((".swap", "Moved.md"))):
            disk.hook = lambda _number, _operation, _name: None
            target.unlink()
            match what:
                case "link":
                    target.symlink_to("../Ideas.md")
                case "folder":
                    target.mkdir()
                case "pipe":
                    os.mkfifo(target)
                case _:
                    pass

    disk = HookedDisk()
    with small.ledger(disk) as ledger:
        disk.hook = hook
        with pytest.raises(Conflict) as caught:
            small.apply(ledger, *PLANS[kind][1])
    assert caught.value.code == "stale"
    assert small.read(IDEAS) == FILES[IDEAS][1]
    state = {"link": target.is_symlink(), "folder": target.is_dir(), "pipe": target.is_fifo()}
    assert state.get(what, not target.exists())
    assert not [path for path in small.tree() if ".vault-bridge-" in path]


@posix_only
def test_a_folder_that_becomes_a_link_is_not_followed(small: SmallVault, tmp_path: Path) -> None:
    outside = tmp_path / "Outside"
    (small.folder / "Notes").rename(outside)
    (small.folder / "Notes").symlink_to(outside)
    with small.ledger() as ledger, pytest.raises(Conflict) as caught:
        small.apply(ledger, *PLANS["modify"][1])
    assert caught.value.code == "stale"
    assert (outside / "Meeting.md").read_bytes() == FILES[MEETING][1]


def test_where_names_cannot_change_places_an_edit_before_the_last_look_survives(small: SmallVault) -> None:
    def hook(_number: int, operation: str, _name: str) -> None:
        if operation == "create":
            small.write(MEETING, EDIT)

    disk = HookedDisk(swaps=False)
    with small.ledger(disk) as ledger:
        disk.hook = hook
        with pytest.raises(Conflict):
            small.apply(ledger, *PLANS["modify"][1])
    assert small.read(MEETING) == EDIT


def test_of_two_writers_of_one_file_one_is_stale(small: SmallVault) -> None:
    outcomes: list[str | None] = []
    barrier = threading.Barrier(8)

    def write(number: int) -> None:
        plan = plan_of(("modify", MEETING, FILES[MEETING][1], b"%d" % number))
        barrier.wait(PATIENCE)
        try:
            ledger.apply(plan, small.cause(f"racer-{number}"))
            outcomes.append(f"racer-{number}")
        except Conflict as conflict:
            outcomes.append(conflict.code)

    with small.ledger() as ledger:
        threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        winners = [outcome for outcome in outcomes if outcome and outcome.startswith("racer")]
        assert len(winners) == 1
        assert outcomes.count("stale") == 7
        assert small.read(MEETING).decode() == winners[0].removeprefix("racer-")
        assert [entry.execution_id for entry in ledger.history()] == winners


def test_many_writers_of_different_files_all_succeed_and_the_journal_stays_whole(small: SmallVault) -> None:
    def write(number: int) -> None:
        for turn in range(5):
            ledger.apply(plan_of(("create", f"{number}-{turn}.md", b"x")), small.cause(f"w-{number}-{turn}"))

    with small.ledger() as ledger:
        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert len(ledger.history()) == 20
    with small.ledger(recover=False) as ledger:
        assert ledger.recover().messages == ()
        assert len(ledger.history()) == 20


def test_a_writer_that_waits_too_long_is_asked_to_try_again(small: SmallVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "LONGEST_WAIT", 0.01)
    refused: list[str | None] = []

    def hook(_number: int, operation: str, _name: str) -> None:
        if operation == "swap":
            other = threading.Thread(target=second)
            other.start()
            other.join(PATIENCE)

    def second() -> None:
        try:
            small.apply(ledger, ("create", "Other.md", b""))
        except Conflict as conflict:
            refused.append(conflict.code)

    disk = HookedDisk()
    with small.ledger(disk) as ledger:
        disk.hook = hook
        small.apply(ledger, *PLANS["modify"][1])
    assert refused == ["busy"]
    assert not (small.folder / "Other.md").exists()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_edit_between_a_crash_and_the_next_start_survives(small: SmallVault, moment: str) -> None:
    # The process dies between two steps; a person edits a file that was (or was not yet) changed.
    target = IDEAS if moment == "after" else EMPTY
    plan = plan_of(("modify", IDEAS, FILES[IDEAS][1], b"one\n"), ("modify", EMPTY, b"", b"two\n"))

    def hook(_number: int, operation: str, name: str) -> None:
        if operation == "swap" and name == "2024.md":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), small.ledger(HookedDisk(hook)) as ledger:
        ledger.apply(plan, small.cause("change-x"))
    small.write(target, EDIT)
    with small.ledger(recover=False) as ledger:
        recovery = ledger.recover()
        assert small.read(target) == EDIT
        if moment == "before":
            assert recovery.rolled_back == ("change-x",)
            assert small.read(IDEAS) == FILES[IDEAS][1]
            assert ledger.history() == []
        else:
            assert recovery.conflicted == ("change-x",)
            assert "'Ideas.md'" in recovery.messages[0]
            assert ".vault-bridge/backups/change-x/" in recovery.messages[0]
            assert (small.backup("change-x") / IDEAS).read_bytes() == FILES[IDEAS][1]
            assert ledger.history()[0].state == "conflicted"
        assert small.read(EMPTY) == (EDIT if moment == "before" else b"")
    with small.ledger(recover=False) as ledger:
        assert ledger.recover().conflicted == ()
        assert small.read(target) == EDIT


def test_a_folder_that_another_plan_makes_while_it_is_looked_for_is_in_nobodys_way(
    small: SmallVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Folder.names

    def names_with_a_new_folder(folder: Folder) -> Iterable[str]:
        (small.folder / "People").mkdir(exist_ok=True)
        return names(folder)

    plan = plan_of(("mkdir", "People"), ("create", "People/Ada.md", b"ours\n"))
    with small.ledger() as ledger:
        monkeypatch.setattr(Folder, "names", names_with_a_new_folder)
        ledger.check(plan)
        ledger.apply(plan, small.cause())
    assert small.read("People/Ada.md") == b"ours\n"
