"""Starting: the processor time of a command, with and without a bridge, and how soon a vault is served again.

The floor of a command that needs no bridge is a Python that does nothing. That of a bridge is one that imports the two
libraries on which all of it is built, so the ratio is the same on a slow machine. A restart is measured as a person
would: from the moment the command is given to the answer of the first ranked search over the socket, on a vault whose
index is in the cache.
"""

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Literal

import orjson
import psutil

from bridge.client import BridgeNotRunning, Connection, connect, find_endpoint
from scripts.lib.bench_measure import REPEATS, alternate, compare
from scripts.lib.bench_processes import PATIENCE, generated_vault
from scripts.lib.environment import ROOT, variables

NOTES = 10_000
COMMAND = (sys.executable, "-m", "bridge")
NOTHING = (sys.executable, "-c", "pass")
LIBRARIES = (sys.executable, "-c", "import aiohttp.web, pydantic")
TO_SOCKET = 2.9
"""The most processor time to the open socket, in terms of that of importing the libraries."""
TO_ANSWER = 2.5
"""The longest time to the first ranked answer, in terms of the same."""
LOOK_SECONDS = 0.002
"""The interval of checks whether the bridge has said where it listens."""
SETTINGS = {"enabledTools": ["*"], "developerMode": True}
QUERY = "kwyjibo"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


async def run() -> None:
    """Measure and print."""
    for option in ("--version", "--help"):
        sides = {f"vault-bridge {option}": (*COMMAND, option), "python -c pass": NOTHING}
        samples = await alternate(
            {name: _Processor(command).measure for name, command in sides.items()}, repeats=REPEATS
        )
        print(compare(f"processor time of vault-bridge {option}", samples))
    await _to_socket()
    await _restart()
    await _mcp()


async def _to_socket() -> None:
    """The processor time of `serve` until it listens, in a small vault."""
    with tempfile.TemporaryDirectory(prefix="start-", ignore_cleanup_errors=True) as place:
        vault = Path(place, "Vault")
        (vault / ".obsidian").mkdir(parents=True)
        environment = _environment() | {
            "VAULT_BRIDGE_STATE": f"{place}/state",
            "VAULT_BRIDGE_CONFIG": f"{place}/config",
        }

        async def ours() -> float:
            async with _serving(vault, environment) as process:
                spent = psutil.Process(process.pid).cpu_times()
                return float(spent.user + spent.system)

        sides = {"serve, until it listens": ours, "import aiohttp.web, pydantic": _Processor(LIBRARIES).measure}
        samples = await alternate(sides, repeats=REPEATS)
    print(compare("processor time of serve, until it listens", samples, goal=TO_SOCKET))


async def _restart() -> None:
    vault = await asyncio.to_thread(generated_vault, NOTES)
    state = vault / ".vault-bridge"
    state.mkdir(exist_ok=True)
    (state / "settings.json").write_bytes(orjson.dumps(SETTINGS))
    with tempfile.TemporaryDirectory(prefix="start-") as cache:
        environment = _environment() | {"VAULT_BRIDGE_STATE": cache}
        await _fill_cache(vault, environment)

        async def ours() -> float:
            began = time.perf_counter()
            async with _served(vault, environment) as agent:
                (await agent.call("search_notes", query=QUERY)).or_raise()
                return time.perf_counter() - began

        floors = {"python -c pass": NOTHING, "import aiohttp.web, pydantic": LIBRARIES}
        sides = {"serve, and the first search_notes": ours} | {
            name: partial(_run, command) for name, command in floors.items()
        }
        samples = await alternate(sides, repeats=REPEATS)
    for floor, goal in zip(floors, (None, TO_ANSWER), strict=True):
        two = {side: samples[side] for side in (*sides,) if side == floor or side not in floors}
        print(compare(f"restart on {NOTES:,} notes, until a ranked search is answered", two, goal=goal))


