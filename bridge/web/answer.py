"""A server's answer, and the interface that fetches it; without the library for that, which is slow to import."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple, Protocol

from bridge.web.guard import Passage


class Answer(NamedTuple):
    """A server's answer.

    Attributes:
        status: The status.
        headers: The headers, in order, with their names in lower case.
        wire: The body as it came.
        received: Bytes that came in altogether.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    wire: bytes
    received: int

    def header(self, name: str) -> str:
        """Return the values of a header, joined with commas; empty without it."""
        return ", ".join(value for key, value in self.headers if key == name)


class StreamLimits(NamedTuple):
    """The limits on an answer that is received piece by piece.

    Attributes:
        most: Bytes that may come in altogether.
        silence: Seconds in which nothing comes, at most; the first byte may take as long.
        seconds: The most time for everything together.
    """

    most: int
    silence: float
    seconds: float


class Stream(Protocol):
    """An answer that is still coming. Its connection is closed by the block that opened it.

    Attributes:
        status: The status.
        headers: The headers, in order, with their names in lower case.
    """

    status: int
    headers: tuple[tuple[str, str], ...]

    @property
    def received(self) -> int:
        """Return the bytes that have come in so far."""
        ...

    def pieces(self) -> AsyncIterator[bytes]:
        """Return the body as it comes.

        Raises:
            NetworkFailure: It broke off, or is too large.
            DeadlineExceeded: Nothing came for too long.
        """
        ...


class Exchanger(Protocol):
    """The interface that makes single requests: `transport.Transport`."""

    def stream(
        self, passage: Passage, method: str, headers: Mapping[str, str], body: bytes, limits: StreamLimits
    ) -> AbstractAsyncContextManager[Stream]:
        """Make one request whose answer is taken as it comes; see `transport.Transport.stream`."""
        ...

    async def exchange(
        self, passage: Passage, method: str, headers: Mapping[str, str], body: bytes, *, most: int, seconds: float
    ) -> Answer:
        """Make one request, and return its answer; see `transport.Transport.exchange`."""
        ...


class LateExchanger:
    """One that is made when the first request is.

    Args:
        make: Makes it; called once, in a thread.
    """

    def __init__(self, make: Callable[[], Exchanger]) -> None:
        self._make = make
        self._made: Exchanger | None = None

    async def exchange(
        self, passage: Passage, method: str, headers: Mapping[str, str], body: bytes, *, most: int, seconds: float
    ) -> Answer:
        """Return the same as what is made."""
        made = await self._transport()
        return await made.exchange(passage, method, headers, body, most=most, seconds=seconds)

    @asynccontextmanager
    async def stream(
        self, passage: Passage, method: str, headers: Mapping[str, str], body: bytes, limits: StreamLimits
    ) -> AsyncIterator[Stream]:
        """Yield the same as what is made."""
        made = await self._transport()
        async with made.stream(passage, method, headers, body, limits) as answer:
            yield answer

    async def _transport(self) -> Exchanger:
        if self._made is None:
            self._made = await asyncio.to_thread(self._make)
        return self._made
