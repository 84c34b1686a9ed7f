"""A copy of a vault, and what was done to it."""

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from bridge.errors import ExecutionFailed
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from bridge.vault.working_copy import WorkingCopy

NOBODY = 65534
posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes as POSIX has them")


@pytest.fixture
def made(vault: Path, tmp_path: Path) -> WorkingCopy:
    """A copy in which everything over 100 bytes that is no note is left out."""
    (vault / "film.mp4").write_bytes(b"x" * 101)
    (vault / "long.md").write_bytes(b"x" * 1000)
    (vault / "small.bin").write_bytes(b"\x00" * 100)
    (vault / "Empty").mkdir()
    (vault / ".hidden file").write_bytes(b"hidden")
    root = VaultRoot(vault)
    copy = WorkingCopy(VaultFiles(root), tmp_path / "copy", 100)
    copy.make()
    root.close()
    return copy


def test_a_copy_has_what_tools_may_see_and_no_large_file_that_is_no_note(made: WorkingCopy, vault: Path) -> None:
    found = sorted(path.relative_to(made.place).as_posix() for path in made.place.rglob("*") if path.is_file())
    assert found == [
        *(".hidden file", "Ideas.md", "Notes/Meeting.md", "Notes/Windows.md", "long.md", "small.bin"),
    ]
    assert (made.place / "Empty").is_dir()
    assert made.left_out == {"film.mp4": vault.resolve() / "film.mp4"}
    for name in found:
        assert (made.place / name).read_bytes() == (vault / name).read_bytes()


def test_nothing_differs_in_a_copy_that_was_only_read(made: WorkingCopy) -> None:
    for path in made.place.rglob("*"):
        if path.is_file():
            path.read_bytes()
    found = made.differences()
    everything = (found.changed, found.made, found.gone, found.folders_made, found.folders_gone, found.odd)
    assert everything == ([],) * 6


def test_what_was_written_back_as_it_was_has_not_changed(made: WorkingCopy) -> None:
    (made.place / "Ideas.md").write_bytes((made.place / "Ideas.md").read_bytes())
    assert made.differences().changed == []


def test_a_change_that_hides_behind_the_same_size_and_time_is_found(made: WorkingCopy) -> None:
    place = made.place / "Ideas.md"
    state = place.stat()
    place.write_bytes(bytes(reversed(place.read_bytes())))
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert made.differences().changed == ["Ideas.md"]


def test_every_difference_is_found_and_named_by_its_kind(made: WorkingCopy) -> None:
    place = made.place
    (place / "Ideas.md").write_bytes(b"other")
    (place / "Notes" / "Meeting.md").unlink()
    (place / "Notes" / "Windows.md").unlink()
    (place / "Notes").rmdir()
    (place / "Empty").rmdir()
    (place / "new" / "inner").mkdir(parents=True)
    (place / "new" / "N.md").write_bytes(b"n")
    found = made.differences()
    assert found.changed == ["Ideas.md"]
    assert found.made == ["new/N.md"]
    assert sorted(found.gone) == ["Notes/Meeting.md", "Notes/Windows.md"]
    assert found.folders_made == ["new/inner"]
    assert found.folders_gone == ["Empty", "Notes"]


@posix
def test_links_pipes_and_dot_folders_are_odd_and_never_followed(made: WorkingCopy, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "token").write_bytes(b"token")
    (made.place / "link").symlink_to(secret)
    (made.place / "link.md").symlink_to(secret / "token")
    os.mkfifo(made.place / "pipe.md")
    (made.place / ".dot" / "inner").mkdir(parents=True)
    (made.place / ".git").write_text("gitdir: /", encoding="ascii")
    found = made.differences()
    assert {path for path, _why in found.odd} == {"link", "link.md", "pipe.md", ".dot"}
    assert found.made == []
    with pytest.raises(OSError, match=r"[Ll]ink|symbolic"):
        made.read("link.md")


@pytest.fixture
def ordinary_place() -> Iterator[Path]:
    """A folder of an ordinary user, as which the test runs: root may read everything."""
    with TemporaryDirectory() as folder:
        if sys.platform != "win32" and os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
            try:
                yield Path(folder)
            finally:
                os.seteuid(0)
        else:
            yield Path(folder)


@posix
def test_what_a_program_has_closed_to_itself_is_neither_gone_nor_changed(ordinary_place: Path) -> None:
    vault = ordinary_place / "vault"
    for name in ("Ideas.md", "Closed/Inner/Deep.md", "Unsearchable/Note.md", "Written.md"):
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_bytes(b"text\n")
    with VaultRoot(vault) as root:
        copy = WorkingCopy(VaultFiles(root), ordinary_place / "copy", 100)
        copy.make()
    (copy.place / "Written.md").write_bytes(b"more\n")
    for name, mode in (("Written.md", 0), ("Ideas.md", 0), ("Closed", 0), ("Unsearchable", 0o600), ("", 0)):
        (copy.place / name).chmod(mode)
    found = copy.differences()
    assert found.changed == ["Written.md"]
    assert (found.made, found.gone, found.folders_made, found.folders_gone, found.odd) == ([],) * 5
    assert copy.read("Written.md") == b"more\n"


def test_a_folder_that_cannot_be_read_is_a_failure_and_not_empty(
    made: WorkingCopy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scandir(place: Path, scan: Any = os.scandir) -> Any:
        if place.name == "Notes":
            raise OSError(errno.EMFILE, "too many files are open")
        return scan(place)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(ExecutionFailed, match="Notes"):
        made.differences()


@posix
def test_what_lies_deeper_than_any_path_leads_is_odd_and_not_passed_over(made: WorkingCopy) -> None:
    at = os.open(made.place, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=at)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(os.open("N.md", os.O_WRONLY | os.O_CREAT, dir_fd=at))
    os.close(at)
    ((path, why),) = made.differences().odd
    assert (path.startswith("ddd"), len(path) < 300, why) == (True, True, "its path is too long")
