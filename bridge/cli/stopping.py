"""Requests to stop a command: signals, and the end of the program that started it. It may clean up first."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final

TERMINATION: Final = ("SIGTERM", "SIGHUP", "SIGBREAK")
"""The signals that ask a process to end, besides Ctrl-C. SIGBREAK is Windows' Ctrl-Break."""
PARENT: Final = "VAULT_BRIDGE_PARENT_PID"
"""Set by a program that starts the bridge and holds its standard input open for as long as it lives."""


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
def when_parent_ends(stop: Callable[[], object]) -> Iterator[None]:
    """Have `stop` called on the running loop when the program that started us closes our standard input, or dies.

    Does nothing when nobody started us so: a terminal or `</dev/null` says nothing about who is there.
    """
    if not os.environ.get(PARENT):
        yield
        return
    loop, over = asyncio.get_running_loop(), threading.Event()

    def wait() -> None:
        with contextlib.suppress(OSError, ValueError):  # closed under us: it is gone as well
            while sys.stdin.buffer.read(1):
                pass
        if not over.is_set():
            with contextlib.suppress(RuntimeError):  # the loop has ended by itself
                loop.call_soon_threadsafe(stop)

    threading.Thread(target=wait, name="parent", daemon=True).start()  # it may wait for ever
    try:
        yield
    finally:
        over.set()
