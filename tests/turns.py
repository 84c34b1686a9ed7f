"""How long a loop is held: the processor's time of its thread in one turn, whatever else the machine does."""

import asyncio
import threading
import time
from asyncio import events
from collections.abc import Callable, Iterator
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


@dataclass
class LoopTurns:
    """Which turn of the loop it is.

    Attributes:
        now: Its number.
    """

    now: int = 0


@contextmanager
def turns_counted() -> Iterator[LoopTurns]:
    """Count the turns of the loop that runs."""
    turns, loop = LoopTurns(), asyncio.get_running_loop()
    ticking: asyncio.Handle

    def count() -> None:
        nonlocal ticking
        turns.now += 1
        ticking = loop.call_soon(count)

    ticking = loop.call_soon(count)
    try:
        yield turns
    finally:
        ticking.cancel()


PAUSE = 0.0005
"""Seconds that the thread sleeps which measures how long it is kept from going on."""


def longest_hold(work: Callable[[], object]) -> float:
    """Return the longest time for which a piece of work keeps all other threads waiting in one step.

    The least of three runs counts, as the machine may take a moment away from any one of them.
    """
    return min(_hold(work) for _ in range(3))


def _hold(work: Callable[[], object]) -> float:
    longest, ended = 0.0, threading.Event()

    def watch() -> None:
        nonlocal longest
        while not ended.is_set():
            began = time.process_time()
            time.sleep(PAUSE)
            longest = max(longest, time.process_time() - began)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        work()
    finally:
        ended.set()
        watching.join()
    return longest
