"""A bridge that another program started ends with it, also when that program was killed: no process is left behind."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator

PARENT = "VAULT_BRIDGE_PARENT_PID"
"""Set by a program that starts the bridge and holds its standard input open for as long as it lives."""


@contextlib.contextmanager
def when_parent_ends(stop: Callable[[], None]) -> Iterator[None]:
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
