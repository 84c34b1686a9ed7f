"""Servers of strangers, started as the bridge starts them."""

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.sandbox.sandbox import Programs
from bridge.servers.configuration import ServerEntry, entry
from bridge.servers.connection import ServerConnection
from bridge.servers.servers import Opener
from bridge.settings.model import Settings
from bridge.web.guard import Rules, check
from bridge.web.transport import SystemResolver, Transport

STRANGER = Path(__file__).with_name("stranger.py")

Connect = Callable[..., ServerConnection]


def stranger(mode: str, *more: str, **members: Any) -> ServerEntry:
    """The entry of a server that misbehaves in this way."""
    return entry("stranger", {"command": sys.executable, "args": [str(STRANGER), mode, *more], **members})


@pytest.fixture
def opener(tmp_path: Path) -> Opener:
    vault = tmp_path / "Vault"
    vault.mkdir()
    (vault / "Ideas.md").write_text("# Ideas\n", encoding="utf-8")
    scratch = tmp_path / "state" / "scratch"
    scratch.mkdir(parents=True)
    programs = Programs([tmp_path / "state"], scratch, required=lambda: False)
    rules = Rules(Settings(), frozenset())
    return Opener(
        programs,
        lambda: Transport(SystemResolver()),
        lambda url, service: check(url, rules, service),
        vault,
    )


@pytest.fixture
async def connect(opener: Opener) -> AsyncIterator[Connect]:
    made: list[ServerConnection] = []

    def one(mode: str, *more: str, **members: Any) -> ServerConnection:
        made.append(ServerConnection("stranger", stranger(mode, *more, **members), opener))
        return made[-1]

    yield one
    for each in made:
        await each.stop()
