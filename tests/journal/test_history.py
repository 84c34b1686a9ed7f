"""What the history shows, finds again after a restart, and forgets."""

from datetime import timedelta
from typing import Any

import pytest

from bridge.clock import stamp
from bridge.contract.consent import FilePreview
from bridge.errors import InvalidParameters, NotFound
from bridge.identity.caller import SHARED_ID
from bridge.vault.plan import ChangePlan, HistoryEntry
from tests.journal.small_vault import FILES, SHAPES, HookedDisk, SmallVault, plan_of

IDEAS, MEETING, OLD, EMPTY, SCAN, _ = FILES


def shown(plan: ChangePlan, added: int, removed: int) -> ChangePlan:
    preview = FilePreview(path="a", change="modify", added=added, removed=removed)
    return ChangePlan(plan.operation, plan.summary, plan.changes, plan.blobs, previews=(preview, preview))


def test_a_change_is_listed_once_it_has_been_made_and_not_while_it_is(small: SmallVault) -> None:
    looks: list[tuple[bool, int]] = []

    def look(_number: int, _operation: str, _name: str) -> None:
        looks.append((small.read(MEETING) == b"new\n", len(ledger.history())))

    disk = HookedDisk()
    with small.ledger(disk) as ledger:
        disk.hook = look
        small.apply(ledger, ("modify", MEETING, FILES[MEETING][1], b"new\n"))
        disk.hook = lambda _number, _operation, _name: None
        assert len(ledger.history()) == 1
    assert (True, 0) in looks, "the file is new before the change is made"


def test_an_entry_tells_who_changed_what_and_when(small: SmallVault) -> None:
    with small.ledger() as ledger:
        plan = shown(plan_of(*SHAPES["mixed"]), 3, 2)
        ledger.apply(plan, small.cause("change-1", call_id="c-1", arguments_hash="abc", grant="g-1"))
        entry = HistoryEntry(
            execution_id="change-1",
            tool="apply_patch",
            client="Tests",
            time="2026-01-02T03:04:05.001Z",
            state="applied",
            files=(IDEAS, OLD, "Fresh/Renamed.md", SCAN, "Fresh/New.md"),
            added=6,
            removed=4,
            call_id="c-1",
            arguments_hash="abc",
            credential=SHARED_ID,
            summary="A change",
            grant="g-1",
        )
        assert ledger.history() == [entry]
    with small.ledger() as ledger:
        assert ledger.history() == [entry]


def test_a_change_of_folders_alone_shows_the_folders(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("mkdir", "One"), ("mkdir", "One/Two"))
        assert ledger.history()[0].files == ("One", "One/Two")


def test_the_history_is_newest_first_and_comes_in_pages(small: SmallVault) -> None:
    with small.ledger() as ledger:
        for number in range(5):
            small.apply(ledger, ("create", f"{number}.md", b""))
        small.undo(ledger, "change-2")

        def page(**options: object) -> list[str]:
            return [entry.execution_id for entry in ledger.history(**options)]  # type: ignore[arg-type]

        assert page() == ["change-5", "change-4", "change-3", "change-2", "change-1"]
        assert page(limit=2) == ["change-5", "change-4"]
        assert page(limit=2, before="change-4") == ["change-3", "change-2"]
        assert page(before="change-1") == []
        assert page(before=ledger.history()[2].time) == ["change-2", "change-1"]
        for nonsense in ("none-such", "2026-01-02", ""):
            with pytest.raises(InvalidParameters, match="neither the id of a change nor a time"):
                page(before=nonsense)


def test_with_a_credential_there_are_only_the_changes_asked_for_with_it(small: SmallVault) -> None:
    with small.ledger() as ledger:
        for number, credential in enumerate(("ada", "bob", "ada"), start=1):
            small.apply(ledger, ("create", f"{number}.md", b""), credential=credential)
    with small.ledger() as ledger:

        def ids(credential: str | None, **options: Any) -> list[str]:
            return [entry.execution_id for entry in ledger.history(credential=credential, **options)]

        assert ids("ada") == ["change-3", "change-1"]
        assert ids("ada", limit=1, before="change-3") == ["change-1"]
        assert ids("bob") == ["change-2"]
        assert ids(None) == ["change-3", "change-2", "change-1"]
        assert ledger.undo_plan(None, "bob")[0] == "change-2"
        with pytest.raises(NotFound, match="There is no change 'change-3' in the history"):
            ledger.undo_plan("change-3", "bob")
        with pytest.raises(NotFound, match="nothing to undo"):
            ledger.undo_plan(None, "carol")
        small.undo(ledger, "change-3")
        with pytest.raises(NotFound, match="nothing to redo"):
            ledger.redo_plan(None, "bob")
        assert ledger.redo_plan(None, "ada")[0] == "change-3"


def test_a_change_that_was_refused_or_taken_back_is_not_in_the_history(small: SmallVault) -> None:
    with small.ledger() as ledger:
        with pytest.raises(Exception, match="again"):
            small.apply(ledger, ("modify", MEETING, b"not this", b""))
        assert ledger.history() == []


def test_a_call_id_is_found_for_a_day_and_over_a_restart(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"], call_id="call-1", arguments_hash="abc")
        found = ledger.find_call("call-1")
        assert found is not None
        assert (found.execution_id, found.arguments_hash) == ("change-1", "abc")
        assert ledger.find_call("call-2") is None
    with small.ledger() as ledger:
        assert ledger.find_call("call-1") == found
        small.clock.moment += timedelta(hours=25)
        assert ledger.find_call("call-1") is None


def test_the_call_of_an_undo_is_found_as_well(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"], call_id="call-1")
        change, plan = ledger.undo_plan()
        ledger.apply(plan, small.cause("undo-1", kind="undo", reverses=change, call_id="call-2"))
        found = ledger.find_call("call-2")
        assert found is not None
        assert (found.execution_id, found.files) == ("undo-1", (MEETING,))
        undone = ledger.find_call("call-1")
        assert undone is not None
        assert undone.state == "undone"


def test_the_call_of_a_change_that_was_taken_back_is_not_found(small: SmallVault) -> None:
    with small.ledger() as ledger:
        with pytest.raises(Exception, match="again"):
            small.apply(ledger, ("modify", MEETING, b"not this", b""), call_id="call-1")
        assert ledger.find_call("call-1") is None


def test_backups_older_than_their_days_are_removed_and_can_no_longer_be_undone(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
        small.clock.moment += timedelta(days=20)
        small.apply(ledger, ("modify", IDEAS, FILES[IDEAS][1], b"new"))
        small.clock.moment += timedelta(days=20)
        assert ledger.prune(None) == []
        assert ledger.prune(30) == ["change-1"]
        assert ledger.prune(30) == []
        assert not small.backup("change-1").exists()
        assert small.backup("change-2").exists()
        assert [entry.can_undo for entry in ledger.history()] == [True, False]
    with small.ledger() as ledger:
        assert [entry.can_undo for entry in ledger.history()] == [True, False]
        assert ledger.prune(30) == []


def test_times_are_those_of_the_clock(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES["modify"])
        assert ledger.history()[0].time < stamp(small.clock.now())
