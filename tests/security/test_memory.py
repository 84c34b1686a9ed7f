"""The memory that refused calls and hostile notes have used is returned to the system.

The real program is measured from outside. Pages of files that it only reads are left out: the system keeps them for
whoever reads the file next and takes them back when it wants them, and how many it maps at once differs by kernel.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import psutil
import pytest

from bridge.client import BridgeNotRunning, connect, find_endpoint
from tests.hostile_vault import write_hostile_vault
from tests.patience import PATIENCE

MB: Final = 1 << 20
REFUSED: Final = 60
MANY: Final = 1_000
MINUTE: Final = 60
WEIGHT: Final = 15 * MB

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="how memory goes back differs between systems"),
]


class Served:
    """A vault that `vault-bridge serve` serves.

    Attributes:
        vault: The vault.
        process: The program.
    """

    def __init__(self, vault: Path, process: psutil.Process) -> None:
        self.vault = vault
        self.process = process

    @property
    def held(self) -> int:
        """Bytes that only this program holds, and that no file could give back."""
        memory = self.process.memory_info()
        held: int = memory.rss - memory.shared
        return held

    async def until_below(self, size: int) -> None:
        """Return when the program holds less; gives up after a minute."""
        async with asyncio.timeout(MINUTE):
            while self.held >= size:  # noqa: ASYNC110 - nobody tells of another process's memory
                await asyncio.sleep(0.5)


@contextmanager
def started(vault: Path) -> Iterator[psutil.Process]:
    """The program, until the end."""
    command = [sys.executable, "-m", "bridge", "serve", "--vault", str(vault)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment) as process:  # noqa: S603 - ours
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


@asynccontextmanager
async def served(vault: Path, **settings: Any) -> AsyncIterator[Served]:
    """A vault that is served with these settings, and whose notes are known."""
    with started(vault) as process:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    find_endpoint(vault)
                    break
                except BridgeNotRunning:
                    await asyncio.sleep(0.1)
        async with connect(vault, name="Ada", role="host") as host:
            await host.request("settings.update", patch={"globalRateLimit": 1000, **settings})
        yield Served(vault, process)


async def until_known(vault: Path, states: frozenset[str] = frozenset({"ready", "missing", "off"})) -> None:
    """Return when all notes are indexed and, where there are models, their meaning is in one of these states."""
    async with connect(vault, name="Ada", role="host") as host:
        while True:
            status = await host.request("vault.status")
            if not status["indexing"] and status["semantic"]["state"] in states:
                return
            await asyncio.sleep(0.5)


CALLS: Final[tuple[Callable[[str], tuple[str, dict[str, str]]], ...]] = (
    lambda text: ("no_such_tool", {"content": text}),
    lambda text: ("read", {"path": text}),
    lambda text: ("write_file", {"path": "a.md", "content": text}),  # not enabled
)
"""Calls that are refused, each for another reason."""


async def test_sixty_refused_calls_of_15_mb_leave_less_than_150_mb(vault: Path) -> None:
    async with served(vault) as bridge:
        await until_known(vault)
        endpoint = find_endpoint(vault)
        calls = [each("x" * WEIGHT) for each in CALLS]
        frames = [
            json.dumps(
                {"jsonrpc": "2.0", "id": 1, "method": "tools.call", "params": {"name": name, "arguments": arguments}}
            )
            for name, arguments in calls
        ]
        async with (
            aiohttp.ClientSession(headers={"Authorization": f"Bearer {endpoint.token}"}) as http,
            http.ws_connect(endpoint.url, max_msg_size=0, compress=0) as socket,
        ):
            for frame in frames * (REFUSED // len(frames)):
                await socket.send_str(frame)
                assert not json.loads(await socket.receive_str(timeout=PATIENCE))["result"]["success"]
            await bridge.until_below(150 * MB)


async def test_calls_of_100_members_for_which_nobody_waits_leave_less_than_200_mb(vault: Path) -> None:
    for number in range(100):
        (vault / f"{number}.md").write_text("Some words.\n" * 50, encoding="utf-8")
    async with served(vault, enabledTools=["*"], rateLimits={"move": 1000}) as bridge:
        await until_known(vault)
        async with connect(vault, name="Robot") as robot:
            for count in range(MANY):
                moves = [{"source": f"{number}.md", "destination": f"{count}/{number}.md"} for number in range(100)]
                await robot.request("tools.call", name="move", arguments={"moves": moves}, wait=0)
        assert bridge.held < 200 * MB
        await bridge.until_below(200 * MB)


async def test_a_vault_of_hostile_notes_leaves_less_than_300_mb(vault: Path) -> None:
    write_hostile_vault(vault)
    async with served(vault) as bridge:
        # The meaning of its millions of words takes minutes, in a process of its own; ours keeps within the bound then.
        await until_known(vault, frozenset({"embedding", "ready", "missing", "off"}))
        await bridge.until_below(300 * MB)
