"""How long a loop is held: the processor's time of its thread in one turn, whatever else the machine does."""

import asyncio
import time
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

STEPS = 1_000_000


@dataclass
class Turns:
    """What was measured.

    Attributes:
        longest: Seconds of the processor that the longest turn took.
        where: Whose it was.
    """

    longest: float = 0.0
    where: str = ""


def measure() -> float:
    """Seconds of the processor that a fixed piece of work takes here and now; what is measured is compared with it."""
    began = time.thread_time()
    total = 0
    for step in range(STEPS):
        total += step
    return time.thread_time() - began


@contextmanager
def turns_measured() -> Iterator[Turns]:
    """Measure every turn of the loops of this thread."""
    turns = Turns()
    run: Any = events.Handle._run

    def timed(handle: Any) -> None:
        began = time.thread_time()
        run(handle)
        took = time.thread_time() - began
        if took > turns.longest:
            owner = getattr(handle._callback, "__self__", None)
            found = owner.get_coro() if isinstance(owner, asyncio.Task) else handle._callback
            turns.longest, turns.where = took, getattr(found, "__qualname__", repr(found))

    events.Handle._run = timed  # type: ignore[method-assign, assignment]
    try:
        yield turns
    finally:
        events.Handle._run = run  # type: ignore[method-assign]
