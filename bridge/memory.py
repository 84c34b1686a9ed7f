"""The return of memory to the system, once a process that serves for days no longer needs it.

Python finds garbage that refers to itself only when much else was made, and the C library keeps freed memory for what
comes next: after sixty frames of 15 MB a bridge held 280 MB more than before. What was read of files that are mapped
(texts, models) counts as the process's own for as long as nobody else needs the memory; it goes back when the work that
read it has ended.
"""

import asyncio
import ctypes
import gc
import sys
import threading
import time
from typing import Any, Final

from bridge.mapped_files import give_mapped_back

LOOK_SECONDS: Final = 10.0
"""The interval of checks whether the process has worked."""
WORKED_SECONDS: Final = 0.05
"""Seconds of a processor, between two looks, from which the process has worked."""
MUCH_SECONDS: Final = 0.5
"""Seconds of work from which what was left by it is given back afterwards; to look at every file takes less."""
MOST_LOOKS: Final = 30
"""Looks at which it worked, from which that does not wait for the work to end: five minutes."""
LARGE: Final = 256 * 1024
"""Size in bytes from which a block is allocated from the system directly, and returned as soon as it is freed."""
ARENAS: Final = 2
"""Heaps that threads share: each keeps what it once took."""

_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8


_waited: dict[int, float] = {}
"""Seconds of a processor that threads took to wait, by the thread."""


def note_waiting() -> None:
    """Note that all the calling thread has done so far was to wait for something: that is not the process's work.

    To look for changes every two milliseconds takes a hundredth of a processor, all day.
    """
    _waited[threading.get_ident()] = time.thread_time()


def bound_heaps() -> None:
    """Have the C library keep little of what is freed. Call it before threads are started."""
    library = _c_library()
    for option, value in ((_MMAP_THRESHOLD, LARGE), (_ARENA_MAX, ARENAS)):
        if (choose := getattr(library, "mallopt", None)) is not None:
            choose(option, value)


async def give_memory_back() -> None:
    """Give back what was let go of, until cancelled: free heaps after any work, and the rest when the process rests.

    To look through all that lives for garbage holds up the event loop, and longest while much work is under way. So
    that waits until the process rests, or has worked for minutes; only then do the pages of mapped files go, too.
    """
    before, work, looks = 0.0, 0.0, 0
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        spent = _worked() - before
        works = spent >= WORKED_SECONDS
        if works:
            work, looks = work + spent, looks + 1
        if looks >= MOST_LOOKS or (work >= MUCH_SECONDS and not works):
            work, looks = 0.0, 0
            gc.collect()
            await asyncio.to_thread(give_mapped_back)
            await asyncio.to_thread(_trim)
        elif works:
            await asyncio.to_thread(_trim)
        before = _worked()


def _worked() -> float:
    """Return the seconds of a processor that the process has worked."""
    return time.process_time() - sum(_waited.copy().values())


def _trim() -> None:
    """Give back the pages of all heaps that are free, where the C library can be told to."""
    if (trim := getattr(_c_library(), "malloc_trim", None)) is not None:
        trim(0)


def _c_library() -> Any:
    """Return the C library; None on Windows, whose heaps cannot be told this."""
    return None if sys.platform == "win32" else ctypes.CDLL(None)
