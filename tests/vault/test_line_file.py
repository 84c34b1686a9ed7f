"""A file of lines: each is written whole or not at all, whatever happened to the file before."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.vault.folder import Disk, Folder, LineFile
from bridge.vault.root import VaultRoot


class FailingDisk(Disk):
    """Fails where it is asked to."""

    fails: frozenset[str] = frozenset()
    takes: int | None = None

    def write(self, fd: int, data: memoryview) -> int:
        if "write" in self.fails:
            raise OSError(errno.ENOSPC, "full")
        return super().write(fd, data[: self.takes])

    def fsync(self, fd: int) -> None:
        if "fsync" in self.fails:
            raise OSError(errno.EIO, "broken")
        super().fsync(fd)

    def truncate(self, fd: int, size: int) -> None:
        if "truncate" in self.fails:
            raise OSError(errno.EIO, "broken")
        super().truncate(fd, size)


@pytest.fixture
def disk() -> FailingDisk:
    return FailingDisk()


@pytest.fixture
def folder(tmp_path: Path, disk: FailingDisk) -> Iterator[Folder]:
    with VaultRoot(tmp_path, disk) as root, root.state() as state:
        yield state


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".vault-bridge" / "lines"


def test_a_line_is_found_where_its_offset_says(folder: Folder, path: Path) -> None:
    lines = LineFile("lines")
    offsets = [lines.append(folder, line, sync=sync) for line, sync in ((b"one\n", True), (b"two\n", False))]
    assert offsets == [0, 4]
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_line_after_a_torn_one_begins_on_its_own(folder: Folder, path: Path) -> None:
    path.write_bytes(b"whole\ntorn")
    assert LineFile("lines").append(folder, b"next\n") == len(b"whole\ntorn\n")
    assert path.read_bytes() == b"whole\ntorn\nnext\n"


@pytest.mark.parametrize("fails", [{"write"}, {"fsync"}, {"fsync", "truncate"}])
def test_a_line_that_failed_is_not_there_when_the_next_one_is(
    folder: Folder, path: Path, disk: FailingDisk, fails: set[str]
) -> None:
    lines = LineFile("lines")
    lines.append(folder, b"one\n")
    disk.fails = frozenset(fails)
    with pytest.raises(OSError, match=r"full|broken"):
        lines.append(folder, b"two\n", sync=True)
    disk.fails = frozenset()
    assert lines.append(folder, b"three\n", sync=True) == 4
    assert path.read_bytes() == b"one\nthree\n"


def test_a_disk_that_takes_only_a_part_leaves_nothing(folder: Folder, path: Path, disk: FailingDisk) -> None:
    disk.takes = 2
    with pytest.raises(OSError, match="No space"):
        LineFile("lines").append(folder, b"longer than two writes\n")
    assert path.read_bytes() == b""


def test_another_file_of_the_same_name_is_never_cut(folder: Folder, path: Path, disk: FailingDisk) -> None:
    lines = LineFile("lines")
    lines.append(folder, b"one\n")
    disk.fails = frozenset({"fsync", "truncate"})
    with pytest.raises(OSError, match="broken"):
        lines.append(folder, b"two\n", sync=True)
    disk.fails = frozenset()
    path.rename(path.with_name("old"))
    path.write_bytes(b"longer than what was there before\n")
    lines.append(folder, b"three\n")
    assert path.read_bytes() == b"longer than what was there before\nthree\n"
