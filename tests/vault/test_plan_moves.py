"""Plans that move files and change them at once."""

from pathlib import Path

import pytest

from bridge.contract.consent import Operation
from bridge.errors import InvalidParameters
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangeKind, PlanBuilder, content_hash
from bridge.vault.root import VaultRoot

OLD, NEW = b"[[./Meeting]]\n", b"[[Meeting]]\n"


def test_a_file_that_moves_and_changes_has_one_preview_of_both(vault: Path) -> None:
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root)
        builder.move(parse_path("Ideas.md"), parse_path("sub/Thoughts.md"), content_hash(OLD), (OLD, NEW))
        builder.modify(parse_path("Notes/Meeting.md"), b"a\n", b"b\n")
        plan = builder.build(Operation.UPDATE, "Move")
    kinds = [(change.kind, change.path, change.new_path) for change in plan.changes]
    assert kinds == [
        (ChangeKind.MKDIR, "sub", None),
        (ChangeKind.MOVE, "Ideas.md", "sub/Thoughts.md"),
        (ChangeKind.MODIFY, "Notes/Meeting.md", None),
        (ChangeKind.MODIFY, "sub/Thoughts.md", None),
    ]
    # Each preview is that of the step in its place; the edit of what moves is in the preview of its move.
    assert [shown.path for shown in plan.previews] == ["sub", "Ideas.md", "Notes/Meeting.md"]
    moved = plan.previews[1]
    assert (moved.change, moved.new_path, moved.added, moved.removed) == ("move", "sub/Thoughts.md", 1, 1)
    assert moved.diff.startswith("--- Ideas.md\n+++ sub/Thoughts.md\n")
    assert plan.blobs[plan.changes[-1].after or ""] == NEW


def test_a_file_that_keeps_its_bytes_only_moves(vault: Path) -> None:
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root)
        builder.move(parse_path("Ideas.md"), parse_path("Thoughts.md"), content_hash(OLD), (OLD, OLD))
        plan = builder.build(Operation.UPDATE, "Move")
    assert [change.kind for change in plan.changes] == [ChangeKind.MOVE]
    assert plan.blobs == {}


def test_a_file_may_go_by_way_of_another_place_and_the_folder_there_goes_again(vault: Path) -> None:
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root)
        way = parse_path("way")
        builder.mkdir(way)
        builder.move(parse_path("Ideas.md"), way.child("Ideas.md"), content_hash(OLD))
        builder.move(way.child("Ideas.md"), parse_path("Notes/Ideas.md"), content_hash(OLD))
        builder.rmdir(way)
        plan = builder.build(Operation.UPDATE, "Move")
    assert [change.kind.value for change in plan.changes] == ["mkdir", "move", "move", "rmdir"]


def test_what_moves_is_not_changed_by_another_step(vault: Path) -> None:
    with VaultRoot(vault) as root:
        builder = PlanBuilder(root)
        builder.move(parse_path("Ideas.md"), parse_path("Thoughts.md"), content_hash(OLD))
        with pytest.raises(InvalidParameters):
            builder.modify(parse_path("Ideas.md"), OLD, NEW)
        with pytest.raises(InvalidParameters):
            builder.create(parse_path("Thoughts.md"), NEW)
