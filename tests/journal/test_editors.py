"""Files that are open in Obsidian: written by Obsidian, verified on disk, and no text in an editor is ever lost."""

from collections.abc import Callable

import pytest

from bridge.errors import Conflict
from bridge.journal import plan_executor
from bridge.journal.plan_executor import Editors, unsaved_warnings
from bridge.vault.plan import ChangePlan
from tests.journal.open_editors import OpenEditors
from tests.journal.small_vault import FILES, HookedDisk, SmallVault, Step, plan_of

IDEAS, MEETING = "Ideas.md", "Notes/Meeting.md"
NEW = b"# Meeting\n\n- done\n"


def old(path: str) -> bytes:
    return FILES[path][1]


EDIT: Step = ("modify", MEETING, old(MEETING), NEW)
OTHER: Step = ("modify", IDEAS, old(IDEAS), b"new ideas")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_executor, "SETTLE_SECONDS", 0.05)


@pytest.fixture
def opened(small: SmallVault) -> OpenEditors:
    """The small vault, the meeting open in an editor."""
    small.editors = found = OpenEditors(small.folder, {MEETING})
    return found


def clean(small: SmallVault) -> bool:
    """Whether no hidden file of the ledger is left."""
    return not [path for path in small.tree() if ".vault-bridge-" in path]


# -- written by the editor --------------------------------------------------------------------------------------


def test_a_file_that_is_open_is_written_by_the_editor_and_all_others_on_disk(
    small: SmallVault, opened: OpenEditors
) -> None:
    inode = (small.folder / MEETING).stat().st_ino
    with small.ledger() as ledger:
        done = small.apply(ledger, OTHER, EDIT)
        assert (small.read(MEETING), small.read(IDEAS)) == (NEW, b"new ideas")
        assert opened.written == [MEETING]
        assert (small.folder / MEETING).stat().st_ino == inode
        assert (small.backup(done.execution_id) / MEETING).read_bytes() == old(MEETING)
        small.undo(ledger)
        assert opened.written == [MEETING, MEETING]
        small.redo(ledger)
    assert small.read(MEETING) == NEW
    assert clean(small)


def test_what_an_editor_wrote_is_made_durable(small: SmallVault, opened: OpenEditors) -> None:
    synced: list[str] = []

    def hook(_number: int, operation: str, _name: str) -> None:
        if operation == "fsync" and opened.written:
            synced.append(operation)

    with small.ledger(HookedDisk(hook)) as ledger:
        small.apply(ledger, EDIT)
    assert synced


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbfmark\n", b"text\n"),
        (b"text\n", b"\xef\xbb\xbfmark\n"),
        (b"latin \xe9\n", b"text\n"),
        (b"text\n", b"latin \xe9\n"),
        (b"text\n", b"nul \0\n"),
        (b"text\n", b"long\n" * 500_000),
    ],
)
def test_bytes_that_an_editor_would_not_give_back_are_written_on_disk(
    small: SmallVault, opened: OpenEditors, before: bytes, after: bytes
) -> None:
    small.write(MEETING, before)
    with small.ledger() as ledger:
        small.apply(ledger, ("modify", MEETING, before, after))
    assert small.read(MEETING) == after
    assert opened.written == []


def test_a_file_that_the_same_plan_moves_is_written_on_disk(small: SmallVault, opened: OpenEditors) -> None:
    opened.open = None
    with small.ledger() as ledger:
        small.apply(
            ledger,
            ("move", MEETING, "Notes/Moved.md", old(MEETING)),
            ("modify", "Notes/Moved.md", old(MEETING), NEW),
        )
    assert small.read("Notes/Moved.md") == NEW
    assert opened.written == []


def test_where_nothing_is_connected_nothing_is_asked(small: SmallVault, opened: OpenEditors) -> None:
    opened.connected = False
    with small.ledger() as ledger:
        small.apply(ledger, EDIT)
        small.apply(ledger, ("create", "New.md", b""))
    assert opened.asked == 0


def test_a_plan_that_changes_no_file_asks_nothing(small: SmallVault, opened: OpenEditors) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("create", "New.md", b""))
    assert opened.asked == 0


