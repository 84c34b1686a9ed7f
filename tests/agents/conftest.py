"""A machine whose home is a temporary folder, a vault on it, and the clients of a bridge."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bridge.agents.connection import Connector
from bridge.agents.machine import Machine
from bridge.client import token_storage
from bridge.records.folder import UserFolder


class Clients:
    """The clients of a bridge, in memory.

    Args:
        names: Those there are.
    """

    def __init__(self, *names: str) -> None:
        self.tokens = {name: f"token of {name}" for name in names}
        self.presets: list[str] = []

    async def names(self) -> Sequence[str]:
        return list(self.tokens)

    async def add(self, name: str, preset: str) -> str:
        self.presets.append(preset)
        self.tokens[name] = f"token of {name}"
        return self.tokens[name]

    async def revoke(self, name: str) -> None:
        del self.tokens[name]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A Linux with an empty home."""
    home = tmp_path.resolve() / "home"
    home.mkdir()
    monkeypatch.setenv(token_storage.CONFIG_VARIABLE, str(tmp_path / "config"))
    return Machine("linux", home, {"PATH": ""})


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The vault's folder."""
    folder = tmp_path.resolve() / "Nötes of mine"
    folder.mkdir()
    return folder


@pytest.fixture
def connector(machine: Machine, notes: Path, tmp_path: Path) -> Callable[..., Connector]:
    """Connects programs to the vault, or to another one."""

    def make(vault: Path = notes, words: Sequence[str] = ("/opt/vault-bridge",)) -> Connector:
        return Connector(
            machine, vault, lambda: words, UserFolder(tmp_path.resolve() / "state" / vault.name / "clients")
        )

    return make
