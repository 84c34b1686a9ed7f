"""Taking changes back and applying them again: byte-exact, any number of times, never over someone's later edit."""

import shutil
from collections.abc import Callable

import pytest

from bridge.contract.consent import Operation
from bridge.errors import Conflict, ExecutionFailed, NotFound, ToolFailure
from bridge.journal.ledger import Ledger
from tests.journal.small_vault import FILES, SHAPES, HookedDisk, SmallVault, Step

IDEAS, MEETING, OLD, EMPTY, SCAN, _ = FILES


@pytest.mark.parametrize("swaps", [True, False])
@pytest.mark.parametrize("steps", SHAPES.values(), ids=SHAPES.keys())
def test_undo_and_redo_chains_work_any_number_of_times(
    small: SmallVault, steps: tuple[Step, ...], *, swaps: bool
) -> None:
    old = small.tree()
    with small.ledger(HookedDisk(swaps=swaps)) as ledger:
        small.apply(ledger, *steps)
        new = small.tree()
        for _turn in range(3):
            small.undo(ledger)
            assert small.tree() == old
            assert ledger.history()[0].state == "undone"
            small.redo(ledger)
            assert small.tree() == new
            assert ledger.history()[0].state == "applied"
    with small.ledger() as ledger:  # and over a restart
        small.undo(ledger)
        assert small.tree() == old


def test_undo_without_an_id_takes_the_newest_and_redo_the_last_undone(small: SmallVault) -> None:
    with small.ledger() as ledger:
        for number in range(3):
            small.apply(ledger, ("create", f"{number}.md", b"x"))
        assert ledger.undo_plan()[0] == "change-3"
        small.undo(ledger)
        assert ledger.undo_plan(None)[0] == "change-2"
        small.undo(ledger)
        assert [entry.state for entry in ledger.history()] == ["undone", "undone", "applied"]
        assert ledger.redo_plan()[0] == "change-2"
        small.redo(ledger)
        assert ledger.redo_plan()[0] == "change-3"
        assert ledger.undo_plan()[0] == "change-2"


def test_an_older_change_can_be_undone_while_its_files_are_as_it_left_them(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
        small.apply(ledger, ("create", "Later.md", b"x"))
        small.undo(ledger, "change-1")
        assert small.read(MEETING) == FILES[MEETING][1]
        assert small.read("Later.md") == b"x"
        assert [entry.state for entry in ledger.history()] == ["applied", "undone"]


def test_the_plan_of_an_undo_says_what_it_does(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["mixed"])
        change, plan = ledger.undo_plan()
        assert (change, plan.reversal, plan.reverses) == ("change-1", "undo", "change-1")
        assert plan.summary == "Undo change-1: A change"
        assert plan.operation is Operation.UPDATE
        assert [preview.change for preview in plan.previews] == [
            "delete", "create", "mkdir", "mkdir", "move", "rmdir", "modify",
        ]  # fmt: skip
        assert plan.previews[-1].diff == (
            "--- Ideas.md\n+++ Ideas.md\n@@ -1,1 +1,3 @@\n-links to [[Renamed]]\n\\ No newline at end of file\n"
            "+# Ideas\r\n+mixed\n+endings\n\\ No newline at end of file\n"
        )
        small.undo(ledger)
        assert ledger.redo_plan()[1].summary == "Redo change-1: A change"


@pytest.mark.parametrize(
    ("steps", "operation"),
    [(SHAPES["delete"], Operation.CREATE), (SHAPES["create with new parents"], Operation.DELETE)],
    ids=["delete", "create"],
)
def test_the_undo_of_a_deletion_creates_and_that_of_a_creation_deletes(
    small: SmallVault, steps: tuple[Step, ...], operation: Operation
) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *steps)
        assert ledger.undo_plan()[1].operation is operation


def test_an_undo_is_one_entry_with_its_change(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"], call_id="call-1")
        small.undo(ledger)
        entries = ledger.history()
    assert [(entry.execution_id, entry.state, entry.call_id) for entry in entries] == [("change-1", "undone", "call-1")]


LATER: dict[str, tuple[str, Callable[[SmallVault], object], str]] = {
    "edited": ("mixed", lambda small: small.write(IDEAS, b"later"), IDEAS),
    "deleted": ("mixed", lambda small: (small.folder / IDEAS).unlink(), IDEAS),
    "a created file edited": ("mixed", lambda small: small.write("Fresh/New.md", b"later"), "Fresh/New.md"),
    "a moved file deleted": (
        "mixed",
        lambda small: (small.folder / "Fresh/Renamed.md").unlink(),
        "Fresh/Renamed.md",
    ),
    "a moved file moved on": (
        "mixed",
        lambda small: (small.folder / "Fresh/Renamed.md").rename(small.folder / "Elsewhere.md"),
        "Fresh/Renamed.md",
    ),
    "a deleted file's place taken": ("mixed", lambda small: small.write(SCAN, b"later"), SCAN),
    "a new file where a folder was": ("delete", lambda small: small.write("Archive", b"later"), "Archive"),
}


@pytest.mark.parametrize(("shape", "edit", "path"), LATER.values(), ids=LATER.keys())
def test_an_undo_never_loses_a_later_edit(
    small: SmallVault, shape: str, edit: Callable[[SmallVault], object], path: str
) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES[shape])
        (small.folder / path).parent.mkdir(exist_ok=True)
        edit(small)
        before = small.tree()
        with pytest.raises(Conflict) as caught:
            ledger.undo_plan()
        assert caught.value.data == {"path": path, "code": "edited_since"}
        assert repr(path) in caught.value.message
        assert "would lose" in caught.value.message
        assert small.tree() == before
        assert ledger.history()[0].state == "applied"


