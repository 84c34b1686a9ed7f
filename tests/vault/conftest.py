"""A vault opened in both ways there are: folders held by descriptor, and by checked paths as on Windows."""

from collections.abc import Callable, Iterator
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
def open_files() -> Callable[[], int]:
    """How many descriptors this process has; where the system does not tell, it is always none."""
    here = Path("/proc/self/fd")
    return lambda: len(list(here.iterdir())) if here.exists() else 0


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the vault, with a file no tool may ever see or change."""
    folder = tmp_path / "outside"
    (folder / "inner").mkdir(parents=True)
    (folder / "secret.md").write_text(SECRET, encoding="utf-8")
    (folder / "inner" / "secret.md").write_text(SECRET, encoding="utf-8")
    return folder
