"""Watches an event loop: a task that sleeps for a millisecond again and again, and how late it wakes.

`python -m scripts.lib.bench_ticker` does so in a process that does nothing else, and answers each line on its standard
input with the worst since the last one: what the machine alone is to blame for.
"""

import asyncio
import sys
import time

TICK = 0.001


class Ticker:
    """Keeps how much later than it should it woke at the worst."""

    def __init__(self) -> None:
        self._worst = 0.0

    async def run(self) -> None:
        """Tick until cancelled."""
        while True:
            before = time.perf_counter()
            await asyncio.sleep(TICK)
            self._worst = max(self._worst, time.perf_counter() - before - TICK)

    async def answer(self) -> None:
        """Answer each line on standard input with the worst so far, in seconds, and begin anew.

        It ticks from the first line on: a process that ticks never rests, and what it takes would not be measured.
        """
        ticking: asyncio.Task[None] | None = None
        print("ready", flush=True)
        while await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
            ticking = ticking or asyncio.create_task(self.run())
            print(self._worst, flush=True)
            self._worst = 0.0
        if ticking is not None:
            ticking.cancel()


if __name__ == "__main__":
    asyncio.run(Ticker().answer())
