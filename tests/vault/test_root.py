"""From a path to the place it means: spelling, links, new names, the bridge's own folder."""

import errno
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.errors import (
    Ambiguous,
    Conflict,
    ExecutionFailed,
    InvalidParameters,
    NotFound,
    PermissionDenied,
    StartError,
    ToolFailure,
)
from bridge.vault.disk import Disk, FolderHandle
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import VaultRoot

NFC, NFD = unicodedata.normalize("NFC", "Übung.md"), unicodedata.normalize("NFD", "Übung.md")

one_spelling = pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="this disk takes twins for one")


def resolved(root: VaultRoot, text: str) -> str:
    return str(root.resolve(parse_path(text)))


def test_a_path_means_what_is_spelled_like_it(root: VaultRoot) -> None:
    assert resolved(root, "Notes/Meeting.md") == "Notes/Meeting.md"
    assert resolved(root, "Notes") == "Notes"
    assert root.resolve(VaultPath.root()) == VaultPath.root()


def test_else_the_only_thing_that_differs_in_case(root: VaultRoot) -> None:
    assert resolved(root, "nOTES/mEETING.MD") == "Notes/Meeting.md"
    assert resolved(root, "IDEAS.md") == "Ideas.md"


def test_else_the_only_thing_that_differs_in_unicode_form(root: VaultRoot, vault: Path) -> None:
    (vault / "Notes" / NFD).touch()
    assert resolved(root, f"Notes/{NFC}") == f"Notes/{NFD}"
    assert resolved(root, f"notes/{NFC.upper()}") == f"Notes/{NFD}"


@one_spelling
def test_of_twins_the_exact_spelling_wins_and_a_third_one_is_ambiguous(root: VaultRoot, vault: Path) -> None:
    for name in ["Plan.md", "PLAN.md", NFC, NFD]:
        (vault / name).touch()
    assert [resolved(root, name) for name in ["Plan.md", "PLAN.md", NFC, NFD]] == ["Plan.md", "PLAN.md", NFC, NFD]
    with pytest.raises(Ambiguous) as caught:
        resolved(root, "plan.md")
    assert caught.value.data["candidates"] == ["PLAN.md", "Plan.md"]
    assert str(caught.value).endswith("exactly as spelled: 'PLAN.md', 'Plan.md'")
    with pytest.raises(Ambiguous):
        resolved(root, NFC.upper())


@one_spelling
def test_of_twins_one_that_differs_in_unicode_form_only_wins_over_one_in_other_case(
    root: VaultRoot, vault: Path
) -> None:
    for name in [NFD, NFC.upper()]:
        (vault / name).touch()
    assert resolved(root, NFC) == NFD


@one_spelling
def test_twin_folders_are_no_trouble_while_only_one_holds_the_note(root: VaultRoot, vault: Path) -> None:
    (vault / "NOTES").mkdir()
    (vault / "NOTES" / "Other.md").touch()
    assert resolved(root, "notes/meeting.md") == "Notes/Meeting.md"
    assert resolved(root, "notes/other.md") == "NOTES/Other.md"
    (vault / "NOTES" / "MEETING.md").touch()
    with pytest.raises(Ambiguous):
        resolved(root, "notes/meeting.md")


@pytest.mark.parametrize("text", ["None.md", "None/x.md", "Ideas.md/x.md", "Notes/None.md"])
def test_what_is_not_there_is_not_found(root: VaultRoot, text: str) -> None:
    with pytest.raises(NotFound, match="not found"):
        resolved(root, text)


def test_links_inside_the_vault_lead_to_the_real_place(root: VaultRoot, vault: Path) -> None:
    (vault / "Work" / "Deep").mkdir(parents=True)
    (vault / "Work" / "Deep" / "x.md").touch()
    (vault / "relative").symlink_to("Work")
    (vault / "absolute").symlink_to(vault / "Work")
    (vault / "file").symlink_to("Work/Deep/x.md")
    (vault / "Work" / "up").symlink_to("../Notes")
    (vault / "Work" / "Deep" / "upper").symlink_to("../../relative/./Deep/../up")
    (vault / "Work" / "home").symlink_to("..")
    (vault / "round").symlink_to(f"../{vault.name}/Work")
    assert resolved(root, "relative/Deep/x.md") == "Work/Deep/x.md"
    assert resolved(root, "absolute/Deep/x.md") == "Work/Deep/x.md"
    assert resolved(root, "file") == "Work/Deep/x.md"
    assert resolved(root, "Work/up/Meeting.md") == "Notes/Meeting.md"
    assert resolved(root, "Work/Deep/upper/Meeting.md") == "Notes/Meeting.md"
    assert resolved(root, "Work/home/Work/home/Ideas.md") == "Ideas.md"
    assert resolved(root, "round/Deep/x.md") == "Work/Deep/x.md"
    assert resolved(root, "RELATIVE/deep/X.md") == "Work/Deep/x.md"