def test_an_edit_between_the_undos_plan_and_its_writing_is_not_lost_either(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
        change, plan = ledger.undo_plan()
        small.write(MEETING, b"later")
        with pytest.raises(Conflict) as caught:
            ledger.apply(plan, small.cause(kind="undo", reverses=change))
        assert caught.value.code == "stale"
        assert small.read(MEETING) == b"later"


def test_a_redo_never_loses_a_later_edit(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
        small.undo(ledger)
        small.write(MEETING, b"later")
        with pytest.raises(Conflict) as caught:
            ledger.redo_plan()
        assert caught.value.code == "edited_since"


def test_a_new_folder_with_something_else_in_it_stays(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["create with new parents"])
        small.write("New/Mine.md", b"mine")
        _change, plan = ledger.undo_plan()
        assert plan.warnings == ("The folder New stays, because there is something else in it",)
        small.undo(ledger)
        assert small.read("New/Mine.md") == b"mine"
        assert not (small.folder / "New/Deep").exists()
        small.redo(ledger)
        assert small.read("New/Deep/Note.md") == b"fresh\n"


def test_folders_that_someone_removed_since_are_made_again(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("delete", OLD, FILES[OLD][1]))
        shutil.rmtree(small.folder / "Notes" / "Deep")
        small.undo(ledger)
        assert small.tree()[OLD] == FILES[OLD]


def test_a_new_folder_that_someone_removed_since_needs_no_removing(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("mkdir", "Empty"), ("modify", EMPTY, b"", b"x"))
        (small.folder / "Empty").rmdir()
        small.undo(ledger)
        assert small.read(EMPTY) == b""


@pytest.mark.parametrize("what", ["damaged", "missing", "folder missing", "all missing"])
def test_a_backup_that_is_not_what_it_was_stops_the_undo(small: SmallVault, what: str) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
        before = small.tree()
        folder = small.backup("change-1")
        match what:
            case "damaged":
                (folder / MEETING).write_bytes(b"scribbled over")
            case "missing":
                (folder / MEETING).unlink()
            case "folder missing":
                shutil.rmtree(folder / "Notes")
            case _:
                shutil.rmtree(folder.parent)
        with pytest.raises(ExecutionFailed) as caught:
            ledger.undo_plan()
        assert ("is damaged" if what == "damaged" else "is missing") in caught.value.message
        assert "nothing was written" in caught.value.message
        assert small.tree() == before


def test_a_damaged_backup_of_one_file_keeps_that_one_from_being_undone_and_no_other(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify in several folders"])
        (small.backup("change-1") / MEETING).write_bytes(b"scribbled over")
        _change, plan = ledger.undo_plan()
        [left] = plan.left
        assert left.path == MEETING
        assert left.why == f"the backup of {MEETING!r} in '.vault-bridge/backups/change-1/' is damaged"
        small.undo(ledger)
        assert (small.read(IDEAS), small.read(MEETING)) == (FILES[IDEAS][1], b"")


def ask(ledger: Ledger, kind: str, execution_id: str | None) -> ToolFailure:
    with pytest.raises(NotFound) as caught:
        (ledger.undo_plan if kind == "undo" else ledger.redo_plan)(execution_id)
    return caught.value


def test_what_cannot_be_undone_says_what_to_do(small: SmallVault) -> None:
    with small.ledger() as ledger:
        assert "nothing to undo" in ask(ledger, "undo", None).message
        assert "nothing to redo" in ask(ledger, "redo", None).message
        assert "history.list" in ask(ledger, "undo", "none-such").message
        small.apply(ledger, *SHAPES["modify"])
        assert "applied already; use undo" in ask(ledger, "redo", "change-1").message
        assert "nothing to redo" in ask(ledger, "redo", None).message
        undo = small.undo(ledger)
        assert "undone already; use redo" in ask(ledger, "undo", "change-1").message
        assert "nothing to undo" in ask(ledger, "undo", None).message
        assert "itself the undo of 'change-1'" in ask(ledger, "undo", undo).message


def test_a_change_that_was_only_partly_taken_back_has_no_undo(small: SmallVault) -> None:
    def hook(_number: int, operation: str, name: str) -> None:
        if operation == "swap" and name == "2024.md":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), small.ledger(HookedDisk(hook)) as ledger:
        small.apply(ledger, *SHAPES["modify in several folders"])
    small.write(IDEAS, b"mine")
    with small.ledger() as ledger:
        assert ledger.history()[0].state == "conflicted"
        assert ".vault-bridge/backups/change-1/" in ask(ledger, "undo", "change-1").message


def test_five_hundred_files_are_undone_as_one(small: SmallVault) -> None:
    old = small.tree()
    steps: list[Step] = [("mkdir", f"Folder {number}") for number in range(40)]
    steps += [("create", f"Folder {number % 40}/{number}.md", b"%d\n" % number) for number in range(500)]
    with small.ledger() as ledger:
        small.apply(ledger, *steps)
        small.undo(ledger)
        assert small.tree() == old
