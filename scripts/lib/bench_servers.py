"""Other MCP servers: ten of them loaded by three clients, a call beside the server alone, and their end.

`python -m scripts.lib.bench_servers VAULT` serves a vault in which other servers are allowed, prints `ready`, and ends
when it is told to: the bridge that is measured.
"""

import asyncio
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from bridge.app import Bridge, tune_process
from bridge.client import Connection, connect
from bridge.contract.consent import ConsentMode
from bridge.settings.model import MAX_RATE
from scripts.lib.bench_measure import REPEATS, Spread, note, percentile
from scripts.lib.bench_processes import PLAYGROUND
from scripts.lib.environment import ROOT, variables

SERVERS = 10
CLIENTS = 3
CALLS = 100
"""Calls of each side in one repeat."""
SERVER = ROOT / "tests" / "servers" / "stranger.py"
TOOL = "mcp__s0__greet"
ARGUMENTS = {"name": "Ada"}


class Process:
    """A bridge in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def end(self, number: int) -> float:
        """End it, and wait until every process that it has started is gone; how long that took, in seconds.

        Args:
            number: The signal.
        """
        started = _below(self._process.pid)
        began = time.perf_counter()
        self._process.send_signal(number)
        await asyncio.gather(*map(_gone, started))
        seconds = time.perf_counter() - began
        await self._process.wait()
        return seconds


@asynccontextmanager
async def bridge(vault: Path, place: Path) -> AsyncIterator[tuple[Process, Connection, list[Connection]]]:
    """A bridge, the person, and the clients."""
    environment = variables() | {
        "VAULT_BRIDGE_CONFIG": str(place / "configuration"),
        "VAULT_BRIDGE_STATE": str(place / "state"),
    }
    os.environ["VAULT_BRIDGE_STATE"] = environment["VAULT_BRIDGE_STATE"]  # where its tokens are found
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "scripts.lib.bench_servers", str(vault)],
        cwd=ROOT,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        if process.stdout is None or await process.stdout.readline() != b"ready\n":
            raise RuntimeError("The measured bridge ended; its messages are above")
        async with AsyncExitStack() as stack:
            person = await stack.enter_async_context(connect(vault, name="Person", role="host"))
            clients = [await stack.enter_async_context(connect(vault, name=f"c{each}")) for each in range(CLIENTS)]
            yield Process(process), person, clients
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def run() -> None:
    """Measure and print."""
    PLAYGROUND.mkdir(exist_ok=True)
    before = os.environ.get("VAULT_BRIDGE_STATE")
    try:
        with tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as folder:
            place = Path(folder)
            vault = place / "Vault"
            vault.mkdir()
            (vault / "Note.md").write_text("# Note\n", encoding="utf-8")
            (place / "configuration").mkdir(mode=0o700)
            entries = {
                f"s{each}": {"command": sys.executable, "args": [str(SERVER), "good"]} for each in range(SERVERS)
            }
            (place / "configuration" / "mcp.json").write_text(json.dumps({"mcp_servers": entries}), encoding="utf-8")
            await _measure(vault, place)
    finally:
        os.environ.pop("VAULT_BRIDGE_STATE", None)
        if before is not None:
            os.environ["VAULT_BRIDGE_STATE"] = before


async def _measure(vault: Path, place: Path) -> None:
    async with bridge(vault, place) as (_process, person, _clients):
        for name in [f"s{each}" for each in range(SERVERS)]:
            seen = await person.request("servers.test", name=name)
            await person.request("servers.trust", name=name, digest=seen["digest"])
    loaded, slowest, ended, killed = [], [], [], []
    for _repeat in range(REPEATS):
        async with bridge(vault, place) as (process, person, _clients):
            names = [f"s{each}" for each in range(SERVERS)]
            slowest.append(max([await _seconds(person.request("servers.test", name=name)) for name in names]))
            ended.append(await process.end(signal.SIGTERM))
        async with bridge(vault, place) as (process, _person, clients):
            loading = [client.call("mcp_loader") for client in clients]
            loaded.append(await _seconds(asyncio.gather(*loading)))
            killed.append(await process.end(signal.SIGKILL))
    print(f"  {SERVERS} servers loaded by {CLIENTS} clients (goal: at most 2 s more than the slowest alone)")
    print(f"    {'all of them':<34} {Spread.of(loaded)}")
    print(f"    {'the slowest alone':<34} {Spread.of(slowest)}")
    print("  until no process is left (goal: 2 s)")
    print(f"    {'the bridge was ended':<34} {Spread.of(ended)}")
    print(f"    {'the bridge was killed':<34} {Spread.of(killed)}")
    async with bridge(vault, place) as (_process, _person, clients):
        await _calls(clients[0])


async def _calls(client: Connection) -> None:
    """A call through the bridge beside the same call to the server alone."""
    (await client.call("mcp_loader")).or_raise()
    alone = await asyncio.create_subprocess_exec(
        *[sys.executable, str(SERVER), "good"], stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": ARGUMENTS}}

    async def ask() -> None:
        if alone.stdin is None or alone.stdout is None:
            raise RuntimeError("The server was started without pipes")
        alone.stdin.write(json.dumps(call).encode() + b"\n")
        await alone.stdout.readline()

    async def through() -> None:
        (await client.call(TOOL, ARGUMENTS)).or_raise()

    sides: dict[str, tuple[Callable[[], Awaitable[None]], list[float]]] = {
        "through the bridge": (through, []),
        "the server alone": (ask, []),
    }
    for repeat in range(REPEATS + 1):
        for measure, samples in sides.values():
            taken = [await _seconds(measure()) for _ in range(CALLS)]
            if repeat:
                samples.extend(taken)
    alone.kill()
    await alone.wait()
    print(f"  a call of another server's tool ({REPEATS * CALLS} of each; goal: at most 3 ms more)")
    for name, (_measure, samples) in sides.items():
        print(f"    {name:<34} {statistics.median(samples) * 1e3:.2f} ms, p95 {percentile(samples, 95) * 1e3:.2f} ms")
    (_, ours), (_, theirs) = sides.values()
    medians, tails = [[statistics.median(side), percentile(side, 95)] for side in (ours, theirs)], ("median", "p95")
    for at, name in enumerate(tails):
        added, ratio = medians[0][at] - medians[1][at], medians[0][at] / medians[1][at]
        print(f"    {f'added, {name}':<34} {added * 1e3:.2f} ms, ratio {ratio:.1f}")
    note("server", medians[0][0], medians[1][0])


async def _seconds(work: Awaitable[Any]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


def _below(process: int) -> list[int]:
    """All processes that a process has started, and those that they have started (Linux)."""
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in map(int, (task / "children").read_text(encoding="ascii").split()):
            found += [child, *_below(child)]
    return found


async def _gone(process: int) -> None:
    """Return when a process has ended."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    gone = asyncio.Event()
    asyncio.get_running_loop().add_reader(descriptor, gone.set)
    await gone.wait()
    asyncio.get_running_loop().remove_reader(descriptor)
    os.close(descriptor)


async def _serve(vault: Path) -> None:
    async with Bridge(vault) as served:
        always = ConsentMode.ALWAYS_ALLOW.value
        served.settings.update(
            {
                "allowMcpServers": True,
                "consentMode": {"mcp_loader": always},
                "globalRateLimit": MAX_RATE,
                "rateLimits": {TOOL: MAX_RATE, "mcp_loader": MAX_RATE},
            },
            confirms=True,
        )
        tune_process()
        ending = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
        print("ready", flush=True)
        await ending.wait()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
