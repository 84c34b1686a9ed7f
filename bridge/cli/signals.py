"""Ending well: a signal to stop lets what runs clean up."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Final

TERMINATION: Final = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""What asks a process to end, besides Ctrl-C. SIGBREAK is Windows' Ctrl-Break."""


@contextlib.contextmanager
def on_signals(stop: Callable[[], object], *names: str) -> Iterator[None]:
    """Have `stop` called on the event loop when one of these signals comes, wherever the system has it."""
    loop = asyncio.get_running_loop()
    numbers: list[signal.Signals] = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if sys.platform == "win32":  # where loops take no signal handlers
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
        else:
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            if sys.platform != "win32":
                loop.remove_signal_handler(number)
            signal.signal(number, before[number])


@contextlib.contextmanager
def cancel_on_signals() -> Iterator[None]:
    """Have the running task cancelled when the process is asked to end; asyncio does so for Ctrl-C."""
    task = asyncio.current_task()
    with on_signals(lambda: task and task.cancel(), *TERMINATION):
        yield