def test_links_written_through_the_way_the_vault_was_opened_are_inside(tmp_path: Path, vault: Path, disk: Disk) -> None:
    (tmp_path / "alias").symlink_to(vault)
    (vault / "link").symlink_to(tmp_path / "alias" / "Notes")
    with VaultRoot(tmp_path / "alias", disk) as root:
        assert root.path == vault.resolve()
        assert resolved(root, "link/Meeting.md") == "Notes/Meeting.md"


def test_links_that_go_round_do_not_exist(root: VaultRoot, vault: Path) -> None:
    (vault / "a").symlink_to("b")
    (vault / "b").symlink_to("a")
    (vault / "self").symlink_to("self/x")
    for text in ["a", "b/x.md", "self", "self/x"]:
        with pytest.raises(NotFound):
            resolved(root, text)


def test_forty_links_are_followed_and_no_more(root: VaultRoot, vault: Path) -> None:
    (vault / "0").symlink_to("Ideas.md")
    for number in range(1, 41):
        (vault / str(number)).symlink_to(str(number - 1))
    assert resolved(root, "39") == "Ideas.md"
    with pytest.raises(NotFound):
        resolved(root, "40")


def test_a_folder_is_held_open_under_its_real_path(root: VaultRoot, vault: Path) -> None:
    (vault / "link").symlink_to("Notes")
    with root.folder(parse_path("link")) as folder:
        assert str(folder.path) == "Notes"
        assert sorted(folder.names()) == ["Meeting.md", "Windows.md"]
    with root.folder(VaultPath.root()) as top:
        assert "Ideas.md" in top.names()
    for text in ["Ideas.md", "None"]:
        with pytest.raises(NotFound):
            root.folder(parse_path(text))
    with pytest.raises(NotFound):
        root.folder(parse_path("link"), follow=False)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("New.md", "New.md"),
        ("notes/New.md", "Notes/New.md"),
        ("NOTES/A/B/New.md", "Notes/A/B/New.md"),
        ("link/New.md", "Notes/New.md"),
        ("Fresh/Folder/x.md", "Fresh/Folder/x.md"),
    ],
)
def test_something_new_lies_in_the_folders_that_exist(root: VaultRoot, vault: Path, text: str, place: str) -> None:
    (vault / "link").symlink_to("Notes")
    assert str(root.resolve_new(parse_path(text))) == place


