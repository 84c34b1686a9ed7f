"""An undo leaves out what was edited since, with all that belongs together with it, and takes back everything else."""

import contextlib
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.errors import Conflict
from bridge.journal.journal import BeginRecord, decode, encode
from bridge.journal.ledger import Ledger
from bridge.vault.plan import LeftFile
from tests.journal.small_vault import FILES, HookedDisk, Killed, SmallVault, Step, plan_of
from tests.journal.test_random_histories import PLACES, TREES, Planner

IDEAS, MEETING, OLD, EMPTY, SCAN, _ = FILES
EDITED = "it was edited since"

Files = dict[str, bytes]


def files(small: SmallVault) -> Files:
    return {path: data for path, (_mode, data) in small.tree().items() if data is not None}


def apply(small: SmallVault, ledger: Ledger, *steps: Step, units: tuple[tuple[str, ...], ...] | None = ()) -> str:
    """Apply a change in which only those files belong together that are named."""
    return ledger.apply(replace(plan_of(*steps), units=units), small.cause()).execution_id


def left_of(ledger: Ledger, change: str) -> tuple[LeftFile, ...]:
    return next(entry.left for entry in ledger.history() if entry.execution_id == change)


def test_what_was_edited_is_left_and_named_everywhere_and_the_rest_is_undone(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(small, ledger, *((("modify", path, FILES[path][1], b"by the night")) for path in (IDEAS, MEETING, OLD)))
        small.write(MEETING, b"mine")
        _change, plan = ledger.undo_plan()
        assert plan.left == (LeftFile(MEETING, EDITED),)
        assert f"{MEETING} stays as it is: {EDITED}" in plan.warnings
        assert plan.summary.endswith("(in part)")
        small.undo(ledger)
    with small.ledger() as ledger:  # and after a restart
        assert files(small) == {path: data for path, (_mode, data) in FILES.items()} | {MEETING: b"mine"}
        [entry] = ledger.history()
        assert (entry.state, entry.left) == ("undone", (LeftFile(MEETING, EDITED),))


def test_what_was_left_can_be_undone_later_and_all_of_it_is_made_again_as_one(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(small, ledger, *((("modify", path, FILES[path][1], b"by the night")) for path in (IDEAS, MEETING)))
        done = files(small)
        small.write(MEETING, b"mine")
        small.undo(ledger)
        with pytest.raises(Conflict, match="edited after this change"):
            ledger.undo_plan("change-1")
        small.write(MEETING, b"by the night")
        small.undo(ledger, "change-1")
        assert (files(small), left_of(ledger, "change-1")) == ({path: data for path, (_, data) in FILES.items()}, ())
        small.redo(ledger)
        assert (files(small), ledger.history()[0].state) == (done, "applied")
        small.undo(ledger)
        assert files(small) == {path: data for path, (_, data) in FILES.items()}


def test_a_change_made_again_after_an_undo_in_part_is_undone_as_a_whole(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(small, ledger, *((("modify", path, FILES[path][1], b"by the night")) for path in (IDEAS, MEETING)))
        small.write(MEETING, b"mine")
        small.undo(ledger)
        small.redo(ledger)
        assert (ledger.history()[0].state, left_of(ledger, "change-1")) == ("applied", ())
        small.write(MEETING, b"by the night")
        small.undo(ledger)
        assert (files(small), left_of(ledger, "change-1")) == ({path: data for path, (_, data) in FILES.items()}, ())


def test_without_an_id_the_one_before_is_next(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(small, ledger, ("create", "Before.md", b"x"))
        apply(small, ledger, ("create", "One.md", b"x"), ("create", "Two.md", b"x"))
        small.write("Two.md", b"mine")
        small.undo(ledger)
        assert ledger.undo_plan()[0] == "change-1"


def test_what_hangs_together_is_left_as_one(small: SmallVault) -> None:
    with small.ledger() as ledger:
        change = apply(
            small,
            ledger,
            ("move", OLD, "New.md", FILES[OLD][1]),
            ("modify", IDEAS, FILES[IDEAS][1], b"[[New]]"),
            ("modify", MEETING, FILES[MEETING][1], b"by the night"),
            units=((OLD, IDEAS),),
        )
        small.write(IDEAS, b"mine")
        small.undo(ledger)
        assert small.read(MEETING) == FILES[MEETING][1]
        assert (small.read("New.md"), small.read(IDEAS)) == (FILES[OLD][1], b"mine")
        why = f"it belongs together with {IDEAS}, which stays"
        assert set(left_of(ledger, change)) == {LeftFile("New.md", why), LeftFile(IDEAS, EDITED)}


def test_what_earlier_versions_wrote_is_undone_as_one(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(small, ledger, *((("modify", path, FILES[path][1], b"by the night")) for path in (IDEAS, MEETING)))
    data = small.journal.read_bytes()
    assert b',"units":[]' in data
    # A line without the member, as they have it.
    lines = [decode(line) for line in data.splitlines()]
    older = [line._replace(units=None) if isinstance(line, BeginRecord) else line for line in lines]
    small.journal.write_bytes(b"".join(map(encode, older)))
    assert b"units" not in small.journal.read_bytes()
    small.write(MEETING, b"mine")
    with small.ledger() as ledger, pytest.raises(Conflict, match="edited after this change"):
        ledger.undo_plan()


def test_a_moved_note_that_was_edited_since_goes_back_with_the_edit(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(small, ledger, ("move", MEETING, "Moved.md", FILES[MEETING][1]))
        small.write("Moved.md", b"mine")
        assert ledger.undo_plan()[1].warnings == ("'Moved.md' was edited since; that stays",)
        small.undo(ledger)
        assert (small.read(MEETING), (small.folder / "Moved.md").exists()) == (b"mine", False)
        small.redo(ledger)
        assert small.read("Moved.md") == b"mine"


def test_a_note_that_was_moved_and_changed_goes_back_with_what_was_written_elsewhere_in_it(small: SmallVault) -> None:
    old, new = FILES[MEETING][1], FILES[MEETING][1].replace(b"call Ada", b"call Bea")
    with small.ledger() as ledger:
        apply(small, ledger, ("move", MEETING, "Moved.md", old), ("modify", "Moved.md", old, new))
        ledger.apply(
            plan_of(("modify", "Moved.md", new, b"first\n" + new)), small.cause()
        )  # so that what the change had left is kept
        small.undo(ledger, "change-1")
        assert small.read(MEETING) == b"first\n" + old


def test_a_folder_is_not_made_again_for_what_stays_elsewhere(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(
            small,
            ledger,
            ("move", EMPTY, "2024.md", b""),
            ("delete", SCAN, FILES[SCAN][1]),
            ("rmdir", "Archive"),
            ("modify", IDEAS, FILES[IDEAS][1], b"by the night"),
            units=((EMPTY, SCAN),),
        )
        (small.folder / "2024.md").unlink()
        small.undo(ledger)
        assert small.read(IDEAS) == FILES[IDEAS][1]
        assert not (small.folder / "Archive").exists()


def test_something_in_the_place_of_a_folder_keeps_back_what_was_in_it_and_nothing_else(small: SmallVault) -> None:
    steps = [("delete", EMPTY, b""), ("delete", SCAN, FILES[SCAN][1]), ("rmdir", "Archive"), ("create", "New.md", b"x")]
    with small.ledger() as ledger:
        change = apply(small, ledger, *steps)
        small.write("Archive", b"mine")
        small.undo(ledger)
        assert (small.read("Archive"), (small.folder / "New.md").exists()) == (b"mine", False)
        assert {one.path for one in left_of(ledger, change)} == {EMPTY, SCAN}
        (small.folder / "Archive").unlink()
        small.undo(ledger, change)
        assert files(small) == {path: data for path, (_, data) in FILES.items()}


def test_what_somebody_else_changed_between_two_changes_is_left_and_the_rest_undone_as_one(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(small, ledger, ("create", "One.md", b"1"), ("create", "Two.md", b"1"))
        small.write("Two.md", b"mine")
        apply(small, ledger, ("modify", "One.md", b"1", b"2"), ("modify", "Two.md", b"mine", b"2"))
        plan = ledger.undo_several_plan(["change-1", "change-2"])
        assert plan.left == (LeftFile("Two.md", "it was changed by somebody else in between"),)
        ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
        assert ((small.folder / "One.md").exists(), small.read("Two.md")) == (False, b"2")
        assert [entry.left != () for entry in ledger.history()] == [True, True]
        small.undo(ledger, "change-2")
        assert small.read("Two.md") == b"mine"
        assert left_of(ledger, "change-2") == ()


def test_of_several_changes_each_that_had_a_part_in_what_is_left_keeps_it_and_can_be_undone_later(
    small: SmallVault,
) -> None:
    first, night = files(small), b"by the night"
    left = (LeftFile("New.md", "something else is in its place now"),)
    with small.ledger() as ledger:
        written = apply(small, ledger, *(("modify", path, FILES[path][1], night) for path in (IDEAS, MEETING)))
        moved, made = apply(small, ledger, ("move", IDEAS, "New.md", night)), apply(small, ledger, ("mkdir", "F"))
        changes = [written, moved, made]
        done = files(small) | {IDEAS: b"mine"}
        small.write(IDEAS, b"mine")
        for _time in range(2):
            plan = ledger.undo_several_plan(changes)
            assert plan.left == left
            ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
            assert files(small) == first | {IDEAS: b"mine", "New.md": night}
            assert [left_of(ledger, change) for change in changes] == [left, left, ()]
            redone = ledger.redo_plan()[1]
            ledger.apply(redone, small.cause(kind="redo", reverses=redone.reverses))
            assert files(small) == done
        plan = ledger.undo_several_plan(changes)
        ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
    (small.folder / IDEAS).unlink()
    with small.ledger() as ledger:  # and after a restart
        with pytest.raises(Conflict, match="Undo the later change first"):
            ledger.undo_plan(written)
        plan = ledger.undo_several_plan(changes[:2])
        ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
        assert files(small) == first
        assert [left_of(ledger, change) for change in changes] == [(), (), ()]


def test_a_file_that_a_change_has_no_longer_to_do_with_is_not_left_by_it(small: SmallVault) -> None:
    with small.ledger() as ledger:
        apply(small, ledger, ("create", "One.md", b"1"), ("create", "Two.md", b"1"))
        small.write("One.md", b"mine")
        small.undo(ledger)
        apply(small, ledger, ("create", "Two.md", b"2"), ("create", "Three.md", b"2"))
        small.write("Two.md", b"mine")
        plan = ledger.undo_several_plan(["change-1", "change-3"])
        assert {one.path for one in plan.left} == {"One.md", "Two.md"}
        ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
        assert [[one.path for one in entry.left] for entry in ledger.history()] == [["Two.md"], ["One.md"]]
        small.write("Two.md", b"2")
        small.undo(ledger, "change-3")
        assert not (small.folder / "Two.md").exists()


@pytest.mark.parametrize("last", [("delete", "One.md", b"mine"), ("modify", "One.md", b"mine", b"0")])
def test_what_somebody_else_wrote_between_two_changes_is_named_though_together_they_left_all_as_it_was(
    tmp_path: Path, last: Step
) -> None:
    was = {} if last[0] == "delete" else {"One.md": b"0"}
    small = SmallVault(tmp_path / "Vault", {path: (0o644, data) for path, data in was.items()})
    with small.ledger() as ledger:
        apply(small, ledger, ("modify", "One.md", b"0", b"1") if was else ("create", "One.md", b"1"))
        small.write("One.md", b"mine")
        apply(small, ledger, last)
        apply(small, ledger, ("create", "Two.md", b""))
        plan = ledger.undo_several_plan(["change-1", "change-2", "change-3"])
        assert plan.left == (LeftFile("One.md", "it was changed by somebody else in between"),)
        ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
        assert (files(small), [entry.left for entry in ledger.history()]) == (was, [(), plan.left, plan.left])
        small.undo(ledger, "change-2")
        assert files(small) == {"One.md": b"mine"}


def test_a_folder_that_several_changes_removed_made_and_removed_stays_gone_when_its_file_stays_elsewhere(
    tmp_path: Path,
) -> None:
    small = SmallVault(tmp_path / "Vault", {"One/a.md": (0o644, b"")})
    through = [("mkdir", "One"), ("move", "a.md", "One/a.md", b""), ("move", "One/a.md", "a.md", b""), ("rmdir", "One")]
    with small.ledger() as ledger:
        changes = [
            apply(small, ledger, ("delete", "One/a.md", b"")),
            apply(small, ledger, ("create", "a.md", b""), ("create", "b.md", b""), ("rmdir", "One")),
            apply(small, ledger, ("delete", "b.md", b""), *through, ("create", "b.md", b"")),
        ]
        small.write("a.md", b"mine")
        for _time in range(2):
            plan = ledger.undo_several_plan(changes)
            ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
            assert files(small) == {"a.md": b"mine"}
            redone = ledger.redo_plan()[1]
            ledger.apply(redone, small.cause(kind="redo", reverses=redone.reverses))
            assert files(small) == {"a.md": b"mine", "b.md": b""}


@pytest.mark.slow
def test_an_undo_in_part_that_is_killed_anywhere_is_wholly_there_or_not_at_all(tmp_path: Path) -> None:
    for at in range(1, 200):
        small = SmallVault(tmp_path / str(at))
        killed = False

        def hook(number: int, _operation: str, _name: str, *, at: int = at) -> None:
            if number >= at:
                raise Killed

        with small.ledger() as ledger:
            apply(small, ledger, *((("modify", path, FILES[path][1], b"night")) for path in (IDEAS, MEETING, OLD)))
            before = files(small) | {MEETING: b"mine"}
        small.write(MEETING, b"mine")
        disk = HookedDisk()
        try:
            with small.ledger(disk) as ledger:
                plan = ledger.undo_plan()[1]
                disk.count, disk.hook = 0, hook
                ledger.apply(plan, small.cause(kind="undo", reverses="change-1"))
                disk.hook = lambda _number, _operation, _name: None
        except Killed:
            killed = True
        with small.ledger() as ledger:
            state, left = ledger.history()[0].state, left_of(ledger, "change-1")
            if state == "undone":
                assert files(small) == {path: data for path, (_, data) in FILES.items()} | {MEETING: b"mine"}
                assert left == (LeftFile(MEETING, EDITED),)
            else:
                assert (state, left, files(small)) == ("applied", (), before)
        if not killed:
            return
    pytest.fail("the undo never came to its end")


# -- at random ------------------------------------------------------------------------------------------------------


@st.composite
def hands(draw: st.DrawFn) -> list[tuple[str, str]]:
    """What a person does to files afterwards."""
    return draw(st.lists(st.tuples(st.sampled_from(["edit", "remove", "make"]), st.sampled_from(PLACES)), max_size=4))


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TREES, st.data(), hands(), st.booleans(), st.integers(1, 3))
def test_every_byte_is_accounted_for(
    tree: dict[str, tuple[int, bytes]], data: st.DataObject, by_hand: list[tuple[str, str]], loose: bool, several: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = SmallVault(Path(folder) / "Vault", tree)
        with small.ledger() as ledger:
            first, touched, changes = files(small), set[str](), list[str]()
            for _number in range(several):
                planner = Planner(small.tree())
                planner.draw(data)
                before = files(small)
                changes.append(apply(small, ledger, *planner.steps, units=() if loose else None))
                # A file that was written with the bytes that it had is as nobody had touched it, but not one in whose
                # place another is now.
                after, renewed = files(small), {part for step in planner.steps if step[0] != "modify" for part in step}
                touched |= {path for path in planner.paths() if path in renewed or after.get(path) != before.get(path)}
            last = files(small)
            kept = {path for path in touched if first.get(path) == last.get(path)}
            for number, (what, path) in enumerate(by_hand):
                do_by_hand(small, what, path, b"hand %d" % number)
            edited = files(small)
            plan = None
            with contextlib.suppress(Conflict):
                plan = ledger.undo_several_plan(changes)
            if plan is None:
                assert edited != last
                return
            ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
            undone = files(small)
            check_bytes(first, edited, undone, touched, left={one.path for one in plan.left}, kept=kept)
            if edited == last:
                assert (plan.left, undone) == ((), first)
            redone = ledger.redo_plan()[1]
            assert not redone.left
            ledger.apply(redone, small.cause(kind="redo", reverses=redone.reverses))
            assert files(small) == edited
            again = ledger.undo_several_plan(changes)
            ledger.apply(again, small.cause(kind="undo", reverses=again.reverses))
            assert files(small) == undone
            check_bytes(first, edited, files(small), touched, left={one.path for one in again.left}, kept=kept)
            for entry in ledger.history():
                assert entry.state == "undone"


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TREES, st.data(), st.booleans(), st.integers(2, 4))
def test_what_a_hand_wrote_in_between_comes_back_or_the_change_that_took_it_says_that_it_has_not(
    tree: dict[str, tuple[int, bytes]], data: st.DataObject, loose: bool, several: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = SmallVault(Path(folder) / "Vault", tree)
        taken: dict[str, set[bytes]] = {}
        with small.ledger() as ledger:
            for number in range(several):
                before = written_by_hand(small)
                planner = Planner(small.tree())
                planner.draw(data)
                change = apply(small, ledger, *planner.steps, units=() if loose else None)
                taken[change] = before - written_by_hand(small)
                there = sorted(planner.paths().intersection(PLACES))
                for path in data.draw(st.lists(st.sampled_from(there), max_size=2)):
                    for what in ("edit", "make"):
                        do_by_hand(small, what, path, b"hand %d %s" % (number, path.encode()))
            edited = written_by_hand(small)
            try:
                plan = ledger.undo_several_plan(list(taken))
            except Conflict:
                return
            ledger.apply(plan, small.cause(kind="undo", reverses=plan.reverses))
            undone = written_by_hand(small)
            assert edited <= undone
            for change, lost in taken.items():
                assert lost <= undone or left_of(ledger, change), (change, lost)


def written_by_hand(small: SmallVault) -> set[bytes]:
    return {data for data in files(small).values() if data.startswith(b"hand")}


def do_by_hand(small: SmallVault, what: str, path: str, data: bytes) -> None:
    place = small.folder / path
    if what == "make" and not place.exists() and place.parent.is_dir():
        place.write_bytes(data)
    elif what == "edit" and place.exists():
        place.chmod(0o644)
        place.write_bytes(data)
    elif what == "remove" and place.exists():
        place.unlink()


def check_bytes(
    first: Files, edited: Files, undone: Files, touched: set[str], *, left: set[str], kept: set[str]
) -> None:
    """What no change touched and what was left is as it was; all else is as it was first; no hand's bytes are lost.

    What the changes together kept as it was has nothing to be taken back, so what a hand did to it may stay.
    """
    mine = {data for data in edited.values() if data.startswith(b"hand")}
    assert mine <= set(undone.values())
    for path in {*first, *edited, *undone}:
        if path not in touched or path in left:
            assert undone.get(path) == edited.get(path), path
        elif undone.get(path) != first.get(path):
            # It belongs to something that stayed, or is a moved file that took a hand's edit along.
            assert undone.get(path) == edited.get(path) or undone.get(path, b"").startswith(b"hand"), path
            assert left or path in kept or undone.get(path, b"").startswith(b"hand"), path
