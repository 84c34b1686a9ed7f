"""A folder held open: what each call does, what it refuses, and that nothing stays open."""

import errno
import os
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest

from bridge.vault import disk as disk_module
from bridge.vault.disk import Disk, FolderHandle
from bridge.vault.folder import NEW_FILE_MODE, Folder
from bridge.vault.paths import VaultPath

SECRET = b"this lies outside the vault"

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


def hold(path: Path, disk: Disk) -> Folder:
    return Folder(disk, disk.open_top(str(path)), VaultPath.root(), top=str(path))


@pytest.fixture
def folder(tmp_path: Path, disk: Disk) -> Iterator[Folder]:
    top = tmp_path / "top"
    top.mkdir()
    (top / "a.md").write_bytes(b"old")
    (top / "inner").mkdir()
    with hold(top, disk) as held:
        yield held


def test_a_new_file_has_its_bytes_and_exactly_its_mode(folder: Folder, tmp_path: Path) -> None:
    folder.create("new.md", b"text", mode=0o666, sync=True)
    folder.create("pieces.md", iter([memoryview(b"one "), memoryview(b""), memoryview(b"two")]), sync=False)
    assert (tmp_path / "top/new.md").read_bytes() == b"text"
    assert (tmp_path / "top/pieces.md").read_bytes() == b"one two"
    if sys.platform != "win32":
        assert folder.stat("new.md").st_mode & 0o777 == 0o666
        assert folder.stat("pieces.md").st_mode & 0o777 == 0o600


