"""What steps do to each path, and whose bytes they push aside."""

from bridge.journal.preconditions import FOLDER, PathEffect, follow_changes
from tests.journal.small_vault import plan_of


def test_a_file_is_followed_through_moves_and_edits() -> None:
    plan = plan_of(
        ("move", "a", "b", b"1"), ("modify", "b", b"1", b"2"), ("modify", "b", b"2", b"3"), ("move", "b", "c", b"3")
    )
    one, two, three = plan.changes[0].before, plan.changes[1].after, plan.changes[2].after
    effects = follow_changes(plan.changes, (0o600, 0o600, 0o600, 0o600))
    assert len({id(file) for file in effects.files}) == 1
    file = effects.files[0]
    assert file is not None
    assert (file.origin, file.first, file.last, file.place) == ("a", one, three, "c")
    assert effects.keeps == [None, "a", None, None]
    assert effects.by_path == {
        "a": PathEffect(one, None, {one, None}, 0o600),
        "b": PathEffect(None, None, {None, one, two, three}, None),
        "c": PathEffect(None, three, {None, three}, None),
    }


def test_bytes_that_the_change_made_itself_are_not_kept() -> None:
    plan = plan_of(("create", "a", b"1"), ("modify", "a", b"1", b"2"), ("delete", "a", b"2"))
    effects = follow_changes(plan.changes, (None, None, None))
    assert effects.keeps == [None, None, None]
    assert [(file.origin, file.last) for file in effects.files if file] == [(None, None)] * 3


def test_an_edit_that_changes_nothing_pushes_nothing_aside() -> None:
    plan = plan_of(("modify", "a", b"1", b"1"), ("modify", "a", b"1", b"2"))
    assert follow_changes(plan.changes, (0o644, 0o644)).keeps == [None, "a"]


def test_a_folder_that_is_there_already_stays_in_one_state() -> None:
    plan = plan_of(("mkdir", "new"), ("mkdir", "old"), ("rmdir", "gone"))
    by_path = follow_changes(plan.changes, (None, 0o755, 0o700)).by_path
    assert by_path["new"] == PathEffect(None, FOLDER, {None, FOLDER}, None)
    assert by_path["old"] == PathEffect(FOLDER, FOLDER, {FOLDER}, 0o755)
    assert by_path["gone"] == PathEffect(FOLDER, None, {FOLDER, None}, 0o700)
