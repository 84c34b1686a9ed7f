"""Requests from the bridge to a host, over the host's own connection, and the answers that come back."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.rpc import replies
from bridge.rpc.frames import Id, Response


class Outgoing:
    """The questions one host has not answered yet.

    Args:
        post: Sends a message to the host.
    """

    def __init__(self, post: Callable[[bytes], None]) -> None:
        self._post = post
        self._open: dict[Id, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)

    async def request(self, method: str, params: dict[str, Any], within: float) -> Any:
        """Ask the host.

        Args:
            method: What.
            params: With what.
            within: Seconds to wait.

        Raises:
            DeadlineExceeded: It did not answer in time.
            ExecutionFailed: It answered with an error, or went away.
        """
        number = f"bridge-{next(self._numbers)}"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        try:
            self._post(replies.request(number, method, params))
            async with asyncio.timeout(within):
                return await answer
        except TimeoutError:
            raise DeadlineExceeded(f"The host did not answer {method!r} within {within:g} s; try again") from None
        finally:
            del self._open[number]

    def settle(self, response: Response) -> None:
        """Hand an answer to whoever waits for it; an answer nobody waits for is dropped."""
        waiting = self._open.get(response.id)
        if waiting is None or waiting.done():
            return
        if response.error is None:
            waiting.set_result(response.result)
        else:
            waiting.set_exception(ExecutionFailed("The host could not do it; look at the host's own messages"))

    def close(self) -> None:
        """The host is gone: nobody will answer."""
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(ExecutionFailed("The host went away before it answered; try again"))
