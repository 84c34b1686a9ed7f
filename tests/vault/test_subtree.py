"""A folder is taken wholly: with hidden files and empty folders, and not at all where something cannot be taken."""

import os
import sys
from pathlib import Path

import pytest

from bridge.errors import InvalidParameters, PermissionDenied, ToolFailure
from bridge.vault.files import subtree
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import VaultRoot

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="names, links and pipes are as POSIX has them")
TOP = parse_path("Notes")


@pytest.fixture
def folder(vault: Path) -> Path:
    return vault / "Notes"


def taken(vault: Path) -> tuple[list[str], list[str]]:
    """The folders and files of `Notes`."""
    with VaultRoot(vault) as root:
        found = subtree(root, TOP)
    return [str(path) for path in found.folders], [str(path) for path in found.files]


def test_hidden_files_and_empty_folders_belong_to_it(vault: Path, folder: Path) -> None:
    (folder / ".DS_Store").write_bytes(b"")
    (folder / "Sub/Empty").mkdir(parents=True)
    (folder / "Sub/x.bin").write_bytes(b"\0")
    folders, files = taken(vault)
    assert folders == ["Notes", "Notes/Sub", "Notes/Sub/Empty"]
    assert files == ["Notes/.DS_Store", "Notes/Meeting.md", "Notes/Windows.md", "Notes/Sub/x.bin"]


def test_a_dot_folder_in_it_is_shut(vault: Path, folder: Path) -> None:
    (folder / "Sub/.git").mkdir(parents=True)
    with pytest.raises(
        PermissionDenied, match=r"'Notes' holds the protected system folder 'Notes/Sub/.git/'"
    ) as caught:
        taken(vault)
    assert caught.value.code == "protected"


@posix_only
@pytest.mark.parametrize("what", ["link", "link out", "dangling", "pipe", "a:b.md", "ends.", "back\\slash"])
def test_what_tools_cannot_handle_is_named(vault: Path, folder: Path, tmp_path: Path, what: str) -> None:
    place = folder / "thing"
    match what:
        case "link":
            place.symlink_to("Meeting.md")
        case "link out":
            place.symlink_to(tmp_path)
        case "dangling":
            place.symlink_to("nowhere")
        case "pipe":
            os.mkfifo(place)
        case _:
            (folder / what).write_bytes(b"")
    with pytest.raises(InvalidParameters, match="cannot be taken as a whole") as caught:
        taken(vault)
    assert str(tmp_path) not in caught.value.message


def test_every_path_is_checked_before_anything_else_is_said_of_it(vault: Path, folder: Path) -> None:
    (folder / "Secret/.git").mkdir(parents=True)

    def check(path: VaultPath) -> None:
        if "Secret" in path.parts:
            raise InvalidParameters("closed")

    with VaultRoot(vault) as root, pytest.raises(InvalidParameters, match=r"^closed$"):
        subtree(root, TOP, check)


def test_a_folder_that_is_gone_is_a_failure(vault: Path) -> None:
    with VaultRoot(vault) as root, pytest.raises(ToolFailure):
        subtree(root, parse_path("Gone"))
