"""Time that a test moves on by hand: no question, ticket or time-out need be waited for."""

import asyncio
import threading
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

BEGINNING = datetime(2026, 11, 22, 15, tzinfo=UTC)


MOST_AT_ONCE = 0.02
"""Seconds that pass between two looks at the time, however long the machine or a thread has really kept us waiting."""


class SkippingLoop(asyncio.SelectorEventLoop):
    """A loop whose time is moved on by hand. By itself it hardly passes while threads work or the machine is busy."""

    def __init__(self) -> None:
        self.skipped = 0.0
        self._looking = threading.Lock()
        self._passed = 0.0
        self._looked = super().time()
        super().__init__()

    def time(self) -> float:
        with self._looking:
            now = super().time()
            self._passed += min(now - self._looked, MOST_AT_ONCE)
            self._looked = now
            return self._passed + self.skipped


class LoopClock:
    """A clock that goes as the loop does, whichever thread looks at it."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop or asyncio.get_running_loop()
        self._start = self._loop.time()

    def now(self) -> datetime:
        return BEGINNING + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return self._loop.time() - self._start


def skip(seconds: float) -> None:
    """So much time has passed: what is due now comes next."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SkippingLoop)
    loop.skipped += seconds


def run(scenario: Coroutine[Any, Any, None]) -> None:
    """Run a scenario on such a loop."""
    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        runner.run(scenario)


async def turns(count: int = 3) -> None:
    """Let everything that is ready go on."""
    for _ in range(count):
        await asyncio.sleep(0)
