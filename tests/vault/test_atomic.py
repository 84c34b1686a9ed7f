"""Small files of our own, replaced whole."""

import errno
from pathlib import Path

import pytest

from bridge.vault.disk import Disk
from bridge.vault.folder import Folder, write_atomic
from bridge.vault.paths import VaultPath


def hold(path: Path, disk: Disk) -> Folder:
    return Folder(disk, disk.open_top(str(path)), VaultPath.root(), top=str(path))


def test_the_new_content_takes_the_place_of_the_old(tmp_path: Path, disk: Disk) -> None:
    with hold(tmp_path, disk) as folder:
        for data in [b"old", b"new"]:
            write_atomic(folder, "settings.json", data)
            assert folder.read("settings.json") == data
        assert folder.names() == ["settings.json"]


@pytest.mark.parametrize("operation", ["create", "write", "fsync", "replace"])
def test_a_disk_that_fails_leaves_the_old_content_and_nothing_else(tmp_path: Path, operation: str) -> None:
    class Full(Disk):
        def before(self, now: str, name: str) -> None:
            if now == operation:
                raise OSError(errno.ENOSPC, "full", name)

    (tmp_path / "settings.json").write_bytes(b"old")
    with hold(tmp_path, Full()) as folder, pytest.raises(OSError, match="full"):
        write_atomic(folder, "settings.json", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("settings.json", b"old")]
