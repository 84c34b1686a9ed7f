"""What a server said, and whoever gets it from there; without the library that does, which is slow to import."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from bridge.web.guard import Passage


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said.

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
        """The values of a header, joined with commas; empty without it."""
        return ", ".join(value for key, value in self.headers if key == name)


class Exchanger(Protocol):
    """Makes single requests: `transport.Transport`."""

    async def exchange(
        self, passage: Passage, method: str, headers: Mapping[str, str], body: bytes, *, most: int, seconds: float
    ) -> Answer:
        """One request and its answer; see `transport.Transport.exchange`."""
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
        """The same as of what is made."""
        if self._made is None:
            self._made = await asyncio.to_thread(self._make)
        return await self._made.exchange(passage, method, headers, body, most=most, seconds=seconds)