# -- text that is not saved -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [EDIT, ("delete", MEETING, old(MEETING)), ("move", MEETING, "Moved.md", old(MEETING))],
    ids=["modify", "delete", "move"],
)
def test_a_file_with_unsaved_text_is_not_touched_and_neither_is_any_other(
    small: SmallVault, opened: OpenEditors, step: Step
) -> None:
    opened.type(MEETING, "the user's own words")
    before = small.tree()
    with small.ledger() as ledger:
        with pytest.raises(Conflict, match="not saved yet") as caught:
            small.apply(ledger, OTHER, step)
        assert ledger.history() == []
    assert caught.value.data == {"path": MEETING, "unsaved": True, "code": "stale"}
    assert small.tree() == before
    assert not small.journal.exists()


def test_an_edit_to_a_note_with_unsaved_text_loses_neither_the_edit_nor_the_text(
    small: SmallVault, opened: OpenEditors
) -> None:
    opened.type(MEETING, "# Meeting\n\n- TODO: call Ada\n- and Bob\n")
    with small.ledger() as ledger:
        with pytest.raises(Conflict):
            small.apply(ledger, EDIT)
        opened.save()
        with pytest.raises(Conflict, match="has changed since"):  # the old plan never fits again
            small.apply(ledger, EDIT)
        now = small.read(MEETING)
        small.apply(ledger, ("modify", MEETING, now, now.replace(b"TODO", b"DONE")))
    assert small.read(MEETING) == b"# Meeting\n\n- DONE: call Ada\n- and Bob\n"


def test_text_typed_in_the_last_instant_is_not_lost_and_the_rest_is_taken_back(
    small: SmallVault, opened: OpenEditors
) -> None:
    opened.before_write = lambda path: opened.type(path, "typed just now")
    before = small.tree()
    with small.ledger() as ledger:
        with pytest.raises(Conflict, match="not saved yet"):
            small.apply(ledger, OTHER, EDIT)
        assert ledger.history() == []
        assert small.tree() == before
        opened.save()
    assert small.read(MEETING) == b"typed just now"


def test_text_saved_in_the_last_instant_is_not_lost_and_the_rest_is_taken_back(
    small: SmallVault, opened: OpenEditors
) -> None:
    opened.before_write = lambda path: small.write(path, b"saved just now")
    with small.ledger() as ledger:
        with pytest.raises(Conflict, match="has changed since") as caught:
            small.apply(ledger, OTHER, EDIT)
        assert ledger.history() == []
    assert caught.value.code == "stale"
    assert small.read(MEETING) == b"saved just now"
    assert small.read(IDEAS) == old(IDEAS)
    assert clean(small)


def test_text_saved_right_after_the_editor_wrote_is_not_lost_either(small: SmallVault, opened: OpenEditors) -> None:
    opened.after_write = lambda path: small.write(path, NEW + b"typed on\n")
    with small.ledger() as ledger, pytest.raises(Conflict) as caught:
        small.apply(ledger, OTHER, EDIT)
    assert caught.value.code == "stale"
    assert "'.vault-bridge/backups/change-1/'" in caught.value.message
    assert small.read(MEETING) == NEW + b"typed on\n"
    assert small.read(IDEAS) == old(IDEAS)
    assert (small.backup("change-1") / MEETING).read_bytes() == old(MEETING)


def test_a_later_step_that_fails_takes_back_what_the_editor_wrote(small: SmallVault, opened: OpenEditors) -> None:
    opened.after_write = lambda _path: small.write(IDEAS, b"someone else")
    with small.ledger() as ledger, pytest.raises(Conflict):
        small.apply(ledger, EDIT, OTHER)
    assert opened.written == [MEETING]
    assert small.read(MEETING) == old(MEETING)
    assert small.read(IDEAS) == b"someone else"
    assert clean(small)


# -- a host that is slow, broken or gone ------------------------------------------------------------------------


def test_an_editor_that_wrote_and_does_not_say_so_is_believed_by_its_deeds(
    small: SmallVault, opened: OpenEditors
) -> None:
    opened.answers = False
    with small.ledger() as ledger:
        small.apply(ledger, EDIT)
        assert opened.written == [MEETING]
        small.undo(ledger)
    assert small.read(MEETING) == old(MEETING)


def leave(opened: OpenEditors) -> Callable[[str], None]:
    return lambda _path: setattr(opened, "connected", False)