@pytest.mark.parametrize("made", ["Fresh", "Fresh/Folder", "FRESH"])
def test_a_folder_that_is_made_while_it_is_looked_for_is_one_that_exists(
    root: VaultRoot, vault: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    nearest = VaultRoot._nearest

    def just_before(self: VaultRoot, path: VaultPath) -> tuple[VaultPath, tuple[str, ...]]:
        found = nearest(self, path)
        (vault / made).mkdir(parents=True, exist_ok=True)
        return found

    monkeypatch.setattr(VaultRoot, "_nearest", just_before)
    place = root.resolve_new(parse_path("Fresh/Folder/x.md"))
    assert place.parts[0] == parse_path(made).parts[0]
    assert place.parts[1:] == ("Folder", "x.md")


@pytest.mark.parametrize("text", ["Ideas.md", "IDEAS.md", "notes/MEETING.md", "notes", "Ideas.md/x.md", "dangling"])
def test_nothing_new_takes_the_name_of_something_or_of_its_twin(root: VaultRoot, vault: Path, text: str) -> None:
    (vault / "dangling").symlink_to("nowhere")
    with pytest.raises(Conflict) as caught:
        root.resolve_new(parse_path(text))
    assert caught.value.code == "exists"


def test_nothing_new_takes_the_name_of_a_unicode_twin(root: VaultRoot, vault: Path) -> None:
    (vault / NFD).touch()
    with pytest.raises(Conflict):
        root.resolve_new(parse_path(NFC))


@pytest.mark.parametrize("text", [".hidden.md", "Notes/What?.md", "New?/x.md", "a|b"])
def test_nothing_new_gets_a_name_that_does_not_travel(root: VaultRoot, text: str) -> None:
    with pytest.raises(InvalidParameters):
        root.resolve_new(parse_path(text))


def test_inside_a_folder_with_an_odd_name_new_things_are_fine(root: VaultRoot, vault: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows has no such folder")
    (vault / "Why?").mkdir()
    assert str(root.resolve_new(parse_path("why?/Because.md"))) == "Why?/Because.md"


def test_a_file_may_be_moved_to_its_own_name_in_other_letters(root: VaultRoot) -> None:
    moving = parse_path("Ideas.md")
    assert str(root.resolve_new(parse_path("IDEAS.md"), moving=moving)) == "IDEAS.md"
    with pytest.raises(Conflict):
        root.resolve_new(parse_path("notes/meeting.md"), moving=moving)


def test_the_vault_itself_is_nothing_new(root: VaultRoot) -> None:
    with pytest.raises(Conflict):
        root.resolve_new(VaultPath.root())
    with pytest.raises(NotFound):
        root.find(VaultPath.root())


def test_new_things_in_dot_folders_are_refused_also_when_the_gate_was_not_asked(root: VaultRoot) -> None:
    with pytest.raises(PermissionDenied):
        root.resolve_new(VaultPath((".obsidian", "x.md")))
    with pytest.raises(PermissionDenied):
        root.resolve(VaultPath((".obsidian", "app.json")))


def test_the_bridges_own_folder_is_made_once_private_and_ignored_by_git(root: VaultRoot, vault: Path) -> None:
    for _again in range(2):
        with root.state() as state:
            assert state.names() == [".gitignore"]
    assert (vault / ".vault-bridge/.gitignore").read_text(encoding="utf-8") == "*\n"
    if sys.platform != "win32":
        assert (vault / ".vault-bridge").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("kind", ["link", "file"])
def test_the_bridges_own_folder_must_be_a_real_one(root: VaultRoot, vault: Path, outside: Path, kind: str) -> None:
    if kind == "link":
        (vault / ".vault-bridge").symlink_to(outside)
    else:
        (vault / ".vault-bridge").touch()
    with pytest.raises(ExecutionFailed, match="remove it"):
        root.state()
    assert not (outside / ".gitignore").exists()


@pytest.mark.parametrize("operation", ["mkdir", "create"])
def test_another_bridge_may_make_the_folder_in_the_same_instant(vault: Path, operation: str) -> None:
    class Contested(Disk):
        def before(self, now: str, name: str) -> None:
            del name
            if now == operation:
                (vault / ".vault-bridge").mkdir(mode=0o700, exist_ok=True)
                (vault / ".vault-bridge/.gitignore").write_bytes(b"*\n")

    with VaultRoot(vault, Contested()) as root, root.state() as state:
        assert state.names() == [".gitignore"]


@pytest.mark.parametrize("operation", ["mkdir", "create"])
def test_a_full_disk_is_reported_when_the_bridges_folder_is_made(vault: Path, operation: str) -> None:
    class Full(Disk):
        def before(self, now: str, name: str) -> None:
            if now == operation:
                raise OSError(errno.ENOSPC, "full", name)

    with VaultRoot(vault, Full()) as root, pytest.raises(ExecutionFailed, match="disk is full"):
        root.state()


def test_what_changes_kind_while_we_look_is_looked_at_again(vault: Path) -> None:
    class Changing(Disk):
        """In the instant after the first look, the link becomes the folder it pointed to, or the other way round."""

        left = 1

        def swap_names(self) -> None:
            if self.left:
                self.left = 0
                (vault / "Here").rename(vault / "Spare")
                (vault / "There").rename(vault / "Here")

        def readlink(self, at: FolderHandle, name: str) -> str:
            self.swap_names()
            return super().readlink(at, name)

        def open_folder(self, at: FolderHandle, name: str) -> FolderHandle:
            self.swap_names()
            return super().open_folder(at, name)

    (vault / "Here").symlink_to("Notes")
    (vault / "There").mkdir()
    (vault / "There/Meeting.md").touch()
    with VaultRoot(vault, disk := Changing()) as root:
        assert resolved(root, "Here/Meeting.md") == "Here/Meeting.md"
        (vault / "Spare").rename(vault / "There")
        disk.left = 1
        assert resolved(root, "Here/Meeting.md") == "Notes/Meeting.md"


def test_a_vault_must_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ["file", "none"]:
        with pytest.raises(StartError) as caught:
            VaultRoot(tmp_path / name)
        assert str(tmp_path) not in str(caught.value)


def test_nothing_stays_open(root: VaultRoot, vault: Path, open_files: Callable[[], int]) -> None:
    (vault / "link").symlink_to("Notes")
    (vault / "out").symlink_to("/etc")
    (vault / "dot").symlink_to(".obsidian")
    before = open_files()
    for text in ["Ideas.md", "notes/meeting.md", "link/Meeting.md", "None/x", "out/passwd", "dot/x", "Ideas.md/x"]:
        path = parse_path(text)
        with suppress(ToolFailure):
            root.resolve(path)
        with suppress(ToolFailure):
            root.resolve_new(path)
        with suppress(ToolFailure), root.folder(path):
            pass
        with suppress(ToolFailure), root.find(path):
            pass
    with root.state():
        pass
    assert open_files() == before
