"""When two names are one."""

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.vault.disk import Disk, FolderHandle
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, fold, nfc
from bridge.vault.root import has_exact_spelling

NFC, NFD = unicodedata.normalize("NFC", "Übung.md"), unicodedata.normalize("NFD", "Übung.md")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ideas.md", "IDEAS.MD", True),
        (NFC, NFD, True),
        (NFC.upper(), NFD.lower(), True),
        ("ΟΔΟΣ", "οδος", True),
        ("οδοσ", "οδος", True),
        ("Straße", "Strasse", False),
        ("a", "b", False),
    ],
)
def test_names_are_one_when_they_differ_in_case_or_unicode_form_only(one: str, other: str, *, same: bool) -> None:
    assert (fold(one) == fold(other)) is same


@given(st.text(max_size=20))
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert fold(fold(name)) == fold(name)
    assert fold(nfc(name)) == fold(name)


class ForgivingDisk(Disk):
    """A disk that ignores case, Unicode form and invisible characters, and knows short names, as some do."""

    def stat(self, at: FolderHandle, name: str) -> os.stat_result:
        names = [name]
        with self.scan(at) as entries:
            for entry in entries:
                bare = "".join(c for c in name if unicodedata.category(c) != "Cf")
                short = entry.name.lstrip(".").upper()[:6] + "~1"
                if fold(entry.name) == fold(bare) or short == name.upper():
                    names = [entry.name]
        return super().stat(at, names[0])


@pytest.mark.parametrize("alias", ["IDEAS.MD", NFC, "\u200d.obsidian", "OBSIDI~1", ".Obsidian", "1234\u200d"])
def test_a_name_that_a_disk_only_answers_to_is_not_its_spelling(tmp_path: Path, alias: str) -> None:
    for name in ["Ideas.md", NFD, "1234"]:
        (tmp_path / name).touch()
    (tmp_path / ".obsidian").mkdir()
    disk = ForgivingDisk()
    with Folder(disk, disk.open_top(str(tmp_path)), VaultPath.root(), top=str(tmp_path)) as folder:
        assert folder.exists(alias)
        assert not has_exact_spelling(folder, alias)
        for name in ["Ideas.md", NFD, "1234", ".obsidian"]:
            assert has_exact_spelling(folder, name)


def test_where_a_disk_tells_spellings_apart_the_folder_is_not_listed(tmp_path: Path) -> None:
    class NoListing(Disk):
        def scan(self, at: FolderHandle) -> Any:
            raise AssertionError(f"listed {at}")

    for name in ["Ideas.md", NFC, "1234", "日本"]:
        (tmp_path / name).touch()
    disk = NoListing()
    with Folder(disk, disk.open_top(str(tmp_path)), VaultPath.root(), top=str(tmp_path)) as folder:
        assert all(has_exact_spelling(folder, name) for name in ["Ideas.md", NFC, "1234", "日本"])
