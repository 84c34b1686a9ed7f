"""The questions that wait for an answer, in the order they came, and how each of them ended."""

import asyncio
from dataclasses import dataclass, field

from bridge.contract.consent import ConsentRequest


@dataclass(frozen=True, slots=True)
class Ending:
    """How a question ended that was not answered here.

    Attributes:
        how: The decision, or the outcome when nobody decided; None when the bridge went away.
        by: Who answered, as it calls itself.
    """

    how: str | None
    by: str | None = None


@dataclass(slots=True)
class _Waiting:
    request: ConsentRequest
    ended: asyncio.Future[Ending] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Questions:
    """What is still open, as far as this screen was told."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}
        self._arrived = asyncio.Event()

    def add(self, request: ConsentRequest) -> None:
        """A question was asked, or sent again; the second time changes nothing."""
        if request.request_id not in self._waiting:
            self._waiting[request.request_id] = _Waiting(request)
            self._arrived.set()

    def end(self, request_id: str, ending: Ending) -> None:
        """A question ended, here or elsewhere."""
        waiting = self._waiting.pop(request_id, None)
        if waiting is not None and not waiting.ended.done():
            waiting.ended.set_result(ending)

    def end_all(self) -> None:
        """The bridge went away: nothing that it asked can be answered any more."""
        for request_id in list(self._waiting):
            self.end(request_id, Ending(None))

    async def next(self) -> ConsentRequest:
        """The oldest open question, as soon as there is one."""
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return next(iter(self._waiting.values())).request

    async def ended(self, request_id: str) -> Ending:
        """Returns when that question has ended; at once when it is not open."""
        waiting = self._waiting.get(request_id)
        return Ending(None) if waiting is None else await asyncio.shield(waiting.ended)

    def others(self, request_id: str) -> int:
        """How many wait besides that one."""
        return len(self._waiting) - (request_id in self._waiting)
