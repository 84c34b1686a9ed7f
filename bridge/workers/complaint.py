"""The standard error of a worker process: some of it is kept, to tell why the process ended."""

import os
import sys
import threading
from pathlib import Path
from typing import IO, Final

from bridge.workers.frames import ANSWERED

MOST_KEPT: Final = 8 * 1024
"""Bytes that are kept, from the beginning: the line that says why comes first (`pool.py`)."""
LONGEST: Final = 300
"""Characters of a line that are shown."""
_PATIENCE: Final = 1.0
"""Seconds to wait for the last of what a process wrote that has ended."""
_CHUNK: Final = 4096


class Complaint:
    """The beginning of a process's standard error since its last answer.

    A thread takes all of it, so the process never blocks.

    Args:
        stream: Its standard error; closed when the process has ended.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._listen, daemon=True, name="standard error of a worker")
        self._thread.start()

    def first_line(self) -> str:
        """Return the first line that a process wrote which has ended; empty where it wrote nothing."""
        self._thread.join(_PATIENCE)
        return first_line(bytes(self._kept).decode(errors="replace"))

    def _listen(self) -> None:
        with self._stream as stream:
            while data := os.read(stream.fileno(), _CHUNK):
                _, answered, data = data.rpartition(ANSWERED)
                if answered:
                    self._kept.clear()
                self._kept += data[: max(MOST_KEPT - len(self._kept), 0)]


def first_line(text: str) -> str:
    """Return the first line of a process's output, as it may be shown: cut, and without places on this computer."""
    lines = filter(None, map(str.strip, without_places(text).splitlines()))
    return next(lines, "")[:LONGEST].rstrip(".")


def without_places(text: str) -> str:
    """Return the text without the folders in which this Python, its packages and the user's own files lie."""
    home = os.path.expanduser("~")  # noqa: PTH111 - where there is none, it fails with nothing
    folders = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]), home}
    for folder in sorted(folders, key=len, reverse=True):
        if len(Path(folder).parts) > 1:
            text = text.replace(folder, "…")
    return text
