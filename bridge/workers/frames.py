"""A worker process from inside: the frames between it and the bridge, its own memory and its priority.

A frame is four bytes with a length, a JSON object, and bytes. The bounds of memory are there because hostile input
should exhaust the process, not the machine; the priority, because what a person does goes first.
"""

import contextlib
import json
import os
import struct
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, Final

LENGTH = struct.Struct(">I")
ANSWERED = b"\0"
"""The mark on a worker's standard error before each answer: text before it is not why the worker ends."""
_LOOK_SECONDS: Final = 0.02
EXHAUSTED: Final = 3
"""The exit status of a process that took too much."""
LAST: Final = 19
"""For work that nobody waits for."""
LATER: Final = 10
"""For work that somebody may wait for, and that strangers can ask for in any amount."""


def read_frame(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Return the next frame, or None at the end."""
    length = stream.read(LENGTH.size)
    if len(length) < LENGTH.size:
        return None
    header: dict[str, Any] = json.loads(stream.read(LENGTH.unpack(length)[0]))
    return header, stream.read(header.get("size", 0))


def write_frame(stream: IO[bytes], header: dict[str, Any], text: bytes = b"") -> None:
    """Send a frame.

    Args:
        stream: Where.
        header: The JSON object; it gets `size`, the length of the text.
        text: The bytes.
    """
    encoded = json.dumps(header | {"size": len(text)}, separators=(",", ":")).encode()
    stream.write(LENGTH.pack(len(encoded)) + encoded)
    stream.write(text)
    stream.flush()


def answer_requests(answer: Callable[[dict[str, Any], bytes], tuple[dict[str, Any], bytes]]) -> None:
    """In a worker process: say that it is ready, and answer requests until there are no more.

    Args:
        answer: One request's answer, a JSON object and bytes; it gets the same.
    """
    write_frame(sys.stdout.buffer, {})
    while (request := read_frame(sys.stdin.buffer)) is not None:
        answered = answer(*request)
        sys.stderr.write(ANSWERED.decode())
        sys.stderr.flush()
        write_frame(sys.stdout.buffer, *answered)


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


def step_back(nice: int) -> None:
    """Let other processes go first.

    Args:
        nice: `LATER` or `LAST`; on Windows these are the priorities below the normal one and for idle times.
    """
    import psutil  # noqa: PLC0415 - in a worker process alone

    with contextlib.suppress(psutil.Error, OSError):
        if os.name == "nt":
            nice = psutil.IDLE_PRIORITY_CLASS if nice == LAST else psutil.BELOW_NORMAL_PRIORITY_CLASS
        psutil.Process().nice(nice)
