"""A hostile agent: what it costs the others, in time, memory, descriptors and questions."""

import asyncio
import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import orjson

from bridge.client import connect, find_endpoint
from scripts.lib.bench_measure import percentile
from scripts.lib.bench_processes import (
    PLAYGROUND,
    Raw,
    Server,
    connected,
    generated_vault,
    raw,
    request,
    serving,
    started,
)
from scripts.lib.consenting import consenting_host

NOTES = 20
FRAMES = 60
MEMBERS = 1_200_000
JUNK_CALLS = 2_000
JUNK = 15_000_000
"""Characters of one call's arguments that are of no use."""
MEMBER_CALLS = 1_000
MANY_FILES = (2_000, 10_000)
IDLE = 2_000
DESCRIPTORS = 1_024
QUESTIONS = 400
SETTLE = 2.0
"""Seconds in which calls that were answered with a ticket come to their question."""
IDLE_SECONDS = 60.0
IDLE_PAUSE = 1.0
"""Seconds after which a connection that was cut comes again, and between two writes meanwhile."""
UNFINISHED = 200
BEGUN = 8_000_000
"""Bytes of a message that is never ended."""
MEMORY = "under 300 MB"
"""The most that the bridge may hold after any attack."""
RESERVE = 100
"""Descriptors that this process needs besides."""


async def run() -> None:
    """Measure and print."""
    vault = generated_vault(NOTES)
    PLAYGROUND.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as place:
        console = Path(place) / "console"
        async with serving(vault, console=console):
            async with started("scripts.lib.bench_pinger", str(vault), "host") as pinger:
                await pinger.line()
                await _questions(vault)
                pid = find_endpoint(vault).pid
                async with connected(vault) as agent:
                    await _frames(agent, pinger)
                    await _junk(agent, pinger, pid)
                    await _members(agent, pinger, pid)
                for files in MANY_FILES:
                    await _many_files(vault, pinger, files, pid)
            await _unfinished(vault)
            await _idle_connections(vault, console)


async def _frames(agent: Raw, pinger: Server) -> None:
    members = ",".join(f'"a{number}":1' for number in range(MEMBERS))
    frame = request("tools.call", name="find", arguments={}).replace('"arguments":{}', f'"arguments":{{{members}}}')
    await asyncio.sleep(1)
    say("the person's ping, meanwhile nothing", await pinger.take())
    for _ in range(FRAMES):
        await agent.ask(frame)
    say(f"while frames of {MEMBERS:,} members come in a loop", await pinger.take())


async def _junk(agent: Raw, pinger: Server, pid: int) -> None:
    junk = "x" * JUNK
    before = memory(pid)
    for number in range(JUNK_CALLS):
        call_id = f"junk-{number}"
        await agent.ask(request("tools.call", name="find", callId=call_id, wait=0, arguments={"junk": junk}))
    say(f"while calls with {JUNK / 1e6:.0f} MB of junk come in a loop", await pinger.take())
    print(f"  memory, before and after {JUNK_CALLS:,} of them: {before} and {memory(pid)}   goal: {MEMORY}")


async def _members(agent: Raw, pinger: Server, pid: int) -> None:
    """Calls that plan much, and whose results nobody waits for."""
    before = memory(pid)
    for call in range(MEMBER_CALLS):
        moves = [{"source": f"{number}.md", "destination": f"{call}/{number}.md"} for number in range(100)]
        await agent.ask(request("tools.call", name="move", wait=0, arguments={"moves": moves}))
    say("while moves of 100 notes each come in a loop", await pinger.take())
    print(f"  memory, before and after {MEMBER_CALLS:,} of them: {before} and {memory(pid)}   goal: {MEMORY}")


async def _many_files(vault: Path, pinger: Server, files: int, pid: int) -> None:
    """One question about so many files."""
    folder = vault / f"Many {files}"
    folder.mkdir()
    try:
        for number in range(files):
            (folder / f"{number}.md").write_text(f"# {number}\n\nSome words, and [[a link]].\n", encoding="utf-8")
        async with _host(vault) as host:
            token = (await host.request("clients.add", name=f"Asks about {files}"))["token"]
            while (status := await host.request("vault.status"))["indexing"] or status["files"] < files:
                pass

            async def deny(question: dict[str, Any]) -> None:
                await host.request("consent.respond", requestId=question["requestId"], decision="deny_once")

            host.on("consent.requested", deny)
            await pinger.take()
            began = time.perf_counter()
            async with raw(find_endpoint(vault).url, token=token) as agent:
                told = orjson.loads(await agent.call("delete_file", path=folder.name))["result"]
            took = time.perf_counter() - began
            if told["data"].get("code") != "denied_by_user":
                raise RuntimeError(f"Nobody was asked: {told}")
            say(f"while a question about {files:,} files is asked and denied", await pinger.take())
            print(f"    it took {took:.1f} s, and the bridge holds {memory(pid)}")
    finally:
        shutil.rmtree(folder)


