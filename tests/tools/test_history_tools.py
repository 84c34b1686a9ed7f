"""undo and redo: the ledger's plans, asked and reported like any other write."""

from dataclasses import replace
from typing import Any

import pytest

from bridge.contract.consent import Operation
from bridge.errors import InvalidParameters
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash


def reversal(kind: Any) -> ChangePlan:
    old, new = content_hash(b"old"), content_hash(b"new")
    return ChangePlan(
        operation=Operation.UPDATE,
        summary=f"{kind} patch-1: Edit a.md",
        changes=(Change(ChangeKind.MODIFY, "a.md", before=old, after=new),),
        blobs={new: b"new"},
        reversal=kind,
        reverses="patch-1",
    )


@pytest.mark.parametrize(
    ("name", "kind", "word"), [("history_undo", "undo", "undone"), ("history_redo", "redo", "redone")]
)
@pytest.mark.parametrize("execution_id", ["patch-1", None])
def test_the_ledgers_plan_is_the_effect(bench: Any, name: str, kind: str, word: str, execution_id: str | None) -> None:
    bench.history.plan = reversal(kind)
    arguments = {} if execution_id is None else {"executionId": execution_id}
    assert bench.plan(name, **arguments) is bench.history.plan
    assert bench.history.asked == [(kind, execution_id, None)]
    output = bench.report(name, backup=None, **arguments)
    assert output.data == {word: "patch-1", "files": ["a.md"]}
    assert "patch-1" in output.text


def test_the_answer_names_as_many_files_as_it_counts(bench: Any) -> None:
    old = content_hash(b"old")
    moved = Change(ChangeKind.MOVE, "Archive/b.md", new_path="b.md", before=old, after=old)
    plan = reversal("undo")
    bench.history.plan = replace(plan, changes=(*plan.changes, moved, Change(ChangeKind.RMDIR, "Archive")))
    output = bench.report("history_undo", backup=None)
    assert output.text.startswith("Undone: patch-1 (2 files: a.md, b.md)")
    assert output.data["files"] == ["a.md", "Archive/b.md", "b.md", "Archive"]


@pytest.mark.parametrize("name", ["history_undo", "history_redo"])
def test_they_are_not_listed_and_ask_every_time(bench: Any, name: str) -> None:
    spec = bench.tools[name].spec
    assert (spec.listed, spec.consent_class, spec.can_bypass, spec.writes) == (
        False,
        "never",
        False,
        True,
    )
    with pytest.raises(InvalidParameters):
        bench.plan(name, executionId=5)