def test_a_host_that_left_before_it_wrote_leaves_the_file_to_the_disk(small: SmallVault, opened: OpenEditors) -> None:
    opened.before_write = leave(opened)
    with small.ledger() as ledger:
        done = small.apply(ledger, EDIT, OTHER)
        assert (small.backup(done.execution_id) / MEETING).read_bytes() == old(MEETING)
        assert opened.written == []
        small.undo(ledger)
    assert small.read(MEETING) == old(MEETING)
    assert clean(small)


def test_an_editor_that_cannot_write_leaves_the_file_to_the_disk_unless_text_is_unsaved_by_then(
    small: SmallVault, opened: OpenEditors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "_process", lambda *_change: "failed")
    with small.ledger() as ledger:
        small.apply(ledger, EDIT)
        assert small.read(MEETING) == NEW
        opened.before_write = lambda path: opened.type(path, "typed")
        with pytest.raises(Conflict, match="not saved yet"):
            small.apply(ledger, ("modify", MEETING, NEW, b"newer\n"))
    assert small.read(MEETING) == NEW


def test_a_host_that_falls_silent_after_it_said_that_nothing_is_unsaved_leaves_the_file_to_the_disk(
    small: SmallVault, opened: OpenEditors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "_process", lambda *_change: None)
    opened.before_write = lambda _path: setattr(opened, "looks", False)
    with small.ledger() as ledger:
        small.apply(ledger, EDIT)
    assert small.read(MEETING) == NEW


def test_an_editor_that_says_it_wrote_and_did_not_is_a_conflict(
    small: SmallVault, opened: OpenEditors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "_process", lambda *_change: "written")
    before = small.tree()
    with small.ledger() as ledger, pytest.raises(Conflict):
        small.apply(ledger, OTHER, EDIT)
    assert small.tree() == before


def test_a_host_that_does_not_say_what_is_open_keeps_everything_as_it_is(
    small: SmallVault, opened: OpenEditors
) -> None:
    opened.looks = False
    before = small.tree()
    with small.ledger() as ledger, pytest.raises(Conflict) as caught:
        small.apply(ledger, EDIT)
    assert caught.value.code == "busy"
    assert small.tree() == before


def test_a_file_removed_meanwhile_is_stale(small: SmallVault, opened: OpenEditors) -> None:
    opened.before_write = lambda path: (small.folder / path).unlink()
    with small.ledger() as ledger, pytest.raises(Conflict, match="no longer there"):
        small.apply(ledger, OTHER, EDIT)
    assert not (small.folder / MEETING).exists()
    assert small.read(IDEAS) == old(IDEAS)


@pytest.mark.parametrize("wrote", [True, False])
def test_a_crash_while_the_editor_writes_leaves_all_or_nothing(
    small: SmallVault, opened: OpenEditors, *, wrote: bool
) -> None:
    def die(_path: str) -> None:
        raise KeyboardInterrupt

    if wrote:
        opened.after_write = die
    else:
        opened.before_write = die
    before = small.tree()
    with pytest.raises(KeyboardInterrupt), small.ledger() as ledger:
        small.apply(ledger, OTHER, EDIT)
    with small.ledger() as ledger:
        after = {path: small.read(path) for path in (IDEAS, MEETING)}
        assert after in ({IDEAS: b"new ideas", MEETING: NEW}, {IDEAS: old(IDEAS), MEETING: old(MEETING)})
        if after[IDEAS] == old(IDEAS):
            assert small.tree() == before


# -- what a person is told --------------------------------------------------------------------------------------


def told(plan: ChangePlan, editors: Editors) -> list[str]:
    return list(unsaved_warnings(plan, editors))


def test_a_question_warns_of_unsaved_text(small: SmallVault, opened: OpenEditors) -> None:
    plan = plan_of(OTHER, EDIT)
    assert told(plan, opened) == []
    opened.type(MEETING, "typed")
    (warning,) = told(plan, opened)
    assert warning.startswith(f"{MEETING!r} is open in Obsidian with text that is not saved yet")
    opened.looks = False
    assert told(plan, opened) == ["Obsidian did not say whether these files hold text that is not saved yet"]
    assert told(plan_of(("create", "New.md", b"")), opened) == []
    assert told(plan, Editors()) == []
    del small


def test_without_editors_nothing_is_open_and_nobody_writes() -> None:
    nobody = Editors()
    assert nobody.look(["a.md"]).open == frozenset()
    assert nobody.write("a.md", "", "") is None
