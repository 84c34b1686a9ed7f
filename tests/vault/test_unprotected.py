"""Files that are marked read-only are named before they are changed, and changes that need a backup are known."""

from pathlib import Path

import pytest

from bridge.contract.consent import Operation
from bridge.vault.paths import parse_path
from bridge.vault.person_edits import NAMED, needs_backup, read_only_warnings
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.root import VaultRoot


def _plan(root: VaultRoot, how: str, names: list[str]) -> ChangePlan:
    builder = PlanBuilder(root)
    for name in names:
        path = parse_path(name)
        match how:
            case "modify":
                builder.modify(path, b"a", b"b")
            case "delete":
                builder.delete(path, b"a")
            case "move":
                builder.move(path, parse_path(f"to/{name}"), "0" * 64)
            case _:
                builder.create(path, b"b")
    return builder.build(Operation.UPDATE, "Do it")


@pytest.mark.parametrize("how", ["modify", "delete", "move"])
def test_a_read_only_file_is_named_whatever_happens_to_it(vault: Path, how: str) -> None:
    for name, mode in (("Shut.md", 0o444), ("Open.md", 0o644)):
        (vault / name).write_text("a")
        (vault / name).chmod(mode)
    with VaultRoot(vault) as root:
        assert list(read_only_warnings(root, _plan(root, how, ["Shut.md", "Open.md"]))) == [
            "'Shut.md' is marked read-only"
        ]


def test_of_many_read_only_files_the_first_are_named_and_the_rest_counted(vault: Path) -> None:
    names = [f"{number}.md" for number in range(NAMED + 3)]
    for name in names:
        (vault / name).write_text("a")
        (vault / name).chmod(0o444)
    with VaultRoot(vault) as root:
        found = list(read_only_warnings(root, _plan(root, "modify", names)))
    assert (len(found), found[-1]) == (NAMED + 1, "3 more files are marked read-only")


@pytest.mark.parametrize(("how", "needs"), [("modify", True), ("delete", True), ("move", False), ("create", False)])
def test_only_what_replaces_or_deletes_bytes_needs_a_backup(vault: Path, how: str, *, needs: bool) -> None:
    if how != "create":
        (vault / "A.md").write_text("a")
    with VaultRoot(vault) as root:
        plan = _plan(root, how, ["A.md"])
        assert needs_backup(plan) is needs
        assert not list(read_only_warnings(root, plan))
