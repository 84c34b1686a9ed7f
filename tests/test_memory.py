"""What a process that serves has let go of goes back, and one that does nothing is left in peace."""

import asyncio
import contextlib
import gc
import mmap
import sys
import weakref
from types import SimpleNamespace
from typing import Any

import pytest

from bridge import memory
from bridge.app import tune_process
from bridge.mapped_files import will_be_read_again
from tests.patience import PATIENCE


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
            async with asyncio.timeout(PATIENCE):
                while left() is not None:  # noqa: ASYNC110 - it does not rest, so this takes many looks
                    await asyncio.sleep(0)
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


class Mapped(mmap.mmap):
    """A file that is mapped, and how often its pages were given back."""

    given_back = 0

    def madvise(self, *_advice: int) -> None:
        """Count it."""
        self.given_back += 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot be told this")
async def test_the_pages_of_mapped_files_go_when_the_process_rests_and_not_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file: Any = will_be_read_again(Mapped(-1, 1))
    spent = 0.0
    looks: list[None] = []

    def process_time() -> float:
        looks.append(None)
        return spent

    monkeypatch.setattr(memory, "LOOK_SECONDS", 0)
    monkeypatch.setattr(memory, "_c_library", lambda: None)
    monkeypatch.setattr(memory, "time", SimpleNamespace(process_time=process_time))
    giving = asyncio.create_task(memory.give_memory_back())

    async def look(seen: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while len(looks) < seen:  # noqa: ASYNC110 - it is the looks that are counted
                await asyncio.sleep(0)

    await look(3)
    assert file.given_back == 0, "it has done nothing yet"
    for work in (1, 2):
        spent, before = float(work), len(looks)
        await look(before + 2)
        assert file.given_back == work - 1, "it works"
        await look(before + 6)
        assert file.given_back == work
    giving.cancel()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot be told this")
async def test_a_thread_that_only_waits_does_not_keep_the_process_from_resting(monkeypatch: pytest.MonkeyPatch) -> None:
    file: Any = will_be_read_again(Mapped(-1, 1))
    waited, worked = 0.0, 1.0

    def process_time() -> float:
        nonlocal waited
        waited += 1
        memory.note_waiting()
        return waited + worked

    monkeypatch.setattr(memory, "LOOK_SECONDS", 0)
    monkeypatch.setattr(memory, "MOST_LOOKS", float("inf"))
    monkeypatch.setattr(memory, "_waited", {})
    monkeypatch.setattr(memory, "_c_library", lambda: None)
    clock = SimpleNamespace(process_time=process_time, thread_time=lambda: waited)
    monkeypatch.setattr(memory, "time", clock)
    giving = asyncio.create_task(memory.give_memory_back())
    async with asyncio.timeout(PATIENCE):
        while not file.given_back:  # noqa: ASYNC110 - it is looked at again and again
            await asyncio.sleep(0)
    giving.cancel()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot be told this")
async def test_a_little_work_now_and_then_gives_back_what_it_left_once_it_adds_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file: Any = will_be_read_again(Mapped(-1, 1))
    spent, looks = 0.0, 0

    def process_time() -> float:
        nonlocal spent, looks
        looks += 1
        spent += 0.1 * (looks % 4 == 1)  # every second look: there are two readings in one
        return spent

    monkeypatch.setattr(memory, "LOOK_SECONDS", 0)
    monkeypatch.setattr(memory, "_waited", {})
    monkeypatch.setattr(memory, "_c_library", lambda: None)
    monkeypatch.setattr(memory, "time", SimpleNamespace(process_time=process_time))
    giving = asyncio.create_task(memory.give_memory_back())
    async with asyncio.timeout(PATIENCE):
        while not file.given_back:  # noqa: ASYNC110 - the same
            await asyncio.sleep(0)
    giving.cancel()
    assert spent >= memory.MUCH_SECONDS


def test_no_work_has_all_that_lives_looked_through_for_garbage() -> None:
    full: list[int] = []

    def note(_phase: str, collection: dict[str, int]) -> None:
        if collection["generation"] == 2:
            full.append(1)

    thresholds, switching = gc.get_threshold(), sys.getswitchinterval()
    tune_process()
    gc.callbacks.append(note)
    try:
        kept: list[list[None]] = [[] for _ in range(1_000_000)]
        assert len(kept) == 1_000_000
        assert not full
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(switching)
        gc.unfreeze()
