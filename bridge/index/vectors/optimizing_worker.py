"""The worker process that turns a model's file into one that can be mapped: it takes much memory, for a second.

A request names the `model`, and where `to` write what was made of it; the answer is empty. The process ends when its
standard input does, or when it takes more memory than it may.
"""

import signal
import sys
from pathlib import Path
from typing import Final

from bridge.workers.frames import read_frame, write_frame
from bridge.workers.memory import watch_resident_memory

RESIDENT: Final = 1024 * 1024 * 1024
"""Bytes that the process may take; it takes about 250 MB."""


def main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the bridge, which then closes our input
    watch_resident_memory(RESIDENT)
    from bridge.index.vectors.opening_model import open_session  # noqa: PLC0415 - after the watch

    while (request := read_frame(sys.stdin.buffer)) is not None:
        header, _data = request
        open_session(Path(header["model"]), optimized=Path(header["to"]))
        write_frame(sys.stdout.buffer, {}, b"")


if __name__ == "__main__":
    main()
