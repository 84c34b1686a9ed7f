"""No byte outside the vault is read or changed, whatever the path and whatever happens meanwhile."""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.errors import NotFound, PermissionDenied, ToolFailure
from bridge.vault.disk import Disk, FolderHandle
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.root import VaultRoot

SECRET = b"this lies outside the vault"
DEPTHS = ["out", "Notes/out", "Notes/Deep/out", "Notes/Deep/Deeper/out"]


@pytest.fixture(autouse=True)
def deep(vault: Path) -> None:
    (vault / "Notes/Deep/Deeper").mkdir(parents=True)


def everywhere(root: VaultRoot, files: VaultFiles, path: VaultPath) -> list[Callable[[], object]]:
    """Every way by which bytes of a path could be had."""

    def stream() -> bytes:
        with files.open(path) as file:
            return file.read()

    def listing() -> list[str]:
        with root.folder(path) as folder:
            return folder.names()

    return [
        lambda: files.read(path),
        lambda: files.stat(path),
        lambda: files.hash(path),
        lambda: root.resolve(path),
        lambda: list(files.walk_folders(path)),
        stream,
        listing,
    ]


@pytest.mark.parametrize("place", DEPTHS)
@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize("target", ["", "secret.md", "inner", "inner/secret.md", "none"])
def test_a_link_out_of_the_vault_does_not_exist_at_any_depth(
    files: VaultFiles, vault: Path, outside: Path, place: str, target: str, *, absolute: bool
) -> None:
    link = vault / place
    goal = outside / target
    link.symlink_to(goal if absolute else os.path.relpath(goal, link.parent))
    for text in [place, f"{place}/secret.md", f"{place}/inner/secret.md", f"{place.upper()}/SECRET.md"]:
        for use in everywhere(files.root, files, parse_path(text)):
            with pytest.raises(NotFound) as caught:
                use()
            assert "outside" not in caught.value.message
    assert not any("secret" in str(file.path) for file in files.walk())


@pytest.mark.parametrize("chain", [["two", "/../out"], ["Notes/Deep/../../two", ".."], ["two/", "../outside"]])
def test_a_chain_of_links_out_of_the_vault_does_not_exist(
    root: VaultRoot, vault: Path, outside: Path, chain: list[str]
) -> None:
    (vault / "one").symlink_to(chain[0])
    (vault / "two").symlink_to(str(outside.parent) + chain[1] if chain[1].startswith("/") else chain[1])
    for text in ["one", "one/secret.md", "one/outside/secret.md", "two/secret.md"]:
        with pytest.raises(NotFound):
            root.resolve(parse_path(text))


@pytest.mark.parametrize("target", [".obsidian", "./Notes/../.obsidian", ".obsidian/../.obsidian/x", ".OBSIDIAN"])
def test_no_link_leads_into_a_dot_folder(root: VaultRoot, files: VaultFiles, vault: Path, target: str) -> None:
    (vault / "Notes" / "door").symlink_to(f"../{target}")
    (vault / "through").symlink_to("Notes/door")
    for text in ["Notes/door", "Notes/door/app.json", "through", "through/app.json"]:
        for use in everywhere(root, files, parse_path(text)):
            with pytest.raises((PermissionDenied, NotFound)) as caught:
                use()
            if target != ".OBSIDIAN":  # which is the same folder on some systems and nothing on others
                assert caught.value.code == "protected"


@pytest.mark.parametrize("name", [".obsidian", ".git", ".vault-bridge", ".trash", ".x"])
def test_a_dot_folder_is_shut_whatever_its_name(root: VaultRoot, files: VaultFiles, vault: Path, name: str) -> None:
    (vault / name).mkdir(exist_ok=True)
    (vault / "Notes" / name).mkdir()
    for folder in [name, f"Notes/{name}"]:
        (vault / folder / "x.md").write_bytes(SECRET)
        for use in everywhere(root, files, parse_path(folder)):
            with pytest.raises(PermissionDenied) as caught:
                use()
            assert caught.value.code == "protected"
        for use in everywhere(root, files, VaultPath((*folder.split("/"), "x.md"))):
            with pytest.raises(PermissionDenied):
                use()
    assert not any("x.md" in str(file.path) for file in files.walk(include_hidden=True))


def test_a_link_with_a_dot_name_is_no_way_in_either(root: VaultRoot, vault: Path) -> None:
    (vault / ".notes").symlink_to("Notes")
    (vault / "by").symlink_to(".notes/Meeting.md")
    with pytest.raises(PermissionDenied):
        root.resolve(parse_path("by"))


def test_a_file_with_another_name_outside_is_read_as_what_it_is(files: VaultFiles, vault: Path, outside: Path) -> None:
    (outside / "shared.md").write_bytes(b"shared")
    (vault / "shared.md").hardlink_to(outside / "shared.md")
    assert files.read(parse_path("shared.md"))[0] == b"shared"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_pipes_and_devices_are_never_opened(files: VaultFiles, vault: Path) -> None:
    os.mkfifo(vault / "pipe.md")
    (vault / "zero.md").symlink_to("/dev/zero")
    for use in everywhere(files.root, files, parse_path("pipe.md"))[:3]:
        with pytest.raises(ToolFailure, match="pipe"):
            use()
    with pytest.raises(NotFound):
        files.read(parse_path("zero.md"))
    assert not {"pipe.md", "zero.md"} & {str(file.path) for file in files.walk()}


