"""Tools of one's own: a run in the sandbox, from start to end, beside a bare `node -e` that does the same."""

import asyncio
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge.custom.process import Processes, node
from bridge.sandbox.sandbox import Programs, get_ready
from scripts.lib.bench_measure import alternate, compare

CODE = "return parameters.a + 1"
BARE = "console.log(JSON.stringify(({ a: 1 }).a + 1))"
REPEATS = 25


async def run() -> None:
    """Measure a run that a person has just allowed, and one that nobody was asked about."""
    program = node()
    if program is None:
        print("  There is no Node.js here.")
        return
    with tempfile.TemporaryDirectory(prefix="vault-bridge-bench-") as folder:
        programs = Programs([], Path(folder), required=lambda: False)
        processes = Processes(programs, Path(folder, "vault"))

        async def tool() -> float:
            began = time.perf_counter()
            result = await processes.run("node", CODE, {"a": 1}, 60_000, _nothing)
            if result.result != 2:  # noqa: PLR2004 - one and one
                raise RuntimeError(f"the tool failed: {result.error}")
            return time.perf_counter() - began

        async def asked() -> float:
            await _warm(processes)
            return await tool()

        async def bare() -> float:
            began = time.perf_counter()
            process = await asyncio.create_subprocess_exec(program, "-e", BARE, stdout=asyncio.subprocess.PIPE)
            await process.communicate()
            return time.perf_counter() - began

        samples = await alternate({"a tool that was just allowed": asked, "node -e": bare}, repeats=REPEATS)
        print(compare("a run of a node tool, after its question", samples, goal=1.5))
        samples = await alternate({"a tool that is tried out": tool, "node -e": bare}, repeats=REPEATS)
        print(compare("a run of a node tool, out of the blue", samples))
        await processes.stop()


async def _warm(processes: Processes) -> None:
    """As while a person reads the question: what watches the run has started meanwhile."""
    processes.get_ready()
    other = await get_ready()
    await other.discard()  # it ends once it has started, and so the one that was started before it waits by now


async def _nothing(_message: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"success": False, "error": "nobody is asked here"}
