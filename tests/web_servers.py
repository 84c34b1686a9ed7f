"""A web of our own on loopback: names, addresses and servers, and every connection counted.

`LocalWeb` stands for the public internet. Its resolver gives the names public addresses; its network connects to a
server on loopback instead, and notes which address was asked for. Addresses of this machine are connected to as they
are. `watch_sockets` counts below all of that: what the process itself asks of the system.
"""

import asyncio
import contextlib
import ipaddress
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpcore2
import trustme

from bridge.clock import SystemClock
from bridge.contract.keys import SearchService
from bridge.errors import NetworkFailure
from bridge.settings.model import Settings
from bridge.web.door import Exchanged, WebDoor, WebResponse
from bridge.web.extraction.reader import PageReader
from bridge.web.search_services import Hit, search_reader
from bridge.web.services import LastUsed, RobotsRules, WebCache, WebCredentials, WebServices
from bridge.web.transport import Transport
from bridge.web.url import Address

Responder = bytes | Callable[["Seen", asyncio.StreamWriter], Awaitable[None]]

PUBLIC = "93.184.216.34"
"""Where the names of these tests lead, unless a test says otherwise."""


@dataclass(frozen=True)
class Seen:
    """A request as a server saw it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    tls_name: str | None

    @property
    def host(self) -> str:
        return self.headers["host"]


def answer(
    body: bytes | str = b"", *, status: str = "200 OK", kind: str = "text/html; charset=utf-8", **headers: str
) -> bytes:
    """A whole answer as bytes. Headers are written with `_` for `-`."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(data)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + data


def redirect(to: str, status: str = "302 Found") -> bytes:
    return answer(status=status, Location=to)


@cache
def _authority() -> trustme.CA:
    return trustme.CA()


@dataclass
class LocalWeb(httpcore2.AsyncNetworkBackend):
    """The web of one test. Answers are kept by host and path, or by path alone."""

    answers: dict[str, Responder] = field(default_factory=dict)
    names: dict[str, list[list[str]]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    connected: list[tuple[str, int]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    ca: trustme.CA = field(default_factory=_authority)
    tls_port: int = 0
    plain_port: int = 0
    tls_ports: frozenset[int] = frozenset({443, 8443})
    unreachable: set[str] = field(default_factory=set)
    own_contexts: dict[str, ssl.SSLContext] = field(default_factory=dict)
    _network: httpcore2.AsyncNetworkBackend = field(default_factory=httpcore2.AnyIOBackend)

    def transport(self) -> Transport:
        return Transport(self, self, self.trust)

    def trust(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.ca.configure_trust(context)
        return context

    # -- the resolver

    async def resolve(self, host: str, port: int) -> tuple[Address, ...]:
        del port
        self.asked.append(host)
        turns = self.names.get(host)
        if turns is None:
            if host.endswith(".invalid"):
                raise NetworkFailure(f"There is no host {host!r}", code="dns")
            return (ipaddress.ip_address(PUBLIC),)
        turn = turns[0] if len(turns) == 1 else turns.pop(0)
        return tuple(map(ipaddress.ip_address, turn))

    # -- the network

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's own signature
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.AsyncNetworkStream:
        del local_address, socket_options
        self.connected.append((host, port))
        if host in self.unreachable:
            raise httpcore2.ConnectError("unreachable")
        if ipaddress.ip_address(host).is_loopback:
            return await self._network.connect_tcp(host, port, timeout)
        return await self._network.connect_tcp(
            "127.0.0.1", self.tls_port if port in self.tls_ports else self.plain_port, timeout
        )

    # -- the servers

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator["LocalWeb"]:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.ca.issue_cert("unknown.example").configure_cert(tls)
        names: dict[int, str] = {}

        def choose(connection: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
            names[id(connection)] = name or ""
            if name is not None:
                connection.context = self.own_contexts.get(name) or context_for(name)

        tls.sni_callback = choose

        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            secured = writer.get_extra_info("ssl_object")
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
                await self._handle(reader, writer, names.get(id(secured)) if secured else None)
            writer.close()
            with contextlib.suppress(ConnectionError, ssl.SSLError, TimeoutError):
                await writer.wait_closed()

        async with contextlib.AsyncExitStack() as stack:
            for port, context in (("plain_port", None), ("tls_port", tls)):
                server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=context)
                stack.push_async_callback(_close, server)
                setattr(self, port, server.sockets[0].getsockname()[1])
            yield self

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str | None) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _version = head[0].split(" ")
        headers = {key.lower(): value for key, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        seen = Seen(method, target, headers, body, name)
        self.seen.append(seen)
        path = target.partition("?")[0]
        respond = self.answers.get(f"{seen.host}{path}", self.answers.get(path, answer("none", status="404 Not Found")))
        if isinstance(respond, bytes):
            writer.write(respond)
            await writer.drain()
        else:
            await respond(seen, writer)


@cache
def context_for(name: str) -> ssl.SSLContext:
    """What a server needs to be taken for a host."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _authority().issue_cert(name).configure_cert(context)
    return context


def web_services(
    web: LocalWeb, folder: Path, settings: Callable[[], Settings] = Settings, log: Callable[[Exchanged], None] = print
) -> WebServices:
    """What the tools of the web are built from, over a web of our own.

    Args:
        web: The web.
        folder: Where the cache and the credentials lie.
        settings: The settings.
        log: Called with every request.
    """
    clock = SystemClock()
    reader = PageReader(clock)
    door = WebDoor(settings, web.transport, clock, log=log, sleep=_at_once)
    return WebServices(
        door=door,
        cache=WebCache(folder / "web", settings, clock),
        credentials=WebCredentials(folder),
        reader=reader,
        robots=RobotsRules(door, reader, clock),
        clock=clock,
        last_used=LastUsed(clock),
    )


def read_here(service: SearchService, _title: str, response: WebResponse) -> list[Hit]:
    """What a service has found, read without a process of its own: what it says is what these tests are about."""
    return search_reader(service.value)(response)


async def _at_once(_seconds: float) -> None:
    """Wait for nothing."""


async def _close(server: asyncio.Server) -> None:
    server.close()
    clients = getattr(server, "close_clients", None)  # since 3.13
    if clients is not None:
        clients()


@dataclass
class Sockets:
    """What the process asked of the system: connections, and look-ups of names."""

    connections: list[Any] = field(default_factory=list)
    lookups: list[Any] = field(default_factory=list)


_watching: list[Sockets] = []
_lock = threading.Lock()
_hooked = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching or not event.startswith("socket."):
        return
    for sockets in _watching:
        if event in {"socket.connect", "socket.sendto"}:
            sockets.connections.append(arguments[1])
        elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
            sockets.lookups.append(arguments[0])


@contextlib.contextmanager
def watch_sockets() -> Iterator[Sockets]:
    """Count every connection and look-up of this process, whoever makes it and however the host is written."""
    global _hooked  # noqa: PLW0603 - a hook of the interpreter can be added once and never taken away
    with _lock:
        if not _hooked:
            sys.addaudithook(_hook)
            _hooked = True
    sockets = Sockets()
    _watching.append(sockets)
    try:
        yield sockets
    finally:
        _watching.remove(sockets)