@pytest.mark.parametrize(
    "name", ["con.md", "trailing.", "trailing ", "a:b", "a\\b", "line\nbreak", "\udce4.md", "tab\t.md"]
)
def test_a_file_that_no_path_can_name_is_not_listed_either(files: VaultFiles, vault: Path, name: str) -> None:
    try:
        (vault / name).touch()
    except OSError:
        pytest.skip("this system refuses the name itself")
    assert [str(file.path) for file in files.walk()] == ["Ideas.md", "Notes/Meeting.md", "Notes/Windows.md"]
    with pytest.raises(NotFound):
        files.read(VaultPath((name,)))


def test_a_folder_swapped_for_a_link_while_we_work_never_leads_outside(vault: Path, outside: Path) -> None:
    disk = Disk()
    if not disk.descriptors:
        pytest.skip("this system has no dir_fd")
    real, parked, link = vault / "Busy", vault / "Parked", vault / "Link"
    (real / "inner").mkdir(parents=True)
    for folder in [real, real / "inner"]:
        (folder / "secret.md").write_bytes(b"inside")
    link.symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            real.rename(parked)
            link.rename(real)
            real.rename(link)
            parked.rename(real)

    swapper = threading.Thread(target=swap)
    seen: set[bytes] = set()
    written = 0
    with VaultRoot(vault, disk) as root:
        files = VaultFiles(root)
        swapper.start()
        try:
            for number in range(400):
                for text in ["Busy/secret.md", "Busy/inner/secret.md"]:
                    with suppress(ToolFailure):
                        seen.add(files.read(parse_path(text))[0])
                with suppress(ToolFailure, FileNotFoundError), root.folder(parse_path("Busy/inner")) as inner:
                    inner.create(f"new {number}", b"from the vault", sync=False)
                    inner.replace(f"new {number}", inner, "secret.md")
                    written += 1
                for walked in files.walk_folders():
                    seen.update(walked.read(file) or b"" for file in walked.files if file.path.name == "secret.md")
        finally:
            stop.set()
            swapper.join()
    assert seen <= {b"", b"inside", b"from the vault"}
    assert written
    assert {path.read_bytes() for path in outside.rglob("*.md")} == {SECRET}
    assert sorted(path.name for path in outside.rglob("*")) == ["inner", "secret.md", "secret.md"]


class SwappingDisk(Disk):
    """Swaps a folder for a link ahead of chosen system calls: the worst that any timing could do."""

    def __init__(self, swap: Callable[[], None], turns: set[int]) -> None:
        super().__init__()
        self.swap_now, self.turns, self.calls = swap, turns, 0

    def tick(self) -> None:
        self.calls += 1
        if self.calls in self.turns:
            self.swap_now()

    def open_folder(self, at: FolderHandle, name: str) -> FolderHandle:
        self.tick()
        return super().open_folder(at, name)

    def stat(self, at: FolderHandle, name: str) -> os.stat_result:
        self.tick()
        return super().stat(at, name)

    def readlink(self, at: FolderHandle, name: str) -> str:
        self.tick()
        return super().readlink(at, name)

    def open_read(self, at: FolderHandle, name: str) -> int:
        self.tick()
        return super().open_read(at, name)

    def read(self, fd: int, size: int) -> bytes:
        self.tick()
        return super().read(fd, size)

    def before(self, operation: str, name: str) -> None:
        del operation, name
        self.tick()


def read_it(files: VaultFiles) -> bytes:
    return files.read(parse_path("Busy/inner/secret.md"))[0]


def read_it_in_other_letters(files: VaultFiles) -> bytes:
    return files.read(parse_path("busy/INNER/secret.md"))[0]


def walk_it(files: VaultFiles) -> bytes:
    found = [
        walked.read(file) for walked in files.walk_folders() for file in walked.files if "secret" in file.path.name
    ]
    return SECRET if SECRET in found else b""


def write_it(files: VaultFiles) -> bytes:
    with files.root.folder(parse_path("Busy/inner")) as folder:
        folder.create("new", b"from the vault", sync=True)
        folder.replace("new", folder, "secret.md")
    return b""


@pytest.mark.parametrize("use", [read_it, read_it_in_other_letters, walk_it, write_it])
def test_a_swap_ahead_of_any_system_call_never_leads_outside(
    vault: Path, outside: Path, use: Callable[[VaultFiles], bytes]
) -> None:
    if not Disk().descriptors:
        pytest.skip("this system has no dir_fd")
    real, parked, link = vault / "Busy", vault / "Parked", vault / "Link"
    (real / "inner").mkdir(parents=True)
    (real / "inner" / "secret.md").write_bytes(b"inside")
    link.symlink_to(outside)

    def swap() -> None:
        if link.is_symlink():
            real.rename(parked)
            link.rename(real)
        else:
            real.rename(link)
            parked.rename(real)

    first, calls = 0, 1
    while first <= calls:
        for back in range(first + 1, first + 4):
            disk = SwappingDisk(swap, {first, back})
            with VaultRoot(vault, disk) as root, suppress(ToolFailure, FileNotFoundError):
                assert use(VaultFiles(root)) in {b"inside", b"from the vault", b""}
            calls = max(calls, disk.calls)
            if not link.is_symlink():
                swap()
        first += 1
    assert calls > 5
    assert {path.read_bytes() for path in outside.rglob("*.md")} == {SECRET}
    assert sorted(path.name for path in outside.rglob("*")) == ["inner", "secret.md", "secret.md"]