def test_the_mode_of_a_new_note_is_what_any_program_would_give_it(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    if sys.platform != "win32":
        assert (tmp_path / "plain").stat().st_mode & 0o777 == NEW_FILE_MODE


def test_create_refuses_whatever_has_the_name_also_a_dangling_link(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "top/link").symlink_to(tmp_path / "elsewhere")
    for name in ["a.md", "inner", "link"]:
        with pytest.raises(FileExistsError):
            folder.create(name, b"x", sync=False)
    assert not (tmp_path / "elsewhere").exists()


def test_short_writes_are_continued(tmp_path: Path) -> None:
    class Stingy(Disk):
        def write(self, fd: int, data: memoryview) -> int:
            return super().write(fd, data[:3])

    with hold(tmp_path, Stingy()) as folder:
        folder.create("x", b"0123456789", sync=False)
    assert (tmp_path / "x").read_bytes() == b"0123456789"


def test_reading_gives_all_or_the_first_bytes(folder: Folder) -> None:
    folder.create("long", b"0123456789" * 1000, sync=False)
    folder.create("empty", b"", sync=False)
    assert folder.read("long") == b"0123456789" * 1000
    assert folder.read("long", limit=15) == b"012345678901234"
    assert folder.read("long", limit=0) == b""
    assert folder.read("empty") == b""
    with folder.open("long") as file:
        assert file.read(4) == b"0123"


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(tmp_path: Path) -> None:
    class Growing(Disk):
        grown = False

        def read(self, fd: int, size: int) -> bytes:
            if not self.grown:
                self.grown = True
                (tmp_path / "x").write_bytes(b"first, second")
            return super().read(fd, size)

    (tmp_path / "x").write_bytes(b"first")
    with hold(tmp_path, Growing()) as folder:
        assert folder.read("x") == b"first, second"


@posix
def test_what_is_no_regular_file_is_refused_without_waiting(folder: Folder, tmp_path: Path) -> None:
    top = tmp_path / "top"
    os.mkfifo(top / "pipe")
    (top / "link").symlink_to("a.md")
    (top / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as sock:
        here = Path.cwd()
        os.chdir(top)  # socket paths are short
        try:
            sock.bind("socket")
        finally:
            os.chdir(here)
        expected = {"pipe": errno.ENXIO, "socket": errno.ENXIO, "link": errno.ELOOP, "device": errno.ELOOP}
        expected |= {"inner": errno.EISDIR, "none": errno.ENOENT}
        for name, code in expected.items():
            with pytest.raises(OSError) as caught:  # noqa: PT011 (the code is what is checked)
                folder.read(name)
            assert caught.value.errno == code


@posix
def test_a_file_swapped_for_a_pipe_after_the_look_is_not_waited_for(tmp_path: Path) -> None:
    class Swapping(Disk):
        def open_read(self, at: FolderHandle, name: str) -> int:
            (tmp_path / name).unlink()
            os.mkfifo(tmp_path / name)
            return super().open_read(at, name)

    (tmp_path / "x").write_bytes(b"text")
    with hold(tmp_path, Swapping()) as folder, pytest.raises(OSError) as caught:  # noqa: PT011 (checked below)
        folder.read("x")
    assert caught.value.errno == errno.ENXIO


@pytest.mark.parametrize("use", ["read", "create"])
def test_without_descriptors_a_folder_swapped_between_look_and_use_is_noticed(
    tmp_path: Path, outside: Path, use: str
) -> None:
    top = tmp_path / "top"
    (top / "a").mkdir(parents=True)
    (top / "a" / "secret.md").write_bytes(b"inside")

    class Swapping(Disk):
        """Swaps the folder for a link in the instant before a file in it is opened."""

        def swap_folder(self) -> None:
            (top / "a").rename(top / "b")
            (top / "a").symlink_to(outside)

        def open_read(self, at: FolderHandle, name: str) -> int:
            self.swap_folder()
            return super().open_read(at, name)

        def create(self, at: FolderHandle, name: str, mode: int) -> int:
            self.swap_folder()
            return super().create(at, name, mode)

    with hold(top, Swapping(descriptors=False)) as folder, folder.child("a") as a:
        uses: dict[str, Callable[[], object]] = {
            "read": partial(a.read, "secret.md"),
            "create": partial(a.create, "new.md", b"no", sync=False),
        }
        with pytest.raises(NotADirectoryError):
            uses[use]()
    assert all(path.read_bytes() in {b"", SECRET} for path in outside.rglob("*.md"))


def test_replace_overwrites_and_move_new_does_not(folder: Folder) -> None:
    folder.create("b.md", b"new", sync=False)
    with folder.child("inner") as inner:
        with pytest.raises(FileExistsError):
            folder.move_new("b.md", folder, "a.md")
        assert folder.read("a.md") == b"old"
        folder.move_new("b.md", inner, "b.md")
        assert (inner.read("b.md"), folder.exists("b.md")) == (b"new", False)
        inner.replace("b.md", folder, "a.md")
        assert folder.read("a.md") == b"new"
        folder.mkdir("old")
        with pytest.raises(FileExistsError):
            folder.move_new("old", folder, "inner")
        folder.move_new("old", inner, "newer")
        assert inner.names() == ["newer"]


@pytest.mark.parametrize("links", [True, False])
def test_move_new_refuses_to_overwrite_also_where_the_system_has_no_call_for_it(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, *, links: bool
) -> None:
    monkeypatch.setattr(disk_module, "rename_new", Mock(return_value=False))
    if not links:
        monkeypatch.setattr(os, "link", Mock(side_effect=PermissionError(errno.EPERM, "no links here")))
    folder.create("b.md", b"new", sync=False)
    with pytest.raises(FileExistsError):
        folder.move_new("b.md", folder, "a.md")
    folder.move_new("b.md", folder, "c.md")
    folder.mkdir("d")
    with pytest.raises(FileExistsError):
        folder.move_new("d", folder, "inner")
    folder.move_new("d", folder, "e")
    assert sorted(folder.names()) == ["a.md", "c.md", "e", "inner"]
    assert (folder.read("a.md"), folder.read("c.md")) == (b"old", b"new")


def test_on_a_disk_that_ignores_case_a_name_may_be_respelled(tmp_path: Path) -> None:
    class OneCase(Disk):
        """`stat` and the refusal of `move_new` behave as on such a disk."""

        def stat(self, at: FolderHandle, name: str) -> os.stat_result:
            with self.scan(at) as entries:
                names = {entry.name.lower(): entry.name for entry in entries}
            return super().stat(at, names.get(name.lower(), name))

        def move_new(self, at: FolderHandle, name: str, to: FolderHandle, to_name: str) -> None:
            raise FileExistsError(name, at, to, to_name)

    (tmp_path / "example.md").write_bytes(b"x")
    with hold(tmp_path, OneCase()) as folder:
        folder.move_new("example.md", folder, "Example.md")
        assert folder.names() == ["Example.md"]


def test_two_names_change_places(folder: Folder) -> None:
    folder.create("b.md", b"new", sync=False)
    if not folder.swap("a.md", folder, "b.md"):
        pytest.skip("this system cannot swap names")
    assert (folder.read("a.md"), folder.read("b.md")) == (b"new", b"old")
    with pytest.raises(FileNotFoundError):
        folder.swap("a.md", folder, "none")


def test_a_journal_grows_at_its_end_and_can_be_cut(folder: Folder) -> None:
    for text in [b"one\n", b"two\n"]:
        with folder.open_to_append("log") as fd:
            folder.disk.write(fd, memoryview(text))
    assert folder.read("log") == b"one\ntwo\n"
    with folder.open_to_append("log") as fd:
        folder.disk.truncate(fd, 4)
    assert folder.read("log") == b"one\n"


def test_a_new_file_may_be_given_its_owner(folder: Folder) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no such owners")
    folder.create("mine", b"", owner=(os.getuid(), os.getgid()), sync=False)
    assert folder.stat("mine").st_uid == os.getuid()


def test_names_and_folders_come_and_go(folder: Folder) -> None:
    folder.mkdir("new")
    with folder.child("new") as new, new.reopen() as twice:
        twice.create("x", b"", sync=False)
        assert new.names() == ["x"]
        assert str(twice.path) == "new"
        new.unlink("x")
        new.sync()
    folder.rmdir("new")
    folder.chmod("a.md", 0o640)
    assert sorted(folder.names()) == ["a.md", "inner"]
    if sys.platform != "win32":
        assert folder.stat("a.md").st_mode & 0o777 == 0o640


def test_a_link_or_a_file_is_no_folder(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "top/link").symlink_to("inner")
    assert folder.readlink("link") == "inner"
    for name in ["link", "a.md", "none"]:
        with pytest.raises(OSError):  # noqa: PT011 (which one differs by system)
            folder.child(name)


def test_a_closed_folder_says_so(folder: Folder) -> None:
    folder.close()
    folder.close()
    assert folder.closed
    with pytest.raises(ValueError, match="closed"):
        folder.names()


def test_without_descriptors_a_folder_that_became_a_link_is_not_entered(tmp_path: Path, outside: Path) -> None:
    top = tmp_path / "top"
    (top / "a" / "inner").mkdir(parents=True)
    with hold(top, Disk(descriptors=False)) as folder, folder.child("a") as a, a.child("inner") as inner:
        (top / "a").rename(top / "b")
        (top / "a").symlink_to(outside)
        uses: list[Callable[[], object]] = [
            inner.names,
            partial(inner.read, "secret.md"),
            partial(inner.create, "x", b"", sync=False),
        ]
        for use in uses:
            with pytest.raises(NotADirectoryError):
                use()
    assert sorted(path.name for path in outside.rglob("*")) == ["inner", "secret.md", "secret.md"]


def test_a_held_folder_stays_the_same_whatever_takes_its_name(tmp_path: Path, outside: Path) -> None:
    disk = Disk()
    if not disk.descriptors:
        pytest.skip("this system has no dir_fd")
    (tmp_path / "top" / "a").mkdir(parents=True)
    with hold(tmp_path / "top", disk) as folder, folder.child("a") as held:
        (tmp_path / "top/a").rename(tmp_path / "top/b")
        (tmp_path / "top/a").symlink_to(outside)
        held.create("x", b"inside", sync=True)
    assert (tmp_path / "top/b/x").read_bytes() == b"inside"
    assert not (outside / "x").exists()


def test_every_change_of_the_disk_is_announced_before_it_happens(tmp_path: Path) -> None:
    seen: list[str] = []

    class Watched(Disk):
        def before(self, operation: str, name: str) -> None:
            seen.append(f"{operation} {name}".strip())

    with hold(tmp_path, Watched()) as folder:
        folder.create("x", b"abc", sync=True)
        folder.replace("x", folder, "y")
        folder.move_new("y", folder, "z")
        folder.mkdir("d")
        folder.rmdir("d")
        folder.unlink("z")
        folder.sync()
    assert [step for step in seen if step not in {"chmod", "sync_folder"}] == [
        *("create x", "write", "fsync", "replace y", "move_new z", "mkdir d", "rmdir d", "unlink z")
    ]


@pytest.mark.parametrize("operation", ["create", "write", "fsync", "chmod"])
def test_a_disk_that_fails_leaves_nothing_open(tmp_path: Path, operation: str, open_files: Callable[[], int]) -> None:
    class Full(Disk):
        def before(self, operation_now: str, name: str) -> None:  # noqa: ARG002 (the hook's shape)
            if operation_now == operation:
                raise OSError(errno.ENOSPC, "full")

    with hold(tmp_path, Full()) as folder:
        before = open_files()
        with pytest.raises(OSError, match="full"):
            folder.create("x", b"abc", sync=True)
        assert open_files() == before
