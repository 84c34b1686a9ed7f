"""Which files a session has written, and which the user attached."""

import pytest

from bridge.contract.consent import Operation
from bridge.toolkit.permitted import SessionFiles
from bridge.vault.plan import Change, ChangeKind, ChangePlan


def plan(*changes: Change) -> ChangePlan:
    return ChangePlan(Operation.UPDATE, "", changes, {})


@pytest.mark.parametrize(
    ("changes", "path", "handed"),
    [
        ([Change(ChangeKind.CREATE, "a/New.md")], "a/New.md", True),
        ([Change(ChangeKind.MODIFY, "a/New.md")], "A/new.md", True),
        ([Change(ChangeKind.CREATE, "a/New.md")], "New.md", False),
        ([Change(ChangeKind.DELETE, "Old.md")], "Old.md", False),
        ([Change(ChangeKind.MOVE, "Theirs.md", "Moved.md")], "Moved.md", False),
        ([Change(ChangeKind.CREATE, "Own.md"), Change(ChangeKind.MOVE, "Own.md", "Moved.md")], "Moved.md", True),
        ([Change(ChangeKind.MKDIR, "folder")], "folder", False),
    ],
)
def test_what_a_session_writes_is_its_own(changes: list[Change], path: str, handed: bool) -> None:
    files = SessionFiles()
    files.applied("agent-1", plan(*changes))
    assert files.handed("agent-1", path) is handed
    assert not files.handed("agent-2", path)


def test_what_the_user_attaches_is_attached_for_every_session() -> None:
    files = SessionFiles()
    files.attached["host-1"] = ["Notes/Long.md", "x.md"]
    assert files.handed("agent-1", "notes/long.md")
    assert not files.handed("agent-1", "Long.md")
