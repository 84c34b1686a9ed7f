"""Turns of the event loop that clients' calls share: whoever else is served waits for one step of them, not for all."""

import asyncio
import types
from collections import deque
from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class FairTurns:
    """The turns. In each turn of the loop at most one call goes on to where it waits next; clients follow one another.

    Two hundred calls whose files were read at the same moment would otherwise all go on in the next turn, and what the
    person asks meanwhile would wait for two hundred steps.
    """

    def __init__(self) -> None:
        self._taken = False
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @types.coroutine
    def run(self, who: str, work: Coroutine[Any, Any, T]) -> Generator[Any, None, T]:
        """Run a coroutine to its end, a step in each turn that it gets.

        Args:
            who: Identifies the client.
            work: What to run, in the task that awaits this.

        Returns:
            The result.
        """
        go_on = partial(work.send, None)
        try:
            while True:
                try:
                    yield from self.turn(who)
                except asyncio.CancelledError as cancelled:  # many are, when a client leaves: that takes turns too
                    go_on = partial(work.throw, cancelled)
                    continue
                try:
                    waits_for = go_on()
                except StopIteration as ended:
                    result: T = ended.value
                    return result
                try:
                    yield waits_for
                except GeneratorExit:
                    raise
                except BaseException as failure:  # noqa: BLE001 - what it waited for has failed, which is its affair
                    go_on = partial(work.throw, failure)
                else:
                    go_on = partial(work.send, None)
        finally:
            work.close()
            del go_on  # a failure that is thrown into the work holds this frame, and would be held by it

    @types.coroutine
    def turn(self, who: str) -> Generator[Any, None, None]:
        """Wait until it is a client's turn.

        Args:
            who: Identifies the client.
        """
        loop = asyncio.get_running_loop()
        if not self._taken:
            self._taken = True
            loop.call_soon(self._next)
            return
        mine = loop.create_future()
        self._waiting.setdefault(who, deque()).append(mine)
        yield from mine

    def _next(self) -> None:
        """Give the next turn to whose client has waited longest; those who were cancelled want none any more."""
        while self._waiting:
            who, mine = next(iter(self._waiting.items()))
            turn = mine.popleft()
            del self._waiting[who]
            if mine:
                self._waiting[who] = mine
            if not turn.done():
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._taken = False
