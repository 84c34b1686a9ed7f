"""What a process that serves has let go of goes back, and one that does nothing is left in peace."""

import asyncio
import contextlib
import gc
import weakref
from typing import Any

import pytest

from bridge import memory


class Knot:
    """Something that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


async def tidied(monkeypatch: pytest.MonkeyPatch, worked: float) -> Any:
    """What is left of garbage when some looks have passed."""
    monkeypatch.setattr(memory, "LOOK_SECONDS", 0)
    monkeypatch.setattr(memory, "WORKED_SECONDS", worked)
    trimmed = asyncio.Event()
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(memory, "_trim", lambda: loop.call_soon_threadsafe(trimmed.set))
    gc.disable()
    try:
        left = weakref.ref(Knot())
        giving = asyncio.create_task(memory.give_memory_back())
        for _ in range(20):
            await asyncio.sleep(0)
        if worked == 0:
            await trimmed.wait()
        giving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await giving
        return left()
    finally:
        gc.enable()


async def test_after_work_what_refers_to_itself_goes_and_the_heaps_are_trimmed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await tidied(monkeypatch, 0) is None


async def test_a_process_that_has_done_nothing_is_left_in_peace(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await tidied(monkeypatch, float("inf")) is not None


def test_the_heaps_can_be_trimmed_on_this_system() -> None:
    memory._trim()
