"""What steps do to each path, and whose bytes they push aside."""

from bridge.journal.path_effects import FOLDER, Track, trace
from tests.journal.small_vault import plan_of


def test_a_file_is_followed_through_moves_and_edits() -> None:
    plan = plan_of(
        ("move", "a", "b", b"1"), ("modify", "b", b"1", b"2"), ("modify", "b", b"2", b"3"), ("move", "b", "c", b"3")
    )
    one, two, three = plan.changes[0].before, plan.changes[1].after, plan.changes[2].after
    traced = trace(plan.changes, (0o600, 0o600, 0o600, 0o600))
    assert len({id(file) for file in traced.files}) == 1
    file = traced.files[0]
    assert file is not None
    assert (file.origin, file.first, file.last, file.place) == ("a", one, three, "c")
    assert traced.keeps == [None, "a", None, None]
    assert traced.tracks == {
        "a": Track(one, None, {one, None}, 0o600),
        "b": Track(None, None, {None, one, two, three}, None),
        "c": Track(None, three, {None, three}, None),
    }


def test_bytes_that_the_change_made_itself_are_not_kept() -> None:
    plan = plan_of(("create", "a", b"1"), ("modify", "a", b"1", b"2"), ("delete", "a", b"2"))
    traced = trace(plan.changes, (None, None, None))
    assert traced.keeps == [None, None, None]
    assert [(file.origin, file.last) for file in traced.files if file] == [(None, None)] * 3


def test_an_edit_that_changes_nothing_pushes_nothing_aside() -> None:
    plan = plan_of(("modify", "a", b"1", b"1"), ("modify", "a", b"1", b"2"))
    assert trace(plan.changes, (0o644, 0o644)).keeps == [None, "a"]


def test_a_folder_that_is_there_already_stays_in_one_state() -> None:
    plan = plan_of(("mkdir", "new"), ("mkdir", "old"), ("rmdir", "gone"))
    tracks = trace(plan.changes, (None, 0o755, 0o700)).tracks
    assert tracks["new"] == Track(None, FOLDER, {None, FOLDER}, None)
    assert tracks["old"] == Track(FOLDER, FOLDER, {FOLDER}, 0o755)
    assert tracks["gone"] == Track(FOLDER, None, {FOLDER, None}, 0o700)
