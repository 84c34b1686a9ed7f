"""Who shows no token does not stay, and keeps nobody out."""

import asyncio
import contextlib
import logging
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from bridge.client import connect
from bridge.identity.caller import HOST, SHARED
from bridge.server import door
from bridge.server.door import MOST_OF_ONE, MOST_WAITING, Door, QuietAccept
from tests.patience import PATIENCE
from tests.people import person_at
from tests.server.house import House, ask, request


@contextlib.asynccontextmanager
async def idle(house: House, count: int) -> AsyncIterator[list[asyncio.StreamReader]]:
    """Connections that have sent half a request line."""
    port = int(house.discovery.http.rsplit(":", 1)[1])
    streams = []
    for _ in range(count):
        streams.append(await asyncio.open_connection("127.0.0.1", port))
        streams[-1][1].write(b"GET /hea")
    try:
        yield [reader for reader, _ in streams]
    finally:
        for _, writer in streams:
            writer.close()


async def ended(reader: asyncio.StreamReader) -> bool:
    """Whether the other side closes the connection."""
    async with asyncio.timeout(PATIENCE):
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
    return True


async def test_one_more_connection_without_a_token_ends_the_oldest(house: House) -> None:
    async with idle(house, MOST_WAITING + 3) as readers:
        assert [await ended(reader) for reader in readers[:3]] == [True] * 3
        assert house.server._door is not None
        assert len(house.server._door._waiting) <= MOST_WAITING
        socket_ = await house.socket("host")
        assert (await ask(socket_, request(1, "ping")))["result"] == "pong"
        assert not readers[-1].at_eof()


async def test_a_connection_that_shows_no_token_in_time_is_ended_and_others_stay(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    socket_ = await house.socket()
    monkeypatch.setattr(door, "SECONDS", 0.05)
    async with idle(house, 2) as readers:
        assert [await ended(reader) for reader in readers] == [True] * 2
    assert (await ask(socket_, request(1, "ping")))["result"] == "pong"


class Wire(asyncio.Transport):
    """A connection that is only looked at."""


async def test_one_client_has_no_more_than_its_connections_and_the_person_comes_in_anyway() -> None:
    guard = Door(asyncio.Protocol)
    connections = [Wire() for _ in range(MOST_OF_ONE + 2)]
    for wire in connections[:-1]:
        with contextlib.suppress(web.HTTPTooManyRequests):
            guard.came(wire)
            guard.let_in(wire, SHARED)
    guard.came(connections[-1])
    with pytest.raises(web.HTTPTooManyRequests):
        guard.let_in(connections[-1], SHARED)
    guard.let_in(connections[-1], HOST)
    guard.let_in(connections[0], SHARED)  # it is in already
    guard.went(connections[0])
    free = Wire()
    guard.came(free)
    guard.let_in(free, SHARED)
    for wire in connections:
        guard.went(wire)


async def test_descriptors_that_run_out_are_said_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    quiet = QuietAccept()
    with caplog.at_level(logging.WARNING):
        for _ in range(500):
            loop.call_exception_handler(
                {"message": "socket.accept() out of system resource", "exception": OSError(24, "Too many open files")}
            )
    quiet.restore()
    assert [record.exc_info for record in caplog.records] == [None]
    assert loop.get_exception_handler() is before


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
sys.argv[0] = "vault-bridge"
from bridge.cli.main import main
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit that can be set")
async def test_idle_connections_keep_nobody_from_writing(vault: Path, tmp_path: Path) -> None:
    console = tmp_path / "console"
    command = [sys.executable, "-c", LIMITED, "serve", "--json", "--preset", "vault", "--vault", str(vault)]
    with (
        console.open("wb") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as server,  # noqa: S603, ASYNC220 - ours
    ):
        assert server.stdout is not None
        ready = orjson.loads(await asyncio.to_thread(server.stdout.readline))
        address = ("127.0.0.1", int(ready["http"].rsplit(":", 1)[1]))
        before = console.stat().st_size
        with contextlib.ExitStack() as stack:
            for _ in range(500):
                connection = stack.enter_context(socket.create_connection(address))
                with contextlib.suppress(OSError):
                    connection.send(b"GET /hea")
            await write_and_undo(vault)
        assert console.stat().st_size - before < 10_000
        server.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(server.wait, PATIENCE) == 0


async def write_and_undo(vault: Path) -> None:
    """A person and an agent connect, and a change is made and undone."""
    async with person_at(vault) as person, connect(vault, name="Robot") as agent:
        person.answer = "allow_once"
        done: Any = await agent.call("create_note", path="New.md", content="text")
        assert done.raw["success"], done.raw
        assert (vault / "New.md").read_text(encoding="utf-8").startswith("text")
        undone = await person.host.request("history.undo", executionId=done.raw["executionId"])
        assert undone["success"], undone
        assert not (vault / "New.md").exists()
