"""What the permission file closes for reading is not listed, not searched and not opened, on no way."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import Operation
from bridge.errors import PermissionDenied
from bridge.toolkit.permitted import PermittedFiles, SessionFiles
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.plan import Change, ChangeKind, ChangePlan
from bridge.vault.root import VaultRoot
from tests.identities import client_grants

Permit = Callable[[str], None]


@pytest.fixture
def files(vault: Path) -> Iterator[PermittedFiles]:
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text("TODO: secret\n", encoding="utf-8")
    with VaultRoot(vault) as root, root.state() as state:
        clock = SystemClock()
        grants = GrantStore(
            PermissionFile(state, clock=clock),
            clock=clock,
            modes=dict,
            set_mode=lambda _tool, _mode, _by: None,
            clients=client_grants(),
        )
        yield PermittedFiles(VaultFiles(root), grants.closed)


@pytest.fixture
def permit(vault: Path, files: PermittedFiles) -> Permit:
    del files

    def write(text: str) -> None:
        (vault / ".vault-bridge" / "permissions.json").write_text(text, encoding="utf-8")

    return write


def listed(files: PermittedFiles) -> set[str]:
    return {str(file.path) for file in files.walk()}


def test_without_rules_everything_is_there(files: PermittedFiles) -> None:
    assert "Private/Diary.md" in listed(files)
    assert files.read(parse_path("Private/Diary.md"))[0] == b"TODO: secret\n"


@pytest.mark.parametrize("rules", ['{"Private/": "---"}', '{"Private/": "-w-"}', '{"private/diary.MD": "-??"}'])
def test_what_is_closed_is_not_listed(files: PermittedFiles, permit: Permit, rules: str) -> None:
    permit(rules)
    assert listed(files) == {"Ideas.md", "Notes/Meeting.md", "Notes/Windows.md"}


@pytest.mark.parametrize("name", ["Private/Diary.md", "private/diary.md", "Private/none.md"])
@pytest.mark.parametrize("ask", ["stat", "read", "hash", "exists", "is_folder"])
def test_what_is_closed_is_refused_whether_it_is_there_or_not(
    files: PermittedFiles, permit: Permit, name: str, ask: str
) -> None:
    permit('{"Private/": "---"}')
    with pytest.raises(PermissionDenied, match=r"permissions\.json") as refusal:
        getattr(files, ask)(parse_path(name))
    assert refusal.value.data == {"code": "denied_by_rule", "rule": "file:Private/"}


def test_a_closed_vault_lists_nothing(files: PermittedFiles, permit: Permit) -> None:
    permit('{"/": "-??"}')
    assert listed(files) == set()


def test_what_is_closed_for_writing_only_can_be_read(files: PermittedFiles, permit: Permit) -> None:
    permit('{"Private/": "?--"}')
    assert "Private/Diary.md" in listed(files)


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_no_link_leads_in(files: PermittedFiles, permit: Permit, vault: Path) -> None:
    (vault / "Open.md").symlink_to("Private/Diary.md")
    (vault / "Door").symlink_to("Private", target_is_directory=True)
    permit('{"Private/": "---"}')
    for name in ("Open.md", "Door/Diary.md"):
        with pytest.raises(PermissionDenied):
            files.read(parse_path(name))


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
