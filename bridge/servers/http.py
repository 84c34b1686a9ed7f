"""A server that is an address: the SDK's HTTP transport over connections that the door's guard has checked.

The person entered the address, so exactly its scheme, host and port are reached, in a private network too, and nothing
else: not by a redirect, and not by a name that leads elsewhere the next time.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

import httpcore2
import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from bridge.json_values import ValueCount
from bridge.servers.stdio import MOST_VALUES
from bridge.web.guard import Passage, Service
from bridge.web.transport import Budget, Transport
from bridge.web.url import WebUrl, parse_url

MOST_BYTES: Final = 16 << 20
"""Bytes of one answer; of a stream, of all that is in it."""
SECONDS: Final = 60.0
"""The time for which a connection may be silent."""

Pass = Callable[[WebUrl, Service], Passage]
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
    service = Service.of(name, url)
    checked = _CheckedTransport(service, transport, allow)
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
        connection = await self._transport.connection(passage, Budget(MOST_BYTES))
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
