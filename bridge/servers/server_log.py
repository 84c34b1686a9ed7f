"""The error output of a server, bounded."""

from collections import deque
from typing import Final

_LOG_LINES: Final = 200
_LOG_LINE: Final = 500


class ServerLog:
    """The last lines that a server wrote to its error output; the user may look at them, agents may not."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_LOG_LINES)

    def add(self, line: str) -> None:
        """Keep a line."""
        self._lines.append(line.rstrip("\r\n")[:_LOG_LINE])

    @property
    def lines(self) -> tuple[str, ...]:
        """Return all that are kept, oldest first."""
        return tuple(self._lines)
