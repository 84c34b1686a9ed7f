"""The connection: to an address that was checked, under the name that was asked for, within limits.

httpcore does HTTP, with a network of our own below it: `connect_tcp` resolves the name once, checks every address it
leads to, and connects to one of those and to nothing else. The name stays what it was for TLS (SNI, certificate) and
for `Host`. httpcore takes the parts of a URL as they are, so no second parser reads it; it knows no proxies, no cookies
and nothing of the environment. Every byte that comes in is counted where it comes in, so that no part of an answer
(headers, chunk sizes, interim answers, trailers) can be endless.
"""

import asyncio
import contextlib
import ipaddress
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol

import httpcore2 as httpcore

from bridge.errors import DeadlineExceeded, NetworkFailure
from bridge.web.door import StreamLimits, WebAnswer
from bridge.web.guard import HERE, Clearance, RequestRefused, UrlPlace, names_this_machine
from bridge.web.url import Address

MOST_ADDRESSES = 16
"""Addresses of one name that are looked at."""


class Resolver(Protocol):
    """The interface that finds the addresses of a host."""

    async def resolve(self, host: str, port: int) -> tuple[Address, ...]:
        """Return the addresses of a name, best first; at least one.

        Args:
            host: A host name in ASCII; never an address.
            port: The port that is to be connected to.

        Raises:
            NetworkFailure: There is none.
        """


