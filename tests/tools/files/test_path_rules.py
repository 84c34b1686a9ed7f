"""What a path of a file tool means, and which are refused."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.errors import InvalidParameters, NotFound, PermissionDenied
from bridge.index.vault_index import VaultIndex
from bridge.tools.paths import not_found_as, note_path, vault_path
from bridge.tools.storage import VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot


@pytest.fixture
def storage(vault: Path, indexed: Callable[[Path], VaultIndex]) -> Iterator[VaultStorage]:
    with VaultRoot(vault) as root:
        yield VaultStorage(VaultFiles(root), indexed(vault))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Notes/x.md", "Notes/x.md"),
        ("/Notes/x.md/", "Notes/x.md"),
        ("//Notes//./x.md", "Notes/x.md"),
        ("/", ""),
        (".", ""),
        ("./", ""),
        (".hidden.md", ".hidden.md"),
    ],
)
def test_slashes_at_the_ends_do_not_matter(storage: VaultStorage, text: str, path: str) -> None:
    assert str(vault_path(text, storage)) == path


def test_a_path_on_this_machine_may_lie_in_the_vault(storage: VaultStorage) -> None:
    assert str(vault_path(str(storage.top / "Notes" / "x.md"), storage)) == "Notes/x.md"


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        (".obsidian/app.json", ".obsidian"),
        ("/.obsidian/app.json", ".obsidian"),
        (".OBSIDIAN/app.json", ".OBSIDIAN"),
        (".obsidian", ".obsidian"),
        (".Obsidian/", ".Obsidian"),
        (".smarthole", ".smarthole"),
        (".smarthole/inbox/x.md", ".smarthole"),
        (".trash/x.md", ".trash"),
        (".config/", ".config"),
        ("Notes/.git/config", ".git"),
    ],
)
def test_dot_folders_are_refused_as_protected_system_folders(storage: VaultStorage, text: str, folder: str) -> None:
    with pytest.raises(PermissionDenied) as caught:
        vault_path(text, storage)
    message = f"Access denied: Cannot access files in '{folder}/' directory (protected system folder)"
    assert (caught.value.message, caught.value.code) == (message, "protected")


@pytest.mark.parametrize("text", ["../x.md", "Notes/../../x.md", "/..", "C:/x.md", "..\\x.md"])
def test_nothing_leads_outside(storage: VaultStorage, text: str) -> None:
    with pytest.raises(PermissionDenied) as caught:
        vault_path(text, storage)
    assert caught.value.code == "outside_vault"


@pytest.mark.parametrize("text", ["", "   ", "\t"])
def test_a_blank_path_is_none(storage: VaultStorage, text: str) -> None:
    with pytest.raises(InvalidParameters) as caught:
        vault_path(text, storage, "source")
    assert caught.value.message == "source is required and must be a non-empty string."


@pytest.mark.parametrize(
    ("text", "path"),
    [("Notes/x", "Notes/x.md"), ("x.md", "x.md"), ("x.MD", "x.MD"), ("v1.2", "v1.2.md"), ("/a/b/", "a/b.md")],
)
def test_a_note_is_given_its_extension(storage: VaultStorage, text: str, path: str) -> None:
    assert str(note_path(text, storage)) == path


@pytest.mark.parametrize("text", ["/", "a" * 254])
def test_what_can_be_no_note_is_refused(storage: VaultStorage, text: str) -> None:
    with pytest.raises(InvalidParameters):
        note_path(text, storage)


def test_what_is_not_found_as_in_other_words() -> None:
    with pytest.raises(NotFound, match=r'^Path not found: "x"$'), not_found_as('Path not found: "x"'):
        raise NotFound("File or folder not found: 'x'. Use find to see what there is")
