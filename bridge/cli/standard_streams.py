"""The standard streams as a pipe for MCP: one message a line, and nothing else on standard output."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import anyio
import mcp_types as types
import orjson
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one message."""
_PIECE: Final = 64 * 1024


@contextlib.asynccontextmanager
async def open_stdio() -> AsyncIterator[tuple[Any, Any]]:
    """Provide what comes in and what goes out, for `serve_pipe`.

    Until the process ends, whatever else is printed goes to standard error, and what reads standard input finds it
    empty. Threads may go on waiting for a pipe when this ends, so end the process with `os._exit`.
    """
    reading, writing = _take(0, os.open(os.devnull, os.O_RDONLY)), _take(1, os.dup(2))
    sys.stdout = sys.stderr
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    loop = asyncio.get_running_loop()
    answers = outgoing.clone()

    async def take(line: bytes) -> None:
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            await answers.send(SessionMessage(_refusal(line)))
        else:
            await to_server.send(SessionMessage(message))

    def read() -> None:
        with contextlib.suppress(OSError, RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            for line in _lines(reading):
                asyncio.run_coroutine_threadsafe(take(line), loop).result()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(to_server.close)
            loop.call_soon_threadsafe(answers.close)

    async def write() -> None:
        with contextlib.suppress(OSError):  # nobody reads any more; the other pipe will end too
            async for message in to_client:
                data = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await asyncio.to_thread(_write, writing, data.encode() + b"\n")
        to_client.close()
        to_server.close()

    threading.Thread(target=read, name="stdin", daemon=True).start()
    writer = asyncio.create_task(write())
    yield incoming, outgoing
    outgoing.close()
    answers.close()
    await asyncio.wait([writer], timeout=1)


def _take(number: int, instead: int) -> int:
    """Return a standard stream for ourselves alone; its number stands for something else from now on."""
    ours = os.dup(number)
    os.dup2(instead, number)
    os.close(instead)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - exists there alone

        msvcrt.setmode(ours, os.O_BINARY)
    return ours


def _lines(descriptor: int) -> Iterator[bytes]:
    """Yield the lines that come, without the empty ones; of one that is too long, its beginning."""
    rest = b""
    while piece := os.read(descriptor, _PIECE):
        *lines, rest = (rest + piece).split(b"\n") if b"\n" in piece else (rest + piece,)
        yield from (line for line in lines if line.strip())
        rest = rest[: MOST_BYTES + 1]
    if rest.strip():
        yield rest


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _refusal(line: bytes) -> types.JSONRPCError:
    """Return the answer to what is no message, under its id where it has one."""
    known, error = None, types.ErrorData(code=types.INVALID_REQUEST, message="Invalid request")
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        error = types.ErrorData(code=types.PARSE_ERROR, message="Parse error")
    else:
        number = value.get("id") if isinstance(value, dict) else None
        known = number if isinstance(number, str | int) and not isinstance(number, bool) else None
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=error)
