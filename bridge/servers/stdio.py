"""A server that is a program: its lines as the SDK's messages, with bounds of ours.

The SDK's own client reads lines of any length, and lets the program write to our console.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, Protocol

import anyio
import mcp_types as types
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from bridge.json_values import LARGE, holds_more
from bridge.servers.server_log import ServerLog

LONGEST_LINE: Final = 4 << 20
"""Bytes of one message, as the SDK bounds them over HTTP."""
MOST_VALUES: Final = 200_000
"""JSON values in one message, nested ones included."""
_CHUNK: Final = 64 << 10


class Talking(Protocol):
    """A program that was started, and that reads what it is told."""

    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    async def write(self, data: bytes) -> None:
        """Tell it something. Raises OSError when it reads no more."""
        ...

    def end(self) -> None:
        """End it, with all that it has started; it hears the end of its input first."""
        ...

    async def ended(self) -> object:
        """Return once it and all that it started have ended."""
        ...


Start = Callable[[], Awaitable[Talking]]


@asynccontextmanager
async def piped(start: Start, log: ServerLog) -> AsyncIterator[TransportStreams]:
    """Start a program, and exchange messages with it, a line each, until the end of the block; then it is gone.

    Args:
        start: Starts it.
        log: Where its error output goes.

    Raises:
        OSError: It cannot be started.
    """
    process = await start()
    to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
            async with to_session:
                async for line in _lines(process.stdout, log):
                    if line.strip():
                        await to_session.send(await _message(line, log))
        process.end()
        while await process.stdout.read(_CHUNK):
            pass  # what nobody listens to any more: unread, it would keep the program from ending

    async def write() -> None:
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            async with from_session:
                async for each in from_session:
                    data = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.write(data.encode() + b"\n")
        to_session.close()

    async def keep_log() -> None:
        async for line in _cut_lines(process.stderr):
            log.add(line.decode(errors="replace"))

    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(each) for each in (read(), write(), keep_log())]
        try:
            yield incoming, outgoing
        finally:
            incoming.close()
            outgoing.close()
            process.end()
            await asyncio.shield(process.ended())
            for task in running:
                task.cancel()


async def _lines(stream: asyncio.StreamReader, log: ServerLog) -> AsyncIterator[bytes]:
    """Yield its lines. One beyond all bounds is the end of them: nobody can tell what follows it."""
    held = bytearray()
    while data := await stream.read(_CHUNK):
        start = len(held)
        held += data
        while (end := held.find(b"\n", start)) >= 0:
            line = bytes(held[:end])
            if len(line) > LARGE and await asyncio.to_thread(holds_more, line, MOST_VALUES):
                log.add(f"[Vault Bridge] it sent a message of more than {MOST_VALUES:,} values, and was ended")
                return
            yield line
            del held[: end + 1]
            start = 0
        if len(held) > LONGEST_LINE:
            log.add(f"[Vault Bridge] it sent a message of more than {LONGEST_LINE:,} bytes, and was ended")
            return


async def _cut_lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield the lines of its error output; what is too long for one is cut."""
    held = b""
    while data := await stream.read(_CHUNK):
        *lines, held = (held + data).split(b"\n")
        for line in lines:
            yield line
        held = held[:_CHUNK]
    if held:
        yield held


async def _message(line: bytes, log: ServerLog) -> SessionMessage | Exception:
    """Return a line as a message; large ones are read in a thread."""
    try:
        if len(line) > LARGE:
            return SessionMessage(await asyncio.to_thread(types.jsonrpc_message_adapter.validate_json, line))
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        log.add(f"[Vault Bridge] it wrote a line that is no message: {line[:200].decode(errors='replace')}")
        return error
