"""The number of searches of the web that a client makes before the person is asked once more."""

import threading
from collections import defaultdict, deque
from typing import Final

from bridge.clock import Clock

MOST: Final = 10
WINDOW: Final = 15 * 60.0
"""Seconds."""


class SearchBudget:
    """Ten searches in fifteen minutes; then the person is asked, and with their yes the counting begins anew.

    Args:
        clock: Time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._made: defaultdict[str, deque[float]] = defaultdict(deque)

    def used_up(self, client: str) -> bool:
        """Return whether a client has made that many, so that the person has to be asked about the next one.

        Args:
            client: As `Caller.subject` names it.
        """
        with self._lock:
            return len(self._recent(client)) >= MOST

    def take(self, client: str, *, asked: bool) -> bool:
        """Count a search that is about to be made.

        Args:
            client: As `Caller.subject` names it.
            asked: Whether the person was asked about exactly this one.

        Returns:
            Whether it may be made; if not, others were made since, and the person has to be asked.
        """
        with self._lock:
            made = self._recent(client)
            if len(made) >= MOST:
                if not asked:
                    return False
                made.clear()
            made.append(self._clock.monotonic())
            return True

    def _recent(self, client: str) -> deque[float]:
        made, since = self._made[client], self._clock.monotonic() - WINDOW
        while made and made[0] <= since:
            made.popleft()
        return made
