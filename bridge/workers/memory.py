"""Bounds of a worker process's own memory: hostile input shall exhaust the process, not the machine."""

import os
import sys
import threading
from typing import Final

_LOOK_SECONDS: Final = 0.02
EXHAUSTED: Final = 3
"""The exit status of a process that took too much."""


def limit_address_space(size: int) -> None:
    """Let the system refuse more than so many bytes, where it can be asked to see to it."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = size if hard == resource.RLIM_INFINITY else min(size, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ValueError, OSError):
        return  # macOS has the name of the limit, not the limit


def watch_resident_memory(size: int) -> None:
    """End the process when it holds more than so many bytes, on every system.

    Args:
        size: Bytes of resident memory.
    """
    import psutil  # noqa: PLC0415 - workers that need no more than the system's limit start without it

    process, waiting = psutil.Process(), threading.Event()

    def watch() -> None:
        while not waiting.wait(_LOOK_SECONDS):
            if process.memory_info().rss > size:
                os._exit(EXHAUSTED)

    threading.Thread(target=watch, daemon=True, name="memory").start()
