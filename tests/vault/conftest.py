"""A vault opened in both ways there are: folders held by descriptor, and by checked paths as on Windows."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.vault.disk import Disk
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot

SECRET = "this lies outside the vault"


@pytest.fixture(params=[True, False], ids=["descriptors", "checked paths"])
def disk(request: pytest.FixtureRequest) -> Disk:
    held: bool = request.param
    if held and not Disk().descriptors:
        pytest.skip("this system has no dir_fd")
    return Disk(descriptors=held)


@pytest.fixture
def root(vault: Path, disk: Disk) -> Iterator[VaultRoot]:
    with VaultRoot(vault, disk) as opened:
        yield opened


@pytest.fixture
def files(root: VaultRoot) -> VaultFiles:
    return VaultFiles(root)


@pytest.fixture
def open_files(tmp_path: Path) -> Callable[[], int]:
    """How many descriptors this process has of the test's own files and of the system's configuration.

    Those of other files come and go with what earlier tests have left. Where the system tells nothing, it is none.
    """
    here, counted = Path("/proc/self/fd"), (str(tmp_path), "/etc")

    def count() -> int:
        found = 0
        for descriptor in here.iterdir() if here.exists() else ():
            with suppress(OSError):  # the one that lists them is gone again
                found += str(descriptor.readlink()).startswith(counted)
        return found

    return count


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the vault, with a file no tool may ever see or change."""
    folder = tmp_path / "outside"
    (folder / "inner").mkdir(parents=True)
    (folder / "secret.md").write_text(SECRET, encoding="utf-8")
    (folder / "inner" / "secret.md").write_text(SECRET, encoding="utf-8")
    return folder
