"""What the tests of the consent room share."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bridge.clock import Clock, SystemClock
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot


class LaterClock(SystemClock):
    """An hour ahead, so that files written now have settled."""

    def now(self) -> datetime:
        return super().now() + timedelta(hours=1)


@pytest.fixture
def clock() -> Clock:
    return LaterClock()


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Folder]:
    """The `.vault-bridge` folder of an empty vault."""
    (tmp_path / "Vault").mkdir()
    with VaultRoot(tmp_path / "Vault") as root, root.state() as folder:
        yield folder


@pytest.fixture
def file(tmp_path: Path, state: Folder) -> Path:
    """Where the permission file lies, when there is one."""
    del state
    return tmp_path / "Vault" / ".vault-bridge" / "permissions.json"
