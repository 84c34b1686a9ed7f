"""Somebody else who uses the bridge, in a process of its own: pings until its standard input says to stop.

`python -m scripts.lib.bench_pinger VAULT [host]` prints `ready`; each line on its standard input is answered with the
round trips since the last one, in seconds, as JSON.
"""

import asyncio
import sys
import time
from pathlib import Path

import orjson

from scripts.lib.bench_processes import Raw, connected, request

PAUSE = 0.001


async def _ping(connection: Raw, samples: list[float]) -> None:
    text = request("ping")
    while True:
        began = time.perf_counter()
        await connection.ask(text)
        samples.append(time.perf_counter() - began)
        await asyncio.sleep(PAUSE)


async def _serve(vault: Path, role: str) -> None:
    samples: list[float] = []
    async with connected(vault, role) as connection:
        pinging = asyncio.create_task(_ping(connection, samples))
        print("ready", flush=True)
        while await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
            print(orjson.dumps(samples).decode(), flush=True)
            samples.clear()
        pinging.cancel()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), *(sys.argv[2:] or ["agent"])))
