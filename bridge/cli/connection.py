"""From a command to the bridge of its vault: the one that runs, or one of our own for the moment."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import bridge.cli.unencrypted  # noqa: F401 - before the client imports aiohttp
from bridge.client import BridgeNotRunning, Connection, ConnectionLost, ProtocolFailure, connect
from bridge.errors import AlreadyServed, BridgeError
from bridge.leaving_out import without_collection

if TYPE_CHECKING:
    from bridge.app import Bridge

NAME: Final = "Command line"
"""The name of the commands in the log and in the history."""
TRIES: Final = 3
PATIENCE_SECONDS: Final = 15.0
"""The time another process that has the vault may take to say where it is, or to release it."""
PAUSE_SECONDS: Final = 0.05

T = TypeVar("T")


def went_away(error: BridgeError) -> bool:
    """Return whether a request failed because the bridge ended: another one can be asked."""
    from bridge.rpc.frames import STOPPED  # noqa: PLC0415 - its patterns take megabytes of every process that waits

    return isinstance(error, ConnectionLost) or (isinstance(error, ProtocolFailure) and error.code == STOPPED)


def embedded_bridge(
    vault: Path, *, port: int = 0, consent: Literal["ask", "deny"] = "ask", brief: bool = False
) -> "Bridge":
    """Return a bridge in this process, not yet started; a brief one lives only as long as a command."""
    with without_collection():
        from bridge.app import Bridge  # noqa: PLC0415 - mostly a bridge runs, and a command starts fast without
    return Bridge(vault, port=port, consent=consent, brief=brief)


@contextlib.asynccontextmanager
async def as_person(vault: Path, client: str | None = None) -> AsyncIterator[Connection]:
    """Provide a connection as the person's own program, to the bridge that runs or to one of our own.

    Args:
        vault: The vault's folder.
        client: The client as which to connect instead.
    """
    async with contextlib.AsyncExitStack() as stack:
        yield await _connection(vault, stack, client)


async def run_with(vault: Path, work: Callable[[Connection], Awaitable[T]], client: str | None = None) -> T:
    """Return what `work` returns, which is given such a connection."""
    async with as_person(vault, client) as bridge:
        return await work(bridge)


async def tool_arguments(
    bridge: Connection, tool: str, words: Sequence[str] | None, whole: str | None = None
) -> dict[str, Any]:
    """Return the arguments that `key=value` words make for a tool, by its parameters.

    Args:
        bridge: Knows the parameters.
        tool: The tool's name. One that is not listed takes anything: the bridge says why it cannot be called.
        words: `key=value` words.
        whole: All arguments as one JSON object, `@file` or `-`.

    Raises:
        BadArguments: The words do not make arguments.
    """
    from bridge.cli.arguments import parse_arguments  # noqa: PLC0415 - what it shows with takes 2 MB of an MCP process

    listed = await bridge.request("tools.list")
    schema = next((described["parameters"] for described in listed if described["name"] == tool), None)
    return parse_arguments(words or [], schema, whole)


async def _connection(vault: Path, stack: contextlib.AsyncExitStack, client: str | None) -> Connection:
    """Connect; where nobody serves the vault, serve it. Others may begin and end to do so at the same moment.

    A command of the person is a host, but no consent screen.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        with contextlib.suppress(BridgeNotRunning):
            role: Literal["agent", "host"] = "agent" if client else "host"
            return await stack.enter_async_context(connect(vault, name=NAME, role=role, client=client))
        try:
            own = embedded_bridge(vault, brief=True)
            await own.start()
            stack.push_async_callback(own.stop)
        except AlreadyServed as error:
            if time.monotonic() > deadline:
                hint = "It does not answer yet. Try again in a moment; if it stays so, stop that process."
                raise AlreadyServed(error.message, hint=hint) from None
            await asyncio.sleep(PAUSE_SECONDS)
