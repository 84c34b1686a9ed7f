"""Streams of the SDK's messages: to a server that is a program, by lines, and to one that is an address, over HTTP.

The SDK's own client of programs reads lines of any length, and lets the program write to our console; here are bounds.
Over HTTP, its transport uses connections that the door's guard has checked. The person entered the address, so exactly
its scheme, host and port are reached, in a private network too, and nothing else: not by a redirect, and not by a name
that leads elsewhere the next time.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

import anyio
import httpcore2
import httpx2
import mcp_types as types
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from bridge.json_values import LARGE, ValueCount, holds_more
from bridge.sandbox.sandbox import RunningProgram
from bridge.servers.connection import ServerLog
from bridge.web.guard import Clearance, Service
from bridge.web.transport import ByteBudget, Transport
from bridge.web.url import WebUrl, parse_url

LONGEST_LINE: Final = 4 << 20
"""Bytes of one message, as the SDK bounds them over HTTP."""
MOST_VALUES: Final = 200_000
"""JSON values in one message, nested ones included."""
_CHUNK: Final = 64 << 10


@asynccontextmanager
async def piped(process: RunningProgram, log: ServerLog) -> AsyncIterator[TransportStreams]:
    """Exchange messages with a program, a line each, until the end of the block; then it is gone.

    Args:
        process: The program.
        log: Where its error output goes.
    """
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


MOST_BYTES: Final = 16 << 20
"""Bytes of one answer; of a stream, of all that is in it."""
SECONDS: Final = 60.0
"""The time for which a connection may be silent."""

Pass = Callable[[WebUrl, Service], Clearance]
"""A check that a URL may be reached; raises where it may not."""


@asynccontextmanager
async def addressed(
    name: str, url: str, headers: Mapping[str, str], transport: Transport, allow: Pass
) -> AsyncIterator[TransportStreams]:
    """Exchange messages with a server over HTTP until the end of the block.

    Args:
        name: The server's name.
        url: Its address.
        headers: What is sent with each request.
        transport: Makes connections.
        allow: The guard.

    Raises:
        InvalidParameters: The address is none.
    """
    checked = _CheckedTransport(Service.of(name, url), transport, allow)
    timeout = httpx2.Timeout(SECONDS)
    async with (
        httpx2.AsyncClient(
            transport=checked, headers={**headers, "Accept-Encoding": "identity"}, timeout=timeout, trust_env=False
        ) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


class _CheckedTransport(httpx2.AsyncBaseTransport):
    """The transport that sends each request over its own connection, to an address checked for it."""

    def __init__(self, service: Service, transport: Transport, allow: Pass) -> None:
        self._service = service
        self._transport = transport
        self._allow = allow

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        passage = self._allow(parse_url(str(request.url)), self._service)
        connection = await self._transport.connection(passage, ByteBudget(MOST_BYTES))
        try:
            answer = await connection.handle_async_request(
                httpcore2.Request(
                    request.method,
                    httpcore2.URL(
                        scheme=passage.url.scheme,
                        host=passage.url.host,
                        port=passage.url.port,
                        target=passage.url.target,
                    ),
                    headers=request.headers.raw,
                    content=request.stream if isinstance(request.stream, httpx2.AsyncByteStream) else None,
                    extensions={"timeout": request.extensions.get("timeout", {})},
                )
            )
        except BaseException:
            await connection.aclose()
            raise
        body = _Body(answer, connection)
        kept = [(name, value) for name, value in answer.headers if name.lower() != b"set-cookie"]
        response = httpx2.Response(answer.status, headers=kept, stream=body)
        if not _is_plain(response):
            await body.aclose()
            raise httpx2.ReadError("The server compressed its answer, or wrote it in another encoding than UTF-8")
        # As the SDK tells them apart: what does not say that it is JSON is read as a stream.
        is_json = response.headers.get("content-type", "").lower().startswith("application/json")
        body.messages = Messages(MOST_VALUES, stream=not is_json)
        return response


def _is_plain(response: httpx2.Response) -> bool:
    """Return whether the bytes of an answer are its text, so that what is counted is what will be parsed."""
    packed = response.headers.get("content-encoding", "identity").lower() != "identity"
    return not packed and (response.charset_encoding or "utf-8").lower() in {"utf-8", "utf8", "us-ascii"}


class Messages:
    """The count of the values in each message of an answer.

    Args:
        most: How many one message may hold.
        stream: Whether the answer is a stream of events, each of which ends with an empty line; else it is one message.
    """

    def __init__(self, most: int, *, stream: bool) -> None:
        self._count = ValueCount(most)
        self._stream = stream
        self._after_return = False
        self._is_empty = True
        """Set while the line that has begun is still empty."""

    def exceed(self, piece: bytes) -> bool:
        """Return whether a message holds too many values, with what `piece` adds."""
        if not self._stream:
            return self._count.exceeds(piece)
        if self._after_return:
            piece = piece.removeprefix(b"\n")  # the other half of a line's end
        self._after_return = piece.endswith(b"\r")
        for number, line in enumerate(piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")):
            if number:
                if self._is_empty:
                    self._count.begin()
                self._count.end_string()
                self._is_empty = True
            if self._count.exceeds(line):
                return True
            self._is_empty = self._is_empty and not line
        return False


class _Body(httpx2.AsyncByteStream):
    """An answer as it comes; its connection ends with it.

    Attributes:
        messages: Counts what is in it.
    """

    messages: Messages

    def __init__(self, answer: httpcore2.Response, connection: httpcore2.AsyncHTTPConnection) -> None:
        self._answer = answer
        self._connection = connection

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._answer.aiter_stream():
            if self.messages.exceed(piece):
                raise httpx2.ReadError(f"The server sent a message of more than {MOST_VALUES:,} values")
            yield piece

    async def aclose(self) -> None:
        try:
            await self._answer.aclose()
        finally:
            await self._connection.aclose()
