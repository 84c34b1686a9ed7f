"""The small vault, for every test of this room."""

from pathlib import Path

import pytest

from tests.journal.open_editors import OpenEditors
from tests.journal.small_vault import SmallVault

BOTH_WAYS = {"test_ledger", "test_undo", "test_history"}
"""Tests of what the ledger promises: it must hold as well when every file is open in Obsidian."""
DISK_ONLY = {
    "test_backups_are_plain_files_at_the_same_places": "a copy, unlike the file itself, has times of its own",
    "test_a_change_that_was_only_partly_taken_back_has_no_undo": "it cuts the disk off between two swaps",
    "test_a_folder_that_goes_while_the_plan_is_applied_makes_it_stale": "it acts at the swap of two files",
    "test_bytes_that_the_disk_garbles_are_not_put_into_place": "it garbles what our own disk writes",
    "test_a_second_name_of_a_file_keeps_the_old_bytes_and_cannot_spoil_the_backup": "Obsidian writes in place",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give the tests of those files a vault whose files are open in editors too."""
    if "small" in metafunc.fixturenames and metafunc.module.__name__.rpartition(".")[2] in BOTH_WAYS:
        ways = ["disk"] if metafunc.function.__name__ in DISK_ONLY else ["disk", "editors"]
        metafunc.parametrize("small", ways, indirect=True)


@pytest.fixture
def small(request: pytest.FixtureRequest, tmp_path: Path) -> SmallVault:
    """A vault of five files."""
    vault = SmallVault(tmp_path / "Vault")
    if getattr(request, "param", "disk") == "editors":
        vault.editors = OpenEditors(vault.folder)
    return vault