class SystemResolver:
    """The system's own resolver, in a thread."""

    async def resolve(self, host: str, port: int) -> tuple[Address, ...]:
        """Return the addresses that the system gives for a name."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise NetworkFailure(f"There is no host {host!r}", code="dns") from None
        known: dict[Address, None] = {}
        for entry in found:
            with contextlib.suppress(ValueError):
                known[ipaddress.ip_address(str(entry[4][0]))] = None
        if not known:
            raise NetworkFailure(f"There is no host {host!r}", code="dns")
        return tuple(known)[:MOST_ADDRESSES]


MOST_HEADERS: Final = 200
"""Header lines of an answer."""
ROOM_FOR_HEADERS: Final = 256 * 1024
"""Bytes that headers, chunk sizes and interim answers may take besides the body."""
CONNECT_SECONDS: Final = 5.0
"""The time one of several addresses is tried before the next one is."""


class Transport:
    """The maker of single requests. Follows nothing, repeats nothing, remembers nothing.

    Args:
        resolver: Finds the addresses of names.
        network: The network that connects to addresses.
        trust: Makes what certificates are checked by; the system's certificates unless a test has its own.
    """

    def __init__(
        self,
        resolver: Resolver,
        network: httpcore.AsyncNetworkBackend | None = None,
        trust: Callable[[], ssl.SSLContext] = httpcore.default_ssl_context,
    ) -> None:
        self._resolver = resolver
        self._network = network or httpcore.AnyIOBackend()
        self._trust = cache(trust)

    async def exchange(
        self, passage: Clearance, method: str, headers: Mapping[str, str], body: bytes, *, most: int, seconds: float
    ) -> WebAnswer:
        """Make one request, and return its answer.

        Args:
            passage: The permission to connect.
            method: `GET` or `POST`.
            headers: The headers, `Host` among them.
            body: The body; empty for none.
            most: Bytes that the answer's body may have on the wire.
            seconds: The most time for everything together.

        Raises:
            RequestRefused: The name leads to an address that may not be connected to.
            NetworkFailure: There is no answer, or none that can be taken.
            DeadlineExceeded: It took too long.
        """
        host, budget, timer = passage.url.host, ByteBudget(most + ROOM_FOR_HEADERS), asyncio.timeout(seconds)
        try:
            async with timer, await self.connection(passage, budget) as connection:
                response = await connection.handle_async_request(_request(passage, method, headers, body))
                try:
                    return await _read(response, budget, most)
                finally:
                    await response.aclose()
        except httpcore.ConnectError as error:
            raise _no_connection(host, error) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            if timer.expired():
                raise DeadlineExceeded(f"{host} did not answer within {seconds:g} seconds") from None
            if budget.is_spent:
                raise _too_large(most) from None
            raise NetworkFailure(f"{host} gave no complete answer ({_words(error)})", code="protocol") from None
        except httpcore.TimeoutException:
            raise NetworkFailure(f"{host} cannot be reached", code="connect") from None

    @asynccontextmanager
    async def stream(
        self, passage: Clearance, method: str, headers: Mapping[str, str], body: bytes, limits: StreamLimits
    ) -> AsyncIterator["StreamedAnswer"]:
        """Make one request whose answer is taken as it comes. The end of the block closes the connection in any case.

        Args:
            passage: The permission to connect.
            method: `GET` or `POST`.
            headers: The headers, `Host` among them.
            body: The body; empty for none.
            limits: The limits on the answer.

        Raises:
            RequestRefused: The name leads to an address that may not be connected to.
            NetworkFailure: There is no answer, or none that can be taken.
            DeadlineExceeded: It took too long, or nothing came for too long.
        """
        host, budget = passage.url.host, ByteBudget(limits.most)
        timer = asyncio.timeout(limits.seconds)
        try:
            async with timer, await self.connection(passage, budget) as connection:
                with _in_words(host, budget, limits):
                    response = await connection.handle_async_request(_request(passage, method, headers, body, limits))
                try:
                    yield StreamedAnswer(response, budget, host, limits)
                finally:
                    await response.aclose()
        except TimeoutError:
            if not timer.expired():
                raise
            raise DeadlineExceeded(f"{host} was not done after {limits.seconds:g} seconds") from None

    async def connection(self, passage: Clearance, budget: "ByteBudget") -> httpcore.AsyncHTTPConnection:
        """Return a connection that reaches what a passage allows, and nothing else.

        Args:
            passage: The permission to connect.
            budget: The bytes that may come in.
        """
        url, context = passage.url, None
        if url.scheme == "https":
            context = unchecked() if passage.unsigned else await asyncio.to_thread(self._trust)
        backend = CheckedNetwork(passage, self._resolver, self._network, budget)
        origin = httpcore.Origin(url.scheme.encode(), url.host.encode(), url.port)
        return httpcore.AsyncHTTPConnection(origin, ssl_context=context, network_backend=backend)


class StreamedAnswer:
    """An answer that is still coming.

    Args:
        response: The answer as httpcore has it.
        budget: Counts what comes in.
        host: The host that answers.
        limits: The limits on the answer.

    Attributes:
        status: The status.
        headers: The headers, in order, with their names in lower case.
    """

    def __init__(self, response: httpcore.Response, budget: "ByteBudget", host: str, limits: StreamLimits) -> None:
        self.status = response.status
        self.headers = _headers(response)
        self._response = response
        self._budget = budget
        self._host = host
        self._limits = limits

    @property
    def received(self) -> int:
        """Return the bytes that have come in so far."""
        return self._budget.used

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes.

        Raises:
            NetworkFailure: It broke off, or is too large.
            DeadlineExceeded: Nothing came for too long.
        """
        with _in_words(self._host, self._budget, self._limits):
            async for piece in self._response.aiter_stream():
                yield piece


@contextmanager
def _in_words(host: str, budget: "ByteBudget", limits: StreamLimits) -> Iterator[None]:
    """Say what has gone wrong with an answer that is still coming."""
    try:
        yield
    except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
        raise _no_connection(host, error) from None
    except httpcore.TimeoutException:
        raise DeadlineExceeded(f"{host} sent nothing for {limits.silence:g} seconds", code="silence") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
        if budget.is_spent:
            raise NetworkFailure(f"The answer has more than {limits.most:,} bytes", code="too_large") from None
        raise NetworkFailure(f"{host} gave no complete answer ({_words(error)})", code="protocol") from None


def _request(
    passage: Clearance, method: str, headers: Mapping[str, str], body: bytes, limits: StreamLimits | None = None
) -> httpcore.Request:
    """Return a request as httpcore takes it, with the parts of the URL as they were checked."""
    url = passage.url
    times = {} if limits is None else {"timeout": {"read": limits.silence, "write": limits.silence}}
    return httpcore.Request(
        method,
        httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target),
        headers=list(headers.items()),
        content=body or None,
        extensions=times,
    )


def _headers(response: httpcore.Response) -> tuple[tuple[str, str], ...]:
    if len(response.headers) > MOST_HEADERS:
        raise NetworkFailure(f"The answer has more than {MOST_HEADERS} header lines", code="headers")
    return tuple((name.decode("ascii", "replace").lower(), _text(value)) for name, value in response.headers)


