"""Building a change plan: hashes, staged bytes, previews and missing folders."""

from pathlib import Path

import pytest

from bridge.contract.consent import Operation
from bridge.errors import InvalidParameters
from bridge.vault.edits import LineEdit, apply_edits
from bridge.vault.paths import parse_path
from bridge.vault.plan import Change, ChangeKind, PlanBuilder, content_hash
from bridge.vault.root import VaultRoot

IDEAS, MEETING = parse_path("Ideas.md"), parse_path("Notes/Meeting.md")


@pytest.fixture
def builder(root: VaultRoot) -> PlanBuilder:
    return PlanBuilder(root)


def test_a_modification_knows_both_hashes_and_stages_the_new_bytes(builder: PlanBuilder, vault: Path) -> None:
    old = (vault / "Ideas.md").read_bytes()
    edited = apply_edits(old, [LineEdit(3, 3, "## New Section")], IDEAS)
    builder.modify(IDEAS, old, edited.data, edited.regions)
    plan = builder.build(Operation.UPDATE, "Edit Ideas.md: 1 line changed", ["2 notes link here"])
    assert plan.changes == (
        Change(ChangeKind.MODIFY, "Ideas.md", before=content_hash(old), after=content_hash(edited.data)),
    )
    assert plan.blobs == {content_hash(edited.data): edited.data}
    assert (plan.operation, plan.warnings) == (Operation.UPDATE, ("2 notes link here",))
    [shown] = plan.previews
    assert (shown.added, shown.removed) == (1, 1)
    assert "-## Old Section\n+## New Section\n" in shown.diff


def test_missing_folders_are_steps_of_the_plan_each_once_outermost_first(builder: PlanBuilder) -> None:
    builder.create(parse_path("Notes/A/B/one.md"), b"1")
    builder.create(parse_path("Notes/A/B/two.md"), b"2")
    builder.mkdir(parse_path("Notes/A/C"))
    builder.mkdir(parse_path("Notes/A"))
    plan = builder.build(Operation.CREATE, "Create two notes")
    assert [(change.kind.value, change.path) for change in plan.changes] == [
        ("mkdir", "Notes/A"),
        ("mkdir", "Notes/A/B"),
        ("create", "Notes/A/B/one.md"),
        ("create", "Notes/A/B/two.md"),
        ("mkdir", "Notes/A/C"),
    ]
    assert [preview.change for preview in plan.previews] == [change.kind.value for change in plan.changes]
    assert plan.targets == ("Notes/A", "Notes/A/B", "Notes/A/B/one.md", "Notes/A/B/two.md", "Notes/A/C")


def test_a_move_keeps_its_bytes_and_a_delete_tells_what_goes(builder: PlanBuilder) -> None:
    builder.move(IDEAS, parse_path("Old/Ideas.md"), content_hash(b"bytes"))
    builder.delete(MEETING, b"a\nb\n")
    builder.rmdir(parse_path("Empty"))
    plan = builder.build(Operation.DELETE, "Tidy up")
    assert plan.changes == (
        Change(ChangeKind.MKDIR, "Old"),
        Change(ChangeKind.MOVE, "Ideas.md", "Old/Ideas.md", content_hash(b"bytes"), content_hash(b"bytes")),
        Change(ChangeKind.DELETE, "Notes/Meeting.md", before=content_hash(b"a\nb\n")),
        Change(ChangeKind.RMDIR, "Empty"),
    )
    assert plan.blobs == {}
    assert plan.previews[2].removed == 2


def test_nothing_to_do_is_no_plan(builder: PlanBuilder) -> None:
    builder.modify(IDEAS, b"same", b"same")
    with pytest.raises(InvalidParameters, match="Nothing would change"):
        builder.build(Operation.UPDATE, "Edit Ideas.md")


def test_one_path_is_changed_once(builder: PlanBuilder) -> None:
    builder.modify(IDEAS, b"a", b"b")
    with pytest.raises(InvalidParameters, match="twice"):
        builder.delete(IDEAS, b"b")
    with pytest.raises(InvalidParameters, match="twice"):
        builder.move(MEETING, IDEAS, content_hash(b""))


def test_looking_for_folders_changes_nothing_on_disk(builder: PlanBuilder, vault: Path) -> None:
    before = sorted(vault.rglob("*"))
    builder.create(parse_path("New/Deep/x.md"), b"x")
    builder.build(Operation.CREATE, "Create x")
    assert sorted(vault.rglob("*")) == before
