"""Settings in a folder, and machines with a keyring and without."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.settings.store import SettingsStore
from bridge.vault.root import VaultRoot
from tests.keys.machines import Machine, Ring


@pytest.fixture
def ring() -> Ring:
    return Ring()


@pytest.fixture
def machine(tmp_path: Path, ring: Ring) -> Machine:
    """A machine with a keyring."""
    return Machine(tmp_path / "mine" / "config", ring)


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """A machine without a keyring."""
    return Machine(tmp_path / "bare" / "config", None)


@pytest.fixture
def other(tmp_path: Path) -> Machine:
    """Another machine, to which the vault is synced and nothing else."""
    return Machine(tmp_path / "other" / "config", Ring())


@pytest.fixture
def open_settings(vault: Path) -> Iterator[Callable[[], SettingsStore]]:
    """Opens the settings of the vault, as a start of the bridge does."""
    with VaultRoot(vault) as root, root.state() as state:
        yield lambda: SettingsStore(state)


@pytest.fixture
def settings(open_settings: Callable[[], SettingsStore]) -> SettingsStore:
    return open_settings()
