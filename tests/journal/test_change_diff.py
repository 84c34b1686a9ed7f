"""What a change did, looked at afterwards."""

import pytest

from bridge.contract.consent import FilePreview
from bridge.errors import NotFound
from bridge.journal.ledger import Ledger
from tests.journal.small_vault import FILES, SHAPES, SmallVault

IDEAS, MEETING, OLD, EMPTY, SCAN, _ = FILES
BEFORE = FILES[MEETING][1]
AFTER = b"# Meeting\n\n- done\n"
LINES = ["-- TODO: call Ada", "+- done"]


def changed_lines(file: FilePreview) -> list[str]:
    return [line for line in file.diff.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}]


def shape(ledger: Ledger, change: str = "change-1") -> list[tuple[str, str, str | None, list[str]]]:
    files = ledger.diff(change).files
    return [(file.change, file.path, file.new_path, changed_lines(file)) for file in files]


def test_the_diff_is_there_after_the_change_after_later_ones_and_after_it_was_undone(small: SmallVault) -> None:
    edit = [("modify", MEETING, None, LINES)]
    with small.ledger() as ledger:
        small.apply(ledger, ("modify", MEETING, BEFORE, AFTER))
        assert shape(ledger) == edit
        small.apply(ledger, ("modify", MEETING, AFTER, b"other\n"))
        assert shape(ledger) == edit
        small.apply(ledger, ("move", MEETING, "Moved.md", b"other\n"))
        assert shape(ledger) == edit
        for _ in range(3):
            small.undo(ledger)
            assert shape(ledger) == edit
    with small.ledger() as ledger:
        assert shape(ledger) == edit


def test_the_bytes_from_after_are_found_where_the_file_was_moved_to(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("modify", MEETING, BEFORE, AFTER))
        small.apply(ledger, ("move", MEETING, "Moved.md", AFTER))
        small.apply(ledger, ("move", "Moved.md", "Again.md", AFTER))
        assert shape(ledger) == [("modify", MEETING, None, LINES)]


def test_a_file_that_was_moved_and_edited_at_once_is_one_file(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("move", MEETING, "Moved.md", BEFORE), ("modify", "Moved.md", BEFORE, AFTER))
        assert shape(ledger) == [("move", MEETING, "Moved.md", LINES)]


def test_what_was_made_and_what_was_deleted_is_shown_whole(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("create", "New.md", b"one\n"), ("delete", MEETING, BEFORE), ("mkdir", "Folder"))
        assert shape(ledger) == [
            ("create", "New.md", None, ["+one"]),
            ("delete", MEETING, None, ["-# Meeting", "-", "-- TODO: call Ada"]),
            ("mkdir", "Folder", None, []),
        ]


def test_what_nobody_kept_is_named(small: SmallVault) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, ("modify", MEETING, BEFORE, AFTER), ("create", "New.md", b"one\n"))
        small.write(MEETING, b"by hand\n")
        found = ledger.diff("change-1")
        assert found.lost == (MEETING,)
        assert [(file.path, bool(file.diff)) for file in found.files] == [(MEETING, False), ("New.md", True)]


@pytest.mark.parametrize("name", SHAPES)
def test_every_kind_of_change_reads_the_same_when_it_is_undone(small: SmallVault, name: str) -> None:
    with small.ledger() as ledger:
        small.apply(ledger, *SHAPES[name])
        applied = ledger.diff("change-1")
        assert applied.lost == ()
        small.undo(ledger)
        assert ledger.diff("change-1") == applied


def test_there_is_no_diff_of_what_is_no_change(small: SmallVault) -> None:
    with small.ledger() as ledger, pytest.raises(NotFound, match="no change 'x'"):
        ledger.diff("x")
