"""From a command to the bridge of its vault: the one that runs, or one of our own for the moment."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final, Literal, TypeVar

from bridge.cli.embedded import embedded_bridge
from bridge.client import Bridge, BridgeNotRunning, ConnectionLost, connect, find_vault
from bridge.errors import AlreadyServed

NAME: Final = "Command line"
"""What the commands call themselves in the log and in the history."""
TRIES: Final = 3
PATIENCE_SECONDS: Final = 5.0
"""How long another process that has the vault may take to say where it is, or to let it go."""
PAUSE_SECONDS: Final = 0.05

T = TypeVar("T")


def look(vault: Path | None, work: Callable[[Bridge], Awaitable[T]]) -> T:
    """Ask the bridge of a vault something, whether one runs or not, and return what comes of it.

    The bridge may be another command's own, which ends with that command: then it is asked again. So `work` must be
    something that can be done twice.

    Args:
        vault: The vault's folder, where it was named.
        work: What to ask.
    """
    return asyncio.run(_look(find_vault(vault), work))


def act(vault: Path | None, work: Callable[[Bridge], Awaitable[T]]) -> T:
    """The same for what must not be done twice."""
    return asyncio.run(_once(find_vault(vault), work))


@contextlib.asynccontextmanager
async def bridge_for(
    vault: Path, *, role: Literal["agent", "host"] = "host", name: str = NAME
) -> AsyncIterator[Bridge]:
    """A connection to the bridge of a vault; when none runs, to one that lives as long as this context.

    A command of the person is a host, but no consent screen.

    Raises:
        StartError: None runs, and none can be started.
    """
    async with contextlib.AsyncExitStack() as stack:
        yield await _connection(vault, stack, role, name)


async def _look(vault: Path, work: Callable[[Bridge], Awaitable[T]]) -> T:
    for _ in range(TRIES - 1):
        with contextlib.suppress(ConnectionLost):
            return await _once(vault, work)
    return await _once(vault, work)


async def _once(vault: Path, work: Callable[[Bridge], Awaitable[T]]) -> T:
    async with bridge_for(vault) as bridge:
        return await work(bridge)


async def _connection(
    vault: Path, stack: contextlib.AsyncExitStack, role: Literal["agent", "host"], name: str
) -> Bridge:
    """Connect; where nobody serves the vault, serve it. Others may begin and end to do so at the same moment."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return await stack.enter_async_context(connect(vault, name=name, role=role))
        except BridgeNotRunning:
            pass
        try:
            await _serve(vault, stack)
        except AlreadyServed:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(PAUSE_SECONDS)


async def _serve(vault: Path, stack: contextlib.AsyncExitStack) -> None:
    own = embedded_bridge(vault, brief=True)
    await own.start()
    stack.push_async_callback(own.stop)