async def _questions(vault: Path) -> None:
    async with _host(vault) as host, connect(vault, name="Hostile") as agent:
        await host.request(
            "settings.update",
            patch={"enabledTools": ["*"], "globalRateLimit": 1000, "rateLimits": {"create_note": 1000}},
        )
        async with consenting_host(vault):
            change = (await agent.call("create_note", path="Undo me.md", content="text")).raw["executionId"]
        calls = [
            agent.request("tools.call", name="create_note", arguments={"path": f"{number}.md", "content": "x"}, wait=0)
            for number in range(QUESTIONS)
        ]
        for start in range(0, QUESTIONS, 50):
            await asyncio.gather(*calls[start : start + 50])
        began = time.perf_counter()
        undone = await host.request("history.undo", executionId=change)
        took = time.perf_counter() - began
        await asyncio.sleep(SETTLE)
        questions = len(await host.request("consent.pending"))
        print(f"  {QUESTIONS} calls that need a question: {questions} open   goal: a handful")
        print(f"  the person's undo meanwhile: {took:.3f} s, success {undone['success']}   goal: within a second")


async def _unfinished(vault: Path) -> None:
    """One client begins messages over many connections, and ends none."""
    endpoint = find_endpoint(vault)
    before = memory(endpoint.pid)
    with contextlib.ExitStack() as stack:
        for _ in range(UNFINISHED):
            stack.callback((await _begin_message(endpoint.http, endpoint.token)).close)
        print(f"  memory, before and after {UNFINISHED} unfinished messages: {before} and {memory(endpoint.pid)}")


async def _begin_message(http: str, token: str) -> asyncio.StreamWriter:
    """A WebSocket on which half of a frame was sent."""
    address = http.removeprefix("http://")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rsplit(":", 1)[1]))
    head = ["GET /ws HTTP/1.1", f"Host: {address}", f"Authorization: Bearer {token}", "Connection: Upgrade"]
    head += ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
    writer.write("\r\n".join((*head, "", "")).encode())
    await reader.readuntil(b"\r\n\r\n")
    # A masked text frame (the mask is zero), of twice as many bytes.
    writer.write(b"\x81\xff" + (2 * BEGUN).to_bytes(8, "big") + bytes(4) + b"x" * BEGUN)
    with contextlib.suppress(ConnectionError):
        await writer.drain()
    return writer


async def _idle_connections(vault: Path, console: Path) -> None:
    if sys.platform != "linux":
        print("  idle connections: measured on Linux only")
        return
    import resource  # noqa: PLC0415 - Windows has none

    endpoint = find_endpoint(vault)
    resource.prlimit(endpoint.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    port = int(endpoint.http.rsplit(":", 1)[1])
    said = _size(console)
    async with _host(vault) as host:
        honest = (await host.request("clients.add", name="Honest"))["token"]
    with _descriptors(IDLE + RESERVE):
        idling = asyncio.gather(*(_idle(port) for _ in range(IDLE)))
        try:
            worst, began = 0.0, time.perf_counter()
            while time.perf_counter() - began < IDLE_SECONDS:
                worst = max(worst, await _host_writes(vault, f"Idle {time.perf_counter() - began:.0f}.md", honest))
                await asyncio.sleep(IDLE_PAUSE)
        finally:
            idling.cancel()
            await asyncio.gather(idling, return_exceptions=True)
    print(f"  {IDLE:,} idle connections for {IDLE_SECONDS:.0f} s, {DESCRIPTORS:,} descriptors")
    print(f"    a host connects, a write is allowed, made and undone: {worst:.3f} s at worst")
    print(f"    the console grew by {_size(console) - said:,} bytes   goal: under 10 KB")


async def _idle(port: int) -> None:
    """Stay connected with half a request line, and connect again when cut, until cancelled."""
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(b"GET /hea")
                await reader.read()
            finally:
                writer.close()
        await asyncio.sleep(IDLE_PAUSE)


async def _host_writes(vault: Path, path: str, token: str) -> float:
    """The seconds in which a host connects, an agent writes with its consent, and the host undoes it."""
    began = time.perf_counter()
    async with consenting_host(vault), _host(vault) as host, raw(find_endpoint(vault).url, token=token) as agent:
        done = orjson.loads(await agent.call("create_note", path=path, content="text"))["result"]
        undone = await host.request("history.undo", executionId=done["executionId"])
    if not (done["success"] and undone["success"]):
        raise RuntimeError(f"A write among idle connections failed: {done} {undone}")
    return time.perf_counter() - began


@contextlib.contextmanager
def _descriptors(wanted: int) -> Iterator[None]:
    """At least so many for this process, where the system gives them; afterwards as many as before."""
    import resource  # noqa: PLC0415 - Windows has none

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= most:
        yield
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextlib.asynccontextmanager
async def _host(vault: Path) -> AsyncIterator[Any]:
    async with connect(vault, name="bench", role="host", can=["consent"]) as host:
        yield host


def say(what: str, samples: list[float]) -> None:
    """Print how long the person's pings took, in seconds, while something happened."""
    p50, p99, worst = (percentile(samples, rank) * 1e3 for rank in (50, 99, 100))
    print(f"  {what:<52} p50 {p50:.2f} ms, p99 {p99:.0f} ms, worst {worst:.0f} ms   goal: under 30 and 300 ms")


def _size(file: Path) -> int:
    return file.stat().st_size


def memory(pid: int) -> str:
    """Return how much memory a process holds; Linux says it."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS"):
                return f"{int(line.split()[1]) / 1024:.0f} MB"
    return "unknown"