async def _read(response: httpcore.Response, budget: "ByteBudget", most: int) -> WebAnswer:
    headers = _headers(response)
    announced = next((value for name, value in headers if name == "content-length"), "")
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > most:
        raise _too_large(most)
    body = bytearray()
    async for piece in response.aiter_stream():
        body += piece
        if len(body) > most:
            raise _too_large(most)
    return WebAnswer(response.status, headers, bytes(body), budget.used)


def _too_large(most: int) -> NetworkFailure:
    return NetworkFailure(
        f"The answer has more than {most:,} bytes; setting `maxResponseSize` allows more", code="too_large"
    )


def _text(value: bytes) -> str:
    """Return a header's value: most are ASCII, some UTF-8, the rest is whatever RFC 9110 says it never was."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _no_connection(host: str, error: Exception) -> NetworkFailure:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            why = cause.verify_message
            return NetworkFailure(f"The certificate of {host} is not valid: {why}", code="certificate")
        if isinstance(cause, ssl.SSLError):
            return NetworkFailure(f"{host} does not speak TLS as it should", code="tls")
        cause = cause.__cause__ or cause.__context__
    return NetworkFailure(f"{host} cannot be reached", code="connect")


def _words(error: Exception) -> str:
    """Describe a failure of httpcore; never with what the server sent."""
    if isinstance(error, httpcore.RemoteProtocolError):
        return "it does not speak HTTP as it should, or stopped in the middle"
    return "the connection broke"


class ByteBudget:
    """Bytes that may still come in.

    Args:
        most: The most that may come.

    Attributes:
        used: The bytes that have come in.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.used = 0

    @property
    def is_spent(self) -> bool:
        """Return whether more has come in than may."""
        return self.used > self._most

    def spend(self, count: int) -> None:
        """Count bytes that have come in. Raises httpcore's ReadError when that is more than may."""
        self.used += count
        if self.is_spent:
            raise httpcore.ReadError("too much")


@dataclass(eq=False)
class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """The network, connected to checked addresses only.

    Args:
        passage: The permission to connect; nothing else is connected to.
        resolver: Finds the addresses of names.
        network: The network that connects to addresses.
        budget: The bytes that may come in.
    """

    passage: Clearance
    resolver: Resolver
    network: httpcore.AsyncNetworkBackend
    budget: ByteBudget

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a stream to the first of the host's addresses that answers, once all of them were checked."""
        del timeout, local_address, socket_options  # the exchange has a deadline, and there are none of the others
        if (host, port) != (self.passage.url.host, self.passage.url.port):
            raise RequestRefused(f"{host} is not what was asked for")
        addresses = await self._addresses()
        for address in addresses:
            if not self.passage.admits(address):
                raise RequestRefused(_why_not(host, self.passage))
        failure: Exception | None = None
        for address in addresses:
            try:
                stream = await self.network.connect_tcp(str(address), port, CONNECT_SECONDS)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Counted(stream, self.budget)
        raise failure or httpcore.ConnectError("no address")

    async def _addresses(self) -> Sequence[Address]:
        url = self.passage.url
        if (address := url.address) is not None:
            return (address,)
        if names_this_machine(url.host):
            return HERE
        return await self.resolver.resolve(url.host, url.port)


def _why_not(host: str, passage: Clearance) -> str:
    """Say why an address is refused. It is not named: where names of the home network lead is nobody's business."""
    if passage.place is UrlPlace.SERVICE:
        return f"{host} leads to an address that it may not have, or that needs https"
    return f"{host} leads to an address that is not public; only services that the user has entered can have one"


class _Counted(httpcore.AsyncNetworkStream):
    """A stream whose incoming bytes are counted."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, budget: ByteBudget) -> None:
        self._stream = stream
        self._budget = budget

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = await self._stream.read(max_bytes, timeout)
        self._budget.spend(len(data))
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        return _Counted(await self._stream.start_tls(ssl_context, server_hostname, timeout), self._budget)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


@cache
def unchecked() -> ssl.SSLContext:
    """Return the context for servers on this machine, where the user has said so: nobody else can answer there."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
