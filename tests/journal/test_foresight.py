"""What undoing several changes would come to, and that it comes to that."""

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import ToolFailure
from bridge.journal.ledger import Ledger
from bridge.journal.reversal import Foreseen
from bridge.vault.plan import LeftFile
from tests.journal.small_vault import FILES, SmallVault, plan_of

IDEAS, MEETING, *_ = FILES
BEFORE = FILES[MEETING][1]


def undo_all(small: SmallVault, ledger: Ledger, changes: list[str]) -> list[bool]:
    def undone(change: str) -> bool:
        try:
            small.undo(ledger, change)
        except ToolFailure:
            return False
        return True

    return [undone(change) for change in changes]


def test_a_change_that_was_built_upon_can_be_undone_after_what_was_built_on_it(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("modify", MEETING, BEFORE, b"one"))
        small.apply(ledger, ("modify", MEETING, b"one", b"two"))
        small.apply(ledger, ("move", MEETING, "Moved.md", b"two"))
        alone = ledger.foresee_undo({"change-1"})
        assert alone == {"change-1": Foreseen(f"{MEETING!r} was edited since")}
        together = ledger.foresee_undo({"change-1", "change-2", "change-3"})
        assert together == {"change-3": Foreseen(), "change-2": Foreseen(), "change-1": Foreseen()}
        assert list(together) == ["change-3", "change-2", "change-1"]


def test_what_was_edited_by_hand_keeps_its_own_changes_from_being_undone_and_no_others(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("modify", MEETING, BEFORE, b"one"))
        small.apply(ledger, ("create", "New.md", b"one"))
        small.apply(ledger, ("create", "Gone.md", b"one"))
        small.write(MEETING, b"by hand")
        (small.folder / "Gone.md").unlink()
        assert ledger.foresee_undo({"change-1", "change-2", "change-3", "none"}) == {
            "change-3": Foreseen("'Gone.md' was edited since"),
            "change-2": Foreseen(),
            "change-1": Foreseen(f"{MEETING!r} was edited since"),
        }


def test_what_is_undone_or_has_no_backup_says_so(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("create", "New.md", b"one"))
        small.undo(ledger)
        small.keep = False
        small.apply(ledger, ("modify", MEETING, BEFORE, b"one"))
        assert ledger.foresee_undo({"change-1", "change-3"}) == {
            "change-3": Foreseen("Its backup was not kept"),
            "change-1": Foreseen("It is undone already"),
        }


def test_a_file_that_stays_is_named_by_each_of_the_changes_that_were_repeated_together(small: SmallVault) -> None:
    with small.ledger() as ledger:
        changes = [
            small.apply(ledger, ("create", "One.md", b"one")).execution_id,
            small.apply(ledger, ("move", "One.md", "Two.md", b"one")).execution_id,
            ledger.apply(replace(plan_of(("create", "Three.md", b"")), units=()), small.cause()).execution_id,
        ]
        for turn in (ledger.undo_several_plan, lambda _changes: ledger.redo_plan()[1]):
            plan = turn(changes)
            ledger.apply(plan, small.cause(kind=plan.reversal, reverses=plan.reverses))
        small.write("Two.md", b"by hand")
        left = (LeftFile("Two.md", "it was edited since"),)
        assert [ledger.foresee_undo(changes)[change].left for change in changes] == [left, left, ()]
        plan = ledger.undo_several_plan(changes)
        ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
        assert [entry.left for entry in ledger.history()] == [(), plan.left, plan.left]


NAMES = ("A.md", "B.md", "C.md")
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["write", "move", "delete", "undo", "hand"]), st.sampled_from(NAMES), st.sampled_from(NAMES)
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(EVENTS, st.sets(st.integers(1, 12)))
def test_what_is_foreseen_is_what_happens(events: list[tuple[str, str, str]], chosen: set[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = SmallVault(Path(folder) / "Vault", {})
        with small.ledger() as ledger:
            for number, (event, name, other) in enumerate(events):
                happen(small, ledger, (event, name, other), b"%d" % (number // 2))
            changes = [entry.execution_id for entry in ledger.history(limit=100)]
            wanted = {change for place, change in enumerate(changes, 1) if place in chosen}
            foreseen = ledger.foresee_undo(wanted)
            assert list(foreseen) == [change for change in changes if change in wanted]
            assert undo_all(small, ledger, list(foreseen)) == [one.why is None for one in foreseen.values()]


def happen(small: SmallVault, ledger: Ledger, what: tuple[str, str, str], data: bytes) -> None:
    """One thing that a client or the person does, where it can be done."""
    event, name, other = what
    old = small.read(name) if (small.folder / name).exists() else None
    if event == "undo":
        undo_all(small, ledger, [entry.execution_id for entry in ledger.history(limit=1) if entry.state == "applied"])
    elif event == "hand":
        small.write(name, data)
    elif old is None:
        small.apply(ledger, ("create", name, data))
    elif event == "delete":
        small.apply(ledger, ("delete", name, old))
    elif event == "move" and not (small.folder / other).exists():
        small.apply(ledger, ("move", name, other, old))
    elif event == "write" and old != data:
        small.apply(ledger, ("modify", name, old, data))