async def _mcp() -> None:
    """Measure how soon an MCP client is answered, where the vault is served and where a bridge has to be started."""
    # A bridge that was started for a client ends by itself, and may write until then.
    with tempfile.TemporaryDirectory(prefix="mcp-", ignore_cleanup_errors=True) as place:
        vault = Path(place, "Vault")
        (vault / ".obsidian").mkdir(parents=True)
        environment = _environment() | {
            "VAULT_BRIDGE_STATE": f"{place}/state",
            "VAULT_BRIDGE_CONFIG": f"{place}/config",
        }
        add = [*COMMAND, "clients", "add", "Bench", "--save", "--vault", str(vault)]
        await asyncio.to_thread(subprocess.run, add, cwd=ROOT, env=environment, check=True, capture_output=True)

        def first_answer() -> float:
            return _first_answer(vault, environment)

        async def alone() -> float:
            await asyncio.to_thread(_until_unserved, vault)
            return await asyncio.to_thread(first_answer)

        async def beside() -> float:
            async with _served(vault, environment):
                return await asyncio.to_thread(first_answer)

        for name, ours in (("a vault that is served", beside), ("a vault that nobody serves", alone)):
            samples = await alternate({f"mcp, {name}": ours, "python -c pass": _do_nothing}, repeats=REPEATS)
            print(compare(f"mcp on {name}, until the first answer", samples))
        await asyncio.to_thread(_until_unserved, vault)


def _first_answer(vault: Path, environment: dict[str, str]) -> float:
    began = time.perf_counter()
    command = [*COMMAND, "mcp", "--vault", str(vault), "--client", "Bench"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        answer = b""
        if process.stdin is not None and process.stdout is not None:
            process.stdin.write(orjson.dumps(HELLO) + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        took = time.perf_counter() - began
        process.terminate()
    if b'"result"' not in answer:
        raise RuntimeError("the MCP server did not answer")
    return took


def _until_unserved(vault: Path) -> None:
    """Wait until the bridge that was started for a client before has ended."""
    while True:
        try:
            find_endpoint(vault)
        except BridgeNotRunning:
            return
        time.sleep(LOOK_SECONDS)


async def _fill_cache(vault: Path, environment: dict[str, str]) -> None:
    """Serve the vault until its index is complete."""
    async with _served(vault, environment, role="host") as host:
        while True:
            status = await host.request("vault.status")
            if not status["indexing"]:
                return
            await asyncio.sleep(LOOK_SECONDS)


def _environment() -> dict[str, str]:
    """As people have it: where bytecode is not written, every start would compile all that it imports."""
    return {name: value for name, value in variables().items() if name != "PYTHONDONTWRITEBYTECODE"}


async def _do_nothing() -> float:
    return await _run(NOTHING)


async def _run(command: Sequence[str]) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=_environment())
    await process.wait()
    return time.perf_counter() - began


class _Processor:
    """The processor time of one command.

    Args:
        command: The program and its arguments.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command

    async def measure(self) -> float:
        """Run it once; seconds, of its own and the system's work."""
        return await asyncio.to_thread(self._run)

    def _run(self) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(self._command, cwd=ROOT, env=_environment(), stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@asynccontextmanager
async def _serving(vault: Path, environment: dict[str, str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """`vault-bridge serve`, as soon as it has said where it listens; it ends with this context."""
    process = await asyncio.create_subprocess_exec(
        *(*COMMAND, "serve", "--vault", str(vault)),
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.wait_for(_published(vault), PATIENCE)
        yield process
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def _served(
    vault: Path, environment: dict[str, str], role: Literal["agent", "host"] = "agent"
) -> AsyncIterator[Connection]:
    """A connection to `vault-bridge serve`, as soon as it takes one; both end with this context."""
    async with _serving(vault, environment), connect(vault, name="Bench", role=role) as connection:
        yield connection


async def _published(vault: Path) -> None:
    """Return as soon as a bridge has said where it listens."""
    while True:
        try:
            find_endpoint(vault)
        except BridgeNotRunning:
            await asyncio.sleep(LOOK_SECONDS)
        else:
            return
