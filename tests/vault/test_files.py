"""Reading and walking."""

import errno
import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridge.errors import ExecutionFailed, InvalidParameters, NotFound
from bridge.vault.disk import Disk, FolderHandle
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import VaultRoot


def listed(files: VaultFiles, *, include_hidden: bool = False) -> list[str]:
    return [str(file.path) for file in files.walk(include_hidden=include_hidden)]


def test_a_file_is_read_with_what_the_disk_knows_of_it(files: VaultFiles, vault: Path) -> None:
    os.utime(vault / "Ideas.md", ns=(0, 1_700_000_000_123_456_789))
    data, state = files.read(parse_path("IDEAS.md"))
    assert data == (vault / "Ideas.md").read_bytes()
    assert (str(state.path), state.size) == ("Ideas.md", len(data))
    assert state.modified.replace(microsecond=0) == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert state.mtime_ns // 1000 == 1_700_000_000_123_456
    assert files.stat(parse_path("ideas.md")) == state
    assert files.read(parse_path("Ideas.md"), limit=7)[0] == b"# Ideas"


def test_a_file_is_streamed_and_hashed(files: VaultFiles, vault: Path) -> None:
    data = os.urandom(3_000_000)
    (vault / "big.bin").write_bytes(data)
    assert files.hash(parse_path("big.bin")) == hashlib.sha256(data).hexdigest()
    with files.open(parse_path("big.bin")) as file:
        assert file.read(10) == data[:10]


def test_a_folder_is_no_file(files: VaultFiles) -> None:
    uses: list[Callable[[VaultPath], object]] = [files.stat, files.read, files.hash]
    for path in [parse_path("Notes"), VaultPath.root()]:
        for use in uses:
            with pytest.raises(InvalidParameters, match="folder"):
                use(path)
        assert files.is_folder(path)
        assert files.exists(path)
    assert not files.is_folder(parse_path("Ideas.md"))


def test_what_is_there_exists(files: VaultFiles) -> None:
    assert files.exists(parse_path("notes/meeting.md"))
    assert not files.exists(parse_path("None.md"))
    with pytest.raises(NotFound):
        files.is_folder(parse_path("None"))


def test_a_walk_tells_every_file_once_in_the_order_of_names(files: VaultFiles, vault: Path) -> None:
    (vault / "Notes/Deep").mkdir()
    (vault / "Notes/Deep/x.md").touch()
    (vault / "Zoo").mkdir()
    (vault / "Zoo/z.md").touch()
    (vault / "link").symlink_to("Notes")
    (vault / "Notes/Deep/up").symlink_to("..")
    (vault / "file.md").symlink_to("Ideas.md")
    assert listed(files) == ["Ideas.md", "Notes/Meeting.md", "Notes/Windows.md", "Notes/Deep/x.md", "Zoo/z.md"]


def test_hidden_files_are_listed_on_request_and_dot_folders_never(files: VaultFiles, vault: Path) -> None:
    (vault / ".hidden.md").touch()
    (vault / "Notes/.git").mkdir()
    (vault / "Notes/.git/config").touch()
    assert ".hidden.md" not in listed(files)
    assert listed(files, include_hidden=True) == [".hidden.md", "Ideas.md", "Notes/Meeting.md", "Notes/Windows.md"]


def test_a_walk_may_begin_anywhere_and_reads_from_the_folder_it_holds(files: VaultFiles, vault: Path) -> None:
    (vault / "link").symlink_to("Notes")
    [walked] = files.walk_folders(parse_path("LINK"))
    assert [str(file.path) for file in walked.files] == ["Notes/Meeting.md", "Notes/Windows.md"]
    for walked in files.walk_folders(parse_path("Notes")):
        assert [walked.read(file) for file in walked.files] == [
            (vault / str(file.path)).read_bytes() for file in walked.files
        ]
        assert walked.read(walked.files[0], limit=3) == b"# M"
        (vault / "Notes/Meeting.md").unlink()
        assert walked.read(walked.files[0]) is None
    with pytest.raises(NotFound):
        list(files.walk_folders(parse_path("None")))
    with pytest.raises(InvalidParameters, match="a file, not a folder"):
        list(files.walk_folders(parse_path("Ideas.md")))


@pytest.mark.slow
def test_a_very_deep_vault_is_walked_with_few_folders_open(
    files: VaultFiles, vault: Path, open_files: Callable[[], int]
) -> None:
    way = vault
    for number in range(60):
        way /= f"d{number % 10}"
        way.mkdir()
        (way / "n.md").touch()
        (way / "e").mkdir()
        (way / "e" / "m.md").touch()
    before = open_files()
    held = [open_files() - before for _file in files.walk()]
    assert len(held) == 123
    assert max(held) < 40


def test_a_walk_that_is_left_early_leaves_nothing_open(
    files: VaultFiles, vault: Path, open_files: Callable[[], int]
) -> None:
    (vault / "Notes/a/b/c").mkdir(parents=True)
    before = open_files()
    for stop in range(1, 6):
        for _step, walked in zip(range(stop), walk := files.walk_folders(), strict=False):
            assert not walked.folder.closed
        del walk, walked
        assert open_files() == before


def test_a_folder_that_may_not_be_read_is_skipped_but_a_failing_disk_is_reported(vault: Path) -> None:
    class Refusing(Disk):
        code = errno.EACCES

        def open_folder(self, at: FolderHandle, name: str) -> FolderHandle:
            if name == "Notes":
                raise OSError(self.code, "refused")
            return super().open_folder(at, name)

    disk = Refusing()
    (vault / "Zoo").mkdir()
    (vault / "Zoo/z.md").touch()
    with VaultRoot(vault, disk) as root:
        files = VaultFiles(root)
        assert listed(files) == ["Ideas.md", "Zoo/z.md"]
        with pytest.raises(ExecutionFailed, match="permissions"):
            files.read(parse_path("Notes/Meeting.md"))
        disk.code = errno.EIO
        with pytest.raises(ExecutionFailed, match="EIO"):
            listed(files)


def test_several_threads_see_the_whole_vault_at_once(files: VaultFiles, vault: Path) -> None:
    for number in range(300):
        (vault / f"note {number}.md").touch()
    expected = listed(files)
    with ThreadPoolExecutor(4) as pool:
        walks = [pool.submit(listed, files) for _walk in range(40)]
        assert all(walk.result() == expected for walk in walks)


@pytest.mark.parametrize("use", ["read", "open", "hash"])
def test_a_file_that_cannot_be_opened_is_reported_without_its_absolute_path(vault: Path, use: str) -> None:
    class Broken(Disk):
        def open_read(self, at: FolderHandle, name: str) -> int:
            raise OSError(errno.EIO, f"broken {at}", str(vault / name))

    with VaultRoot(vault, Broken()) as root:
        files = VaultFiles(root)
        uses: dict[str, Callable[[VaultPath], object]] = {
            "read": files.read,
            "open": lambda path: files.open(path).__enter__(),
            "hash": files.hash,
        }
        with pytest.raises(ExecutionFailed, match="EIO") as caught:
            uses[use](parse_path("Ideas.md"))
    assert str(vault) not in caught.value.message


def test_what_goes_while_a_walk_looks_is_passed_over(files: VaultFiles, vault: Path) -> None:
    (vault / "Zoo").mkdir()
    walk = files.walk_folders()
    next(walk)
    (vault / "Zoo").rmdir()
    (vault / "Notes/Meeting.md").unlink()
    assert [[str(file.path) for file in walked.files] for walked in walk] == [["Notes/Windows.md"]]
